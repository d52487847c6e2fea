//! Collects deals for the leaderboard.

use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use arena_tournament::deals::Deal;

use super::bootstrap::{self, FEWEST_DEALS, Question};
use super::deal_counts::{Count, DealCounts};
use super::fit::ELO;
use super::groups::Groups;
use super::leaderboard::{Answer, ModelName, NoIntervals, Ratings};
use super::plackett_luce::MOST_SEATS;
use super::points_model::{BotEffect, Effects, Points, PointsModel, Rows};
use super::prior::Prior;
use super::sums::{Cells, Sets};
use arena_tournament::spec::Spec;

/// The number of resamples that a leaderboard takes unless another is given.
pub const RESAMPLES: usize = 1000;

/// Collects deals: a short list of counts for each deal, shared by deals that came out the same.
#[derive(Clone, Debug)]
pub struct Collector {
    names: Vec<String>,
    seats: usize,
    cells: Cells,
    sets: Sets,
    deals: DealCounts,
    points: Points,
    /// Deals that are not finished, where it is known how many matches each has.
    open: BTreeMap<u32, Counted>,
    /// The number of times that each bot sat first, and elsewhere.
    sat: Vec<[u64; 2]>,
    left_out: u64,
}

/// The counts of one deal.
#[derive(Clone, Debug, Default)]
struct Counted {
    counts: Vec<Count>,
    rows: Rows,
}

impl Collector {
    /// No match yet, of this tournament.
    pub fn new(tournament: &Spec) -> Self {
        let (bots, seats) = (tournament.bots.len(), tournament.plan.seats);
        Self {
            names: tournament.bots.iter().map(|bot| bot.name.clone()).collect(),
            seats,
            cells: Cells::new(bots, seats),
            sets: Sets::default(),
            deals: DealCounts::default(),
            points: Points::new(bots, seats),
            open: BTreeMap::new(),
            sat: vec![[0; 2]; bots],
            left_out: 0,
        }
    }

    /// Takes in a deal; each must come once, in any order. A match in which a bot has several seats says nothing of who is
    /// stronger, and is left out.
    pub fn add(&mut self, deal: &Deal) {
        let mut counted = Counted::default();
        for scored in &deal.matches {
            let bots = &scored.bots;
            let twice = bots.iter().enumerate().any(|(seat, bot)| bots[..seat].contains(bot));
            if twice || bots.len() != self.seats || !(2..=MOST_SEATS).contains(&self.seats) {
                self.left_out += 1;
                continue;
            }
            self.cells.count(scored, &mut self.sets, &mut counted.counts);
            self.points.count(scored, &mut counted.rows);
            bots.iter().enumerate().for_each(|(seat, bot)| self.sat[*bot][seat.min(1)] += 1);
        }
        if deal.finished || deal.planned.is_none() {
            self.close(deal.number, counted);
        } else {
            self.open.insert(deal.number, counted);
        }
    }

    /// The leaderboard by the deals so far; if none is finished, by those that are not. The seed is the tournament's;
    /// [`RESAMPLES`] resamples are the rule.
    pub fn ratings(&self, seed: Seed, resamples: usize) -> Ratings {
        if self.deals.len() > 0 {
            return self.rate(seed, resamples, self.open.len());
        }
        let mut all = self.clone();
        std::mem::take(&mut all.open).into_iter().for_each(|(deal, counted)| all.close(deal, counted));
        all.rate(seed, resamples, self.open.len())
    }

    fn close(&mut self, deal: u32, counted: Counted) {
        // A deal without a seat has no mean.
        if !counted.rows.is_empty() {
            self.points.add(deal, &counted.rows);
        }
        self.deals.add(deal, counted.counts);
    }

    fn rate(&self, seed: Seed, resamples: usize, unfinished_deals: usize) -> Ratings {
        let (sets, places) = self.sets.in_order();
        let base = self.cells.sets();
        let place = |cell: u32| if cell as usize >= base { base as u32 + places[cell as usize - base] } else { cell };
        let layout = self.deals.lay_out(base + sets.len(), place);
        let sums = layout.sums();
        let took = |bot: usize, other: usize| bot != other && self.cells.meeting(&sums, bot, other).halves > 0;
        let groups = Groups::new(self.names.len(), took);
        let (cells, prior) = (self.cells, Prior::DEFAULT);
        // The first seat has a term if some bot sat in both; else it could not be told from the bots.
        let first = self.seats == 2 && self.sat.iter().any(|[first, second]| *first > 0 && *second > 0);
        let question = Question { cells, sets: &sets, layout: &layout, first, prior, groups: &groups };
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
