//! Declarations of keys: name in the file, flag, type, and meaning.
//!
//! Each key is declared once. Command-line flags, the file parser and the reference table are generated from the declarations.

use std::ops::RangeInclusive;

use arena_engine::table;

/// A key of a tournament file.
#[derive(Clone, Debug)]
pub struct Key {
    /// The name of the key in the file.
    pub name: &'static str,
    /// The flag on the command line, without `--`. `None` if the key can only be set in a file.
    pub flag: Option<&'static str>,
    /// The name of the flag's value in `--help`, such as `N` or `MS`; empty if the flag takes none.
    pub value: &'static str,
    /// The type of the key's values.
    pub kind: Kind,
    /// The default in words for people, such as `2000` or `the file's name`; a dash if there is none.
    pub default: &'static str,
    /// The meaning of the key, in a phrase without a full stop.
    pub help: &'static str,
}

impl Key {
    /// Creates a key without a flag.
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

    /// Adds a flag with this name and value name.
    pub const fn flag(self, flag: &'static str, value: &'static str) -> Self {
        Self {
            flag: Some(flag),
            value,
            ..self
        }
    }

    /// Returns the meaning of the key, followed by the allowed words if they are few.
    pub fn meaning(&self) -> String {
        match self.kind {
            Kind::Word(words) => format!("{} ({})", self.help, words().join(", ")),
            Kind::Game => format!("{} ({})", self.help, table::names().join(", ")),
            _ => self.help.to_owned(),
        }
    }
}

/// The type of a key's values.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An integer in this range.
    Whole(RangeInclusive<u64>),
    /// A finite number.
    Number,
    /// A string.
    Text,
    /// One of several words.
    Word(fn() -> &'static [&'static str]),
    /// A game: the name of a built-in one, or the path of a folder that holds one.
    Game,
    /// A boolean.
    Truth,
    /// A list of strings; its flag may be repeated.
    Texts,
    /// A nested table with arbitrary keys.
    Table,
    /// A list of nested tables.
    Tables,
}

/// The largest integer that every JSON reader holds exactly.
pub const MAX_INTEGER: u64 = (1 << 53) - 1;
/// The largest number of MiB whose byte count fits in a signed 64-bit integer.
pub const MAX_MIB: u64 = (1 << 43) - 1;
/// Maximum number of rounds, tables, pairs or deals.
pub const MAX_COUNT: u64 = u32::MAX as u64;
