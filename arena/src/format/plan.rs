//! What is planned: the stages of a tournament, how many matches it has, and whether it can be played or extended.
//!
//! A tournament consists of stages. All matches of a stage are known when it begins and may be played in any order.
//! Static formats have one stage; the others have one for each round, drawn from the finished blocks of the rounds
//! before. In those, round `r` of `D` deals plays the deals from (r − 1)·D + 1 to r·D, the same for all its pairings,
//! so that the deal tells the round, and a match has an id of its own though two bots may meet in many rounds.

use super::field::{Block, Field, Meeting, choices};
use super::{Format, NAMES, balanced, gauntlet, knockout, ladder, round_robin, swiss};

/// How many tables a deal of a static format has at most; the list of them is held in memory.
const MOST_TABLES: u64 = 1_000_000;

/// How many stages there are, counted from 1: 1 for static formats.
pub fn rounds(field: &Field) -> u32 {
    match field.format {
        Format::RoundRobin | Format::Gauntlet { .. } | Format::Balanced { .. } => 1,
        Format::Swiss { rounds } | Format::Ladder { rounds, .. } => rounds,
        Format::Knockout => knockout::rounds(field),
    }
}

/// Who meets in a stage. Of the finished blocks, only those on deals of earlier rounds are looked at; their order
/// does not matter.
pub fn meetings(field: &Field, round: u32, before: &[Block]) -> Vec<Meeting> {
    match &field.format {
        Format::RoundRobin => round_robin::meetings(field),
        Format::Gauntlet { challengers } => gauntlet::meetings(field, challengers),
        Format::Balanced { tables } => balanced::meetings(field, *tables),
        Format::Swiss { .. } => swiss::meetings(field, round, before),
        Format::Knockout => knockout::meetings(field, round, before),
        Format::Ladder { pairs, .. } => ladder::meetings(field, *pairs, round, before),
    }
}

/// How many matches are played in all stages together; `u64::MAX` if there are more.
pub fn count(field: &Field) -> u64 {
    let tables = match &field.format {
        Format::RoundRobin => round_robin::tables(field),
        Format::Gauntlet { challengers } => gauntlet::tables(field, challengers),
        Format::Balanced { tables } => (*tables).into(),
        Format::Swiss { rounds } => swiss::pairings(field).saturating_mul((*rounds).into()),
        Format::Knockout => knockout::pairings(field),
        Format::Ladder { rounds, pairs } => ladder::pairings(field, *rounds, *pairs),
    };
    tables.saturating_mul(field.orders() as u64).saturating_mul(field.deals.into())
}

/// Everything that keeps a field from being played, as sentences for whoever wrote it; nothing if it can be played.
pub fn check(field: &Field) -> Vec<String> {
    let mut wrong = Vec::new();
    let (bots, seats) = (field.entrants.len(), field.seats);
    if seats < 2 {
        wrong.push(format!("a table has at least 2 seats, this one has {seats}"));
    }
    if bots < seats {
        wrong.push(format!("{seats} seats need at least {seats} bots, there are {bots}"));
    }
    if field.deals == 0 {
        wrong.push("a tournament has at least 1 deal".to_owned());
    }
    match &field.format {
        Format::RoundRobin => {}
        Format::Gauntlet { challengers } => wrong.extend(gauntlet::check(field, challengers)),
        Format::Balanced { tables } => wrong.extend(balanced::check(field, *tables)),
        Format::Swiss { .. } | Format::Knockout => wrong.extend(check_rounds(field)),
        Format::Ladder { rounds, pairs } => {
            wrong.extend(check_rounds(field));
            wrong.extend(ladder::check(field, *rounds, *pairs));
        }
    }
    if wrong.is_empty() {
        wrong.extend(check_tables(field));
    }
    wrong
}

/// What all formats have in common that draw their rounds from results.
fn check_rounds(field: &Field) -> Vec<String> {
    let (name, seats, deals) = (name(&field.format), field.seats, field.deals);
    let mut wrong = Vec::new();
    if seats != 2 {
        wrong.push(format!(
            "a {name} pairs two bots, it cannot have {seats} seats; formats that can: round-robin, gauntlet, balanced"
        ));
    }
    let rounds = rounds(field);
    if rounds == 0 {
        wrong.push(format!("a {name} has at least 1 round"));
    }
    if rounds.checked_mul(deals).is_none() {
        wrong.push(format!(
            "{rounds} rounds of {deals} deals are more than the {} deals that can be numbered",
            u32::MAX
        ));
    }
    wrong
}

/// Whether the tables of a deal can be listed.
fn check_tables(field: &Field) -> Option<String> {
    let tables = match &field.format {
        Format::RoundRobin => round_robin::tables(field),
        Format::Gauntlet { challengers } => gauntlet::tables(field, challengers),
        Format::Balanced { tables } => (*tables).into(),
        Format::Swiss { .. } | Format::Knockout => return None,
        Format::Ladder { .. } => choices(field.entrants.len(), 2),
    };
    let (bots, seats, name) = (field.entrants.len(), field.seats, name(&field.format));
    (tables > MOST_TABLES).then(|| {
        format!(
            "a {name} of {bots} bots at {seats} seats has {tables} tables to choose from, more than {MOST_TABLES}; \
             choose the format balanced with fewer tables a deal, or fewer bots"
        )
    })
}

/// Whether everything that `old` plans is part of what `new` plans, given the same results, so that a tournament can
/// go on with the new field.
///
/// Round-robin and gauntlet take more deals and bots appended at the end; balanced takes more deals; swiss takes more
/// rounds; a ladder takes more rounds, bots appended that join after the old rounds, and bots that leave after them;
/// knockout takes nothing. Who knows that fewer rounds of a swiss or ladder have begun than were planned may ask with
/// an old field of that many rounds.
///
/// # Errors
/// A sentence that says what cannot be changed.
pub fn extends(old: &Field, new: &Field) -> Result<(), String> {
    same_game(old, new)?;
    match (&old.format, &new.format) {
        (Format::RoundRobin, Format::RoundRobin) => more_deals(old, new),
        (Format::Gauntlet { challengers: before }, Format::Gauntlet { challengers: after }) => {
            more_deals(old, new)?;
            gauntlet::extends(old, before, after)
        }
        (Format::Balanced { tables: before }, Format::Balanced { tables: after }) => {
            same("the number of tables a deal", before, after)?;
            more_deals(old, new)?;
            same_bots(old, new)
        }
        (Format::Swiss { rounds: before }, Format::Swiss { rounds: after }) => {
            same("the number of deals a round", &old.deals, &new.deals)?;
            not_fewer("rounds", *before, *after)?;
            same_bots(old, new)
        }
        (Format::Knockout, Format::Knockout) => {
            same("the number of deals a round", &old.deals, &new.deals)?;
            same_bots(old, new)
        }
        (Format::Ladder { rounds: before, pairs }, Format::Ladder { rounds: after, pairs: new_pairs }) => {
            same("the number of pairs a round", pairs, new_pairs)?;
            same("the number of deals a round", &old.deals, &new.deals)?;
            not_fewer("rounds", *before, *after)?;
            ladder::extends(old, new, *before)
        }
        (before, after) => same("the format", &name(before), &name(after)),
    }
}

/// What no extension may change.
fn same_game(old: &Field, new: &Field) -> Result<(), String> {
    same("the number of seats", &old.seats, &new.seats)?;
    same("the seed", &old.seed, &new.seed)?;
    if old.plays_all_orders() != new.plays_all_orders() {
        return Err("how tables are seated cannot change, leave seatings as it was".to_owned());
    }
    let names = |field: &Field| field.entrants.iter().map(|entrant| entrant.name.clone()).collect::<Vec<_>>();
    let (before, after) = (names(old), names(new));
    if after.starts_with(&before) {
        return Ok(());
    }
    let at = (0..before.len()).find(|at| before.get(*at) != after.get(*at)).unwrap_or(0);
    let (name, number) = (&before[at], at + 1);
    Err(format!("bot {number} was {name} and has to stay in its place, append new bots at the end"))
}

fn same<T: PartialEq + std::fmt::Display>(what: &str, before: &T, after: &T) -> Result<(), String> {
    if before == after { Ok(()) } else { Err(format!("{what} was {before} and cannot become {after}")) }
}

fn more_deals(old: &Field, new: &Field) -> Result<(), String> {
    not_fewer("deals", old.deals, new.deals)
}

fn not_fewer(what: &str, before: u32, after: u32) -> Result<(), String> {
    if before <= after { Ok(()) } else { Err(format!("there were {before} {what}, there cannot be fewer: {after}")) }
}

fn same_bots(old: &Field, new: &Field) -> Result<(), String> {
    match new.entrants.get(old.entrants.len()) {
        None => Ok(()),
        Some(added) => {
            let (name, format) = (&added.name, name(&new.format));
            Err(format!("{name} cannot join a {format} that has begun, start another tournament"))
        }
    }
}

/// What a format is called.
pub fn name(format: &Format) -> &'static str {
    NAMES[match format {
        Format::RoundRobin => 0,
        Format::Gauntlet { .. } => 1,
        Format::Balanced { .. } => 2,
        Format::Swiss { .. } => 3,
        Format::Knockout => 4,
        Format::Ladder { .. } => 5,
    }]
}
