//! Files, flags and terminal output of `arena check`.

use arena_tests::{Scratch, arena};

use super::{FAILED, WRONG, checked, shows};

#[test]
fn wrong_use_is_no_failure_of_the_bot() {
    let scratch = Scratch::new();
    shows(
        &checked(&scratch, "check --game chess", &["true"]),
        WRONG,
        &["there is no game \"chess\""],
    );
    shows(
        &checked(&scratch, "check --seats 9", &["true"]),
        WRONG,
        &["none of these games has that many"],
    );
    shows(
        &checked(&scratch, "check --matches-each 0", &["true"]),
        WRONG,
        &["matches-each"],
    );
    shows(&checked(&scratch, "check", &[]), WRONG, &["COMMAND"]);
}

const FILE: &str = "game = 'crack-the-code'\ndeals = 1\n[rules]\npositions = 3\n[[bots]]\nname = 'ours'\nbuiltin = 'random'\n\
    [[bots]]\nname = 'good'\ncommand = 'GOOD'\n[[bots]]\nname = 'bad'\ncommand = 'sh bad.sh'\nenv = { WORD = 'nonsense' }\n";

#[test]
fn every_program_of_a_file_is_tried_by_its_game_and_rules() {
    let scratch = Scratch::new();
    scratch.write("bad.sh", "echo $WORD; cat > /dev/null");
    scratch.write(
        "t.toml",
        &FILE.replace("GOOD", &format!("{} bot random", arena().display())),
    );
    let (code, said) = checked(
        &scratch,
        "check --matches-each 2 --move-ms 10000",
        &["t.toml"],
    );
    shows(
        &(code, said.clone()),
        FAILED,
        &[
            "good: ",
            "crack-the-code, 2 seats",
            "bad: sh bad.sh",
            "| nonsense",
        ],
    );
    for line in [
        "\nours  built in: nothing to check\n",
        "\ngood  passed: ",
        "\nbad   failed: step 2 of 2",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert!(
        !said.contains("coda, 2 seats") && !said.contains("other rules"),
        "{said}"
    );
    let why = scratch.refused("check --env A=b t.toml");
    assert!(why.contains("t.toml sets that for each bot"), "{why}");
    scratch.write("t.toml", &FILE.replace("GOOD", "no-such-program"));
    // A missing program does not keep the others from being checked.
    let (code, said) = checked(
        &scratch,
        "check --matches-each 2 --move-ms 10000",
        &["t.toml"],
    );
    shows(
        &(code, said.clone()),
        FAILED,
        &["there is no program no-such-program"],
    );
    for line in ["\ngood  failed: step 1 of 1", "\nbad   failed: step 2 of 2"] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn a_program_alone_is_tried_as_flags_say() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("home")).unwrap();
    let told = scratch.path().join("told");
    scratch.write(
        "home/bot.sh",
        &format!(
            "echo \"$WORD in $(cat '{}')\"; cat > /dev/null",
            told.display()
        ),
    );
    scratch.write("told", "its own folder");
    let flags = "check --dir home --env WORD=here --read ../told --memory-mb 400 --start-ms 3000";
    shows(
        &checked(&scratch, flags, &["sh", "bot.sh"]),
        FAILED,
        &["| here in its own folder"],
    );
    let why = scratch.refused("check --dir nowhere --env WORD --processes 0 -- sh bot.sh");
    for part in [
        "--env WORD: this sets nothing",
        "`processes` must be at least 1",
        "2 problems",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let why = scratch.refused("check --dir nowhere -- sh bot.sh");
    assert!(why.contains("--dir nowhere: there is no folder"), "{why}");
}

/// Checks a terminal of 60 columns, if a program that emulates one is installed.
#[cfg(feature = "all")]
#[test]
fn a_terminal_gets_colours_and_is_not_overrun() {
    let scratch = Scratch::new();
    scratch.write("bot.sh", "echo hmm; cat > /dev/null");
    let line = format!(
        "stty cols 60 rows 40; {} check --game coda sh bot.sh",
        arena().display()
    );
    let shown = |colours: &str| {
        let mut script = arena_tests::process::Command::new("script");
        script
            .current_dir(scratch.path())
            .env("TERM", "xterm")
            .env("NO_COLOR", colours)
            .args(["-qec", &line, "/dev/null"]);
        String::from_utf8(script.output().unwrap().stdout).unwrap()
    };
    let coloured = shown("");
    assert!(coloured.contains("\u{1b}[31mFAILED\u{1b}[0m"), "{coloured}");
    assert!(
        coloured.contains("it sends ready: waiting for an answer"),
        "{coloured}"
    );
    let plain = shown("1");
    assert!(
        plain.contains("FAILED") && !plain.contains("\u{1b}[31m"),
        "{plain}"
    );
    let printed = plain
        .split("\r\n")
        .map(|line| line.rsplit(['\r', '\u{1b}']).next().unwrap());
    // Without bubblewrap, one more line names the isolation in use.
    let printed = printed.filter(|line| !line.starts_with("isolation "));
    assert!(
        printed.clone().all(|line| line.chars().count() <= 64),
        "{plain}"
    );
    assert!(
        printed
            .clone()
            .any(|line| line.trim_start().starts_with("what: debug text")),
        "{plain}"
    );
}
