//! `arena games` and `arena bots`: list the games with their rules, and the built-in bots.

use std::process::ExitCode;

use arena_bots::roster;
use arena_engine::table::{self, Entry};
use arena_results::json;
use schemars::Schema;
use serde::Serialize;
use serde_json::{Map, Value};
use textwrap::Options;

use super::{print, rules};
use crate::cli::{self, OfGame};
use crate::terminal;

/// Width of the column of names, with its indentation.
const NAMES_WIDTH: usize = 29;

/// All known games.
#[derive(Serialize)]
pub struct Games {
    games: Vec<Listing>,
}

/// A game, as listed.
#[derive(Serialize)]
struct Listing {
    /// The name of the game, as used for `--game`.
    name: &'static str,
    /// The display name of the game.
    title: &'static str,
    /// Minimum number of seats.
    least_seats: usize,
    /// Maximum number of seats.
    most_seats: usize,
    /// The rules with their default values; see `Rules` in `arena schema GAME`.
    rules: Map<String, Value>,
    /// A sentence on each rule, with its valid values.
    #[serde(skip)]
    about: Schema,
    /// The built-in bots, weakest first.
    bots: Vec<BotListing>,
}

/// A built-in bot, as listed.
#[derive(Serialize)]
struct BotListing {
    /// The name of the bot, as used in `builtin:NAME`.
    bot: &'static str,
    /// One sentence on how it plays.
    about: &'static str,
}

/// Lists the games with their seats, rules and bots, or prints the rules page of one game.
pub fn games(args: &cli::Games) -> anyhow::Result<ExitCode> {
    let games = listings(&args.of);
    if args.json {
        let games = games.collect();
        return print(&json::document(Games { games })?);
    }
    if let Some(game) = args.of.game.as_deref().and_then(table::find) {
        let page = rules::rendered(game.rules_page, terminal::width());
        let bots = listing(game).bot_lines();
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
            text += &described(&format!("--rule {rule}={value}"), about.unwrap_or_default());
        }
        text += &game.bot_lines();
    }
    text += "\n`arena games GAME` prints the rules of a game.\n";
    print(&text)
}

/// Lists the built-in bots of one game, or of all.
pub fn bots(args: &OfGame) -> anyhow::Result<ExitCode> {
    let lines = listings(args).map(|game| game.headline() + &game.bot_lines());
    print(&lines.collect::<String>())
}

/// Returns the named game, or all.
fn listings(args: &OfGame) -> impl Iterator<Item = Listing> {
    let one = args.game.as_deref().map(table::find);
    let all: Vec<&Entry> = match one {
        Some(one) => one.into_iter().collect(),
        None => table::games().iter().collect(),
    };
    all.into_iter().map(listing)
}

impl Listing {
    /// Returns the name, the title and the numbers of seats of the game as one line.
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

    /// Returns one line per bot.
    fn bot_lines(&self) -> String {
        let line =
            |BotListing { bot, about }: &BotListing| described(&format!("builtin:{bot}"), about);
        self.bots.iter().map(line).collect()
    }
}

/// Formats a name and its description, wrapped to the width of the terminal.
fn described(name: &str, about: &str) -> String {
    let indent = " ".repeat(NAMES_WIDTH);
    let first = format!("  {name:<width$}", width = NAMES_WIDTH - 2);
    let options = Options::new(terminal::width())
        .initial_indent(&first)
        .subsequent_indent(&indent);
    textwrap::fill(about, options) + "\n"
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
        about: game.rulebook.rules_schema(),
        bots: bots.collect(),
    }
}
