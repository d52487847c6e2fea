//! Bots that lie in folders beside each other, one each, such as those of a class: `from = "students/*"`.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use arena_sandbox::access;
use arena_sandbox::paths::resolved;
use arena_sandbox::scan::is_tournament;
use arena_tournament::entrant::{Bot, Entrant, Program, Restart};
use arena_tournament::spec::LeftOut;
use arena_tournament::suggest::quoted;
use serde::Deserialize;

use super::diagnostic::{At, Diagnostic};
use super::entrants::{Draft, is_name, split};
use super::files::{NOTHING, small_text};
use super::section::Reader;

/// The file that says how the bot of a folder is started.
const FILE: &str = "bot.toml";
/// The names that a bot's main file may have, but for the ending...
const MAINS: [&str; 2] = ["bot", "main"];
/// ...and the programs that run files with these endings.
const INTERPRETERS: [(&str, &str); 7] = [
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("rb", "ruby"),
    ("lua", "lua5.4"),
    ("pl", "perl"),
    ("sh", "sh"),
];

/// What a folder's own file says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    command: String,
    build: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    restart: Restart,
}

/// What is wrong with the name of a folder.
const NAMES: &str = "the name of its folder cannot name a bot: take 1 to 64 characters, no control characters";

/// The drafts of the bots in the folders that a pattern names, in order of their names, and those that are left out.
pub fn drafts(
    reader: &mut Reader,
    pattern: &str,
    at: &At,
    (number, dir): (usize, &Path),
) -> (Vec<Draft>, Vec<LeftOut>) {
    let found = folders(pattern, dir).unwrap_or_else(|why| {
        let what = format!("{} does not name folders: {why}", quoted(pattern));
        reader.add(Diagnostic::new(at, what, "write it as from = \"students/*\""));
        Vec::new()
    });
    let (mut drafts, mut left_out) = (Vec::new(), Vec::new());
    for folder in found {
        let name = name(&folder);
        match entrant(&folder) {
            Ok(entrant) if is_name(&name) => drafts.push(Draft::of(&entrant, number)),
            Ok(_) => left_out.push(LeftOut { name, why: NAMES.into() }),
            Err(why) => left_out.push(LeftOut { name, why }),
        }
    }
    (drafts, left_out)
}

/// The folders that a pattern such as `students/*` names.
fn folders(pattern: &str, dir: &Path) -> Result<Vec<PathBuf>, String> {
    let above = pattern.strip_suffix("/*").filter(|above| !above.contains('*'));
    let above = above.ok_or("it ends in /*, as in students/*, and holds no other *")?;
    let above = resolved(&dir.join(above));
    let entries = fs::read_dir(&above).map_err(|error| format!("{}: {error}", above.display()))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.retain(|path| !name(path).starts_with('.') && !is_tournament(path));
    folders.sort();
    Ok(folders)
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn entrant(folder: &Path) -> Result<Entrant, String> {
    if folder.is_symlink() {
        return Err("its folder is a link to another".into());
    }
    let described = match small_text(&folder.join(FILE)) {
        Ok(text) => toml::from_str(&text).map_err(|error| format!("{FILE}: {}", error.message()))?,
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(format!("{FILE}: {error}")),
        Err(_) => {
            Described { command: main_of(folder)?, build: None, env: BTreeMap::new(), restart: Restart::default() }
        }
    };
    let command = split(&described.command).map_err(|why| format!("{FILE}: {why}"))?;
    if let Some(word) = access::paths(&command).find(|word| leads_out(word)) {
        return Err(format!("{FILE}: its command names {}, outside its folder", quoted(word)));
    }
    let program = Program {
        command,
        dir: folder.to_path_buf(),
        build: described.build.or(Some(NOTHING.into())),
        env: described.env,
        ..Program::default()
    };
    Ok(Entrant { restart: described.restart, ..Entrant::new(name(folder), Bot::Program(program)) })
}

/// True for a word that may name what is another's: the folders of all that a command names may be read.
fn leads_out(word: &str) -> bool {
    let path = Path::new(word);
    path.components().any(|part| part == Component::ParentDir) || path.is_absolute() && !access::is_of_system(path)
}

/// The command that runs the only main file of a folder.
fn main_of(folder: &Path) -> Result<String, String> {
    let named = |main: &str| INTERPRETERS.map(|(ending, program)| (format!("{main}.{ending}"), program));
    let all = MAINS.into_iter().flat_map(named);
    let found: Vec<(String, &str)> = all.filter(|(file, _)| folder.join(file).is_file()).collect();
    match found.as_slice() {
        [(file, program)] => Ok(format!("{program} {file}")),
        [] => Err(format!("there is neither a {FILE} nor a main file, such as bot.py or main.js")),
        [(one, _), (other, _), ..] => Err(format!("there are {one} and {other}: say which it is in a {FILE}")),
    }
}
