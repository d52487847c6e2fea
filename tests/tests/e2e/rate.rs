//! `arena rate` pools tournaments and files of other programs, and changes nothing.

use std::collections::BTreeMap;
use std::path::Path;

use arena_tests::Scratch;
use serde_json::Value;

const BOTS: &str = "--bot exact=builtin:exact --bot excluding=builtin:excluding";

/// Returns the content of all files below a folder.
fn files(folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.insert(path.display().to_string(), std::fs::read(&path).unwrap());
        }
    }
}

fn json(scratch: &Scratch, words: &str) -> Value {
    serde_json::from_str(&scratch.printed(&format!("{words} --json"))).unwrap()
}

#[test]
fn folders_pgn_and_csv_are_one_rating() {
    let scratch = Scratch::new();
    for (dir, more) in [
        ("season/1", "--seed 1 --deals 12"),
        ("season/2", "--seed 2 --deals 12"),
    ] {
        scratch.printed(&format!(
            "run -q --rule rounds=1 {more} {BOTS} --bot random=builtin:random --out {dir}"
        ));
    }
    scratch.write(
        "club.csv",
        "a;b;result;date\nexact;visitor;0,5;2026-11-22\nvisitor;exact;1;2026-11-23\n",
    );
    scratch.write(
        "engines.pgn",
        "[White \"visitor\"]\n[Black \"guest\"]\n[Result \"1-0\"]\n[Round \"1\"]\n\n1-0\n\n\
         [White \"guest\"]\n[Black \"visitor\"]\n[Result \"1-0\"]\n[Round \"1\"]\n\n1-0\n",
    );
    // A single tournament gets the same ratings as in its standings.
    let shown = json(&scratch, "show season/1");
    let mut before = BTreeMap::new();
    files(scratch.path(), &mut before);
    let one = json(&scratch, "rate season/1");
    assert_eq!(one["matches"], 72);
    for rating in shown["ratings"]["bots"].as_array().unwrap() {
        let rows = one["bots"].as_array().unwrap();
        let row = rows.iter().find(|row| row["bot"] == rating["bot"]).unwrap();
        assert_eq!(
            [&row["elo"], &row["interval"]],
            [&rating["elo"], &rating["interval"]]
        );
    }
    // Rate all tournaments together. A folder that is given twice counts once.
    let all = json(
        &scratch,
        "rate season season/1 club.csv engines.pgn --by name",
    );
    let counts = ["matches", "deals", "repeated", "groups"].map(|key| all[key].as_u64().unwrap());
    assert_eq!(counts, [148, 27, 72, 1]);
    assert_eq!(all["bots"].as_array().unwrap().len(), 5);
    // Tournaments with the same name are told apart by their folders.
    let names = json(&scratch, "rate season club.csv --points 3,2,1");
    assert_eq!(
        names["season"]["tournaments"],
        serde_json::json!(["club", "1", "2"])
    );
    let text = scratch.printed("rate season club.csv engines.pgn --by name --anchor exact");
    assert!(
        text.contains("4 sources: 148 matches on 27 deals"),
        "{text}"
    );
    assert!(text.contains("Elo above exact"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let mut after = BTreeMap::new();
    files(scratch.path(), &mut after);
    assert!(before == after, "{:?}", after.keys());
    let page = scratch.path().join("season/index.html");
    scratch.printed("rate season club.csv --html season/index.html --points 3,2,1");
    let page = std::fs::read_to_string(page).unwrap();
    for part in [
        "href=\"./1/report.html\"",
        "Points of the season",
        "chart-ratings",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn wrong_sources_are_named() {
    let scratch = Scratch::new();
    scratch.write("a.csv", "a,b,result\nx,y,3\n");
    std::fs::create_dir(scratch.path().join("empty")).unwrap();
    scratch.write("empty/readme.txt", "");
    for (words, why) in [
        ("rate a.csv", "a.csv:2:5: a result is the score of bot a"),
        ("rate none", "none does not exist"),
        ("rate empty", "no tournament has begun in empty"),
        ("rate a.csv --since yesterday", "write a date as 2026-11-22"),
        ("rate a.csv --points 3,x", "points are numbers from 0"),
    ] {
        let found = scratch.refused(words);
        assert!(found.contains(why), "{words}: {found}");
    }
}
