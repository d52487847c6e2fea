//! What commands print as JSON, and the version of all of it.

use serde::Serialize;

/// The version of all JSON that commands print. It rises when a field goes, or changes its name, type or meaning; not when one is
/// added.
pub const VERSION: u32 = 2;

/// An object with the version beside its own fields.
#[derive(Serialize)]
pub struct Versioned<T> {
    /// The version of all JSON that commands print.
    version: u32,
    #[serde(flatten)]
    content: T,
}

/// A document: an object over many lines.
pub fn document(content: impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&Versioned {
        version: VERSION,
        content,
    })? + "\n")
}

/// An object in one line, among others.
pub fn line(content: impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(&Versioned {
        version: VERSION,
        content,
    })? + "\n")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::sample;

    #[test]
    fn all_is_in_one_object() {
        let all = sample::analysis(&["a", "b", "c"], 4);
        let text = document(&all).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let standings = serde_json::to_value(&all.standings).unwrap();
        assert!(
            standings
                .as_object()
                .unwrap()
                .iter()
                .all(|(name, field)| value[name] == *field)
        );
        assert_eq!(value["ratings"]["bots"].as_array().unwrap().len(), 3);
        assert_eq!(
            (
                value["pairs"].as_array().unwrap().len(),
                value["bots"][2].as_str()
            ),
            (3, Some("c"))
        );
        assert!(value["identical"].is_array());
        assert_eq!(value["version"], VERSION);
    }
}
