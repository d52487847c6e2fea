//! Checks the form of the calibration's report, its independence of the number of threads, and that coverage is about right.

use clap::Parser;
use serde_json::Value;

use super::{Args, calibration, report};

fn args(words: &str) -> Args {
    Args::parse_from(["calibration"].into_iter().chain(words.split(' ')))
}

#[test]
fn the_same_seed_gives_the_same_report_on_any_number_of_threads() {
    let args = args("--tournaments 3 --deals 10 --truth 40 --seed 5 --game coda");
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| calibration(&args))
    };
    let one = run(1);
    let report = serde_json::to_value(&one).unwrap();
    assert_eq!(report, serde_json::to_value(run(3)).unwrap());
    assert_eq!(
        (
            report["tournaments"].as_u64(),
            report["games"].as_array().unwrap().len()
        ),
        (Some(3), 3)
    );
    let coda = &report["games"][1];
    let kinds: Vec<&str> = coda["coverage"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["points", "score", "lead", "rating", "first_seat"]);
    // Two pools, three positions.
    assert_eq!(
        (
            coda["sequential"].as_array().unwrap().len(),
            coda["peeking"].as_array().unwrap().len()
        ),
        (6, 2)
    );
    let text = report::text(&one);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn each_field_is_measured_in_each_format_that_seats_it() {
    let report =
        serde_json::to_value(calibration(&args("--formats --tournaments 2 --truth 10"))).unwrap();
    assert_eq!(
        report["formats"].as_array().unwrap().len(),
        7 * 13 + 6,
        "thirteen plans at two seats, six at three"
    );
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_they_say() {
    let args =
        args("--tournaments 200 --tests 60 --deals 20 --truth 300 --game crack-the-code --seed 11");
    let report: Value = serde_json::to_value(calibration(&args)).unwrap();
    let game = &report["games"][0];
    for one in game["coverage"].as_array().unwrap() {
        // In 200 tournaments, 10 misses instead of the nominal 5 have a probability of 1/30, and there are several dozen counts.
        assert!(one["tail"].as_f64().unwrap() < 0.07, "{one}");
    }
    for one in game["alarms"].as_array().unwrap() {
        assert!(one["ahead"].as_f64().unwrap() < 0.09, "{one}");
    }
    for tested in game["sequential"].as_array().unwrap() {
        let accepted = tested["accepted"].as_f64().unwrap();
        let right = match tested["place"].as_f64().unwrap() {
            0.0 => accepted < 0.15,
            1.0 => accepted > 0.85,
            _ => (0.25..0.75).contains(&accepted),
        };
        assert!(
            right && tested["covers"].as_f64().unwrap() > 0.85,
            "{tested}"
        );
    }
    for peeked in game["peeking"].as_array().unwrap() {
        assert!(
            peeked["betting"].as_f64().unwrap() < 0.13
                && peeked["student"].as_f64().unwrap() > 0.15,
            "{peeked}"
        );
    }
}
