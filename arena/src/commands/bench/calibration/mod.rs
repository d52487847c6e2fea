//! `arena bench calibration`: how often intervals and tests are right.
//!
//! Real games between bots of graded strength: what is true of them is found by a long tournament, then many small ones
//! are played, and what those say is held against it.

mod claims;
mod coverage;
mod graded;
mod play;
mod report;
mod sequential;

use std::io::{self, Write};
use std::process::ExitCode;

use arena_engine::chance::Seed;
use arena_results::scored::Scored;
use arena_results::stats::pair::Pair;
use arena_results::stats::sprt::Model;
use rayon::prelude::*;

use self::play::Setting;
use self::report::{Game, Ratio, Report};
use self::sequential::Pool;
use crate::cli::BenchCalibration;
use crate::setup::BadSetup;

/// What is played.
const SETTINGS: [Setting; 3] = [
    Setting { game: "coda", good: "excluding", seats: 2, percents: &[0, 50, 70, 85, 100] },
    Setting { game: "crack-the-code", good: "consistent", seats: 2, percents: &[0, 50, 70, 85, 100] },
    Setting { game: "coda", good: "excluding", seats: 3, percents: &[0, 50, 80, 100] },
];
/// The bots of the field that meet in sequential tests, beside two equal ones.
const NEIGHBOURS: [usize; 2] = [2, 3];
/// How good the equal ones are, in percent.
const EQUALS: &[u32] = &[70, 70];

/// Measures it all, and prints it.
pub fn run(asked: &BenchCalibration) -> anyhow::Result<ExitCode> {
    let seed = Seed::try_from(asked.seed).map_err(|error| BadSetup::one(error.to_string()))?;
    let wanted = |setting: &Setting| asked.game.as_deref().is_none_or(|game| game == setting.game);
    let settings: Vec<&Setting> = SETTINGS.iter().filter(|setting| wanted(setting)).collect();
    if settings.is_empty() {
        return Err(BadSetup::one("the games that are measured are coda and crack-the-code").into());
    }
    let games = settings.into_iter().map(|setting| game(setting, seed, asked)).collect();
    let report = Report {
        seed,
        tournaments: asked.tournaments,
        tests: asked.tests.unwrap_or(asked.tournaments),
        truth_deals: asked.truth,
        resamples: coverage::RESAMPLES,
        games,
    };
    let mut out = io::stdout().lock();
    if asked.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        write!(out, "{}", report::text(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// All that is measured of one setting.
fn game(setting: &Setting, seed: Seed, asked: &BenchCalibration) -> Game {
    let seed = seed.child(setting.game, setting.seats as u64);
    let long = played(setting, seed.child("truth", 0), asked.truth);
    let truth = claims::claims(setting, &long, seed, asked.truth, 0);
    let pairs = claims::pairs(setting, &long);
    drop(long);
    let coverage = asked.deals.iter();
    let coverage =
        coverage.flat_map(|deals| coverage::coverage(setting, &truth, seed, *deals, asked.tournaments)).collect();
    let tests = asked.tests.unwrap_or(asked.tournaments);
    let pools = if setting.seats == 2 { pools(setting, &pairs, seed, asked.truth) } else { Vec::new() };
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
    let level = claims::pairs(&equal, &played(&equal, seed.child("equals", 0), deals));
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
