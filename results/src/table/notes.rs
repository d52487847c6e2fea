//! The meaning of the numbers, warnings, and what is still open, in sentences.

use std::cmp::Reverse;

use arena_engine::chance::Seed;

use super::{
    counted, first_of, fixed, listed, percent, percent_span, points_span, signed, some, within,
};
use crate::analysis::Analysis;
use crate::noted::Sums;
use arena_ledger::about::Pauses;
use arena_statistics::anytime_valid::AnytimePair;
use arena_statistics::carryover::Carryover;
use arena_statistics::holm::Look;
use arena_statistics::identical::Identical;
use arena_statistics::interval::{FEWEST_FOR_POINTS, FEWEST_IF_RARELY, RARELY};
use arena_statistics::paired;
use arena_statistics::power;
use arena_statistics::standings::leads::Lead;
use arena_statistics::standings::ranking::{AheadBy, Basis};
use arena_statistics::standings::{Standing, Standings};
use arena_statistics::wilson;

/// The number of gaps, and of sets of bots that play alike, that are listed.
const GAPS: usize = 3;
const ALIKE: usize = 3;
/// The reason why there is no interval of points in spite of enough deals.
const ALL_BUT_EQUAL: &str = "whose points were the same on all deals or on all but one or two, which does not show how far others go";
/// The number of decided pairs that are listed while a tournament runs.
const DECIDED: usize = 6;
/// Why points do not rank bots.
const UNLIKE: &str = "Opponents differ from bot to bot, so points per match do not compare bots";

/// The tournament in a line.
pub(crate) fn heading(standings: &Standings) -> String {
    format!("{}: {}", standings.name, facts(standings, standings.seed))
}

/// The tournament in a line, without its name.
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
    // Of a finished tournament all that is planned was played.
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

/// The meaning of the numbers of the first table.
pub(super) fn meaning(analysis: &Analysis) -> Vec<String> {
    let Analysis {
        standings, ratings, ..
    } = analysis;
    let mut notes = vec![points(standings)];
    let ranks = |by: &str| {
        format!(
            "ranks: the best and the worst that a bot can have by {by}, with 95% confidence for all bots together"
        )
    };
    notes.push(match standings.ahead_by {
        AheadBy::Points => ranks("official points, deal by deal"),
        AheadBy::Strength => ranks("strength"),
        AheadBy::Nothing => {
            "ranks: not known, since nothing compares bots that have not met".into()
        }
    });
    match standings.basis {
        Basis::Points => {}
        Basis::Strength => notes.insert(0, format!("#: by strength. {UNLIKE}")),
        Basis::Placing => {
            let format = &standings.format;
            notes.insert(
                0,
                format!("#: the place by the rules of the {format}. {UNLIKE}"),
            );
        }
    }
    let over = match &ratings.anchor {
        Some(anchor) if ratings.anchor_is_given => format!("above {anchor}"),
        _ => "above the bot in the next row".into(),
    };
    notes.push(format!("Elo {over}: {}", super::strength::meaning(ratings)));
    let odds = standings.time_odds.iter();
    notes.extend(odds.map(|own| format!("time odds: {own}")));
    let withdrawn = standings.withdrawn.iter();
    notes.extend(withdrawn.map(|bot| format!("{bot} is withdrawn; what it had played stands")));
    if standings.same_deals {
        notes.push("bots have changed and play deals that they may have seen".into());
    }
    notes.extend(analysis.noted.iter().map(noted));
    let leads = ratings.leads.iter().map(|lead| lead.over);
    let mut shown = leads.chain(ratings.bots.iter().map(|bot| bot.over));
    if shown.any(|over| over.elo.is_some_and(super::is_bound)) {
        notes.push(
            "≥, ≤: one of the two won every deal, which bounds the difference to one side: the end of a 95% interval"
                .into(),
        );
    }
    notes
}

/// Official points, and how far their intervals go.
fn points(standings: &Standings) -> String {
    let rows = &standings.standings;
    let deals = finished_deals(rows);
    if deals < FEWEST_FOR_POINTS {
        return format!(
            "pts/match: official points; no 95% yet, which takes {FEWEST_FOR_POINTS} finished deals"
        );
    }
    let means = rows.iter().filter_map(|row| row.points_per_match);
    let best = means.fold(0.0, f64::max);
    let is_rare = |row: &&Standing| {
        let mean = row.points_per_match.unwrap_or(best);
        row.interval_deals < FEWEST_IF_RARELY && mean < RARELY * best
    };
    let has_none =
        |row: &&Standing| row.interval_deals >= FEWEST_FOR_POINTS && row.interval.is_none();
    let (rare, equal): (Vec<_>, Vec<_>) = rows.iter().filter(has_none).partition(is_rare);
    let none = |rows: Vec<&Standing>, why: &str| {
        let names: Vec<&str> = rows.iter().map(|row| row.bot.as_str()).collect();
        if rows.is_empty() {
            String::new()
        } else {
            format!("; none for {}, {why}", listed(&names))
        }
    };
    let hardly = format!("which hardly ever scores: that takes {FEWEST_IF_RARELY} deals");
    let none = none(equal, ALL_BUT_EQUAL) + &none(rare, &hardly);
    let up_to = if rows.iter().any(|row| row.interval_deals < deals) {
        "up to "
    } else {
        ""
    };
    format!(
        "pts/match: official points, with the ends of the 95% interval over {up_to}{deals} finished deals{none}"
    )
}

/// The most finished deals of a bot.
pub(crate) fn finished_deals(rows: &[Standing]) -> u64 {
    let deals = rows.iter().map(|row| row.interval_deals);
    deals.max().unwrap_or(0)
}

/// The sums of the numbers that a bot has noted.
fn noted((bot, sums): (&String, &Sums)) -> String {
    let rounded = |(name, sum): (&String, &f64)| format!("{name} {}", (sum * 1e6).round() / 1e6);
    let sums: Vec<String> = sums.iter().map(rounded).collect();
    format!("noted by {bot}, in all: {}", sums.join(", "))
}

/// How often a bot has asked for a pause.
fn paused((bot, Pauses { times, why }): (&String, &Pauses)) -> String {
    format!(
        "{bot} asked for a pause, which stopped the run, {}; the last time: {why}",
        counted(*times, "time")
    )
}

/// Warnings, a sentence each.
pub(crate) fn warnings(analysis: &Analysis) -> Vec<String> {
    let Analysis {
        standings,
        ratings,
        identical,
        copies,
        ..
    } = analysis;
    let mut notes: Vec<String> = analysis.carryover.iter().map(carried).collect();
    let set = |set: &Vec<String>| listed(&set.iter().map(String::as_str).collect::<Vec<_>>());
    let sets: Vec<String> = copies.iter().map(set).collect();
    let alike_in = "play exactly alike: the same moves in the same place, in all matches";
    match &sets[..] {
        [] => {}
        [set] => notes.push(format!("{set} {alike_in}")),
        all => {
            let (count, all) = (all.len(), all.join("; "));
            notes.push(format!("{count} groups of bots {alike_in}: {all}"));
        }
    }
    let is_within =
        |set: &Vec<String>, one: &Identical| one.bots.iter().all(|bot| set.contains(bot));
    let is_known = |one: &&Identical| !copies.iter().any(|set| is_within(set, one));
    match &identical.iter().filter(is_known).collect::<Vec<_>>()[..] {
        few if few.len() <= ALIKE => notes.extend(few.iter().map(|one| alike(one))),
        many => notes.push(format!(
            "{} sets of bots played most matches among themselves alike, which adds nothing new; the first: {}",
            many.len(),
            alike(many[0])
        )),
    }
    if standings.unfinished_deals > 0 {
        notes.push(format!(
            "left out of the intervals: {}",
            counted(standings.unfinished_deals, "unfinished deal")
        ));
    }
    if ratings.groups > 1 && ratings.deals > 0 {
        let groups = ratings.groups;
        notes.push(format!(
            "no path of matches joins the {groups} groups of bots, so that ratings compare only bots of the same group"
        ));
    }
    let both: u64 = analysis.pairs.iter().map(|pair| pair.both_forfeited).sum();
    if both > 0 {
        let results = counted(both, "result");
        notes.push(format!(
            "left out of scores, ratings and tests: {results} of two bots that both forfeited"
        ));
    }
    notes.extend(decided(analysis));
    notes.extend(faults(analysis));
    notes.extend(analysis.pauses.iter().map(paused));
    notes.extend(analysis.missing.map(missing));
    notes
}

fn missing(missing: u64) -> String {
    let matches = counted(missing, "saved match");
    format!(
        "missing: {matches}, since the ledger was damaged; `arena verify` finds what is left, `arena run` plays the rest again"
    )
}

/// That a bot scores more when a deal comes back.
pub(crate) fn carried(Carryover { bot, gain, p, .. }: &Carryover) -> String {
    let (gain, p) = (fixed(*gain, 1), if *p < 0.001 { "0.001" } else { "0.01" });
    format!(
        "{bot} scores {gain} more when a deal comes back, p < {p}: it may carry knowledge between matches"
    )
}

/// What holds at any number of looks, where the planned one is not reached yet or is over.
fn decided(analysis: &Analysis) -> Option<String> {
    if analysis.standings.look == Look::Planned {
        return None;
    }
    let why = if analysis.standings.complete {
        "extended after some had been played"
    } else {
        "unfinished"
    };
    let name = |bot: usize| analysis.bots[bot].as_str();
    let all = analysis.anytime_valid.iter();
    let all = all.filter_map(AnytimePair::decided);
    let all = all.map(|(better, other)| format!("{} beats {}", name(better), name(other)));
    let known = some(all.collect(), DECIDED, "nothing yet");
    Some(format!(
        "{why}: ranks and marks hold however often results are looked at, intervals for a single look; decided by score: {known}"
    ))
}

/// The forfeits of each bot by cause.
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
        "{} forfeited {count} of {} ({}): {}%{within}",
        row.bot,
        counted(row.matches, "match"),
        causes.join(", "),
        percent(Some(count as f64 / row.matches as f64))
    )
}

fn alike(one: &Identical) -> String {
    let matches = counted(one.matches, "match");
    format!(
        "{} of {matches} of {} went exactly like another one of theirs on the same deal, and add nothing new",
        one.identical,
        one.bots.join(" and ")
    )
}

/// The neighbours in the standings that do not differ significantly, and how many deals would be enough for that.
pub(crate) fn open(analysis: &Analysis) -> Option<String> {
    let standings = &analysis.standings;
    let rows = &standings.standings;
    // Of two that play exactly alike neither will ever be better.
    let alike = |row: &Standing, lead: &Lead| {
        let mut sets = analysis.copies.iter();
        sets.any(|set| set.contains(&row.bot) && set.contains(&lead.over))
    };
    let leads = rows
        .iter()
        .filter_map(|row| Some((row, row.lead.as_ref()?)));
    let mut open: Vec<(&Standing, &Lead)> = leads.collect();
    if standings.played == 0 || open.is_empty() {
        return None;
    }
    let bots = rows.len();
    let deals = finished_deals(rows);
    if paired::too_few(deals, bots * (bots - 1) / 2) {
        return Some(format!(
            "too few deals: no result of {} could be significant among {bots} bots, with 95% confidence",
            counted(deals, "deal")
        ));
    }
    open.retain(|(_, lead)| !lead.significant);
    let undecided = open.len();
    open.retain(|(row, lead)| !alike(row, lead));
    if open.is_empty() {
        let but = if undecided > 0 {
            ", except those that play exactly alike"
        } else {
            ""
        };
        return Some(format!(
            "still open: nothing; all neighbours in the standings differ significantly, with 95% confidence{but}"
        ));
    }
    open.sort_by(|a, b| a.1.points.abs().total_cmp(&b.1.points.abs()));
    let gaps = open.into_iter().map(|(row, lead)| gap(row, lead));
    let gaps = first_of(gaps.collect(), GAPS).join("; ");
    Some(format!("still open: {gaps}; {NEEDED}"))
}

/// The meaning of "deals needed", wherever it stands.
pub(crate) const NEEDED: &str = "deals needed: in all, planned from the beginning, until such a difference of points is marked with a probability \
                                of 80%; none where it is marked already";

fn gap(row: &Standing, lead: &Lead) -> String {
    let within = within(lead.interval, points_span);
    let needed = match lead.needed {
        Some(deals) => format!("about {} deals needed", power::rounded(deals)),
        None if lead.points == 0.0 => "they are level so far".into(),
        None => "how many deals would make that significant is not known".into(),
    };
    format!(
        "{} – {} ({} points per match{within}): {needed}",
        row.bot,
        lead.over,
        signed(lead.points, 2)
    )
}
