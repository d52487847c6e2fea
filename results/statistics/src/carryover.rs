//! Detects bots that score more when a deal is repeated, because they carry knowledge from match to match by some channel.
//!
//! The order of a deal's matches is random ([`arena_tournament::schedule`]). If a bot carries nothing over, each of its matches on the deal
//! is therefore equally likely to have been played first, whatever their results. Seats, opponents and luck cannot bias this test (Fisher
//! 1935). Let `x_j` be the points of the bot's matches on a deal, minus its mean points on earlier deals in that seat against those
//! opponents. A gambler who bets that the first match is low has a capital of
//!
//! ```text
//! K ∏= exp(−θ x_1) / mean_j exp(−θ x_j)
//! ```
//!
//! On average, the capital stays the same. So the probability that it ever reaches 1/α is at most α, at any number of looks (Ville 1939).

use std::collections::{BTreeMap, HashMap};

use arena_tournament::deals::{Deal, Scored};
use arena_tournament::field::Meeting;
use arena_tournament::schedule::of_deals;
use arena_tournament::spec::Spec;
use serde::Serialize;

/// The maximum probability of any warning, at any number of looks, if no bot in the field carries anything over.
const ERROR_RATE: f64 = 0.01;
/// The bets θ, per standard deviation of the points of matches on a deal. Small bets are best for many deals, large ones for few.
const BETS: [f64; 4] = [0.1, 0.2, 0.4, 0.8];
/// Maximum distance of points from the mean of their deal, in standard deviations. Points beyond it are clipped.
const MAX_DEVIATIONS: f64 = 3.0;

/// A bot that scores more in later matches of a deal than in its first one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Carryover {
    /// The name of the bot.
    pub bot: String,
    /// Number of finished deals on which the bot had more than one match without a forfeit.
    pub deals: u64,
    /// Points per match in later matches of a deal minus those in the first match, for equal seats and opponents.
    pub gain: f64,
    /// The p-value, valid for all bots together and at any number of looks.
    pub p: f64,
}

/// Bets on all bots, deal by deal.
#[derive(Clone, Debug)]
pub struct Carryovers {
    spec: Spec,
    /// Mean points of each bot in each seat against each other bot.
    cells: Vec<Mean>,
    bots: Vec<Bets>,
}

/// Bets on one bot.
#[derive(Clone, Copy, Debug, Default)]
struct Bets {
    points: Mean,
    /// Variance of the points on a deal.
    variance: Mean,
    gain: Mean,
    /// Logarithms of the capital of each bet, and of the largest mean of these capitals so far.
    capitals: [f64; BETS.len()],
    greatest: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    count: f64,
    sum: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
    }

    /// Returns the mean after adding a value.
    fn with(&self, value: f64) -> f64 {
        (self.sum + value) / (self.count + 1.0)
    }

    /// Returns the mean; 0 if there are no values.
    fn value(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }
}

impl Carryovers {
    /// Creates a detector that has seen no matches.
    pub fn new(spec: &Spec) -> Self {
        let bots = spec.bots.len();
        Self {
            cells: vec![Mean::default(); bots * bots * spec.plan.seats],
            bots: vec![Bets::default(); bots],
            spec: spec.clone(),
        }
    }

    /// Adds a deal. Each deal must be added once. Unfinished deals are ignored.
    pub fn add(&mut self, deal: &Deal) {
        if !deal.finished {
            return;
        }
        // A forfeit reveals nothing about a bot's knowledge.
        let whole = deal
            .matches
            .iter()
            .filter(|scored| scored.seats.iter().all(|seat| seat.fault.is_none()));
        let whole: HashMap<&[usize], &Scored> =
            whole.map(|scored| (&scored.bots[..], scored)).collect();
        let bots = deal.blocks.iter().map(|block| block.bots.clone());
        let meetings: Vec<Meeting> = bots
            .map(|bots| Meeting {
                bots,
                deals: deal.number..=deal.number,
            })
            .collect();
        let mut excess: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for planned in of_deals(&[deal.number], self.spec.field(), &meetings) {
            let Some(scored) = whole.get(&planned.seats[..]) else {
                continue;
            };
            for (seat, bot) in scored.bots.iter().enumerate() {
                let points = f64::from(scored.seats[seat].points);
                excess
                    .entry(*bot)
                    .or_default()
                    .push(points - self.expected(&scored.bots, seat));
            }
        }
        excess
            .iter()
            .filter(|(_, excess)| excess.len() > 1)
            .for_each(|(bot, excess)| self.bots[*bot].add(excess));
        for scored in whole.values() {
            for (seat, bot) in scored.bots.iter().enumerate() {
                let points = f64::from(scored.seats[seat].points);
                self.bots[*bot].points.add(points);
                self.cells(&scored.bots, seat)
                    .for_each(|cell| self.cells[cell].add(points));
            }
        }
    }

    /// Returns the bots to warn about, in order.
    pub fn warnings(&self) -> Vec<Carryover> {
        let all = self
            .spec
            .bots
            .iter()
            .zip(&self.bots)
            .map(|(entrant, bets)| Carryover {
                bot: entrant.name.clone(),
                deals: bets.gain.count as u64,
                gain: bets.gain.value(),
                p: (self.bots.len() as f64 * (-bets.greatest).exp()).min(1.0),
            });
        all.filter(|carryover| carryover.p <= ERROR_RATE).collect()
    }

    /// Returns the expected points of the bot in this seat, computed from earlier deals.
    fn expected(&self, bots: &[usize], seat: usize) -> f64 {
        let mean = self.bots[bots[seat]].points.value();
        self.cells(bots, seat)
            .map(|cell| self.cells[cell].with(mean))
            .sum::<f64>()
            / (bots.len() - 1) as f64
    }

    /// Returns the indices of the cells for the bot in this seat, one for each other bot at the table.
    fn cells(&self, bots: &[usize], seat: usize) -> impl Iterator<Item = usize> + use<> {
        let bot = bots[seat];
        let all = self.bots.len();
        let seats = self.spec.plan.seats;
        let others: Vec<usize> = bots.iter().copied().filter(|other| *other != bot).collect();
        others
            .into_iter()
            .map(move |other| (bot * all + other) * seats + seat)
    }
}

impl Bets {
    /// Adds another deal, given the points of its matches minus the expected points, first match first.
    fn add(&mut self, excess: &[f64]) {
        let of = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let mean = of(excess);
        let variance = excess
            .iter()
            .map(|points| (points - mean).powi(2))
            .sum::<f64>()
            / excess.len() as f64;
        let typical = self.variance.value().sqrt();
        if typical > 0.0 {
            let results: Vec<f64> = excess
                .iter()
                .map(|points| ((points - mean) / typical).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS))
                .collect();
            for (capital, bet) in self.capitals.iter_mut().zip(BETS) {
                let possible: Vec<f64> =
                    results.iter().map(|result| (-bet * result).exp()).collect();
                *capital += (possible[0] / of(&possible)).ln();
            }
            let most = self
                .capitals
                .iter()
                .copied()
                .fold(f64::NEG_INFINITY, f64::max);
            let all = self.capitals.map(|capital| (capital - most).exp());
            self.greatest = self.greatest.max(most + of(&all).ln());
        }
        self.variance.add(variance);
        self.gain.add(of(&excess[1..]) - excess[0]);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use arena_engine::chance::Seed;
    use arena_engine::fault::Cause;
    use arena_tournament::deals::SeatResult;
    use arena_tournament::formats::Choice;
    use arena_tournament::formats::balanced::Balanced;
    use arena_tournament::formats::gauntlet::Gauntlet;
    use arena_tournament::formats::swiss::Swiss;
    use arena_tournament::sample::{gathered, tournament};
    use arena_tournament::schedule::schedule;

    use super::*;

    /// Creates a tournament of ten bots in this format.
    fn field(format: Choice, seats: usize, deals: u32, seed: u64) -> Spec {
        let mut spec = tournament(
            &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
            seats,
            deals,
        );
        (spec.plan.format, spec.plan.seed) = (format, Seed::try_from(seed).unwrap());
        spec
    }

    /// Returns the warnings after all rounds between bots of very different strengths, where the first seat has an advantage. Bot `a`
    /// scores `better` more points whenever it has already met the deal.
    fn warned(spec: &Spec, better: u32, binary: bool) -> Vec<Carryover> {
        let mut carryovers = Carryovers::new(spec);
        let mut blocks = Vec::new();
        let mut met = BTreeSet::new();
        for round in 1..=spec.rounds() {
            let meetings = spec.meetings(round, &blocks);
            let matches = schedule(spec.field(), &meetings).map(|planned| {
                let mut chance = spec
                    .deal_seed(planned.deal)
                    .stream(&planned.id(&spec.names()), 0);
                let strength = |(seat, bot): (usize, &usize)| {
                    let knows = *bot == 0 && !met.insert(planned.deal);
                    chance.below(30)
                        + 3 * *bot as u32
                        + if seat == 0 { 5 } else { 0 }
                        + if knows { better } else { 0 }
                };
                let strengths: Vec<u32> = planned.seats.iter().enumerate().map(strength).collect();
                let most = strengths.iter().max().copied().unwrap();
                let seat = |strength: &u32| {
                    let place = if *strength == most { 1 } else { 2 };
                    let points = if binary {
                        u32::from(place == 1)
                    } else {
                        strength / (5 * u32::from(place) - 4)
                    };
                    let fault = (chance.below(40) == 0).then_some(Cause::Crash);
                    SeatResult {
                        place,
                        points: points as i32,
                        fault,
                        counts: vec![],
                    }
                };
                let seats = strengths.iter().map(seat).collect();
                Scored {
                    deal: planned.deal,
                    bots: planned.seats,
                    seats,
                    transcript: 0,
                }
            });
            let matches: Vec<Scored> = matches.collect();
            for deal in gathered(spec.gather(), matches) {
                carryovers.add(&deal);
                blocks.extend(deal.finished_blocks().cloned());
            }
        }
        carryovers.warnings()
    }

    fn formats() -> Vec<(Choice, usize, u32)> {
        let gauntlet = Choice::Gauntlet(Gauntlet {
            challengers: vec!["a".into()],
        });
        let balanced = |tables| Choice::Balanced(Balanced { tables });
        vec![
            (Choice::default(), 2, 100),
            (gauntlet, 2, 100),
            (balanced(4), 3, 100),
            (balanced(5), 4, 100),
            (Choice::Swiss(Swiss { rounds: 5 }), 2, 20),
        ]
    }

    #[test]
    fn a_reader_of_later_matches_is_found_and_nobody_else() {
        for (format, seats, deals) in formats() {
            for binary in [false, true] {
                let spec = field(format.clone(), seats, deals, 3);
                let found = warned(&spec, 20, binary);
                let names: Vec<&str> = found.iter().map(|one| one.bot.as_str()).collect();
                assert_eq!(names, ["a"], "{}, {seats} seats", format.name());
                assert!(
                    found[0].p < 0.001 && found[0].gain > 0.2 && found[0].deals > 60,
                    "{found:?}"
                );
            }
        }
    }

    /// Checks that the probability of any warning is at most 1 % per tournament. At a single look, it is far less.
    #[test]
    fn bots_that_carry_nothing_are_not_accused() {
        for (format, seats, deals) in formats() {
            for seed in 1..=6 {
                let spec = field(format.clone(), seats, deals, seed);
                assert_eq!(
                    warned(&spec, 0, seed % 2 == 0),
                    [],
                    "{}, {seats} seats, seed {seed}",
                    format.name()
                );
            }
        }
    }
}
