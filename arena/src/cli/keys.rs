//! The flags of a tournament's keys, generated from the declarations of the keys.

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
    /// The default of the flags, if not that of their keys.
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

/// A key with a flag.
struct Flagged {
    path: String,
    key: &'static Key,
    /// The formats that it is for, each with its default; none if it is for all.
    formats: Vec<(&'static str, &'static str)>,
}

impl Flagged {
    /// The value where the flag is not given, if that is worth showing.
    fn default<S: Scope>(&self) -> Option<String> {
        let each: Vec<String> = self.formats.iter().map(|(format, default)| format!("{format} {default}")).collect();
        match S::OTHERWISE {
            _ if self.key.default == "–" || self.key.flag?.starts_with("no-") => None,
            Some(otherwise) => Some(otherwise.into()),
            None if each.len() > 1 => Some(each.join(", ")),
            None => Some(self.key.default.into()),
        }
    }

    /// The heading above it in help.
    fn heading(&self) -> &'static str {
        match self.path.as_str() {
            _ if !self.formats.is_empty() => "Formats",
            "jobs" | "oversubscribe" | "pin" | "isolation" | "as_root" => "Machine",
            path if path.starts_with("clock.") => "Clock",
            path if path.starts_with("limits.") => "Limits of each program",
            path if path.starts_with(read::BOT) => "Program",
            _ => TOURNAMENT,
        }
    }

    fn arg<S: Scope>(&self, shown: bool) -> Arg {
        let key = self.key;
        let flag = key.flag.unwrap_or(key.name);
        let names: Vec<&str> = self.formats.iter().map(|(name, _)| *name).collect();
        let meaning = sentence(&key.meaning(), flag);
        let help = if names.is_empty() { meaning } else { format!("{meaning} ({})", names.join(", ")) };
        let help = self.default::<S>().map_or(help.clone(), |default| format!("{help} [default: {default}]"));
        let arg = Arg::new(flag).long(flag).help(help).value_name(key.value);
        let arg = arg.help_heading(self.heading()).hide_short_help(!shown && !COMMON.contains(&self.path.as_str()));
        match key.kind {
            Kind::Whole(_) => arg.value_parser(value_parser!(u64)),
            // An unknown word is refused with the list of words where files are read.
            Kind::Truth => arg.action(ArgAction::SetTrue),
            Kind::Texts | Kind::Table | Kind::Tables => arg.action(ArgAction::Append),
            Kind::Text | Kind::Word(_) => arg,
        }
    }
}

/// The heading of what decides the matches.
const TOURNAMENT: &str = "Tournament";
/// The keys whose flags `-h` shows, for commands that have flags for more than a few.
const COMMON: &[&str] =
    &["game", "rules", "bots", "format", "deals", "rounds", "seats", "seed", "jobs", "isolation", "clock.move_ms"];
/// The number of flags that `-h` shows in any case.
const FEW: usize = 8;

/// The keys of a command that have a flag. One that several formats declare comes once.
fn flagged<S: Scope>() -> Vec<Flagged> {
    let of = |table: &'static str, keys: &'static [Key]| {
        keys.iter()
            .map(move |key| (if table.is_empty() { key.name.to_owned() } else { format!("{table}.{}", key.name) }, key))
    };
    let general = of("", keys::TOURNAMENT).chain(of("clock", keys::CLOCK)).chain(of("limits", keys::LIMITS));
    let plain = |(path, key)| Flagged { path, key, formats: Vec::new() };
    let mut all: Vec<Flagged> = general.map(plain).collect();
    for format in formats::LISTED {
        for key in format.keys {
            let formats = (format.name, key.default);
            match all.iter_mut().find(|one| one.path == key.name) {
                Some(one) => one.formats.push(formats),
                None => all.push(Flagged { path: key.name.to_owned(), key, formats: vec![formats] }),
            }
        }
    }
    all.retain(|one| S::KEYS.is_none_or(|keys| keys.contains(&one.key.name)));
    let of_bot = of(read::BOT, keys::BOT).filter(|(_, key)| S::KEYS.is_some_and(|keys| keys.contains(&key.name)));
    all.extend(of_bot.map(plain));
    all.retain(|one| one.key.flag.is_some());
    all
}

/// The flag that reads the seed from a file, which other processes cannot see as they see a command line.
const SEED_FILE: &str = "seed-file";
/// The path of the key that it gives.
const SEED: &str = "seed";

fn seed_file() -> Arg {
    let help = "Read the random seed from a file: other processes can see the command line";
    let arg = Arg::new(SEED_FILE).long(SEED_FILE).value_name("FILE").help(help).help_heading(TOURNAMENT);
    arg.hide_short_help(true).conflicts_with(SEED).value_parser(read_seed)
}

fn read_seed(file: &str) -> Result<u64, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    text.trim().parse().map_err(|_| "it holds no whole number".into())
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
        let seed_file = flagged.iter().any(|one| one.path == SEED).then(seed_file);
        command.args(flagged.iter().map(|one| one.arg::<S>(flagged.len() <= FEW))).args(seed_file)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Scope> clap::FromArgMatches for KeyFlags<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |Flagged { path, key, .. }| {
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
