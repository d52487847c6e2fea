//! Exports as read by pandas, Polars and DuckDB, compared with the data that Python bots saw.

use arena_tests::process::Command;

use super::*;

/// An expression for notes that commonly break other software, one per turn.
const NOISY: &str = "NOTES[turns % len(NOTES)]";

/// An expression for the view and the prompt of the bot.
const SEEING: &str = r#"json.dumps([body["view"], body["prompt"]], separators=(",", ":"))"#;

/// Returns a random bot that notes the value of this expression on each turn.
fn noting(note: &str) -> String {
    let script = r#"
import json, random, sys
NOTES = ["=1+1", "'", "a,b", "\"", "two\nlines", "\r", "\t=x", "\u0000", "\u001b[31m", "NA", "", "null", "\u202e", "<b>"]
turns = 0
for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print('{"ready":{}}', flush=True)
    if kind == "turn":
        (name, values), = random.choice(body["prompt"]).items()
        choose = lambda legal: [choose(part) for part in legal] if isinstance(legal[0], list) else random.choice(legal)
        action = {name: {key: choose(value) for key, value in values.items()}}
        print(json.dumps({"id": body["id"], "action": action, "note": NOTE}), flush=True)
        turns += 1
"#;
    script.replace("NOTE}", &format!("{note}}}"))
}

/// Script that reads Parquet and prints its rows as JSON, with each column's type in DuckDB.
const READ_PARQUET: &str = r#"
import json, sys
import duckdb, pandas, polars
def read(reader, file):
    if reader == "pandas":
        table = pandas.read_parquet(file, dtype_backend="pyarrow")
        return table.astype(object).where(table.notna(), None).to_dict("records")
    if reader == "polars":
        return polars.read_parquet(file).to_dicts()
    answer = duckdb.execute("select * from read_parquet(?)", [file])
    names = [column[0] for column in answer.description]
    return [dict(zip(names, row)) for row in answer.fetchall()]
for file in sys.argv[1:]:
    types = dict(row[:2] for row in duckdb.execute("describe select * from read_parquet(?)", [file]).fetchall())
    for reader in ["pandas", "polars", "duckdb"]:
        print(json.dumps([types, read(reader, file)]))
"#;

/// Script that reads a table as described in the documentation of exports, and prints it as JSON lists.
const READ: &str = r#"
import json, sys
import duckdb, pandas
def read(reader, file, csv):
    if reader == "duckdb":
        how = "read_csv(?, header=true, delim=',', quote='\"', escape='\"', all_varchar=true)" if csv else "read_json(?)"
        answer = duckdb.execute(f"select * from {how}", [file])
        names = [column[0] for column in answer.description]
        return [dict(zip(names, row)) for row in answer.fetchall()]
    if csv:
        table = pandas.read_csv(file, dtype=str, keep_default_na=False, na_values=[""], encoding="utf-8")
    else:
        table = pandas.read_json(file, lines=True, dtype=False, precise_float=True)
    return table.astype(object).where(table.notna(), None).to_dict("records")
def table(cell, csv):
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell == int(cell):
        return str(int(cell))
    text = None if cell is None else str(cell)
    return text[1:] if text and csv and text[0] == "'" else text
for file in sys.argv[1:]:
    csv = ".csv" in file
    for reader in ["pandas", "duckdb"]:
        rows = read(reader, file, csv)
        print(json.dumps([{name: table(cell, csv) for name, cell in row.items()} for row in rows]))
"#;

#[test]
fn moves_have_the_views_and_prompts_that_were_sent() {
    let scratch = Scratch::new();
    scratch.write("seeing.py", &noting(SEEING));
    for game in ["coda", "crack-the-code"] {
        let bots = ["a", "b"]
            .map(|name| format!("[[bots]]\nname = \"{name}\"\ncommand = \"python3 seeing.py\"\n"));
        scratch.write(&format!("{game}.toml"), &bots.concat());
        run(&scratch, game, &format!("--game {game}"));
        let rows = objects(&scratch, game, "moves", "--views --notes");
        let json = |cell: &Value| serde_json::from_str::<Value>(cell.as_str().unwrap()).unwrap();
        for row in &rows {
            assert_eq!(
                json(&row["note"]),
                json!([json(&row["view"]), json(&row["prompt"])]),
                "{row}"
            );
        }
        assert!(rows.len() > 20);
        scratch.refused(&format!("export {game} --table seats --views"));
    }
}

#[test]
fn pandas_and_duckdb_read_every_table_in_every_form() {
    let scratch = Scratch::new();
    scratch.write("read.py", READ);
    scratch.write("noisy.py", &noting(NOISY));
    scratch.write(
        "t.toml",
        "[[bots]]\nname = \"noisy\"\ncommand = \"python3 noisy.py\"\n",
    );
    play(&scratch, "t", &HARMFUL_NAMES, "");
    let mut files = Vec::new();
    for table in TABLES {
        let notes = if table == "moves" { "--notes" } else { "" };
        let rows = objects(&scratch, "t", table, &format!("--times {notes}"));
        let expected = as_table(&rows);
        if table == "moves" {
            assert!(
                expected
                    .iter()
                    .any(|row| row["note"].as_deref() == Some("\0"))
            );
        }
        for ending in ["csv", "jsonl", "csv.zst", "jsonl.zst"] {
            let file = format!("{table}.{ending}");
            scratch.printed(&format!(
                "export t --table {table} --times {notes} --out {file}"
            ));
            files.push((file, expected.clone()));
        }
    }
    let names: Vec<&str> = files.iter().map(|(file, _)| file.as_str()).collect();
    let mut seen = read_by_python(&scratch, &names);
    for (file, expected) in &files {
        for reader in ["pandas", "duckdb"] {
            let seen =
                as_table(&serde_json::from_value::<Vec<Value>>(seen.next().unwrap()).unwrap());
            assert_eq!(seen.len(), expected.len(), "{reader} {file}");
            for (seen, expected) in seen.iter().zip(expected) {
                assert_eq!(seen, expected, "{reader} {file}");
            }
        }
    }
}

/// Runs `read.py` on these files, and returns one line per reader.
fn read_by_python(scratch: &Scratch, files: &[&str]) -> impl Iterator<Item = Value> + use<> {
    let output = Command::new("python3")
        .arg("read.py")
        .args(files)
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    lines.into_iter()
}

/// Checks that every reader finds the types and the missing values in Parquet without a schema.
#[test]
fn pandas_polars_and_duckdb_read_the_same_from_parquet() {
    let scratch = Scratch::new();
    scratch.write("read.py", READ_PARQUET);
    scratch.write("noisy.py", &noting(NOISY));
    scratch.write(
        "t.toml",
        "[[bots]]\nname = \"noisy\"\ncommand = \"python3 noisy.py\"\n",
    );
    play(&scratch, "t", &HARMFUL_NAMES[..5], "");
    for table in TABLES {
        let more = if table == "moves" {
            "--times --notes --views"
        } else {
            "--times"
        };
        // Convert numbers to the type of their column.
        let typed = |rows: Vec<Value>| -> Vec<BTreeMap<String, Value>> {
            let cell = |cell: &Value| {
                cell.as_f64()
                    .map_or_else(|| cell.clone(), |number| json!(number))
            };
            let row = |row: &Value| {
                row.as_object()
                    .unwrap()
                    .iter()
                    .map(|(key, of)| (key.clone(), cell(of)))
                    .collect()
            };
            rows.iter().map(row).collect()
        };
        let expected = typed(objects(&scratch, "t", table, more));
        scratch.printed(&format!(
            "export t --table {table} {more} --out {table}.parquet"
        ));
        let mut read = read_by_python(&scratch, &[&format!("{table}.parquet")]);
        for reader in ["pandas", "polars", "duckdb"] {
            let (types, seen): (Value, Vec<Value>) =
                serde_json::from_value(read.next().unwrap()).unwrap();
            assert!(typed(seen) == expected, "{reader} {table}");
            let kinds = [
                ("deal", "BIGINT"),
                ("bot", "VARCHAR"),
                ("best", "DOUBLE"),
                ("right", "BOOLEAN"),
                ("late", "BOOLEAN"),
            ];
            for (column, kind) in kinds {
                assert!(
                    types.get(column).is_none_or(|found| found == kind),
                    "{reader} {table}: {types}"
                );
            }
        }
    }
}
