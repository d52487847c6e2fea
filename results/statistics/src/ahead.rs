//! Determines which bots are ahead of which. This relation is the basis of ranks, marks, headlines and charts.
//!
//! Two bots are compared deal by deal. If both met the same other opponents on a finished deal, all their matches on that deal count, by
//! official points per match. On any other deal, only their matches against each other count. Bots that share no deal are not compared.
//!
//! *Looks* are the planned sizes of a tournament: the first one, and one for each extension. At a look, one bot is *ahead* of another if a
//! test ([`Paired::p`]) rejects the hypothesis that their mean difference per deal is zero. The p-values are adjusted for all pairs that
//! are still undecided (Holm 1979), and compared with the [level](crate::holm::level) of the look. A decision is final: it follows from the
//! deals up to the look, and later deals do not change it.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use arena_tournament::deals::{Deal, Scored};
use arena_tournament::spec::{Size, Spec};
use serde::Serialize;

use crate::holm;
use crate::paired::{Paired, least_p};

/// One of two bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The first bot.
    First,
    /// The second bot.
    Second,
}

/// The difference between two bots' points, from the first bot's perspective.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// Number of deals on which the two bots are compared.
    pub deals: u64,
    /// Mean over deals of the difference between their points per match.
    pub points: f64,
    /// 95 % interval of the difference, obtained from the test; null with too few deals, or if nearly all differences are equal.
    pub interval: Option<[f64; 2]>,
    /// Two-sided p-value of the hypothesis that there is no difference.
    pub p: f64,
    /// The p-value, adjusted for all pairs compared (Holm 1979).
    pub p_adjusted: f64,
    /// The bot that is ahead of the other by the last look; null if neither is.
    pub ahead: Option<Side>,
    /// True if there are too few deals for either bot to be ahead, whatever their results.
    pub too_few: bool,
    /// True if one bot is ahead on the basis of few deals whose differences have a long tail on one side.
    pub uneven: bool,
}

impl Lead {
    /// Returns the difference from the second bot's perspective.
    pub fn turned(self) -> Self {
        Self {
            points: 0.0 - self.points,
            interval: self.interval.map(|[low, high]| [0.0 - high, 0.0 - low]),
            ahead: self.ahead.map(|side| match side {
                Side::First => Side::Second,
                Side::Second => Side::First,
            }),
            ..self
        }
    }
}

/// Collects the differences of each pair of bots.
#[derive(Clone, Debug)]
pub struct Collector {
    bots: usize,
    /// The plan of the tournament; `None` if the deals do not follow a plan.
    spec: Option<Spec>,
    pairs: BTreeMap<[usize; 2], Compared>,
    /// The planned sizes. Looks at those before `next` have taken place.
    sizes: Vec<Size>,
    next: usize,
    /// Numbers of deals of the looks so far.
    looks: Vec<u32>,
    decided: BTreeMap<[usize; 2], Side>,
    played: u64,
}

/// The differences between two bots.
#[derive(Clone, Debug, Default)]
struct Compared {
    paired: Paired,
    /// Number of rounds in which the two bots met, and the last such round.
    rounds: u32,
    last: Option<u32>,
}

impl Compared {
    /// Returns the factor for p-values in rounds that are drawn from results, where results decide how often two bots meet. The inverses of
    /// the factors for all numbers of rounds add up to 1.
    fn factor(&self) -> f64 {
        match self.last {
            Some(_) if self.rounds > 1 => f64::from(self.rounds) * f64::from(self.rounds + 1),
            _ => 1.0,
        }
    }

    fn p(&self) -> f64 {
        (self.paired.p().unwrap_or(1.0) * self.factor()).min(1.0)
    }
}

/// Points of one bot on a deal.
#[derive(Clone, Copy, Debug, Default)]
struct OnDeal {
    matches: u32,
    points: i64,
    /// Hash of the opponents in all matches of the bot.
    opponents: u64,
}

impl OnDeal {
    fn add(&mut self, points: i32, opponents: u64) {
        self.matches += 1;
        self.points += i64::from(points);
        self.opponents = self.opponents.wrapping_add(opponents);
    }

    fn mean(self) -> f64 {
        self.points as f64 / f64::from(self.matches)
    }
}

impl Collector {
    /// Creates an empty collector for this tournament.
    pub fn new(spec: &Spec) -> Self {
        let mut sizes = spec.earlier_sizes.clone();
        sizes.push(spec.size());
        if spec.plan.test.is_some() {
            // A sequential test decides how many deals are played.
            sizes.clear();
        }
        Self {
            spec: Some(spec.clone()),
            sizes,
            ..Self::unplanned(spec.bots.len())
        }
    }

    /// Creates an empty collector for deals that do not follow a plan. They are judged [once](Self::once).
    pub fn unplanned(bots: usize) -> Self {
        Self {
            bots,
            spec: None,
            pairs: BTreeMap::new(),
            sizes: Vec::new(),
            next: 0,
            looks: Vec::new(),
            decided: BTreeMap::new(),
            played: 0,
        }
    }

    /// Adds a deal. Each deal must be added once, in order.
    pub fn add(&mut self, deal: &Deal) {
        self.played += deal.matches.len() as u64;
        let round = self
            .spec
            .as_ref()
            .and_then(|spec| spec.round_of(deal.number));
        self.add_in(deal, round);
        self.look(deal.number);
    }

    /// Adds a deal without a look. `round` is its round if the format draws rounds from results.
    pub fn add_in(&mut self, deal: &Deal, round: Option<u32>) {
        for (pair, difference) in differences(&deal.without_walkovers()) {
            let compared = self.pairs.entry(pair).or_default();
            compared.paired.add(difference);
            if round.is_some() && compared.last != round {
                compared.rounds += 1;
                compared.last = round;
            }
        }
    }

    /// Judges all pairs by the deals so far, as the only look, and returns which bots are ahead.
    pub fn once(mut self, deals: u32) -> Ahead {
        self.looks.push(deals);
        self.judge(holm::PLANNED_ERROR_RATE);
        self.ahead()
    }

    /// Judges the pairs, if this deal is the last one of a planned size.
    fn look(&mut self, last: u32) {
        let per_deal = self.spec.as_ref().and_then(Spec::matches_per_deal);
        while let Some(size) = self.sizes.get(self.next).filter(|size| size.deals <= last) {
            let planned = per_deal.map_or(size.matches, |matches| matches * u64::from(size.deals));
            if size.deals == last && self.played == planned {
                let level = holm::level(&self.looks, last);
                self.looks.push(last);
                self.judge(level);
            }
            self.next += 1;
        }
    }

    /// Decides the pairs whose adjusted p-value is at most this level.
    fn judge(&mut self, level: f64) {
        let open = self.pairs.iter();
        let open =
            open.filter(|(pair, _)| !self.decided.contains_key(*pair) && self.both_play(**pair));
        let (pairs, p): (Vec<_>, Vec<f64>) = open.map(|(pair, one)| (*pair, one.p())).unzip();
        for (pair, p_adjusted) in pairs.into_iter().zip(holm::adjusted(&p)) {
            let mean = self.pairs[&pair].paired.mean();
            if p_adjusted <= level && mean != 0.0 {
                let ahead = if mean > 0.0 {
                    Side::First
                } else {
                    Side::Second
                };
                self.decided.insert(pair, ahead);
            }
        }
    }

    /// Returns `false` if either bot was withdrawn, because its results may be the reason.
    fn both_play(&self, pair: [usize; 2]) -> bool {
        let bots = self.spec.as_ref().map_or(&[][..], |spec| &spec.bots);
        let is_gone = |bot: usize| bots.get(bot).is_some_and(|bot| bot.withdrawn.is_some());
        !pair.into_iter().any(is_gone)
    }

    /// Returns which bots are ahead by the deals so far.
    pub fn ahead(&self) -> Ahead {
        let p: Vec<f64> = self.pairs.values().map(Compared::p).collect();
        let adjusted = holm::adjusted(&p);
        let open = self.pairs.len() - self.decided.len();
        let lead = |((pair, compared), p_adjusted): ((&[usize; 2], &Compared), f64)| {
            let paired = &compared.paired;
            let least = least_p(paired.deals()) * compared.factor() * open as f64;
            let ahead = self.decided.get(pair).copied();
            let lead = Lead {
                deals: paired.deals(),
                points: paired.mean(),
                interval: paired.interval(),
                p: paired.p().unwrap_or(1.0),
                p_adjusted,
                ahead,
                uneven: ahead.is_some() && paired.is_uneven(),
                too_few: ahead.is_none() && least > holm::PLANNED_ERROR_RATE,
            };
            (*pair, lead)
        };
        Ahead {
            bots: self.bots,
            judged: self.looks.last().copied(),
            leads: self.pairs.iter().zip(adjusted).map(lead).collect(),
        }
    }
}

/// Returns the minimum number of deals on which two bots must meet so that one of them can be ahead at the first look, if all pairs are
/// compared.
pub fn least_deals(spec: &Spec) -> u32 {
    let bots = spec.bots.len() as f64;
    let pairs = (bots * (bots - 1.0) / 2.0).max(1.0);
    (pairs / holm::PLANNED_ERROR_RATE).log2().ceil() as u32
}

/// Returns the differences of all pairs that are compared on a deal.
fn differences(deal: &Deal) -> Vec<([usize; 2], f64)> {
    let mut bots: BTreeMap<usize, OnDeal> = BTreeMap::new();
    let mut together: BTreeMap<[usize; 2], [OnDeal; 2]> = BTreeMap::new();
    for Scored {
        bots: here, seats, ..
    } in deal.counted().flat_map(|(_, matches)| matches)
    {
        let opponents: Vec<u64> = here.iter().map(|bot| opponents(here, *bot)).collect();
        for (seat, bot) in here.iter().enumerate() {
            let points = seats[seat].points;
            bots.entry(*bot).or_default().add(points, opponents[seat]);
            for (other, rival) in here.iter().enumerate().filter(|(_, rival)| *rival > bot) {
                let [mine, theirs] = together.entry([*bot, *rival]).or_default();
                mine.add(points, opponents[seat]);
                theirs.add(seats[other].points, opponents[other]);
            }
        }
    }
    let met = together.iter().map(|([one, other], [mine, theirs])| {
        let apart = |all: OnDeal, part: &OnDeal| all.opponents.wrapping_sub(part.opponents);
        let same = apart(bots[one], mine) == apart(bots[other], theirs);
        let [mine, theirs] = if same {
            [bots[one], bots[other]]
        } else {
            [*mine, *theirs]
        };
        ([*one, *other], mine.mean() - theirs.mean())
    });
    let mut all: Vec<([usize; 2], f64)> = met.collect();
    let mut alike: HashMap<u64, Vec<usize>> = HashMap::new();
    for (bot, on_deal) in &bots {
        alike.entry(on_deal.opponents).or_default().push(*bot);
    }
    for set in alike.values() {
        for (at, one) in set.iter().enumerate() {
            let rivals = set[at + 1..].iter().map(|other| [*one, *other]);
            let apart = rivals.filter(|pair| !together.contains_key(pair));
            all.extend(
                apart.map(|[one, other]| ([one, other], bots[&one].mean() - bots[&other].mean())),
            );
        }
    }
    all
}

/// Returns an order-independent hash of the other bots at a table.
fn opponents(table: &[usize], bot: usize) -> u64 {
    let mut others: Vec<usize> = table
        .iter()
        .copied()
        .filter(|other| *other != bot)
        .collect();
    others.sort_unstable();
    let mut hasher = DefaultHasher::new();
    others.hash(&mut hasher);
    hasher.finish()
}

/// The relation of bots that are ahead of others, with 95 % confidence that no pair of it is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Ahead {
    bots: usize,
    /// Number of deals at the last look; `None` before the first look.
    pub judged: Option<u32>,
    leads: BTreeMap<[usize; 2], Lead>,
}

impl Ahead {
    /// Returns the differences of all pairs compared, in order.
    pub fn leads(&self) -> &BTreeMap<[usize; 2], Lead> {
        &self.leads
    }

    /// Returns the difference between a bot and another one; `None` if they are not compared.
    pub fn lead(&self, bot: usize, other: usize) -> Option<Lead> {
        let lead = self.leads.get(&[bot.min(other), bot.max(other)]).copied();
        if bot < other {
            lead
        } else {
            lead.map(Lead::turned)
        }
    }

    /// Returns `true` if a bot is ahead of another one.
    pub fn is(&self, bot: usize, other: usize) -> bool {
        self.lead(bot, other)
            .is_some_and(|lead| lead.ahead == Some(Side::First))
    }

    /// Returns the best and the worst possible rank of each bot (Klein, Wright and Wieczorek 2020, "A joint confidence region for an
    /// overall ranking of populations", Journal of the Royal Statistical Society C 69).
    pub fn ranks(&self) -> Vec<[usize; 2]> {
        let mut ranks = vec![[1, self.bots]; self.bots];
        for ([one, other], lead) in &self.leads {
            let (ahead, behind) = match lead.ahead {
                Some(Side::First) => (one, other),
                Some(Side::Second) => (other, one),
                None => continue,
            };
            ranks[*ahead][1] -= 1;
            ranks[*behind][0] += 1;
        }
        ranks
    }
}

impl Ahead {
    /// Returns the rank of each bot: one more than the number of better bots. A bot is better than those that it is ahead of; `is_better`
    /// decides between other bots. In a cycle of bots, each ahead of the next, the best of them comes first.
    pub fn order(&self, is_better: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let mut ranks = vec![0; self.bots];
        let mut left: Vec<usize> = (0..self.bots).collect();
        while !left.is_empty() {
            let is_behind = |bot: &usize| left.iter().any(|other| self.is(*other, *bot));
            let mut free: Vec<usize> = left.iter().copied().filter(|bot| !is_behind(bot)).collect();
            if free.is_empty() {
                free.clone_from(&left);
            }
            let is_beaten = |bot: &usize| free.iter().any(|other| is_better(*other, *bot));
            let mut first: Vec<usize> =
                free.iter().copied().filter(|bot| !is_beaten(bot)).collect();
            if first.is_empty() {
                first.clone_from(&free);
            }
            let rank = 1 + self.bots - left.len();
            first.iter().for_each(|bot| ranks[*bot] = rank);
            left.retain(|bot| !first.contains(bot));
        }
        ranks
    }
}

#[cfg(test)]
mod tests;
