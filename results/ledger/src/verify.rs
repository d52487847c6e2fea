//! Checking a ledger: every record is played again by the rules, and must give what its row says.

use arena_engine::by_name;
use arena_engine::game::Game;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::LedgerError;
use crate::replay::replay;
use crate::stored::{Store, Stored};
use arena_tournament::deals::Seated;
use arena_tournament::played::Played;
use arena_tournament::spec::Spec;

/// The number of matches that are checked side by side.
const CHUNK: usize = 1_024;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verified {
    /// The number of matches that are as they should be.
    pub whole: u64,
    /// The matches that are not as they should be.
    pub damaged: Vec<Damage>,
    /// What else is wrong with the file, in the words of SQLite.
    pub file: Vec<String>,
}

/// A match that is damaged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Damage {
    /// The match, or what is known of it.
    pub r#match: String,
    /// What is wrong with it.
    pub why: String,
    /// True if its record is lost too, so that it must be played again; otherwise its result follows from the record.
    pub lost: bool,
}

impl Verified {
    /// True if nothing is wrong.
    pub fn is_whole(&self) -> bool {
        self.damaged.is_empty() && self.file.is_empty()
    }

    /// How many matches must be played again.
    pub fn lost(&self) -> usize {
        self.damaged.iter().filter(|damage| damage.lost).count()
    }
}

/// Checks all matches of a ledger or of what is left of one; `keep` is handed those whose records are as they should be.
pub fn verify(
    store: &mut impl Store,
    mut keep: impl FnMut(&[Played]) -> Result<(), LedgerError>,
) -> Result<Verified, LedgerError> {
    let mut verified = Verified { file: store.complaints(), ..Verified::default() };
    let (mut chunk, tournament) = (Vec::new(), store.spec().clone());
    let mut flush = |chunk: &mut Vec<Stored>| {
        let checked = by_name!(tournament.plan.game, G => check_all::<G>(&tournament, chunk));
        let unknown = || LedgerError::Damaged(format!("there is no game {:?}", tournament.plan.game));
        let mut good = Vec::new();
        for (played, damage) in checked.ok_or_else(unknown)? {
            verified.whole += u64::from(damage.is_none());
            verified.damaged.extend(damage);
            good.extend(played);
        }
        chunk.clear();
        keep(&good)
    };
    store.stored(&mut |stored| {
        chunk.push(stored);
        if chunk.len() == CHUNK { flush(&mut chunk) } else { Ok(()) }
    })?;
    flush(&mut chunk)?;
    Ok(verified)
}

/// Plays the records of matches again by the rules: for each, in what it is not as it should be. None if there is no such game.
pub fn check_records(tournament: &Spec, matches: &[&Played]) -> Option<Vec<Result<(), String>>> {
    by_name!(tournament.plan.game, G => check_records_of::<G>(tournament, matches))
}

fn check_records_of<G: Game>(tournament: &Spec, matches: &[&Played]) -> Vec<Result<(), String>> {
    let rules = serde_json::from_value(tournament.plan.rules.clone()).ok();
    matches.par_iter().map(|played| check_record::<G>(tournament, rules.as_ref(), played)).collect()
}

fn check_all<G: Game>(tournament: &Spec, chunk: &[Stored]) -> Vec<(Option<Played>, Option<Damage>)> {
    let rules = serde_json::from_value(tournament.plan.rules.clone()).ok();
    chunk.par_iter().map(|stored| check::<G>(tournament, rules.as_ref(), stored)).collect()
}

/// The match, if its record is as it should be, and what is damaged.
fn check<G: Game>(tournament: &Spec, rules: Option<&G::Rules>, stored: &Stored) -> (Option<Played>, Option<Damage>) {
    let damage = |why: &str, lost| Some(Damage { r#match: stored.name.clone(), why: why.to_owned(), lost });
    let played = match &stored.body {
        Ok(played) => played,
        Err(why) => return (None, damage(why, true)),
    };
    if let Err(why) = check_record::<G>(tournament, rules, played) {
        return (None, damage(&why, true));
    }
    let row = match &stored.row {
        Err(why) => damage(why, false),
        Ok(None) => damage("its row is missing", false),
        Ok(Some(scored)) if scored.seats != Seated::all(&played.verdict) => {
            damage("its row is not what its record gives", false)
        }
        Ok(Some(_)) => None,
    };
    (Some(played.clone()), row)
}

/// Plays the record of a match again by the rules of its tournament.
///
/// # Errors
/// What is wrong with it.
fn check_record<G: Game>(tournament: &Spec, rules: Option<&G::Rules>, played: &Played) -> Result<(), String> {
    let finished = replay::<G>(played).map_err(|error| error.to_string())?;
    if finished.record.seed != tournament.deal_seed(played.deal) {
        return Err("its record is of another deal".into());
    }
    if Some(&finished.record.rules) != rules {
        return Err("its record is of other rules".into());
    }
    if played.bots.len() != tournament.plan.seats {
        return Err("its record is of another number of seats".into());
    }
    Ok(())
}
