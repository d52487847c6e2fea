//! Exports of the real binary. Tables agree with each other, with the standings, and with the data that pandas, Polars and DuckDB read.

#[cfg(feature = "all")]
mod readers;

use std::collections::BTreeMap;

use arena_tests::Scratch;
use serde_json::{Value, json};

/// Names that commonly break other software.
const HARMFUL_NAMES: [&str; 16] = [
    "<img src=x onerror=alert(1)>",
    "=cmd|' !A0",
    "+1",
    "-2",
    "@SUM(A1)",
    "'=quoted",
    "a,b;c",
    "say \"hi\"",
    "|pipe|\\",
    "007",
    "NA",
    "true",
    "2024-01-01",
    "turned \u{202e}around\u{200b}",
    "名前🦀ñ\u{301}名前🦀ñ\u{301}名前🦀ñ\u{301}名前🦀ñ\u{301}名前🦀ñ\u{301}名前🦀ñ\u{301}",
    "\u{feff}=1+1",
];

const TABLES: [&str; 4] = ["matches", "seats", "moves", "decisions"];

/// Adds a bot to a tournament file. A flag could not tell a name that contains `=` from the command.
fn add(scratch: &Scratch, dir: &str, name: &str, bot: &str) {
    let file = format!("{dir}.toml");
    let before = std::fs::read_to_string(scratch.path().join(&file)).unwrap_or_default();
    scratch.write(
        &file,
        &format!(
            "{before}[[bots]]\nname = {}\nbuiltin = \"{bot}\"\n",
            json!(name)
        ),
    );
}

/// Plays the tournament in a file; the words are flags of `arena run`.
fn run(scratch: &Scratch, dir: &str, words: &str) {
    let output = scratch.arena(&format!(
        "run {dir}.toml -q --deals 1 --seed 5 {words} --out {dir}"
    ));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Plays a short tournament of Coda between bots with these names.
fn play(scratch: &Scratch, dir: &str, names: &[&str], words: &str) {
    for (name, bot) in names
        .iter()
        .zip(["random", "excluding"].into_iter().cycle())
    {
        add(scratch, dir, name, bot);
    }
    run(scratch, dir, &format!("--rule rounds=1 {words}"));
}

/// Returns a table as JSON objects.
fn objects(scratch: &Scratch, dir: &str, table: &str, more: &str) -> Vec<Value> {
    let text = scratch.printed(&format!("export {dir} --table {table} {more}"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Parses CSV into rows of cells, by RFC 4180.
fn cells(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quoted) {
            ('"', true) if chars.peek() == Some(&'"') => cell.extend(chars.next()),
            ('"', _) => quoted = !quoted,
            (',', false) => row.push(std::mem::take(&mut cell)),
            ('\n', false) => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            (c, _) => cell.push(c),
        }
    }
    assert!(row.is_empty() && cell.is_empty() && !quoted);
    rows
}

/// Parses CSV into rows of text by column. Empty cells are null, and the apostrophe before guarded text is removed.
fn read(text: &str) -> Vec<BTreeMap<String, Option<String>>> {
    let mut rows = cells(text).into_iter();
    let header = rows.next().unwrap();
    let plain = |cell: String| {
        let text = cell.strip_prefix('\'').unwrap_or(&cell).to_owned();
        (!cell.is_empty()).then_some(text)
    };
    rows.map(|row| {
        assert_eq!(row.len(), header.len());
        header
            .iter()
            .cloned()
            .zip(row.into_iter().map(plain))
            .collect()
    })
    .collect()
}

/// Converts JSON objects into rows of text by column.
fn as_table(rows: &[Value]) -> Vec<BTreeMap<String, Option<String>>> {
    let text = |cell: &Value| match cell {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        cell => Some(cell.to_string()),
    };
    let row = |row: &Value| {
        row.as_object()
            .unwrap()
            .iter()
            .map(|(name, cell)| (name.clone(), text(cell)))
            .collect()
    };
    rows.iter().map(row).collect()
}

#[test]
fn csv_and_json_agree_with_each_other_and_with_the_standings() {
    let scratch = Scratch::new();
    play(&scratch, "t", &HARMFUL_NAMES, "");
    for table in TABLES {
        let csv = scratch.printed(&format!("export t --table {table} --as csv --times"));
        let rows = objects(&scratch, "t", table, "--times");
        assert_eq!(read(&csv), as_table(&rows), "{table}");
        for row in cells(&csv) {
            let formula = |cell: &String| {
                cell.trim_start_matches('\u{feff}')
                    .starts_with(['=', '+', '-', '@'])
            };
            assert!(
                !row.iter()
                    .any(|cell| formula(cell) && cell.parse::<i64>().is_err()),
                "{row:?}"
            );
        }
    }
    let seats = objects(&scratch, "t", "seats", "");
    let standings = scratch.standings("t");
    for standing in standings["standings"].as_array().unwrap() {
        let mine: Vec<&Value> = seats
            .iter()
            .filter(|row| row["bot"] == standing["bot"])
            .collect();
        let sum = |key: &str| {
            mine.iter()
                .map(|row| row[key].as_i64().unwrap())
                .sum::<i64>()
        };
        assert_eq!(json!(mine.len()), standing["matches"]);
        assert_eq!(json!(sum("points")), standing["points"]);
        for (source, count) in standing["breakdown"].as_object().unwrap() {
            assert_eq!(&json!(sum(source)), count);
        }
        for (result, total) in [("win", "wins"), ("draw", "draws"), ("loss", "losses")] {
            assert_eq!(
                json!(mine.iter().filter(|row| row["result"] == result).count()),
                standing[total]
            );
        }
    }
    let shown = read(&scratch.printed("show t --csv"));
    let names = |row: &BTreeMap<String, Option<String>>| row["bot"].clone();
    let expected: Vec<Option<String>> = standings["standings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["bot"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(shown.iter().map(names).collect::<Vec<_>>(), expected);
}

#[test]
fn tables_agree_with_whole_matches() {
    let scratch = Scratch::new();
    for (game, seats) in [
        ("coda", 3),
        ("code-777", 3),
        ("crack-the-code", 2),
        ("digit-code", 3),
    ] {
        // Only these three bots play every game.
        for name in ["a", "b", "c"] {
            add(&scratch, game, name, "random");
        }
        run(&scratch, game, &format!("--game {game} --seats {seats}"));
        let whole = scratch.export(game);
        let [matches, rows, moves, decisions] =
            TABLES.map(|table| objects(&scratch, game, table, ""));
        assert_eq!(matches.len(), whole.len());
        decided(&moves, &decisions, &whole);
        let (mut rows, mut moves) = (rows.iter(), moves.iter());
        for (whole, row) in whole.iter().zip(&matches) {
            assert_eq!(
                [&row["id"], &row["game"], &row["deal"]],
                [&whole["id"], &whole["game"], &whole["deal"]]
            );
            assert_eq!(
                [&row["deal_seed"], &row["ended"]],
                [&whole["seed"], &whole["outcome"]["ended"]]
            );
            let turns = row["turns"].as_u64().unwrap();
            let mut replies = vec![0_u64; seats];
            for turn in 0..turns {
                let reply = moves.next().unwrap();
                assert_eq!([&reply["id"], &reply["turn"]], [&whole["id"], &json!(turn)]);
                let seat = reply["seat"].as_u64().unwrap() as usize;
                assert_eq!(reply["bot"], whole["seats"][seat]);
                replies[seat] += 1;
            }
            for (seat, replies) in replies.into_iter().enumerate() {
                let (row, score) = (rows.next().unwrap(), &whole["outcome"]["seats"][seat]);
                assert_eq!([&row["id"], &row["seat"]], [&whole["id"], &json!(seat)]);
                assert_eq!(
                    [&row["place"], &row["points"]],
                    [&score["place"], &score["points"]]
                );
                assert_eq!(row["moves"], replies);
                assert!(
                    score["breakdown"]
                        .as_object()
                        .unwrap()
                        .iter()
                        .all(|(source, count)| row[source] == *count)
                );
            }
        }
        assert!(rows.next().is_none() && moves.next().is_none());
    }
}

/// Compares decisions with moves, and the results of attacks with the events of complete matches.
fn decided(moves: &[Value], decisions: &[Value], whole: &[Value]) {
    assert_eq!(moves.len(), decisions.len());
    for (reply, decision) in moves.iter().zip(decisions) {
        assert!(
            reply
                .as_object()
                .unwrap()
                .iter()
                .all(|(key, cell)| decision[key] == *cell),
            "{decision}"
        );
        let number = |key: &str| decision[key].as_f64();
        assert!(
            number("chance").unwrap_or(0.0) <= number("best").unwrap_or(0.0) + 1e-12,
            "{decision}"
        );
        assert!(
            number("gained").is_some() == number("expected").is_some(),
            "{decision}"
        );
        assert!(
            decision["right"] != true || number("chance").is_none_or(|chance| chance > 0.0),
            "{decision}"
        );
    }
    assert!(
        decisions
            .iter()
            .any(|decision| decision["gained"].is_number())
    );
    let attacks = decisions
        .iter()
        .filter(|decision| decision["kind"] == "attack");
    let happened = whole
        .iter()
        .flat_map(|whole| whole["events"].as_array().unwrap());
    let happened = happened
        .filter_map(|event| event.get("attacked"))
        .map(|event| (&event["target"], &event["hit"]));
    assert!(
        attacks
            .map(|attack| (&attack["target"], &attack["right"]))
            .eq(happened)
    );
}

#[test]
fn every_run_gives_the_same_bytes() {
    let scratch = Scratch::new();
    let all = |dir: &str, jobs: u32| {
        play(
            &scratch,
            dir,
            &HARMFUL_NAMES[..5],
            &format!("--jobs {jobs} --oversubscribe"),
        );
        let name = |path: &str| scratch.path().join(path);
        let printed = [
            format!("export {dir}"),
            format!("analyse {dir} --profile --json"),
        ];
        let mut bytes: Vec<_> = printed
            .iter()
            .map(|words| scratch.printed(words).into_bytes())
            .collect();
        for table in TABLES {
            for ending in ["csv", "jsonl", "csv.zst", "jsonl.zst", "parquet"] {
                if ending == "parquet" && cfg!(not(feature = "all")) {
                    continue;
                }
                scratch.printed(&format!(
                    "export {dir} --table {table} --out {dir}-{table}.{ending}"
                ));
                bytes.push(std::fs::read(name(&format!("{dir}-{table}.{ending}"))).unwrap());
            }
        }
        bytes
    };
    scratch.write("one.toml", "name = 'cup'\n");
    scratch.write("two.toml", "name = 'cup'\n");
    assert_eq!(all("one", 1), all("two", 7));
}

#[test]
fn files_hold_what_is_printed() {
    let scratch = Scratch::new();
    play(&scratch, "t", &HARMFUL_NAMES[..3], "");
    let file = |name: &str| std::fs::read(scratch.path().join(name)).unwrap();
    for (words, name) in [
        ("", "a.jsonl"),
        ("--as csv", "a.csv"),
        ("--table moves --zstd", "moves"),
    ] {
        let printed = scratch.arena(&format!("export t {words}")).stdout;
        assert_eq!(
            scratch.printed(&format!("export t {words} --out {name}")),
            ""
        );
        assert_eq!(file(name), printed, "{words}");
    }
    scratch.printed("export t --table seats --out b.csv");
    assert_eq!(file("b.csv"), file("a.csv"));
    scratch.refused("export t --table seats --notes");
    let ledger = file("t/ledger.sqlite");
    scratch.refused("export t --out t/ledger.sqlite");
    assert_eq!(file("t/ledger.sqlite"), ledger);
    for (words, fix) in [
        (
            "--table seats --out a.parquet.zst",
            if cfg!(feature = "all") {
                "leave out --zstd and .zst"
            } else {
                "without Parquet"
            },
        ),
        (
            "--out a.json",
            ".jsonl, .csv, .jsonl.zst, .csv.zst or .parquet, or give --as",
        ),
        ("--out a.txt.zst", "no export as .txt"),
    ] {
        let why = scratch.refused(&format!("export t {words}"));
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(why.contains(fix), "{words}: {why}");
    }
    scratch.printed("export t --as csv --out a.txt");
    let failed = scratch.arena("export t --out nowhere/a.csv");
    assert_eq!(failed.status.code(), Some(1));
    assert!(
        String::from_utf8(failed.stderr)
            .unwrap()
            .contains("cannot write nowhere/a.csv")
    );
}
