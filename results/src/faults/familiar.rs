//! Familiar mistakes, recognised by a line of the bot or of its log.

use arena_protocol::fault::Violation;

/// Words in a log, separated by `|`, each with the fix for its cause.
const LOGGED: [(&str, &str); 8] = [
    (
        "RecursionError|Maximum call stack size exceeded|stack level too deep|StackOverflowError|has overflowed its stack",
        "a function calls itself without an end: add a condition that stops it, or use a loop",
    ),
    (
        "partially initialized module|consider renaming",
        "a file beside the bot has the name of a module that it imports, such as random.py: rename that file",
    ),
    (
        "the following arguments are required|unrecognized arguments",
        "the command in the tournament file must give the arguments that the bot reads, and no others",
    ),
    (
        "docker daemon|docker.sock|podman.sock",
        "an isolated bot cannot reach a container engine: let the command start the program itself",
    ),
    (
        "env: ‘|env: '|env: can't execute",
        "the first line of the script names a program that is missing: correct it, and end lines as on Linux",
    ),
    (
        ": Syntax error: |: import: not found|: import: command not found|: from: not found|: const: not found",
        "it ran as a shell script: begin it with a line such as #!/usr/bin/env python3, or start it by its interpreter",
    ),
    (
        "JSONDecodeError: Extra data|JSONDecodeError: Unterminated string|Unexpected non-whitespace character after JSON|Unterminated string in JSON",
        "a read can return a part of a line, or several: read whole lines, one at a time",
    ),
    (
        "EOFError|EOF when reading a line",
        "the input has ended, so exit: read lines in a loop until there are no more",
    ),
];

/// Returns the line of a log that shows a familiar mistake, with the fix.
pub fn logged(log: &str) -> Option<(&str, &'static str)> {
    LOGGED.iter().find_map(|(words, fix)| {
        let has = |line: &&str| words.split('|').any(|word| line.contains(word));
        Some((log.lines().rev().find(has)?.trim(), *fix))
    })
}

/// Returns the fix for a line that breaks the protocol in a familiar way.
pub fn sent(violation: &Violation, before_ready: bool) -> Option<&'static str> {
    let has = |line: &str, words: &[&str]| words.iter().any(|word| line.contains(word));
    let lacks = |line: &str, key: &str, others: &[&str]| !line.contains(key) && has(line, others);
    match violation {
        Violation::NotUtf8 { line } | Violation::NotJson { line, .. }
            if has(line, &["\\x00", "\0", "\\u{0}"]) =>
        {
            Some("it writes UTF-16: set the encoding of standard output to UTF-8")
        }
        Violation::NotAnObject { line } if before_ready && line.contains("ready") => {
            Some(r#"ready is the key of an object, not a text: {"ready":{"name":"my bot"}}"#)
        }
        Violation::NotJson { line, .. } if has(line, &["NaN", "Infinity"]) => {
            Some("JSON has no NaN and no Infinity: send a number, or leave the field out")
        }
        Violation::Unfit { line, .. }
            if lacks(line, "\"id\"", &["\"ID\"", "\"Id\""])
                || lacks(
                    line,
                    "\"action\"",
                    &["\"actions\"", "\"Action\"", "\"move\""],
                ) =>
        {
            Some(r#"the keys of an answer are written as here: {"id":…,"action":{…}}"#)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_protocol::fault::{Flaw, Opening};

    #[test]
    fn logs_are_explained_by_their_telling_line() {
        for (log, line, fix) in [
            (
                "Traceback\nRecursionError: maximum recursion depth exceeded\n",
                "RecursionError: maximum recursion depth exceeded",
                "a function calls itself",
            ),
            (
                "AttributeError: partially initialized module 'random' has no attribute 'choice' (most likely due to a circular import)",
                "AttributeError: partially initialized module 'random' has no attribute 'choice' (most likely due to a circular import)",
                "rename that file",
            ),
            (
                "usage: bot.py [-h] --depth D\nbot.py: error: the following arguments are required: --depth\n",
                "bot.py: error: the following arguments are required: --depth",
                "must give the arguments",
            ),
            (
                "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.\nSee 'docker run --help'.\n",
                "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.",
                "container engine",
            ),
            (
                "/usr/bin/env: ‘pyton3’: No such file or directory\n",
                "/usr/bin/env: ‘pyton3’: No such file or directory",
                "names a program that is missing",
            ),
            (
                "/tmp/bot: 2: Syntax error: word unexpected (expecting \")\")\n",
                "/tmp/bot: 2: Syntax error: word unexpected (expecting \")\")",
                "as a shell script",
            ),
            (
                "json.decoder.JSONDecodeError: Extra data: line 2 column 1 (char 167)\n",
                "json.decoder.JSONDecodeError: Extra data: line 2 column 1 (char 167)",
                "read whole lines",
            ),
        ] {
            let (found, said) = logged(log).unwrap();
            assert_eq!(found, line);
            assert!(said.contains(fix), "{said}");
        }
        assert_eq!(logged("KeyError: 'face'"), None);
    }

    #[test]
    fn lines_are_explained_by_their_mistake() {
        let json = |line: &str| Violation::NotJson {
            opening: Opening::Brace,
            error: String::new(),
            line: line.into(),
        };
        let unfit = |line: &str| Violation::Unfit {
            flaw: Flaw::Everything,
            error: String::new(),
            line: line.into(),
        };
        let text = |line: &str| Violation::NotAnObject { line: line.into() };
        for (violation, before_ready, fix) in [
            (json(r#"{"id":1,"action":{"x":NaN}}"#), false, "no NaN"),
            (json("{\0\"\0i\0"), false, "UTF-16"),
            (text(r#""ready""#), true, "not a text"),
            (unfit(r#"{"ID":1,"action":{}}"#), false, "written as here"),
            (unfit(r#"{"id":1,"actions":{}}"#), false, "written as here"),
        ] {
            let said = sent(&violation, before_ready);
            assert!(said.is_some_and(|said| said.contains(fix)), "{violation:?}");
        }
        assert_eq!(sent(&text(r#""ready""#), false), None);
        assert_eq!(sent(&json(r#"{"id":1,}"#), false), None);
        let other = unfit(r#"{"id":1,"action":{"move":1}}"#);
        assert_eq!(sent(&other, false), None);
    }
}
