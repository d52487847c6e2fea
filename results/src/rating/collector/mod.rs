//! Collects finished matches for the leaderboard.

use std::collections::BTreeMap;

use arena_engine::chance::Seed;

use super::bootstrap::{self, FEWEST_DEALS, Question};
use super::deals::{Count, Deals};
use super::fit::{ELO, Terms};
use super::groups::Groups;
use super::leaderboard::{Answer, ModelName, NoIntervals, Ratings};
use super::plackett_luce::MOST_SEATS;
use super::points_model::{BotEffect, Effects, Points, PointsModel, Rows};
use super::prior::Prior;
use super::sums::{Cells, Sets};
use crate::scored::Scored;
use arena_tournament::spec::Spec;

/// The number of resamples of a leaderboard by default.
pub const RESAMPLES: usize = 1000;

/// Collects finished matches: a short list of counts for each deal, shared by deals that came out the same.
#[derive(Clone, Debug)]
pub struct Collector {
    names: Vec<String>,
    seats: usize,
    per_deal: Option<u64>,
    prior: Prior,
    cells: Cells,
    sets: Sets,
    deals: Deals,
    points: Points,
    open: BTreeMap<u32, Open>,
    /// The number of times that each bot sat first, and elsewhere.
    sat: Vec<[u64; 2]>,
    left_out: u64,
}

/// A deal that is not finished.
#[derive(Clone, Debug, Default)]
struct Open {
    matches: u64,
    counts: Vec<Count>,
    rows: Rows,
}

impl Collector {
    /// No match yet, of this tournament, with the default prior.
    pub fn new(tournament: &Spec) -> Self {
        let (bots, seats) = (tournament.bots.len(), tournament.plan.seats);
        Self {
            names: tournament.bots.iter().map(|bot| bot.name.clone()).collect(),
            seats,
            per_deal: tournament.matches_per_deal(),
            prior: Prior::DEFAULT,
            cells: Cells::new(bots, seats),
            sets: Sets::default(),
            deals: Deals::default(),
            points: Points::new(bots, seats),
            open: BTreeMap::new(),
            sat: vec![[0; 2]; bots],
            left_out: 0,
        }
    }

    /// The same, with another prior of strengths.
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { prior, ..self }
    }

    /// Takes in a finished match; each must come once, in any order. A match in which a bot has several seats says
    /// nothing of who is stronger, and is left out.
    pub fn add(&mut self, scored: &Scored) {
        let bots = &scored.bots;
        let twice = bots.iter().enumerate().any(|(seat, bot)| bots[..seat].contains(bot));
        let mut open = self.open.remove(&scored.deal).unwrap_or_default();
        open.matches += 1;
        if twice || bots.len() != self.seats || !(2..=MOST_SEATS).contains(&self.seats) {
            self.left_out += 1;
        } else {
            self.cells.count(scored, &mut self.sets, &mut open.counts);
            self.points.count(scored, &mut open.rows);
            bots.iter().enumerate().for_each(|(seat, bot)| self.sat[*bot][seat.min(1)] += 1);
        }
        if Some(open.matches) == self.per_deal {
            self.close(scored.deal, open);
        } else {
            self.open.insert(scored.deal, open);
        }
    }

    /// The leaderboard by the matches so far. The seed is the tournament's; [`RESAMPLES`] resamples are the rule.
    pub fn ratings(&self, seed: Seed, resamples: usize) -> Ratings {
        if self.per_deal.is_none() || self.deals.len() == 0 {
            return self.with_open_deals().rate(seed, resamples, self.unfinished());
        }
        self.rate(seed, resamples, self.open.len())
    }

    /// The number of deals that are known to be unfinished.
    fn unfinished(&self) -> usize {
        if self.per_deal.is_some() { self.open.len() } else { 0 }
    }

    /// The same, all deals taken as finished.
    fn with_open_deals(&self) -> Self {
        let mut all = self.clone();
        std::mem::take(&mut all.open).into_iter().for_each(|(deal, open)| all.close(deal, open));
        all
    }

    fn close(&mut self, deal: u32, open: Open) {
        // A deal without a seat has no mean.
        if !open.rows.is_empty() {
            self.points.add(deal, &open.rows);
        }
        self.deals.add(deal, open.counts);
    }

    fn rate(&self, seed: Seed, resamples: usize, unfinished_deals: usize) -> Ratings {
        let (sets, places) = self.sets.in_order();
        let base = self.cells.sets();
        let place = |cell: u32| if cell as usize >= base { base as u32 + places[cell as usize - base] } else { cell };
        let layout = self.deals.lay_out(base + sets.len(), place);
        let sums = layout.sums();
        let took = |bot: usize, other: usize| bot != other && self.cells.meeting(&sums, bot, other).halves > 0;
        let groups = Groups::new(self.names.len(), took);
        let terms = self.terms();
        let question =
            Question { cells: self.cells, sets: &sets, layout: &layout, terms, prior: self.prior, groups: &groups };
        let full = question.answer(&sums, None);
        let tail = bootstrap::tail(layout.deals(), resamples);
        let drawn = tail.map_or(0, |_| resamples);
        let resampled = question.resamples(&full.fit, seed, drawn);
        let answer = Answer { question, names: &self.names, sums: &sums, full, resamples: resampled, tail };
        let (bots, exploitability) = answer.bots();
        let fewer = if layout.deals() < FEWEST_DEALS { NoIntervals::TooFewDeals } else { NoIntervals::TooFewResamples };
        Ratings {
            model: if self.seats == 2 { ModelName::Davidson } else { ModelName::PlackettLuce },
            deals: layout.deals(),
            unfinished_deals,
            left_out: self.left_out,
            resamples: drawn,
            no_intervals: tail.is_none().then_some(fewer),
            prior: answer.full.fit.prior.deviation().map(|deviation| deviation * ELO),
            groups: groups.all().len(),
            bots,
            gaps: answer.gaps(),
            ties: answer.full.fit.ties.clone(),
            first_seat: answer.first_seat(),
            log_likelihood: answer.full.fit.log_likelihood.expect("a fit without a start has its likelihood"),
            cyclic: answer.cyclic(),
            exploitability,
            points: self.points.effects().map(|effects| self.points_model(&effects, &answer.order())),
        }
    }

    /// The first seat has a term if some bot sat in both; else it could not be told from the bots.
    fn terms(&self) -> Terms {
        let both = self.sat.iter().any(|[first, second]| *first > 0 && *second > 0);
        if self.seats == 2 && both { Terms::FirstSeat } else { Terms::Plain }
    }

    fn points_model(&self, effects: &Effects, order: &[usize]) -> PointsModel {
        let named = |bot: &usize| effects.bots[*bot].map(|effect| BotEffect { bot: self.names[*bot].clone(), effect });
        PointsModel {
            deals: self.points.deals(),
            rows: effects.rows,
            bots: order.iter().filter_map(named).collect(),
            seats: effects.seats.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
