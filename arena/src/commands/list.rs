//! `arena games` and `arena bots`: what there is.

use std::process::ExitCode;

use arena_bots::roster::{RANDOM, RANDOM_ABOUT, ROSTER};
use arena_bots::samples::{ANY, SAMPLES};
use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::games;
use arena_results::json;
use schemars::{Schema, schema_for};
use serde::Serialize;
use serde_json::{Map, Value};

use super::print;
use crate::cli::JsonArgs;
use arena_config::rules;

/// The games that there are.
#[derive(Serialize)]
pub struct Games {
    /// The games.
    games: Vec<Listing>,
}

/// A game.
#[derive(Serialize)]
struct Listing {
    /// Its name, as `--game` takes it.
    name: &'static str,
    /// Its title, for people.
    title: &'static str,
    /// The fewest seats of a table.
    least_seats: usize,
    /// The most seats of a table.
    most_seats: usize,
    /// Its rules with their defaults: `Rules` of `arena schema GAME`.
    rules: Map<String, Value>,
    /// Each rule in a sentence, with what it may be.
    #[serde(skip)]
    about: Schema,
}

/// Lists the games with their seats and rules.
pub fn games(args: &JsonArgs) -> anyhow::Result<ExitCode> {
    let games: Vec<Listing> = games::NAMES
        .iter()
        .filter_map(|name| by_name!(name, G => listing::<G>()))
        .collect();
    if args.json {
        return print(&json::document(Games { games })?);
    }
    let mut text = String::new();
    for Listing {
        name,
        title,
        least_seats,
        most_seats,
        rules,
        about,
    } in games
    {
        let least = if least_seats < most_seats {
            format!("{least_seats} to ")
        } else {
            String::new()
        };
        text += &format!("{name:<16} {title}, {least}{most_seats} seats\n");
        for (rule, value) in &rules {
            let about = about
                .pointer(&format!("/properties/{rule}/description"))
                .and_then(Value::as_str);
            let rule = format!("{rule}={value}");
            text += &format!(
                "{:<16} --rule {rule:<18} {}\n",
                "",
                about.unwrap_or_default()
            );
        }
    }
    print(&text)
}

fn listing<G: Game>() -> Listing {
    Listing {
        name: G::NAME,
        title: G::TITLE,
        least_seats: *G::SEATS.start(),
        most_seats: *G::SEATS.end(),
        rules: rules::standard::<G>(),
        about: schema_for!(G::Rules),
    }
}

/// The bots that there are.
#[derive(Serialize)]
pub struct Bots {
    /// Those that are built in.
    builtin: Vec<BotListing>,
    /// Samples: programs that `arena run` writes into the folder of its demo.
    samples: Vec<BotListing>,
}

/// A bot.
#[derive(Serialize)]
struct BotListing {
    /// Its name, as `builtin:NAME` takes it; of a sample the name of its file.
    name: &'static str,
    /// The game that it plays, or `any game`.
    game: &'static str,
    /// How it plays, in a sentence.
    about: &'static str,
}

/// Lists the bots that are built in, and the samples.
pub fn bots(args: &JsonArgs) -> anyhow::Result<ExitCode> {
    let random = BotListing {
        name: RANDOM,
        game: ANY,
        about: RANDOM_ABOUT,
    };
    let ours = ROSTER.iter().map(|bot| BotListing {
        name: bot.name,
        game: bot.game,
        about: bot.about,
    });
    let builtin: Vec<BotListing> = std::iter::once(random).chain(ours).collect();
    let samples = SAMPLES.iter().map(|bot| BotListing {
        name: bot.file,
        game: bot.game,
        about: bot.about,
    });
    let samples: Vec<BotListing> = samples.collect();
    let lines = |bots: &[BotListing]| -> String {
        bots.iter()
            .map(|BotListing { name, game, about }| format!("{name:<20} {game}: {about}\n"))
            .collect()
    };
    if args.json {
        return print(&json::document(Bots { builtin, samples })?);
    }
    let heading = "\nSamples, written into the demo's folder by `arena run`:\n";
    print(&(lines(&builtin) + heading + &lines(&samples)))
}
