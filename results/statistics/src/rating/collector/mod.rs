//! Collects deals for the leaderboard.

use std::collections::BTreeMap;

use arena_tournament::deals::{Deal, versus};
use arena_tournament::spec::Spec;

use super::batches::{Batches, Count};
use super::fit::{ELO, Fit, PRIOR, Posterior};
use super::groups::Groups;
use super::leaderboard::{EloDifference, FirstSeat, ModelName, Rating, RatingLead, Ratings};
use super::plackett_luce::MOST_SEATS;
use super::profile::Profile;
use super::sums::{Cells, Likelihood, Sets};
use crate::cluster::{Cluster, OnDeal};
use crate::elo::Elo;
use crate::interval;
use crate::pair::Pair;

/// Strengths closer than this, in logits, are equal.
const EQUAL: f64 = 1e-5;

/// Collects deals: a short list of counts for each.
#[derive(Clone, Debug)]
pub struct Collector {
    names: Vec<String>,
    seats: usize,
    cells: Cells,
    sets: Sets,
    deals: Batches,
    /// Deals that are not finished, where it is known how many matches each has.
    open: BTreeMap<u32, Vec<Count>>,
    /// The number of times that each bot sat first, and elsewhere.
    sat: Vec<[u64; 2]>,
    /// The half points of the first seat, on finished deals.
    first_seat: Cluster,
    left_out: u64,
}

/// The facts beside the matches that a leaderboard is read by.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The bots in order of the standings.
    pub order: &'a [usize],
    /// The bot whose rating is to be 0, if one is named.
    pub anchor: Option<usize>,
    /// Every two bots against each other.
    pub pairs: &'a [Pair],
}

impl Collector {
    /// No match yet, of this tournament.
    pub fn new(tournament: &Spec) -> Self {
        let (bots, seats) = (tournament.bots.len(), tournament.plan.seats);
        Self {
            names: tournament.names(),
            seats,
            cells: Cells::new(bots, seats),
            sets: Sets::default(),
            deals: Batches::default(),
            open: BTreeMap::new(),
            sat: vec![[0; 2]; bots],
            first_seat: Cluster::default(),
            left_out: 0,
        }
    }

    /// Takes in a deal; each must come once, in any order. A match in which a bot has several seats does not compare
    /// bots, and is left out.
    pub fn add(&mut self, deal: &Deal) {
        let (mut counts, mut first) = (Vec::new(), OnDeal::default());
        for scored in &deal.matches {
            let bots = &scored.bots;
            let twice = bots.iter().enumerate().any(|(seat, bot)| bots[..seat].contains(bot));
            if twice || bots.len() != self.seats || !(2..=MOST_SEATS).contains(&self.seats) {
                self.left_out += 1;
                continue;
            }
            // Where all forfeited, no bot did better.
            if scored.seats.iter().all(|seat| seat.fault.is_some()) {
                continue;
            }
            self.cells.count(scored, &mut self.sets, &mut counts);
            bots.iter().enumerate().for_each(|(seat, bot)| self.sat[*bot][seat.min(1)] += 1);
            if let [one, other] = &scored.seats[..] {
                first.add(versus(one, other).halves().into());
            }
        }
        if deal.finished || deal.planned.is_none() {
            self.deals.add(deal.number, &counts);
            self.first_seat.add(&first);
        } else {
            self.open.insert(deal.number, counts);
        }
    }

    /// The leaderboard by the deals so far; if none is finished, by those that are not, without intervals.
    pub fn ratings(&self, reading: Reading<'_>) -> Ratings {
        let (finished, unfinished) = (self.deals.deals, self.open.len());
        if finished > 0 {
            return self.rate(reading, finished, unfinished);
        }
        let mut all = self.clone();
        std::mem::take(&mut all.open).into_iter().for_each(|(deal, counts)| all.deals.add(deal, &counts));
        all.rate(reading, 0, unfinished)
    }

    fn rate(&self, reading: Reading<'_>, deals: usize, unfinished_deals: usize) -> Ratings {
        let (sets, places) = self.sets.in_order();
        let base = self.cells.sets();
        let place = |cell: u32| if cell as usize >= base { base as u32 + places[cell as usize - base] } else { cell };
        let batches = self.deals.sums(base + sets.len(), place);
        let mut sums = vec![0; base + sets.len()];
        batches.iter().for_each(|batch| sums.iter_mut().zip(batch).for_each(|(sum, count)| *sum += count));
        let took = |bot: usize, other: usize| bot != other && self.cells.half_points(&sums, bot, other) > 0;
        let groups = Groups::new(self.names.len(), took);
        // The first seat has a term if some bot sat in both; else its effect could not be separated from the bots.
        let first = self.seats == 2 && self.sat.iter().any(|[first, second]| *first > 0 && *second > 0);
        let likelihood = Likelihood::new(self.cells, &sets, &sums, first);
        let fit = Posterior { likelihood: &likelihood, prior: PRIOR }.fit();
        let profile = Profile::new(&likelihood, &batches, deals);
        let answer = Answer { names: &self.names, groups: &groups, fit: &fit, profile, reading };
        let anchor = answer.anchor();
        Ratings {
            model: if self.seats == 2 { ModelName::Davidson } else { ModelName::PlackettLuce },
            deals,
            unfinished_deals,
            left_out: self.left_out,
            anchor: anchor.map(|anchor| self.names[anchor].clone()),
            anchor_is_given: reading.anchor.is_some(),
            prior: PRIOR.strengths * ELO,
            groups: groups.all().len(),
            bots: answer.bots(anchor),
            leads: answer.leads(),
            ties: fit.ties.clone(),
            first_seat: self
                .first_seat
                .mean()
                .map(|mean| FirstSeat { score: mean / 2.0, interval: interval::of_score(&self.first_seat) }),
            log_likelihood: fit.log_likelihood,
        }
    }
}

/// The fit of a tournament, from which the leaderboard is read.
struct Answer<'a> {
    names: &'a [String],
    groups: &'a Groups,
    fit: &'a Fit,
    profile: Option<Profile<'a>>,
    reading: Reading<'a>,
}

impl Answer<'_> {
    /// The bot whose rating is 0: the best of those that can be compared with most, unless one is named.
    fn anchor(&self) -> Option<usize> {
        let met = || self.reading.order.iter().copied().filter(|bot| self.met(*bot));
        let most = met().map(|bot| self.groups.comparable(bot)).max();
        self.reading.anchor.or_else(|| met().find(|bot| Some(self.groups.comparable(*bot)) == most))
    }

    /// True if a bot met another one.
    fn met(&self, bot: usize) -> bool {
        (0..self.names.len()).any(|other| other != bot && self.groups.of(other) == self.groups.of(bot))
    }

    /// The bots, group by group, strongest first.
    fn bots(&self, anchor: Option<usize>) -> Vec<Rating> {
        let groups = self.groups.all();
        let ranks: Vec<usize> = (0..self.names.len()).map(|bot| self.rank(bot)).collect();
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by_key(|bot| (self.groups.of(*bot), ranks[*bot], &self.names[*bot]));
        let rating = |bot: usize| Rating {
            bot: self.names[bot].clone(),
            group: 1 + groups.iter().position(|group| group.contains(&bot)).unwrap_or(0),
            rank: self.met(bot).then_some(ranks[bot]),
            over: anchor.map(|anchor| self.difference(bot, anchor)).unwrap_or_default(),
        };
        order.into_iter().map(rating).collect()
    }

    /// A bot's rank in its group, 1 for the strongest; equal bots share a rank.
    fn rank(&self, bot: usize) -> usize {
        let strengths = &self.fit.strengths;
        let better =
            |other: &usize| self.groups.of(*other) == self.groups.of(bot) && strengths[*other] > strengths[bot] + EQUAL;
        1 + (0..self.names.len()).filter(better).count()
    }

    /// Each bot against the next one of the standings.
    fn leads(&self) -> Vec<RatingLead> {
        let lead = |pair: &[usize]| RatingLead {
            bot: self.names[pair[0]].clone(),
            next: self.names[pair[1]].clone(),
            over: self.difference(pair[0], pair[1]),
        };
        self.reading.order.windows(2).map(lead).collect()
    }

    /// By how much a bot is stronger than another one.
    fn difference(&self, bot: usize, other: usize) -> EloDifference {
        if bot == other {
            return EloDifference { elo: Some(Elo::Value(0.0)), interval: [None; 2] };
        }
        if !self.groups.mutual(bot, other) {
            return self.bound(bot, other).unwrap_or_default();
        }
        let elo = (self.fit.strengths[bot] - self.fit.strengths[other]) * ELO;
        let ends = self.profile.as_ref().map(|profile| profile.interval(bot, other));
        let interval = ends.map_or([None; 2], |ends| ends.map(|end| Some(end? * ELO)));
        EloDifference { elo: Some(Elo::Value(elo)), interval }
    }

    /// The bound that the deals give on which two bots met, of which one won all.
    fn bound(&self, bot: usize, other: usize) -> Option<EloDifference> {
        let (low, high) = (bot.min(other), bot.max(other));
        let pair = self.reading.pairs.iter().find(|pair| (pair.first, pair.second) == (low, high))?;
        let elo = if bot < other { pair.estimate?.elo } else { pair.estimate?.elo.turned() };
        match elo {
            Elo::Value(_) => None,
            Elo::AtLeast(least) => Some(EloDifference { elo: Some(elo), interval: [Some(least), None] }),
            Elo::AtMost(most) => Some(EloDifference { elo: Some(elo), interval: [None, Some(most)] }),
        }
    }
}

#[cfg(test)]
mod tests;
