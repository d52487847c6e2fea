//! `arena games` and `arena bots`: what there is.

use std::io::{self, Write};
use std::process::ExitCode;

use arena_bots::roster::{RANDOM, RANDOM_ABOUT, ROSTER};
use arena_bots::samples::SAMPLES;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};

/// Lists the games with their seats and rules.
pub fn games() -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    for name in games::NAMES {
        if let Some(line) = games::visit(name, Describe) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Describe;

impl Visitor for Describe {
    type Out = String;

    fn visit<G: Game>(self) -> String {
        let rules = serde_json::to_value(G::Rules::default()).unwrap_or_default();
        let rules = rules.as_object().into_iter().flatten().map(|(name, value)| format!("{name} = {value}"));
        let rules: Vec<String> = rules.collect();
        let (least, most) = (G::SEATS.start(), G::SEATS.end());
        format!("{:<16}{}, {least} to {most} seats; rules: {}", G::NAME, G::TITLE, rules.join(", "))
    }
}

/// Lists the bots that are built in, and the samples.
pub fn bots() -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    writeln!(out, "{RANDOM:<20}any game: {RANDOM_ABOUT}")?;
    for bot in ROSTER {
        writeln!(out, "{:<20}{}: {}", bot.name, bot.game, bot.about)?;
    }
    writeln!(out, "\nSamples, written into the demo's folder by `arena run`:")?;
    for sample in SAMPLES {
        writeln!(out, "{:<20}{}: {}", sample.file, sample.game, sample.about)?;
    }
    Ok(ExitCode::SUCCESS)
}
