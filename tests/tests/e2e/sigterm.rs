//! SIGTERM ends every command immediately, whatever bots do: saved matches stay saved, and no process is left.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use arena_tests::process::{Child, Command};
use arena_tests::{Scratch, arena, until};

/// A bot that plays until its original folder holds a file `hang`. After that, it never answers.
const BOT: &str = "if [ -e FOLDER/hang ]; then echo '{\"ready\":{}}'; exec sleep SECONDS; fi; exec ARENA bot random";

/// Returns true if a process with this argument is running.
fn runs(argument: &str) -> bool {
    let commands = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .map(|entry| entry.path().join("cmdline"));
    let mut texts = commands.filter_map(|path| fs::read(path).ok());
    texts.any(|text| {
        text.split(|byte| *byte == 0)
            .any(|word| word == argument.as_bytes())
    })
}

/// Sends SIGTERM, and returns the exit code; `None` if the signal itself ended the process.
fn terminate(child: &Child) -> Option<i32> {
    child.signal("TERM");
    child.code()
}

#[test]
fn no_bot_keeps_a_command_from_ending() {
    let scratch = Scratch::new();
    let seconds = format!("9{}", std::process::id());
    let (arena, folder) = (
        arena().display().to_string(),
        scratch.path().display().to_string(),
    );
    scratch.write(
        "bot.sh",
        &BOT.replace("SECONDS", &seconds)
            .replace("ARENA", &arena)
            .replace("FOLDER", &folder),
    );
    let bots =
        "[[bots]]\nname = 'a'\ncommand = 'sh bot.sh'\n[[bots]]\nname = 'b'\nbuiltin = 'random'\n";
    scratch.write(
        "t.toml",
        &format!("deals = 1\n[clock]\nmove_ms = 0\nstart_ms = 9000000\n{bots}"),
    );
    scratch.printed("run t.toml -q --seed 1");
    scratch.printed("extend t --deals 2");
    scratch.write("hang", "");
    let check = ["check", "--move-ms", "9000000", "sh", "bot.sh"];
    let compare = [
        "compare",
        "a=sh bot.sh",
        "random",
        "--no-clock",
        "--out",
        "c",
    ];
    let single = [
        "match",
        "--no-clock",
        "--bot",
        "a=sh bot.sh",
        "--bot",
        "b=builtin:random",
    ];
    let lines: [&[&str]; 6] = [
        &["run", "t"],
        &compare,
        &single,
        &check,
        &["plan", "t.toml"],
        &["repro", "t", "d1/a/b", "--seat", "0"],
    ];
    for line in lines {
        let mut command = scratch.command("");
        command
            .args(line)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn().unwrap();
        until("the bot runs", || {
            assert!(!child.has_ended(), "{line:?} ended too early");
            runs(&seconds)
        });
        let code = terminate(&child);
        assert!(matches!(code, None | Some(130)), "{line:?}: {code:?}");
        until("nothing is left of the bot", || !runs(&seconds));
    }
    assert_eq!(scratch.export("t").len(), 2);
    scratch.printed("verify t");
}

/// Checks built-in bots, which cannot be interrupted while they think. Nobody reads the output.
#[test]
fn long_matches_between_built_in_bots_end_too() {
    let scratch = Scratch::new();
    // Each match takes much longer than the arena may take to end.
    let run = "run --seed 1 --game coda --seats 4 --deals 100 --jobs 100 --bot a=builtin:rollouts --bot b=builtin:rollouts \
               --bot c=builtin:rollouts --bot d=builtin:rollouts --out t";
    let mut command = scratch.command(run);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("it plays", || {
        assert!(!child.has_ended(), "it ended too early");
        scratch.path().join("t/logs").is_dir()
    });
    assert!(matches!(terminate(&child), None | Some(130)));
    let mut said = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    assert!(said.contains("\ncontinue   arena run t\n"), "{said}");
    scratch.printed("verify t");
}

#[test]
fn a_server_ends_and_ignores_what_it_was_started_to_ignore() {
    const HUP: u64 = 1;
    const INT: u64 = 1 << 1;
    let scratch = Scratch::new();
    // Start the arena as `nohup` does, and as a script starts a background job. The tests themselves may have been started by `nohup`.
    for (trap, asked, ignored) in [("", INT, 0), ("trap '' HUP INT;", HUP | INT, HUP | INT)] {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{trap} exec \"$0\" serve . --port 0")])
            .arg(arena())
            .current_dir(scratch.path());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(line.contains("serving"), "{line}");
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigIgn:"))
            .unwrap();
        let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
        assert_eq!(mask & asked, ignored, "{trap} {mask:b}");
        assert!(matches!(terminate(&child), None | Some(0 | 130)));
    }
}

/// Checks that more jobs change nothing for built-in bots, and cannot hang the machine.
#[test]
fn jobs_have_a_bound() {
    let scratch = Scratch::new();
    let run = "run -q --seed 1 --deals 2 --bot a=builtin:random --bot b=builtin:random --oversubscribe --out t --jobs";
    for jobs in [u64::MAX >> 11, 1_000_000, 100_000] {
        for more in ["", "--bot c=true"] {
            let why = scratch.refused(&format!("{run} {jobs} {more}"));
            assert!(why.contains("too many") && why.contains("at most"), "{why}");
        }
    }
    scratch.printed(&format!("{run} 200"));
    assert_eq!(scratch.export("t").len(), 4);
}
