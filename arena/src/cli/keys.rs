//! Command-line flags for a tournament's keys, generated from the keys' declarations.

use std::io;
use std::path::Path;

use arena_tournament::key::{Key, Kind};
use arena_tournament::tune::DEALS;
use arena_tournament::{formats, keys};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::Value;

use arena_config::FlagValue;
use arena_config::files;
use arena_config::read::{self, Flags};

/// Commands that have flags for some keys only, with those keys. All other commands have flags for all keys except those of a single bot.
const LIMITED_COMMANDS: &[(&str, &str)] = &[
    (
        "match",
        "game seed seats move_ms no_clock isolation memory as_root rules bots",
    ),
    (
        "compare",
        "game seed seats move_ms no_clock isolation memory as_root rules jobs cores oversubscribe",
    ),
    (
        "check",
        "seed move_ms start_ms memory_mb processes file_mb disk_mb open_files dir build env pass_env read network may_pause cache isolation memory as_root",
    ),
    (
        TUNE,
        "game rules bots seats seatings deals seed jobs oversubscribe pin cores isolation memory as_root move_ms start_ms no_clock",
    ),
];
/// Name of the command for which `deals` is a budget.
const TUNE: &str = "tune";

/// Values of the keys' flags, and `--no-clock`, as used when a description is read.
pub struct KeyFlags(pub Flags);

struct Flagged {
    path: String,
    key: &'static Key,
    flag: &'static str,
    /// Heading in the help text.
    heading: &'static str,
    /// Formats that have the key, each with its default; empty if all have it.
    formats: Vec<(&'static str, &'static str)>,
}

impl Flagged {
    /// Returns the default to show in the help text, if it is worth showing.
    fn default(&self, command: &str) -> Option<String> {
        let each: Vec<String> = self
            .formats
            .iter()
            .map(|(format, default)| format!("{format} {default}"))
            .collect();
        match self.key.default {
            "–" => None,
            _ if sets_false(self.flag) => None,
            "100" if command == TUNE => Some(DEALS.to_string()),
            _ if each.len() > 1 => Some(each.join(", ")),
            default => Some(default.into()),
        }
    }

    /// Returns the help text of the flag.
    fn help(&self, command: &str) -> String {
        let meaning = self.key.meaning();
        let mut help = if sets_false(self.flag) {
            format!("Do not {meaning}")
        } else {
            let (first, rest) = meaning.split_at(meaning.chars().next().map_or(0, char::len_utf8));
            first.to_uppercase() + rest
        };
        let names: Vec<&str> = self.formats.iter().map(|(name, _)| *name).collect();
        if !names.is_empty() {
            help += &format!(" ({})", names.join(", "));
        }
        self.default(command).map_or(help.clone(), |default| {
            format!("{help} [default: {default}]")
        })
    }

    fn arg(&self, command: &str) -> Arg {
        let arg = Arg::new(self.flag)
            .long(self.flag)
            .help(self.help(command))
            .value_name(self.key.value);
        let arg = arg.help_heading(self.heading);
        match self.key.kind {
            Kind::Whole(_) => arg.value_parser(value_parser!(u64)),
            // The values of words are checked when files are read, because that error lists the valid words.
            Kind::Truth => arg.action(ArgAction::SetTrue),
            Kind::Texts | Kind::Table | Kind::Tables => arg.action(ArgAction::Append),
            Kind::Text | Kind::Word(_) | Kind::Game | Kind::Number => arg,
        }
    }

    /// Returns the value given on the command line. An argument of another type belongs to the command itself, not to this flag.
    fn value(self, matches: &ArgMatches) -> Option<Vec<FlagValue>> {
        let Self {
            path, key, flag, ..
        } = self;
        let (value, word): (Value, _) = match key.kind {
            Kind::Whole(_) => {
                let number = *matches.try_get_one::<u64>(flag).ok()??;
                (number.into(), format!(" {number}"))
            }
            Kind::Truth => {
                matches
                    .try_get_one::<bool>(flag)
                    .ok()?
                    .filter(|given| **given)?;
                ((!sets_false(flag)).into(), String::new())
            }
            Kind::Texts | Kind::Table | Kind::Tables => {
                let texts: Vec<String> = matches.try_get_many(flag).ok()??.cloned().collect();
                if !matches!(key.kind, Kind::Texts) {
                    return Some(FlagValue::each(&path, flag, &texts));
                }
                let words = format!(" {}", texts.join(" "));
                (texts.into(), words)
            }
            Kind::Text | Kind::Word(_) | Kind::Game | Kind::Number => {
                let text = matches.try_get_one::<String>(flag).ok()??;
                (text.as_str().into(), format!(" {text}"))
            }
        };
        Some(vec![FlagValue::new(
            &path,
            value,
            format!("--{flag}{word}"),
        )])
    }
}

/// Returns true if the flag sets its key to false.
fn sets_false(flag: &str) -> bool {
    flag.starts_with("no-")
}

/// Help heading of the flags that determine the matches.
const TOURNAMENT: &str = "Tournament";
/// Keys under the heading `Machine`.
const MACHINE: &[&str] = &[
    "jobs",
    "oversubscribe",
    "pin",
    "cores",
    "isolation",
    "memory",
    "as_root",
];
/// Keys whose flags `-h` shows, for commands with more than a few flags.
const COMMON_KEYS: &[&str] = &[
    "game",
    "rules",
    "bots",
    "format",
    "deals",
    "rounds",
    "seats",
    "seed",
    "jobs",
    "isolation",
    "clock.move_ms",
];
/// Number of flags up to which `-h` shows all.
const MAX_SHORT_HELP_FLAGS: usize = 8;

/// Returns all keys that have a flag; a key declared by several formats appears once.
fn flagged() -> Vec<Flagged> {
    let bot = format!("{}.", read::BOT);
    let tables = [
        ("", TOURNAMENT, keys::TOURNAMENT),
        ("clock.", "Clock", keys::CLOCK),
        ("limits.", "Limits of each program", keys::LIMITS),
        (&bot, "Program", keys::BOT),
    ];
    let mut all: Vec<Flagged> = Vec::new();
    for (table, heading, keys) in tables {
        all.extend(keys.iter().filter_map(|key| {
            let heading = if MACHINE.contains(&key.name) {
                "Machine"
            } else {
                heading
            };
            Some(Flagged {
                path: format!("{table}{}", key.name),
                key,
                flag: key.flag?,
                heading,
                formats: Vec::new(),
            })
        }));
    }
    for format in formats::LISTED {
        for key in format.keys {
            let formats = (format.name, key.default);
            let (path, heading) = (key.name.to_owned(), "Formats");
            match (all.iter_mut().find(|one| one.path == path), key.flag) {
                (Some(one), _) => one.formats.push(formats),
                (None, Some(flag)) => all.push(Flagged {
                    path,
                    key,
                    flag,
                    heading,
                    formats: vec![formats],
                }),
                (None, None) => {}
            }
        }
    }
    all
}

/// Returns true if a command has the flag for this key.
fn has_flag(command: &str, path: &str) -> bool {
    match LIMITED_COMMANDS.iter().find(|(name, _)| *name == command) {
        Some((_, keys)) => keys
            .split(' ')
            .any(|key| path.rsplit('.').next() == Some(key)),
        None => !path.starts_with(read::BOT),
    }
}

/// Id of the flag that disables all clocks.
const NO_CLOCK: &str = "no_clock";

fn no_clock() -> Arg {
    let arg = Arg::new(NO_CLOCK)
        .long("no-clock")
        .action(ArgAction::SetTrue)
        .conflicts_with("move-ms");
    arg.help("Set no time limit for answers, for debugging")
        .help_heading("Clock")
        .hide_short_help(true)
}

/// Id of the flag that lets a file lower this machine's protection.
const TRUST: &str = "trust";
/// Commands that start programs named in a file or folder.
const STARTING_COMMANDS: &[&str] = &["run", "compare", "tune", "check", "plan"];

fn trust() -> Arg {
    let help = "Allow the file or folder to use the network, your variables and paths outside its folder, and to lower the isolation";
    Arg::new(TRUST)
        .long(TRUST)
        .action(ArgAction::SetTrue)
        .help(help)
        .help_heading("Machine")
}

/// Flag that reads the seed from a file, because other processes can see a command line.
const SEED_FILE: &str = "seed-file";
/// Path of the key that `--seed-file` sets.
const SEED: &str = "seed";

fn seed_file() -> Arg {
    let help = "Read the random seed from a file: other processes can see the command line";
    let arg = Arg::new(SEED_FILE)
        .long(SEED_FILE)
        .value_name("FILE")
        .help(help)
        .help_heading(TOURNAMENT);
    arg.hide_short_help(true)
        .conflicts_with(SEED)
        .value_parser(read_seed)
}

fn read_seed(file: &str) -> Result<u64, String> {
    let text = files::open(Path::new(file))
        .and_then(io::read_to_string)
        .map_err(|error| error.to_string())?;
    text.trim()
        .parse()
        .map_err(|_| "it does not hold a whole number".into())
}

impl clap::Args for KeyFlags {
    fn augment_args(command: Command) -> Command {
        let name = command.get_name().to_owned();
        let flagged: Vec<Flagged> = flagged()
            .into_iter()
            .filter(|one| has_flag(&name, &one.path))
            .collect();
        let is_hidden = |one: &Flagged| {
            flagged.len() > MAX_SHORT_HELP_FLAGS && !COMMON_KEYS.contains(&one.path.as_str())
        };
        let args = flagged
            .iter()
            .map(|one| one.arg(&name).hide_short_help(is_hidden(one)));
        let seed_file = has_flag(&name, SEED).then(seed_file);
        let trust = STARTING_COMMANDS.contains(&name.as_str()).then(trust);
        command
            .args(args)
            .args(seed_file)
            .args(trust)
            .args(has_flag(&name, NO_CLOCK).then(no_clock))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for KeyFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut values: Vec<FlagValue> = flagged()
            .into_iter()
            .filter_map(|one| one.value(matches))
            .flatten()
            .collect();
        if let Ok(Some(seed)) = matches.try_get_one::<u64>(SEED_FILE) {
            let file = matches
                .get_raw(SEED_FILE)
                .and_then(|mut files| files.next())
                .unwrap_or_default();
            let text = format!("{}{}", read::SEED_FILE, file.to_string_lossy());
            values.push(FlagValue::new(SEED, *seed, text));
        }
        let no_clock = matches
            .try_get_one(NO_CLOCK)
            .is_ok_and(|given| given == Some(&true));
        // Commands without the flag start no programs that a file names.
        let trust = matches
            .try_get_one(TRUST)
            .map_or(true, |given| given == Some(&true));
        Ok(Self(Flags {
            values,
            no_clock,
            trust,
        }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
