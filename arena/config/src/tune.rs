//! The numbers that are tuned, as a file gives them: their ranges, and the one bot that holds them.

use std::collections::BTreeSet;

use arena_tournament::keys::TUNE;
use arena_tournament::suggest::{self, quoted};
use arena_tournament::tune::{MOST, Parameter, Scale, is_name, placeholders};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use super::diagnostic::{At, Diagnostic};
use super::entrants::{self, Draft};
use super::section::{Reader, Section};

/// The numbers that are tuned, in the order of the file; notes what is wrong with them. None if one cannot be read.
pub fn parameters(reader: &mut Reader, top: &Section<'_>) -> Option<Vec<Parameter>> {
    let mut read: Vec<Parameter> = Vec::new();
    for (table, whole) in reader.tables(top, TUNE)? {
        let at = |key: &str| {
            table
                .get(key)
                .map_or(whole.clone(), |value| At::File(value.span()))
        };
        let value = Spanned::new(0..0, DeValue::Table(table.clone()));
        let parameter = Parameter::deserialize(ValueDeserializer::from(value)).map_err(|why| {
            let span = why.span().filter(|span| !span.is_empty());
            reader.add(Diagnostic::new(
                &span.map_or(whole.clone(), At::File),
                why.message(),
                "",
            ));
        });
        let parameter = parameter.ok()?;
        let ([from, to, start], name) = (parameter.numbers(), quoted(&parameter.name));
        let is_taken = read.iter().any(|other| other.name == parameter.name);
        let is_low = parameter.scale == Scale::Log && from <= 0.0;
        let is_outside = from < to && !(from..=to).contains(&start);
        let wrong = [
            (
                "name",
                !is_name(&parameter.name),
                format!("{name} is not a valid name for a number"),
                "use letters, digits and _",
            ),
            (
                "name",
                is_taken,
                format!("two numbers are named {name}"),
                "rename one of the two",
            ),
            (
                "name",
                read.len() == MOST,
                format!("more than {MOST} numbers"),
                "tune the most important ones first",
            ),
            (
                "to",
                from >= to,
                format!("`to` must be above `from`, not {to}"),
                "write the smallest value as `from`",
            ),
            (
                "start",
                is_outside,
                format!("`start` must be from {from} to {to}, not {start}"),
                "start within the range",
            ),
            (
                "from",
                is_low,
                format!("a log scale must begin above 0, not at {from}"),
                "write a small positive number",
            ),
        ];
        for (key, _, what, help) in wrong.into_iter().filter(|(_, is_wrong, ..)| *is_wrong) {
            reader.add(Diagnostic::new(&at(key), what, help));
        }
        reader.put(&format!("{TUNE}.{}", parameter.name), &at("name"));
        read.push(parameter);
    }
    Some(read)
}

/// Notes names in braces that stand for no number, numbers that no bot holds, and a second bot that holds some.
pub fn check_bots(reader: &mut Reader, tune: &[Parameter], drafts: &[Draft]) {
    let known: Vec<&str> = tune
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    let mut held = BTreeSet::new();
    for draft in drafts.iter().filter(|_| !known.is_empty()) {
        let names = draft.bot.as_ref().map(placeholders).unwrap_or_default();
        let at = reader.place(&entrants::path(draft.number, "command"));
        for name in names.iter().filter(|name| !known.contains(name)) {
            let what = format!("there is no [[tune]] table named {}", quoted(name));
            reader.add(Diagnostic::new(&at, what, suggest::value(name, &known)));
        }
        if !held.is_empty() && !names.is_empty() {
            reader.add(Diagnostic::new(
                &at,
                "a second bot contains numbers to tune",
                "tune one bot at a time",
            ));
        }
        held.extend(names);
    }
    for name in known.iter().filter(|name| !held.contains(*name)) {
        let (at, help) = (
            reader.place(&format!("{TUNE}.{name}")),
            format!("write {{{name}}} into a bot's `command` or `env`"),
        );
        reader.add(Diagnostic::new(
            &at,
            format!("no bot uses {}", quoted(name)),
            help,
        ));
    }
}
