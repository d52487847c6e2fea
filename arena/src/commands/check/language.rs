//! The language that a bot seems to be written in, and how the usual mistakes are mended in it.

use std::path::Path;

use arena_results::faults::help::Idioms;

/// A language with its own way to flush and to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Python,
    JavaScript,
    Ruby,
    Perl,
    Lua,
    Java,
    Shell,
    /// A program whose language does not show.
    Unknown,
}

impl Language {
    /// Guesses by the names of the program and of its arguments.
    pub fn of(command: &[String]) -> Self {
        command.iter().find_map(|word| Self::of_word(word)).unwrap_or(Self::Unknown)
    }

    fn of_word(word: &str) -> Option<Self> {
        let path = Path::new(word);
        let name = path.file_stem()?.to_str()?.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let by_ending = match path.extension().and_then(|ending| ending.to_str()) {
            Some("py") => Some(Self::Python),
            Some("js" | "mjs" | "cjs" | "ts") => Some(Self::JavaScript),
            Some("rb") => Some(Self::Ruby),
            Some("pl") => Some(Self::Perl),
            Some("lua") => Some(Self::Lua),
            Some("jar" | "java") => Some(Self::Java),
            Some("sh" | "bash") => Some(Self::Shell),
            _ => None,
        };
        by_ending.or(match name {
            "python" | "pypy" => Some(Self::Python),
            "node" | "deno" | "bun" => Some(Self::JavaScript),
            "ruby" => Some(Self::Ruby),
            "perl" => Some(Self::Perl),
            "lua" | "luajit" => Some(Self::Lua),
            "java" => Some(Self::Java),
            _ => None,
        })
    }

    /// How the usual things are done in it: to send a line at once, to write to standard error, and to read line by line
    /// without waiting for the end of the input.
    pub fn idioms(self) -> Idioms {
        let (flush, log, read) = match self {
            Self::Python => (
                "print(…, flush=True), or start it with python3 -u",
                "print(…, file=sys.stderr)",
                "for line in sys.stdin:",
            ),
            Self::JavaScript => (
                "write each line whole with process.stdout.write(line + \"\\n\") as soon as its turn is read; do not collect \
                 answers until the 'end' event",
                "console.error(…) in place of console.log(…)",
                "readline.createInterface({ input: process.stdin }).on(\"line\", …)",
            ),
            Self::Ruby => ("$stdout.sync = true at the beginning", "warn …", "while line = $stdin.gets"),
            Self::Perl => ("$| = 1; at the beginning", "print STDERR …", "while (my $line = <STDIN>)"),
            Self::Lua => {
                ("io.stdout:setvbuf(\"line\") at the beginning", "io.stderr:write(…)", "for line in io.lines() do")
            }
            Self::Java => (
                "System.out.flush() after println, or new PrintWriter(System.out, true)",
                "System.err.println(…)",
                "reader.readLine() until it is null",
            ),
            Self::Shell => (
                "in a pipeline of filters: stdbuf -oL, sed -u, grep --line-buffered, fflush() in awk",
                "echo … >&2",
                "while read -r line",
            ),
            Self::Unknown => (
                "C: fflush(stdout); C++: std::endl or std::flush; Rust: stdout().flush(); Go: Flush() of the bufio.Writer; \
                 C#: AutoFlush; Haskell: hSetBuffering stdout LineBuffering",
                "C: fprintf(stderr, …); C++: std::cerr; Rust: eprintln!; Go: log.Print; C#: Console.Error",
                "one line at a time",
            ),
        };
        Idioms { flush: Some(flush), log: Some(log), read: Some(read) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_show_in_commands() {
        let of = |command: &str| Language::of(&command.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(of("python3 my_bot.py"), Language::Python);
        assert_eq!(of("/usr/bin/python3.12 -m bot"), Language::Python);
        assert_eq!(of("sh start.sh"), Language::Shell);
        assert_eq!(of("./bot.rb"), Language::Ruby);
        assert_eq!(of("./bot"), Language::Unknown);
    }
}
