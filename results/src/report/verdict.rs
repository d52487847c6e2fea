//! Who is first, by what, and what is not known, in words.

use std::collections::BTreeSet;

use crate::analysis::Analysis;
use crate::table::{counted, fixed, listed, span};
use arena_statistics::paired;
use arena_statistics::standings::Standing;
use arena_statistics::standings::ranking::{AheadBy, Basis};
use arena_tournament::placings::Placings;

/// The number of challengers of a gauntlet that are spoken of.
const CHALLENGERS: usize = 3;

/// The result in a few sentences: who is first, by what and on how many deals; which others it is ahead of, and of which that is not
/// known; which bots play alike, or forfeited every match; and how far the tournament is.
pub(super) fn in_words(analysis: &Analysis) -> String {
    let rows: Vec<&Standing> = analysis
        .standings
        .standings
        .iter()
        .filter(|row| row.matches > 0)
        .collect();
    let Some(first) = rows.first() else {
        return "No match is finished yet.".into();
    };
    let mut text = match (&analysis.placings, analysis.standings.ahead_by) {
        (Some(placings), _) => by_placing(analysis, placings) + &certain(analysis, first, &rows),
        (None, AheadBy::Points) => by_points(analysis, &rows),
        (None, AheadBy::Strength) => by_strength(analysis, &rows),
        (None, AheadBy::Nothing) => apart(analysis, &rows),
    };
    let quitters: Vec<&str> = rows
        .iter()
        .filter(|row| forfeited_all(row))
        .map(|row| row.bot.as_str())
        .collect();
    if !quitters.is_empty() {
        text += &format!(" {} forfeited every match.", listed(&quitters));
    }
    if !analysis.standings.complete {
        text += &format!(
            " {} of {} matches are played.",
            analysis.standings.played, analysis.standings.planned
        );
    }
    text
}

/// Who is first by the rules of the format.
fn by_placing(analysis: &Analysis, placings: &Placings) -> String {
    let (format, finished, of) = (&placings.format, placings.finished, placings.of);
    let deals = counted(analysis.standings.deals.into(), "deal");
    let rounds = if finished < of {
        format!("{finished} of {of} rounds")
    } else {
        counted(of.into(), "round")
    };
    match (
        placings.leader.map(|leader| &analysis.bots[leader]),
        &placings.rows[..],
    ) {
        _ if finished == 0 => format!("No round of the {format} is finished yet."),
        (None, rows) => {
            let left = rows.iter().filter(|row| row.place == 1).count();
            format!("After {rounds} of {deals} each {left} bots are left in the {format}.")
        }
        (Some(leader), _) if !placings.rounds.is_empty() => {
            format!("{leader} has won the {format} of {rounds}, {deals} each.")
        }
        (Some(leader), rows) => {
            let (title, score) = (&placings.columns[0].title, |row: usize| rows[row].cells[0]);
            let level = rows
                .iter()
                .skip(1)
                .filter(|row| row.cells[0] == score(0))
                .count();
            let by = if level > 0 {
                format!(", by tie-break over {level} with the same {title}")
            } else {
                String::new()
            };
            let score = placings.columns[0].text(score(0));
            format!(
                "{leader} is first by {format} {title}: {score} after {rounds} of {deals} each{by}."
            )
        }
    }
}

/// Who is first by official points, where all bots have met on every deal.
fn by_points(analysis: &Analysis, rows: &[&Standing]) -> String {
    let first = rows[0];
    let within = first.interval.map_or_else(String::new, |ends| {
        format!(" (95%: {})", span(ends.map(Some)))
    });
    let points = fixed(first.points_per_match.unwrap_or_default(), 2);
    let (who, from, known) = (leaders(rows), basis(first), certain(analysis, first, rows));
    format!(
        "{who} with {points}{within} official points per match, from {from} against all others.{known}"
    )
}

fn by_strength(analysis: &Analysis, rows: &[&Standing]) -> String {
    let groups: BTreeSet<usize> = analysis
        .ratings
        .bots
        .iter()
        .filter(|bot| bot.rank.is_some())
        .map(|bot| bot.group)
        .collect();
    let (who, groups) = match groups.len() {
        ..=1 => (leaders(rows), String::new()),
        groups => (
            format!("{} is first of its group", rows[0].bot),
            format!(" The bots are in {groups} groups, and nothing is known between groups."),
        ),
    };
    let (from, known) = (basis(rows[0]), certain(analysis, rows[0], rows));
    format!(
        "{who} by strength, from {from}; opponents differ from bot to bot, so points do not decide.{groups}{known}"
    )
}

/// The bots that are first.
fn leaders(rows: &[&Standing]) -> String {
    let level = rows
        .iter()
        .filter(|row| row.rank == rows[0].rank)
        .map(|row| row.bot.as_str());
    match &level.collect::<Vec<_>>()[..] {
        [one] => format!("{one} is first"),
        all if all.len() == rows.len() => format!("All {} bots are level", rows.len()),
        some => format!("{} are first", listed(some)),
    }
}

/// How much a bot has played.
fn basis(row: &Standing) -> String {
    format!(
        "{} on {}",
        counted(row.matches, "match"),
        counted(row.interval_deals, "finished deal")
    )
}

/// Where bots met others very unequally, as in a gauntlet: only the matches of two with each other tell of both. The challengers of a
/// gauntlet are those that met the most others, fewer than half of all.
fn apart(analysis: &Analysis, rows: &[&Standing]) -> String {
    let met = |row: &Standing| {
        let is = |bot: usize| analysis.bots[bot] == row.bot;
        analysis
            .pairs
            .iter()
            .filter(|pair| pair.matches > 0 && (is(pair.first) || is(pair.second)))
            .count()
    };
    let most = rows.iter().map(|row| met(row)).max().unwrap_or_default();
    let challengers: Vec<&Standing> = rows
        .iter()
        .copied()
        .filter(|row| met(row) == most)
        .collect();
    if 2 * challengers.len() >= rows.len() {
        return by_strength(analysis, rows);
    }
    let one = |row: &&Standing| {
        format!(
            "{} met {} in {}.",
            row.bot,
            counted(most as u64, "other"),
            basis(row)
        ) + &certain(analysis, row, rows)
    };
    let all: Vec<String> = challengers.iter().take(CHALLENGERS).map(one).collect();
    format!(
        "{} How bots that did not meet compare is not known.",
        all.join(" ")
    )
}

/// Which others a bot is certainly ahead of, which of them are ahead of it, and of which neither is known.
fn certain(analysis: &Analysis, row: &Standing, rows: &[&Standing]) -> String {
    let standings = &analysis.standings;
    let index = |name: &String| {
        analysis
            .bots
            .iter()
            .position(|bot| bot == name)
            .unwrap_or_default()
    };
    let copies = analysis.copies.iter().find(|set| set.contains(&row.bot));
    let is_copy = |other: &Standing| copies.is_some_and(|set| set.contains(&other.bot));
    let met = |other: &Standing| {
        let both = [
            index(&row.bot).min(index(&other.bot)),
            index(&row.bot).max(index(&other.bot)),
        ];
        analysis
            .pairs
            .iter()
            .any(|pair| [pair.first, pair.second] == both && pair.matches > 0)
    };
    let only_pairs = standings.ahead_by == AheadBy::Nothing;
    let is_ahead = |one: &Standing, other: &Standing| {
        let beats = || {
            analysis
                .ratings
                .claims
                .beats
                .iter()
                .any(|pair| [&pair[0], &pair[1]] == [&one.bot, &other.bot])
        };
        if only_pairs {
            beats()
        } else {
            one.ahead_of.contains(&other.bot)
        }
    };
    let (mut ahead, mut behind, mut open, mut alike) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for other in rows.iter().filter(|other| other.bot != row.bot) {
        if is_ahead(row, other) {
            ahead.push(other.bot.as_str());
        } else if is_ahead(other, row) {
            behind.push(other.bot.as_str());
        } else if is_copy(other) {
            alike.push(other.bot.as_str());
        } else if !forfeited_all(other) && (!only_pairs || met(other)) {
            open.push(other.bot.as_str());
        }
    }
    let by = match (standings.ahead_by, standings.basis) {
        (AheadBy::Points, _) => "",
        (AheadBy::Nothing, _) => "In their own matches, ",
        (AheadBy::Strength, Basis::Placing) => "By strength, ",
        (AheadBy::Strength, _) => "",
    };
    let everyone = ahead.len() > 3 && ahead.len() + alike.len() + 1 == rows.len();
    let some =
        |what: &str, bots: &[&str]| (!bots.is_empty()).then(|| format!("{what} {}", listed(bots)));
    let [more, less] = if only_pairs {
        ["beats", "loses to"]
    } else {
        ["is ahead of", "is behind"]
    };
    let first = if everyone && alike.is_empty() {
        Some(format!("{more} all others"))
    } else {
        some(more, &ahead)
    };
    let known: Vec<String> = first.into_iter().chain(some(less, &behind)).collect();
    let (name, deals, pairs) = (&row.bot, row.interval_deals, analysis.pairs.len());
    let mut text = String::new();
    if !known.is_empty() {
        text += &format!(" {by}{name} {}, with 95% confidence.", known.join(" and "));
    } else if standings.ahead_by == AheadBy::Points && paired::too_few(deals, pairs) {
        text += &format!(
            " {} cannot decide anything among {} bots.",
            counted(deals, "deal"),
            rows.len()
        );
        open.clear();
    }
    if !open.is_empty() {
        let whether = if by.is_empty() {
            "Whether".into()
        } else {
            format!("{by}whether")
        };
        text += &format!(" {whether} {name} {more} {} is not known.", listed(&open));
    }
    if !alike.is_empty() {
        text += &format!(" {name} plays exactly like {}.", listed(&alike));
    }
    text
}

fn forfeited_all(row: &Standing) -> bool {
    row.forfeits.total == row.matches
}

#[cfg(test)]
mod tests;
