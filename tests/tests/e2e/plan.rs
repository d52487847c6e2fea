//! `arena plan` shows how many deals are needed to tell two bots apart, before a tournament is played.

use std::fs;

use arena_tests::Scratch;
use serde_json::{Value, json};

const BOTS: &str =
    "--seed 1 --deals 20 --bot exact=builtin:exact --bot excluding=builtin:excluding";

fn plan(words: &str) -> Value {
    let printed = Scratch::new().printed(&format!("plan {words} --json"));
    serde_json::from_str(&printed).unwrap()
}

/// Checks values computed by hand. Without results, σ² is that of a coin times (1 + √0.2) / 2. δ is 0.0287505 at 20 Elo, and 0.0714626 at
/// 50 Elo.
#[test]
fn without_a_measurement_results_are_taken_to_differ_much() {
    for (flag, elo, deals, matches) in [
        ("", 50.0, 295, 590),
        ("--to-tell 20", 20.0, 1767, 3534),
        ("--to-tell 200", 200.0, 22, 44),
        ("--format gauntlet", 50.0, 295, 590),
    ] {
        let found = plan(&format!("{BOTS} {flag} --seconds 0"));
        let expected = json!({ "elo": elo, "deals": deals, "matches": matches, "seconds": null });
        assert_eq!(found["to_tell"], expected, "{flag}");
    }
    let words = Scratch::new().printed(&format!("plan {BOTS} --to-tell 20 --seconds 0"));
    let line =
        "to tell             20 Elo apart: about 1800 deals, 3500 matches (nothing measured)\n";
    assert!(words.contains(line), "{words}");
}

/// Checks that the complete sample is played if there is enough time, so that the answer does not depend on the number of jobs.
#[test]
fn what_was_measured_depends_on_the_seed_alone() {
    let [one, two] = [1, 2].map(|jobs| {
        let found = plan(&format!(
            "{BOTS} --rule rounds=1 --seconds 600 --jobs {jobs} --oversubscribe"
        ));
        found["to_tell"].clone()
    });
    assert!(one["seconds"].as_f64().unwrap() > 0.0, "{one}");
    for key in ["deals", "matches"] {
        assert_eq!(one[key], two[key], "{key}");
    }
    let [deals, matches] = ["deals", "matches"].map(|key| one[key].as_u64().unwrap());
    assert!(deals < 295 && matches == 2 * deals, "{one}");
}

/// Checks a round-robin of four bots at three seats, in which every deal has four tables with six seatings each.
#[test]
fn at_larger_tables_a_deal_has_all_tables() {
    let more = "--seats 3 --bot a=builtin:exact --bot b=builtin:excluding --rule rounds=1";
    let unknown = plan(&format!("{BOTS} {more} --seconds 0"))["to_tell"].clone();
    let found = plan(&format!("{BOTS} {more} --seconds 600"))["to_tell"].clone();
    let deals = |found: &Value| found["deals"].as_u64().unwrap();
    assert_eq!(deals(&unknown), 295);
    assert!(deals(&found) < 295, "{found}");
    for found in [unknown, found] {
        assert_eq!(found["matches"], 24 * deals(&found));
    }
}

#[test]
fn where_bots_do_not_meet_on_every_deal_it_is_refused() {
    let scratch = Scratch::new();
    let refused = |words: &str, why: &str| {
        let refusal = scratch.refused(&format!("plan {BOTS} --seconds 0 {words}"));
        assert!(refusal.contains(why), "{words}: {refusal}");
    };
    let three = "--seats 3 --bot a=builtin:random";
    for (format, more) in [
        ("swiss", ""),
        ("knockout", ""),
        ("ladder", ""),
        ("balanced", three),
    ] {
        let format_flag = format!("--format {format} {more}");
        refused(
            &format!("{format_flag} --to-tell 20"),
            &format!("such as round-robin or gauntlet, not {format}"),
        );
        let found = plan(&format!("{BOTS} {format_flag} --seconds 0"));
        assert_eq!(found["to_tell"], Value::Null, "{format}");
    }
    for wrong in ["0.5", "1001", "-20", "20wins"] {
        refused(
            &format!("--to-tell {wrong}"),
            "write a difference from 1 to 1000, in Elo",
        );
    }
}

/// Checks that the command announces changes in the same words as `arena run`, but makes none.
#[test]
fn changes_are_announced() {
    let scratch = Scratch::new();
    let file = "seed = 3\ndeals = 2\nrules.rounds = 1\n[[bots]]\nname = 'a'\nbuiltin = 'random'\n[[bots]]\nname = 'b'\nbuiltin = 'exact'\n";
    scratch.write("t.toml", file);
    scratch.printed("run t.toml -q");
    let found = |words: &str| -> Value {
        let printed = scratch.printed(&format!("plan t.toml --seconds 0 --json {words}"));
        serde_json::from_str(&printed).unwrap()
    };
    let parts = |found: Value| json!([found["changes"], found["starts_over"], found["finished"]]);
    assert_eq!(parts(found("")), json!([[], false, 4]));
    assert_eq!(parts(found("--out other")), json!([[], false, 0]));
    let before = fs::read(scratch.path().join("t/tournament.toml")).unwrap();
    let more = json!([{"change": "deals", "was": 2, "is": 3}]);
    scratch.write("t.toml", &file.replace("deals = 2", "deals = 3"));
    assert_eq!(parts(found("")), json!([more, false, 4]));
    scratch.write("t.toml", &file.replace("name = 'b'", "name = 'c'"));
    let changes =
        json!([{"change": "withdrawn", "bot": "b", "why": null}, {"change": "new", "bot": "c"}]);
    assert_eq!(parts(found("")), json!([changes, true, 0]));
    let shown = scratch.printed("plan t.toml --seconds 0");
    let (_, announced) = shown
        .split_once("changes that `arena run` makes:\n")
        .unwrap();
    assert!(announced.starts_with("withdrawn  b\nnew        c enters\nstarts over on new deals; "));
    assert_eq!(
        fs::read(scratch.path().join("t/tournament.toml")).unwrap(),
        before
    );
    let run = scratch.arena("run t.toml -q");
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(said.contains(announced), "{announced}{said}");
}
