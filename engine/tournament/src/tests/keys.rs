//! Tests of the keys: each has a description, and its words and defaults match the type that it sets.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, IntoDeserializer};

use crate::clock::TimeControl;
use crate::entrant::{Cores, Restart};
use crate::field::Seatings;
use crate::formats::{LISTED, not_for};
use crate::key::{Key, Kind};
use crate::keys::{BOT, CLOCK, LIMITS, PARAMETER, TOURNAMENT};
use crate::spec::{DEALS, Isolation, Limits, Memory, SEATS};
use crate::tune::Scale;

/// The words that a type accepts.
#[derive(Debug)]
struct Known(&'static [&'static str]);

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

impl std::error::Error for Known {}

impl de::Error for Known {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Known(&[])
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Known(expected)
    }
}

fn words<T: DeserializeOwned + fmt::Debug>() -> &'static [&'static str] {
    let word: StrDeserializer<'_, Known> = "no such word".into_deserializer();
    T::deserialize(word).unwrap_err().0
}

fn key(keys: &'static [Key], name: &str) -> &'static Key {
    keys.iter().find(|key| key.name == name).unwrap()
}

#[test]
fn words_are_those_that_are_read() {
    let check = |keys, name, known: &[&str]| {
        let Kind::Word(words) = key(keys, name).kind else {
            panic!("{name} takes no words")
        };
        assert_eq!(words(), known, "{name}");
        assert_eq!(words()[0], key(keys, name).default, "{name}");
    };
    check(TOURNAMENT, "seatings", words::<Seatings>());
    check(TOURNAMENT, "isolation", words::<Isolation>());
    check(TOURNAMENT, "memory", words::<Memory>());
    check(BOT, "restart", words::<Restart>());
    check(BOT, "cores", words::<Cores>());
    check(PARAMETER, "scale", words::<Scale>());
}

#[test]
fn defaults_are_those_that_are_taken() {
    let check = |keys, name, default: u64| {
        assert_eq!(key(keys, name).default, default.to_string(), "{name}");
    };
    let (clock, limits) = (TimeControl::default(), Limits::default());
    check(TOURNAMENT, "deals", DEALS.into());
    check(TOURNAMENT, "seats", SEATS as u64);
    check(CLOCK, "move_ms", clock.move_ms.unwrap());
    check(CLOCK, "increment_ms", clock.increment_ms);
    check(CLOCK, "start_ms", clock.start_ms);
    check(LIMITS, "memory_mb", limits.memory_mb);
    check(LIMITS, "processes", limits.processes);
    check(LIMITS, "file_mb", limits.file_mb);
    check(LIMITS, "open_files", limits.open_files);
    assert_eq!((clock.bank_ms, key(CLOCK, "bank_ms").default), (None, "–"));
}

#[test]
fn keys_are_declared_once_and_explained() {
    let formats = LISTED.iter().map(|listed| (TOURNAMENT, listed.keys));
    for (general, keys) in [
        (TOURNAMENT, &[][..]),
        (CLOCK, &[]),
        (LIMITS, &[]),
        (BOT, &[]),
        (PARAMETER, &[]),
    ]
    .into_iter()
    .chain(formats)
    {
        let mut names: Vec<&str> = general.iter().chain(keys).map(|key| key.name).collect();
        names.sort_unstable();
        assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
        for Key {
            name,
            default,
            help,
            ..
        } in keys
        {
            assert!(
                !default.is_empty() && !help.is_empty() && !help.ends_with('.'),
                "{name}"
            );
        }
    }
}

#[test]
fn a_key_of_another_format_is_refused() {
    let wrong = not_for("rounds", "gauntlet", "rounds").unwrap();
    assert_eq!(
        wrong.what,
        "`rounds` is for swiss and ladder, not for gauntlet"
    );
    assert_eq!(
        wrong.help,
        "remove it, or choose the format swiss or ladder"
    );
    assert_eq!(
        (
            not_for("rounds", "swiss", ""),
            not_for("deals", "swiss", "")
        ),
        (None, None)
    );
}
