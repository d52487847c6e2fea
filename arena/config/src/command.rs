//! Splits commands into words, and explains texts that look like commands but are not.

use arena_sandbox::interpreter;
use arena_tournament::suggest::{BACKSLASH, quoted};

/// The word for a person in place of a command.
pub const HUMAN: &str = "human";
/// Ending of a notebook.
pub const NOTEBOOK: &str = ".ipynb";
/// Words with which a shell joins or redirects commands.
const OPERATORS: &[&str] = &["&&", "||", "|", ";", "&", ">", ">>", "2>", "<", "2>&1"];
/// Commands that are built into a shell.
const OF_SHELL: &[&str] = &["cd", "source", "export"];

/// Splits a command into words as a shell would.
pub fn split(command: &str) -> Result<Vec<String>, String> {
    if command.contains('\0') {
        return Err("a command cannot contain a NUL character".into());
    }
    match shlex::split(command) {
        Some(words) if words.first().is_some_and(|word| !word.is_empty()) => Ok(words),
        Some(_) => Err("the command is empty".into()),
        None => Err(format!(
            "the command {} has an unclosed quote",
            quoted(command)
        )),
    }
}

/// Returns the problem and its fix for a text that is not a command, such as a shell line. `name` is the name of the bot on the command
/// line.
pub fn misread(name: Option<&str>, command: &str) -> Option<(String, String)> {
    if has_windows_path(command) {
        return Some(("this is a Windows path".into(), BACKSLASH.into()));
    }
    let words = split(command).ok()?;
    if let Some(notebook) = words.iter().find(|word| word.ends_with(NOTEBOOK)) {
        let script = notebook.replace(NOTEBOOK, ".py");
        let what = "this is a notebook, not a program".into();
        let help =
            format!("`jupyter nbconvert --to script {notebook}` writes {script}: name that file");
        return Some((what, help));
    }
    needs_shell(command, &words).then(|| {
        let whole = shlex::try_quote(command).unwrap_or(command.into());
        let what = "this command needs a shell, and the arena starts it without one".into();
        let help = match name {
            Some(name) => format!("write \"{name}=sh -c {whole}\""),
            None => format!("write sh -c {whole}"),
        };
        (what, help)
    })
}

/// Returns `true` if a variable assignment, as in a shell, precedes the command.
fn sets_variable(words: &[String]) -> bool {
    let name = words.first().and_then(|word| word.split_once('='));
    let is_variable = |(name, _): (&str, &str)| {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(is_of_name)
    };
    let is_started = || interpreter::script(&words[1..]).is_some() || words[1].contains('/');
    words.len() > 1 && name.is_some_and(is_variable) && is_started()
}

/// Returns true for a command with a Windows path.
fn has_windows_path(command: &str) -> bool {
    let has_drive = |word: &str| word.get(1..3) == Some(":\\");
    command
        .split(' ')
        .any(|word| word.starts_with(".\\") || has_drive(word))
}

/// Returns true for a line that only a shell understands.
fn needs_shell(command: &str, words: &[String]) -> bool {
    // A quoted operator is an argument.
    let is_bare = |word: &str| command.split_whitespace().any(|bare| bare == word);
    let is_operator = |word: &str| OPERATORS.contains(&word) || word.ends_with(';');
    let joins = words.iter().any(|word| is_operator(word) && is_bare(word));
    let first = words.first().map_or("", String::as_str);
    joins || words.len() > 1 && OF_SHELL.contains(&first) || sets_variable(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_command_is_told_with_a_remedy() {
        for (command, expected) in [
            (
                "cd x && python3 bot.py",
                Some("sh -c 'cd x && python3 bot.py'"),
            ),
            ("cd x; ./bot", Some("sh -c 'cd x; ./bot'")),
            ("cat weights | ./bot", Some("sh -c 'cat weights | ./bot'")),
            ("./bot 2> log", Some("sh -c './bot 2> log'")),
            ("A=1 python3 bot.py", Some("sh -c 'A=1 python3 bot.py'")),
            ("A=1 ./bot", Some("sh -c 'A=1 ./bot'")),
            (
                "nb/bot.ipynb",
                Some("nbconvert --to script nb/bot.ipynb` writes nb/bot.py"),
            ),
            ("python3 bot.ipynb", Some("writes bot.py")),
            ("C:\\bot.exe", Some("written with /")),
            ("sh -c 'cd x && ./bot | tee log'", None),
            ("awk -F '|' -f bot.awk", None),
            ("sh -c './bot;'", None),
            ("env A=1 python3 bot.py", None),
            ("./bot --depth=3", None),
            ("cd", None),
            ("python3 'unclosed", None),
        ] {
            let found = misread(None, command);
            match (expected, &found) {
                (Some(part), Some((_, help))) => assert!(help.contains(part), "{command}: {help}"),
                _ => assert_eq!(expected.is_none(), found.is_none(), "{command}: {found:?}"),
            }
        }
    }
}
