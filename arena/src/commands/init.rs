//! `arena init`: writes a tournament file to begin with.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_bots::roster;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use schemars::schema_for;
use serde_json::Value;

use crate::cli::{Changes, Init};
use crate::sandbox::Limits;
use crate::setup::file::{self, DEALS, MOVE_MS, SEATS, START_MS};
use crate::setup::{BadSetup, Bot, Plays};
use crate::status::status;

/// In which column comments begin.
const COMMENTS: usize = 34;
/// How many columns are filled with comments.
const COLUMNS: usize = 116;

/// Writes the file, if there is none.
pub fn run(asked: &Init) -> anyhow::Result<ExitCode> {
    let change = Changes { game: Some(asked.game.clone()), bots: asked.bots.clone(), ..Changes::default() };
    let setup = file::to_begin_with(&asked.format, &change)?;
    let shown = asked.file.display();
    let path = std::path::absolute(&asked.file)?;
    let dir = path.parent().unwrap_or(Path::new("/"));
    if !dir.is_dir() {
        return Err(BadSetup::one(format!("there is no folder {} for {shown}: make it first", dir.display())).into());
    }
    let here = std::env::current_dir()?;
    let name = path.file_stem().map_or("tournament".into(), |stem| stem.to_string_lossy());
    let away = Some(here.as_path()).filter(|here| *here != dir);
    let text = text(&Sketch { name: &name, game: &setup.game, format: &asked.format, bots: &setup.bots, away });
    let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            return Err(BadSetup::one(format!("{shown} exists already and is left as it is: name another file")).into());
        }
        opened => opened.with_context(|| shown.to_string())?,
    };
    file.write_all(text.as_bytes()).with_context(|| shown.to_string())?;
    let quoted = shlex::try_quote(asked.file.to_str().unwrap_or_default()).unwrap_or_default();
    status(format_args!("{shown} is written; put your bot into it, then: arena run {quoted}"));
    Ok(ExitCode::SUCCESS)
}

/// What the file is about.
pub struct Sketch<'a> {
    /// What the tournament is called.
    pub name: &'a str,
    /// The game, one that there is.
    pub game: &'a str,
    /// The format, one that there is.
    pub format: &'a str,
    /// The bots beside those that are built in.
    pub bots: &'a [Bot],
    /// Where they run, if not in the folder of the file.
    pub away: Option<&'a Path>,
}

/// The text of the file.
pub fn text(sketch: &Sketch<'_>) -> String {
    let mut lines = vec![
        format!(
            "# A tournament, to be played with `arena run`. `arena games` lists the games with their rules, `arena"
        ),
        "# bots` the bots that are built in. What stands behind a # is not read; keys there show their defaults."
            .into(),
        String::new(),
        key("name", &quoted(sketch.name), "what the tournament is called"),
        key("game", &quoted(sketch.game), &format!("what is played: {}", games::NAMES.join(", "))),
    ];
    lines.extend(format_keys(sketch.format));
    lines.extend(plain_keys());
    lines.push(String::new());
    lines.push("[rules]                           # the game's own rules, here as they are by default".into());
    lines.extend(games::visit(sketch.game, RuleKeys).into_iter().flatten());
    lines.extend(tables());
    lines.extend(bots(sketch));
    lines.join("\n") + "\n"
}

/// A line of the file: a key with its value, and what it means.
fn key(name: &str, value: &str, about: &str) -> String {
    let said = format!("{name} = {value}");
    let width = COMMENTS.max(said.chars().count() + 1);
    let mut line = format!("{said:<width$}#");
    let mut column = width;
    for word in about.split(' ') {
        column += word.chars().count() + 1;
        if column > COLUMNS {
            column = COMMENTS + word.chars().count() + 1;
            line += &format!("\n{:<COMMENTS$}#", "");
        }
        line += &format!(" {word}");
    }
    line
}

/// A line that only shows a default.
fn default(name: &str, value: &str, about: &str) -> String {
    key(&format!("# {name}"), value, about)
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn format_keys(format: &str) -> Vec<String> {
    let lead = key("format", &quoted(format), about(format));
    let others = "others: round-robin, gauntlet, balanced, swiss, knockout, ladder";
    let mut lines = vec![lead, format!("{:<COMMENTS$}# {others}", "")];
    lines.extend(match format {
        "gauntlet" => vec![default("challengers", "[\"first\"]", "bots by name; the first bot if left out")],
        "balanced" => vec![default("tables", "1", "tables a deal; so many that each bot sits once if left out")],
        "swiss" => vec![default("rounds", "2", "log2 of the number of bots, rounded up, and 1 more if left out")],
        "ladder" => vec![
            default("rounds", "20", "how many rounds"),
            default("pairs", "1", "pairs in each round; half as many as bots if left out"),
        ],
        _ => vec![],
    });
    lines
}

/// Who meets whom in a format.
fn about(format: &str) -> &'static str {
    match format {
        "gauntlet" => "each challenger meets all others, who do not meet each other",
        "balanced" => "all sit and meet about equally often",
        "swiss" => "in each round bots of about equal score meet",
        "knockout" => "in each round only the winners of pairings go on",
        "ladder" => "each round goes to the pairs that are least resolved",
        _ => "every combination of bots meets on every deal",
    }
}

fn plain_keys() -> Vec<String> {
    vec![
        default("seatings", "\"auto\"", "orders of a table: \"rotations\", \"all\"; auto: all for 2 or 3"),
        key("deals", &DEALS.to_string(), "how many deals are played"),
        key("seats", &SEATS.to_string(), "seats at a table"),
        key("seed", "1", "all chance comes from it: below 2^53"),
        default("jobs", "2", "matches at the same time; one per core if left out"),
        default("oversubscribe", "false", "allow more jobs than there are cores"),
        default("pin", "true", "keep each worker and its programs on one core"),
        default("isolation", "\"auto\"", "or \"require\", \"bubblewrap\", \"landlock\", \"off\""),
    ]
}

fn tables() -> Vec<String> {
    let Limits { memory_mb, processes, file_mb } = Limits::default();
    vec![
        String::new(),
        "[clock]                           # milliseconds".into(),
        key("move_ms", &MOVE_MS.to_string(), "for each answer"),
        default("bank_ms", "60000", "of a seat for a whole match; no such limit if left out"),
        default("increment_ms", "0", "added to the bank after each answer"),
        key("start_ms", &START_MS.to_string(), "from the start of a program until it is ready"),
        String::new(),
        "[limits]                          # of each program, with all that it starts".into(),
        key("memory_mb", &memory_mb.to_string(), "memory in MiB"),
        key("processes", &processes.to_string(), "processes"),
        key("file_mb", &file_mb.to_string(), "the size of each file that it writes, in MiB"),
    ]
}

/// The rules of a game, as they are by default.
struct RuleKeys;

impl Visitor for RuleKeys {
    type Out = Vec<String>;

    fn visit<G: Game>(self) -> Self::Out {
        let rules = toml::Table::try_from(G::Rules::default()).unwrap_or_default();
        let schema = schema_for!(G::Rules).to_value();
        let about = |name: &str| about_rule(&schema, name).unwrap_or_default();
        rules.iter().map(|(name, value)| key(name, &value.to_string(), &about(name))).collect()
    }
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
    let names: Vec<&str> = roster::names(sketch.game).collect();
    let ours = [names.last(), names.get(names.len().saturating_sub(2))].into_iter().flatten();
    let mut lines = Vec::new();
    for name in ours.filter(|name| sketch.bots.iter().all(|bot| bot.name != **name)) {
        lines.extend([String::new(), "[[bots]]".into()]);
        lines.push(key("name", &quoted(name), "what it is called here: 1 to 64 characters, no /"));
        lines.push(key("builtin", &quoted(name), "a bot that is built in"));
    }
    for bot in sketch.bots {
        lines.extend([String::new(), "[[bots]]".into(), key("name", &quoted(&bot.name), "what it is called here")]);
        lines.push(match &bot.plays {
            Plays::Builtin(name) => key("builtin", &quoted(name), "a bot that is built in"),
            Plays::Program(_) => key("command", &quoted(&bot.plays.to_string()), "a program with its arguments"),
        });
        if let (Plays::Program(_), Some(away)) = (&bot.plays, sketch.away) {
            lines.push(key("dir", &quoted(&away.to_string_lossy()), "where it runs"));
        }
    }
    lines.push(String::new());
    lines.extend(program(sketch.format));
    lines
}

/// How a program is entered.
fn program(format: &str) -> Vec<String> {
    let mut lines = vec![
        "# [[bots]]                        # a program of yours: remove the # of these lines".into(),
        default("name", "\"mine\"", "what it is called here"),
        default("command", "\"python3 my_bot.py\"", "split into words as a shell does"),
        default("dir", "\".\"", "where it runs, seen from the folder of this file"),
        default("env", "{ LEVEL = \"3\" }", "added to its environment; nothing if left out"),
        default("read", "[\"weights.bin\"]", "further files that it may read; none if left out"),
        default("restart", "\"fault\"", "when it is started anew: after a \"fault\", each \"match\", \"never\""),
        default("cores", "\"one\"", "\"all\" for a program that computes in several threads"),
    ];
    if format == "ladder" {
        lines.push(default("joined", "1", "the first round in which it is drawn"));
        lines.push(default("left", "20", "the last; to the end if left out"));
    }
    lines
}
