//! The flags of a tournament's keys, made from the declarations of the keys.

use std::marker::PhantomData;

use arena_tournament::key::{Key, Kind};
use arena_tournament::{formats, keys};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::Value;

use arena_config::{FlagValue, read};

/// Which keys a command has flags for.
pub trait Scope {
    /// The names of the keys; all but those of one bot if none.
    const KEYS: Option<&'static [&'static str]>;
    /// What holds where a flag is left out, if not the default of its key.
    const OTHERWISE: Option<&'static str> = None;
}

/// All keys: for tournaments.
pub struct Whole;

impl Scope for Whole {
    const KEYS: Option<&'static [&'static str]> = None;
}

/// The keys that matter for a single match.
pub struct SingleMatch;

impl Scope for SingleMatch {
    const KEYS: Option<&'static [&'static str]> =
        Some(&["game", "seed", "seats", "move_ms", "isolation", "as_root", "rules", "bots"]);
}

/// The keys of a comparison, which has its own format and number of deals.
pub struct TwoBots;

impl Scope for TwoBots {
    const KEYS: Option<&'static [&'static str]> =
        Some(&["game", "seed", "seats", "move_ms", "isolation", "as_root", "rules", "jobs", "oversubscribe"]);
}

/// The keys that matter for a bot by itself.
pub struct OneBot;

impl Scope for OneBot {
    const KEYS: Option<&'static [&'static str]> = Some(&[
        "move_ms",
        "start_ms",
        "memory_mb",
        "processes",
        "file_mb",
        "disk_mb",
        "dir",
        "env",
        "read",
        "isolation",
        "as_root",
    ]);
}

/// The keys that may change while what has been played stays valid.
pub struct Growing;

impl Scope for Growing {
    const KEYS: Option<&'static [&'static str]> = Some(&["deals", "rounds", "bots", "anchor"]);
    const OTHERWISE: Option<&'static str> = Some("as it is");
}

/// The values of the flags that are given.
pub struct KeyFlags<S> {
    /// The values, by the paths of their keys.
    pub values: Vec<FlagValue>,
    scope: PhantomData<S>,
}

/// The keys of a command that have a flag, with their paths, and the formats that they are for. One that several formats declare
/// comes once.
fn flagged<S: Scope>() -> Vec<(String, &'static Key, Vec<&'static str>)> {
    let of = |table: &'static str, keys: &'static [Key]| {
        keys.iter()
            .map(move |key| (if table.is_empty() { key.name.to_owned() } else { format!("{table}.{}", key.name) }, key))
    };
    let general = of("", keys::TOURNAMENT).chain(of("clock", keys::CLOCK)).chain(of("limits", keys::LIMITS));
    let mut all: Vec<(String, &'static Key, Vec<&'static str>)> =
        general.map(|(path, key)| (path, key, Vec::new())).collect();
    for format in formats::LISTED {
        for key in format.keys {
            match all.iter_mut().find(|(path, ..)| path == key.name) {
                Some((_, _, formats)) => formats.push(format.name),
                None => all.push((key.name.to_owned(), key, vec![format.name])),
            }
        }
    }
    all.retain(|(_, key, _)| S::KEYS.is_none_or(|keys| keys.contains(&key.name)));
    let of_bot = of(read::BOT, keys::BOT).filter(|(_, key)| S::KEYS.is_some_and(|keys| keys.contains(&key.name)));
    all.extend(of_bot.map(|(path, key)| (path, key, Vec::new())));
    all.retain(|(_, key, _)| key.flag.is_some());
    all
}

/// The flag that reads the seed from a file, which other processes cannot see as they see a command line.
const SEED_FILE: &str = "seed-file";
/// The path of the key that it gives.
const SEED: &str = "seed";

fn seed_file() -> Arg {
    let help = "Where all chance comes from, as --seed, but read from a file: other processes can see the command line";
    Arg::new(SEED_FILE).long(SEED_FILE).value_name("FILE").help(help).conflicts_with(SEED).value_parser(read_seed)
}

fn read_seed(file: &str) -> Result<u64, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    text.trim().parse().map_err(|_| "it holds no whole number".into())
}

fn arg<S: Scope>((_, key, formats): &(String, &'static Key, Vec<&'static str>)) -> Arg {
    let flag = key.flag.unwrap_or(key.name);
    let help = match formats.as_slice() {
        [] => sentence(&key.meaning(), flag),
        formats => format!("{}: {}", formats.join(", "), key.meaning()),
    };
    let otherwise = S::OTHERWISE.unwrap_or(key.default);
    let help = if key.default == "–" { help } else { format!("{help} [default: {otherwise}]") };
    let arg = Arg::new(flag).long(flag).help(help).value_name(key.value);
    match key.kind {
        Kind::Whole(_) => arg.value_parser(value_parser!(u64)),
        // Which words there are is said where a word is none of them, as for one in a file.
        Kind::Truth => arg.action(ArgAction::SetTrue),
        Kind::Texts | Kind::Table | Kind::Tables => arg.action(ArgAction::Append),
        Kind::Text | Kind::Word(_) => arg,
    }
}

/// The meaning of a key, or its opposite for a flag that takes it away.
fn sentence(meaning: &str, flag: &str) -> String {
    if flag.starts_with("no-") {
        return format!("Do not {meaning}");
    }
    let mut letters = meaning.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn value(key: &Key, flag: &'static str, matches: &ArgMatches) -> Option<(Value, String)> {
    let shown = |value: &dyn std::fmt::Display| format!("--{flag} {value}");
    match key.kind {
        Kind::Whole(_) => matches.get_one::<u64>(flag).map(|number| ((*number).into(), shown(number))),
        Kind::Truth => matches.get_flag(flag).then(|| ((!flag.starts_with("no-")).into(), format!("--{flag}"))),
        Kind::Texts | Kind::Table | Kind::Tables => {
            let texts: Vec<&String> = matches.get_many::<String>(flag)?.collect();
            let FlagValue { value, text, .. } = FlagValue::texts(key.name, flag, &texts)?;
            Some((value, text))
        }
        Kind::Text | Kind::Word(_) => matches.get_one::<String>(flag).map(|text| (text.as_str().into(), shown(text))),
    }
}

impl<S: Scope> clap::Args for KeyFlags<S> {
    fn augment_args(command: Command) -> Command {
        let flagged = flagged::<S>();
        let seed_file = flagged.iter().any(|(path, ..)| path == SEED).then(seed_file);
        command.args(flagged.iter().map(arg::<S>)).args(seed_file)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Scope> clap::FromArgMatches for KeyFlags<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |(path, key, _): (String, &'static Key, _)| {
            let (value, text) = value(key, key.flag?, matches)?;
            Some(FlagValue { path, value, text })
        };
        let mut values: Vec<FlagValue> = flagged::<S>().into_iter().filter_map(given).collect();
        if let Ok(Some(seed)) = matches.try_get_one::<u64>(SEED_FILE) {
            let file = matches.get_raw(SEED_FILE).and_then(|mut files| files.next()).unwrap_or_default();
            let text = format!("{}{}", read::SEED_FILE, file.to_string_lossy());
            values.push(FlagValue { path: SEED.into(), value: (*seed).into(), text });
        }
        Ok(Self { values, scope: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
