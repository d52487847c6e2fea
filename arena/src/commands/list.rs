//! `arena games` and `arena bots`: what there is.

use std::process::ExitCode;

use arena_bots::roster::{RANDOM, RANDOM_ABOUT, ROSTER};
use arena_bots::samples::{ANY, SAMPLES};
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use schemars::{Schema, schema_for};
use serde::Serialize;
use serde_json::Value;

use super::print;
use crate::cli::Listed;

/// A game.
#[derive(Serialize)]
struct Listing {
    name: &'static str,
    title: &'static str,
    least_seats: usize,
    most_seats: usize,
    rules: Value,
    /// Each rule in a sentence, with what it may be.
    #[serde(skip)]
    about: Schema,
}

/// Lists the games with their seats and rules.
pub fn games(listed: &Listed) -> anyhow::Result<ExitCode> {
    let games: Vec<Listing> = games::NAMES.iter().filter_map(|name| games::visit(name, Describe)).collect();
    if listed.json {
        return print(&(serde_json::to_string_pretty(&games)? + "\n"));
    }
    let mut text = String::new();
    for Listing { name, title, least_seats, most_seats, rules, about } in games {
        let seats =
            if least_seats == most_seats { format!("{most_seats}") } else { format!("{least_seats} to {most_seats}") };
        text += &format!("{name:<16} {title}, {seats} seats\n");
        for (rule, value) in rules.as_object().into_iter().flatten() {
            let about = about.pointer(&format!("/properties/{rule}/description")).and_then(Value::as_str);
            let rule = format!("{rule}={value}");
            text += &format!("{:<16} --rule {rule:<18} {}\n", "", about.unwrap_or_default());
        }
    }
    print(&text)
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
            about: schema_for!(G::Rules),
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
    let random = BotListing { name: RANDOM, game: ANY, about: RANDOM_ABOUT };
    let ours = ROSTER.iter().map(|bot| BotListing { name: bot.name, game: bot.game, about: bot.about });
    let builtin: Vec<BotListing> = std::iter::once(random).chain(ours).collect();
    let samples = SAMPLES.iter().map(|bot| BotListing { name: bot.file, game: bot.game, about: bot.about });
    let samples: Vec<BotListing> = samples.collect();
    let lines = |bots: &[BotListing]| -> String {
        bots.iter().map(|BotListing { name, game, about }| format!("{name:<20} {game}: {about}\n")).collect()
    };
    if listed.json {
        let both = serde_json::json!({ "builtin": builtin, "samples": samples });
        return print(&(serde_json::to_string_pretty(&both)? + "\n"));
    }
    let heading = "\nSamples, written into the demo's folder by `arena run`:\n";
    print(&(lines(&builtin) + heading + &lines(&samples)))
}
