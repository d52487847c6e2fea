//! The trait of a tournament format: a pure function of the field and the finished blocks, with its name, keys and placings.

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

/// A format's options by key, given by a file or by flags.
pub type Options = Map<String, Value>;

/// A tournament format. The fields of the type are its options, which serde reads from the keys of the tournament file.
///
/// In formats that draw their rounds from results, round `r` of `D` deals consists of the deals from (r − 1)·D + 1 to r·D, for all its
/// pairings. So the deal identifies the round, and match ids are unique although two bots may meet in several rounds.
pub trait Format: Serialize + DeserializeOwned {
    /// The name of the format in the tournament file.
    const NAME: &'static str;
    /// A one-phrase description of the pairings.
    const ABOUT: &'static str;
    /// The format's own keys.
    const KEYS: &'static [Key] = &[];
    /// The key whose increase extends a finished tournament: `deals` or a key of the format. `None` if a tournament cannot be extended.
    const MORE: Option<&'static str> = Some("deals");
    /// Minimum number of seats at a table.
    const MIN_SEATS: usize = 2;
    /// True if bots may join in a later round.
    const NEWCOMERS: bool = false;

    /// Fills in the options that were omitted.
    fn fill(_options: &mut Options, _field: Field<'_>) {}

    /// Checks that the format can be played with this field. [`crate::formats::Choice::check`] adds the checks common to all formats.
    fn check(&self, _field: Field<'_>) -> Vec<Complaint> {
        Vec::new()
    }

    /// Returns the number of rounds; 1 if all matches are known from the beginning.
    fn rounds(&self, _field: Field<'_>) -> u32 {
        1
    }

    /// Returns the meetings of a round, counted from 1. Of `before`, only finished blocks on deals of earlier rounds count; their order
    /// does not matter.
    fn meetings(&self, field: Field<'_>, round: u32, before: &[Block]) -> Vec<Meeting>;

    /// Returns the number of candidate tables per deal, saturating at `u64::MAX`. The candidates are held in memory.
    fn choices(&self, field: Field<'_>) -> u64;

    /// Returns the runs of rounds with equal numbers of tables per deal, each as the length of the run and the number of tables.
    fn in_rounds(&self, field: Field<'_>) -> Vec<(u32, u64)> {
        vec![(self.rounds(field), self.choices(field))]
    }

    /// Returns the number of tables per deal, each of which is played in several seatings; `None` if the number varies between deals.
    fn tables(&self, field: Field<'_>) -> Option<u64> {
        let rounds = self.in_rounds(field);
        let first = rounds.first()?.1;
        rounds
            .iter()
            .all(|(_, tables)| *tables == first)
            .then_some(first)
    }

    /// Returns the sum over all rounds of the number of tables on one deal, saturating at `u64::MAX`.
    fn count(&self, field: Field<'_>) -> u64 {
        self.in_rounds(field)
            .into_iter()
            .fold(0, |sum: u64, (rounds, tables)| {
                sum.saturating_add(tables.saturating_mul(rounds.into()))
            })
    }

    /// Checks that everything that `was` planned for the old field is also planned by this format for the new one, given the same results.
    /// The bots of the old field are the first bots of the new one.
    ///
    /// # Errors
    /// If an old plan would change.
    fn extends(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint>;

    /// Returns the placings by the format's own rules. `None` if the format has none; bots are then ranked by points or from the results of
    /// pairs.
    fn placings(&self, _field: Field<'_>, _done: &[Block]) -> Option<Placings> {
        None
    }
}

/// Returns the number of finished rounds. A round is finished if each of its deals has as many blocks as the round has pairs.
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

/// Checks that a number has not changed.
///
/// # Errors
/// If the number has changed.
pub(crate) fn same<T: Copy + PartialEq + Display>(
    key: &str,
    what: &str,
    was: T,
    is: T,
) -> Result<(), Complaint> {
    let changed = || {
        Complaint::new(
            key,
            format!("cannot change {what} from {was} to {is}"),
            "leave it as it was",
        )
    };
    if was == is { Ok(()) } else { Err(changed()) }
}

/// Checks that a number has not decreased.
///
/// # Errors
/// If the number has decreased.
pub(crate) fn not_fewer(key: &str, was: u32, is: u32) -> Result<(), Complaint> {
    let fewer = || format!("`{key}` was {was} and cannot be reduced to {is}");
    if was <= is {
        Ok(())
    } else {
        Err(Complaint::new(key, fewer(), ""))
    }
}

/// Returns `true` if a bot can be drawn in a round.
pub(crate) fn is_present(entrant: &Entrant, round: u32) -> bool {
    entrant.joined <= round && entrant.withdrawn.is_none_or(|last| round <= last)
}

/// Returns the number of bots that can be drawn in a round.
pub(crate) fn count_present(field: Field<'_>, round: u32) -> usize {
    field
        .bots
        .iter()
        .filter(|entrant| is_present(entrant, round))
        .count()
}

/// Groups rounds by the number of tables that their bots fill, for [`Format::in_rounds`].
pub(crate) fn spans(
    field: Field<'_>,
    rounds: u32,
    tables: impl Fn(usize) -> u64,
) -> Vec<(u32, u64)> {
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
        .map(|(start, end)| (end - start, tables(count_present(field, *start))))
        .collect()
}

/// Checks that each newcomer gets to play, and that each round has at least one pair.
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

/// Checks that no bot joins or leaves in a round that has begun.
///
/// # Errors
/// If some bot does.
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
/// If a bot was added.
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
