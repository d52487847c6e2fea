//! Finds the script in an interpreter's command, and the interpreter for a script.

use std::path::Path;

/// Interpreters with the extensions of their scripts. The first interpreter listed for an extension is its default.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("java", &["jar"]),
    ("julia", &["jl"]),
    ("lua", &["lua"]),
    ("luajit", &["lua"]),
    ("node", &["js", "mjs", "cjs", "ts", "mts"]),
    ("perl", &["pl"]),
    ("php", &["php"]),
    ("python", &["py", "pyc", "pyz"]),
    ("Rscript", &["R", "r"]),
    ("ruby", &["rb"]),
    ("sh", &["sh"]),
    ("bash", &["sh", "bash"]),
    ("bun", &["js", "mjs", "cjs", "ts", "mts", "jsx", "tsx"]),
    ("deno", &["js", "mjs", "ts", "mts", "jsx", "tsx"]),
    ("pypy", &["py"]),
];
/// Flags of interpreters that come before the script and take no value.
const FLAGS: &[&str] = &["-u", "-B", "-O", "-OO", "-s", "-S", "-E", "-A"];

/// Returns the usual command for a script with this extension.
pub fn command(script: &str) -> Option<String> {
    let ending = Path::new(script).extension()?.to_str()?;
    let (name, _) = INTERPRETERS
        .iter()
        .find(|(_, endings)| endings.contains(&ending))?;
    let first = match *name {
        "python" => "python3",
        "java" => "java -jar",
        "deno" => "deno run",
        "lua" => "lua5.4",
        name => name,
    };
    Some(format!("{first} {}", shlex::try_quote(script).ok()?))
}

/// Returns the extensions of scripts for each interpreter, the usual one first. Each extension appears once.
pub fn endings() -> impl Iterator<Item = Vec<&'static str>> {
    let is_default = |name: &str, ending: &&&str| {
        let first = INTERPRETERS.iter().find(|(_, all)| all.contains(*ending));
        first.is_some_and(|(first, _)| *first == name)
    };
    INTERPRETERS.iter().map(move |(name, all)| {
        let own = all.iter().filter(|ending| is_default(name, ending));
        own.copied().collect()
    })
}

/// Returns the script that a command's interpreter runs; `None` unless the script is certain.
pub fn script(command: &[String]) -> Option<&str> {
    let (program, mut words) = command.split_first()?;
    let name = Path::new(program).file_name()?.to_str()?;
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (_, endings) = INTERPRETERS
        .iter()
        .find(|(interpreter, _)| *interpreter == name)?;
    if let "deno" | "bun" = name {
        words = words.strip_prefix(&["run".to_owned()]).unwrap_or(words);
    }
    // A Java archive follows its flag, which may come after flags without values.
    let is_flag =
        |word: &&String| FLAGS.contains(&word.as_str()) || name == "java" && word.starts_with('-');
    let at = words.iter().take_while(is_flag).count();
    let is_named = name != "java" || at > 0 && words[at - 1] == "-jar";
    let script = words.get(at).filter(|_| is_named)?;
    let ending = Path::new(script).extension()?.to_str()?;
    (endings.contains(&ending) && !script.starts_with('-') && !script.contains("://"))
        .then_some(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_run_in_the_usual_way() {
        for (script, expected) in [
            ("my_bot.py", Some("python3 my_bot.py")),
            ("bots/bot.mjs", Some("node bots/bot.mjs")),
            ("bot.tsx", Some("bun bot.tsx")),
            ("bot.lua", Some("lua5.4 bot.lua")),
            ("my bot.jar", Some("java -jar 'my bot.jar'")),
            ("bot.sh", Some("sh bot.sh")),
            ("friday.toml", None),
            ("bot", None),
        ] {
            assert_eq!(command(script).as_deref(), expected, "{script}");
        }
    }

    #[test]
    fn only_what_is_surely_a_script_is_one() {
        for (command, expected) in [
            ("python3 bot.py", Some("bot.py")),
            (
                "/usr/bin/python3.12 -u -B bots/bot.py --out x.py",
                Some("bots/bot.py"),
            ),
            ("java -Xmx1g -ea -jar bot.jar", Some("bot.jar")),
            ("deno run -A bot.ts", Some("bot.ts")),
            ("bun bot.ts", Some("bot.ts")),
            ("Rscript bot.R", Some("bot.R")),
            ("python3 -m bot.py", None),
            ("python3 -c x.py", None),
            ("python3 -X dev bot.py", None),
            ("python3 folder", None),
            ("node server", None),
            ("node -r setup.js bot.js", None),
            ("java -cp bot.jar Main", None),
            ("java bot.jar", None),
            ("deno run https://example.org/bot.ts", None),
            ("sh -c bot.sh", None),
            ("php", None),
            ("./bot.py other.py", None),
            ("arena bot.py", None),
        ] {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert_eq!(script(&words), expected, "{command}");
        }
    }
}
