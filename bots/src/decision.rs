//! What a judge found of the decisions of a match.

use std::borrow::Cow;

use arena_engine::replay::BadRecord;
use arena_engine::seat::Seat;
use serde::{Deserialize, Serialize};

/// The decisions of a match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Those that were judged, first to last.
    pub decisions: Vec<Decision>,
    /// The number of late and failed replies, which are not judged.
    pub left_out: u32,
}

/// A decision, by what its seat knew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The number of the reply in the record, counted from 0.
    pub turn: usize,
    /// The seat.
    pub seat: Seat,
    /// The kind of the action.
    pub kind: Cow<'static, str>,
    /// The index of the action among the options; 0 if it seemed the best.
    pub played: usize,
    /// By how much the first option wins more often, in shares of winning; 0 if it was played. It is measured on other continuations
    /// than those that chose the first, so that it may be negative.
    pub lost: f64,
    /// Its standard error.
    pub error: f64,
    /// True if it is clearly a mistake: the loss is above 2 % and above 3 standard errors, and the second judge agrees.
    pub listed: bool,
    /// For a guess: true if it was right. Only hindsight shows that, so it does not count.
    pub right: Option<bool>,
    /// All options that were tried, the one that seemed the best first.
    pub options: Vec<Valued>,
}

/// An option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Valued {
    /// What it is, in words.
    pub action: String,
    /// Its share of winning.
    pub wins: f64,
    /// The standard error.
    pub error: f64,
    /// The chance that the guess is right, by counting alone; null if it is no guess.
    pub chance: Option<f64>,
}

impl Decision {
    /// The option that was played and the better one in words, with their likelihoods and shares of winning.
    pub fn in_words(&self) -> String {
        let (played, best) = (&self.options[self.played], &self.options[0]);
        let percent = |share: f64| format!("{:.0}", 100.0 * share);
        let option = |Valued { action, chance, .. }: &Valued| match chance {
            Some(1.0) => format!("{action} (a certain hit)"),
            Some(chance) => format!("{action} ({} % likely)", percent(*chance)),
            None => action.clone(),
        };
        let text = format!("played {}, wins {} %", option(played), percent(played.wins));
        if self.played == 0 {
            return text;
        }
        let (wins, error) = (percent(best.wins), (100.0 * self.error).max(1.0));
        let text = format!("{text}; better: {}, {wins} ± {error:.0} %", option(best));
        let is_certain = |option: &&Valued| option.chance == Some(1.0);
        // That there was a certain hit is said even if something else was better still.
        match self
            .options
            .iter()
            .find(is_certain)
            .filter(|_| !is_certain(&played) && !is_certain(&best))
        {
            Some(certain) => format!("{text}; {}, {} %", option(certain), percent(certain.wins)),
            None => text,
        }
    }
}

/// Why a match cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum Unjudged {
    /// The record is damaged.
    #[error("the record cannot be read: {0}")]
    Text(#[from] serde_json::Error),
    /// It cannot be replayed.
    #[error(transparent)]
    Record(#[from] BadRecord),
}
