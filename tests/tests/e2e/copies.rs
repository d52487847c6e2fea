//! A bot runs from the copy made when it entered. Later changes by its author, or links to files elsewhere, have no effect.

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
    // The tournament continues with the bot as it entered, although its files have changed.
    told(&scratch, "extend t --deals 9", 0);
    let before = processes(&log());
    let said = told(&scratch, "run t -q", 0);
    assert!(
        said.contains("changed    a, b: the old version plays on; `arena update "),
        "{said}"
    );
    assert!(
        processes(&log()) > before && !log().contains("version 2"),
        "{}",
        log()
    );
    // Without the copy, the bot cannot play as it entered.
    fs::remove_dir_all(scratch.path().join("cache")).unwrap();
    told(&scratch, "extend t --deals 10", 0);
    let said = told(&scratch, "run t -q", 2);
    assert!(said.contains("and there is no copy of them"), "{said}");
    write(&scratch, 1, 1);
    told(&scratch, "run t -q", 0);
    assert!(!log().contains("version 2"), "{}", log());
}

/// Checks that an edited bot plays in its new version when its file is run again, even if only an imported file has changed.
#[test]
fn a_helper_that_was_edited_starts_the_tournament_over() {
    let scratch = Scratch::new();
    write(&scratch, 1, 1);
    let file = |deals: u32| {
        scratch.write("mine/t.toml", &format!("deals = {deals}\nrules.rounds = 1\n[[bots]]\nname = 'random'\nbuiltin = 'random'\n[[bots]]\nname = 'exact'\nbuiltin = 'exact'\n[[bots]]\nname = 'a'\ncommand = 'python3 bot.py'\n"));
    };
    let run = |words: &str| told(&scratch, words, 0);
    let log = || fs::read_to_string(scratch.path().join("mine/t/logs/a.log")).unwrap();
    file(1);
    run("run mine/t.toml -q");
    // Files that the arena writes into the bot's folder are not part of the bot.
    run("show mine/t d1/random/a --out mine/match.html");
    run("export mine/t --out mine/all.jsonl");
    run("export mine/t --table seats --as csv --out mine/seats.csv");
    run("report mine/t --per-bot mine/pages");
    file(2);
    let said = run("run mine/t.toml -q");
    assert!(
        said.contains("deals      1 → 2") && !said.contains("starts over"),
        "{said}"
    );
    assert!(!run("run mine/t.toml -q").contains("starts over"));
    run("reset mine/t --yes");
    run("run mine/t.toml -q");
    assert!(!run("run mine/t.toml -q").contains("starts over"));
    write(&scratch, 1, 2);
    let said = run("run mine/t.toml -q");
    assert!(
        said.contains("changed    a starts again without results")
            && said.contains("starts over on new deals"),
        "{said}"
    );
    assert!(
        log().contains("version 1 2 2") && !log().contains("version 1 1 1"),
        "{}",
        log()
    );
    assert_eq!(scratch.standings("mine/t")["played"], 12);
    assert!(
        scratch
            .path()
            .join("mine/t/earlier/1/ledger.sqlite")
            .is_file()
    );
}

/// Checks two bots that are built with different variables, or from other files that they read: these are different programs.
#[test]
fn whatever_a_build_sees_makes_another_copy() {
    let scratch = Scratch::new();
    write(&scratch, 1, 1);
    fs::create_dir(scratch.path().join("common")).unwrap();
    scratch.write("common/head.h", "one");
    let head = scratch.path().join("common/head.h");
    let head = head.display();
    let file = |level: u32| {
        let bot = |level: u32| {
            format!(
                "[[bots]]\nname = 'level{level}'\ndir = 'mine'\ncommand = 'python3 bot.py'\nread = ['{head}']\nenv.LEVEL = '{level}'\nbuild = 'echo $LEVEL $(cat {head}) > data.txt'\n"
            )
        };
        scratch.write(
            "t.toml",
            &(format!("deals = 1\nrules.rounds = 1\n{}", bot(1))
                + &bot(level).replacen(&format!("level{level}"), "other", 1)),
        );
    };
    let log =
        |bot: &str| fs::read_to_string(scratch.path().join(format!("t/logs/{bot}.log"))).unwrap();
    file(2);
    told(&scratch, "run t.toml -q --trust", 0);
    assert!(
        log("level1").contains("version 1 1 1 one"),
        "{}",
        log("level1")
    );
    assert!(
        log("other").contains("version 1 1 2 one"),
        "{}",
        log("other")
    );
    file(7);
    told(&scratch, "update t --yes -q --trust", 0);
    assert!(
        log("other").contains("version 1 1 7 one"),
        "{}",
        log("other")
    );
    scratch.write("common/head.h", "two");
    told(&scratch, "run t.toml -q --trust", 0);
    assert!(
        log("level1").contains("version 1 1 1 two"),
        "{}",
        log("level1")
    );
    assert!(
        log("other").contains("version 1 1 7 two"),
        "{}",
        log("other")
    );
}

/// Checks that a modified copy is noticed when a run takes it from the cache.
#[test]
fn a_damaged_copy_is_not_played() {
    let scratch = Scratch::new();
    write(&scratch, 1, 1);
    scratch.write("t.toml", "deals = 1\nrules.rounds = 1\n[[bots]]\nname = 'random'\nbuiltin = 'random'\n[[bots]]\nname = 'a'\ndir = 'mine'\ncommand = 'python3 bot.py'\n");
    told(&scratch, "run t.toml -q", 0);
    let damage = || {
        let copies = fs::read_dir(scratch.path().join("cache/coda-arena/built")).unwrap();
        for copy in copies {
            let helper = copy.unwrap().path().join("files/lib/helper.py");
            fs::write(helper, "VERSION = 9").unwrap();
        }
    };
    damage();
    told(&scratch, "extend t --deals 2", 0);
    let said = told(&scratch, "run t -q", 0);
    assert!(said.contains("damaged    "), "{said}");
    let log = || fs::read_to_string(scratch.path().join("t/logs/a.log")).unwrap();
    assert!(!log().contains("version 1 9"), "{}", log());
    // The bot's own files have also changed, so there is nothing left that it could run from.
    damage();
    write(&scratch, 1, 2);
    told(&scratch, "extend t --deals 3", 0);
    let said = told(&scratch, "run t -q", 2);
    assert!(said.contains("and there is no copy of them"), "{said}");
}

/// Checks that links expose no files of other people, whatever the command says. Authors of bots control their own folders.
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

/// Checks that the names of a bot's variables and files have no special meaning for the arena.
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
        .map(|copy| copy.join("files"))
        .inspect(|files| assert!(files.join("-rf").exists()))
        .map(|files| files.join("made").exists())
        .collect();
    assert!(
        made.len() == 2 && made.contains(&true) && made.contains(&false),
        "{made:?}"
    );
}
