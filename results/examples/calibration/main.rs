//! The share of intervals and tests that are right: `cargo run --release -p arena-results --example calibration`.
//!
//! Real games between bots of graded strength: what is true of them is found by a long tournament, then many small ones
//! are played, and their claims are held against it.

mod claims;
mod coverage;
mod graded;
mod play;
mod report;
mod sequential;
#[cfg(test)]
mod tests;

use arena_engine::chance::Seed;
use arena_results::stats::pair::Pair;
use arena_tournament::deals::Scored;
use arena_tournament::test::Model;
use clap::Parser;
use rayon::prelude::*;

use self::play::Setting;
use self::report::{Calibration, Game, Ratio};
use self::sequential::Pool;

/// The tournaments that are played.
const SETTINGS: [Setting; 3] = [
    Setting { game: "coda", good: "excluding", seats: 2, percents: &[0, 50, 70, 85, 100] },
    Setting { game: "crack-the-code", good: "consistent", seats: 2, percents: &[0, 50, 70, 85, 100] },
    Setting { game: "coda", good: "excluding", seats: 3, percents: &[0, 50, 80, 100] },
];
/// The bots of the field that meet in sequential tests, beside two equal ones.
const NEIGHBOURS: [usize; 2] = [2, 3];
/// The strength of the equal ones, in percent.
const EQUALS: &[u32] = &[70, 70];

/// How often intervals and tests are right, in many tournaments between bots whose strength is known.
#[derive(Parser)]
#[command(after_help = "The same seed gives the same figures, on however many cores.")]
struct Args {
    /// How many tournaments are played for each number of deals
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    tournaments: u32,
    /// How many deals the tournaments have; may be repeated
    #[arg(long = "deals", value_name = "D", default_values_t = [10, 20, 50], value_parser = clap::value_parser!(u32).range(2..=10_000))]
    deals: Vec<u32>,
    /// How many deals the truth is taken from
    #[arg(long, default_value_t = 6_000, value_name = "D", value_parser = clap::value_parser!(u32).range(10..=10_000_000))]
    truth: u32,
    /// How many sequential tests and streams are run of each kind; as many as tournaments if left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    tests: Option<u32>,
    /// Only this game
    #[arg(long, value_parser = ["coda", "crack-the-code"])]
    game: Option<String>,
    /// Where all chance comes from
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=Seed::MAX))]
    seed: u64,
    /// As JSON
    #[arg(long)]
    json: bool,
}

fn main() {
    let args = Args::parse();
    let measured = calibration(&args);
    if args.json {
        println!("{}", serde_json::to_string(&measured).expect("figures can be written as JSON"));
    } else {
        print!("{}", report::text(&measured));
    }
}

/// Measures all settings that are wanted.
fn calibration(args: &Args) -> Calibration {
    let seed = Seed::try_from(args.seed).expect("the argument is in range");
    let wanted = |setting: &&Setting| args.game.as_deref().is_none_or(|game| game == setting.game);
    Calibration {
        seed,
        tournaments: args.tournaments,
        tests: args.tests.unwrap_or(args.tournaments),
        truth_deals: args.truth,
        resamples: coverage::RESAMPLES,
        games: SETTINGS.iter().filter(wanted).map(|setting| game(setting, seed, args)).collect(),
    }
}

/// Measures one setting.
fn game(setting: &Setting, seed: Seed, args: &Args) -> Game {
    let seed = seed.child(setting.game, setting.seats as u64);
    let long = played(setting, seed.child("truth", 0), args.truth);
    let truth = claims::claims(setting, &long, seed, args.truth, 0);
    let pairs = claims::pairs(setting, &long, seed);
    drop(long);
    let coverage = args.deals.iter();
    let coverage =
        coverage.flat_map(|deals| coverage::coverage(setting, &truth, seed, *deals, args.tournaments)).collect();
    let tests = args.tests.unwrap_or(args.tournaments);
    let pools = if setting.seats == 2 { pools(setting, &pairs, seed, args.truth) } else { Vec::new() };
    let tested = |pool: &Pool| {
        let models = [Model::Logistic, Model::Normalised];
        models.into_iter().flat_map(|model| sequential::test(pool, model, seed, tests)).collect::<Vec<_>>()
    };
    Game {
        game: setting.game,
        good: setting.good,
        seats: setting.seats,
        percents: setting.percents,
        score_ratio: Ratio::of(pairs.iter().filter_map(|pair| pair.variance_ratio)),
        points_ratio: Ratio::of(pairs.iter().filter_map(|pair| pair.points_variance_ratio)),
        coverage,
        sequential: pools.iter().flat_map(tested).collect(),
        peeking: pools.iter().map(|pool| sequential::peek(pool, seed, tests)).collect(),
        pools,
    }
}

/// The blocks that sequential tests draw from: of two equal bots, and of two neighbours in strength.
fn pools(setting: &Setting, pairs: &[Pair], seed: Seed, deals: u32) -> Vec<Pool> {
    let equal = Setting { percents: EQUALS, ..*setting };
    let level = claims::pairs(&equal, &played(&equal, seed.child("equals", 0), deals), seed);
    let [first, second] = NEIGHBOURS;
    let neighbours = pairs.iter().filter(|pair| [pair.first, pair.second] == [second.min(first), second.max(first)]);
    let name = format!("{} % against {} %", setting.percents[first], setting.percents[second]);
    let pool = |name: String, pair: &Pair| Some(Pool { name, counts: pair.pentanomial? });
    let level = level.iter().filter_map(|pair| Some(pool("equal bots".into(), pair)?.mirrored()));
    level.chain(neighbours.filter_map(|pair| pool(name.clone(), pair))).collect()
}

/// A long tournament, its deals shared out among the threads.
fn played(setting: &Setting, seed: Seed, deals: u32) -> Vec<Scored> {
    let by_deal: Vec<Vec<Scored>> = (1..=deals).into_par_iter().map(|deal| setting.deal(seed, deal)).collect();
    by_deal.into_iter().flatten().collect()
}
