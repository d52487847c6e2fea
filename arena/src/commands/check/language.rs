//! Guesses the programming language of a bot, to suggest fixes for common mistakes in that language.

use std::path::Path;

use arena_results::faults::help::Idioms;

/// For each language, recognised by file extensions and interpreters: how to flush output, how to write to standard error, and how to read
/// line by line.
const LANGUAGES: &[(&[&str], [&str; 3])] = &[
    (
        &[".py", "python", "pypy"],
        [
            "print(…, flush=True), or start it with python3 -u",
            "print(…, file=sys.stderr)",
            "for line in sys.stdin:",
        ],
    ),
    (
        &[".js", ".mjs", ".cjs", ".ts", "node", "deno", "bun"],
        [
            "write each line whole with process.stdout.write(line + \"\\n\") as soon as its turn is read; do not collect \
             answers until the 'end' event",
            "console.error(…) instead of console.log(…)",
            "readline.createInterface({ input: process.stdin }).on(\"line\", …)",
        ],
    ),
    (
        &[".rb", "ruby"],
        [
            "$stdout.sync = true at the beginning",
            "warn …",
            "while line = $stdin.gets",
        ],
    ),
    (
        &[".pl", "perl"],
        [
            "$| = 1; at the beginning",
            "print STDERR …",
            "while (my $line = <STDIN>)",
        ],
    ),
    (
        &[".lua", "lua", "luajit"],
        [
            "io.stdout:setvbuf(\"line\") at the beginning",
            "io.stderr:write(…)",
            "for line in io.lines() do",
        ],
    ),
    (
        &[".jar", ".java", "java"],
        [
            "System.out.flush() after println, or new PrintWriter(System.out, true)",
            "System.err.println(…)",
            "reader.readLine() until it is null",
        ],
    ),
    (
        &[".sh", ".bash"],
        [
            "in a pipeline of filters: stdbuf -oL, sed -u, grep --line-buffered, fflush() in awk",
            "echo … >&2",
            "while read -r line",
        ],
    ),
];

/// Idioms of compiled languages, for programs whose language is unknown.
const COMPILED: [&str; 3] = [
    "C: fflush(stdout); C++: std::endl or std::flush; Rust: stdout().flush(); Go: Flush() of the bufio.Writer; \
     C#: AutoFlush; Haskell: hSetBuffering stdout LineBuffering",
    "C: fprintf(stderr, …); C++: std::cerr; Rust: eprintln!; Go: log.Print; C#: Console.Error",
    "one line at a time",
];

/// Returns the idioms of the language that the command appears to run.
pub fn idioms(command: &[String]) -> Idioms {
    let of_word = |word: &String| LANGUAGES.iter().find(|(names, _)| is_named(word, names));
    let [flush, log, read] = command
        .iter()
        .find_map(of_word)
        .map_or(COMPILED, |(_, idioms)| *idioms);
    Idioms {
        flush: Some(flush),
        log: Some(log),
        read: Some(read),
    }
}

/// Returns `true` if the word is an interpreter with one of these names, with or without a version suffix, or a file with one of them as
/// its extension.
fn is_named(word: &str, names: &[&str]) -> bool {
    let Some(name) = Path::new(word).file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let interpreter = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    names.iter().any(|known| {
        if known.starts_with('.') {
            name.ends_with(known)
        } else {
            *known == interpreter
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_show_in_commands() {
        let log = |command: &str| {
            idioms(&command.split(' ').map(str::to_owned).collect::<Vec<_>>())
                .log
                .unwrap()
        };
        assert_eq!(log("python3 my_bot.py"), "print(…, file=sys.stderr)");
        assert_eq!(
            log("/usr/bin/python3.12 -m bot"),
            "print(…, file=sys.stderr)"
        );
        assert_eq!(log("sh start.sh"), "echo … >&2");
        assert_eq!(log("./bot.rb"), "warn …");
        assert_eq!(log("./bot"), COMPILED[1]);
    }
}
