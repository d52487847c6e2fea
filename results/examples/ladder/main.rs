//! Strength of the built-in bots, each against the one below it, at tables of every size:
//! `cargo run --release -p arena-results --example ladder`.

mod play;
#[cfg(test)]
mod tests;

use arena_bots::roster;
use arena_engine::chance::Seed;
use arena_engine::table;
use clap::Parser;

use self::play::{Rung, Tables};

/// Plays each built-in bot against the one below it by the standard rules, and prints tables in Markdown.
#[derive(Parser)]
#[command(after_help = "The same seed gives the same scores, on however many cores.")]
struct Args {
    /// Number of deals for each table size, each played in all seatings of the stronger bot
    #[arg(long, default_value_t = 200, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    deals: u32,
    /// Seed of the first deal
    #[arg(long, default_value_t = 20_261_123, value_name = "S", value_parser = clap::value_parser!(u64).range(..=Seed::MAX))]
    seed: u64,
    /// Play only this game
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(table::names()))]
    game: Option<String>,
}

fn main() {
    let Args { deals, seed, game } = Args::parse();
    let seed = Seed::try_from(seed).expect("its range was checked");
    for name in table::names()
        .iter()
        .filter(|name| game.as_deref().is_none_or(|game| game == **name))
    {
        println!("{}", ladder(name, deals, seed));
    }
}

/// Formats the ladder of a game, strongest first.
fn ladder(game: &str, deals: u32, seed: Seed) -> String {
    let names: Vec<&str> = roster::names(game).collect();
    let rungs = names.windows(2).rev().map(|pair| {
        let tables = Tables {
            upper: pair[1],
            lower: pair[0],
            deals,
            seed,
        };
        tables.rung_of(game, None)
    });
    let rungs: Vec<Rung> = rungs.collect();
    let seats = rungs.first().map_or(0, |rung| rung.cells.len());
    let heads: String = (2..2 + seats)
        .map(|seats| format!(" {seats} seats |"))
        .collect();
    let mut lines = vec![
        format!("| {game} |{heads} time per move |"),
        format!("|---|{}---|", "---|".repeat(seats)),
    ];
    for Rung {
        name,
        cells,
        micros,
    } in &rungs
    {
        let cells: String = cells.iter().map(|cell| format!(" {cell} |")).collect();
        lines.push(format!("| `{name}` |{cells} {} |", time(*micros)));
    }
    lines.push(format!("| `{}` |{} |", names[0], " |".repeat(seats)));
    lines.join("\n") + "\n"
}

/// Formats a time with two digits.
fn time(micros: f64) -> String {
    match micros {
        ..1.0 => "below 1 µs".into(),
        ..1000.0 => format!("{} µs", two_digits(micros)),
        _ => format!("{} ms", two_digits(micros / 1000.0)),
    }
}

fn two_digits(number: f64) -> String {
    match number {
        ..10.0 => format!("{number:.1}"),
        ..100.0 => format!("{number:.0}"),
        _ => format!("{:.0}", (number / 10.0).round() * 10.0),
    }
}
