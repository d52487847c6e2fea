//! One rating over the results of many tournaments and of other programs.
//!
//! All results are converted to deals of matches between identified bots, to which the statistics of single tournaments are applied.

mod history;
mod ledgers;
mod lines;
mod names;
mod page;
mod pgn;
mod pool;
mod season;
mod sentence;
mod sheet;
mod sources;
#[cfg(test)]
mod tests;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use arena_statistics::ahead::{self, Ahead};
use arena_statistics::crosstable::Crosstable;
use arena_statistics::elo::Elo;
use arena_statistics::pairwise::Pairwise;
use arena_statistics::rating::{self, Ratings};
use arena_tournament::deals::{SeatResult, versus};
use serde::Serialize;

use pool::{Day, Pool};

pub use history::Stand;
pub use lines::day;
pub use page::{Frame, html};
pub use season::{Score, Season};

/// Maximum number of bots that are compared with each other.
pub const MAX_COMPARED: usize = 300;
/// Maximum number of bots in a crosstable.
const MAX_CROSSED: usize = 60;

/// The choices of the user.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// True to pool the versions of a bot.
    pub by_name: bool,
    /// The file of old and new names.
    pub aliases: Option<PathBuf>,
    /// The bot whose rating is 0.
    pub anchor: Option<String>,
    /// The first day whose matches count.
    pub since: Option<Day>,
    /// The bots whose matches with each other count; all bots if empty.
    pub only: Vec<String>,
    /// The bots whose matches do not count.
    pub without: Vec<String>,
    /// Points by place in each tournament; empty if no season is wanted.
    pub points: Vec<f64>,
    /// Number of tournaments whose points count for a bot; `None` for all.
    pub best: Option<usize>,
}

/// Ratings over all sources, with the relation of bots that are ahead of others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pooled {
    /// A sentence on which bots are ahead of which.
    pub result: String,
    /// Number of deals. All matches on a deal are one observation.
    pub deals: u64,
    /// Number of matches.
    pub matches: u64,
    /// Number of matches that were given more than once; they count once.
    pub repeated: u64,
    /// Number of matches that were left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// The bot whose rating is 0; null if the average of each group is 0.
    pub anchor: Option<String>,
    /// Number of groups that are not connected by matches. Each group is rated separately.
    pub groups: usize,
    /// The bots by group, strongest first.
    pub bots: Vec<Row>,
    /// The tournaments and files, in the order in which they were read.
    pub sources: Vec<SourceRow>,
    /// Ratings of the largest group after each day of play; empty without dates.
    pub history: Vec<Stand>,
    /// The points of the season, if they were requested.
    pub season: Option<Season>,
    #[serde(skip)]
    pub(crate) ratings: Option<Ratings>,
    #[serde(skip)]
    pub(crate) crosstable: Option<Crosstable>,
}

/// A rated bot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The name of the bot, with the beginning of the hash of its copy if there are several versions.
    pub bot: String,
    /// The number of the bot's group, counted from 1.
    pub group: usize,
    /// The bot's Elo; a bound if it won, or lost, all duels with rated bots; null if unknown.
    pub elo: Option<Elo>,
    /// 95 % interval of the bot's Elo. An end is null if there is no bound, or if there are too few deals.
    pub interval: [Option<f64>; 2],
    /// Half-points as a fraction of those available, against every other seat.
    pub score: Option<f64>,
    /// Number of matches.
    pub matches: u64,
    /// Number of tournaments and files with matches of the bot.
    pub tournaments: usize,
    /// The bots that this bot is ahead of, with 95 % confidence that no statement of this kind is wrong.
    pub ahead_of: Vec<String>,
}

/// A tournament or file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceRow {
    /// Name of the tournament, or of the file.
    pub name: String,
    /// Path as given.
    pub path: String,
    /// Last day of play; null if unknown.
    pub day: Option<String>,
    /// Number of matches of this source that count.
    pub matches: u64,
}

/// Rates all bots of these folders and files.
pub fn rate(paths: &[PathBuf], choices: &Choices) -> Result<Pooled, String> {
    let mut pool = Pool::default();
    pool.bots.by_name = choices.by_name;
    if let Some(path) = &choices.aliases {
        let pairs = sheet::aliases(&mut lines::Lines::open(path)?)?;
        let wrong = |why| format!("{}: {why}", path.display());
        pool.bots.alias(pairs).map_err(wrong)?;
    }
    sources::read(paths, &mut pool, !choices.points.is_empty())?;
    select(&mut pool, choices)?;
    pooled(&pool, choices)
}

/// Removes the matches that do not count.
fn select(pool: &mut Pool, choices: &Choices) -> Result<(), String> {
    let labels = pool.bots.labels(|_| true);
    let find = |names: &[String]| -> Result<BTreeSet<u32>, String> {
        let mut found = BTreeSet::new();
        for name in names {
            let is_it =
                |bot: &usize| labels[*bot] == *name || pool.bots.identity(*bot).name == *name;
            let all: Vec<u32> = (0..labels.len())
                .filter(is_it)
                .map(|bot| bot as u32)
                .collect();
            if all.is_empty() {
                return Err(format!("no bot is called {name}"));
            }
            found.extend(all);
        }
        Ok(found)
    };
    let (only, without) = (find(&choices.only)?, find(&choices.without)?);
    let is_wanted = |bot: u32| (only.is_empty() || only.contains(&bot)) && !without.contains(&bot);
    pool.arrange(choices.since, is_wanted);
    if pool.matches() == 0 {
        let reasons: Vec<String> = pool
            .left_out
            .iter()
            .map(|(why, count)| format!("{count} {why}"))
            .collect();
        let why = if reasons.is_empty() {
            String::new()
        } else {
            format!(": left out are {}", reasons.join(", "))
        };
        return Err(format!("no matches to rate{why}"));
    }
    Ok(())
}

/// Sums of a bot.
#[derive(Clone, Debug, Default)]
struct Sums {
    matches: u64,
    halves: u64,
    duels: u64,
    sources: BTreeSet<u32>,
}

fn sums(pool: &Pool, counts: &mut [u64]) -> Vec<Sums> {
    let mut sums = vec![Sums::default(); pool.bots.len()];
    for (source, seats) in pool.each(0..pool.matches()) {
        counts[source as usize] += 1;
        let results: Vec<SeatResult> = seats.iter().map(|(_, seat)| pool::seated(*seat)).collect();
        for (at, (bot, _)) in seats.iter().enumerate() {
            let sum = &mut sums[*bot as usize];
            sum.matches += 1;
            sum.sources.insert(source);
            for (other, (rival, _)) in seats.iter().enumerate() {
                if rival != bot
                    && let Some(halves) = versus(&results[at], &results[other]).halves()
                {
                    sum.halves += u64::from(halves);
                    sum.duels += 1;
                }
            }
        }
    }
    sums
}

/// Returns the group of each bot: the set of bots connected with it by duels (Tarjan 1975, "Efficiency of a good but not linear set union
/// algorithm").
fn groups(pool: &Pool) -> Vec<usize> {
    let mut above: Vec<usize> = (0..pool.bots.len()).collect();
    fn root(above: &mut [usize], mut bot: usize) -> usize {
        while above[bot] != bot {
            above[bot] = above[above[bot]];
            bot = above[bot];
        }
        bot
    }
    for (_, seats) in pool.each(0..pool.matches()) {
        let first = root(&mut above, seats[0].0 as usize);
        for (bot, _) in &seats[1..] {
            let other = root(&mut above, *bot as usize);
            above[other] = first;
        }
    }
    (0..above.len()).map(|bot| root(&mut above, bot)).collect()
}

/// Iterates over the deals of a pool, each with its number for statistics.
fn numbered(pool: &Pool) -> impl Iterator<Item = (Range<usize>, u32)> + '_ {
    let [mut before, mut last] = [0_u64; 2];
    let mut series = 0;
    pool.deals().map(move |range| {
        let (here, deal) = pool.place(&range);
        if here != series {
            before += last;
            series = here;
        }
        last = deal.into();
        let number = pool.number(&range, before);
        (range, number)
    })
}

fn pooled(pool: &Pool, choices: &Choices) -> Result<Pooled, String> {
    let mut counts = vec![0; pool.sources.len()];
    let sums = sums(pool, &mut counts);
    let labels = pool.bots.labels(|bot| sums[bot].matches > 0);
    let anchor = anchor(choices, pool, &labels, &sums)?;
    let roots = groups(pool);
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (bot, root) in roots
        .iter()
        .enumerate()
        .filter(|(bot, _)| sums[*bot].matches > 0)
    {
        members.entry(*root).or_default().push(bot);
    }
    let mut members: Vec<Vec<usize>> = members.into_values().collect();
    members.sort_by_key(|bots| (std::cmp::Reverse(bots.len()), bots[0]));
    let mut local = vec![(usize::MAX, 0); labels.len()];
    for (group, bots) in members.iter().enumerate() {
        bots.iter()
            .enumerate()
            .for_each(|(at, bot)| local[*bot] = (group, at));
    }
    let names = |bots: &Vec<usize>| bots.iter().map(|bot| labels[*bot].clone()).collect();
    let collectors = members
        .iter()
        .map(|bots| rating::Collector::with_names(names(bots)));
    let mut collectors: Vec<rating::Collector> = collectors.collect();
    let mut deals = 0;
    for (range, number) in numbered(pool) {
        deals += 1;
        let here: BTreeSet<usize> = pool
            .each(range.clone())
            .map(|(_, seats)| local[seats[0].0 as usize].0)
            .collect();
        for group in here {
            let of_group = |bot: u32| {
                Some(local[bot as usize])
                    .filter(|local| local.0 == group)
                    .map(|local| local.1)
            };
            collectors[group].add(&pool.deal(range.clone(), number, &of_group, false));
        }
    }
    let ahead = compared(pool, &sums);
    let mut rows = Vec::new();
    let mut ratings = Vec::new();
    for (group, collector) in collectors.iter().enumerate() {
        let anchor = anchor
            .filter(|bot| local[*bot].0 == group)
            .map(|bot| local[bot].1);
        let rated = collector.ratings(anchor);
        let by_name: BTreeMap<&str, usize> = members[group]
            .iter()
            .map(|bot| (labels[*bot].as_str(), *bot))
            .collect();
        rows.extend(rated.bots.iter().map(|rating| {
            (
                by_name[rating.bot.as_str()],
                group,
                rating.elo,
                rating.interval,
            )
        }));
        ratings.push(rated);
    }
    let order: Vec<usize> = rows.iter().map(|row| row.0).collect();
    let row = |(bot, group, elo, interval): &(usize, usize, Option<Elo>, [Option<f64>; 2])| {
        let sum = &sums[*bot];
        let compared = ahead.as_ref().ok();
        let behind = compared.into_iter().flat_map(|ahead| {
            let others = order.iter();
            others.filter(move |other| ahead.is(*bot, **other))
        });
        Row {
            bot: labels[*bot].clone(),
            group: group + 1,
            elo: *elo,
            interval: *interval,
            score: (sum.duels > 0).then(|| sum.halves as f64 / (2 * sum.duels) as f64),
            matches: sum.matches,
            tournaments: sum.sources.len(),
            ahead_of: behind.map(|bot| labels[*bot].clone()).collect(),
        }
    };
    let bots: Vec<Row> = rows.iter().map(row).collect();
    let source_names = pool.source_names();
    let source = |((source, name), matches): ((&pool::Source, &String), &u64)| SourceRow {
        name: name.clone(),
        path: source.path.clone(),
        day: source.day.map(lines::date),
        matches: *matches,
    };
    let left_out = pool
        .left_out
        .iter()
        .map(|(why, count)| ((*why).to_owned(), *count));
    Ok(Pooled {
        result: sentence::result(&bots, &order, &ahead),
        deals,
        matches: pool.matches() as u64,
        repeated: pool.repeated,
        left_out: left_out.collect(),
        anchor: anchor.map(|bot| labels[bot].clone()),
        groups: members.len(),
        sources: pool
            .sources
            .iter()
            .zip(&source_names)
            .zip(&counts)
            .map(source)
            .collect(),
        history: history::history(pool, &members[0], &labels, anchor),
        season: season::season(pool, choices, (&labels, &source_names), &counts)?,
        crosstable: crosstable(pool, &order, &labels),
        ratings: ratings.into_iter().next(),
        bots,
    })
}

/// Returns the anchor among the bots that play.
fn anchor(
    choices: &Choices,
    pool: &Pool,
    labels: &[String],
    sums: &[Sums],
) -> Result<Option<usize>, String> {
    let Some(name) = &choices.anchor else {
        return Ok(None);
    };
    let plays = |bot: &usize| sums[*bot].matches > 0;
    let exact = (0..labels.len())
        .filter(plays)
        .find(|bot| labels[*bot] == *name);
    if exact.is_some() {
        return Ok(exact);
    }
    let named = |bot: &usize| plays(bot) && pool.bots.identity(*bot).name == *name;
    let versions: Vec<&str> = (0..labels.len())
        .filter(named)
        .map(|bot| labels[bot].as_str())
        .collect();
    Err(match versions[..] {
        [] => format!("the anchor {name} has no matches"),
        _ => format!(
            "the anchor {name} has several versions: name one of {}, or rate --by name",
            versions.join(", ")
        ),
    })
}

/// Determines which bots are ahead of which. The error is the reason why that cannot be determined.
fn compared(pool: &Pool, sums: &[Sums]) -> Result<Ahead, String> {
    let bots = sums.iter().filter(|sum| sum.matches > 0).count();
    if bots > MAX_COMPARED {
        return Err(format!(
            "{bots} bots are too many to compare every pair; choose up to {MAX_COMPARED} with --only"
        ));
    }
    let is_official = pool.has_one_scale();
    let mut collector = ahead::Collector::unplanned(pool.bots.len());
    let mut count = 0;
    for (range, number) in numbered(pool) {
        let is_sequential = |(source, _): (u32, _)| pool.sources[source as usize].is_sequential;
        if pool.each(range.clone()).any(is_sequential) {
            continue;
        }
        let deal = pool.deal(
            range.clone(),
            number,
            &|bot| Some(bot as usize),
            is_official,
        );
        collector.add_in(&deal, pool.round(range.clone()));
        count += 1;
    }
    if count == 0 {
        return Err("results decided when these comparisons stopped".into());
    }
    Ok(collector.once(count))
}

fn crosstable(pool: &Pool, order: &[usize], labels: &[String]) -> Option<Crosstable> {
    if order.len() > MAX_CROSSED {
        return None;
    }
    let mut pairs = Pairwise::unplanned();
    for (range, number) in numbered(pool) {
        pairs.add(&pool.deal(range.clone(), number, &|bot| Some(bot as usize), false));
    }
    Some(pairs.crosstable(order, labels))
}
