//! A tournament file to begin with, every key explained.

use std::path::Path;

use arena_bots::roster;
use arena_engine::by_name;
use arena_engine::chance::Seed;
use arena_engine::games;
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::formats::{self, Listed};
use arena_tournament::key::{Example, Key};
use arena_tournament::keys;

use crate::rules;

/// The column in which comments begin.
const COMMENTS: usize = 34;
/// The columns that comments fill.
const COLUMNS: usize = 116;

/// The tournament that a new file is for.
pub struct Sketch<'a> {
    /// Its name.
    pub name: &'a str,
    /// The game, one that there is.
    pub game: &'a str,
    /// The format.
    pub format: &'static Listed,
    /// The seed.
    pub seed: Seed,
    /// The bots beside those that are built in.
    pub bots: &'a [Entrant],
    /// Where they run, if not in the folder of the file.
    pub away: Option<&'a Path>,
}

/// The text of the file.
pub fn text(sketch: &Sketch<'_>) -> String {
    let others = formats::NAMES.iter().copied();
    let others: Vec<&str> = others.filter(|name| *name != sketch.format.name).collect();
    let mut lines: Vec<String> = vec![
        "# A tournament, to be played with `arena run`. `arena games` lists the games with their rules and built-in".into(),
        "# bots. Text after a # is ignored; keys there show their defaults.".into(),
        String::new(),
        key("name", &quoted(sketch.name), "name of the tournament"),
        key("game", &quoted(sketch.game), &format!("game to play: {}", games::NAMES.join(", "))),
        key("format", &quoted(sketch.format.name), sketch.format.about),
        format!("{:<COMMENTS$}# others: {}", "", others.join(", ")),
    ];
    let declared = |keys| declared(keys, sketch);
    lines.extend(declared(sketch.format.keys));
    lines.extend(declared(keys::TOURNAMENT));
    lines.push(section("[rules]", "`arena games` explains them"));
    let rules = by_name!(sketch.game, G => rules::standard::<G>());
    for (name, value) in rules.into_iter().flatten() {
        lines.push(format!("{name} = {value}"));
    }
    lines.push(section("[clock]", "time limits, in milliseconds"));
    lines.extend(declared(keys::CLOCK));
    lines.push(section("[limits]", "resource limits of each program"));
    lines.extend(declared(keys::LIMITS));
    for entrant in bots(sketch) {
        lines.push("\n[[bots]]".into());
        lines.push(key(
            "name",
            &quoted(&entrant.name),
            "name in this tournament",
        ));
        match &entrant.bot {
            Bot::Builtin(name) => {
                lines.push(key("builtin", &quoted(name), "a bot that is built in"));
            }
            bot => {
                let command = quoted(&bot.to_string());
                lines.push(key("command", &command, "a program with its arguments"));
                let away = sketch.away.map(|away| quoted(&away.to_string_lossy()));
                lines.extend(away.map(|away| key("dir", &away, "where it runs")));
            }
        }
    }
    let about = "your own program: remove the # from these lines";
    lines.push(section("# [[bots]]", about));
    lines.extend(declared(keys::BOT));
    lines.join("\n") + "\n"
}

/// The keys that a new file shows, each with its meaning.
fn declared(keys: &[Key], sketch: &Sketch<'_>) -> Vec<String> {
    let line = |declared: &Key| match declared.example {
        Example::Set(_) if declared.name == "seats" => {
            let seats = sketch.format.min_seats.to_string();
            Some(key(declared.name, &seats, &declared.meaning()))
        }
        Example::Set(value) => Some(key(declared.name, value, &declared.meaning())),
        Example::Comment(value) => {
            let mut about = declared.meaning();
            if declared.default != "–" && value.trim_matches('"') != declared.default {
                about += &format!("; default: {}", declared.default);
            }
            Some(key(&format!("# {}", declared.name), value, &about))
        }
        Example::Drawn => {
            let seed = sketch.seed.to_string();
            Some(key(declared.name, &seed, &declared.meaning()))
        }
        Example::Hidden => None,
    };
    keys.iter().filter_map(line).collect()
}

/// The head of a table, after a blank line.
fn section(head: &str, about: &str) -> String {
    format!("\n{head:<COMMENTS$}# {about}")
}

/// A line of the file: a key with its value and meaning.
fn key(name: &str, value: &str, about: &str) -> String {
    let line = format!("{name} = {value} ");
    let first = format!("{line:<COMMENTS$}# ");
    let next = format!("{:<COMMENTS$}# ", "");
    let options = textwrap::Options::new(COLUMNS)
        .initial_indent(&first)
        .subsequent_indent(&next)
        .break_words(false);
    textwrap::fill(about, options)
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// The strongest built-in bot, the weakest as often as it takes to fill a table, and those that are asked for.
fn bots(sketch: &Sketch<'_>) -> Vec<Entrant> {
    let names: Vec<&str> = roster::names(sketch.game).collect();
    let weakest = names[0];
    let strongest = names[names.len() - 1];
    let mut ours = vec![(strongest.to_owned(), strongest)];
    while ours.len() < sketch.format.min_seats {
        let same = ours.iter().filter(|(_, bot)| *bot == weakest).count();
        let name = match same {
            0 => weakest.to_owned(),
            _ => format!("{weakest}-{}", same + 1),
        };
        ours.push((name, weakest));
    }
    let ours = ours.into_iter();
    let ours = ours.map(|(name, bot)| Entrant::new(name, Bot::Builtin(bot.into())));
    let ours = ours.filter(|ours| sketch.bots.iter().all(|bot| bot.name != ours.name));
    ours.chain(sketch.bots.iter().cloned()).collect()
}
