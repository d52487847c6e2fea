//! Odd arguments for every command and every flag, though not in all combinations. The arena refuses or obeys them, but never panics,
//! hangs, prints control characters or writes outside its working folder.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arena_tests::process::Command;
use arena_tests::{Scratch, arena};

/// Maximum number of commands running at the same time.
const MAX_CONCURRENT: usize = 4;
/// Number of odd words tried per flag; the words rotate from flag to flag.
const WORDS_PER_FLAG: usize = 1;
/// Flags that make a command wait for another machine or for visitors.
const WAITING_FLAGS: [&str; 3] = ["--nats", "--host", "--port"];

/// Returns words that users would not normally type.
fn odd_words() -> Vec<OsString> {
    let texts = [
        "",
        " ",
        "-",
        "--",
        "---",
        "-9",
        "--no-such-flag=\u{1b}[31m",
        "=",
        "a=",
        "=b",
        "a=b=c'\"",
        "0",
        "-0",
        "1e999",
        "NaN",
        "-inf",
        "18446744073709551616",
        "99999999999999999999999999999999999999",
        "0x10",
        "١٢",
        "１",
        "\n",
        "a\r\nb",
        "\t",
        "\u{1b}[2J\u{7}\u{1b}]0;title\u{7}",
        "\u{202e}txt.exe",
        "\u{feff}",
        "rаndom",
        "$(touch ran)",
        "*",
        "%s%n",
        "😀",
        ".",
        "folder",
        "file",
        "file/below",
        "fifo",
        "loop",
        "dangling",
        "broken",
        "t/ledger.sqlite",
        "/dev/null",
        "/dev/zero",
        "/proc/nowhere",
    ];
    let mut words: Vec<OsString> = texts.into_iter().map(OsString::from).collect();
    words.extend(
        [b"\xff".as_slice(), b"x=\xff", b"folder\xff", b"--bot=\xff"]
            .map(|word| OsString::from_vec(word.into())),
    );
    words.push("long".repeat(1_000).into());
    words.push("9".repeat(100_000).into());
    words
}

/// Returns arguments with which a command runs quickly. Most commands read a finished tournament. Commands that would play are given a game
/// that they refuse.
fn base(command: &str) -> &'static [&'static str] {
    match command {
        "run" | "extend" | "show" | "report" | "stop" | "reset" | "verify" | "faults"
        | "export" => &["t"],
        "compare" => &["random", "exact", "--game", "nothing"],
        "match" => &["--game", "nothing"],
        "plan" | "tune" => &["bad.toml"],
        "serve" => &["nowhere"],
        "merge" => &["joined", "t"],
        "repro" => &["t", "d1/a/b"],
        "check" => &["./nothing"],
        "bot" => &["random"],
        "tools" => &["completions", "bash"],
        _ => &[],
    }
}

/// Returns the commands listed by `arena help all`.
fn commands(scratch: &Scratch) -> Vec<String> {
    let help = scratch.printed("help all");
    let listed = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let names = listed
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase()) && *name != "arena");
    let names: Vec<String> = names.map(str::to_owned).chain(["help".into()]).collect();
    assert!(names.len() > 20, "{names:?}");
    names
}

/// Returns the long flags of a command that take a value.
fn flags(scratch: &Scratch, command: &str) -> Vec<String> {
    let help = if command == "help" {
        String::new()
    } else {
        scratch.printed(&format!("{command} --help"))
    };
    let long = |line: &str| {
        let mut words = line
            .split_whitespace()
            .skip_while(|word| !word.starts_with("--"));
        let flag = words
            .next()
            .filter(|_| line.trim_start().starts_with('-'))?;
        words
            .next()
            .filter(|value| value.starts_with('<'))
            .map(|_| flag.to_owned())
    };
    help.lines()
        .filter_map(long)
        .filter(|flag| !WAITING_FLAGS.contains(&flag.as_str()))
        .collect()
}

/// Creates a folder with everything that arguments can name. The folder `around` it holds nothing else.
fn furnished(around: &Scratch) -> PathBuf {
    let here = around.path().join("here");
    for folder in ["folder", "broken"] {
        fs::create_dir_all(here.join(folder)).unwrap();
    }
    let mut played = around
        .command("run -q --seed 1 --deals 1 --bot a=builtin:random --bot b=builtin:random --out t");
    assert!(played.current_dir(&here).output().unwrap().status.success());
    around.write("here/file", "text");
    around.write(
        "here/bad.toml",
        "game = 'nothing'\n[[bots]]\nname = 'a'\nbuiltin = 'random'\n",
    );
    around.write("here/broken/ledger.sqlite", "no ledger");
    for (to, link) in [("loop", "loop"), ("nowhere", "dangling")] {
        symlink(to, here.join(link)).unwrap();
    }
    assert!(
        Command::new("mkfifo")
            .arg(here.join("fifo"))
            .status()
            .unwrap()
            .success()
    );
    here
}

/// Runs the arena with an environment variable, and checks its behaviour.
fn check(here: &Path, words: &[OsString], (variable, value): (&str, &OsStr)) {
    let mut command = Command::new(arena());
    command.args(words).env(variable, value).current_dir(here);
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let shown: Vec<String> = words
        .iter()
        .map(|word| format!("{word:?}").chars().take(60).collect())
        .collect();
    let at = format!(
        "{variable}={value:?} arena {}: {}\n{stderr:.2000}",
        shown.join(" "),
        output.status
    );
    // Exit code 101 means a panic.
    assert!(
        output.status.code().is_some_and(|code| code < 100) && !stderr.contains("panicked"),
        "{at}"
    );
    for bytes in [&output.stdout, &output.stderr] {
        let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{at}: {error}"));
        assert_eq!(
            text.chars()
                .find(|c| c.is_control() && !"\n\t".contains(*c)),
            None,
            "{at}"
        );
    }
}

/// Runs a function on each item, on several threads.
fn for_each_at_once<T: Send>(list: Vec<T>, act: impl Fn(T) + Sync) {
    let list = Mutex::new(list.into_iter());
    let next = || list.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..MAX_CONCURRENT {
            scope.spawn(|| {
                while let Some(one) = next() {
                    act(one);
                }
            });
        }
    });
}

#[test]
fn no_argument_makes_a_command_panic_or_hang() {
    let (words, listing) = (odd_words(), Scratch::new());
    let count = AtomicUsize::new(0);
    for_each_at_once(commands(&listing), |name| {
        let around = Scratch::new();
        let here = furnished(&around);
        let home = ("HOME", around.path().as_os_str());
        let check = |base: &[&str], more: &[&OsStr]| {
            let first = std::iter::once(name.as_str())
                .chain(base.iter().copied())
                .map(OsString::from);
            check(
                &here,
                &first
                    .chain(more.iter().map(Into::into))
                    .collect::<Vec<OsString>>(),
                home,
            );
            count.fetch_add(1, Ordering::Relaxed);
        };
        // In an existing folder, `serve` would wait for visitors, and `--` alone would start the demo.
        let is_quick = |word: &&OsString| name != "serve" && *word != "--";
        let some = |step: usize| words.iter().skip(name.len() % step).step_by(step);
        some(4)
            .filter(is_quick)
            .for_each(|word| check(&[], &[word]));
        some(8).for_each(|word| check(base(&name), &[word]));
        for (number, flag) in flags(&listing, &name).into_iter().enumerate() {
            let some = words
                .iter()
                .cycle()
                .skip(number * WORDS_PER_FLAG + name.len())
                .take(WORDS_PER_FLAG);
            some.for_each(|word| check(base(&name), &[OsStr::new(&flag), word]));
        }
        let beside: Vec<OsString> = fs::read_dir(around.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(beside, ["here"], "{name} writes elsewhere");
        assert!(
            !here.join("ran").exists(),
            "{name} runs a word as a command"
        );
    });
    let count = count.into_inner();
    assert!(count > 500, "{count}");
}

#[test]
fn no_variable_makes_a_command_panic_or_hang() {
    let around = Scratch::new();
    let here = furnished(&around);
    let variables = [
        "ARENA_CRASH",
        "COLUMNS",
        "HOME",
        "TMPDIR",
        "PATH",
        "XDG_CACHE_HOME",
        "NO_COLOR",
        "TERM",
        "LANG",
    ];
    let values = [
        b"\xff".as_slice(),
        b"",
        b"/proc/nowhere",
        b"99999999999999999999",
        b"\x1b[31m",
    ];
    let lines = [
        "show t",
        "run t",
        "tools doctor",
        "report t",
        "games",
        "tools completions zsh",
        "work",
        "check ./nothing",
    ];
    let all = variables
        .iter()
        .flat_map(|variable| values.map(|value| (*variable, OsStr::from_bytes(value))));
    let all = all
        .flat_map(|one| lines.map(|line| (one, line)))
        .step_by(3)
        .collect();
    for_each_at_once(all, |(variable, line)| {
        check(
            &here,
            &line
                .split_whitespace()
                .map(OsString::from)
                .collect::<Vec<_>>(),
            variable,
        );
    });
}
