//! Selects the referee for a game, and checks whole tournaments.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Scratch, coda, code_777, crack_the_code, digit_code};

/// Checks an exported match with its game's referee, and returns the points of each seat.
pub fn points(exported: &Value) -> Vec<i64> {
    let referee = match exported["game"].as_str().unwrap() {
        "coda" => coda::check,
        "code-777" => code_777::check,
        "crack-the-code" => crack_the_code::check,
        "digit-code" => digit_code::check,
        other => panic!("nobody knows the rules of {other}"),
    };
    referee(exported)
}

/// Checks every match of a tournament with the referee, and the standings against the sum of the matches. Returns the matches.
pub fn check(scratch: &Scratch, dir: &str) -> Vec<Value> {
    let mut total: BTreeMap<String, i64> = BTreeMap::new();
    let matches = scratch.export(dir);
    for exported in &matches {
        let seats = exported["seats"].as_array().unwrap();
        // A referee panics if it finds a mistake, so print which match it checks.
        eprintln!("{dir}, {}", exported["id"]);
        for (bot, points) in seats.iter().zip(points(exported)) {
            *total.entry(bot.as_str().unwrap().to_owned()).or_default() += points;
        }
    }
    for row in scratch.standings(dir)["standings"].as_array().unwrap() {
        assert_eq!(
            row["points"],
            total[row["bot"].as_str().unwrap()],
            "{}",
            row["bot"]
        );
        let [matches, wins, draws, losses] =
            ["matches", "wins", "draws", "losses"].map(|key| row[key].as_u64().unwrap());
        assert_eq!(matches, wins + draws + losses);
    }
    matches
}
