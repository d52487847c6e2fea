//! Detects bots' commands without quotes, as in `--bot mine=python3 my_bot.py`, which would be misread or refused.

use std::path::Path;

use arena_config::diagnostic::UsageError;
use arena_sandbox::interpreter;

/// Commands that take bots.
const COMMANDS: &[&str] = &["run", "compare", "tune", "init", "plan", "match"];
/// Commands that also take bots without a flag.
const WITH_OPERANDS: &[&str] = &["run", "compare", "plan", "match"];
/// Flags that take a bot.
const FLAGS: &[&str] = &["--bot", "--field"];

/// Returns an error for the first unquoted command on the command line.
pub fn find(line: &[String]) -> Option<UsageError> {
    let line = line.get(1..)?;
    let command = line
        .first()
        .filter(|command| COMMANDS.contains(&command.as_str()))?;
    let why = (1..line.len()).find_map(|place| {
        let (mut before, mut bot) = (line[place - 1].as_str(), line[place].as_str());
        if let Some((flag, joined)) = bot.split_once('=').filter(|(flag, _)| FLAGS.contains(flag)) {
            (before, bot) = (flag, joined);
        }
        let flag = flag_of(command, before, bot)?;
        let rest: Vec<&str> = line[place + 1..].iter().map_while(|word| torn_word(word)).collect();
        let whole = format!("{bot} {}", rest.join(" "));
        let first = rest.first()?;
        let program = bot.split_once('=').map_or(bot, |(_, program)| program);
        let words = std::iter::once(program).chain(rest.iter().copied());
        let words: Vec<String> = words.map(str::to_owned).collect();
        let is_named = bot.contains('=');
        match interpreter::script(&words) {
            Some(script) if !is_named => {
                return Some(format!(
                    "{first} is a separate word after {bot}. The script alone is enough: {script}"
                ));
            }
            // After a command with another program, a script is a separate bot.
            None if !is_named || !first.starts_with('-') => return None,
            _ => {}
        }
        Some(format!(
            "{first} is a separate word after {flag}{bot}. A command of several words needs quotes: {flag}{whole:?}"
        ))
    })?;
    Some(UsageError::one(why))
}

/// Returns the flag before a bot's command of one word, with a trailing space; empty if the bot needs no flag. `None` if the word is not such
/// a command.
fn flag_of(command: &str, before: &str, bot: &str) -> Option<String> {
    let program = bot.split_once('=').map_or(bot, |(_, program)| program);
    let is_program = !program.is_empty()
        && !program.starts_with("builtin:")
        && !program.contains(char::is_whitespace);
    // The operand of another flag may look like a bot: `rounds=1`.
    let is_operand =
        WITH_OPERANDS.contains(&command) && !bot.starts_with('-') && !before.starts_with("--");
    let flag = FLAGS
        .contains(&before)
        .then(|| format!("{before} "))
        .or(is_operand.then(String::new));
    flag.filter(|_| is_program)
}

/// Returns the word if it can only belong to the command before it: a script, or a flag of an interpreter.
fn torn_word(word: &str) -> Option<&str> {
    let path = Path::new(word);
    let is_flag = word.len() > 1
        && word.starts_with('-')
        && !word.starts_with("--")
        && !["-q", "-h", "-V"].contains(&word);
    let ending = path
        .extension()
        .filter(|ending| *ending != "toml" && !word.contains('='));
    let is_script = !word.starts_with('-') && !path.is_dir() && ending.is_some();
    (is_flag || is_script).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<&str>) {
        let words: Vec<String> = std::iter::once("arena")
            .chain(line.split_whitespace())
            .map(str::to_owned)
            .collect();
        let found = find(&words).map(|why| why.to_string());
        match expected {
            Some(text) => assert!(
                found.as_ref().is_some_and(|found| found.contains(text)),
                "{line}: {found:?}"
            ),
            None => assert_eq!(found, None, "{line}"),
        }
    }

    #[test]
    fn torn_commands_are_put_together() {
        let whole = Some("--bot \"mine=python3 my_bot.py\"");
        check(
            "match --bot mine=python3 my_bot.py --bot a=builtin:exact",
            whole,
        );
        check("run --deals 3 --bot mine=python3 my_bot.py", whole);
        check("run --bot mine=python3 my_bot.py -q", whole);
        check("run --bot=mine=python3 my_bot.py", whole);
        check("tune --bot mine=python3 my_bot.py t.toml", whole);
        check(
            "match --bot m=java -jar bot.jar",
            Some("--bot \"m=java -jar bot.jar\""),
        );
        check(
            "compare mine=python3 my_bot.py exact",
            Some(": \"mine=python3 my_bot.py\""),
        );
        check(
            "match python3 my_bot.py exact",
            Some(
                "my_bot.py is a separate word after python3. The script alone is enough: my_bot.py",
            ),
        );
        check(
            "run mine=python3 -u my_bot.py exact",
            Some(": \"mine=python3 -u my_bot.py\""),
        );
        check(
            "compare exact random --field x=sh x.sh",
            Some("--field \"x=sh x.sh\""),
        );
    }

    #[test]
    fn what_is_meant_is_left_alone() {
        check("run --bot a=./bot friday.toml", None);
        check("run --bot a=builtin:exact other.py", None);
        check("run --bot a=./bot -q", None);
        check("compare a=./bot exact --rule rounds=1", None);
        check("compare --rule rounds=1 v1.2 v1.3", None);
        check("check python3 my_bot.py", None);
        check("compare a=./v1 b=./v1.2", None);
        check("run --bot", None);
        check("run a=./bot other.py", None);
        check("match bot.py other.py -q", None);
        check("compare a=./v1.py b=./v2.py", None);
        check("run --deals 3 exact other.py", None);
    }
}
