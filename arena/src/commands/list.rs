//! `arena games`: the games, their rules and the built-in bots.

use std::process::ExitCode;

use arena_bots::roster;
use arena_engine::table::{self, Entry};
use arena_results::json;
use schemars::Schema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::print;
use crate::cli::JsonArgs;

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
    let games: Vec<Listing> = table::games().iter().map(listing).collect();
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

fn listing(game: &Entry) -> Listing {
    let bots = roster::listed(game.name).map(|bot| BotListing {
        name: bot.name,
        about: bot.about,
    });
    Listing {
        name: game.name,
        title: game.title,
        least_seats: *game.seats.start(),
        most_seats: *game.seats.end(),
        rules: game.standard_rules(),
        about: game.rules_schema(),
        bots: bots.collect(),
    }
}
