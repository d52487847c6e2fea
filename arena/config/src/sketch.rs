//! A tournament file to begin with, every key explained.

use std::path::Path;

use arena_bots::roster::{self, RANDOM};
use arena_engine::by_name;
use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::games;
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::formats::{self, Listed};
use arena_tournament::key::{Example, Key};
use arena_tournament::keys;
use schemars::schema_for;
use serde_json::Value;

use crate::entrants::HUMAN;
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
    let others: Vec<&str> = formats::NAMES
        .iter()
        .copied()
        .filter(|name| *name != sketch.format.name)
        .collect();
    let mut lines: Vec<String> = vec![
        "# A tournament, to be played with `arena run`. `arena games` lists the games with their rules, `arena".into(),
        "# bots` the bots that are built in. Text after a # is ignored; keys there show their defaults.".into(),
        String::new(),
        key("name", &quoted(sketch.name), "name of the tournament"),
        key("game", &quoted(sketch.game), &format!("game to play: {}", games::NAMES.join(", "))),
        key("format", &quoted(sketch.format.name), sketch.format.about),
        format!("{:<COMMENTS$}# others: {}", "", others.join(", ")),
    ];
    let declared = |keys| declared(keys, sketch.seed);
    lines.extend(declared(sketch.format.keys));
    lines.extend(declared(keys::TOURNAMENT));
    lines.push(section(
        "[rules]",
        "the game's own rules, with their defaults",
    ));
    lines.extend(
        by_name!(sketch.game, G => rule_keys::<G>())
            .into_iter()
            .flatten(),
    );
    for (name, keys) in [("clock", keys::CLOCK), ("limits", keys::LIMITS)] {
        let about = keys::TOURNAMENT
            .iter()
            .find(|key| key.name == name)
            .map_or("", |key| key.help);
        lines.push(section(&format!("[{name}]"), about));
        lines.extend(declared(keys));
    }
    lines.extend(bots(sketch));
    lines.join("\n") + "\n"
}

/// The keys that a new file shows, each with its meaning.
fn declared(keys: &[Key], seed: Seed) -> Vec<String> {
    let line = |declared: &Key| match declared.example {
        Example::Set(value) => Some(key(declared.name, value, &declared.meaning())),
        Example::Comment(value) => {
            let is_default = declared.default == "–" || value.trim_matches('"') == declared.default;
            let otherwise = if is_default {
                String::new()
            } else {
                format!("; default: {}", declared.default)
            };
            Some(key(
                &format!("# {}", declared.name),
                value,
                &format!("{}{otherwise}", declared.meaning()),
            ))
        }
        Example::Drawn => Some(key(declared.name, &seed.to_string(), &declared.meaning())),
        Example::Hidden => None,
    };
    keys.iter().filter_map(line).collect()
}

/// The head of a table, after a blank line.
fn section(head: &str, about: &str) -> String {
    format!("\n{head:<COMMENTS$}# {about}")
}

/// A line of the file: a key with its value, and what it means.
fn key(name: &str, value: &str, about: &str) -> String {
    let line = format!("{name} = {value}");
    // A value can be longer than a width may be.
    let gap = " ".repeat(COMMENTS.saturating_sub(line.chars().count()).max(1));
    let (first, next) = (format!("{line}{gap}# "), format!("{:<COMMENTS$}# ", ""));
    let options = textwrap::Options::new(COLUMNS)
        .initial_indent(&first)
        .subsequent_indent(&next)
        .break_words(false);
    textwrap::fill(about, options)
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// The rules of a game, as they are by default.
fn rule_keys<G: Game>() -> Vec<String> {
    let schema = schema_for!(G::Rules).to_value();
    let about = |name: &str| about_rule(&schema, name).unwrap_or_default();
    rules::standard::<G>()
        .iter()
        .map(|(name, value)| key(name, &value.to_string(), &about(name)))
        .collect()
}

/// The first sentence about a rule.
fn about_rule(schema: &Value, name: &str) -> Option<String> {
    let about = schema["properties"][name]["description"].as_str()?;
    let sentence = about.split(['.', '\n', ';']).next()?.trim();
    let mut letters = sentence.chars();
    let first = letters.next()?.to_lowercase();
    Some(first.chain(letters).collect())
}

/// The bots: of each kind one, and those that are asked for.
fn bots(sketch: &Sketch<'_>) -> Vec<String> {
    let help = |name: &str| {
        keys::BOT
            .iter()
            .find(|key| key.name == name)
            .map_or("", |key| key.help)
    };
    let names: Vec<&str> = roster::names(sketch.game).collect();
    let second = names
        .iter()
        .rev()
        .nth(1)
        .map_or((format!("{RANDOM}-2"), RANDOM), |name| {
            ((*name).to_owned(), *name)
        });
    let ours = names
        .last()
        .map(|name| ((*name).to_owned(), *name))
        .into_iter()
        .chain([second]);
    let ours = ours.map(|(name, bot)| Entrant::new(name, Bot::Builtin(bot.into())));
    let ours = ours.filter(|ours| sketch.bots.iter().all(|bot| bot.name != ours.name));
    let mut lines = Vec::new();
    for entrant in ours.chain(sketch.bots.iter().cloned()) {
        lines.extend([
            String::new(),
            "[[bots]]".into(),
            key("name", &quoted(&entrant.name), help("name")),
        ]);
        lines.push(match &entrant.bot {
            Bot::Builtin(name) => key("builtin", &quoted(name), "a bot that is built in"),
            Bot::Program(_) => key(
                "command",
                &quoted(&entrant.bot.to_string()),
                "a program with its arguments",
            ),
            Bot::Person => key("command", &quoted(HUMAN), "a person"),
        });
        if let (Bot::Program(_), Some(away)) = (&entrant.bot, sketch.away) {
            lines.push(key(
                "dir",
                &quoted(&away.to_string_lossy()),
                "where it runs",
            ));
        }
    }
    lines.push(section(
        "# [[bots]]",
        "your own program: remove the # from these lines",
    ));
    lines.extend(declared(keys::BOT, sketch.seed));
    lines
}
