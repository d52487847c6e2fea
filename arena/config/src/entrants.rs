//! Reads the bots of a tournament file, and checks that they can take part.

use std::path::{Path, PathBuf};

use arena_bots::roster;
use arena_sandbox::access::is_path;
use arena_sandbox::executable::find;
use arena_sandbox::interpreter;
use arena_sandbox::paths::resolved;
use arena_tournament::complaint::Complaint;
use arena_tournament::entrant::{Bot, Entrant, Program};
use arena_tournament::printable::{most_marks, nfc};
use arena_tournament::suggest::{self, BACKSLASH, quoted};

use super::command::{HUMAN, misread, split};
use super::diagnostic::At;
use super::file::BotTable;
use super::reader::Reader;

/// Maximum length of a bot's name, in characters.
const MAX_NAME_CHARS: usize = 64;
/// Help on valid names of bots.
pub const NAME_HELP: &str =
    "use 1 to 64 characters, no / or control characters, and at most 4 combining marks on a letter";
/// Help for people who want to play.
pub const PEOPLE_HELP: &str = "to play yourself, use `arena serve`";
/// Maximum number of combining marks per letter of a name. No language needs more, and long stacks overlap neighbouring lines.
const MAX_MARKS: usize = 4;

/// A bot of a tournament file, with the index of its table.
pub struct Numbered {
    /// Index of the table. Paths of its keys begin with `bots.` and this number.
    pub number: usize,
    pub entrant: Entrant,
}

impl Numbered {
    /// Returns the path of a key of this table.
    pub fn path(&self, key: &str) -> String {
        format!("bots.{}.{key}", self.number)
    }
}

/// Reads a bot from a table of a file in this folder, and records its problems.
pub fn of_table(
    reader: &mut Reader<'_>,
    number: usize,
    table: BotTable,
    (game, dir): (&str, &Path),
) -> Option<Numbered> {
    let path = |key: &str| format!("bots.{number}.{key}");
    let home = table.dir.as_ref();
    let home = home.map_or_else(|| dir.to_path_buf(), |folder| dir.join(folder));
    for (name, value) in &table.env {
        check_variable(reader, &path("env"), name);
        if value.contains('\0') {
            let what = format!("the value of {} contains a NUL character", quoted(name));
            reader.add(&path("env"), what, "remove that character");
        }
    }
    for (place, name) in table.pass_env.iter().enumerate() {
        check_variable(reader, &path(&format!("pass_env.{place}")), name);
    }
    let bot = match (table.builtin, table.command) {
        (Some(_), Some(_)) => {
            let what = "this bot has both `builtin` and `command`";
            let both = Complaint::new(path("command"), what, "remove one of the two");
            reader.complain(both.also(path("builtin"), "the other"));
            None
        }
        (None, None) => {
            let what = "this bot has neither `builtin` nor `command`";
            let help = "add a line below: builtin = \"...\" or command = \"...\"";
            reader.add(&path(""), what, help);
            None
        }
        (Some(builtin), None) => Some(Bot::Builtin(builtin)),
        (None, Some(command)) if command.trim() == HUMAN => Some(Bot::Person),
        (None, Some(command)) if let Some((what, help)) = misread(None, &command) => {
            reader.add(&path("command"), what, help);
            None
        }
        (None, Some(command)) => match split(&command) {
            Ok(command) => Some(Bot::Program(Program {
                command,
                build: table.build,
                env: table.env,
                pass_env: table.pass_env,
                read: table
                    .read
                    .iter()
                    .map(|path| resolved(&home.join(path)))
                    .collect(),
                cores: table.cores.unwrap_or_default(),
                network: table.network.unwrap_or(false),
                may_pause: table.may_pause.unwrap_or(false),
                cache: table.cache.map(|folder| resolved(&home.join(folder))),
                build_network: table.build_network.unwrap_or(false),
                dir: home,
            })),
            Err(why) => {
                let help = "a command is split into words as in a shell";
                reader.add(&path("command"), why, help);
                None
            }
        },
    };
    let Some(name) = table.name else {
        let help = "add a line below, such as name = \"mine\"";
        reader.add(&path(""), "this bot has no name", help);
        return None;
    };
    Some(Numbered {
        number,
        entrant: Entrant {
            restart: table.restart.unwrap_or_default(),
            withdrawn: table.withdrawn.unwrap_or(false).then_some(0),
            ..Entrant::new(nfc(&name), builtin_if_meant(bot?, game))
        },
    })
}

/// Records an invalid name of an environment variable.
fn check_variable(reader: &mut Reader<'_>, path: &str, name: &str) {
    if name.is_empty() || name.contains(['=', '\0']) {
        let what = format!("{} is not a valid variable name", quoted(name));
        reader.add(path, what, "write only the name of the variable, without =");
    }
}

/// Records problems that keep bots from taking part in a game. With `leaves_out`, missing programs and duplicate names are ignored, because
/// such bots are left out.
pub fn check(reader: &mut Reader<'_>, bots: &[Numbered], game: &str, leaves_out: bool) {
    for (place, bot) in bots.iter().enumerate() {
        let name = &bot.entrant.name;
        if !is_name(name) {
            let what = format!("{} is not a valid bot name", quoted(name));
            reader.add(&bot.path("name"), what, NAME_HELP);
        }
        let other = bots[..place].iter().find(|one| one.entrant.name == *name);
        if let Some(other) = other.filter(|_| !leaves_out) {
            let what = format!("two bots are named {}", quoted(name));
            let twice = Complaint::new(bot.path("name"), what, "rename one of the two");
            reader.complain(twice.also(other.path("name"), "the first is here"));
        }
        match &bot.entrant.bot {
            Bot::Builtin(builtin) => check_builtin(reader, &bot.path("builtin"), builtin, game),
            Bot::Program(program) if !leaves_out && bot.entrant.withdrawn.is_none() => {
                check_program(reader, bot, program, game);
            }
            Bot::Program(_) | Bot::Person => {}
        }
    }
}

fn check_builtin(reader: &mut Reader<'_>, path: &str, builtin: &str, game: &str) {
    let known: Vec<&str> = roster::names(game).collect();
    if known.contains(&builtin) {
        return;
    }
    let what = format!("no bot named {} is built in for {game}", quoted(builtin));
    let is_flag = matches!(reader.place(path), At::Flag(_));
    let help = if is_flag {
        suggest::value(builtin, &known)
            + "; a program is given by its file, its folder or NAME=COMMAND"
    } else {
        suggest::value(builtin, &known)
    };
    reader.add(path, what, help);
}

fn check_program(reader: &mut Reader<'_>, bot: &Numbered, program: &Program, game: &str) {
    let dir = program.dir.display();
    if !program.dir.is_dir() {
        let what = format!("there is no folder {dir}");
        let is_odd = |c: char| c == '\\' || c.is_control();
        let help = if dir.to_string().contains(is_odd) {
            BACKSLASH
        } else {
            "paths are relative to the file"
        };
        reader.add(&bot.path("dir"), what, help);
        return;
    }
    for (number, path) in program.read.iter().enumerate() {
        if !path.exists() {
            let what = format!("there is no file or folder {}", path.display());
            let at = bot.path(&format!("read.{number}"));
            reader.add(&at, what, "correct the path, or remove it");
        }
    }
    if let Err(why) = find_all(program) {
        let meant = match program.command.as_slice() {
            [word] => suggest::nearest(word, &roster::names(game).collect::<Vec<_>>()),
            _ => None,
        };
        let meant = meant.map(|name| format!("did you mean the built-in bot {name:?}? "));
        let help = format!("{}relative paths start at {dir}", meant.unwrap_or_default());
        reader.add(&bot.path("command"), why, help);
    }
}

/// Returns the built-in bot that a command of one word names, if there is no such program.
fn builtin_if_meant(bot: Bot, game: &str) -> Bot {
    if let Bot::Program(program) = &bot
        && let [word] = program.command.as_slice()
        && roster::names(game).any(|name| name == word)
        && program.dir.is_dir()
        && find(program).is_err()
    {
        return Bot::Builtin(word.clone());
    }
    bot
}

/// Returns true for a valid name of a bot.
pub fn is_name(name: &str) -> bool {
    let is_good =
        !name.contains(|c: char| c == '/' || c.is_control()) && most_marks(name) <= MAX_MARKS;
    is_good && (1..=MAX_NAME_CHARS).contains(&name.chars().count())
}

/// Finds the executable of a program's command, and checks that its script exists. Files that are yet to be built may be missing.
pub fn find_all(program: &Program) -> Result<PathBuf, String> {
    if program.build.is_some() && is_path(&program.command[0]) {
        return Ok(program.dir.join(&program.command[0]));
    }
    let path = find(program)?;
    match interpreter::script(&program.command) {
        Some(script) if program.build.is_none() && !program.dir.join(script).exists() => {
            Err(format!(
                "there is no file {script} for {} to run",
                program.command[0]
            ))
        }
        _ => Ok(path),
    }
}
