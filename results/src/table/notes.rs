//! Sentences that explain the numbers, and warnings.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use arena_engine::chance::Seed;

use super::{counted, fixed, listed, percent, percent_span, within};
use crate::analysis::Analysis;
use crate::noted::Sums;
use arena_ledger::about::Pauses;
use arena_statistics::carryover::Carryover;
use arena_statistics::elo::Elo;
use arena_statistics::identical::Identical;
use arena_statistics::interval::MIN_DEALS_FOR_POINTS;
use arena_statistics::power::rounded;
use arena_statistics::standings::{Basis, Standing, Standings};
use arena_statistics::wilson;

/// Definition of "ahead".
pub(crate) const AHEAD: &str = "ahead: more points per match against the same opponents, deal by deal; with 95 % confidence, no bot is wrongly said to be ahead";

/// Maximum number of listed sets of bots that play alike.
const MAX_ALIKE: usize = 3;

/// Describes the tournament in a line.
pub(crate) fn heading(standings: &Standings) -> String {
    format!("{}: {}", standings.name, facts(standings, standings.seed))
}

/// Describes the tournament in a line, without its name.
pub(crate) fn facts(standings: &Standings, seed: Option<Seed>) -> String {
    let Standings {
        game,
        format,
        seats,
        ..
    } = standings;
    let of = if standings.complete {
        String::new()
    } else {
        format!("{} of ", standings.played)
    };
    // In a finished tournament, all planned matches were played.
    let matches = counted(standings.planned, "match");
    let deals = counted(standings.deals.into(), "deal");
    let rounds = match standings.rounds {
        1 => String::new(),
        rounds => format!("{rounds} rounds of "),
    };
    let seed = seed.map_or_else(String::new, |seed| format!(", seed {seed}"));
    let odds = if standings.time_odds.is_empty() {
        ""
    } else {
        ", time odds"
    };
    format!("{game}, {format}, {seats} seats, {of}{matches} on {rounds}{deals}{seed}{odds}")
}

/// Explains the numbers of the first table.
pub(super) fn meaning(analysis: &Analysis) -> Vec<String> {
    let Analysis {
        standings, ratings, ..
    } = analysis;
    let mut notes = Vec::new();
    match standings.basis {
        Basis::Points => {}
        Basis::Ahead => notes.push(
            "#: by who is ahead of whom, then by Elo, since opponents differ from bot to bot"
                .to_owned(),
        ),
        Basis::Placing => {
            let format = &standings.format;
            notes.push(format!(
                "#: the place by the rules of the {format}; opponents differ from bot to bot"
            ));
        }
    }
    notes.push("lead: over the next bot, in points per match against the same opponents".into());
    notes.push(AHEAD.into());
    notes.extend(orders(analysis));
    notes.extend(judged(standings));
    let zero = match &ratings.anchor {
        Some(anchor) => format!("above {anchor}"),
        None => "above the average of the field".into(),
    };
    let bound = if ratings
        .bots
        .iter()
        .any(|one| one.elo.is_some_and(super::is_bound))
    {
        "; ≥, ≤: a bound, as it won or lost nearly everything"
    } else {
        ""
    };
    notes.push(format!("Elo: {zero}{bound}. 95%: {}", intervals(standings)));
    notes.extend(to_tell(standings));
    let odds = standings.time_odds.iter();
    notes.extend(odds.map(|own| format!("time odds: {own}")));
    let withdrawn = standings.withdrawn.iter();
    let places = match standings.basis {
        Basis::Placing => ", except in the format's own places, where they are losses",
        Basis::Points | Basis::Ahead => "",
    };
    notes.extend(withdrawn.map(|bot| {
        format!(
            "{bot} is withdrawn; what it had played stands, and the rest counts for nobody{places}"
        )
    }));
    notes.extend(copies(analysis));
    notes.extend(analysis.noted.iter().map(noted));
    notes
}

/// Explains why the orders by points and by Elo differ; `None` if they are the same.
pub(crate) fn orders(analysis: &Analysis) -> Option<String> {
    let ratings = analysis.ratings.bots.iter();
    let elo: BTreeMap<&str, f64> = ratings
        .filter_map(|rating| match rating.elo? {
            Elo::Value(elo) => Some((rating.bot.as_str(), elo.round())),
            // A bound may lie on either side of a value.
            Elo::AtLeast(_) | Elo::AtMost(_) => None,
        })
        .collect();
    let rows = analysis.standings.standings.iter();
    let mut both: Vec<(f64, f64)> = rows
        .filter_map(|row| Some((row.points_per_match?, *elo.get(row.bot.as_str())?)))
        .collect();
    both.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.total_cmp(&one.1)));
    let differ = both.windows(2).any(|pair| pair[0].1 < pair[1].1);
    let why = if analysis.standings.has_points() {
        "points count how high a match is won, Elo only who won it and against whom"
    } else {
        "Elo allows for the strength of the opponents, points do not"
    };
    differ.then(|| format!("the order by Elo is not the order by points: {why}"))
}

/// Describes the look at which the bots were last judged; `None` if all deals count.
pub(crate) fn judged(standings: &Standings) -> Option<String> {
    match standings.judged {
        _ if standings.complete || standings.played == 0 => None,
        None => Some("who is ahead is judged when all planned deals are played".into()),
        Some(deals) => {
            let deals = counted(deals.into(), "deal");
            Some(format!(
                "who is ahead was last judged after {deals}, and is judged again when all planned deals are played"
            ))
        }
    }
}

/// States the number of deals needed to tell two bots apart.
fn to_tell(standings: &Standings) -> Option<String> {
    let deals = standings
        .deals_to_tell_50_elo
        .filter(|_| standings.played > 0)?;
    let deals = rounded(deals);
    Some(format!(
        "to tell 50 Elo apart in this field takes about {deals} deals"
    ))
}

/// States the number of deals that the intervals cover.
fn intervals(standings: &Standings) -> String {
    let rows = &standings.standings;
    let deals = finished_deals(rows);
    if deals < MIN_DEALS_FOR_POINTS {
        return format!("none below {MIN_DEALS_FOR_POINTS} finished deals");
    }
    let up_to = if rows.iter().any(|row| row.interval_deals < deals) {
        "up to "
    } else {
        ""
    };
    format!("over {up_to}{deals} finished deals")
}

/// Describes the sets of bots that play exactly alike.
fn copies(analysis: &Analysis) -> Option<String> {
    let set = |set: &Vec<String>| listed(&set.iter().map(String::as_str).collect::<Vec<_>>());
    let sets: Vec<String> = analysis.copies.iter().map(set).collect();
    let alike = "play exactly alike: the same moves in the same place, in all matches";
    match &sets[..] {
        [] => None,
        [set] => Some(format!("{set} {alike}")),
        all => Some(format!(
            "{} groups of bots {alike}: {}",
            all.len(),
            all.join("; ")
        )),
    }
}

/// Returns the highest number of finished deals of any bot.
pub(crate) fn finished_deals(rows: &[Standing]) -> u64 {
    let deals = rows.iter().map(|row| row.interval_deals);
    deals.max().unwrap_or(0)
}

/// Formats the sums of the numbers that a bot has noted.
fn noted((bot, sums): (&String, &Sums)) -> String {
    let rounded = |(name, sum): (&String, &f64)| format!("{name} {}", (sum * 1e6).round() / 1e6);
    let sums: Vec<String> = sums.iter().map(rounded).collect();
    format!("noted by {bot}, in all: {}", sums.join(", "))
}

/// States the number of pauses that a bot has asked for.
fn paused((bot, Pauses { times, why }): (&String, &Pauses)) -> String {
    format!(
        "{bot} asked for a pause, which stopped the run, {}; the last time: {why}",
        counted(*times, "time")
    )
}

/// Returns the warnings, one sentence each, most serious first.
pub(crate) fn warnings(analysis: &Analysis) -> Vec<String> {
    let Analysis {
        standings,
        identical,
        copies,
        ..
    } = analysis;
    let mut notes: Vec<String> = analysis.missing.map(missing).into_iter().collect();
    notes.extend(analysis.carryover.iter().map(carried));
    if standings.same_deals {
        notes.push("bots have changed and play deals that they may have seen".into());
    }
    notes.extend(faults(analysis));
    notes.extend(analysis.pauses.iter().map(paused));
    let is_within =
        |set: &Vec<String>, one: &Identical| one.bots.iter().all(|bot| set.contains(bot));
    let is_known = |one: &&Identical| !copies.iter().any(|set| is_within(set, one));
    match &identical.iter().filter(is_known).collect::<Vec<_>>()[..] {
        few if few.len() <= MAX_ALIKE => notes.extend(few.iter().map(|one| alike(one))),
        many => notes.push(format!(
            "{} sets of bots repeated most of their matches with each other, move by move, which adds nothing new; the first: {}",
            many.len(),
            alike(many[0])
        )),
    }
    notes.extend(uneven(analysis));
    if standings.unfinished_deals > 0 {
        notes.push(format!(
            "left out of the intervals: {}",
            counted(standings.unfinished_deals, "unfinished deal")
        ));
    }
    let both: u64 = analysis.pairs.iter().map(|pair| pair.both_forfeited).sum();
    if both > 0 {
        let results = counted(both, "result");
        notes.push(format!(
            "left out of scores and ratings: {results} of two bots that both forfeited"
        ));
    }
    notes
}

/// Warns about bots that are ahead of others, but only by few deals with uneven differences.
fn uneven(analysis: &Analysis) -> Option<String> {
    let leads = analysis
        .pairs
        .iter()
        .filter(|pair| pair.lead.is_some_and(|lead| lead.uneven));
    let (count, pair) = (leads.clone().count(), leads.clone().next()?);
    let [one, other] = [pair.first, pair.second].map(|bot| analysis.bots[bot].as_str());
    let pairs = match count {
        1 => format!("{one} and {other} differ"),
        _ => format!("{one} and {other}, and {} more pairs, differ", count - 1),
    };
    Some(format!(
        "{pairs} by few and very uneven deals: if a rare disaster offsets many small gains, more deals may show it"
    ))
}

fn missing(missing: u64) -> String {
    let matches = counted(missing, "saved match");
    format!(
        "missing: {matches}, since the ledger was damaged; `arena verify` finds what is left, `arena run` plays the rest again"
    )
}

/// Warns about a bot that scores more when a deal is repeated.
pub(crate) fn carried(Carryover { bot, gain, p, .. }: &Carryover) -> String {
    let (gain, p) = (fixed(*gain, 1), if *p < 0.001 { "0.001" } else { "0.01" });
    format!(
        "{bot} scores {gain} more when a deal comes back, p < {p}: it may carry knowledge between matches"
    )
}

/// Returns the forfeits of each bot by cause, in sentences, most forfeits first.
pub(crate) fn faults(analysis: &Analysis) -> Vec<String> {
    let rows = analysis.standings.standings.iter();
    let mut failing: Vec<&Standing> = rows.filter(|row| row.forfeits.total > 0).collect();
    failing.sort_by_key(|row| (Reverse(row.forfeits.total), analysis.index(&row.bot)));
    failing.into_iter().map(forfeited).collect()
}

fn forfeited(row: &Standing) -> String {
    let count = row.forfeits.total;
    let causes = row.forfeits.by_cause.iter();
    let causes = causes.map(|(cause, count)| format!("{count} {cause}"));
    let causes: Vec<String> = causes.collect();
    let within = within(wilson::interval(count, row.matches), percent_span);
    format!(
        "{} forfeited {count} of {} ({}), {} %{within}",
        row.bot,
        counted(row.matches, "match"),
        causes.join(", "),
        percent(Some(count as f64 / row.matches as f64))
    )
}

fn alike(one: &Identical) -> String {
    let matches = counted(one.matches, "match");
    format!(
        "{} of {matches} of {} repeated another of their matches on the same deal, move by move, and add nothing new",
        one.identical,
        one.bots.join(" and ")
    )
}
