//! `arena compare` plays two bots until a test decides. Interruptions do not change the result.

use std::fs;
use std::process::{Output, Stdio};

use arena_tests::process::Command;
use arena_tests::{Scratch, arena};
use serde_json::Value;

/// Flags for short matches, with hypotheses so far apart that few deals suffice.
const SHORT_FLAGS: &str = "--rule rounds=1 --elo1 150 -q --oversubscribe";

/// Two equal bots, which play every deal identically.
const EQUAL_PAIR: &str = "compare a=builtin:random b=builtin:random";

/// The note about the two equal bots.
const ALIKE_NOTE: &str = "a and b play exactly alike: the same moves in all 100 matches";

/// Two bots whose comparison takes about a hundred deals.
const CLOSE_PAIR: &str =
    "compare a=builtin:exact b=builtin:excluding --rule rounds=1 --seed 1 -q --oversubscribe";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_stronger_bot_is_told_from_a_weaker_one_and_equal_ones_are_not() {
    let scratch = Scratch::new();
    let found = json(&scratch.printed(&format!(
        "compare exact random {SHORT_FLAGS} --seed 1 --json --out strong"
    )));
    assert_eq!(found["verdict"], "accept_elo1", "{found}");
    assert_eq!(found["bots"], serde_json::json!(["exact", "random"]));
    let deals = found["deals"].as_u64().unwrap();
    assert!(deals < 60, "{found}");
    let results = &found["results"][0];
    assert_eq!(results["matches"].as_u64(), Some(2 * deals));
    let cells = found["pentanomial"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell.as_u64().unwrap());
    let cells: Vec<u64> = cells.collect();
    assert_eq!(cells.iter().sum::<u64>(), deals);
    let half_points: u64 = cells
        .iter()
        .zip(0..)
        .map(|(count, half)| count * half)
        .sum();
    assert_eq!(results["half_points"].as_u64(), Some(half_points));
    assert!(
        found["llr"].as_f64() >= found["bounds"][1].as_f64(),
        "{found}"
    );

    let text = scratch.printed(&format!("{EQUAL_PAIR} {SHORT_FLAGS} --seed 1 --out equal"));
    assert!(
        text.contains("a is not stronger than b by 150 Elo or more (H0 accepted)"),
        "{text}"
    );
    assert!(
        text.contains("biased by stopping early")
            && text.contains("repeated another one on the same deal"),
        "{text}"
    );
    // The result is an ordinary tournament.
    assert!(scratch.standings("equal")["played"].as_u64() >= Some(8));
    scratch.printed("verify equal");
    assert!(scratch.export("equal").len() >= 8);
    assert_eq!(
        json(&fs::read_to_string(scratch.path().join("strong/comparison.json")).unwrap()),
        found
    );
}

#[test]
fn a_gate_says_by_its_exit_code_whether_a_change_passes() {
    let scratch = Scratch::new();
    let code = |words: &str| {
        let output = scratch
            .command(&format!(
                "compare {words} --rule rounds=1 --seed 1 -q --oversubscribe"
            ))
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output),
        )
    };
    for (words, wanted, line) in [
        (
            "exact random --gate better --elo1 150 --out better",
            0,
            "gate         passed (better)",
        ),
        (
            "random exact --gate better --elo1 150 --out worse",
            1,
            "gate         failed (better)",
        ),
        (
            "random exact --gate not-worse --margin 150 --out less",
            1,
            "gate         failed (not worse)",
        ),
        (
            "exact random --gate not-worse --margin 150 --out more",
            0,
            "gate         passed (not worse)",
        ),
        (
            "a=random b=random --gate better --elo1 150 --out equal",
            1,
            "gate         failed (better)",
        ),
        (
            "a=random b=random --gate not-worse --points --margin 3 --out like",
            0,
            "gate         passed (not worse)",
        ),
        (
            "exact excluding --gate better --max-deals 3 --out few",
            3,
            "gate         undecided (better)",
        ),
        (
            "exact excluding --gate not-worse --points",
            2,
            "needs a --margin",
        ),
    ] {
        let (code, text) = code(words);
        assert!(
            code == Some(wanted) && text.contains(line),
            "{words}: {code:?} {text}"
        );
    }
    let (code, text) = code(
        "exact excluding --gate better --elo0 5 --elo1 5.01 --max-deals 100000000 --for 1s --out long --json",
    );
    let found = json(&text[..text.rfind('}').unwrap() + 1]);
    assert_eq!(
        (code, &found["gate"]),
        (
            Some(3),
            &serde_json::json!({"wanted": "better", "answer": "undecided"})
        )
    );
}

#[cfg(feature = "all")]
#[test]
fn the_script_of_the_page_tests_each_change() {
    let scratch = Scratch::new();
    let page = fs::read_to_string(arena_tests::root().join("results/STATISTICS.md")).unwrap();
    let script = page
        .split_once("```sh gate.sh\n")
        .unwrap()
        .1
        .split_once("```")
        .unwrap()
        .0;
    scratch.write("gate.sh", script);
    scratch.printed("new python mine");
    let bot = fs::read_to_string(scratch.path().join("mine/bot.py")).unwrap();
    let git = |words: &str| {
        let mut git = Command::new("git");
        git.current_dir(scratch.path().join("mine")).args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@x",
            "-c",
            "commit.gpgsign=false",
        ]);
        assert!(
            git.args(words.split(' '))
                .stdout(Stdio::null())
                .status()
                .unwrap()
                .success(),
            "{words}"
        );
    };
    let commit = |bot: &str| {
        scratch.write("mine/bot.py", bot);
        git("add -A");
        git("commit -qm next --allow-empty");
    };
    git("init -q");
    let first = fs::read_to_string(arena_tests::root().join("bots/python/first_bot.py")).unwrap();
    for (bot, wanted) in [
        (&first, None),
        (&bot, Some(0)),
        (&format!("{bot}\n# the same"), Some(0)),
        (&first, Some(1)),
    ] {
        commit(bot);
        if wanted.is_some() {
            let path = format!(
                "{}:{}",
                arena().parent().unwrap().display(),
                std::env::var("PATH").unwrap()
            );
            let mut gate = Command::new("sh");
            gate.arg("../gate.sh")
                .args("--rule rounds=1 --seed 1 --margin 150 -q --oversubscribe".split(' '));
            let output = gate
                .env("PATH", path)
                .current_dir(scratch.path().join("mine"))
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(output.status.code(), wanted, "{text} {}", errors(&output));
            assert!(text.starts_with("new or old: "), "{text}");
        }
    }
}

#[test]
fn jobs_kills_and_ways_to_go_on_change_nothing() {
    let scratch = Scratch::new();
    let whole = scratch.printed(&format!("{CLOSE_PAIR} --jobs 1 --out one"));
    assert!(whole.contains("H1 accepted"), "{whole}");
    for jobs in [2, 8] {
        assert_eq!(
            whole,
            scratch.printed(&format!("{CLOSE_PAIR} --jobs {jobs} --out of{jobs}"))
        );
    }
    // Programs are slower than built-in bots, so kills are likely to hit the middle of play.
    let me = arena().display();
    let compare = |out: &str, jobs: u32| {
        let mut command = scratch.command("compare");
        command.args([format!("a={me} bot exact"), "b=builtin:excluding".into()]);
        command.args(
            format!("--rule rounds=1 --seed 1 -q --oversubscribe --jobs {jobs} --out {out}")
                .split_whitespace(),
        );
        command
    };
    let torn = |mut command: Command, point: &str| {
        let status = command
            .env("ARENA_CRASH", point)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), None, "it did not die at {point}");
    };
    if cfg!(debug_assertions) {
        torn(compare("torn", 1), "created");
        for (jobs, point) in [
            (2, "before-append:2"),
            (8, "after-append:3"),
            (1, "before-append:5"),
        ] {
            torn(compare("torn", jobs), point);
        }
        torn(scratch.command("compare torn"), "after-append:2");
    }
    assert_eq!(whole, scratch.printed("compare -q torn"));
    assert_eq!(
        whole,
        String::from_utf8(compare("torn", 8).output().unwrap().stdout).unwrap()
    );
    let matches = scratch.standings("torn")["played"].as_u64();
    assert_eq!(whole, scratch.printed("compare -q torn"));
    assert_eq!(
        matches,
        scratch.standings("torn")["played"].as_u64(),
        "nothing more is played"
    );
}

#[test]
fn killed_at_any_time_it_comes_to_the_same_verdict() {
    let scratch = Scratch::new();
    let words = format!("{CLOSE_PAIR} --out");
    let whole = scratch.printed(&format!("{words} whole --jobs 2"));
    for round in 0..12 {
        let jobs = [1, 2, 8][round % 3];
        let mut child = scratch.command(&format!("{words} torn --jobs {jobs}"));
        let child = child
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.until_written(25_000 * round as u64);
        child.kill();
    }
    assert_eq!(whole, scratch.printed(&format!("{words} torn")));
}

#[test]
fn the_same_command_finds_its_folder_and_another_one_is_refused() {
    let scratch = Scratch::new();
    let words = format!("{EQUAL_PAIR} {SHORT_FLAGS} --max-deals 3");
    let first = scratch.printed(&words);
    assert!(
        first.contains("not decided between a and b within 3 deals"),
        "{first}"
    );
    // Without a seed, the comparison continues with the seed drawn for it. In another folder, the comparison draws a new seed.
    assert_eq!(first, scratch.printed(&words));
    assert_ne!(first, scratch.printed(&format!("{words} --out elsewhere")));
    assert!(
        scratch
            .printed(&format!("{words} --seed 2"))
            .contains("seed 2\n")
    );
    assert_eq!(first, scratch.printed(&words));
    let runs = fs::read_dir(scratch.path().join("runs")).unwrap().count();
    assert_eq!(
        runs, 2,
        "the same comparison has one folder, another one its own"
    );

    let refused = |words: &str, why: &str| {
        let refusal = scratch.refused(words);
        assert!(refusal.contains(why), "{words}: {refusal}");
    };
    refused(
        "compare runs/a-vs-b-1 --elo1 20",
        "compare.sprt.elo1: 150.0 in the folder, 20.0 now",
    );
    let other = scratch.arena(&format!("{words} --alpha 0.01 --out elsewhere"));
    let said = String::from_utf8(other.stderr).unwrap();
    assert!(
        said.contains("compare.sprt.alpha: 0.05 in the folder, 0.01 now")
            && said.contains("starts over on new deals"),
        "{said}"
    );
    refused("compare runs/a-vs-b-1 --points", "compare.points");
    refused(
        "compare runs/a-vs-b-1 --gate not-worse --margin 20",
        "compare.sprt.elo0: 0.0 in the folder, -20.0 now",
    );
    refused(
        "compare runs/a-vs-b-1 --max-deals 9",
        "deals: 3 in the folder, 9 now",
    );
    refused("compare runs/a-vs-b-1 --seed 9", "seed");
    refused("run runs/a-vs-b-1", "arena compare");
    refused("compare nothing", "not the folder of a comparison");
    refused(
        "compare exact perfect",
        "a program is given by its file, its folder or NAME=COMMAND",
    );
    refused("compare exact exact", "two bots are named exact");
    for (flags, why) in [
        (
            "--elo0 20",
            "elo0 must be less than elo1: elo0 is 20, elo1 is 10",
        ),
        ("--elo0 nan", "elo0 must be between -1000 and 1000, not NaN"),
        (
            "--elo1 0.1",
            "0 and 0.1 Elo are too close: their test takes about 65 million deals, far more than 20000",
        ),
        ("--elo1 0.0000001", "more than a million million deals"),
        (
            "--alpha 0.6",
            "alpha must be between 0.000001 and 0.49, not 0.6",
        ),
        (
            "--beta nan",
            "beta must be between 0.000001 and 0.49, not NaN",
        ),
        (
            "--gate not-worse --margin 0",
            "the margin must be more than 0 and at most 1000 Elo, not 0",
        ),
        (
            "--gate not-worse --margin nan",
            "the margin must be more than 0 and at most 1000 Elo, not NaN",
        ),
        (
            "--gate not-worse --margin 5 --elo0 -3",
            "--margin and --elo0 both set",
        ),
        ("--points --margin inf", "the margin must be"),
        (
            "--gate not-worse --elo0 2",
            "elo0 must be less than elo1: elo0 is 2, elo1 is 0",
        ),
        (
            "--gate not-worse --elo0 2 --elo1 5",
            "would fail a bot that is as strong",
        ),
        ("--max-deals 0", "0 is not in 1.."),
    ] {
        refused(&format!("compare exact random {flags}"), why);
    }
    refused(
        "compare exact random --gate better --elo0 -20 --elo1 -5",
        "would pass a bot that is weaker",
    );
    refused(
        "compare exact random --points --elo0 20",
        "--elo0 does not work with --points or --field",
    );
    refused("compare exact random --margin 3", "--margin is for");
    refused("compare exact random --points --margin 0.1", "margin");
    refused(
        "compare exact random --seats 3",
        "3 seats need at least 3 bots",
    );
    refused(
        "update runs/a-vs-b-1",
        "the bots of a comparison cannot change",
    );
    // Raising the maximum number of deals extends the comparison.
    scratch.printed("extend runs/a-vs-b-1 --deals 300");
    assert!(
        scratch
            .printed("compare -q runs/a-vs-b-1")
            .contains("H0 accepted")
    );
}

#[test]
fn exact_copies_are_equal_however_they_are_compared() {
    let scratch = Scratch::new();
    let short = "--rule rounds=1 --seed 1 -q --oversubscribe --out";
    let whole = scratch.printed(&format!("{EQUAL_PAIR} {short} whole --jobs 1"));
    assert!(
        whole.contains(ALIKE_NOTE) && whole.contains("deals        50 of"),
        "{whole}"
    );
    let torn = scratch
        .command(&format!("{EQUAL_PAIR} {short} torn --jobs 8"))
        .env("ARENA_CRASH", "after-append:2")
        .output()
        .unwrap();
    assert_eq!(
        torn.status.code(),
        if cfg!(debug_assertions) {
            None
        } else {
            Some(0)
        }
    );
    assert_eq!(whole, scratch.printed("compare -q torn"));
    for (gate, code) in [("not-worse", 0), ("better", 1)] {
        let field = "--field x=builtin:excluding --points --margin 1";
        let words = format!("{EQUAL_PAIR} {field} --gate {gate} {short} {gate}");
        let output = scratch.command(&words).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(ALIKE_NOTE), "{text}{}", errors(&output));
        assert_eq!(output.status.code(), Some(code), "{text}");
    }
}

#[test]
fn points_decide_where_they_are_asked_for() {
    let scratch = Scratch::new();
    let found =
        json(&scratch.printed(
            "compare random exact --rule rounds=1 --seed 1 -q --points --json --out points",
        ));
    assert_eq!(found["verdict"], "second", "{found}");
    let difference = &found["points_difference"];
    assert!(difference["interval"][1].as_f64() < Some(0.0), "{found}");
    assert!(
        difference["mean"].as_f64() < difference["interval"][1].as_f64(),
        "{found}"
    );
    let near = "--game crack-the-code --points --margin 0.5 --seed 1 -q --out";
    let text = scratch.printed(&format!("{EQUAL_PAIR} {near} near"));
    let equal = "a and b are equal within 0.5 points a match";
    assert!(text.contains(equal), "{text}");
}

#[test]
fn a_field_is_played_by_both_at_tables_of_two_and_three() {
    let scratch = Scratch::new();
    let field = "compare exact random --field x=builtin:random --field y=builtin:excluding --rule rounds=1 --seed 1 -q --json";
    for (seats, matches) in [(2, 8), (3, 12)] {
        let found = json(&scratch.printed(&format!("{field} --seats {seats} --out of{seats}")));
        assert_eq!(found["verdict"], "first", "{found}");
        assert_eq!(found["field"], serde_json::json!(["x", "y"]));
        assert_eq!(found["matches_per_deal"], matches);
        assert_eq!(found["pentanomial"], Value::Null);
        assert!(
            found["score_difference"]["interval"][0].as_f64() > Some(0.0),
            "{found}"
        );
        let again = scratch.printed(&format!("compare -q --json of{seats}"));
        assert_eq!(json(&again), found);
    }
    let found = json(&scratch.printed(&format!("{field} --points --out points")));
    assert_eq!(found["verdict"], "first", "{found}");
    assert!(
        found["points_difference"]["interval"][0].as_f64() > Some(0.0),
        "{found}"
    );
}

#[test]
fn a_file_gives_its_bots_and_forfeits_are_told_apart() {
    let scratch = Scratch::new();
    let file = "game = \"coda\"\nformat = \"swiss\"\nseed = 4\n[rules]\nrounds = 1\n\
                [[bots]]\nname = \"mine\"\nbuiltin = \"excluding\"\n\
                [[bots]]\nname = \"other\"\nbuiltin = \"random\"\n[[bots]]\nname = \"third\"\nbuiltin = \"random\"\n";
    scratch.write("friday.toml", file);
    let found = json(
        &scratch.printed("compare --file friday.toml mine third --elo1 150 -q --json --out named"),
    );
    assert_eq!(
        (scratch.seed("named"), &found["verdict"]),
        (4, &"accept_elo1".into()),
        "{found}"
    );

    let mut command = scratch.command(&format!(
        "compare random {SHORT_FLAGS} --seed 1 --max-deals 4 --out failing"
    ));
    let output = command.arg("broken=false").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("0 by random, 8 by broken"),
        "{text}{}",
        errors(&output)
    );
    assert!(
        errors(&output).contains("arena faults failing"),
        "{}",
        errors(&output)
    );
    assert!(scratch.printed("faults failing").contains("broken"));
}

#[cfg(feature = "all")]
#[test]
fn programs_are_compared_as_bots_of_ours_are() {
    let scratch = Scratch::new();
    let mut command = scratch.command(&format!(
        "compare exact {SHORT_FLAGS} --seed 1 --json --out t"
    ));
    let output = command
        .arg(format!(
            "mine=python3 {}",
            arena_tests::python_bot("first_bot.py")
        ))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let found = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(found["verdict"], "accept_elo1", "{found}");
    assert_eq!(found["results"][1]["forfeits"], 0);
}
