//! The output of `--json` has the fields of the examples in `arena/JSON.md`, and messages of the protocol follow `arena schema GAME`.

use std::collections::{BTreeMap, BTreeSet};

use arena_tests::schema::Schema;
use arena_tests::{Scratch, arena, root};
use serde_json::Value;

use crate::tune::idle;

/// Returns the examples of the page, each with its command and its output.
fn examples() -> Vec<(String, Value)> {
    let page = std::fs::read_to_string(root().join("arena/JSON.md")).unwrap();
    let sections = page.split("\n## `arena ").skip(1);
    let example = |section: &str| {
        let (command, rest) = section.split_once('`').unwrap();
        let (_, json) = rest.split_once("```json\n").unwrap();
        let json = json.split_once("```").unwrap().0;
        (command.to_owned(), serde_json::from_str(json).unwrap())
    };
    sections.map(example).collect()
}

/// Checks that a value has the fields and types of an example. The example may leave out the end of a list, and the content of an object
/// whose fields depend on the game.
fn check(example: &Value, printed: &Value, at: &str) {
    match (example, printed) {
        (Value::Object(shown), Value::Object(found)) if !shown.is_empty() => {
            let shown_keys: Vec<&String> = shown.keys().collect();
            let found_keys: Vec<&String> = found.keys().collect();
            assert_eq!(shown_keys, found_keys, "{at}");
            for (name, value) in shown {
                check(value, &found[name], &format!("{at}.{name}"));
            }
        }
        (Value::Array(shown), Value::Array(found)) => {
            assert!(shown.len() <= found.len(), "{at}: {found:?}");
            for (nth, (shown, found)) in shown.iter().zip(found).enumerate() {
                check(shown, found, &format!("{at}[{nth}]"));
            }
        }
        (Value::Null, _) | (_, Value::Null) => {}
        _ => assert_eq!(
            std::mem::discriminant(example),
            std::mem::discriminant(printed),
            "{at}: {printed}"
        ),
    }
}

/// Prepares a folder in which the commands of the page can be run.
fn prepared() -> Scratch {
    let scratch = Scratch::new();
    let program = format!("{} bot random", arena().display());
    scratch.write(
        "cup.toml",
        &format!(
            "deals = 6\nseed = 3\n[rules]\nrounds = 1\n[[bots]]\nname = 'ann'\nbuiltin = 'exact'\n\
             [[bots]]\nname = 'bob'\ncommand = '{program}'\n[[bots]]\nname = 'eve'\ncommand = 'false'\n"
        ),
    );
    scratch.write("mine.toml", &idle(""));
    scratch.printed("run cup.toml -q");
    let bots = "--bot ann=builtin:exact --bot bob=builtin:random";
    scratch.printed(&format!(
        "run -q --deals 40 --seed 1 {bots} --shard 1/2 --out part"
    ));
    scratch
}

#[test]
fn commands_print_what_the_examples_show() {
    let scratch = prepared();
    for (command, example) in examples() {
        let output = scratch.arena(&command);
        let why = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 1 | 3)),
            "arena {command}: {why}"
        );
        let printed: Vec<Value> = serde_json::Deserializer::from_slice(&output.stdout)
            .into_iter()
            .map(|value| value.unwrap())
            .collect();
        assert!(
            printed.iter().all(|value| value["version"] == 3),
            "{command}"
        );
        // If several lines were printed, the example shows the last one.
        check(&example, printed.last().unwrap(), &command);
    }
}

/// Checks that every command with `--json` has an example.
#[test]
fn no_command_is_forgotten() {
    let scratch = Scratch::new();
    let known: BTreeSet<String> = examples()
        .iter()
        .map(|(command, _)| command.trim_start_matches("tools "))
        .map(|command| command.split(' ').next().unwrap().to_owned())
        .collect();
    let help = scratch.printed("help all");
    let entries = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    let names = entries
        .map(|(name, _)| name)
        .filter(|name| !name.starts_with(['-', ' ']));
    let names = names.filter(|name| !name.starts_with("arena ") && *name != "tools");
    for name in names.chain(["tools doctor"]) {
        let help = scratch.printed(&format!("{name} --help"));
        let has = help.lines().any(|line| line.trim().starts_with("--json"));
        let name = name.trim_start_matches("tools ");
        assert_eq!(has, known.contains(name), "{name}");
    }
}

/// Checks that messages of the protocol follow `arena schema GAME`.
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

/// Collects the fields below a part of a schema: for each name, all of its types.
fn gather(root: &Value, part: &Value, words: &mut BTreeMap<String, BTreeSet<String>>) {
    let part = resolved(root, part);
    for (name, field) in part["properties"].as_object().into_iter().flatten() {
        words
            .entry(name.clone())
            .or_default()
            .insert(kind(root, field));
        gather(root, field, words);
    }
    let choices = ["oneOf", "anyOf"]
        .iter()
        .flat_map(|key| part[*key].as_array());
    let parts = choices.flatten().chain([&part["items"]]);
    for choice in parts.filter(|part| part.is_object()) {
        gather(root, choice, words);
    }
}

fn resolved<'a>(root: &'a Value, part: &'a Value) -> &'a Value {
    match part["$ref"].as_str() {
        Some(place) => root.pointer(place.trim_start_matches('#')).unwrap(),
        None => part,
    }
}

/// Returns the type of a field, including the type of a list's items.
fn kind(root: &Value, part: &Value) -> String {
    let part = resolved(root, part);
    let choices = ["oneOf", "anyOf"]
        .iter()
        .flat_map(|key| part[*key].as_array());
    let mut kinds: Vec<String> = choices.flatten().map(|choice| kind(root, choice)).collect();
    match &part["type"] {
        Value::String(name) if name == "array" => {
            kinds.push(format!("list of {}", kind(root, &part["items"])));
        }
        Value::String(name) => kinds.push(name.clone()),
        Value::Array(names) => kinds.extend(names.iter().map(|name| name.as_str().unwrap().into())),
        _ => {}
    }
    kinds.sort();
    kinds.dedup();
    kinds.join(" or ")
}

/// Returns the fields of a game's rules, views, events and actions: for each name, all of its types.
fn words(scratch: &Scratch, game: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut words = BTreeMap::new();
    let schema: Value = serde_json::from_str(&scratch.printed(&format!("schema {game}"))).unwrap();
    for part in ["Rules", "View", "Event", "Action"] {
        gather(&schema, &schema["$defs"][part], &mut words);
    }
    words
}

/// Checks that the protocol lists the field names that have more than one type, for typed clients that read several games.
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
