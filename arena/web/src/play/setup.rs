//! The setup of a table: the game, its rules, and the players by seat. Pages send only the names of programs, which must be listed on the
//! command line.

use std::collections::BTreeMap;

use arena_bots::roster;
use arena_engine::table::{self, Entry};
use arena_tournament::field::Seatings;
use arena_tournament::spec::Spec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use arena_config::FlagValue;
use arena_config::read::{self, Flags};
use arena_session::snapshot;

/// Maximum time for a move, in seconds.
const MAX_MOVE_SECONDS: u32 = 86_400;

/// A program against which people may play.
#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub command: String,
}

/// Table requested by a page.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTable {
    pub game: String,
    /// Rules that differ from the standard.
    #[serde(default)]
    pub rules: BTreeMap<String, Value>,
    /// Players by seat.
    pub seats: Vec<Sitter>,
    /// Time limit for a person's move, in seconds; unlimited if `None`.
    #[serde(default)]
    pub move_s: Option<u32>,
    /// True if people may ask for hints.
    #[serde(default)]
    pub hints: bool,
}

/// Player in a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sitter {
    /// Person with this name.
    Person(String),
    /// Built-in bot with this name.
    Builtin(String),
    /// Program with this name.
    Program(String),
}

/// Returns the choices for a table: all games with their seats, rules and bots, and these programs.
pub fn choices(programs: &[Program]) -> Value {
    let games: Vec<Value> = table::all().map(describe).collect();
    json!({"games": games, "programs": programs.iter().map(|program| &program.name).collect::<Vec<_>>()})
}

fn describe(game: &Entry) -> Value {
    let seats: Vec<usize> = game.seats.clone().collect();
    let bots: Vec<_> = roster::listed(game.name)
        .map(|bot| (bot.name, bot.about))
        .collect();
    json!({"name": game.name, "title": game.title, "seats": seats, "rules": game.standard_rules(), "bots": bots})
}

/// Returns the match that a page requests. The error is the reason why it cannot be played.
pub fn spec(wanted: &NewTable, programs: &[Program]) -> Result<Spec, String> {
    let is_person = |sitter: &Sitter| matches!(sitter, Sitter::Person(_));
    if !wanted.seats.iter().any(is_person) {
        return Err("no person plays: use arena run for tournaments of bots".into());
    }
    let time = wanted.move_s.unwrap_or(MAX_MOVE_SECONDS);
    if !(1..=MAX_MOVE_SECONDS).contains(&time) {
        return Err(format!(
            "the time for a move must be 1 to {MAX_MOVE_SECONDS} seconds"
        ));
    }
    let mut bots: Vec<String> = Vec::new();
    for (nth, sitter) in wanted.seats.iter().enumerate() {
        bots.push(flag(sitter, &wanted.seats[..nth], programs)?);
    }
    let rule = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name}={text}"),
        value => format!("{name}={value}"),
    };
    let rules: Vec<String> = wanted.rules.iter().map(rule).collect();
    let value = |path, value: Value| FlagValue::new(path, value.clone(), format!("{path} {value}"));
    let mut values = vec![
        value("game", wanted.game.as_str().into()),
        value("seats", wanted.seats.len().into()),
    ];
    values.extend(FlagValue::each("bots", "bot", &bots));
    values.extend(FlagValue::each("rules", "rule", &rules));
    let spec = read::single_match(&Flags::from(values)).map_err(|error| error.problems())?;
    let mut spec = snapshot::with_files(spec);
    (spec.plan.deals, spec.plan.seatings) = (1, Seatings::Listed);
    spec.name = spec.names().join(" · ");
    Ok(spec)
}

/// Returns the `--bot` value of a seat. Bots that hold several seats are numbered.
fn flag(sitter: &Sitter, before: &[Sitter], programs: &[Program]) -> Result<String, String> {
    let numbered = |name: &str| {
        let same = before
            .iter()
            .filter(|other| matches!(other, Sitter::Builtin(other) | Sitter::Program(other) if other == name));
        match same.count() {
            0 => name.to_owned(),
            count => format!("{name} {}", count + 1),
        }
    };
    match sitter {
        Sitter::Person(name) if name.is_empty() => Err("each person needs a name".into()),
        Sitter::Person(name) if before.contains(sitter) => {
            Err(format!("two people are named {name}"))
        }
        Sitter::Person(name) if name.contains('=') => Err(format!(
            "{name} is not a valid name for a person: it contains a ="
        )),
        Sitter::Person(name) => Ok(format!("{name}=human")),
        Sitter::Builtin(name) => Ok(format!("{}=builtin:{name}", numbered(name))),
        Sitter::Program(name) => {
            let program = programs.iter().find(|program| program.name == *name);
            let program = program.ok_or_else(|| {
                format!("no program is named {name}: offer it with arena serve --bot")
            })?;
            Ok(format!("{}={}", numbered(name), program.command))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(text: &str) -> Result<Spec, String> {
        let program = Program {
            name: "mine".into(),
            command: "true --fast".into(),
        };
        spec(
            &serde_json::from_str(text).map_err(|error: serde_json::Error| error.to_string())?,
            &[program],
        )
    }

    #[test]
    fn a_table_is_what_was_wanted() {
        let spec = wanted(r#"{"game":"coda","rules":{"rounds":1},"seats":[{"person":"ann"},{"builtin":"exact"},{"builtin":"exact"}]}"#).unwrap();
        assert_eq!(spec.names(), ["ann", "exact", "exact 2"]);
        assert!(spec.bots[0].is_person() && spec.plan.seats == 3 && spec.plan.rules["rounds"] == 1);
        let spec =
            wanted(r#"{"game":"coda","seats":[{"program":"mine"},{"person":"ann"}],"move_s":30}"#)
                .unwrap();
        assert_eq!(spec.bots[0].bot.to_string(), "true --fast");
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_a_reason() {
        for (text, why) in [
            (
                r#"{"game":"chess","seats":[{"person":"a"},{"builtin":"exact"}]}"#,
                "chess",
            ),
            (r#"{"game":"coda","seats":[{"person":"a"}]}"#, "seats"),
            (
                r#"{"game":"coda","seats":[{"builtin":"exact"},{"builtin":"exact"}]}"#,
                "no person plays",
            ),
            (
                r#"{"game":"coda","seats":[{"person":"a"},{"person":"a"}]}"#,
                "two people are named",
            ),
            (
                r#"{"game":"coda","seats":[{"person":"a=rm -rf /"},{"builtin":"exact"}]}"#,
                "=",
            ),
            (
                r#"{"game":"coda","seats":[{"person":"a"},{"program":"sh -c evil"}]}"#,
                "no program is named",
            ),
            (
                r#"{"game":"coda","seats":[{"person":"a"},{"builtin":"exact"}],"command":"x"}"#,
                "unknown field",
            ),
            (
                r#"{"game":"coda","rules":{"rounds":"x"},"seats":[{"person":"a"},{"builtin":"exact"}]}"#,
                "rounds",
            ),
            (
                r#"{"game":"coda","seats":[{"person":"a"},{"builtin":"exact"}],"move_s":0}"#,
                "seconds",
            ),
        ] {
            let error = wanted(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
