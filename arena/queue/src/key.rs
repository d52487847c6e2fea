//! The names of units in their stream.

use std::num::ParseIntError;
use std::str::FromStr;

use arena_engine::shown;
use serde::{Deserialize, Serialize};

/// What names a unit in the stream: a number that tells nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(u64);

impl Key {
    /// A new one.
    pub fn draw() -> anyhow::Result<Self> {
        Ok(Self(getrandom::u64()?))
    }
}

shown!(Key, |key| "{:016x}", key.0);

impl FromStr for Key {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_last_word_of_its_subject() {
        let key = Key::draw().unwrap();
        assert_eq!(key.to_string().parse(), Ok(key));
        assert_ne!(key, Key::draw().unwrap());
        ["", "1-2-0", "x", "10000000000000000"]
            .iter()
            .for_each(|text| assert!(text.parse::<Key>().is_err(), "{text}"));
    }
}
