//! How many deals it takes to see a difference, told before a tournament is played.

use arena_tests::Scratch;
use serde_json::{Value, json};

const BOTS: &str =
    "--seed 1 --deals 20 --bot exact=builtin:exact --bot excluding=builtin:excluding";

fn to_see(words: &str) -> Value {
    let plan: Value =
        serde_json::from_str(&Scratch::new().printed(&format!("plan {words} --json"))).unwrap();
    plan["to_see"].clone()
}

fn near(value: &Value, expected: f64) {
    let found = value.as_f64().unwrap();
    assert!(
        (found / expected - 1.0).abs() < 1e-6,
        "{found}, not {expected}"
    );
}

/// By hand: δ is 0.0287505 and σ² 0.1245867; (2.80 σ + √(7.85 σ² + 3.2 δ)) / 2δ is 35.18.
#[test]
fn without_a_measurement_the_worst_case_counts() {
    let found = to_see(&format!("{BOTS} --to-see 20 --seconds 0"));
    assert_eq!(
        [&found["deals"], &found["matches"], &found["measured_deals"]],
        [1238, 2476, 0]
    );
    assert_eq!(
        (&found["elo"], &found["seconds"], &found["power"]),
        (&json!(20.0), &Value::Null, &json!(0.8))
    );
    near(&found["sigma"], 0.124_586_7_f64.sqrt());
    assert!(
        (160.0..200.0).contains(&found["planned_deals_see"].as_f64().unwrap()),
        "{found}"
    );
    let words = Scratch::new().printed(&format!("plan {BOTS} --to-see 20elo --seconds 0"));
    for part in [
        "to see 20 Elo       about 1200 deals, 2500 matches\n",
        "20 deals can show differences of about",
        "Elo between two bots",
    ] {
        assert!(words.contains(part), "{words}");
    }
    assert!(
        words.contains("by the worst case   of independent matches without draws\n"),
        "{words}"
    );
}

#[test]
fn points_need_a_measurement() {
    let found = to_see(&format!("{BOTS} --to-see 1.5points --seconds 0"));
    assert_eq!(
        (&found["points"], &found["deals"], &found["sigma"]),
        (&json!(1.5), &Value::Null, &Value::Null)
    );
    let words = Scratch::new().printed(&format!("plan {BOTS} --to-see 1.5points --seconds 0"));
    assert!(
        words.contains("unknown: depends on how") && words.contains("--seconds 0"),
        "{words}"
    );
}

/// What is measured ends with the sample, whatever the time: then it is the same with any number of jobs.
#[test]
fn what_was_measured_depends_on_the_seed_alone() {
    for asked in ["20", "1.5points"] {
        let [one, two] = [1, 2].map(|jobs| {
            to_see(&format!(
                "{BOTS} --rule rounds=1 --to-see {asked} --seconds 600 --jobs {jobs} --oversubscribe"
            ))
        });
        assert_eq!(one["measured_deals"], 1000);
        assert!(one["seconds"].as_f64().unwrap() > 0.0);
        for key in ["deals", "matches", "sigma", "planned_deals_see"] {
            assert_eq!(one[key], two[key], "{key}");
        }
        assert_eq!(
            one["matches"].as_u64().unwrap(),
            2 * one["deals"].as_u64().unwrap()
        );
    }
}

/// On every deal of a round-robin of four at three seats two bots meet at two tables, in six orders each.
#[test]
fn at_larger_tables_whole_deals_are_measured() {
    let more = "--seats 3 --bot a=builtin:random --bot b=builtin:random --rule rounds=1";
    let worst = to_see(&format!("{BOTS} {more} --to-see 20 --seconds 0"));
    near(&worst["sigma"], (0.249_173_4_f64 / 12.0).sqrt());
    let found = to_see(&format!("{BOTS} {more} --to-see 20 --seconds 600"));
    assert_eq!(
        found["matches"].as_u64().unwrap(),
        24 * found["deals"].as_u64().unwrap()
    );
    assert!(found["measured_deals"].as_u64().unwrap() > 80, "{found}");
}

#[test]
fn where_results_decide_who_meets_it_cannot_be_told() {
    let scratch = Scratch::new();
    let refused = |words: &str, why: &str| {
        let refusal = scratch.refused(&format!("plan {BOTS} --seconds 0 {words}"));
        assert!(refusal.contains(why), "{words}: {refusal}");
    };
    for format in ["swiss", "knockout", "ladder"] {
        refused(
            &format!("--format {format} --to-see 20"),
            &format!("in the format {format}"),
        );
    }
    refused(
        "--to-see 20wins",
        "write Elo, as 20 or 20elo, or points in a match, as 1.5points",
    );
    refused("--to-see -20", "a difference must be more than 0");
    let plan = scratch.printed(&format!("plan {BOTS} --seconds 0 --format swiss --json"));
    assert!(!plan.contains("to_see"), "only what was asked for is told");
}
