//! The declaration of a key: its name in the file, its flag, what it takes, and what it means.
//!
//! Each key is declared once. The flags of the commands, the reading of tournament files and the reference table are made from the
//! declarations.

use std::ops::RangeInclusive;

/// A key of a tournament file.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its name in the file.
    pub name: &'static str,
    /// Its flag on the command line, without `--`; none if it can only be set in a file.
    pub flag: Option<&'static str>,
    /// The name of the flag's value in `--help`, such as `N` or `MS`; empty if it takes none.
    pub value: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// Its default, for people: `2000`, `the file's name`; a dash if there is none.
    pub default: &'static str,
    /// Its meaning, in a phrase without a full stop.
    pub help: &'static str,
}

impl Key {
    /// A key without a flag.
    pub const fn new(
        name: &'static str,
        kind: Kind,
        default: &'static str,
        help: &'static str,
    ) -> Self {
        Self {
            name,
            flag: None,
            value: "",
            kind,
            default,
            help,
        }
    }

    /// With this flag, whose value is called so.
    pub const fn flag(self, flag: &'static str, value: &'static str) -> Self {
        Self {
            flag: Some(flag),
            value,
            ..self
        }
    }

    /// Its meaning, with the words that it takes if they are few.
    pub fn meaning(&self) -> String {
        match self.kind {
            Kind::Word(words) => format!("{} ({})", self.help, words().join(", ")),
            _ => self.help.to_owned(),
        }
    }
}

/// The values that a key takes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A whole number.
    Whole(RangeInclusive<u64>),
    /// A text.
    Text,
    /// One of some words.
    Word(fn() -> &'static [&'static str]),
    /// True or false.
    Truth,
    /// A list of texts; its flag may be repeated.
    Texts,
    /// A table of its own, with any keys.
    Table,
    /// A list of tables of their own.
    Tables,
}

/// The greatest whole number that every reader of JSON holds exactly.
pub const MOST: u64 = (1 << 53) - 1;
/// The greatest number of MiB whose bytes can be counted, with room for a sign.
pub const MIB: u64 = (1 << 43) - 1;
/// The greatest number of rounds, tables, pairs or deals.
pub const MANY: u64 = u32::MAX as u64;
