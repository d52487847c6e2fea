//! What a format is: a pure function of the field and the finished blocks, with its name, its keys and its placings.

use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::entrant::Entrant;
use crate::field::{Field, Meeting};
use crate::key::{Key, Kind, MANY};
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
    /// Its keys in the tables of bots.
    const BOT_KEYS: &'static [Key] = &[];
    /// Which of `deals` and its own keys is raised to go on when all is played; none if it cannot go on.
    const MORE: Option<&'static str> = Some("deals");
    /// True if bots may join in a later round, by their key `joined`.
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

    /// The number of tables of a deal, each of which is seated in several orders; none if deals differ in that.
    fn tables(&self, field: Field<'_>) -> Option<u64> {
        Some(self.choices(field))
    }

    /// The number of tables in all rounds together, on one deal of each; `u64::MAX` if there are more.
    fn count(&self, field: Field<'_>) -> u64 {
        self.tables(field)
            .unwrap_or(u64::MAX)
            .saturating_mul(self.rounds(field).into())
    }

    /// Checks that everything that `was` planned for the old field is part of what is planned for the new one, given the same results.
    /// The bots of the old field are the first of the new one.
    ///
    /// # Errors
    /// What cannot be changed.
    fn extends(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint>;

    /// The format as it was planned when `rounds` of its rounds had begun, for [`Format::extends`]: what has not begun may still
    /// change. The same unless bots come and go.
    fn begun(self, _rounds: u32) -> Self {
        self
    }

    /// Writes another name wherever its options name a bot, or takes that out.
    fn rename(&mut self, _name: &str, _to: Option<&str>) {}

    /// The standing of the tournament by the rules of the format; none where it has none, and bots are ranked by points or strength.
    fn placings(&self, _field: Field<'_>, _done: &[Block]) -> Option<Placings> {
        None
    }
}

/// The number of rounds that are finished, with all their blocks.
pub(crate) fn finished_rounds(format: &impl Format, field: Field<'_>, done: &[Block]) -> u32 {
    let mut there: Vec<(u32, &[usize])> = done
        .iter()
        .map(|block| (block.deal, &block.bots[..]))
        .collect();
    there.sort_unstable();
    let all = |round: &u32| {
        let meetings = format.meetings(field, *round, done);
        let is_there =
            |meeting: &Meeting, deal| there.binary_search(&(deal, &meeting.bots)).is_ok();
        meetings
            .iter()
            .all(|meeting| meeting.deals.clone().all(|deal| is_there(meeting, deal)))
    };
    (1..=format.rounds(field)).take_while(all).count() as u32
}

/// Checks a field for a format that pairs bots in rounds.
pub(crate) fn check_rounds<F: Format>(format: &F, field: Field<'_>) -> Vec<Complaint> {
    let (name, seats, deals, rounds) = (F::NAME, field.seats, field.deals, format.rounds(field));
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

/// The round in which a bot joins.
pub(crate) const JOINED: Key = Key::new(
    "joined",
    Kind::Whole(1..=MANY),
    "1",
    "first round in which the bot can be paired",
)
.comment("1");

/// True if a bot can be drawn in a round.
pub(crate) fn is_there(entrant: &Entrant, round: u32) -> bool {
    entrant.joined <= round && entrant.left.is_none_or(|left| round <= left)
}

/// The number of bots that can be drawn in a round.
pub(crate) fn there(field: Field<'_>, round: u32) -> usize {
    field
        .bots
        .iter()
        .filter(|entrant| is_there(entrant, round))
        .count()
}

/// Checks when bots join and leave, and that each round has a pair.
pub(crate) fn check_stays(name: &str, rounds: u32, field: Field<'_>) -> Vec<Complaint> {
    let stays = field.bots.iter().enumerate();
    let mut wrong: Vec<Complaint> = stays
        .filter_map(|(bot, entrant)| check_stay(&format!("bots.{bot}"), entrant, rounds))
        .collect();
    if let Some(round) = (1..=rounds)
        .find(|round| there(field, *round) < 2)
        .filter(|_| field.bots.len() >= 2)
    {
        let bots = there(field, round);
        let what =
            format!("a round of a {name} needs at least 2 bots, in round {round} there are {bots}");
        wrong.push(Complaint::new(
            "bots",
            what,
            "let bots join earlier, or leave later",
        ));
    }
    wrong
}

/// The fault in when a bot joins and leaves, if there is one.
fn check_stay(at: &str, entrant: &Entrant, rounds: u32) -> Option<Complaint> {
    let (joined, left) = (format!("{at}.joined"), format!("{at}.left"));
    let first = entrant.joined;
    if first == 0 {
        return check_positive("joined", 0).map(|wrong| Complaint {
            at: joined,
            ..wrong
        });
    }
    if first > rounds {
        let what = format!(
            "{} never plays: it joins in round {first} of only {rounds}",
            entrant.name
        );
        return Some(Complaint::new(
            joined,
            what,
            "let it join earlier, or add rounds",
        ));
    }
    let last = entrant.left.filter(|last| *last < first)?;
    let what = format!("this bot leaves after round {last}, before it joins in round {first}");
    Some(
        Complaint::new(left, what, format!("write at least {first}")).also(joined, "it joins here"),
    )
}

/// Checks that those who were there until a round are those of the old field.
///
/// # Errors
/// A bot that joins or leaves in the past.
pub(crate) fn same_past(rounds: u32, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint> {
    for (bot, (was, is)) in old.bots.iter().zip(new.bots).enumerate() {
        let name = &was.name;
        if was.joined != is.joined && was.joined.min(is.joined) <= rounds {
            let what = format!(
                "{name} joined in round {} and not in {}, of {rounds} rounds",
                was.joined, is.joined
            );
            return Err(Complaint::new(
                format!("bots.{bot}.joined"),
                what,
                "leave it as it was",
            ));
        }
        let end = |entrant: &Entrant| entrant.left.unwrap_or(u32::MAX);
        if end(was) != end(is) && end(was).min(end(is)) < rounds {
            let what = format!("{rounds} rounds have begun: {name} can only leave after them");
            return Err(Complaint::new(format!("bots.{bot}.left"), what, ""));
        }
    }
    let added = new.bots.iter().enumerate().skip(old.bots.len());
    let Some((bot, early)) = added
        .into_iter()
        .find(|(_, entrant)| entrant.joined <= rounds)
    else {
        return Ok(());
    };
    let what = format!(
        "{rounds} rounds have begun: {} can only join after them",
        early.name
    );
    Err(Complaint::new(format!("bots.{bot}.joined"), what, ""))
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
