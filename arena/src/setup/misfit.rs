//! Words that name one of a few values, and which there would have been.

use std::fmt;

use serde::de::value::{MapDeserializer, StrDeserializer};
use serde::de::{self, DeserializeOwned, IntoDeserializer};

/// Why a word does not name a value.
#[derive(Debug)]
pub enum Misfit {
    /// It is none of these.
    Unknown(&'static [&'static str]),
    /// It is something else that is wrong.
    Other(String),
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Unknown(known) => write!(f, "there is {}", known.join(", ")),
            Misfit::Other(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Misfit {}

impl de::Error for Misfit {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Misfit::Other(why.to_string())
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Misfit::Unknown(expected)
    }
}

/// The value that a word names.
pub fn word<T: DeserializeOwned>(word: &str) -> Result<T, Misfit> {
    let deserializer: StrDeserializer<'_, Misfit> = word.into_deserializer();
    T::deserialize(deserializer)
}

/// The table that has only this word under this key, and the defaults.
pub fn table_with<T: DeserializeOwned>(key: &str, word: &str) -> Result<T, Misfit> {
    T::deserialize(MapDeserializer::<_, Misfit>::new(std::iter::once((key, word))))
}
