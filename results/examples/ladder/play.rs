//! Plays matches between a bot and the one below it, at tables of every size.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use arena_bots::roster;
use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::machine::Match;
use arena_engine::outcome::Outcome;
use arena_engine::player::{Player, Start, play};
use arena_statistics::cluster::{Cluster, OnDeal};
use arena_statistics::interval;
use rayon::prelude::*;

/// Time limit per move that the bots are told, in milliseconds. It is not enforced.
const MOVE_MS: u64 = 1000;

/// One bot at tables where another bot has all other seats.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a> {
    /// Name of the bot.
    pub upper: &'a str,
    /// Name of its opponent.
    pub lower: &'a str,
    /// Number of deals at tables of each size.
    pub deals: u32,
    /// Seed of the first deal.
    pub seed: Seed,
}

/// A bot with its scores.
#[derive(Clone, Debug)]
pub struct Rung {
    /// Name of the bot.
    pub name: String,
    /// Scores against the bot below, at tables of each size.
    pub cells: Vec<Cell>,
    /// Mean thinking time per move, in microseconds.
    pub micros: f64,
}

/// The score of a bot at tables of one size.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Fraction of matches won; a shared win counts half.
    pub score: f64,
    /// 95 % confidence interval of the fraction.
    pub interval: Option<[f64; 2]>,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", 100.0 * self.score)?;
        let Some([low, high]) = self.interval else {
            return write!(f, " %");
        };
        write!(f, " ({:.1}–{:.1}) %", 100.0 * low, 100.0 * high)
    }
}

/// One deal, with the bot in each of the seats.
#[derive(Default)]
struct Played {
    half_points: OnDeal,
    thinking: Arc<Thinking>,
}

/// Number of moves of a bot, and its thinking time in nanoseconds.
#[derive(Default)]
struct Thinking {
    moves: AtomicU64,
    nanos: AtomicU64,
}

impl Tables<'_> {
    /// Plays the matches of one rung in this game, at tables of these sizes, or of all sizes.
    pub fn rung_of(self, game: &str, seats: Option<RangeInclusive<usize>>) -> Rung {
        match game {
            Coda::NAME => self.rung::<Coda>(seats),
            Code777::NAME => self.rung::<Code777>(seats),
            CrackTheCode::NAME => self.rung::<CrackTheCode>(seats),
            DigitCode::NAME => self.rung::<DigitCode>(seats),
            other => panic!("there is no game {other}"),
        }
    }

    /// Plays the bot's matches in a game, at tables of these sizes.
    fn rung<G: Game>(self, sizes: Option<RangeInclusive<usize>>) -> Rung {
        let mut cells = Vec::new();
        let mut moves = 0;
        let mut nanos = 0;
        for seats in sizes.unwrap_or(G::SEATS) {
            let deals: Vec<Played> = (0..self.deals)
                .into_par_iter()
                .map(|deal| self.deal::<G>(seats, deal))
                .collect();
            let mut cluster = Cluster::default();
            for Played {
                half_points,
                thinking,
            } in deals
            {
                cluster.add(&half_points);
                moves += thinking.moves.load(Ordering::Relaxed);
                nanos += thinking.nanos.load(Ordering::Relaxed);
            }
            let score = cluster.mean().map_or(0.0, |half_points| half_points / 2.0);
            cells.push(Cell {
                score,
                interval: interval::of_score(&cluster),
            });
        }
        Rung {
            name: self.upper.into(),
            cells,
            micros: nanos as f64 / 1000.0 / moves.max(1) as f64,
        }
    }

    fn deal<G: Game>(&self, seats: usize, deal: u32) -> Played {
        let (thinking, mut half_points) = (Arc::new(Thinking::default()), OnDeal::default());
        let seed = (u64::from(self.seed) + u64::from(deal)) & Seed::MAX;
        let seed = Seed::try_from(seed).expect("it was cut to the greatest seed");
        for own in 0..seats {
            let mut table = Match::<G>::new(&G::Rules::default(), seats, seed)
                .expect("the game has such tables");
            let player = |seat: usize| -> Box<dyn Player<G>> {
                let name = if seat == own { self.upper } else { self.lower };
                let player = roster::make(name).expect("the roster was asked");
                if seat == own {
                    Box::new(Timed {
                        player,
                        thinking: thinking.clone(),
                    })
                } else {
                    player
                }
            };
            let mut players: Vec<Box<dyn Player<G>>> = (0..seats).map(player).collect();
            play(&mut table, &mut players, |_| Some(MOVE_MS));
            half_points.add(half_points_of(
                &table
                    .verdict()
                    .expect("the match was played to its end")
                    .outcome,
                own,
            ));
        }
        Played {
            half_points,
            thinking,
        }
    }
}

/// Returns two if the seat won the match, and one if it shares first place. If all seats of a larger table share it, no seat won.
fn half_points_of(outcome: &Outcome, own: usize) -> i64 {
    let winners = outcome
        .seats
        .iter()
        .filter(|score| score.place == 1)
        .count();
    let won = outcome
        .seats
        .iter()
        .nth(own)
        .is_some_and(|score| score.place == 1);
    match (won, winners) {
        (true, 1) => 2,
        (true, winners) if winners < outcome.seats.len() || winners == 2 => 1,
        _ => 0,
    }
}

/// A player whose thinking is timed.
struct Timed<G: Game> {
    player: Box<dyn Player<G>>,
    thinking: Arc<Thinking>,
}

impl<G: Game> Player<G> for Timed<G> {
    fn start(&mut self, start: &Start<'_, G::Rules>) {
        self.player.start(start);
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = G::Event>, prompt: &G::Prompt) -> G::Action {
        let begun = Instant::now();
        let action = self.player.act(events, prompt);
        self.thinking
            .nanos
            .fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.thinking.moves.fetch_add(1, Ordering::Relaxed);
        action
    }

    fn end(&mut self, events: &mut dyn Iterator<Item = G::Event>, outcome: &Outcome) {
        self.player.end(events, outcome);
    }
}
