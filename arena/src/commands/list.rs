//! `arena games` and `arena bots`: what there is.

use std::io::{self, Write};
use std::process::ExitCode;

use arena_bots::roster::{RANDOM, RANDOM_ABOUT, ROSTER};
use arena_bots::samples::{ANY, SAMPLES};
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use serde::Serialize;
use serde_json::Value;

use crate::cli::Listed;

/// A game.
#[derive(Serialize)]
struct Listing {
    name: &'static str,
    title: &'static str,
    least_seats: usize,
    most_seats: usize,
    rules: Value,
}

/// Lists the games with their seats and rules.
pub fn games(listed: &Listed) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let games: Vec<Listing> = games::NAMES.iter().filter_map(|name| games::visit(name, Describe)).collect();
    if listed.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&games)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for Listing { name, title, least_seats, most_seats, rules } in games {
        let seats =
            if least_seats == most_seats { format!("{most_seats}") } else { format!("{least_seats} to {most_seats}") };
        writeln!(out, "{name:<16} {title}, {seats} seats")?;
        for (rule, value) in rules.as_object().into_iter().flatten() {
            writeln!(out, "{:<16} --rule {rule}={value}", "")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Describe;

impl Visitor for Describe {
    type Out = Listing;

    fn visit<G: Game>(self) -> Listing {
        Listing {
            name: G::NAME,
            title: G::TITLE,
            least_seats: *G::SEATS.start(),
            most_seats: *G::SEATS.end(),
            rules: serde_json::to_value(G::Rules::default()).unwrap_or_default(),
        }
    }
}

/// A bot.
#[derive(Serialize)]
struct BotListing {
    name: &'static str,
    game: &'static str,
    about: &'static str,
}

/// Lists the bots that are built in, and the samples.
pub fn bots(listed: &Listed) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let random = BotListing { name: RANDOM, game: ANY, about: RANDOM_ABOUT };
    let ours = ROSTER.iter().map(|bot| BotListing { name: bot.name, game: bot.game, about: bot.about });
    let builtin: Vec<BotListing> = std::iter::once(random).chain(ours).collect();
    let samples = SAMPLES.iter().map(|bot| BotListing { name: bot.file, game: bot.game, about: bot.about });
    let samples: Vec<BotListing> = samples.collect();
    if listed.json {
        let both = serde_json::json!({ "builtin": builtin, "samples": samples });
        writeln!(out, "{}", serde_json::to_string_pretty(&both)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for BotListing { name, game, about } in builtin {
        writeln!(out, "{name:<20} {game}: {about}")?;
    }
    writeln!(out, "\nSamples, written into the demo's folder by `arena run`:")?;
    for BotListing { name, game, about } in samples {
        writeln!(out, "{name:<20} {game}: {about}")?;
    }
    Ok(ExitCode::SUCCESS)
}
