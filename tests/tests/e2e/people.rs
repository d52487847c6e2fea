//! People at a terminal: whole matches are played through standard input, and nothing but leaving them costs a person the match.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use arena_tests::Scratch;
use serde_json::Value;

/// A match that people played: what they were shown, line by line, and what was printed in the end.
struct Evening {
    shown: Vec<String>,
    printed: String,
}

/// Plays a match of people, who answer each question; none ends their input.
fn play(words: &str, mut answer: impl FnMut(&str) -> Option<String>) -> Evening {
    let scratch = Scratch::new();
    let mut command = scratch.command(&format!("match {words}"));
    let out = File::create(scratch.path().join("out")).unwrap();
    let mut arena = command
        .stdin(Stdio::piped())
        .stdout(out)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typed = arena.stdin.take();
    let mut shown = Vec::new();
    for line in BufReader::new(arena.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        if line.ends_with(")?") || line.starts_with("pass the keyboard") {
            match answer(&line) {
                // Where time is over, nobody reads it any more.
                Some(text) => drop(writeln!(typed.as_ref().unwrap(), "{text}")),
                None => drop(typed.take()),
            }
        }
        shown.push(line);
    }
    assert!(
        arena.wait().unwrap().success(),
        "{words}: {}",
        shown.join("\n")
    );
    Evening {
        shown,
        printed: std::fs::read_to_string(scratch.path().join("out")).unwrap(),
    }
}

/// The first value that a question offers.
fn first_value(question: &str) -> Option<String> {
    let offered = question
        .split_once('(')
        .map_or("", |(_, rest)| rest)
        .trim_start_matches("such as ");
    Some(offered.split([' ', ')']).next().unwrap().to_owned())
}

/// The events and the verdict of a match in JSON.
fn verdict(evening: &Evening) -> Value {
    let last = evening.printed.lines().last().unwrap();
    serde_json::from_str::<Value>(last).unwrap()["verdict"].clone()
}

/// Plays a match against a bot by always taking the first value, with nonsense in between.
fn whole_match(game: &str, rival: &str, more: &str) {
    let mut asked = 0;
    let words = format!("--game {game} --bot me=human --bot rival={rival} --seed 11 --json {more}");
    let evening = play(&words, |question| {
        asked += 1;
        // Later on there is none: a code takes several answers in a row.
        match if asked < 30 { asked % 9 } else { 1 } {
            0 => Some("99".into()),
            3 => Some("what \u{7} now {\"".into()),
            5 => Some("?".into()),
            6 => Some("hint".into()),
            7 => Some(String::new()),
            _ => first_value(question),
        }
    });
    assert!(asked > 9, "{game}: {asked}");
    let verdict = verdict(&evening);
    assert_eq!(verdict["ended"], "played", "{game}: {verdict}");
    assert!(
        verdict["faults"]
            .as_array()
            .unwrap()
            .iter()
            .all(Value::is_null),
        "{game}: {verdict}"
    );
    let shown = evening.shown.join("\n");
    assert!(
        shown.contains("hint: ") && shown.contains("\nme, choose ("),
        "{shown}"
    );
    assert!(
        shown.contains("not possible: ") || shown.contains("is not an option"),
        "{shown}"
    );
    assert!(
        !shown.contains('\u{7}'),
        "what was typed is shown without control characters"
    );
}

#[test]
fn a_person_plays_coda() {
    whole_match("coda", "exact", "");
    whole_match("coda", "exact", "--rule rounds=1 --rule dashes=true");
}

#[test]
fn a_person_plays_code_777() {
    whole_match("code-777", "inference", "--rule questions=30");
    whole_match(
        "code-777",
        "inference",
        "--rule questions=30 --rule colours=true",
    );
}

#[test]
fn a_person_plays_crack_the_code() {
    whole_match("crack-the-code", "racer", "");
}

#[test]
fn a_person_plays_digit_code() {
    whole_match("digit-code", "entropy", "");
}

#[test]
fn a_person_plays_a_game_with_no_bots_of_its_own() {
    whole_match("sample", "random", "");
}

#[test]
fn a_game_in_no_list_and_with_no_bots_of_its_own_has_a_demo_a_file_and_a_check() {
    let scratch = Scratch::new();
    assert!(
        !scratch.printed("games").contains("sample"),
        "it is the tests' own"
    );
    scratch.printed("run -q --game sample --seed 3 --out demo");
    assert!(scratch.printed("verify demo").contains("whole"));
    assert!(
        scratch
            .standings("demo")
            .to_string()
            .contains("random-process")
    );
    scratch.printed("run -q --game sample --seats 3 --seed 3 --out three");
    scratch.printed("init t.toml --game sample");
    scratch.printed("run -q t.toml");
    let myself = arena_tests::arena().display();
    assert!(
        scratch
            .printed(&format!("check --game sample -- {myself} bot random"))
            .contains("sample, 3 seats")
    );
}

#[test]
fn who_quits_or_closes_the_input_forfeits() {
    let bots = "--bot me=human --bot rival=random --seed 4";
    for answers in [
        vec![Some("2"), Some("quit")],
        vec![Some("2"), None],
        vec![None],
    ] {
        let mut answers = answers.into_iter();
        let evening = play(bots, |_| answers.next().unwrap().map(str::to_owned));
        assert!(
            evening
                .printed
                .contains("me forfeited (crash): has left the match"),
            "{}",
            evening.printed
        );
    }
    // Of three, two play on.
    let three = "--seats 3 --bot a=random --bot human --bot b=random --seed 4 --json";
    let verdict = verdict(&play(three, |_| Some("quit".into())));
    assert_eq!(
        (&verdict["ended"], &verdict["faults"][1]["detail"]),
        (&"played".into(), &"has left the match".into())
    );
}

#[test]
fn several_people_share_a_keyboard_and_not_their_secrets() {
    let mut asked = 0;
    let evening = play(
        "--rule rounds=1 --bot ann=human --bot ben=human --seed 8",
        |question| {
            asked += 1;
            if question.starts_with("pass") {
                Some(String::new())
            } else if asked > 60 {
                Some("quit".into())
            } else {
                first_value(question)
            }
        },
    );
    let shown = evening.shown.join("\n");
    let turns: Vec<&str> = shown.split("pass the keyboard to ").skip(1).collect();
    assert!(turns.len() > 4, "{shown}");
    let panels = |line: &str| {
        line.split([' ', '.'])
            .filter(|word| word.starts_with(['D', 'L']))
            .count()
    };
    for turn in turns {
        let (reader, other) = if turn.starts_with("ann,") {
            ("ann", "ben")
        } else {
            ("ben", "ann")
        };
        assert!(
            turn.starts_with(reader) && turn.contains(&format!("\n{reader}, choose")),
            "{turn}"
        );
        for line in turn.lines() {
            let secret = ["sets up", "draws"]
                .iter()
                .any(|what| line.starts_with(&format!("{other} {what} ")));
            assert!(
                !secret || line.matches('?').count() == panels(line),
                "{reader} reads: {line}"
            );
        }
    }
    assert!(
        !evening.printed.contains('?'),
        "the record hides nothing: {}",
        evening.printed
    );
}

#[test]
fn nobody_waits_for_a_person_longer_than_the_clock_says() {
    // The first answer comes, then nothing while the input stays open.
    let mut asked = 0;
    let evening = play(
        "--rule rounds=1 --rule late_moves=1 --move-ms 1 --bot me=human --bot rival=random --seed 4 --json",
        |_| {
            asked += 1;
            Some(String::new())
        },
    );
    let verdict = verdict(&evening);
    assert_eq!(verdict["faults"][0]["cause"], "time", "{verdict}");
    assert!(
        evening.shown.join("\n").contains("me, choose within 0.0 s"),
        "{:?}",
        evening.shown
    );
}

#[test]
fn tournaments_are_without_people() {
    let scratch = Scratch::new();
    let refuses = |words: &str| {
        let why = scratch.refused(words);
        assert!(
            why.contains("a person") && why.contains("`arena match --bot me=human`"),
            "{words}: {why}"
        );
        assert!(why.contains("`arena serve`"), "{words}: {why}");
    };
    scratch.write(
        "t.toml",
        "game = 'coda'\n[[bots]]\nname = 'me'\ncommand = 'human'\n[[bots]]\nname = 'b'\nbuiltin = 'random'\n",
    );
    for words in [
        "run t.toml",
        "plan t.toml",
        "check t.toml",
        "run --bot me=human --bot b=random",
        "run --bot human --bot random",
    ] {
        refuses(words);
    }
    for words in [
        "compare me=human exact",
        "init x.toml --bot me=human",
        "plan --bot me=human --bot b=random",
    ] {
        refuses(words);
    }
    scratch
        .printed("run -q --deals 1 --seed 1 --rule rounds=1 --bot a=random --bot b=random --out t");
    for words in ["repro t d1/a/b --seat 0 --program human"] {
        refuses(words);
    }
}
