//! A bot plays from the copy made when it entered: later changes by its author, or links to files elsewhere, have no effect.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use arena_tests::process::Command;
use arena_tests::sandbox::levels;
use arena_tests::{Scratch, root, until};

/// Writes a bot that logs which version of its files it runs.
fn write(scratch: &Scratch, bot: u32, helper: u32) {
    let first = fs::read_to_string(root().join("bots/python/first_bot.py")).unwrap();
    let told = format!(
        "import lib.helper, sys\nprint('version {bot}', lib.helper.VERSION, open('data.txt').read(), file=sys.stderr)\n"
    );
    fs::create_dir_all(scratch.path().join("mine/lib")).unwrap();
    scratch.write("mine/bot.py", &(told + &first));
    scratch.write("mine/lib/helper.py", &format!("VERSION = {helper}\n"));
    scratch.write("mine/data.txt", &helper.to_string());
}

fn arena(scratch: &Scratch, words: &str) -> Command {
    let mut command = scratch.command(words);
    command.env("XDG_CACHE_HOME", scratch.path().join("cache"));
    command
}

fn told(scratch: &Scratch, words: &str, code: i32) -> String {
    let output = arena(scratch, words).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{words}: {told}");
    told
}

#[test]
fn a_bot_that_is_edited_during_a_run_plays_on_as_it_entered() {
    let scratch = Scratch::new();
    write(&scratch, 1, 1);
    let file = |deals: u32| {
        let head = format!(
            "deals = {deals}\nseed = 3\njobs = 1\n[[bots]]\nname = 'random'\nbuiltin = 'random'\n"
        );
        let bot = |name: &str| {
            format!(
                "[[bots]]\nname = '{name}'\ndir = 'mine'\nrestart = 'match'\ncommand = 'python3 bot.py'\n"
            )
        };
        scratch.write("t.toml", &(head + &bot("a") + &bot("b")));
    };
    file(8);
    let run = arena(&scratch, "run t.toml -q")
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let log = || fs::read_to_string(scratch.path().join("t/logs/a.log")).unwrap_or_default();
    until("a bot has begun", || log().contains("version 1 1 1"));
    write(&scratch, 2, 2);
    assert!(run.wait().unwrap().success());
    let processes = |log: &str| log.matches("version 1 1 1").count();
    assert!(
        processes(&log()) >= 16 && !log().contains("version 2"),
        "{}",
        log()
    );
    assert_eq!(
        fs::read_dir(scratch.path().join("cache/coda-arena/built"))
            .unwrap()
            .count(),
        1,
        "they share a copy"
    );
    // With its changed file it counts as a different bot.
    assert!(told(&scratch, "run t.toml -q", 2).contains("bot a: bot.py has changed (SHA-256 "));
    // Files that its command does not name may change: the arena notes it and plays the copy.
    write(&scratch, 1, 2);
    scratch.write("mine/match.html", "a replay");
    told(&scratch, "extend t --deals 9", 0);
    file(9);
    let before = processes(&log());
    let said = told(&scratch, "run t.toml -q", 0);
    assert!(
        said.contains(
            "files in the folder of a, which plays on as it entered: to enter them, give"
        ),
        "{said}"
    );
    assert!(
        processes(&log()) > before && !log().contains("version 1 2"),
        "{}",
        log()
    );
    // Without the copy, the bot cannot play as it entered.
    fs::remove_dir_all(scratch.path().join("cache")).unwrap();
    file(10);
    told(&scratch, "run t -q", 2);
    write(&scratch, 1, 1);
    fs::remove_file(scratch.path().join("mine/match.html")).unwrap();
    told(&scratch, "extend t --deals 10", 0);
    told(&scratch, "run t.toml -q", 0);
    assert!(!log().contains("version 1 2"), "{}", log());
}

/// Bots' authors control their own folders, so a link in one must not expose other people's files, whatever the command says.
#[test]
fn no_link_in_a_bots_folder_opens_what_is_anothers() {
    for level in levels() {
        let scratch = Scratch::new();
        write(&scratch, 1, 1);
        for folder in ["good", "class/evil"] {
            fs::create_dir_all(scratch.path().join(folder)).unwrap();
        }
        scratch.write("good/key", "s3cr3t");
        for (at, to) in [
            ("model.bin", "../good/key"),
            ("true", "../good/key"),
            ("make", "../good/key"),
            ("up", "../good"),
        ] {
            symlink(to, scratch.path().join("mine").join(at)).unwrap();
        }
        let read = "import sys\nfor path in ['make', 'true', 'model.bin', 'up/key']:\n    try: print(open(path).read(), file=sys.stderr)\n    except OSError: pass\n";
        let bot = fs::read_to_string(scratch.path().join("mine/bot.py")).unwrap();
        scratch.write("mine/bot.py", &(read.to_owned() + &bot));
        let play = |keys: &str| {
            scratch.write("t.toml", &format!("isolation = '{level}'\ndeals = 1\nseed = 3\n[[bots]]\nname = 'r'\nbuiltin = 'random'\n[[bots]]\nname = 'mine'\ndir = 'mine'\n{keys}\n"));
            let _ = fs::remove_dir_all(scratch.path().join("t"));
            let said = arena(&scratch, "run t.toml -q --trust").output().unwrap();
            let log =
                fs::read_to_string(scratch.path().join("t/logs/mine.log")).unwrap_or_default();
            String::from_utf8(said.stderr).unwrap() + &log
        };
        for word in ["model.bin", "true", "up/key", "./make"] {
            let why = play(&format!("command = 'python3 bot.py {word}'"));
            assert!(
                why.contains(&format!("{word} is a link to ")) && why.contains("`read`"),
                "{level}: {why}"
            );
        }
        let builds = "command = 'python3 bot.py'\nbuild = 'cat make; mkdir -- -x; true'";
        for keys in [
            "command = 'python3 bot.py'",
            builds,
            "command = 'python3 bot.py model.bin'\nread = ['../good/key']",
        ] {
            let log = play(keys);
            assert!(log.contains("version 1 1 1"), "{level}: {log}");
            assert_eq!(
                log.contains("s3cr3t"),
                level == "off" || keys.contains("read"),
                "{level}: {keys}: {log}"
            );
        }
    }
}

/// The arena attaches no meaning to a bot's variables or file names.
#[test]
fn odd_names_and_variables_disturb_no_copy_and_no_build() {
    let scratch = Scratch::new();
    write(&scratch, 1, 1);
    for name in ["-rf", "--help", "*", "a\nb", "--checkpoint-action=exec=x"] {
        scratch.write(&format!("mine/{name}"), name);
    }
    let python = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .unwrap();
    let python = String::from_utf8(python.stdout).unwrap();
    for build in ["", "build = ': > made'"] {
        let keys = format!(
            "dir = 'mine'\ncommand = '{} bot.py'\nenv = {{ PATH = '/nonexistent' }}\n{build}",
            python.trim()
        );
        scratch.write(
            "t.toml",
            &format!(
                "deals = 1\nseed = 3\n[[bots]]\nname = 'r'\nbuiltin = 'random'\n[[bots]]\nname = 'mine'\n{keys}\n"
            ),
        );
        told(
            &scratch,
            &format!("run t.toml -q --out t{}", build.len()),
            0,
        );
        assert!(
            scratch.standings(&format!("t{}", build.len()))["faults"]
                .as_array()
                .unwrap()
                .is_empty()
        );
    }
    let copies = fs::read_dir(scratch.path().join("cache/coda-arena/built")).unwrap();
    let made: Vec<bool> = copies
        .map(|copy| copy.unwrap().path())
        .inspect(|copy| assert!(copy.join("-rf").exists()))
        .map(|copy| copy.join("made").exists())
        .collect();
    assert!(
        made.len() == 2 && made.contains(&true) && made.contains(&false),
        "{made:?}"
    );
}
