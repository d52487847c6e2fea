//! The bots of a setup: what a flag says of one, and whether they can be started.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use arena_bots::roster;
use arena_engine::games;

use super::{Bot, Cores, Plays, Program};

/// The longest name that a bot may have, in characters.
const LONGEST_NAME: usize = 64;

/// The bot of a flag.
pub fn of_flag(flag: &str) -> Result<Bot, String> {
    let form = || format!("--bot {flag:?}: write it as NAME=COMMAND or NAME=builtin:BOT");
    let (name, command) = flag.split_once('=').ok_or_else(form)?;
    let plays = read_plays(command).map_err(|why| format!("--bot {flag:?}: {why}"))?;
    Ok(Bot::new(name.trim(), plays))
}

/// What plays by a flag: a program that is run in the current folder, or a bot of ours.
pub fn read_plays(command: &str) -> Result<Plays, String> {
    if let Some(builtin) = command.trim().strip_prefix("builtin:") {
        return Ok(Plays::Builtin(builtin.to_owned()));
    }
    let dir = std::env::current_dir().map_err(|e| e.to_string())?;
    Ok(Plays::Program(Program {
        command: words(command)?,
        dir,
        env: BTreeMap::new(),
        read: Vec::new(),
        cores: Cores::One,
    }))
}

/// Whether a flag is about the bot of this name.
pub fn is_named(flag: &str, name: &str) -> bool {
    flag.split_once('=').is_some_and(|(named, _)| named.trim() == name)
}

/// Splits a command into words as a shell would.
pub fn words(command: &str) -> Result<Vec<String>, String> {
    match shlex::split(command) {
        Some(words) if !words.is_empty() => Ok(words),
        Some(_) => Err("the command is empty".into()),
        None => Err(format!("the command {command:?} has an open quote")),
    }
}

/// Says what keeps these bots from playing a game.
pub fn check_bots(game: &str, bots: &[Bot], wrong: &mut Vec<String>) {
    let mut names = BTreeSet::new();
    for Bot { name, plays, .. } in bots {
        if !names.insert(name) {
            wrong.push(format!("two bots are named {name:?}"));
        }
        if name.is_empty() || name.chars().count() > LONGEST_NAME || name.contains(|c: char| c.is_control() || c == '/')
        {
            wrong.push(format!(
                "{name:?} cannot name a bot: 1 to {LONGEST_NAME} characters, no / or control characters"
            ));
        }
        match plays {
            Plays::Builtin(builtin) if games::NAMES.contains(&game) => {
                if !roster::names(game).any(|known| known == builtin) {
                    let known: Vec<&str> = roster::names(game).collect();
                    wrong.push(format!(
                        "bot {name:?}: no bot {builtin:?} is built in for {game}; there is {}",
                        known.join(", ")
                    ));
                }
            }
            Plays::Builtin(_) => {}
            Plays::Program(program) => {
                let absent = program.read.iter().filter(|path| !path.exists());
                let absent = absent.map(|path| format!("there is nothing at {} to read", path.display()));
                wrong.extend(find(program).err().into_iter().chain(absent).map(|why| format!("bot {name:?}: {why}")));
            }
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
    let program = Program {
        command: vec![name.into()],
        dir: ".".into(),
        env: BTreeMap::new(),
        read: Vec::new(),
        cores: Cores::One,
    };
    find(&program).is_ok()
}
