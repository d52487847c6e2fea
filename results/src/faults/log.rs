//! Search for the line of a bot's log that explains why it ended.

/// Beginnings of lines that explain why a program ended, in Java, Go, C++, Rust, .NET and Lua.
const OPENINGS: &str = "Exception in thread|Caused by: |panic: |fatal error: |Fatal |terminate called|thread '|Unhandled exception|lua: |luajit: ";
/// Suffixes of error names.
const NAME_SUFFIXES: [&str; 5] = ["Error", "error", "Exception", "Interrupt", "Rejection"];
/// Words in other lines that name an error.
const WORDS: [&str; 5] = [
    "Error",
    "Exception",
    "panicked at",
    "Traceback",
    "Interrupt",
];
/// Parts of the paths of libraries that come with a language, and of code that has no file.
const LIBRARIES: [&str; 5] = ["/lib/python", "site-packages", "node:", "node_modules", "<"];
/// Maximum length of a quoted line, in characters.
const MAX_QUOTE_CHARS: usize = 240;

/// Returns the line of a log that explains why the bot ended: the line that names its last error or, without one, the last line.
pub fn reason(log: &str) -> Option<String> {
    error(log).or_else(|| {
        log.lines()
            .map(str::trim)
            .rfind(|line| !line.is_empty())
            .map(cut)
    })
}

/// Returns the line that names the last error, joined with the next line if that one holds the reason.
pub fn error(log: &str) -> Option<String> {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_named = |line: &&str| WORDS.iter().any(|word| line.contains(word));
    // Python prints the trace before the error.
    let trace = lines
        .iter()
        .rposition(|line| line.starts_with("Traceback (most"));
    let behind = trace
        .and_then(|trace| (trace + 1..lines.len()).find(|line| !lines[*line].starts_with(' ')));
    let place = behind.max(lines.iter().rposition(|line| is_error(line)));
    let place = place.or_else(|| lines.iter().rposition(is_named))?;
    // C++ and Rust print the reason on the line after the error.
    let is_broken = ["terminate called", "thread '"]
        .iter()
        .any(|opening| lines[place].starts_with(opening));
    let next = lines
        .get(place + 1)
        .filter(|_| is_broken)
        .map_or("", |next| next.trim());
    Some(cut(format!("{} {next}", lines[place]).trim()))
}

/// Returns the file and line of the last error outside the language's own libraries, as written by Python, JavaScript or Java.
pub fn place(log: &str) -> Option<String> {
    let own = |place: &(&str, u32)| !LIBRARIES.iter().any(|part| place.0.contains(part));
    let lines: Vec<&str> = log.lines().map(str::trim).collect();
    // Python lists the innermost call last; other languages list it first, after the error.
    let python = lines.iter().rev().filter_map(|line| {
        let (path, rest) = line.strip_prefix("File \"")?.split_once("\", line ")?;
        Some((path, digits(rest)?))
    });
    let error = lines.iter().rposition(|line| is_error(line)).unwrap_or(0);
    let others = lines[error..].iter().filter_map(|line| {
        let call = line.strip_prefix("at ")?;
        let place = call.rsplit_once('(').map_or(call, |(_, place)| place);
        let file = place.rfind('/').map_or(0, |slash| slash + 1);
        let (_, number) = place[file..].split_once(':')?;
        Some((&place[..place.len() - number.len() - 1], digits(number)?))
    });
    let (path, line) = python.chain(others).find(own)?;
    let file = path.rsplit('/').next().unwrap_or(path);
    Some(format!("{file} line {line}"))
}

/// Returns the number at the beginning of a text.
fn digits(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
}

/// Returns true if a line begins the description of an error.
fn is_error(line: &str) -> bool {
    let name = line.split([' ', ':']).next().unwrap_or_default();
    OPENINGS.split('|').any(|opening| line.starts_with(opening))
        || NAME_SUFFIXES.iter().any(|end| name.ends_with(end))
        || line.ends_with("Error)")
        || line.contains("ERROR: ") && line.contains("Sanitizer: ")
}

/// Returns the beginning of a line, without its full stop.
pub fn cut(line: &str) -> String {
    line.trim_end_matches('.')
        .chars()
        .take(MAX_QUOTE_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_an_error_is_in_the_bot() {
        for (log, expected) in [
            (
                "Traceback (most recent call last):\n  File \"/b/bot.py\", line 12, in <module>\n    x()\n  \
                 File \"/usr/lib/python3.11/json/decoder.py\", line 355, in raw_decode\nKeyError: 'x'\n",
                Some("bot.py line 12"),
            ),
            (
                "/b/bot.mjs:3\nTypeError: x is not a function\n    at choose (file:///b/bot.mjs:3:7)\n    \
                 at Socket.emit (node:events:518:28)\n",
                Some("bot.mjs line 3"),
            ),
            ("Error: x\n    at /b/bot.js:31:5\n", Some("bot.js line 31")),
            (
                "Exception in thread \"main\" java.lang.NullPointerException\n\tat Bot.main(Bot.java:7)\n",
                Some("Bot.java line 7"),
            ),
            ("thread 'main' panicked at src/main.rs:3:5:\nno\n", None),
            ("", None),
        ] {
            assert_eq!(place(log).as_deref(), expected, "{log}");
        }
    }

    #[test]
    fn each_language_says_its_error_in_another_place() {
        for (log, expected) in [
            (
                "start\nTraceback (most recent call last):\n  File \"b.py\", line 1, in <module>\nKeyError: 'x'\n",
                "KeyError: 'x'",
            ),
            (
                "Traceback (most recent call last):\n  raise KeyError\nKeyError\n\nDuring handling of the above exception, another \
                 exception occurred:\n\nTraceback (most recent call last):\n  File \"b.py\"\nbot.Broken: no plan",
                "bot.Broken: no plan",
            ),
            (
                "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module 'x'\nRequire stack:\n- \
                 /b/a.js\n    at Module.load (node:internal/modules/cjs/loader:1266:32) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20",
                "Error: Cannot find module 'x'",
            ),
            (
                "Exception in thread \"main\" java.lang.IllegalStateException: bad line\n\tat A.p(A.java:1)\nCaused by: \
                 java.lang.NumberFormatException: For input string: \"x\"\n\tat \
                 java.base/java.lang.NumberFormatException.forInputString(NumberFormatException.java:67)\n\t... 3 more",
                "Caused by: java.lang.NumberFormatException: For input string: \"x\"",
            ),
            (
                "Exception in thread \"main\" java.lang.NumberFormatException: For input string: \"x\"\n\tat \
                 java.base/java.lang.NumberFormatException.forInputString(NumberFormatException.java:67)\n",
                "Exception in thread \"main\" java.lang.NumberFormatException: For input string: \"x\"",
            ),
            (
                "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/b/g.go:2 +0x2e\nexit status 2\n",
                "panic: assignment to entry in nil map",
            ),
            (
                "r.rb:1:in `f': undefined method `foo' for nil:NilClass (NoMethodError)\n\ndef f(x) = x.foo\n            ^^^^\n\tfrom \
                 r.rb:2:in `<main>'\n",
                "r.rb:1:in `f': undefined method `foo' for nil:NilClass (NoMethodError)",
            ),
            (
                "\nthread 'main' (3207) panicked at r.rs:1:54:\nindex out of bounds: the len is 0 but the index is 1\nstack \
                 backtrace:\n   0: __rustc::rust_begin_unwind\nnote: Some details are omitted, run with `RUST_BACKTRACE=full`.\n",
                "thread 'main' (3207) panicked at r.rs:1:54: index out of bounds: the len is 0 but the index is 1",
            ),
            (
                "terminate called after throwing an instance of 'std::runtime_error'\n  what():  no weights\nAborted\n",
                "terminate called after throwing an instance of 'std::runtime_error' what():  no weights",
            ),
            (
                "=====\n==3221==ERROR: AddressSanitizer: heap-use-after-free on address 0x60\nREAD of size 4\n    #0 0x55 in main\n\
                 SUMMARY: AddressSanitizer: heap-use-after-free\n==3221==ABORTING\n",
                "==3221==ERROR: AddressSanitizer: heap-use-after-free on address 0x60",
            ),
            (
                "lua: l.lua:1: attempt to index a nil value (local 'x')\nstack traceback:\n\tl.lua:1: in main chunk\n",
                "lua: l.lua:1: attempt to index a nil value (local 'x')",
            ),
            ("no weights at x.pl line 1.\n", "no weights at x.pl line 1"),
            ("start\nno such model\n\n", "no such model"),
        ] {
            assert_eq!(reason(log).as_deref(), Some(expected), "{log}");
        }
        assert_eq!((reason(" \n"), error("no such model")), (None, None));
    }
}
