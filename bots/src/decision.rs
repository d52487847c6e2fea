//! A judge's verdicts on the decisions of a match.

use std::borrow::Cow;
use std::fmt;

use arena_engine::replay::BadRecord;
use arena_engine::seat::Seat;
use serde::{Deserialize, Serialize};

/// The judged decisions of a match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The judged decisions, first to last.
    pub decisions: Vec<Decision>,
    /// Number of timeouts and failures, which are not judged.
    pub left_out: u32,
}

/// A decision, judged by the knowledge of its seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Index of the reply in the record.
    pub turn: usize,
    /// The seat that decided.
    pub seat: Seat,
    /// The kind of the action.
    pub kind: Cow<'static, str>,
    /// Index of the action among the options; 0 if it is the one that seemed best.
    pub played: usize,
    /// Win rate of the first option minus that of the played one; 0 if the first was played. The loss is measured on new continuations, not
    /// on those by which the first option was chosen, so it may be negative.
    pub lost: f64,
    /// Standard error of the loss.
    pub error: f64,
    /// True for a clear mistake: the loss is above 2 % and above 3 standard errors, and the second judge agrees.
    pub listed: bool,
    /// For a guess: true if it was right. This is known only in hindsight, so it does not affect the verdict.
    pub right: Option<bool>,
    /// All options tried, the one that seemed best first.
    pub options: Vec<Valued>,
}

/// An option with its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Valued {
    /// The option in words.
    pub action: String,
    /// Estimated win rate.
    pub wins: f64,
    /// Standard error of the win rate.
    pub error: f64,
    /// Probability that the guess is right, by counting alone; null if the option is not a guess.
    pub chance: Option<f64>,
}

/// Describes the played and the better option, with their likelihoods and win rates.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (played, best) = (&self.options[self.played], &self.options[0]);
        let percent = |share: f64| format!("{:.0}", 100.0 * share);
        let option = |Valued { action, chance, .. }: &Valued| match chance {
            Some(1.0) => format!("{action} (a certain hit)"),
            Some(chance) => format!("{action} ({} % likely)", percent(*chance)),
            None => action.clone(),
        };
        write!(
            f,
            "played {}, wins {} %",
            option(played),
            percent(played.wins)
        )?;
        if self.played == 0 {
            return Ok(());
        }
        let (wins, error) = (percent(best.wins), (100.0 * self.error).max(1.0));
        write!(f, "; better: {}, wins {wins} ± {error:.0} %", option(best))?;
        let is_certain = |option: &&Valued| option.chance == Some(1.0);
        // Mention a certain hit, even if another option was still better.
        match self
            .options
            .iter()
            .find(is_certain)
            .filter(|_| !is_certain(&played) && !is_certain(&best))
        {
            Some(certain) => {
                let wins = percent(certain.wins);
                write!(f, "; or {}, wins {wins} %", option(certain))
            }
            None => Ok(()),
        }
    }
}

/// The reason why a match cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum Unjudged {
    /// The record is damaged.
    #[error("the record cannot be read: {0}")]
    Text(#[from] serde_json::Error),
    /// The record cannot be replayed.
    #[error(transparent)]
    Record(#[from] BadRecord),
}
