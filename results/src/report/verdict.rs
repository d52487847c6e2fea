//! Who is first, by what, and what is not known, in words.

use std::collections::BTreeSet;

use crate::analysis::Analysis;
use crate::table::{counted, fixed, listed, span};
use arena_statistics::paired;
use arena_statistics::standings::ranking::{AheadBy, Basis};
use arena_statistics::standings::{Standing, Standings};
use arena_tournament::placings::{Placings, Row};

/// The number of challengers of a gauntlet that are spoken of.
const CHALLENGERS: usize = 3;

/// The result in a few sentences: who is first, by what and on how many deals; which others it is ahead of, and of which that is not
/// known; which bots play alike, or forfeited every match; and how far the tournament is.
pub(super) fn in_words(analysis: &Analysis) -> String {
    let rows = analysis.standings.standings.iter();
    let rows: Vec<&Standing> = rows.filter(|row| row.matches > 0).collect();
    let Some(first) = rows.first() else {
        return "No match is finished yet.".into();
    };
    let mut text = match (&analysis.placings, analysis.standings.ahead_by) {
        (Some(placings), _) => by_placing(analysis, placings) + &certain(analysis, first, &rows),
        (None, AheadBy::Points) => by_points(analysis, &rows),
        (None, AheadBy::Strength) => by_strength(analysis, &rows),
        (None, AheadBy::Nothing) => apart(analysis, &rows),
    };
    let quitters = rows.iter().filter(|row| forfeited_all(row));
    let quitters: Vec<&str> = quitters.map(|row| row.bot.as_str()).collect();
    if !quitters.is_empty() {
        text += &format!(" {} forfeited every match.", listed(&quitters));
    }
    if !analysis.standings.complete {
        let Standings {
            played, planned, ..
        } = analysis.standings;
        text += &format!(" {played} of {planned} matches are played.");
    }
    text
}

/// Who is first by the rules of the format.
fn by_placing(analysis: &Analysis, placings: &Placings) -> String {
    let format = &placings.format;
    let finished = placings.finished;
    let of = placings.of;
    let deals = counted(analysis.standings.deals.into(), "deal");
    let rounds = if finished < of {
        format!("{finished} of {of} rounds")
    } else {
        counted(of.into(), "round")
    };
    let leader = placings.leader.map(|leader| &analysis.bots[leader]);
    match (leader, &placings.rows[..]) {
        _ if finished == 0 => format!("No round of the {format} is finished yet."),
        (None, rows) => {
            let first = rows.iter().filter(|row| row.place == 1);
            let first: Vec<&str> = first.map(|row| analysis.bots[row.bot].as_str()).collect();
            if !placings.rounds.is_empty() {
                let left = first.len();
                return format!(
                    "After {rounds} of {deals} each {left} bots are left in the {format}."
                );
            }
            let (column, first) = (&placings.columns[0], listed(&first));
            let (title, score) = (&column.title, column.text(rows[0].cells[0]));
            format!(
                "{first} share first place by {format} {title}: {score} after {rounds} of {deals} each."
            )
        }
        (Some(leader), _) if !placings.rounds.is_empty() => {
            format!("{leader} has won the {format} of {rounds}, {deals} each.")
        }
        (Some(leader), rows) => {
            let (column, score) = (&placings.columns[0], rows[0].cells[0]);
            let title = &column.title;
            // The number of others that the first columns leave level with it.
            let level = |columns: usize| {
                let is_level = |row: &&Row| row.cells[..columns] == rows[0].cells[..columns];
                rows.iter().filter(is_level).count() - 1
            };
            let titles: Vec<&str> = placings
                .columns
                .iter()
                .map(|column| &*column.title)
                .collect();
            let by = match (1..titles.len()).rfind(|columns| level(*columns) > 0) {
                None => String::new(),
                Some(equal) => format!(
                    ", by {} over {} with the same {}",
                    titles[equal],
                    level(equal),
                    titles[..equal].join(" and ")
                ),
            };
            let score = column.text(score);
            format!(
                "{leader} is first by {format} {title}: {score} after {rounds} of {deals} each{by}."
            )
        }
    }
}

/// Who is first by official points, where all bots have met on every deal.
fn by_points(analysis: &Analysis, rows: &[&Standing]) -> String {
    let first = rows[0];
    let within = bracketed(first.interval, span);
    let points = fixed(first.points_per_match.unwrap_or_default(), 2);
    let who = leaders(rows);
    let from = basis(first);
    let known = certain(analysis, first, rows);
    format!(
        "{who} with {points}{within} official points per match, from {from} against all others.{known}"
    )
}

fn by_strength(analysis: &Analysis, rows: &[&Standing]) -> String {
    let rated = analysis.ratings.bots.iter();
    let rated = rated.filter(|bot| bot.rank.is_some());
    let groups: BTreeSet<usize> = rated.map(|bot| bot.group).collect();
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
    let level = rows.iter().filter(|row| row.rank == rows[0].rank);
    let level = level.map(|row| row.bot.as_str());
    match &level.collect::<Vec<_>>()[..] {
        [one] => format!("{one} is first"),
        all if all.len() == rows.len() => format!("All {} bots are level", rows.len()),
        some => format!("{} are first", listed(some)),
    }
}

/// How much a bot has played.
fn basis(row: &Standing) -> String {
    let matches = counted(row.matches, "match");
    let deals = counted(row.interval_deals, "finished deal");
    format!("{matches} on {deals}")
}

/// Where bots met others very unequally, as in a gauntlet: only the matches of two with each other tell of both. The challengers of a
/// gauntlet are those that met the most others, fewer than half of all.
fn apart(analysis: &Analysis, rows: &[&Standing]) -> String {
    let met = |row: &Standing| {
        let is = |bot: usize| analysis.bots[bot] == row.bot;
        let pairs = analysis.pairs.iter().filter(|pair| pair.matches > 0);
        pairs
            .filter(|pair| is(pair.first) || is(pair.second))
            .count()
    };
    let most = rows.iter().map(|row| met(row)).max().unwrap_or_default();
    let challengers = rows.iter().filter(|row| met(row) == most);
    let challengers: Vec<&&Standing> = challengers.collect();
    if 2 * challengers.len() >= rows.len() {
        return by_strength(analysis, rows);
    }
    let others = counted(most as u64, "other");
    let one = |row: &&&Standing| {
        let known = certain(analysis, row, rows);
        format!("{} met {others} in {}.{known} ", row.bot, basis(row))
    };
    let all: String = challengers.iter().take(CHALLENGERS).map(one).collect();
    all + "How bots that did not meet compare is not known."
}

/// Which others a bot is certainly ahead of, which of them are ahead of it, and of which neither is known.
fn certain(analysis: &Analysis, row: &Standing, rows: &[&Standing]) -> String {
    let standings = &analysis.standings;
    let copies = analysis.copies.iter().find(|set| set.contains(&row.bot));
    let is_copy = |other: &Standing| copies.is_some_and(|set| set.contains(&other.bot));
    let met = |other: &Standing| {
        let both = [&row.bot, &other.bot];
        let is_one = |bot: usize| both.contains(&&analysis.bots[bot]);
        let mut pairs = analysis.pairs.iter().filter(|pair| pair.matches > 0);
        pairs.any(|pair| is_one(pair.first) && is_one(pair.second))
    };
    let only_pairs = standings.ahead_by == AheadBy::Nothing;
    let is_ahead = |one: &Standing, other: &Standing| {
        let pair = [one.bot.as_str(), other.bot.as_str()];
        if only_pairs {
            analysis.ratings.claims.beats.iter().any(|won| *won == pair)
        } else {
            one.ahead_of.contains(&other.bot)
        }
    };
    let mut ahead = Vec::new();
    let mut behind = Vec::new();
    let mut open = Vec::new();
    let mut alike = Vec::new();
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
    let name = &row.bot;
    let deals = row.interval_deals;
    let pairs = analysis.pairs.len();
    let mut text = String::new();
    if !known.is_empty() {
        text += &format!(" {by}{name} {}, with 95% confidence.", known.join(" and "));
    } else if standings.ahead_by == AheadBy::Points && paired::too_few(deals, pairs) {
        let (deals, bots) = (counted(deals, "deal"), rows.len());
        text += &format!(" {deals} cannot decide anything among {bots} bots.");
        open.clear();
    }
    if !open.is_empty() {
        let whether = if by.is_empty() { "Whether" } else { "whether" };
        let open = listed(&open);
        text += &format!(" {by}{whether} {name} {more} {open} is not known.");
    }
    if !alike.is_empty() {
        text += &format!(" {name} plays exactly like {}.", listed(&alike));
    }
    text
}

/// A 95 % interval in brackets, if there is one.
pub(super) fn bracketed(
    interval: Option<[f64; 2]>,
    show: fn([Option<f64>; 2]) -> String,
) -> String {
    interval.map_or_else(String::new, |ends| {
        format!(" (95%: {})", show(ends.map(Some)))
    })
}

fn forfeited_all(row: &Standing) -> bool {
    row.forfeits.total == row.matches
}

#[cfg(test)]
mod tests;
