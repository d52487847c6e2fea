//! The keys of a tournament file, but for those of the formats and of the game's rules.
//!
//! A flag of a key that takes true or false takes no value, and says the opposite of its default.

use arena_engine::games;

use crate::formats;
use crate::key::{Key, Kind, MANY, MIB, MOST};

/// The keys of the tournament.
pub const TOURNAMENT: &[Key] = &[
    Key::new("name", Kind::Text, "the file's name", "what the tournament is called"),
    Key::new("game", Kind::Word(games::NAMES), "coda", "what is played").flag("game", "GAME"),
    Key::new("format", Kind::Word(formats::NAMES), "round-robin", "who meets whom").flag("format", "FORMAT"),
    Key::new(
        "seatings",
        Kind::Word(&["auto", "rotations", "all"]),
        "auto",
        "the orders in which a table is seated on each deal: auto takes all for 2 or 3 seats, rotations for more",
    )
    .flag("seatings", "WHICH")
    .comment("\"auto\""),
    Key::new(
        "deals",
        Kind::Whole(1..=MANY),
        "100",
        "how many deals; in a format of rounds, how many each pairing plays in a round",
    )
    .flag("deals", "N")
    .set("100"),
    Key::new("seats", Kind::Whole(0..=MOST), "2", "seats at a table").flag("seats", "N").set("2"),
    Key::new(
        "seed",
        Kind::Whole(0..=MOST),
        "drawn",
        "where all chance comes from, below 2^53: whoever knows it can know every deal",
    )
    .flag("seed", "SEED")
    .drawn(),
    Key::new(
        "anchor",
        Kind::Text,
        "none",
        "the bot above which ratings stand, by name; else each stands above the next",
    )
    .flag("anchor", "NAME")
    .comment("\"mine\""),
    Key::new("jobs", Kind::Whole(1..=MOST), "one per core", "how many matches run at the same time")
        .flag("jobs", "N")
        .comment("2"),
    Key::new("oversubscribe", Kind::Truth, "false", "allow more jobs than there are cores")
        .flag("oversubscribe", "")
        .comment("false"),
    Key::new("pin", Kind::Truth, "true", "keep each worker, with the programs that it starts, on one core (Linux)")
        .flag("no-pin", "")
        .comment("true"),
    Key::new(
        "isolation",
        Kind::Word(&["auto", "require", "bubblewrap", "landlock", "off"]),
        "auto",
        "what programs are put into",
    )
    .flag("isolation", "LEVEL")
    .comment("\"auto\""),
    Key::new("as_root", Kind::Truth, "false", "as root, let bots run as root where they cannot run as another user")
        .flag("as-root", "")
        .comment("false"),
    Key::new("rules", Kind::Table, "the game's", "rules of the game, such as rounds=1").flag("rule", "NAME=VALUE"),
    Key::new("clock", Kind::Table, "–", "how much time bots have, in milliseconds"),
    Key::new("limits", Kind::Table, "–", "what each program may use, with all that it starts"),
    Key::new(COMPARE, Kind::Table, "–", "the test of a comparison, as `arena compare` writes it"),
    Key::new("bots", Kind::Tables, "–", "who plays: NAME=COMMAND, or NAME=builtin:BOT").flag("bot", "NAME=COMMAND"),
];

/// The key of the test of a comparison, which is written by the arena only.
pub const COMPARE: &str = "compare";

/// The keys of `[clock]`.
pub const CLOCK: &[Key] = &[
    Key::new("move_ms", Kind::Whole(0..=MOST), "2000", "milliseconds for each answer; 0 for no limit")
        .flag("move-ms", "MS")
        .set("2000"),
    Key::new("bank_ms", Kind::Whole(1..=MOST), "–", "milliseconds of a seat for all its answers of a match")
        .comment("60000"),
    Key::new("increment_ms", Kind::Whole(0..=MOST), "0", "milliseconds added to the bank after each answer")
        .comment("0"),
    Key::new("start_ms", Kind::Whole(1..=MOST), "10000", "milliseconds from the start of a program until it is ready")
        .flag("start-ms", "MS")
        .set("10000"),
];

/// The keys of `[limits]`.
pub const LIMITS: &[Key] = &[
    Key::new("memory_mb", Kind::Whole(1..=MIB), "2048", "memory that a program may use, in MiB")
        .flag("memory-mb", "MIB")
        .set("2048"),
    Key::new("processes", Kind::Whole(1..=MOST), "64", "processes that a program may have")
        .flag("processes", "N")
        .set("64"),
    Key::new("file_mb", Kind::Whole(1..=MIB), "256", "the size of each file that a program writes, in MiB")
        .flag("file-mb", "MIB")
        .set("256"),
    Key::new(
        "disk_mb",
        Kind::Whole(1..=MIB),
        "1024",
        "all files that a program writes together, in MiB; never more than a quarter of what is free for temporary files",
    )
    .flag("disk-mb", "MIB")
    .set("1024"),
];

/// The keys of `[[bots]]`. Their flags are for a single bot.
pub const BOT: &[Key] = &[
    Key::new("name", Kind::Text, "–", "what it is called here: 1 to 64 characters, no /, at most 4 marks on a letter").comment("\"mine\""),
    Key::new("builtin", Kind::Text, "–", "a bot that is built in, or"),
    Key::new("command", Kind::Text, "–", "a program with its arguments, split into words as a shell does").comment("\"python3 my_bot.py\""),
    Key::new("dir", Kind::Text, ".", "where the program runs: a path from the folder of this file, or as a flag from the current one").flag("dir", "FOLDER").comment("\".\""),
    Key::new("env", Kind::Table, "–", "variables added to its environment").flag("env", "NAME=VALUE").comment("{ LEVEL = \"3\" }"),
    Key::new("read", Kind::Texts, "–", "further files and folders that it may read").flag("read", "PATH").comment("[\"weights.bin\"]"),
    Key::new("restart", Kind::Word(&["fault", "match", "never"]), "fault", "when a program is started anew: after a fault, for each match, or never, so that it forfeits what is left if it ends").comment("\"fault\""),
    Key::new("cores", Kind::Word(&["one", "all", "none"]), "one", "with `pin`: all lets a program that computes in several threads use every core; none is for one that waits for a graphics processor or a server instead: its turns do not wait for a core to be free").comment("\"one\""),
];
