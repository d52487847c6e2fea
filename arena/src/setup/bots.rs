//! The bots of a setup: what a file or a flag says of one, and whether they can be started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arena_bots::roster;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{self, Given, Keys, mistyped, quoted};
use super::nearest::instead;
use super::plan::{self, Plan};
use super::problem::{At, Problem};
use super::{Bot, Cores, Plays, Program};

/// The longest name that a bot may have, in characters.
const LONGEST_NAME: usize = 64;

/// A bot that is being read, with all that is wrong with it.
pub struct Draft {
    /// Its name, if it can be read.
    pub name: Option<String>,
    /// The bot, if it can be read.
    pub bot: Option<Bot>,
    name_at: At,
    plays_at: At,
    wrong: Vec<Problem>,
}

/// The bot of a table in a file that lies in this folder.
pub fn of_table(table: &DeTable<'_>, at: &At, dir: &Path, plan: &Plan) -> Draft {
    let mut keys = Keys::new(table);
    let name = keys.text("name", None);
    if name.is_absent() && !keys.is_misspelt(&["name"]) {
        keys.blame(Problem::new(at, "this bot has no name", "add a line below, such as name = \"mine\""));
    }
    let (builtin, command) = (keys.text("builtin", None), keys.text("command", None));
    let folder = keys.text("dir", None);
    let read = keys.texts("read");
    let (restart, cores, env) = (keys.word("restart", None), keys.word("cores", None), env(&mut keys));
    let (joined, left) = plan::stay(&mut keys, plan);
    let home = folder.told().map_or_else(|| dir.to_path_buf(), |folder| dir.join(folder));
    if folder.told().is_some() && !home.is_dir() {
        let what = format!("there is no folder {}", home.display());
        keys.blame(Problem::new(&folder.at(), what, "paths begin at the folder of this file"));
    }
    let absent = read.told().into_iter().flatten().map(|(path, at)| (home.join(path), at));
    for (path, at) in absent.filter(|(path, _)| home.is_dir() && !path.exists()) {
        let what = format!("there is nothing at {} to read", path.display());
        keys.blame(Problem::new(at, what, "mend the path, or remove it"));
    }
    let plays_at = if builtin.is_absent() { command.at() } else { builtin.at() };
    let plays = plays(&mut keys, at, &builtin, &command).map(|plays| match plays {
        Plays::Program(program) => Plays::Program(Program {
            dir: home.clone(),
            env,
            read: read.told().into_iter().flatten().map(|(path, _)| home.join(path)).collect(),
            cores: cores.or(Cores::default()).unwrap_or_default(),
            ..program
        }),
        builtin @ Plays::Builtin(_) => builtin,
    });
    let (name_at, name) = (name.at(), name.told().cloned());
    let bot = name.clone().zip(plays).map(|(name, plays)| Bot {
        restart: restart.told().copied().unwrap_or_default(),
        joined,
        left,
        ..Bot::new(&name, plays)
    });
    Draft { name, bot, name_at, plays_at, wrong: keys.finish() }
}

/// What plays by a file: either a bot of ours or a program.
fn plays(keys: &mut Keys<'_>, at: &At, builtin: &Given<String>, command: &Given<String>) -> Option<Plays> {
    match (builtin, command) {
        (Given::Told(name, _), Given::Absent) => Some(Plays::Builtin(name.clone())),
        (Given::Absent, Given::Told(command, at)) => match words(command) {
            Ok(command) => Some(Plays::Program(program(command, PathBuf::new()))),
            Err(why) => {
                keys.blame(Problem::new(at, why, "a command is split into words as a shell does"));
                None
            }
        },
        (Given::Absent, Given::Absent) if keys.is_misspelt(&["builtin", "command"]) => None,
        (Given::Absent, Given::Absent) => {
            let cure = "add a line below: builtin = \"...\" or command = \"...\"";
            keys.blame(Problem::new(at, "this bot has neither `builtin` nor `command`", cure));
            None
        }
        (Given::Wrong, Given::Absent) | (Given::Absent, Given::Wrong) => None,
        _ => {
            let both = [keys.place("builtin"), keys.place("command")];
            let problem = Problem::new(&both[1], "this bot has both `builtin` and `command`", "remove one of the two");
            keys.blame(problem.also(&both[0], "the other"));
            None
        }
    }
}

fn env(keys: &mut Keys<'_>) -> BTreeMap<String, String> {
    let Given::Told(table, _) = keys.table("env") else { return BTreeMap::new() };
    let mut env = BTreeMap::new();
    for (name, value) in table {
        let at = At::File(name.span());
        let name: &str = name.get_ref();
        if name.is_empty() || name.contains(['=', '\0']) {
            keys.blame(Problem::new(&at, format!("{} cannot name a variable", quoted(name)), "write one without ="));
        }
        match variable(name, value) {
            Ok(text) => drop(env.insert(name.to_owned(), text)),
            Err(problem) => keys.blame(problem),
        }
    }
    env
}

fn variable(name: &str, value: &Spanned<DeValue<'_>>) -> Result<String, Problem> {
    let text = keys::text(name, value)?;
    if text.contains('\0') {
        return Err(mistyped(name, value, "a text without the character 0", "remove that character"));
    }
    Ok(text)
}

/// The bot of a flag.
pub fn of_flag(flag: &str) -> Draft {
    let at = At::Flag(format!("--bot {flag}"));
    let cure = "write it as NAME=COMMAND or NAME=builtin:BOT";
    let (name, plays) = match flag.split_once('=') {
        None => (None, Err("this names no bot".to_owned())),
        Some((name, command)) => (Some(name.trim()), read_plays(command)),
    };
    match (name, plays) {
        (Some(name), Ok(plays)) => Draft::of_bot(Bot::new(name, plays), at),
        (name, plays) => {
            let wrong = plays.err().map(|why| Problem::new(&at, why, cure)).into_iter().collect();
            let name = name.map(str::to_owned);
            Draft { name, bot: None, name_at: at.clone(), plays_at: at, wrong }
        }
    }
}

/// What plays by a flag: a program that is run in the current folder, or a bot of ours.
pub fn read_plays(command: &str) -> Result<Plays, String> {
    if let Some(builtin) = command.trim().strip_prefix("builtin:") {
        return Ok(Plays::Builtin(builtin.to_owned()));
    }
    let dir = std::env::current_dir().map_err(|e| e.to_string())?;
    Ok(Plays::Program(program(words(command)?, dir)))
}

fn program(command: Vec<String>, dir: PathBuf) -> Program {
    Program { command, dir, env: BTreeMap::new(), read: Vec::new(), cores: Cores::One }
}

/// Splits a command into words as a shell would.
fn words(command: &str) -> Result<Vec<String>, String> {
    if command.contains('\0') {
        return Err("a command cannot hold the character 0".into());
    }
    match shlex::split(command) {
        Some(words) if words.first().is_some_and(|word| !word.is_empty()) => Ok(words),
        Some(_) => Err("the command is empty".into()),
        None => Err(format!("the command {} has an open quote", quoted(command))),
    }
}

/// Says what keeps these bots from playing a game, if that is known.
pub fn check(game: Option<&str>, drafts: Vec<Draft>, wrong: &mut Vec<Problem>) -> Vec<Bot> {
    let mut first: BTreeMap<String, At> = BTreeMap::new();
    let mut bots = Vec::new();
    for mut draft in drafts {
        draft.check_name(&mut first);
        draft.check_plays(game);
        wrong.append(&mut draft.wrong);
        bots.extend(draft.bot);
    }
    bots
}

impl Draft {
    /// A bot that is read already, all of it from one place.
    pub fn of_bot(bot: Bot, at: At) -> Self {
        let name = Some(bot.name.clone());
        Self { name, bot: Some(bot), name_at: at.clone(), plays_at: at, wrong: Vec::new() }
    }

    fn check_name(&mut self, first: &mut BTreeMap<String, At>) {
        let Some(name) = &self.name else { return };
        if let Some(other) = first.get(name) {
            let problem =
                Problem::new(&self.name_at, format!("two bots are named {}", quoted(name)), "rename one of the two");
            self.wrong.push(problem.also(other, "the first is here"));
        } else {
            first.insert(name.clone(), self.name_at.clone());
        }
        let bad = if name.is_empty() {
            Some("it is empty")
        } else if name.chars().count() > LONGEST_NAME {
            Some("it is too long")
        } else if name.contains('/') {
            Some("it holds a /")
        } else if name.contains(char::is_control) {
            Some("it holds a control character")
        } else {
            None
        };
        if let Some(why) = bad {
            let what = format!("{} cannot name a bot: {why}", quoted(name));
            let cure = format!("take 1 to {LONGEST_NAME} characters, no / or control characters");
            self.wrong.push(Problem::new(&self.name_at, what, cure));
        }
    }

    fn check_plays(&mut self, game: Option<&str>) {
        match self.bot.as_ref().map(|bot| &bot.plays) {
            Some(Plays::Builtin(builtin)) => {
                let Some(game) = game else { return };
                let known: Vec<&str> = roster::names(game).collect();
                if !known.contains(&builtin.as_str()) {
                    let what = format!("no bot named {} is built in for {game}", quoted(builtin));
                    self.wrong.push(Problem::new(&self.plays_at, what, instead(builtin, &known, quoted)));
                }
            }
            Some(Plays::Program(program)) => {
                // That the folder is missing has been said where it is named.
                if program.dir.is_dir()
                    && let Err(why) = find(program)
                {
                    let cure = format!("programs are looked for on PATH, and paths in {}", program.dir.display());
                    self.wrong.push(Problem::new(&self.plays_at, why, cure));
                }
            }
            None => {}
        }
    }
}

/// Finds the file that a program's command starts.
pub fn find(program: &Program) -> Result<PathBuf, String> {
    let name = Path::new(&program.command[0]);
    if !program.dir.is_dir() {
        return Err(format!("there is no folder {}", program.dir.display()));
    }
    let candidates: Vec<PathBuf> = if name.components().count() > 1 {
        vec![program.dir.join(name)]
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).map(|dir| dir.join(name)).collect()
    };
    let found = candidates.iter().find(|path| path.is_file());
    match found {
        Some(path) if is_executable(path) => Ok(path.clone()),
        Some(path) => Err(format!("{} is not executable (chmod +x, or name its interpreter first)", path.display())),
        None => Err(format!("there is no program {}", name.display())),
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|about| about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}

/// Whether a program of that name is found.
pub fn is_installed(name: &str) -> bool {
    find(&program(vec![name.into()], ".".into())).is_ok()
}
