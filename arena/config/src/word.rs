//! Reads a bot from a word of the command line, in the same way for all commands: a built-in bot, a folder, a file or a command.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use arena_bots::roster;
use arena_engine::table;
use arena_sandbox::access;
use arena_sandbox::interpreter;
use arena_tournament::complaint::Complaint;
use serde_json::{Value, json};

use super::class;
use super::command::{HUMAN, NOTEBOOK, misread, split};

/// The prefix of a built-in bot's name in place of a command.
const BUILTIN: &str = "builtin:";

/// Returns the `[[bots]]` table of a bot given as `[NAME=]BOT`, `[NAME=]FOLDER`, `[NAME=]FILE`, `NAME=COMMAND` or `[NAME=]human`.
///
/// # Errors
/// If the word is none of these, such as a line for a shell.
pub fn bot(word: &str) -> Result<Value, Complaint> {
    let here = std::env::current_dir().unwrap_or_default();
    bot_in(&here, word)
}

/// Returns the name that a word gives to its bot, if any.
pub fn name(word: &str) -> Option<String> {
    Some(bot(word).ok()?.get("name")?.as_str()?.to_owned())
}

/// Returns `true` if a word that does not name a tournament must be meant as a bot.
pub fn is_bot(word: &str) -> bool {
    let is_free = !Path::new(word).exists();
    word.ends_with(NOTEBOOK) || is_free && (word.contains('=') || is_builtin(word))
}

/// Returns true for the path of a bot's source file or folder, perhaps after NAME=.
pub fn is_path(word: &str) -> bool {
    let what = word.split_once('=').map_or(word, |(_, what)| what.trim());
    let path = Path::new(what);
    let is_source = path.is_file() && interpreter::command(what).is_some();
    let is_folder = path.is_dir() && class::is_of_bot(path);
    (is_source || is_folder || what.ends_with(NOTEBOOK)) && !is_builtin(what)
}

fn bot_in(here: &Path, word: &str) -> Result<Value, Complaint> {
    let (name, what) = match word.split_once('=') {
        Some((name, what)) => (Some(name.trim()), what.trim()),
        None => (None, word.trim()),
    };
    if let Some((what, help)) = misread_with(name, what, word) {
        return Err(Complaint::new("", what, help));
    }
    if what == HUMAN {
        return Ok(json!({"name": name.unwrap_or(HUMAN), "command": HUMAN}));
    }
    if let Some(builtin) = what.strip_prefix(BUILTIN) {
        return Ok(json!({"name": name.unwrap_or(builtin), "builtin": builtin}));
    }
    if !is_builtin(what)
        && let Some(mut table) = at(here, what, name.is_some())?
    {
        if let Some(name) = name {
            table["name"] = name.into();
        }
        return Ok(table);
    }
    match name {
        Some(name) => Ok(json!({"name": name, "command": what, "dir": here.to_string_lossy()})),
        None if what.contains(char::is_whitespace) => Err(unnamed(what)),
        None => Ok(json!({"name": what, "builtin": what})),
    }
}

/// Explains a text that is not a command. A variable before a command looks like a name: `SPEED=2 python3 my_bot.py`.
fn misread_with(name: Option<&str>, what: &str, word: &str) -> Option<(String, String)> {
    let is_variable = |name: &str| {
        let of_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        let value = what.split_whitespace().next().unwrap_or_default();
        name.bytes().all(of_name) && !value.contains('/') && access::on_path(value).is_none()
    };
    let whole = name
        .filter(|name| is_variable(name))
        .and_then(|_| misread(Some("NAME"), word));
    misread(name.or(Some("NAME")), what).or(whole)
}

/// Returns `true` for the name of a built-in bot, which takes precedence over a file or folder with that name.
fn is_builtin(what: &str) -> bool {
    let known = |game: &&str| roster::names(game).any(|name| name == what);
    table::names().iter().any(known)
}

/// Returns the table of the bot in a folder or file, if the word names one.
fn at(here: &Path, what: &str, is_named: bool) -> Result<Option<Value>, Complaint> {
    let path = here.join(what);
    let is_path = what.contains('/');
    if path.is_dir() && !what.is_empty() {
        // A command may have the same name as a folder.
        if is_named && !class::is_of_bot(&path) {
            return Ok(None);
        }
        return of_folder(&path).map(Some);
    }
    let Some(file) = path.file_name().and_then(|name| name.to_str()) else {
        return Ok(None);
    };
    if !path.is_file() {
        let is_file = is_path || interpreter::command(file).is_some();
        let is_meant = !is_named && is_file && !what.contains(char::is_whitespace);
        let missing = || {
            let what = format!("there is no file or folder {what}");
            Complaint::new("", what, "relative paths start at the current folder")
        };
        return if is_meant { Err(missing()) } else { Ok(None) };
    }
    if let Some(command) = interpreter::command(file) {
        let mut table = of_script(&path, file, command);
        if is_path && let Some(name) = folder_name(here, &path) {
            table["name"] = name.into();
        }
        return Ok(Some(table));
    }
    // A named word without a path is looked up as a command.
    if is_executable(&path) && !is_named {
        let prefix = if is_path { "" } else { "./" };
        let command = format!("{prefix}{what}");
        let command = shlex::try_quote(&command).unwrap_or_default();
        return Ok(Some(
            json!({"name": stem(file), "command": command, "dir": here.to_string_lossy()}),
        ));
    }
    Ok(None)
}

/// Returns the table of the bot in a folder, described as in a class.
fn of_folder(folder: &Path) -> Result<Value, Complaint> {
    let folder = folder.canonicalize().unwrap_or(folder.into());
    let wrong = |why: String| {
        let what = format!("the folder {} holds no bot: {why}", folder.display());
        Complaint::new("", what, "")
    };
    let described = class::described(&folder).map_err(wrong)?;
    let mut table = serde_json::to_value(described).map_err(|error| wrong(error.to_string()))?;
    table["name"] = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into();
    table["dir"] = folder.to_string_lossy().into();
    Ok(table)
}

/// Returns the table of a source file, which runs in its folder: by its own `#!` line if it has one and is executable, and by the usual
/// interpreter if not.
fn of_script(path: &Path, file: &str, command: String) -> Value {
    let is_program = is_executable(path) && access::interpreter(path).is_some();
    let itself = format!("./{file}");
    let command = match shlex::try_quote(&itself) {
        Ok(itself) if is_program => itself.into_owned(),
        _ => command,
    };
    let folder = path.parent().unwrap_or(path);
    let folder = folder.canonicalize().unwrap_or(folder.into());
    json!({"name": stem(file), "command": command, "dir": folder.to_string_lossy()})
}

/// Returns the name of the folder of a main file if it is not the current folder, because many bots have a file named bot.py.
fn folder_name(here: &Path, path: &Path) -> Option<String> {
    let is_main = class::MAINS.contains(&path.file_stem()?.to_str()?);
    let folder = path.parent()?.canonicalize().ok()?;
    let is_other = is_main && here.canonicalize().ok()? != folder;
    is_other.then(|| Some(folder.file_name()?.to_string_lossy().into_owned()))?
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o111 != 0)
}

/// Returns the name of a bot, derived from that of its file.
fn stem(file: &str) -> &str {
    file.rsplit_once('.')
        .map_or(file, |(stem, _)| stem)
        .trim_start_matches('.')
}

/// Returns the complaint about a command of several words without a name.
fn unnamed(command: &str) -> Complaint {
    let words = split(command).unwrap_or_default();
    let script = interpreter::script(&words).map(|script| format!("write only {script}, or "));
    let name = format!("give it a name: \"NAME={command}\"");
    Complaint::new(
        "",
        "a command of several words needs a name",
        script.unwrap_or_default() + &name,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a folder with bots of every kind.
    fn furnished() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let at = |file: &str| dir.path().join(file);
        for folder in ["kit", "class", "empty", "random"] {
            fs::create_dir(at(folder)).unwrap();
        }
        for (file, text) in [
            ("bot.py", ""),
            ("my bot.js", ""),
            ("own.py", "#!/usr/bin/python3\n"),
            ("tool", "\x7fELF"),
            (
                "kit/bot.toml",
                "command = 'build/bot'\nbuild = 'make'\nenv = { A = '1' }",
            ),
            ("kit/other.py", ""),
            ("class/main.rb", ""),
            ("random/bot.py", ""),
        ] {
            fs::write(at(file), text).unwrap();
        }
        for file in ["own.py", "tool"] {
            fs::set_permissions(at(file), fs::Permissions::from_mode(0o755)).unwrap();
        }
        dir
    }

    #[test]
    fn a_bot_is_given_by_name_file_folder_or_command() {
        let dir = furnished();
        let here = dir.path().canonicalize().unwrap();
        for (word, name, command, inside) in [
            ("bot.py", "bot", "python3 bot.py", ""),
            ("./bot.py", "bot", "python3 bot.py", ""),
            ("kit/other.py", "other", "python3 other.py", "kit"),
            ("class/main.rb", "class", "ruby main.rb", "class"),
            ("a=kit/other.py", "a", "python3 other.py", "kit"),
            ("my bot.js", "my bot", "node 'my bot.js'", ""),
            ("own.py", "own", "./own.py", ""),
            ("tool", "tool", "./tool", ""),
            ("./tool", "tool", "./tool", ""),
            ("kit", "kit", "build/bot", "kit"),
            ("kit/", "kit", "build/bot", "kit"),
            ("a=kit", "a", "build/bot", "kit"),
            ("class", "class", "ruby main.rb", "class"),
            ("./random", "random", "python3 bot.py", "random"),
            ("a=./tool", "a", "./tool", ""),
            ("a = tool", "a", "tool", ""),
            ("a=python3 -u bot.py", "a", "python3 -u bot.py", ""),
            ("a=empty", "a", "empty", ""),
            ("a=env python3 bot.py", "a", "env python3 bot.py", ""),
        ] {
            let table = bot_in(&here, word).unwrap_or_else(|why| panic!("{word}: {why}"));
            let inside = here
                .join(inside)
                .to_string_lossy()
                .trim_end_matches('/')
                .to_owned();
            let text = |key: &str| {
                table[key]
                    .as_str()
                    .unwrap_or_default()
                    .trim_end_matches('/')
                    .to_owned()
            };
            assert_eq!(
                [text("name"), text("command"), text("dir")],
                [name.to_owned(), command.to_owned(), inside],
                "{word}"
            );
        }
        let kit = bot_in(&here, "kit").unwrap();
        assert_eq!(
            (&kit["build"], &kit["env"]),
            (&json!("make"), &json!({"A": "1"}))
        );
        for (word, name, builtin) in [
            ("random", "random", "random"),
            ("builtin:random", "random", "random"),
            ("a=builtin:random", "a", "random"),
            ("nobody", "nobody", "nobody"),
        ] {
            let table = bot_in(&here, word).unwrap();
            assert_eq!(table, json!({"name": name, "builtin": builtin}), "{word}");
        }
        let me = bot_in(&here, "me=human").unwrap();
        assert_eq!(me, json!({"name": "me", "command": HUMAN}));
    }

    #[test]
    fn what_is_no_bot_is_told_with_a_remedy() {
        let dir = furnished();
        for (word, expected) in [
            ("gone.py", "there is no file or folder gone.py"),
            ("./gone", "there is no file or folder ./gone"),
            ("empty", "there is neither a bot.toml nor a main file"),
            (
                "python3 bot.py",
                "write only bot.py, or give it a name: \"NAME=python3 bot.py\"",
            ),
            ("bot.ipynb", "jupyter nbconvert --to script bot.ipynb"),
            ("a=python3 bot.ipynb", "jupyter nbconvert"),
            ("cd x && ./bot", "write \"NAME=sh -c 'cd x && ./bot'\""),
            ("a=cd x && ./bot", "write \"a=sh -c 'cd x && ./bot'\""),
            (
                "SPEED=2 python3 bot.py",
                "write \"NAME=sh -c 'SPEED=2 python3 bot.py'\"",
            ),
            ("a=SPEED=2 ./bot", "write \"a=sh -c 'SPEED=2 ./bot'\""),
        ] {
            let Complaint { what, help, .. } = bot_in(dir.path(), word).unwrap_err();
            let said = format!("{what}; {help}");
            assert!(said.contains(expected), "{word}: {said}");
        }
    }
}
