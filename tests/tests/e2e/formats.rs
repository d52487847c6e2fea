//! End-to-end tests of every format: the planned matches are played despite interruptions, and shown by the format's own rules.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;

use arena_tests::Scratch;
use serde_json::Value;

const BOTS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// Plays a tournament of seven bots, of which the first is by far the strongest.
fn run(scratch: &Scratch, words: &str, out: &str) -> Vec<Value> {
    let mut command = scratch.command(&format!("run -q --seed 1 {words} --out {out}"));
    for bot in BOTS {
        let plays = if bot == "a" { "exact" } else { "random" };
        command.args(["--bot".to_owned(), format!("{bot}=builtin:{plays}")]);
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{words}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let export = scratch.export(out);
    assert_eq!(scratch.standings(out)["complete"], true, "{words}");
    assert_eq!(plan(scratch, out), export.len() as u64, "{words}");
    scratch.printed(&format!("verify {out}"));
    export
}

/// Returns the number of planned matches in a tournament's folder.
fn plan(scratch: &Scratch, dir: &str) -> u64 {
    let plan: Value =
        serde_json::from_str(&scratch.printed(&format!("plan {dir} --seconds 0 --json"))).unwrap();
    plan["matches"].as_u64().unwrap()
}

/// Returns the bots of each table, by deal.
fn tables(export: &[Value]) -> BTreeMap<u64, BTreeSet<Vec<String>>> {
    let mut tables = BTreeMap::<_, BTreeSet<Vec<String>>>::new();
    for one in export {
        let mut bots: Vec<String> = serde_json::from_value(one["seats"].clone()).unwrap();
        bots.sort();
        tables
            .entry(one["deal"].as_u64().unwrap())
            .or_default()
            .insert(bots);
    }
    tables
}

#[test]
fn a_gauntlet_leads_through_the_field() {
    let scratch = Scratch::new();
    let export = run(
        &scratch,
        "--deals 3 --format gauntlet --challenger a --challenger c",
        "t",
    );
    for tables in tables(&export).values() {
        assert_eq!(tables.len(), 2 * 5);
        assert!(tables.iter().all(|bots| {
            bots.iter()
                .filter(|bot| ["a", "c"].contains(&bot.as_str()))
                .count()
                == 1
        }));
    }
}

#[test]
fn balanced_tables_seat_all_equally_often() {
    let scratch = Scratch::new();
    let export = run(
        &scratch,
        "--seats 4 --deals 14 --format balanced --tables 2",
        "t",
    );
    assert_eq!(export.len(), 14 * 2 * 4);
    let mut sat = BTreeMap::new();
    for one in &export {
        for bot in one["seats"].as_array().unwrap() {
            *sat.entry(bot.as_str().unwrap()).or_insert(0) += 1;
        }
    }
    assert!(
        sat.values().all(|count| *count == 14 * 2 * 4 * 4 / 7),
        "{sat:?}"
    );
}

#[test]
fn a_swiss_tournament_pairs_all_but_one_and_nobody_twice() {
    let scratch = Scratch::new();
    let export = run(&scratch, "--deals 4 --format swiss --rounds 5", "t");
    let mut met = BTreeSet::new();
    for (deal, tables) in tables(&export) {
        assert_eq!(tables.len(), 3);
        assert_eq!(tables.iter().flatten().collect::<BTreeSet<_>>().len(), 6);
        if deal % 4 == 1 {
            assert!(
                tables.iter().all(|pair| met.insert(pair.clone())),
                "a pair met twice"
            );
        }
    }
    let shown = scratch.printed("show t --full");
    assert!(
        shown.contains("swiss, 5 of 5 rounds finished") && shown.contains("Buchholz"),
        "{shown}"
    );
    assert!(
        shown.lines().any(|line| line.starts_with("1  a ")),
        "{shown}"
    );
}

#[test]
fn an_evening_is_played_round_by_round() {
    let scratch = Scratch::new();
    let bots = "--bot exact --bot random --bot excluding --bot bayesian --bot concealing";
    for (format, rounds) in [("swiss", 4), ("knockout", 3), ("ladder --rounds 2", 2)] {
        let dir = &format[..2];
        let flags = format!(
            "run -q --one-round --format {format} --deals 1 --rule rounds=1 --seed 8 {bots} --out {dir}"
        );
        for round in 2..=rounds {
            let said = scratch.printed(&flags);
            let next = format!("\nround {round} of {rounds}\n  ");
            assert!(said.contains(&next), "{format}: {said}");
            let csv = scratch.printed(&format!("show {dir} --rounds --csv"));
            let of_next = csv
                .lines()
                .filter(|line| line.starts_with(&format!("{round},")));
            assert_eq!(
                of_next.count(),
                said.lines().filter(|line| line.starts_with("  ")).count()
            );
        }
        let said = scratch.printed(&format!("run -q {dir} --one-round"));
        assert!(!said.contains("\nround "), "{said}");
        assert_eq!(scratch.standings(dir)["complete"], true);
        // Without interruption the matches are the same.
        scratch.printed(
            &flags
                .replace("--one-round", "")
                .replace(&format!("--out {dir}"), "--out whole"),
        );
        assert_eq!(
            scratch.printed(&format!("export {dir}")),
            scratch.printed("export whole")
        );
        std::fs::remove_dir_all(scratch.path().join("whole")).unwrap();
        scratch.printed(&format!("report {dir} --pairings"));
        let page = std::fs::read_to_string(scratch.path().join(dir).join("pairings.html")).unwrap();
        assert_eq!(page.matches("<section class=\"sheet\">").count(), rounds);
    }
    let why = scratch.refused(&format!("run --one-round {bots}"));
    assert!(why.contains("round-robin has no rounds"), "{why}");
}

#[test]
fn a_knockout_leaves_the_strongest() {
    let scratch = Scratch::new();
    let export = run(&scratch, "--deals 12 --format knockout", "t");
    assert_eq!(export.len(), 6 * 12 * 2);
    let shown = scratch.printed("show t --full");
    assert!(
        shown.contains("winner: a\n") && shown.lines().any(|line| line.starts_with("a ─")),
        "{shown}"
    );
    let rounds = scratch.printed("show t --rounds");
    let bye = ["1", "a", "–", "–", "bye", "–", "–"];
    let mut lines = rounds.lines();
    assert!(
        lines.any(|line| line.split_whitespace().eq(bye)),
        "{rounds}"
    );
}

/// Adds a bot to the tournament file in the folder.
fn add(scratch: &Scratch, dir: &str, name: &str) {
    let path = format!("{dir}/tournament.toml");
    let file = std::fs::read_to_string(scratch.path().join(&path)).unwrap();
    let bot = format!("\n[[bots]]\nname = '{name}'\nbuiltin = 'exact'\n");
    scratch.write(&path, &(file + &bot));
}

#[test]
fn a_ladder_goes_on_with_bots_that_come() {
    let scratch = Scratch::new();
    run(
        &scratch,
        "--deals 2 --format ladder --rounds 6 --pairs-per-round 3",
        "t",
    );
    scratch.printed("extend t --rounds 9");
    add(&scratch, "t", "new");
    let said = scratch.arena("update t --yes -q");
    assert!(said.status.success(), "{said:?}");
    let export = scratch.export("t");
    assert_eq!(export.len(), 9 * 3 * 2 * 2);
    let of_new = export
        .iter()
        .filter(|one| one["seats"].as_array().unwrap().contains(&"new".into()));
    let deals: BTreeSet<u64> = of_new.map(|one| one["deal"].as_u64().unwrap()).collect();
    assert!(
        !deals.is_empty() && deals.iter().all(|deal| *deal > 12),
        "{deals:?}"
    );
    scratch.printed("verify t");
    let shown = scratch.printed("show t --full");
    assert!(
        shown.contains("#: by who is ahead of whom, then by Elo"),
        "{shown}"
    );
}

#[test]
fn rounds_that_are_drawn_from_results_are_the_same_however_they_were_reached() {
    let scratch = Scratch::new();
    for (number, words) in [
        "--rule rounds=1 --format swiss",
        "--rule rounds=1 --format knockout",
        "--rule rounds=1 --format ladder --rounds 8",
    ]
    .into_iter()
    .enumerate()
    {
        let whole = format!("whole{number}");
        run(&scratch, &format!("--deals 5 --jobs 1 {words}"), &whole);
        let torn = format!("torn{number}");
        let mut interrupted = scratch.command(&format!(
            "run -q --seed 1 --deals 5 --oversubscribe --jobs 4 {words} --out {torn}"
        ));
        for bot in BOTS {
            let plays = if bot == "a" { "exact" } else { "random" };
            interrupted.args(["--bot".to_owned(), format!("{bot}=builtin:{plays}")]);
        }
        if cfg!(debug_assertions) {
            for point in ["after-append:1", "after-append:2", "before-append:2"] {
                // The process may have ended before this point.
                let _ = interrupted
                    .env("ARENA_CRASH", point)
                    .stderr(Stdio::null())
                    .stdout(Stdio::null())
                    .status()
                    .unwrap();
            }
        }
        assert!(
            interrupted
                .env_remove("ARENA_CRASH")
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(
            scratch.printed(&format!("export {torn}")),
            scratch.printed(&format!("export {whole}")),
            "{words}"
        );
    }
}
