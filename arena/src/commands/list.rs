//! `arena games` and `arena bots`: the games, their rules and the built-in bots.

use std::process::ExitCode;

use arena_bots::roster;
use arena_engine::table::{self, Entry};
use arena_results::json;
use schemars::Schema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{print, rules};
use crate::cli::{self, OfGame};
use crate::terminal;

/// What stands before lines below the name of a game.
const INDENT: &str = "                 ";

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
    bot: &'static str,
    /// How it plays, in a sentence.
    about: &'static str,
}

/// Lists the games with their seats, rules and bots, or prints the rules page of one.
pub fn games(args: &cli::Games) -> anyhow::Result<ExitCode> {
    let games = listings(&args.of);
    if args.json {
        let games = games.collect();
        return print(&json::document(Games { games })?);
    }
    if let Some(game) = args.of.game.as_deref().and_then(table::find) {
        let page = rules::rendered(game.rules_page, terminal::width());
        let bots = listing(game).bot_lines("");
        let name = game.name;
        return print(&format!(
            "{page}\n## Built-in bots\n\n{bots}\n`arena schema {name}` prints the messages of bots.\n"
        ));
    }
    let mut text = String::new();
    for game in games {
        text += &game.headline();
        for (rule, value) in &game.rules {
            let about = game
                .about
                .pointer(&format!("/properties/{rule}/description"))
                .and_then(Value::as_str);
            let rule = format!("{rule}={value}");
            text += &format!(
                "{:<16} --rule {rule:<18} {}\n",
                "",
                about.unwrap_or_default()
            );
        }
        text += &game.bot_lines(INDENT);
    }
    text += "\n`arena games GAME` prints the rules of a game.\n";
    print(&text)
}

/// Lists the built-in bots, of one game or of all.
pub fn bots(args: &OfGame) -> anyhow::Result<ExitCode> {
    let lines = listings(args).map(|game| game.headline() + &game.bot_lines(INDENT));
    print(&lines.collect::<String>())
}

/// The game that is named, or all.
fn listings(args: &OfGame) -> impl Iterator<Item = Listing> {
    let is_wanted = |game: &&Entry| args.game.as_ref().is_none_or(|name| name == game.name);
    table::games().iter().filter(is_wanted).map(listing)
}

impl Listing {
    /// Its name, title and seats.
    fn headline(&self) -> String {
        let least = if self.least_seats < self.most_seats {
            format!("{} to ", self.least_seats)
        } else {
            String::new()
        };
        format!(
            "{:<16} {}, {least}{} seats\n",
            self.name, self.title, self.most_seats
        )
    }

    /// Its bots, a line each.
    fn bot_lines(&self, indent: &str) -> String {
        let line =
            |BotListing { bot, about }: &BotListing| format!("{indent}builtin:{bot:<17} {about}\n");
        self.bots.iter().map(line).collect()
    }
}

fn listing(game: &Entry) -> Listing {
    let bots = roster::listed(game.name).map(|bot| BotListing {
        bot: bot.name,
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
