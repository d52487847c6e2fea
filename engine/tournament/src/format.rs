//! What a format is: a pure function of the field and the finished blocks, with its name, its keys and its placings.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::entrant::Entrant;
use crate::field::{Field, Meeting};
use crate::key::Key;
use crate::placings::Placings;

/// The options of a format by their keys, as a file or the flags give them.
pub type Options = Map<String, Value>;

/// A format: its options are its fields, which serde reads from the keys of the tournament file.
///
/// In formats that draw their rounds from results, round `r` of `D` deals plays the deals from (r − 1)·D + 1 to r·D, the same for
/// all its pairings, so that the deal identifies the round, and each match has its own id though two bots may meet in many rounds.
pub trait Format: Serialize + DeserializeOwned {
    /// Its name in the tournament file.
    const NAME: &'static str;
    /// Who meets whom, in a phrase.
    const ABOUT: &'static str;
    /// Its keys.
    const KEYS: &'static [Key] = &[];
    /// Which of `deals` and its own keys is raised to go on when all is played; none if it cannot go on.
    const MORE: Option<&'static str> = Some("deals");
    /// The least number of seats at a table.
    const MIN_SEATS: usize = 2;
    /// True if bots may join in a later round.
    const NEWCOMERS: bool = false;

    /// Fills in the options that are left out.
    fn fill(_options: &mut Options, _field: Field<'_>) {}

    /// Checks the field; [`crate::formats::Choice::check`] adds what holds for all formats.
    fn check(&self, _field: Field<'_>) -> Vec<Complaint> {
        Vec::new()
    }

    /// The number of rounds; 1 where all matches are known from the beginning.
    fn rounds(&self, _field: Field<'_>) -> u32 {
        1
    }

    /// The meetings of a round, counted from 1. Of the finished blocks only those on deals of earlier rounds count;
    /// their order does not matter.
    fn meetings(&self, field: Field<'_>, round: u32, before: &[Block]) -> Vec<Meeting>;

    /// The number of tables from which those of a deal are chosen; `u64::MAX` if there are more. They are listed in memory.
    fn choices(&self, field: Field<'_>) -> u64;

    /// The number of rounds in a row that have the same number of tables on a deal, and that number.
    fn in_rounds(&self, field: Field<'_>) -> Vec<(u32, u64)> {
        vec![(self.rounds(field), self.choices(field))]
    }

    /// The number of tables of a deal, each of which is seated in several orders; none if deals differ in that.
    fn tables(&self, field: Field<'_>) -> Option<u64> {
        let rounds = self.in_rounds(field);
        let first = rounds.first()?.1;
        rounds
            .iter()
            .all(|(_, tables)| *tables == first)
            .then_some(first)
    }

    /// The number of tables in all rounds together, on one deal of each; `u64::MAX` if there are more.
    fn count(&self, field: Field<'_>) -> u64 {
        self.in_rounds(field)
            .into_iter()
            .fold(0, |sum: u64, (rounds, tables)| {
                sum.saturating_add(tables.saturating_mul(rounds.into()))
            })
    }

    /// Checks that everything that `was` planned for the old field is part of what is planned for the new one, given the same results.
    /// The bots of the old field are the first of the new one.
    ///
    /// # Errors
    /// What cannot be changed.
    fn extends(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint>;

    /// The standing of the tournament by the rules of the format; none where it has none, and bots are ranked by points or by who is
    /// ahead of whom.
    fn placings(&self, _field: Field<'_>, _done: &[Block]) -> Option<Placings> {
        None
    }
}

/// The number of rounds that are finished: on each deal as many blocks as the round has pairs.
pub(crate) fn finished_rounds(
    field: Field<'_>,
    rounds: u32,
    done: &[Block],
    pairs: impl Fn(u32) -> usize,
) -> u32 {
    let mut blocks = BTreeMap::<u32, u64>::new();
    for block in done {
        *blocks.entry(block.deal.div_ceil(field.deals)).or_default() += 1;
    }
    let is_finished = |round: &u32| {
        let planned = pairs(*round) as u64 * u64::from(field.deals);
        blocks.get(round).copied().unwrap_or(0) == planned
    };
    (1..=rounds).take_while(is_finished).count() as u32
}

/// Checks a field for a format that pairs bots in rounds.
pub(crate) fn check_rounds<F: Format>(format: &F, field: Field<'_>) -> Vec<Complaint> {
    let name = F::NAME;
    let seats = field.seats;
    let deals = field.deals;
    let rounds = format.rounds(field);
    let mut wrong = Vec::new();
    if seats != 2 {
        let what = format!("{name} is for 2 seats, not {seats}");
        wrong.push(Complaint::new(
            "format",
            what,
            "write seats = 2, or use gauntlet or balanced",
        ));
    }
    if rounds.checked_mul(deals).is_none() {
        let what = format!(
            "{rounds} rounds of {deals} deals exceed the maximum of {} deals",
            u32::MAX
        );
        wrong.push(Complaint::new(
            "deals",
            what,
            "write fewer deals, or fewer rounds",
        ));
    }
    wrong
}

/// Checks that a number is at least 1.
pub(crate) fn check_positive(key: &str, number: u32) -> Option<Complaint> {
    (number == 0).then(|| {
        Complaint::new(
            key,
            format!("`{key}` must be at least 1, not 0"),
            "write 1 or more",
        )
    })
}

/// Checks that a number is what it was.
///
/// # Errors
/// That it is not.
pub(crate) fn same<T: Copy + PartialEq + Display>(
    key: &str,
    what: &str,
    was: T,
    is: T,
) -> Result<(), Complaint> {
    let changed = || {
        Complaint::new(
            key,
            format!("{what} was {was} and cannot become {is}"),
            "leave it as it was",
        )
    };
    if was == is { Ok(()) } else { Err(changed()) }
}

/// Checks that a number is not smaller than it was.
///
/// # Errors
/// That it is.
pub(crate) fn not_fewer(key: &str, was: u32, is: u32) -> Result<(), Complaint> {
    let fewer = || format!("`{key}` was {was} and cannot be reduced to {is}");
    if was <= is {
        Ok(())
    } else {
        Err(Complaint::new(key, fewer(), ""))
    }
}

/// True if a bot can be drawn in a round.
pub(crate) fn is_there(entrant: &Entrant, round: u32) -> bool {
    entrant.joined <= round && entrant.withdrawn.is_none_or(|last| round <= last)
}

/// The number of bots that can be drawn in a round.
pub(crate) fn there(field: Field<'_>, round: u32) -> usize {
    field
        .bots
        .iter()
        .filter(|entrant| is_there(entrant, round))
        .count()
}

/// The rounds by the number of tables that their bots make, for [`Format::in_rounds`].
pub(crate) fn spans(
    field: Field<'_>,
    rounds: u32,
    tables: impl Fn(usize) -> u64,
) -> Vec<(u32, u64)> {
    // The rounds in which bots come or go.
    let mut starts: Vec<u32> = field
        .bots
        .iter()
        .flat_map(|bot| [Some(bot.joined), bot.withdrawn.map(|last| last + 1)])
        .flatten()
        .chain([1])
        .filter(|round| (1..=rounds).contains(round))
        .collect();
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([rounds + 1]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| (end - start, tables(there(field, *start))))
        .collect()
}

/// Checks that each newcomer plays, and that each round has a pair.
pub(crate) fn check_stays(name: &str, rounds: u32, field: Field<'_>) -> Vec<Complaint> {
    let mut wrong = Vec::new();
    if let Some(late) = field.bots.iter().find(|bot| bot.joined > rounds) {
        let what = format!("{} cannot join, since all rounds have begun", late.name);
        wrong.push(Complaint::new("rounds", what, "add rounds"));
    }
    if let Some((_, bots)) = spans(field, rounds, |bots| bots as u64)
        .into_iter()
        .find(|(_, bots)| *bots < 2)
        .filter(|_| field.bots.len() >= 2)
    {
        let what = format!("a round of a {name} needs at least 2 bots, not {bots}");
        wrong.push(Complaint::new("bots", what, "withdraw fewer bots"));
    }
    wrong
}

/// Checks that nobody joins or leaves in rounds that have begun.
///
/// # Errors
/// A bot that does.
pub(crate) fn same_past(old: Field<'_>, new: Field<'_>, begun: u32) -> Result<(), Complaint> {
    let past = |bot: &Entrant| {
        let last = bot.withdrawn.unwrap_or(begun);
        (bot.joined.min(begun + 1), last.min(begun))
    };
    for (place, bot) in new.bots.iter().enumerate() {
        let was = old.bots.get(place).map_or((begun + 1, begun), past);
        if past(bot) != was {
            let what = format!(
                "{begun} rounds have begun: {} can only join or leave after them",
                bot.name
            );
            return Err(Complaint::new(format!("bots.{place}"), what, ""));
        }
    }
    Ok(())
}

/// Checks that no bot was added.
///
/// # Errors
/// That one was.
pub(crate) fn same_bots<F: Format>(old: Field<'_>, new: Field<'_>) -> Result<(), Complaint> {
    let joins = |name: &str| format!("{name} cannot join a {} that has begun", F::NAME);
    match new.bots.get(old.bots.len()) {
        None => Ok(()),
        Some(added) => Err(Complaint::new(
            "bots",
            joins(&added.name),
            "start another tournament",
        )),
    }
}
