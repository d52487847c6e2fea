//! Measures how often an opponent beats a built-in Digit Code bot by always hiding the same code, or one of six such codes.
//!
//! `cargo run --release -p arena-bots --example constant_code -- BOT CODES SEED [CODE...]` hides random codes, keeps the most successful
//! ones in several stages, and plays the remaining ones on new deals. Apart from the hidden code, the opponent plays like the bot. If codes
//! are named on the command line, only these are played.
#![expect(clippy::unwrap_used, reason = "an example")]

use std::env;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arena_bots::roster;
use arena_engine::chance::Seed;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::games::digit_code::code::Code;
use arena_engine::games::digit_code::types::{Action, Event, Prompt, Rules};
use arena_engine::machine::Match;
use arena_engine::player::{Player, Start, play};
use arena_engine::seat::Seat;

/// Number of matches per code in each stage. After a stage, an eighth of the codes is kept.
const STAGES: [u64; 3] = [4, 16, 60];
/// Minimum number of codes that are kept.
const MIN_CODES: usize = 6;
/// Number of new matches that measure the remaining codes.
const FINAL_MATCHES: u64 = 400;

/// A player that plays like a given bot, except that it always hides this code, if there is one.
struct Constant(Box<dyn Player<DigitCode>>, Option<Code>);

impl Player<DigitCode> for Constant {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.0.start(start);
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        match (self.0.act(events, prompt), self.1) {
            (Action::Hide { .. }, Some(code)) => Action::Hide { code },
            (action, _) => action,
        }
    }
}

/// Returns the win rate of a code, with half of the matches played in each seat. A draw is half a win.
fn share(bot: &str, rival: &str, code: Option<Code>, matches: u64, seed: Seed) -> f64 {
    let won = (0..matches).map(|number| {
        let deal = seed.child(&format!("{code:?}"), number / 2);
        let mut table = Match::<DigitCode>::new(&Rules::default(), 2, deal).unwrap();
        let make = |name: &str| roster::make::<DigitCode>(name).unwrap();
        let mut players: Vec<Box<dyn Player<DigitCode>>> =
            vec![Box::new(Constant(make(rival), code)), make(bot)];
        let own = (number % 2) as u8;
        if own == 1 {
            players.reverse();
        }
        play(&mut table, &mut players, |_| None);
        let points = |seat: u8| table.verdict().unwrap().outcome.seats[Seat(seat)].points;
        f64::from(1 + points(own) - points(1 - own)) / 2.0
    });
    won.sum::<f64>() / matches as f64
}

/// Plays each code in this many matches. Returns the win rates, highest first.
fn ranked(bot: &str, codes: &[Code], matches: u64, seed: Seed) -> Vec<(f64, Code)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mine = std::iter::from_fn(|| codes.get(next.fetch_add(1, Ordering::Relaxed)));
        mine.map(|code| (share(bot, bot, Some(*code), matches, seed), *code))
            .collect::<Vec<_>>()
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut found: Vec<(f64, Code)> = thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter()
            .flat_map(|one| one.join().unwrap())
            .collect()
    });
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    found
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let (bot, count, seed) = (&words[0], &words[1], &words[2]);
    let seed = Seed::try_from(seed.parse::<u64>().unwrap()).unwrap();
    let mut codes: Vec<Code> = words[3..]
        .iter()
        .map(|code| code.parse().unwrap())
        .collect();
    if codes.is_empty() {
        let mut chance = seed.stream("codes", 0);
        codes = (0..count.parse::<usize>().unwrap())
            .map(|_| Code::random(&mut chance))
            .collect();
        for (stage, matches) in STAGES.iter().enumerate() {
            let found = ranked(bot, &codes, *matches, seed.child("stage", stage as u64));
            let left = (codes.len() / 8).max(MIN_CODES).min(codes.len());
            codes = found[..left].iter().map(|found| found.1).collect();
            eprintln!("{left} codes are left; the best won {:.3}", found[0].0);
        }
    }
    let rival = share(bot, "entropy", None, 2_000, seed.child("rival", 0));
    println!("entropy: {:.1} %", 100.0 * rival);
    let found = ranked(bot, &codes, FINAL_MATCHES, seed.child("measured", 0));
    for (share, code) in &found {
        println!("{code}: {:.1} %", 100.0 * share);
    }
    let mean = found.iter().map(|found| found.0).sum::<f64>() / found.len() as f64;
    println!("all of them: {:.1} %", 100.0 * mean);
}
