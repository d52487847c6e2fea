//! Measures the coverage of intervals and the error rates of tests: `cargo run --release -p arena-results --example calibration`.
//!
//! The games and bots are real. A long tournament is played, and many small ones are drawn from its deals. The claims of the small ones are
//! compared with the results over all deals.

mod claims;
mod coverage;
mod formats;
mod graded;
mod play;
mod report;
mod sequential;
#[cfg(test)]
mod tests;

use arena_engine::chance::Seed;
use arena_statistics::pair::Pair;
use clap::Parser;

use self::play::Setting;
use self::report::{Calibration, Game};
use self::sequential::Pool;

/// Versions of one bot, which differ on only a few deals.
const VERSIONS: Setting = Setting {
    game: "coda",
    seats: 2,
    bots: &[
        ("excluding", 100),
        ("excluding", 90),
        ("excluding", 90),
        ("excluding", 50),
    ],
    deviates: 12,
};
/// Tournaments to play.
const SETTINGS: [Setting; 6] = [
    VERSIONS,
    Setting {
        game: "coda",
        seats: 2,
        bots: &[
            ("exact", 100),
            ("excluding", 100),
            ("excluding", 85),
            ("excluding", 50),
            ("random", 100),
        ],
        deviates: 100,
    },
    Setting {
        game: "code-777",
        seats: 2,
        bots: &[
            ("inference", 100),
            ("guessing", 100),
            ("consistent", 100),
            ("consistent", 60),
            ("random", 100),
        ],
        deviates: 100,
    },
    Setting {
        game: "crack-the-code",
        seats: 2,
        bots: &[
            ("racer", 100),
            ("minimax", 100),
            ("consistent", 100),
            ("consistent", 70),
            ("random", 100),
        ],
        deviates: 100,
    },
    Setting {
        game: "digit-code",
        seats: 2,
        bots: &[
            ("entropy", 100),
            ("consistent", 100),
            ("consistent", 90),
            ("consistent", 50),
            ("random", 100),
        ],
        deviates: 100,
    },
    Setting {
        game: "coda",
        seats: 3,
        bots: &[
            ("exact", 100),
            ("excluding", 100),
            ("excluding", 70),
            ("random", 100),
        ],
        deviates: 100,
    },
];
/// Measures the coverage of intervals and the error rates of tests, in many tournaments between bots of known strength.
#[derive(Parser)]
#[command(after_help = "The same seed gives the same figures, on however many cores.")]
struct Args {
    /// Number of tournaments to draw for each number of deals
    #[arg(long, default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    tournaments: u32,
    /// Number of deals per tournament; may be repeated
    #[arg(long = "deals", value_name = "D", default_values_t = [3, 5, 10, 15, 30, 100], value_parser = clap::value_parser!(u32).range(2..=10_000))]
    deals: Vec<u32>,
    /// Number of deals to play, from which tournaments are drawn
    #[arg(long, default_value_t = 2_000, value_name = "D", value_parser = clap::value_parser!(u32).range(10..=10_000_000))]
    truth: u32,
    /// Number of sequential tests and streams of each kind; by default that of tournaments
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    tests: Option<u32>,
    /// Measure only this game
    #[arg(long, value_parser = ["coda", "code-777", "crack-the-code", "digit-code"])]
    game: Option<String>,
    /// Measure only the claims by format
    #[arg(long, conflicts_with = "game")]
    formats: bool,
    /// Random seed
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=Seed::MAX))]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn main() {
    let args = Args::parse();
    let measured = calibration(&args);
    if args.json {
        println!(
            "{}",
            serde_json::to_string(&measured).expect("figures can be written as JSON")
        );
    } else {
        print!("{}", report::text(&measured));
    }
}

/// Measures all requested settings.
fn calibration(args: &Args) -> Calibration {
    let seed = Seed::try_from(args.seed).expect("the argument is in range");
    let wanted = |setting: &&Setting| {
        !args.formats && args.game.as_deref().is_none_or(|game| game == setting.game)
    };
    Calibration {
        seed,
        tournaments: args.tournaments,
        tests: args.tests.unwrap_or(args.tournaments),
        truth_deals: args.truth,
        games: SETTINGS
            .iter()
            .filter(wanted)
            .map(|setting| game(setting, seed, args))
            .collect(),
        formats: if args.game.is_none() {
            formats::measure(seed, args.truth, args.tournaments)
        } else {
            Vec::new()
        },
    }
}

/// Measures one setting.
fn game(setting: &Setting, seed: Seed, args: &Args) -> Game {
    let seed = seed
        .child(setting.game, setting.seats as u64)
        .child("deviates", setting.deviates.into());
    let pool = setting.play(seed, args.truth);
    let pairs = claims::analyse(setting, &pool, seed, args.truth).pairs;
    let coverage = args.deals.iter();
    let coverage = coverage
        .flat_map(|deals| coverage::coverage(setting, &pool, seed, *deals, args.tournaments))
        .collect();
    let alarms = args
        .deals
        .iter()
        .map(|deals| coverage::alarms(setting, &pool, seed, *deals, args.tournaments))
        .collect();
    let tests = args.tests.unwrap_or(args.tournaments);
    let pools = if setting.seats == 2 && setting.deviates == 100 {
        pools(setting, &pairs)
    } else {
        Vec::new()
    };
    let tested = |pool: &Pool| sequential::test(pool, seed, tests);
    Game {
        game: setting.game,
        seats: setting.seats,
        bots: setting.names(),
        deviates: setting.deviates,
        coverage,
        alarms,
        sequential: pools.iter().flat_map(tested).collect(),
        peeking: pools
            .iter()
            .map(|pool| sequential::peek(pool, seed, tests))
            .collect(),
        pools,
    }
}

/// Returns the pools of blocks from which sequential tests draw. Both pools hold the blocks of the first two bots of similar strength. One
/// pool also holds the mirror images of these blocks, which makes the bots equal.
fn pools(setting: &Setting, pairs: &[Pair]) -> Vec<Pool> {
    let near = |pair: &&Pair| {
        pair.estimate
            .is_some_and(|one| (0.2..=0.8).contains(&one.score))
    };
    let Some((pair, counts)) = pairs
        .iter()
        .find(near)
        .and_then(|pair| Some((pair, pair.pentanomial?)))
    else {
        return Vec::new();
    };
    let names = setting.names();
    let name = format!("{} against {}", names[pair.first], names[pair.second]);
    vec![
        Pool {
            name: format!("{name}, mirrored"),
            counts,
        }
        .mirrored(),
        Pool { name, counts },
    ]
}
