//! The keys of a tournament file, except those of the formats and of the game's rules.
//!
//! The flag of a boolean key takes no value, and sets the opposite of its default.

use crate::formats;
use crate::key::{Key, Kind, MAX_COUNT, MAX_INTEGER, MAX_MIB};

/// The top-level keys of a tournament.
pub const TOURNAMENT: &[Key] = &[
    Key::new("name", Kind::Text, "the file's name", "name of the tournament"),
    Key::new("game", Kind::Game, "coda", "game to play, or the folder of one, such as ./my-game").flag("game", "GAME"),
    Key::new("format", Kind::Word(|| formats::NAMES), "round-robin", "format: who meets whom").flag("format", "FORMAT"),
    Key::new(
        "seatings",
        Kind::Word(|| &["auto", "rotations", "all"]),
        "auto",
        "seating orders of each deal; auto: all for 2 or 3 seats, rotations for more",
    )
    .flag("seatings", "WHICH"),
    Key::new(
        "deals",
        Kind::Whole(1..=MAX_COUNT),
        "100",
        "deals; in a format with rounds, deals per pairing and round",
    )
    .flag("deals", "N"),
    Key::new("seats", Kind::Whole(0..=MAX_INTEGER), "2", "seats at a table").flag("seats", "N"),
    Key::new(
        "seed",
        Kind::Whole(0..=MAX_INTEGER),
        "drawn",
        "random seed, below 2^53; keep it secret, since it determines every deal",
    )
    .flag("seed", "SEED"),
    Key::new(
        "anchor",
        Kind::Text,
        "none",
        "bot whose Elo is 0, by default the field's average",
    )
    .flag("anchor", "NAME"),
    Key::new("jobs", Kind::Whole(1..=MAX_INTEGER), "one per core", "matches to run at the same time")
        .flag("jobs", "N"),
    Key::new("oversubscribe", Kind::Truth, "false", "allow more jobs than there are cores")
        .flag("oversubscribe", ""),
    Key::new("pin", Kind::Truth, "true", "pin each job and its programs to one core")
        .flag("no-pin", ""),
    Key::new("cores", Kind::Text, "all", "use only these cores, such as 2,3 or 0-3")
        .flag("cores", "LIST"),
    Key::new(
        "keep_going",
        Kind::Truth,
        "false",
        "leave out bots that cannot be found or built",
    )
    .flag("keep-going", ""),
    Key::new("strict", Kind::Truth, "false", "stop the run for any broken bot, also in a class (`from`)").flag("strict", ""),
    Key::new(
        "isolation",
        Kind::Word(|| &["auto", "require", "bubblewrap", "landlock", "off"]),
        "auto",
        "isolation level for bot programs",
    )
    .flag("isolation", "LEVEL"),
    Key::new(
        "memory",
        Kind::Word(|| &["auto", "kernel"]),
        "auto",
        "who enforces memory limits; kernel: the kernel, or the run does not start; auto: the kernel if it can, else the arena",
    )
    .flag("memory", "BY"),
    Key::new(
        "as_root",
        Kind::Truth,
        "false",
        "let bots run as root where they cannot run as another user",
    )
    .flag("as-root", ""),
    Key::new("rules", Kind::Table, "the game's", "rules of the game, such as rounds=1").flag("rule", "NAME=VALUE"),
    Key::new("clock", Kind::Table, "–", "time limits, in milliseconds"),
    Key::new("limits", Kind::Table, "–", "maximum resources of each program, including all processes that it starts"),
    Key::new(COMPARE, Kind::Table, "–", "test of a comparison, written by `arena compare`"),
    Key::new(TUNE, Kind::Tables, "–", "parameter for `arena tune`: `name`, `from`, `to`, `start`, and `scale = \"log\"` if it spans powers"),
    Key::new("bots", Kind::Tables, "–", "a bot: a built-in one, a source file, a folder, or NAME=COMMAND").flag("bot", "BOT"),
];

/// The key for the test of a comparison. Only the arena writes it.
pub const COMPARE: &str = "compare";

/// The key for the tuned parameters.
pub const TUNE: &str = "tune";

/// The keys of `[[tune]]`.
pub const PARAMETER: &[Key] = &[
    Key::new(
        "name",
        Kind::Text,
        "–",
        "name: `{name}` in a command stands for the value",
    ),
    Key::new("from", Kind::Number, "–", "minimum"),
    Key::new("to", Kind::Number, "–", "maximum"),
    Key::new("start", Kind::Number, "–", "value in the first setting"),
    Key::new(
        "scale",
        Kind::Word(|| &["linear", "log"]),
        "linear",
        "spacing of the values",
    ),
];

/// The keys of `[clock]`.
pub const CLOCK: &[Key] = &[
    Key::new(
        "move_ms",
        Kind::Whole(0..=MAX_INTEGER),
        "2000",
        "milliseconds for each answer; 0 for no limit",
    )
    .flag("move-ms", "MS"),
    Key::new(
        "bank_ms",
        Kind::Whole(1..=MAX_INTEGER),
        "–",
        "milliseconds for all answers of a seat in a match",
    ),
    Key::new(
        "increment_ms",
        Kind::Whole(0..=MAX_INTEGER),
        "0",
        "milliseconds added to the bank after each answer",
    ),
    Key::new(
        "start_ms",
        Kind::Whole(1..=MAX_INTEGER),
        "10000",
        "milliseconds for a program to start and send `ready`",
    )
    .flag("start-ms", "MS"),
];

/// The keys of `[limits]`.
pub const LIMITS: &[Key] = &[
    Key::new(
        "memory_mb",
        Kind::Whole(1..=MAX_MIB),
        "2048",
        "maximum memory of a program, in MiB",
    )
    .flag("memory-mb", "MIB"),
    Key::new(
        "processes",
        Kind::Whole(1..=MAX_INTEGER),
        "64",
        "maximum number of processes of a program",
    )
    .flag("processes", "N"),
    Key::new(
        "file_mb",
        Kind::Whole(1..=MAX_MIB),
        "256",
        "maximum size of each file that a program writes, in MiB",
    )
    .flag("file-mb", "MIB"),
    Key::new(
        "disk_mb",
        Kind::Whole(1..=MAX_MIB),
        "1024",
        "maximum size of all its files together, in MiB; at most a quarter of the free temporary space",
    )
    .flag("disk-mb", "MIB"),
    Key::new(
        "open_files",
        Kind::Whole(16..=MAX_INTEGER),
        "256",
        "maximum number of open files, pipes and sockets of each process",
    )
    .flag("open-files", "N"),
];

/// The keys of `[[bots]]`. Their flags apply to a single bot.
pub const BOT: &[Key] = &[
    Key::new("name", Kind::Text, "–", "name: 1 to 64 characters, no /, at most 4 combining marks in a row"),
    Key::new("builtin", Kind::Text, "–", "name of a built-in bot; or a `command`"),
    Key::new("command", Kind::Text, "–", "command that starts a program; split into words as in a shell"),
    Key::new("dir", Kind::Text, ".", "working folder, relative to this file; as a flag, to the current folder").flag("dir", "FOLDER"),
    Key::new("build", Kind::Text, "–", "shell command that builds the program in a copy of its folder").flag("build", "COMMAND"),
    Key::new("env", Kind::Table, "–", "environment variables to add").flag("env", "NAME=VALUE"),
    Key::new("pass_env", Kind::Texts, "–", "environment variables of the arena to pass on; their values are not stored").flag("pass-env", "NAME"),
    Key::new("read", Kind::Texts, "–", "further files and folders that it may read").flag("read", "PATH"),
    Key::new("restart", Kind::Word(|| &["fault", "match", "never"]), "fault", "when to start a new process; never: a program that exits forfeits its remaining matches"),
    Key::new("clock", Kind::Table, "the tournament's", "other values of `[clock]` for this bot"),
    Key::new("cores", Kind::Word(|| &["one", "all", "none"]), "one", "cores of a program, with `pin`; all: for many threads; none: for a program that waits for a GPU or a server"),
    Key::new("network", Kind::Truth, "false", "let this program use the network; needs bubblewrap").flag("network", ""),
    Key::new("may_pause", Kind::Truth, "false", "let it stop the run and make its match void; it could use this to avoid bad deals").flag("may-pause", ""),
    Key::new("cache", Kind::Text, "–", "folder that it may write to and that is kept (XDG_CACHE_HOME); a bot could use it to prepare for repeated deals").flag("cache", "FOLDER"),
    Key::new("build_network", Kind::Truth, "false", "let its build use the network"),
    Key::new("withdrawn", Kind::Truth, "false", "true: `arena update` takes it out of the tournament"),
    Key::new("from", Kind::Text, "–", "folders, each with a bot, such as students/*"),
    Key::new("roster", Kind::Text, "–", "with `from`: CSV file with the columns folder and pseudonym"),
];
