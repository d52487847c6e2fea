//! Checks values of a tournament file against the declarations of their keys.

use std::ops::{Range, RangeInclusive};

use arena_engine::table;
use arena_tournament::key::{Key, Kind};
use arena_tournament::suggest::{self, quoted};
use toml::Spanned;
use toml::de::DeValue;

/// A problem with a value: the location, the description, and help.
pub type Wrong = (Range<usize>, String, String);

/// Checks the value of a key, and suggests a valid one.
pub fn check(key: &Key, value: &Spanned<DeValue<'_>>) -> Option<Wrong> {
    let written = value.get_ref();
    match &key.kind {
        Kind::Whole(range) => whole(key.name, value, range),
        Kind::Number => expect(value, "a number", is_number(written)),
        Kind::Text => expect(value, "a string", written.is_str()),
        Kind::Truth => expect(value, "true or false", written.is_bool()),
        Kind::Table => expect(value, "a table", written.is_table()),
        Kind::Tables => each(value, "a table", |value| value.is_table()),
        Kind::Texts => each(value, "a string", |value| value.is_str()),
        Kind::Word(words) => word(key.name, value, words()),
        Kind::Game => game(key.name, value),
    }
}

/// Checks that a value is of a type.
pub fn expect(value: &Spanned<DeValue<'_>>, wanted: &str, is_wanted: bool) -> Option<Wrong> {
    (!is_wanted).then(|| {
        let found = match value.get_ref() {
            DeValue::String(text) => format!("string {}", quoted(text)),
            DeValue::Integer(number) => format!("integer `{number}`"),
            DeValue::Float(number) => format!("number `{number}`"),
            DeValue::Boolean(truth) => format!("`{truth}`"),
            DeValue::Datetime(_) => "a date or time".into(),
            DeValue::Array(_) => "a list".into(),
            DeValue::Table(_) => "a table".into(),
        };
        let what = format!("this must be {wanted}, not {found}");
        (value.span(), what, String::new())
    })
}

fn each(
    value: &Spanned<DeValue<'_>>,
    wanted: &str,
    is_wanted: fn(&DeValue<'_>) -> bool,
) -> Option<Wrong> {
    match value.get_ref().as_array() {
        Some(values) => values
            .iter()
            .find_map(|value| expect(value, wanted, is_wanted(value.get_ref()))),
        None => expect(value, "a list", false),
    }
}

/// Checks that a value names a game: one of this program, the path of another one, or the full name of one that was loaded.
fn game(key: &str, value: &Spanned<DeValue<'_>>) -> Option<Wrong> {
    let is_other = |name: &str| name.contains('/') || table::is_loaded(name);
    match value.get_ref().as_str() {
        Some(name) if is_other(name) => None,
        _ => word(key, value, table::names()),
    }
}

/// Checks that a value is one of these words.
pub fn word(key: &str, value: &Spanned<DeValue<'_>>, words: &[&str]) -> Option<Wrong> {
    let Some(word) = value.get_ref().as_str() else {
        return expect(value, "a string", false);
    };
    if words.contains(&word) {
        return None;
    }
    let what = match key {
        "game" | "format" => format!("there is no {key} {}", quoted(word)),
        _ => format!("this cannot be {}", quoted(word)),
    };
    Some((value.span(), what, suggest::value(word, words)))
}

/// Returns `true` for a finite number, because JSON, in which numbers are stored, has no infinity.
fn is_number(value: &DeValue<'_>) -> bool {
    let finite = |text: &str| text.parse().is_ok_and(f64::is_finite);
    value.is_integer() || value.as_float().is_some_and(|float| finite(float.as_str()))
}

/// Checks that a value is an integer in a range.
fn whole(key: &str, value: &Spanned<DeValue<'_>>, range: &RangeInclusive<u64>) -> Option<Wrong> {
    let Some(written) = value.get_ref().as_integer() else {
        let found = value.get_ref().type_str();
        let what = format!("`{key}` must be a whole number, found {found}");
        let help = "write a number, without quotes".into();
        return Some((value.span(), what, help));
    };
    let number = i128::from_str_radix(written.as_str(), written.radix());
    let number = number.unwrap_or(i128::MAX);
    let (least, most) = (*range.start(), *range.end());
    let (bound, limit, more) = if number < least.into() {
        ("at least", least, "more")
    } else if number > most.into() {
        ("at most", most, "less")
    } else {
        return None;
    };
    let what = format!("`{key}` must be {bound} {limit}, not {written}");
    Some((value.span(), what, format!("write {limit} or {more}")))
}
