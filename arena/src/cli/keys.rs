//! The flags of a tournament's keys, generated from the declarations of the keys.

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

/// The commands with flags for some keys only. All others have flags for all keys but those of one bot.
const SOME: &[(&str, &str)] = &[
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
/// The command whose deals are a budget.
const TUNE: &str = "tune";

/// The flags of keys, and `--no-clock`, as the description is read with them.
pub struct KeyFlags(pub Flags);

/// A key with a flag.
struct Flagged {
    path: String,
    key: &'static Key,
    flag: &'static str,
    /// The heading above it in help.
    heading: &'static str,
    /// The formats that it is for, each with its default; none if it is for all.
    formats: Vec<(&'static str, &'static str)>,
}

impl Flagged {
    /// The value where the flag is not given, if that is worth showing.
    fn default(&self, command: &str) -> Option<String> {
        let each: Vec<String> = self
            .formats
            .iter()
            .map(|(format, default)| format!("{format} {default}"))
            .collect();
        match self.key.default {
            "–" => None,
            _ if takes_away(self.flag) => None,
            "100" if command == TUNE => Some(DEALS.to_string()),
            _ if each.len() > 1 => Some(each.join(", ")),
            default => Some(default.into()),
        }
    }

    /// The meaning of the flag.
    fn help(&self, command: &str) -> String {
        let meaning = self.key.meaning();
        let mut help = if takes_away(self.flag) {
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
            // An unknown word is refused with the list of words where files are read.
            Kind::Truth => arg.action(ArgAction::SetTrue),
            Kind::Texts | Kind::Table | Kind::Tables => arg.action(ArgAction::Append),
            Kind::Text | Kind::Word(_) => arg,
        }
    }

    /// The value on the command line. An argument of another type is not this flag but the command's own.
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
                ((!takes_away(flag)).into(), String::new())
            }
            Kind::Texts | Kind::Table | Kind::Tables => {
                let texts: Vec<String> = matches.try_get_many(flag).ok()??.cloned().collect();
                if !matches!(key.kind, Kind::Texts) {
                    return Some(FlagValue::each(&path, flag, &texts));
                }
                let words = format!(" {}", texts.join(" "));
                (texts.into(), words)
            }
            Kind::Text | Kind::Word(_) => {
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

/// True if a flag sets its key to false.
fn takes_away(flag: &str) -> bool {
    flag.starts_with("no-")
}

/// The heading of what decides the matches.
const TOURNAMENT: &str = "Tournament";
/// The keys under the heading `Machine`.
const MACHINE: &[&str] = &[
    "jobs",
    "oversubscribe",
    "pin",
    "cores",
    "isolation",
    "memory",
    "as_root",
];
/// The keys whose flags `-h` shows, for commands that have flags for more than a few.
const COMMON: &[&str] = &[
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
/// The number of flags that `-h` shows in any case.
const FEW: usize = 8;

/// All keys that have a flag. One that several formats declare comes once.
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

/// True if a command has the flag of a key.
fn has_flag(command: &str, path: &str) -> bool {
    match SOME.iter().find(|(name, _)| *name == command) {
        Some((_, keys)) => keys
            .split(' ')
            .any(|key| path.rsplit('.').next() == Some(key)),
        None => !path.starts_with(read::BOT),
    }
}

/// The flag that stops all clocks.
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

/// The flag that lets a file lower the protection of this machine.
const TRUST: &str = "trust";
/// The commands that start programs of a file or folder.
const STARTING: &[&str] = &["run", "compare", "tune", "check", "plan"];

fn trust() -> Arg {
    let help = "Let the file or folder ask for less isolation, the network, your variables or paths outside its folder";
    Arg::new(TRUST)
        .long(TRUST)
        .action(ArgAction::SetTrue)
        .help(help)
        .help_heading("Machine")
}

/// The flag that reads the seed from a file, which other processes cannot see as they see a command line.
const SEED_FILE: &str = "seed-file";
/// The path of the key that it gives.
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
        let is_hidden = |one: &Flagged| flagged.len() > FEW && !COMMON.contains(&one.path.as_str());
        let args = flagged
            .iter()
            .map(|one| one.arg(&name).hide_short_help(is_hidden(one)));
        let seed_file = has_flag(&name, SEED).then(seed_file);
        let trust = STARTING.contains(&name.as_str()).then(trust);
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
        // Other commands start no program of a file.
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
