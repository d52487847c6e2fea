//! The numbers that are tuned, as a file gives them: their ranges, and the one bot that holds them.

use arena_tournament::entrant::Bot;
use arena_tournament::keys;
use arena_tournament::suggest::{self, quoted};
use arena_tournament::tune::{MOST, Parameter, Scale, is_name, placeholders};
use serde_json::Value;

use super::diagnostic::{At, Diagnostic};
use super::entrants::{self, Draft};
use super::section::{Reader, Section};

/// The keys without which there is nothing to tune.
const NEEDED: [(&str, &str); 4] = [("name", "\"bluff\""), ("from", "0.0"), ("to", "1.0"), ("start", "0.3")];

/// The numbers that are tuned, in the order of the file; notes what is wrong with them. None if one cannot be read.
pub fn parameters(reader: &mut Reader, top: &Section<'_>) -> Option<Vec<Parameter>> {
    let mut read: Vec<Parameter> = Vec::new();
    let tables = reader.tables(top, keys::TUNE_TABLES)?;
    for (number, (table, at)) in tables.iter().enumerate() {
        let section = reader.section(&path(number, ""), Some(table), keys::TUNE, &[]);
        for (key, example) in NEEDED.iter().filter(|(key, _)| !section.has(key) && !section.is_misspelt(&[key])) {
            let help = format!("add a line below, such as {key} = {example}");
            reader.add(Diagnostic::new(at, format!("this [[tune]] has no `{key}`"), help));
        }
        if number == MOST {
            let what = format!("at most {MOST} numbers are tuned together");
            reader.add(Diagnostic::new(at, what, "tune those that matter most first"));
        }
        if let Ok(parameter) = serde_json::from_value(Value::Object(section.values)) {
            check(reader, number, &parameter, &read);
            read.push(parameter);
        }
    }
    (read.len() == tables.len()).then_some(read)
}

/// The path of a key of a number.
fn path(number: usize, key: &str) -> String {
    format!("{}.{number}{}{key}", keys::TUNE_TABLES, if key.is_empty() { "" } else { "." })
}

/// Notes what is wrong with a number by itself, and beside those before it.
fn check(reader: &mut Reader, number: usize, parameter: &Parameter, before: &[Parameter]) {
    let ([from, to, start], name) = (parameter.numbers(), quoted(&parameter.name));
    let mut wrong = |key: &str, what: String, help: &str| {
        let at = reader.place(&path(number, key));
        reader.add(Diagnostic::new(&at, what, help));
    };
    if !is_name(&parameter.name) {
        wrong("name", format!("{name} cannot name a number"), "take letters, digits and _");
    }
    if before.iter().any(|other| other.name == parameter.name) {
        wrong("name", format!("two numbers are named {name}"), "rename one of the two");
    }
    if from >= to {
        wrong("to", format!("`to` is greater than `from`, which is {from}"), "write the least value as `from`");
    } else if !(from..=to).contains(&start) {
        wrong("start", format!("`start` is at least {from} and at most {to}"), "begin with a value of the range");
    }
    if parameter.scale == Scale::Log && from <= 0.0 {
        wrong("from", "on a log scale, `from` is above 0".into(), "write a small number, or take the scale linear");
    }
}

/// Notes names in braces that stand for no number, numbers that no bot holds, and a second bot that holds some.
pub fn check_bots(reader: &mut Reader, tune: &[Parameter], drafts: &[Draft]) {
    let known: Vec<&str> = tune.iter().map(|parameter| parameter.name.as_str()).collect();
    let held = |draft: &Draft| draft.bot.as_ref().map(placeholders).unwrap_or_default().len();
    let holders: Vec<&Draft> = drafts.iter().filter(|draft| !known.is_empty() && held(draft) > 0).collect();
    for (index, draft) in holders.iter().enumerate() {
        let Some(Bot::Program(program)) = &draft.bot else { continue };
        for name in draft.bot.iter().flat_map(placeholders).filter(|name| !known.contains(name)) {
            let in_command = program.command.iter().any(|word| word.contains(&format!("{{{name}}}")));
            let at = reader.place(&entrants::path(draft.number, if in_command { "command" } else { "env" }));
            let what = format!("no [[tune]] has the name {}", quoted(name));
            reader.add(Diagnostic::new(&at, what, suggest::value(name, &known)));
        }
        if index > 0 {
            let at = reader.place(&entrants::path(draft.number, "name"));
            reader.add(Diagnostic::new(&at, "a second bot holds numbers", "tune one bot at a time"));
        }
    }
    for (number, name) in known.iter().enumerate() {
        let is_held = |draft: &&Draft| draft.bot.as_ref().is_some_and(|bot| placeholders(bot).contains(name));
        if !drafts.iter().any(|draft| is_held(&draft)) {
            let (what, help) = (
                format!("no bot uses {}", quoted(name)),
                format!("write {{{name}}} into the `command` or `env` of a bot"),
            );
            let at: At = reader.place(&path(number, "name"));
            reader.add(Diagnostic::new(&at, what, help));
        }
    }
}
