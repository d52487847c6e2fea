//! JSON output of commands, with its version.

use serde::Serialize;

/// Version of all JSON output of commands. It is raised when a field is removed or changes its name, type or meaning, but not when a field
/// is added.
pub const VERSION: u32 = 3;

/// Object with the version added to its own fields.
#[derive(Serialize)]
pub struct Versioned<T> {
    /// Version of all JSON output of commands.
    version: u32,
    #[serde(flatten)]
    content: T,
}

/// Formats an object as a document over many lines.
pub fn document(content: impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&Versioned {
        version: VERSION,
        content,
    })? + "\n")
}

/// Formats an object as one line of a stream.
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
