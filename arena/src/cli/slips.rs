//! Slips that would baffle whoever made them, since the command line is read otherwise then, or not at all: words of a bot's
//! command that a shell has torn from it (`--bot mine=python3 my_bot.py` without quotes), and flags that were renamed.

use std::path::Path;

use arena_config::diagnostic::UsageError;

/// The commands that take bots as NAME=COMMAND.
const COMMANDS: &[&str] = &["run", "compare", "init", "plan", "extend", "match"];
/// The command that takes them without a flag, too.
const COMPARE: &str = "compare";
/// The flags that take them.
const FLAGS: &[&str] = &["--bot", "--field"];

/// Flags that are spelt otherwise now: the command, and both spellings.
const RENAMED: &[(&str, &str, &str)] = &[
    ("export", "--format", "--as FORMAT"),
    ("faults", "--bot", "--only NAME"),
    ("repro", "--bot", "--program COMMAND"),
    ("bench", "--bot", "--program COMMAND"),
];

/// The slip in a command line, if there is one.
pub fn find(line: impl Iterator<Item = String>) -> Option<UsageError> {
    let line: Vec<String> = line.skip(1).collect();
    renamed(&line).or_else(|| torn(&line)).map(UsageError::one)
}

fn renamed(line: &[String]) -> Option<String> {
    let has = |flag: &str| line.iter().any(|word| word.split('=').next() == Some(flag));
    let of_command =
        |(command, old, _): &&(&str, &str, &str)| line.first().is_some_and(|first| first == command) && has(old);
    let (command, old, now) = RENAMED.iter().find(of_command)?;
    Some(format!("{old} of `arena {command}` is called {now} now"))
}

fn torn(line: &[String]) -> Option<String> {
    let command = line.first().filter(|command| COMMANDS.contains(&command.as_str()))?;
    (1..line.len()).find_map(|place| {
        let (flag, bot) = bot_at(command, line, place)?;
        let torn: Vec<&str> = line[place + 1..].iter().map_while(|word| is_torn(word)).collect();
        let (first, whole) = (torn.first()?, [&[bot], torn.as_slice()].concat().join(" "));
        Some(format!(
            "{first} stands behind {flag}{bot} as a word of its own. A command of several words needs quotes: {flag}{whole:?}"
        ))
    })
}

/// The bot that is given at this place, as a single word with a command in it, and the flag before it with a blank.
fn bot_at<'a>(command: &str, line: &'a [String], place: usize) -> Option<(String, &'a str)> {
    let (word, before) = (&line[place], &line[place - 1]);
    let by_equals = FLAGS.iter().find_map(|flag| word.strip_prefix(flag)?.strip_prefix('=').map(|bot| (*flag, bot)));
    let (flag, bot) = match by_equals {
        Some(found) => found,
        None if FLAGS.contains(&before.as_str()) => (before.as_str(), word.as_str()),
        // What stands behind another flag may be its value, such as rounds=1.
        None if command == COMPARE && !word.starts_with('-') && !before.starts_with("--") => ("", word.as_str()),
        None => return None,
    };
    let (_, program) = bot.split_once('=')?;
    let is_program = !program.is_empty() && !program.starts_with("builtin:") && !program.contains(char::is_whitespace);
    let flag = if flag.is_empty() { String::new() } else { format!("{flag} ") };
    is_program.then_some((flag, bot))
}

/// The word, if it can only belong to the command before it: a script, or a flag of an interpreter.
fn is_torn(word: &str) -> Option<&str> {
    let path = Path::new(word);
    let is_flag =
        word.len() > 1 && word.starts_with('-') && !word.starts_with("--") && !["-q", "-h", "-V"].contains(&word);
    let ending = path.extension().filter(|ending| *ending != "toml" && !word.contains('='));
    let is_script = !word.starts_with('-') && !path.is_dir() && ending.is_some();
    (is_flag || is_script).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, said: Option<&str>) {
        let words = std::iter::once("arena").chain(line.split_whitespace()).map(str::to_owned);
        let found = find(words).map(|why| why.to_string());
        match said {
            Some(said) => assert!(found.as_ref().is_some_and(|found| found.contains(said)), "{line}: {found:?}"),
            None => assert_eq!(found, None, "{line}"),
        }
    }

    #[test]
    fn torn_commands_are_put_together() {
        let whole = Some("--bot \"mine=python3 my_bot.py\"");
        check("match --bot mine=python3 my_bot.py --bot a=builtin:exact", whole);
        check("run --deals 3 --bot mine=python3 my_bot.py", whole);
        check("run --bot=mine=python3 my_bot.py -q", whole);
        check("match --bot m=java -jar bot.jar", Some("--bot \"m=java -jar bot.jar\""));
        check("compare mine=python3 my_bot.py exact", Some(": \"mine=python3 my_bot.py\""));
        check("compare exact random --field x=sh x.sh", Some("--field \"x=sh x.sh\""));
    }

    #[test]
    fn old_spellings_say_the_new_one() {
        check("export t --format=csv", Some("--as FORMAT"));
        check("faults t --bot mine", Some("--only NAME"));
        check("run --format swiss --bot a=./bot", None);
    }

    #[test]
    fn what_is_meant_is_left_alone() {
        check("run --bot a=./bot friday.toml", None);
        check("run --bot a=builtin:exact other.py", None);
        check("extend --bot a=./bot friday", None);
        check("run --bot a=./bot -q", None);
        check("compare a=./bot exact --rule rounds=1", None);
        check("compare --rule rounds=1 v1.2 v1.3", None);
        check("check python3 my_bot.py", None);
        check("compare a=./v1 b=./v1.2", None);
        check("run --bot", None);
    }
}
