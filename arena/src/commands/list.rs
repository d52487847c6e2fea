//! `arena games`: the games, their rules and the built-in bots.

use std::process::ExitCode;

use arena_bots::roster::{RANDOM, RANDOM_ABOUT, ROSTER};
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
    /// The built-in bots, weakest first.
    bots: Vec<BotListing>,
}

/// A built-in bot.
#[derive(Serialize)]
struct BotListing {
    /// Its name, as `builtin:NAME` takes it.
    name: &'static str,
    /// How it plays, in a sentence.
    about: &'static str,
}

/// Lists the games with their seats, rules and bots.
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
        bots,
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
        for BotListing { name, about } in bots {
            text += &format!("{:<16} builtin:{name:<17} {about}\n", "");
        }
    }
    print(&text)
}

fn listing<G: Game>() -> Listing {
    let random = BotListing {
        name: RANDOM,
        about: RANDOM_ABOUT,
    };
    let others = ROSTER.iter().filter(|bot| bot.game == G::NAME);
    let others = others.map(|bot| BotListing {
        name: bot.name,
        about: bot.about,
    });
    Listing {
        name: G::NAME,
        title: G::TITLE,
        least_seats: *G::SEATS.start(),
        most_seats: *G::SEATS.end(),
        rules: rules::standard::<G>(),
        about: schema_for!(G::Rules),
        bots: std::iter::once(random).chain(others).collect(),
    }
}
