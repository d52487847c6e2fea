//! Values of a game as the text that goes over the wire.

use arena_engine::fault::FaultText;
use arena_engine::record::Reply;
use arena_engine::shown;
use serde::Serialize;
use serde::ser::{Error, Serializer};
use serde_json::Value;

/// A value of a game as the text that goes over the wire, its fields in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json(String);

impl Json {
    /// The text of a value.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(Self)
    }

    /// An action as people type it at a terminal: its name and its values.
    pub fn words(&self) -> String {
        let plain: String = self
            .0
            .chars()
            .filter(|letter| !"{}[]\"".contains(*letter))
            .collect();
        let (name, fields) = plain.split_once(':').unwrap_or((&plain, ""));
        let values = fields
            .split(',')
            .filter_map(|field| field.rsplit(':').next())
            .filter(|value| !value.is_empty());
        [name.replace('_', " ").as_str()]
            .into_iter()
            .chain(values)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// A reply as it is written for other programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyText {
    /// An action.
    Act(Json),
    /// Nothing in time.
    Late,
    /// A failure.
    Failed(FaultText),
}

impl ReplyText {
    /// The text of a reply.
    pub fn of(reply: &Reply<impl Serialize>) -> serde_json::Result<Self> {
        Ok(match reply {
            Reply::Act(action) => Self::Act(Json::of(action)?),
            Reply::Late => Self::Late,
            Reply::Failed(fault) => Self::Failed(fault.into()),
        })
    }
}

shown!(Json, |json| "{}", json.0);

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<Value>(&self.0)
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}
