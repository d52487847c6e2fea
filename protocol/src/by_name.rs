//! Reading an enum by the names of its values, and in no other way.

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::RawValue;

/// An action whose values are read by their names.
pub struct ByName<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByName<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?;
        by_name(text.get()).map(Self).map_err(D::Error::custom)
    }
}

/// Reads an enum whose values have names. A derived reader takes a list of them as well, in their order.
pub fn by_name<'de, T: Deserialize<'de>>(text: &'de str) -> serde_json::Result<T> {
    match text.split_once(':') {
        Some((_, values)) if values.trim_ascii_start().starts_with('[') => {
            Err(Error::custom("its values have no names"))
        }
        _ => serde_json::from_str(text),
    }
}
