//! Determines which bots are ahead of which: the single relation behind ranks, marks, headlines and charts.
//!
//! Two bots that met the same other opponents on a finished deal, apart from each other, are compared by the official points per match
//! of all their matches there; on other deals, by their matches with each other. One of them is *ahead* if the mean difference per
//! deal is not zero: at the planned number of deals by a test ([`Paired::p`]) adjusted for all pairs compared, at any other time by an
//! e-process ([`Evidence`](crate::evidence::Evidence)). Bots that share no deal are not compared.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use arena_tournament::deals::{Deal, Scored};
use arena_tournament::spec::Spec;
use serde::Serialize;

use crate::holm::{self, ANY_TIME, PLANNED};
use crate::interval;
use crate::paired::Paired;

/// Time at which a tournament is analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// All deals of the initial plan are finished, and there are no others.
    Planned,
    /// Some deals are unfinished, or deals were added to the initial plan.
    AnyTime,
}

impl Look {
    /// Returns the look at a tournament with this number of finished matches.
    pub fn new(spec: &Spec, played: u64) -> Self {
        let as_planned = spec.first_plan.is_none() && spec.plan.test.is_none();
        if as_planned && played == spec.matches() {
            Self::Planned
        } else {
            Self::AnyTime
        }
    }
}

/// Difference of two bots' points, from the first one's view.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// Number of deals on which the two are compared.
    pub deals: u64,
    /// Mean over deals of the difference of their points per match.
    pub points: f64,
    /// 95 % interval of the difference; null with too few deals, or if at most two deals differ from all others.
    pub interval: Option<[f64; 2]>,
    /// Two-sided p-value of no difference.
    pub p: f64,
    /// The p-value adjusted for all pairs compared (Holm 1979).
    pub p_adjusted: f64,
    /// Evidence for a difference, from the deals before the first unfinished one. Valid at any number of looks: for equal bots it
    /// reaches 1/α with a probability of at most α.
    pub evidence: f64,
    /// True if the bot with more points is ahead of the other one.
    pub decided: bool,
}

impl Lead {
    /// Returns the difference from the second bot's view.
    pub fn turned(self) -> Self {
        Self {
            points: 0.0 - self.points,
            interval: self.interval.map(|[low, high]| [0.0 - high, 0.0 - low]),
            ..self
        }
    }
}

/// Collects the differences of each pair of bots.
#[derive(Clone, Debug)]
pub struct Collector {
    spec: Spec,
    pairs: BTreeMap<[usize; 2], Paired>,
    /// Number of deals so far, and whether all of them are finished.
    deals: u32,
    unbroken: bool,
    played: u64,
}

/// Points of one bot on a deal.
#[derive(Clone, Copy, Debug, Default)]
struct OnDeal {
    matches: u32,
    points: i64,
    /// Hash of the opponents in all its matches.
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
        Self {
            spec: spec.clone(),
            pairs: BTreeMap::new(),
            deals: 0,
            unbroken: true,
            played: 0,
        }
    }

    /// Adds a deal; each must be added once, in order.
    pub fn add(&mut self, deal: &Deal) {
        self.played += deal.matches.len() as u64;
        self.deals += 1;
        // Deals without a finished match are never added: their numbers are missing.
        self.unbroken &= deal.finished && deal.number == self.deals;
        for (pair, difference) in differences(deal) {
            let paired = self.pairs.entry(pair).or_default();
            paired.add(difference);
            if self.unbroken {
                paired.bet(difference);
            }
        }
    }

    /// Returns the look that the deals so far permit.
    pub fn look(&self) -> Look {
        Look::new(&self.spec, self.played)
    }

    /// Determines which bots are ahead by the deals so far.
    pub fn ahead(&self) -> Ahead {
        let look = self.look();
        // If deals differ in size, it is unknown whether those so far are complete.
        let holds = self.spec.matches_per_deal().is_some() || self.played == self.spec.matches();
        let p: Vec<f64> = self
            .pairs
            .values()
            .map(|paired| paired.p().unwrap_or(1.0))
            .collect();
        let adjusted = holm::adjusted(&p);
        let bots = self.spec.bots.len();
        // Includes every pair that could ever be compared, which is known in advance.
        let enough = (bots * bots.saturating_sub(1) / 2) as f64 / ANY_TIME;
        let lead = |((pair, paired), (p, p_adjusted)): ((&[usize; 2], &Paired), (f64, f64))| {
            let evidence = if holds { paired.evidence.value() } else { 1.0 };
            let deals = paired.differences.count();
            let is_planned = look == Look::Planned && self.is_planned(*pair, deals);
            let lead = Lead {
                deals,
                points: paired.differences.mean(),
                interval: interval::of_differences(&paired.differences),
                p,
                p_adjusted,
                evidence,
                decided: paired.differences.mean() != 0.0
                    && (evidence >= enough || (is_planned && p_adjusted <= PLANNED)),
            };
            (*pair, lead)
        };
        let tested = p.into_iter().zip(adjusted);
        Ahead {
            bots,
            leads: self.pairs.iter().zip(tested).map(lead).collect(),
        }
    }

    /// Returns true if the number of deals on which two bots are compared did not depend on results.
    fn is_planned(&self, pair: [usize; 2], deals: u64) -> bool {
        let stays = |bot: usize| self.spec.bots[bot].withdrawn.is_none();
        let known = self.spec.rounds() == 1 && pair.into_iter().all(stays);
        known || deals == u64::from(self.spec.plan.deals)
    }
}

/// Returns the differences of all pairs compared on a deal.
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

/// Relation of bots that are ahead of others, with 95 % confidence for all pairs together.
#[derive(Clone, Debug, PartialEq)]
pub struct Ahead {
    bots: usize,
    leads: BTreeMap<[usize; 2], Lead>,
}

impl Ahead {
    /// Returns the pairs compared, in order.
    pub fn leads(&self) -> &BTreeMap<[usize; 2], Lead> {
        &self.leads
    }

    /// Returns the difference of a bot from another one; `None` if they are not compared.
    pub fn lead(&self, bot: usize, other: usize) -> Option<Lead> {
        let lead = self.leads.get(&[bot.min(other), bot.max(other)]).copied();
        if bot < other {
            lead
        } else {
            lead.map(Lead::turned)
        }
    }

    /// Returns true if a bot is ahead of another one.
    pub fn is(&self, bot: usize, other: usize) -> bool {
        self.lead(bot, other)
            .is_some_and(|lead| lead.decided && lead.points > 0.0)
    }

    /// Returns the best and the worst possible rank of each bot (Klein, Wright and Wieczorek 2020, "A joint confidence region for an
    /// overall ranking of populations", Journal of the Royal Statistical Society C 69).
    pub fn ranks(&self) -> Vec<[usize; 2]> {
        let mut ranks = vec![[1, self.bots]; self.bots];
        for ([one, other], lead) in self.leads.iter().filter(|(_, lead)| lead.decided) {
            let (ahead, behind) = if lead.points > 0.0 {
                (one, other)
            } else {
                (other, one)
            };
            ranks[*ahead][1] -= 1;
            ranks[*behind][0] += 1;
        }
        ranks
    }
}

#[cfg(test)]
mod tests;
