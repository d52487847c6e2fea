//! The meaning of the numbers, warnings, and what is still open, in sentences.

use super::{half, percent, signed};
use crate::analysis::Analysis;
use crate::anytime_valid::AnytimePair;
use crate::rating::groups::Limit;
use crate::rating::leaderboard::{Gap, ModelName, NoIntervals};
use crate::standings::Standings;
use crate::stats::forfeits::BotForfeits;
use crate::stats::identical::Identical;

/// The number of gaps, and of sets of bots that play alike, that are listed.
const GAPS: usize = 3;
const ALIKE: usize = 5;
/// The number of decided pairs that are listed while a tournament runs.
const DECIDED: usize = 6;

/// The tournament in a line.
pub(crate) fn heading(standings: &Standings) -> String {
    let Standings { name, game, format, seats, deals, rounds, seed, played, planned, .. } = standings;
    let matches =
        if standings.complete { format!("{played} matches") } else { format!("{played} of {planned} matches") };
    let deals = if *deals == 1 { "1 deal".into() } else { format!("{deals} deals") };
    let deals = if *rounds == 1 { deals } else { format!("{rounds} rounds of {deals}") };
    format!("{name}: {game}, {format}, {seats} seats, {matches} on {deals}, seed {seed}")
}

/// The meaning of the numbers of the first table.
pub(super) fn meaning(analysis: &Analysis) -> Vec<String> {
    let ratings = &analysis.ratings;
    let model = match ratings.model {
        ModelName::Davidson => "Bradley and Terry's model with Davidson's ties",
        ModelName::PlackettLuce => "Plackett and Luce's model with ties",
    };
    let over = match ratings.no_intervals {
        None => format!("±95% by {} resamples of {} deals", ratings.resamples, ratings.deals),
        Some(NoIntervals::TooFewDeals) => "no ±95% with so few deals".into(),
        Some(NoIntervals::TooFewResamples) => "no ±95%, since too few resamples were wanted".into(),
    };
    let mut notes =
        vec![format!("Elo: {model}, 0 is the mean of all bots, weighted by how much their matches say; {over}")];
    if ratings.bots.iter().any(|bot| matches!(bot.limit, Limit::AtLeast | Limit::AtMost)) {
        notes.push("≥, ≤: it won or lost all that counts, so that its strength is bounded from one side only".into());
    }
    let deals = analysis.standings.standings.iter().map(|row| row.interval_deals).max();
    notes.push(match deals {
        Some(deals @ 2..) => format!("pts/match: official points; ±95% is a t interval over {deals} finished deals"),
        _ => "pts/match: official points; no ±95% yet, it takes two finished deals".into(),
    });
    notes
}

/// Warnings, a sentence each.
pub(crate) fn warnings(analysis: &Analysis) -> Vec<String> {
    let Analysis { standings, ratings, identical, .. } = analysis;
    let mut notes: Vec<String> = identical.iter().take(ALIKE).map(|one| alike(analysis, one)).collect();
    if identical.len() > ALIKE {
        notes.push(format!("{} more sets of bots played most matches alike", identical.len() - ALIKE));
    }
    match standings.unfinished_deals {
        0 => {}
        1 => notes.push("1 deal is unfinished and left out of the intervals".into()),
        deals => notes.push(format!("{deals} deals are unfinished and left out of the intervals")),
    }
    if ratings.no_intervals == Some(NoIntervals::TooFewDeals) && standings.played > 0 {
        let deals = if ratings.deals == 1 { "1 deal is".into() } else { format!("{} deals are", ratings.deals) };
        notes.push(format!("{deals} too few for intervals of ratings: who is first may be luck"));
    }
    if ratings.groups > 1 {
        notes.push(format!(
            "no path of matches joins the {} groups of bots, so that ratings compare only bots of the same group",
            ratings.groups
        ));
    }
    match ratings.left_out {
        0 => {}
        1 => notes.push("1 match is left out of the ratings, since a bot sat in several of its seats".into()),
        left => {
            notes.push(format!("{left} matches are left out of the ratings, since a bot sat in several seats of each"));
        }
    }
    notes.extend(decided(analysis));
    notes.extend(faults(analysis));
    notes
}

/// The pairs that are decided while a tournament runs, however often one looks.
fn decided(analysis: &Analysis) -> Option<String> {
    if analysis.standings.complete {
        return None;
    }
    let name = |bot: usize| analysis.bots[bot].as_str();
    let all = analysis.anytime_valid.iter().filter_map(AnytimePair::decided);
    let mut all: Vec<String> = all.map(|(better, other)| format!("{} beats {}", name(better), name(other))).collect();
    let more = all.len().saturating_sub(DECIDED);
    all.truncate(DECIDED);
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    let known = if all.is_empty() { "nothing yet".to_owned() } else { all.join(", ") };
    Some(format!(
        "unfinished: the intervals above are for one look; decided however often one looks (95 % for all pairs together): {known}"
    ))
}

/// The forfeits of each bot by cause.
pub(crate) fn faults(analysis: &Analysis) -> Vec<String> {
    let mut failing: Vec<&BotForfeits> = analysis.forfeits.iter().filter(|bot| bot.all.count > 0).collect();
    failing.sort_by_key(|bot| (std::cmp::Reverse(bot.all.count), bot.bot));
    let describe = |row: &&BotForfeits| {
        let causes: Vec<String> =
            row.by_cause.iter().map(|(cause, share)| format!("{} {cause}", share.count)).collect();
        let within =
            row.all.interval.map(|[low, high]| format!(", 95% {}–{}", percent(Some(low)), percent(Some(high))));
        format!(
            "{} forfeited {} of {} matches ({}): {}%{}",
            analysis.bots[row.bot],
            row.all.count,
            row.matches,
            causes.join(", "),
            percent(row.all.share),
            within.unwrap_or_default()
        )
    };
    failing.iter().map(describe).collect()
}

fn alike(analysis: &Analysis, one: &Identical) -> String {
    let names: Vec<&str> = one.bots.iter().map(|bot| analysis.bots[*bot].as_str()).collect();
    format!(
        "{} of {} matches of {} went exactly like another one of theirs on the same deal, and add nothing new",
        one.identical,
        one.matches,
        names.join(" and ")
    )
}

/// The closest neighbours, and how many more deals would separate them.
pub(crate) fn open(analysis: &Analysis) -> Option<String> {
    let gaps = &analysis.ratings.gaps;
    if gaps.is_empty() || analysis.standings.played == 0 {
        return None;
    }
    // Bots that won or lost everything have no interval: how far they are from the next one will not be known.
    let known = |gap: &&Gap| gap.interval.is_some() || analysis.ratings.no_intervals.is_some();
    let mut open: Vec<&Gap> = gaps.iter().filter(known).filter(|gap| !parted(gap)).collect();
    if open.is_empty() && !gaps.iter().any(parted) {
        return None;
    }
    if open.is_empty() {
        return Some("still open: nothing, the ratings of neighbours are separated with 95% confidence wherever they can be compared".into());
    }
    open.sort_by(|a, b| a.elo.total_cmp(&b.elo));
    let more = open.len().saturating_sub(GAPS);
    let mut listed: Vec<String> = open.into_iter().take(GAPS).map(gap).collect();
    if more > 0 {
        listed.push(format!("and {more} more"));
    }
    Some(format!("still open: {}", listed.join("; ")))
}

/// True if the interval of the difference leaves out 0.
fn parted(gap: &Gap) -> bool {
    gap.interval.is_some_and(|[low, high]| low > 0.0 || high < 0.0)
}

fn gap(gap: &Gap) -> String {
    let by = match gap.interval {
        Some(_) => format!("{} ± {} Elo", signed(gap.elo, 0), half(gap.interval, 0)),
        None => format!("{} Elo", signed(gap.elo, 0)),
    };
    let more = match gap.more_deals {
        Some(1) => "1 more deal would separate them".into(),
        Some(deals @ 2..) => format!("about {deals} more deals would separate them"),
        Some(0) | None => "more deals are needed, how many is not known".into(),
    };
    format!("{} – {} ({by}): {more}", gap.upper, gap.lower)
}
