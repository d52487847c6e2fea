//! Profiles of the real binary agree with the table of decisions, for every game.

use arena_tests::Scratch;
use serde_json::{Value, json};

const FAILS: &str = r#"
[[bots]]
name = "a"
builtin = "exact"
[[bots]]
name = "b"
command = "python3 failing.py"
"#;

/// A bot that exits in its third match after a few moves.
const FAILING: &str = r#"
import json, sys
turns, ended = 0, 0
for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print('{"ready":{}}', flush=True)
    if kind == "end":
        ended += 1
    if kind == "turn":
        turns += 1
        if ended == 2 and turns > 40:
            sys.exit(1)
        (name, values), = body["prompt"][0].items()
        first = lambda legal: [first(part) for part in legal] if isinstance(legal[0], list) else legal[0]
        action = {name: {key: first(value) for key, value in values.items()}}
        print(json.dumps({"id": body["id"], "action": action}), flush=True)
"#;

fn rows(scratch: &Scratch, table: &str) -> Vec<Value> {
    let text = scratch.printed(&format!("export t --table {table}"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn near(found: &Value, expected: f64, what: &str) {
    assert!(
        found
            .as_f64()
            .is_some_and(|found| (found - expected).abs() < 1e-9),
        "{what}: {found}, not {expected}"
    );
}

/// Compares a reading with the rows of guesses from which it is computed.
fn compare(reading: &Value, guesses: &[&Value]) {
    let chance: f64 = guesses
        .iter()
        .map(|row| row["chance"].as_f64().unwrap())
        .sum();
    let right = guesses.iter().filter(|row| row["right"] == true).count();
    assert_eq!(
        [&reading["guesses"], &reading["right"]],
        [guesses.len(), right],
        "{reading}"
    );
    near(&reading["chances"], chance, "chances");
    if guesses.is_empty() {
        assert!(
            reading["mean"].is_null() && reading["interval"].is_null(),
            "{reading}"
        );
    } else {
        near(
            &reading["mean"],
            (right as f64 - chance) / guesses.len() as f64,
            "mean",
        );
    }
    if let Some([low, high]) = reading["interval"].as_array().map(Vec::as_slice) {
        let mean = reading["mean"].as_f64().unwrap();
        assert!(
            low.as_f64().unwrap() <= mean && mean <= high.as_f64().unwrap(),
            "{reading}"
        );
    }
}

/// Plays a tournament, and compares its profiles with its decisions.
fn check(flags: &str, seats: usize) {
    let scratch = Scratch::new();
    scratch.write("failing.py", FAILING);
    scratch.write("fails.toml", FAILS);
    scratch.printed(&format!("run -q --out t --seed 5 --seats {seats} {flags}"));
    let (decisions, matches) = (rows(&scratch, "decisions"), rows(&scratch, "matches"));
    let forfeited: Vec<&Value> = matches
        .iter()
        .filter(|row| row["ended"] == "forfeit")
        .map(|row| &row["id"])
        .collect();
    let profiles: Value =
        serde_json::from_str(&scratch.printed("analyse t --profile --json")).unwrap();
    assert_eq!(profiles["forfeited"], forfeited.len());
    assert_eq!(profiles["matches"], matches.len() - forfeited.len());
    let played: Vec<&Value> = decisions
        .iter()
        .filter(|row| !forfeited.contains(&&row["id"]))
        .collect();
    let about = |row: &Value| {
        let bots = row["id"]
            .as_str()
            .unwrap()
            .split('/')
            .skip(1)
            .collect::<Vec<_>>();
        let other = (bots.len() == 2).then(|| 1 - row["seat"].as_u64().unwrap());
        row["target"]
            .as_u64()
            .or(other)
            .map(|seat| bots[seat as usize].to_owned())
    };
    let mut guessed = 0;
    for profile in profiles["bots"].as_array().unwrap() {
        let mine: Vec<&Value> = played
            .iter()
            .filter(|row| row["bot"] == profile["bot"])
            .copied()
            .collect();
        let is_guess = |row: &&Value| row["chance"].is_number() && row["right"].is_boolean();
        let guesses: Vec<&Value> = mine.iter().filter(|row| is_guess(row)).copied().collect();
        compare(&profile["reads"], &guesses);
        let is_at_it = |row: &&Value| about(row).is_some_and(|bot| profile["bot"] == bot);
        let at_it: Vec<&Value> = played
            .iter()
            .filter(|row| is_guess(row) && is_at_it(row))
            .copied()
            .collect();
        compare(&profile["is_read"], &at_it);
        for (other, reading) in profile["against"].as_object().unwrap() {
            let is_at = |row: &&Value| about(row).is_some_and(|bot| bot == *other);
            compare(
                reading,
                &guesses
                    .iter()
                    .filter(|row| is_at(row))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        // Sums of probabilities are rounded.
        let least = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 2.0].map(|least| least - 1e-9);
        for (part, bounds) in profile["calibration"]
            .as_array()
            .unwrap()
            .iter()
            .zip(least.windows(2))
        {
            let is_in =
                |row: &&Value| (bounds[0]..bounds[1]).contains(&row["chance"].as_f64().unwrap());
            compare(
                part,
                &guesses
                    .iter()
                    .filter(|row| is_in(row))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        let answers: Vec<&&Value> = mine
            .iter()
            .filter(|row| row["gained"].is_number())
            .collect();
        assert_eq!(profile["answers"], answers.len());
        for bits in ["gained", "expected"] {
            near(
                &profile[bits],
                answers.iter().map(|row| row[bits].as_f64().unwrap()).sum(),
                bits,
            );
        }
        guessed += guesses.len();
    }
    assert!(guessed > 0);
    let text = scratch.printed("analyse t --profile");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert!(
        text.contains(&format!("{} forfeited match", forfeited.len())),
        "{text}"
    );
    let late = played
        .iter()
        .filter(|row| row["kind"] == json!(null))
        .count();
    assert!(
        text.replace('\n', " ")
            .contains(&format!("{late} late move")),
        "{text}"
    );
}

#[test]
fn profiles_are_those_of_the_decisions() {
    check(
        "--deals 12 --rule rounds=1 --bot a=builtin:exact --bot b=builtin:inferring --bot c=builtin:random",
        3,
    );
    check(
        "--game code-777 --deals 3 --bot a=builtin:guessing --bot b=builtin:adaptive --bot c=builtin:inference",
        3,
    );
    check(
        "--game crack-the-code --deals 12 --bot a=builtin:entropy --bot b=builtin:racer",
        2,
    );
    check(
        "--game digit-code --deals 3 --bot a=builtin:entropy --bot b=builtin:consistent",
        2,
    );
}

#[cfg(feature = "all")]
#[test]
fn forfeited_matches_are_left_out_of_profiles() {
    check("fails.toml --deals 3 --rule rounds=1", 2);
}
