//! Result of a tournament in one or two sentences.

use std::collections::BTreeSet;

use crate::analysis::Analysis;
use crate::table::{counted, judged, listed};
use arena_statistics::standings::{Basis, Standing, Standings};
use arena_tournament::placings::{Placings, Row};

/// Describes the result in a few sentences: the leaders, bots that the deals cannot separate, bots that forfeited every match, and
/// progress.
pub(crate) fn headline(analysis: &Analysis) -> String {
    let rows = analysis.standings.standings.iter();
    let rows: Vec<&Standing> = rows.filter(|row| row.matches > 0).collect();
    let Some(first) = rows.first() else {
        return "No match is finished yet.".into();
    };
    let challengers = challengers(analysis, &rows);
    let mut text = match &analysis.placings {
        _ if rows.iter().all(|row| forfeited_all(row)) => {
            "No bot has played a match to its end.".into()
        }
        Some(placings) => {
            let known = known(analysis, first, &rows);
            by_placing(analysis, placings)
                + &known.map_or_else(String::new, |known| format!(" Deal by deal, {known}"))
        }
        None if challengers.is_empty() => {
            let mut playing = rows.clone();
            playing.retain(|row| !forfeited_all(row));
            match &playing[..] {
                [one] if rows.len() > 1 => {
                    format!("Only {} has played a match to its end.", one.bot)
                }
                playing => leaders(analysis, playing),
            }
        }
        None => {
            let all = challengers.iter();
            let all = all.filter_map(|row| known(analysis, row, &rows));
            let all: Vec<String> = all.collect();
            if all.is_empty() {
                leaders(analysis, &rows)
            } else {
                all.join(" ")
            }
        }
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
        text += &format!(" {played} of {planned} matches are played");
        text += &judged(&analysis.standings).map_or_else(String::new, |when| format!("; {when}"));
        text += ".";
    }
    text
}

/// Describes the leaders by the rules of the format.
fn by_placing(analysis: &Analysis, placings: &Placings<String>) -> String {
    let format = &placings.format;
    let finished = placings.finished;
    let of = placings.of;
    let deals = counted(analysis.standings.deals.into(), "deal");
    let rounds = if finished < of {
        format!("{finished} of {of} rounds")
    } else {
        counted(of.into(), "round")
    };
    let leader = placings.leader.as_ref();
    match (leader, &placings.rows[..]) {
        _ if finished == 0 => format!("No round of the {format} is finished yet."),
        (None, rows) => {
            let first = rows.iter().filter(|row| row.place == 1);
            let first: Vec<&str> = first.map(|row| row.bot.as_str()).collect();
            if !placings.bracket.is_empty() {
                let left = first.len();
                return format!(
                    "After {rounds} of {deals} each, {left} bots are left in the {format}."
                );
            }
            let (column, first) = (&placings.columns[0], listed(&first));
            let (title, score) = (&column.title, column.text(rows[0].cells[0]));
            format!(
                "{first} share first place by {format} {title}: {score} after {rounds} of {deals} each."
            )
        }
        (Some(leader), _) if !placings.bracket.is_empty() => {
            format!("{leader} has won the {format} of {rounds}, {deals} each.")
        }
        (Some(leader), rows) => {
            let (column, score) = (&placings.columns[0], rows[0].cells[0]);
            let title = &column.title;
            // Counts the other bots that are level with the leader in the first columns.
            let level = |columns: usize| {
                let is_level =
                    |row: &&Row<String>| row.cells[..columns] == rows[0].cells[..columns];
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
                    ", ahead of {} with the same {} by {}",
                    level(equal),
                    titles[..equal].join(" and "),
                    titles[equal]
                ),
            };
            let score = column.text(score);
            format!(
                "{leader} is first by {format} {title}: {score} after {rounds} of {deals} each{by}."
            )
        }
    }
}

/// Describes the bots that no other bot is ahead of, and their lead over the others.
fn leaders(analysis: &Analysis, rows: &[&Standing]) -> String {
    let behind: BTreeSet<&str> = rows
        .iter()
        .flat_map(|row| row.ahead_of.iter().map(String::as_str))
        .collect();
    let (open, others): (Vec<&&Standing>, Vec<&&Standing>) = rows
        .iter()
        .partition(|row| !behind.contains(row.bot.as_str()));
    let is_ahead_of_all = |row: &&&Standing| {
        let ahead: BTreeSet<&str> = row.ahead_of.iter().map(String::as_str).collect();
        others
            .iter()
            .all(|other| ahead.contains(other.bot.as_str()))
    };
    let names: Vec<&str> = open.iter().map(|row| row.bot.as_str()).collect();
    let alike = |names: &[&str]| {
        let mut sets = analysis.copies.iter();
        sets.any(|set| names.iter().all(|name| set.iter().any(|one| one == name)))
    };
    let apart = match analysis.standings.judged {
        _ if names.len() > 1 && alike(&names) => "play exactly alike".into(),
        None => "are not compared yet".into(),
        Some(deals) => {
            // No number of deals can separate copies of a bot.
            let is_copy = |name: &&&str| {
                let mut others = names.iter().filter(|other| other != name);
                others.any(|other| alike(&[name, other]))
            };
            let copies: Vec<&str> = names.iter().filter(is_copy).copied().collect();
            let apart = if too_few(analysis, &names) {
                "have too few deals to be told apart".into()
            } else {
                format!("cannot be separated by {}", counted(deals.into(), "deal"))
            };
            match &copies[..] {
                [] => apart,
                _ if alike(&copies) => {
                    format!("{apart}, and {} play exactly alike", listed(&copies))
                }
                _ => format!("{apart}, and some play exactly alike"),
            }
        }
    };
    match (&names[..], &others[..]) {
        ([one], []) => format!("{one} played alone."),
        (_, []) => format!("{} {apart}{}.", listed(&names), most(analysis, rows)),
        (_, _) if !open.iter().all(is_ahead_of_all) => {
            known(analysis, rows[0], rows).unwrap_or_else(|| format!("{} lead.", listed(&names)))
        }
        ([one], [other]) => format!("{one} is ahead of {}.", other.bot),
        ([one], _) => format!("{one} is ahead of all others."),
        (several, _) => {
            let all = if several.len() == 2 { "both" } else { "all" };
            let others = match &others[..] {
                [other] => other.bot.as_str(),
                _ => "all others",
            };
            format!(
                "{} lead: they {apart}, and {all} are ahead of {others}.",
                listed(several)
            )
        }
    }
}

/// Returns true if no two of these bots share enough deals for one of them to be ahead of the other.
fn too_few(analysis: &Analysis, names: &[&str]) -> bool {
    let is_one = |bot: usize| names.contains(&analysis.bots[bot].as_str());
    let mut pairs = analysis.pairs.iter();
    !pairs.any(|pair| {
        let is_enough = pair.lead.is_some_and(|lead| !lead.too_few);
        is_enough && is_one(pair.first) && is_one(pair.second)
    })
}

/// Names the bots with the most points or the highest Elo, if nothing has been decided.
fn most(analysis: &Analysis, rows: &[&Standing]) -> String {
    let first = rows.iter().filter(|row| row.rank == rows[0].rank);
    let first: Vec<&str> = first.map(|row| row.bot.as_str()).collect();
    if first.len() == rows.len() {
        return "; they are level".into();
    }
    let what = match analysis.standings.basis {
        Basis::Points => "points",
        Basis::Ahead | Basis::Placing => "Elo",
    };
    let has = if first.len() == 1 { "has" } else { "have" };
    format!("; {} {has} the most {what}", listed(&first))
}

/// Returns the challengers of a gauntlet: the bots with the most opponents, if they are fewer than half of all bots.
fn challengers<'a>(analysis: &Analysis, rows: &[&'a Standing]) -> Vec<&'a Standing> {
    if analysis.standings.basis != Basis::Ahead || analysis.standings.rounds > 1 {
        return Vec::new();
    }
    let mut met = vec![0; analysis.bots.len()];
    for pair in analysis.pairs.iter().filter(|pair| pair.matches > 0) {
        met[pair.first] += 1;
        met[pair.second] += 1;
    }
    let most = met.iter().max().copied().unwrap_or_default();
    let is_one = |row: &&&Standing| analysis.index(&row.bot).is_some_and(|bot| met[bot] == most);
    let all: Vec<&Standing> = rows.iter().filter(is_one).copied().collect();
    if 2 * all.len() < rows.len() {
        all
    } else {
        Vec::new()
    }
}

/// Describes the comparisons of a bot: the bots it is ahead of, behind, and not separated from. `None` if there are no comparisons.
fn known(analysis: &Analysis, row: &Standing, rows: &[&Standing]) -> Option<String> {
    analysis.standings.judged?;
    let copies = analysis.copies.iter().find(|set| set.contains(&row.bot));
    let bot = analysis.index(&row.bot)?;
    let pairs = analysis.pairs.iter().filter(|pair| pair.lead.is_some());
    let rivals = pairs.filter_map(|pair| match [pair.first, pair.second] {
        [one, other] if one == bot => Some(other),
        [one, other] if other == bot => Some(one),
        _ => None,
    });
    let rivals: BTreeSet<&str> = rivals.map(|bot| analysis.bots[bot].as_str()).collect();
    let mut ahead = Vec::new();
    let mut behind = Vec::new();
    let mut open = Vec::new();
    let mut few = Vec::new();
    let mut alike = Vec::new();
    for other in rows
        .iter()
        .filter(|other| rivals.contains(other.bot.as_str()))
    {
        let name = other.bot.as_str();
        if row.ahead_of.contains(&other.bot) {
            ahead.push(name);
        } else if other.ahead_of.contains(&row.bot) {
            behind.push(name);
        } else if copies.is_some_and(|set| set.contains(&other.bot)) {
            alike.push(name);
        } else if !forfeited_all(other) && too_few(analysis, &[&row.bot, name]) {
            few.push(name);
        } else if !forfeited_all(other) {
            open.push(name);
        }
    }
    let everyone = ahead.len() > 3 && ahead.len() + 1 == rows.len();
    let more = if everyone {
        "is ahead of all others".into()
    } else {
        format!("is ahead of {}", listed(&ahead))
    };
    let of = |words: &str, bots: &[&str]| format!("{words} {}", listed(bots));
    let parts = [
        (!ahead.is_empty()).then_some(more),
        (!behind.is_empty()).then(|| of("is behind", &behind)),
        (!open.is_empty()).then(|| of("cannot be separated from", &open)),
        (!few.is_empty()).then(|| of("has too few deals to be told from", &few)),
        (!alike.is_empty()).then(|| of("plays exactly like", &alike)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let (last, before) = parts.split_last()?;
    Some(match before {
        [] => format!("{} {last}.", row.bot),
        _ => format!("{} {} and {last}.", row.bot, before.join(", ")),
    })
}

fn forfeited_all(row: &Standing) -> bool {
    row.forfeits.total == row.matches
}

#[cfg(test)]
mod tests;
