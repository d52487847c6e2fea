//! What commands print with `--json` follows its schema, and the page about it is that of `arena schema --markdown`.

use std::collections::{BTreeMap, BTreeSet};

use arena_tests::schema::Schema;
use arena_tests::{Scratch, arena, root};
use serde_json::Value;

use crate::tune::idle;

const PAGE: &str = "arena/JSON.md";

/// The commands whose JSON has a schema, as the refusal of another one lists them.
fn commands(scratch: &Scratch) -> Vec<String> {
    let said = scratch.refused("schema --of none");
    said.split('"')
        .skip(3)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn schema(scratch: &Scratch, command: &str) -> Schema {
    Schema::new(&scratch.printed(&format!("schema --of {command}")))
}

/// Checks documents that a command printed: one, or one a line.
fn check(schema: &Schema, what: &str, text: &str) {
    let values: Vec<Value> = serde_json::Deserializer::from_str(text)
        .into_iter()
        .map(|value| value.unwrap())
        .collect();
    assert!(!values.is_empty(), "{what}");
    for value in values {
        assert_eq!(value["version"], 1, "{what}");
        schema
            .check(&value)
            .unwrap_or_else(|why| panic!("arena {what}: {why}"));
    }
}

/// What a command prints, whether or not it finds anything wrong.
fn printed(scratch: &Scratch, words: &str) -> String {
    let output = scratch.arena(words);
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 1 | 3)),
        "arena {words}: {why}"
    );
    String::from_utf8(output.stdout).unwrap()
}

const BOTS: &str =
    "--bot exact=builtin:exact --bot excluding=builtin:excluding --bot random=builtin:random";

#[test]
fn every_output_follows_its_schema() {
    let scratch = Scratch::new();
    scratch.write(
        "t.toml",
        &format!(
            "deals = 6\nseed = 3\n[rules]\nrounds = 1\n[[bots]]\nname = 'a'\nbuiltin = 'exact'\n[[bots]]\nname = 'b'\n\
             command = '{} bot random'\n[[bots]]\nname = 'bad'\ncommand = 'false'\n",
            arena().display()
        ),
    );
    scratch.write("n.toml", &idle(""));
    scratch.printed("run t.toml -q");
    scratch.printed(&format!("run -q --deals 12 --seed 1 {BOTS} --out r"));
    scratch.printed(&format!(
        "run -q --deals 12 --seed 1 {BOTS} --shard 2/3 --out part"
    ));
    scratch.printed(&format!(
        "run -q --deals 2 --seed 1 --format swiss --rounds 2 {BOTS} --out s"
    ));
    scratch.printed(&format!(
        "run -q --deals 2 --seed 1 --format knockout {BOTS} --out k"
    ));
    scratch.printed(&format!(
        "run -q --game code-777 --seats 3 --deals 2 --seed 1 {} --out c",
        BOTS.replace("exact", "guessing")
            .replace("excluding", "consistent")
    ));
    let ours = arena().display();
    for (command, all) in [
        (
            "show",
            vec![
                "show t --json",
                "report r --json",
                "show s --json",
                "show k --json",
                "show c --json",
            ],
        ),
        ("match", vec!["match --seed 1 --rule rounds=1 --json"]),
        (
            "show-match",
            vec!["show t d1/a/bad --json", "show t d1/a/b --seat 0 --json"],
        ),
        (
            "compare",
            vec![
                "compare exact random --rule rounds=1 --elo1 150 --seed 1 -q --json --out x",
                "compare exact random --rule rounds=1 --points --margin 3 --seed 1 -q --max-deals 6 --json --out y",
                "compare exact random --field f=builtin:excluding --rule rounds=1 --max-deals 4 --seed 1 -q --json --out z",
            ],
        ),
        ("tune", vec!["tune n.toml -q --trust --json"]),
        (
            "plan",
            vec![
                "plan t.toml --seconds 0 --json",
                "plan r --seconds 0.3 --to-see 20 --json",
                "plan r --seconds 0 --to-see 2points --json",
            ],
        ),
        (
            "analyse",
            vec!["analyse t --json", "analyse t --match d1/a/b --json"],
        ),
        ("faults", vec!["faults t --json", "faults r --json"]),
        (
            "repro",
            vec!["repro t d1/a/b --seat 1 --json", "repro t d1/a/bad --json"],
        ),
        ("verify", vec!["verify t --json"]),
        (
            "merge",
            vec!["merge m part --json", "merge m part r --json"],
        ),
        ("games", vec!["games --json"]),
        ("doctor", vec!["tools doctor --json"]),
    ] {
        let schema = schema(&scratch, command);
        all.iter()
            .for_each(|words| check(&schema, words, &printed(&scratch, words)));
    }
    let of_check = schema(&scratch, "check");
    for words in [
        format!("check --json --game coda --seats 2 --matches-each 2 -- {ours} bot random"),
        "check --json --matches-each 2 t.toml".to_owned(),
        format!(
            "check --json --game coda --seats 2 --matches-each 2 --deals 5 --beats exact -- {ours} bot exact"
        ),
        "check --json --game coda false".to_owned(),
    ] {
        check(&of_check, &words, &printed(&scratch, &words));
    }
    for (command, file) in [
        ("show", "t/standings.json"),
        ("compare", "x/comparison.json"),
        ("tune", "n/tuning.json"),
    ] {
        check(
            &schema(&scratch, command),
            file,
            &std::fs::read_to_string(scratch.path().join(file)).unwrap(),
        );
    }
}

/// What goes over the wire follows `arena schema GAME`.
#[test]
fn every_line_of_a_match_follows_its_schema() {
    let games = [
        ("coda", 3, "--rule dashes=true"),
        ("code-777", 3, ""),
        ("crack-the-code", 2, ""),
        ("digit-code", 2, ""),
    ];
    for (game, seats, rule) in games {
        let scratch = Scratch::new();
        let program = format!("{} bot random", arena().display());
        let others: String = (1..seats)
            .map(|seat| format!(" --bot b{seat}=builtin:random"))
            .collect();
        let flags = format!(
            "run -q --game {game} --seats {seats} --seed 1 --deals 1 --log-wire {rule}{others} --out t --bot"
        );
        let mut run = scratch.command(&flags);
        assert!(run.arg(format!("a={program}")).status().unwrap().success());
        let schema = Schema::new(&scratch.printed(&format!("schema {game}")));
        let wire = std::fs::read_dir(scratch.path().join("t/logs"))
            .unwrap()
            .map(|file| file.unwrap().path());
        let files: Vec<String> = wire
            .filter(|file| file.extension().is_some_and(|end| end == "wire"))
            .map(|file| std::fs::read_to_string(file).unwrap())
            .collect();
        let lines: Vec<&str> = files.iter().flat_map(|file| file.lines()).collect();
        assert!(lines.len() > 20, "{game}");
        for line in lines {
            let value: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
            let (from, kind) = (
                line.as_bytes()[0],
                value.as_object().unwrap().keys().next().unwrap(),
            );
            let kind = if from == b'<' {
                "arena_to_bot"
            } else if kind == "ready" {
                "bot_ready"
            } else {
                "bot_answer"
            };
            schema
                .check_part(kind, &value)
                .unwrap_or_else(|why| panic!("{game}: {line}: {why}"));
        }
    }
}

/// What this reader of schemas takes is not just anything.
#[test]
fn what_is_not_declared_is_noticed() {
    let scratch = Scratch::new();
    let schema = schema(&scratch, "games");
    let right: Value = serde_json::from_str(&scratch.printed("games --json")).unwrap();
    schema.check(&right).unwrap();
    for (place, value, why) in [
        ("/games/0/bots/0/about", Value::from(3), "against type"),
        ("/version", Value::from(0), "against minimum"),
        (
            "/games/0/bots/0",
            serde_json::json!({ "name": "a", "about": "c", "more": 1 }),
            "more is not declared",
        ),
        (
            "/games/0/bots/0",
            serde_json::json!({ "name": "a" }),
            "\"about\" is missing",
        ),
    ] {
        let mut wrong = right.clone();
        *wrong.pointer_mut(place).unwrap() = value;
        let said = schema.check(&wrong).unwrap_err();
        assert!(said.contains(why), "{said}");
    }
}

/// The rows of the tables in a page: path, type and meaning.
fn rows(page: &str) -> Vec<[&str; 3]> {
    let rows = page.lines().filter_map(|line| {
        line.strip_prefix("| `")?
            .strip_suffix(" |")?
            .split_once("` | ")
    });
    rows.map(|(path, rest)| {
        rest.split_once(" | ")
            .map(|(kind, meaning)| [path, kind, meaning])
            .unwrap()
    })
    .collect()
}

/// `ARENA_BLESS=1` writes the page anew.
#[test]
fn the_page_is_generated() {
    let (scratch, file) = (Scratch::new(), root().join(PAGE));
    let page = scratch.printed("schema --markdown");
    for [path, kind, meaning] in rows(&page) {
        assert!(
            !kind.is_empty() && !meaning.is_empty() && !meaning.contains("[`"),
            "{path}: {kind}, {meaning}"
        );
    }
    for command in commands(&scratch) {
        let section = format!("## `arena {} --json`\n", command.replace('-', " "));
        let of_command = page
            .split(&section)
            .nth(1)
            .unwrap()
            .split("\n## ")
            .next()
            .unwrap();
        assert!(
            of_command.contains(&scratch.printed(&format!("schema --of {command} --markdown"))),
            "{command}"
        );
    }
    if std::env::var_os("ARENA_BLESS").is_some() {
        std::fs::write(&file, page).unwrap();
    } else {
        assert!(
            std::fs::read_to_string(file).unwrap() == page,
            "ARENA_BLESS=1 writes {PAGE} anew"
        );
    }
}

/// Every command that has `--json` has a schema.
#[test]
fn no_command_is_forgotten() {
    let scratch = Scratch::new();
    let known = commands(&scratch);
    let help = scratch.printed("help");
    let entries = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    let names = entries
        .map(|(name, _)| name)
        .filter(|name| !name.starts_with(['-', ' ']));
    for name in names.filter(|name| !name.starts_with("arena ")) {
        let has = scratch
            .printed(&format!("{name} --help"))
            .lines()
            .any(|line| line.trim().starts_with("--json"));
        // That of `arena report` is that of `arena show`.
        assert_eq!(
            has,
            known.iter().any(|known| known == name) || name == "report",
            "{name}"
        );
    }
}

/// The fields of the rules, views, events and actions of a game, by their names: all types that they have.
fn words(scratch: &Scratch, game: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut words = BTreeMap::<String, BTreeSet<String>>::new();
    let parts = [
        "arena_to_bot.start.rules.",
        "arena_to_bot.turn.view.",
        "arena_to_bot.turn.events[].",
        "bot_answer.action.",
    ];
    for [path, kind, _] in rows(&scratch.printed(&format!("schema {game} --markdown"))) {
        if parts.iter().any(|part| path.starts_with(part)) {
            let plain = kind.split(' ').filter(|word| {
                word.chars()
                    .all(|c| c.is_ascii_lowercase() || ",:".contains(c))
            });
            let plain = plain.collect::<Vec<_>>().join(" ");
            words
                .entry(path.rsplit('.').next().unwrap().to_owned())
                .or_default()
                .insert(plain);
        }
    }
    words
}

/// A typed reader of several games is told where one type for a field of that name will not do.
#[test]
fn the_protocol_lists_names_whose_types_differ() {
    let scratch = Scratch::new();
    let games =
        ["coda", "code-777", "crack-the-code", "digit-code"].map(|game| words(&scratch, game));
    let names: BTreeSet<&String> = games.iter().flat_map(BTreeMap::keys).collect();
    let kinds = |name: &String| {
        games
            .iter()
            .filter_map(|game| game.get(name))
            .collect::<BTreeSet<_>>()
    };
    let page = std::fs::read_to_string(root().join("protocol/PROTOCOL.md")).unwrap();
    let table = page
        .split("| field | `coda` |")
        .nth(1)
        .unwrap()
        .split("\n\n")
        .next()
        .unwrap();
    let rows = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<&str> = rows.collect();
    let differing: BTreeSet<&str> = names
        .into_iter()
        .filter(|name| kinds(name).len() > 1)
        .map(String::as_str)
        .collect();
    assert_eq!(listed, differing);
}
