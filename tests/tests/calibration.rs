//! The calibration bench: its shape, that it does not depend on the number of threads, and that intervals are about right.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use arena_tests::Scratch;
use serde_json::Value;

fn measured(words: &str) -> Value {
    serde_json::from_str(&Scratch::new().printed(&format!("bench calibration --json {words}"))).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_report_on_any_number_of_threads() {
    let scratch = Scratch::new();
    let words = "bench calibration --json --tournaments 3 --deals 10 --truth 12 --seed 5";
    let run = |threads: &str| {
        let output = scratch.command(words).env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let one = run("1");
    assert_eq!(one, run("3"));
    let report: Value = serde_json::from_str(&one).unwrap();
    assert_eq!((report["tournaments"].as_u64(), report["games"].as_array().unwrap().len()), (Some(3), 3));
    let coda = &report["games"][0];
    let kinds: Vec<&str> =
        coda["coverage"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    for kind in
        ["points", "points_naive", "score", "score_naive", "difference", "rating", "rank", "first_seat", "effect"]
    {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    // Two pools, two kinds of Elo, three places.
    assert_eq!(coda["sequential"].as_array().unwrap().len(), 12);
    assert_eq!(coda["peeking"].as_array().unwrap().len(), 2);
    let text = scratch.printed(&words.replace(" --json", ""));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_they_say() {
    let report = measured("--tournaments 100 --tests 60 --deals 20 --truth 800 --game crack-the-code --seed 11");
    let game = &report["games"][0];
    let coverage = |kind: &str| {
        let found = game["coverage"].as_array().unwrap().iter().find(|one| one["kind"] == kind).unwrap();
        found["share"].as_f64().unwrap()
    };
    for kind in ["score", "difference", "effect"] {
        assert!((0.90..=0.99).contains(&coverage(kind)), "{kind}: {}", coverage(kind));
    }
    assert!(coverage("rank") > 0.93);
    // Most matches against the weakest bot are won, and the normal interval of so few knows no bound but ±0.
    assert!(coverage("score_naive") < 0.8, "{}", coverage("score_naive"));
    for tested in game["sequential"].as_array().unwrap() {
        let accepted = tested["accepted"].as_f64().unwrap();
        let right = match tested["place"].as_f64().unwrap() {
            0.0 => accepted < 0.15,
            1.0 => accepted > 0.85,
            _ => (0.25..0.75).contains(&accepted),
        };
        assert!(right && tested["covers"].as_f64().unwrap() > 0.85, "{tested}");
    }
    for peeked in game["peeking"].as_array().unwrap() {
        assert!(peeked["betting"].as_f64().unwrap() < 0.13 && peeked["student"].as_f64().unwrap() > 0.15, "{peeked}");
    }
}
