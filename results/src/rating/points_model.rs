//! Points per match, freed of the luck of the deal and of the seat.
//!
//! points = deal + seat + bot + error, by least squares, the deals absorbed by taking means within each deal (Frisch and
//! Waugh 1933, "Partial time regressions as compared with individual trends"). Errors of matches on one deal are not
//! independent, so standard errors are clustered by deal, of the kind CR1: with X and e the demeaned rows and residuals
//! of a deal,
//!
//! ```text
//! V = c · A⁻¹ (Σ X'e e'X over deals) A⁻¹,    A = Σ X'X,    c = D / (D − 1) · (N − 1) / (N − K)
//! ```
//!
//! for D deals, N rows (a row is a seat in a match) and K = bots + seats − 1; deals do not count among the K, since they
//! are the clusters (Cameron and Miller 2015, "A practitioner's guide to cluster-robust inference"). Intervals take
//! Student's t with D − 1 degrees.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::deal_counts::{self, Count};
use super::linear::{Factor, Symmetric};
use crate::stats::student;
use arena_tournament::deals::Scored;

/// The effects of bots and seats on points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointsModel {
    /// The number of deals.
    pub deals: usize,
    /// The number of rows: seats in matches.
    pub rows: u64,
    /// The effect of each bot, in order of the leaderboard, relative to their mean.
    pub bots: Vec<BotEffect>,
    /// The effect of each seat, first to last, relative to their mean.
    pub seats: Vec<Effect>,
}

/// The effect of a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BotEffect {
    /// The bot.
    pub bot: String,
    /// Its effect.
    pub effect: Effect,
}

/// An effect on points per match.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Points per match.
    pub points: f64,
    /// The standard error, clustered by deal.
    pub error: f64,
    /// The ends of the 95 % t interval.
    pub interval: [f64; 2],
}

/// The effects of bots, where they had a seat, and of seats.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Effects {
    pub(crate) rows: u64,
    pub(crate) bots: Vec<Option<Effect>>,
    pub(crate) seats: Vec<Effect>,
}

/// The points of deals, as they are finished.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    bots: usize,
    seats: usize,
    numbers: HashMap<Arc<[Count]>, u32>,
    /// Who sat where how often: the cell is `bot · seats + seat`. Many deals have the same.
    designs: Vec<Arc<[Count]>>,
    /// For each deal, its design and the points of each of its cells.
    deals: BTreeMap<u32, (u32, Box<[i64]>)>,
}

/// The points of a deal that is not finished: a cell and points for each seat of each match.
pub(crate) type Rows = Vec<(u32, i32)>;

impl Points {
    /// For this many bots and seats.
    pub(crate) fn new(bots: usize, seats: usize) -> Self {
        Self { bots, seats, ..Self::default() }
    }

    /// The number of deals that were taken in.
    pub(crate) fn deals(&self) -> usize {
        self.deals.len()
    }

    /// Adds a match to the rows of its deal.
    pub(crate) fn count(&self, scored: &Scored, rows: &mut Rows) {
        let cell = |(seat, bot): (usize, &usize)| (bot * self.seats + seat) as u32;
        rows.extend(scored.bots.iter().enumerate().map(cell).zip(scored.seats.iter().map(|seat| seat.points)));
    }

    /// Takes in a finished deal.
    pub(crate) fn add(&mut self, deal: u32, rows: &Rows) {
        let design: Arc<[Count]> = deal_counts::merge(rows.iter().map(|(cell, _)| (*cell, 1)).collect()).into();
        let mut points = vec![0; design.len()].into_boxed_slice();
        for (cell, more) in rows {
            if let Ok(place) = design.binary_search_by_key(cell, |(cell, _)| *cell) {
                points[place] += i64::from(*more);
            }
        }
        let next = self.designs.len() as u32;
        let number = *self.numbers.entry(design.clone()).or_insert(next);
        if number == next {
            self.designs.push(design);
        }
        self.deals.insert(deal, (number, points));
    }

    /// The effects; none for fewer than two deals, or where bots cannot be told apart from seats or from deals.
    pub(crate) fn effects(&self) -> Option<Effects> {
        let deals = self.deals.len() as f64;
        if self.deals.len() < 2 {
            return None;
        }
        let sat = self.sat();
        let factor = self.normal(&sat).factor()?;
        let solution = factor.solve(&self.right());
        let rows: u64 = self.deals.values().map(|(design, _)| rows(&self.designs[*design as usize])).sum();
        let parameters = sat.iter().filter(|sat| **sat).count() + self.seats - 1;
        let free = rows as f64 - parameters as f64;
        if free <= 0.0 {
            return None;
        }
        let correction = deals / (deals - 1.0) * (rows as f64 - 1.0) / free;
        let reach = student::quantile(0.975, deals - 1.0);
        let middle = self.middle(&solution);
        let effect = |index: usize| {
            let error = (correction * variance(&factor, &middle, index)).max(0.0).sqrt();
            let points = solution[index];
            Effect { points, error, interval: [points - reach * error, points + reach * error] }
        };
        let bots = (0..self.bots).map(|bot| sat[bot].then(|| effect(bot))).collect();
        Some(Effects { rows, bots, seats: (self.bots..self.bots + self.seats).map(effect).collect() })
    }

    /// Which bots had a seat.
    fn sat(&self) -> Vec<bool> {
        let mut sat = vec![false; self.bots];
        self.designs
            .iter()
            .flat_map(|design| design.iter())
            .for_each(|(cell, _)| sat[*cell as usize / self.seats] = true);
        sat
    }

    /// The two parameters of a cell: its bot and its seat.
    fn parameters(&self, cell: u32) -> [usize; 2] {
        [cell as usize / self.seats, self.bots + cell as usize % self.seats]
    }

    /// X'X over all deals, with the mean of bots and the mean of seats held at 0.
    fn normal(&self, sat: &[bool]) -> Symmetric {
        let mut normal = Symmetric::zero(self.bots + self.seats);
        let mut times = vec![0.0; self.designs.len()];
        self.deals.values().for_each(|(design, _)| times[*design as usize] += 1.0);
        for (design, times) in self.designs.iter().zip(times) {
            for (cell, count) in design.iter() {
                let [bot, seat] = self.parameters(*cell);
                for (i, j) in [(bot, bot), (seat, seat), (bot, seat)] {
                    normal.add(i, j, times * f64::from(*count));
                }
            }
            let rows = rows(design) as f64;
            let sums = self.spread(design.iter().map(|(cell, count)| (*cell, f64::from(*count))));
            for (i, a) in &sums {
                sums.iter().filter(|(j, _)| j <= i).for_each(|(j, b)| normal.add(*i, *j, -times * a * b / rows));
            }
        }
        for i in 0..self.bots {
            if !sat[i] {
                normal.add(i, i, 1.0);
            }
            (0..=i).filter(|j| sat[i] && sat[*j]).for_each(|j| normal.add(i, j, 1.0));
        }
        for i in self.bots..self.bots + self.seats {
            (self.bots..=i).for_each(|j| normal.add(i, j, 1.0));
        }
        normal
    }

    /// X'y over all deals.
    fn right(&self) -> Vec<f64> {
        let mut right = vec![0.0; self.bots + self.seats];
        for (design, points) in self.deals.values() {
            for (index, value) in self.scores(&self.designs[*design as usize], points, &[]) {
                right[index] += value;
            }
        }
        right
    }

    /// The sum of X'e e'X over deals.
    fn middle(&self, solution: &[f64]) -> Symmetric {
        let mut middle = Symmetric::zero(self.bots + self.seats);
        for (design, points) in self.deals.values() {
            let scores = self.scores(&self.designs[*design as usize], points, solution);
            for (i, a) in &scores {
                scores.iter().filter(|(j, _)| j <= i).for_each(|(j, b)| middle.add(*i, *j, a * b));
            }
        }
        middle
    }

    /// X'e of a deal, by the parameters it has: e is what the solution leaves of the points, all of them if it is empty.
    fn scores(&self, design: &[Count], points: &[i64], solution: &[f64]) -> Vec<(usize, f64)> {
        let part = |index: usize| solution.get(index).copied().unwrap_or(0.0);
        let left = |((cell, count), points): (&Count, &i64)| {
            let [bot, seat] = self.parameters(*cell);
            *points as f64 - f64::from(*count) * (part(bot) + part(seat))
        };
        let left: Vec<f64> = design.iter().zip(points).map(left).collect();
        let mean = left.iter().sum::<f64>() / rows(design) as f64;
        let cells = design.iter().zip(&left);
        self.spread(cells.map(|((cell, count), left)| (*cell, left - f64::from(*count) * mean)))
    }

    /// The sums of cells over each bot and each seat.
    fn spread(&self, cells: impl Iterator<Item = (u32, f64)>) -> Vec<(usize, f64)> {
        let mut sums: Vec<(usize, f64)> = Vec::new();
        let mut seats = vec![None; self.seats];
        for (cell, value) in cells {
            let [bot, seat] = self.parameters(cell);
            // The cells rise, so those of a bot come together.
            match sums.last_mut() {
                Some((last, sum)) if *last == bot => *sum += value,
                _ => sums.push((bot, value)),
            }
            *seats[seat - self.bots].get_or_insert(0.0) += value;
        }
        sums.extend(seats.iter().enumerate().filter_map(|(seat, sum)| sum.map(|sum| (self.bots + seat, sum))));
        sums
    }
}

fn rows(design: &[Count]) -> u64 {
    design.iter().map(|(_, count)| u64::from(*count)).sum()
}

/// A cell on the diagonal of A⁻¹ M A⁻¹.
fn variance(factor: &Factor, middle: &Symmetric, index: usize) -> f64 {
    let mut unit = vec![0.0; middle.size()];
    unit[index] = 1.0;
    let row = factor.solve(&unit);
    row.iter().zip(middle.times(&row)).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deal, and for each seat its bot and points.
    const MATCHES: [(u32, [(usize, i32); 2]); 14] = [
        (1, [(0, 9), (1, 4)]),
        (1, [(1, 7), (0, 8)]),
        (1, [(0, 6), (2, 6)]),
        (2, [(2, 12), (0, 11)]),
        (2, [(1, 10), (2, 5)]),
        (2, [(0, 14), (1, 9)]),
        (3, [(2, 3), (1, 5)]),
        (3, [(1, 2), (0, 6)]),
        (4, [(0, 8), (2, 7)]),
        (4, [(2, 9), (1, 3)]),
        (4, [(1, 6), (2, 8)]),
        (5, [(0, 10), (1, 2)]),
        (5, [(2, 4), (0, 7)]),
        (5, [(0, 5), (2, 1)]),
    ];

    fn effects(matches: &[(u32, [(usize, i32); 2])]) -> Option<Effects> {
        let mut points = Points::new(4, 2);
        let mut deals: BTreeMap<u32, Rows> = BTreeMap::new();
        for (deal, seats) in matches {
            let rows = deals.entry(*deal).or_default();
            rows.extend(seats.iter().enumerate().map(|(seat, (bot, points))| ((bot * 2 + seat) as u32, *points)));
        }
        deals.iter().rev().for_each(|(deal, rows)| points.add(*deal, rows));
        points.effects()
    }

    /// The expected numbers are statsmodels' (0.14): `smf.ols("y ~ C(deal) + C(seat, Sum) + C(bot, Sum)", rows)
    /// .fit(cov_type="cluster", cov_kwds={"groups": deal})`, the errors times √((N − K − 4) / (N − K)), since it counts the
    /// other four deals among the K.
    #[test]
    fn effects_and_errors_are_those_of_statsmodels() {
        let effects = effects(&MATCHES).unwrap();
        let expected =
            [(1.92393513, 0.51714361), (-1.29585209, 0.49087096), (-0.62808304, 0.80055291), (0.61529266, 0.41149374)];
        let found = effects.bots[..3].iter().flatten().chain(&effects.seats[..1]);
        for (found, (points, error)) in found.zip(expected) {
            assert!((found.points - points).abs() < 1e-7 && (found.error - error).abs() < 1e-7, "{effects:?}");
            // The 0.975 quantile of Student's t with 4 degrees.
            assert!((found.interval[1] - points - 2.776_445_1 * error).abs() < 1e-6, "{effects:?}");
        }
        assert_eq!((effects.bots[3], effects.rows), (None, 28));
    }

    #[test]
    fn what_cannot_be_told_apart_has_no_effects() {
        assert_eq!(effects(&MATCHES[..3]), None);
        // Bots that never change seats; bots that share no deal.
        assert_eq!(effects(&[(1, [(0, 9), (1, 4)]), (2, [(0, 3), (1, 5)]), (3, [(0, 7), (1, 5)])]), None);
        let apart = [(1, [(0, 9), (1, 4)]), (1, [(1, 7), (0, 8)]), (2, [(2, 9), (3, 1)]), (2, [(3, 5), (2, 6)])];
        assert_eq!(effects(&apart), None);
    }
}
