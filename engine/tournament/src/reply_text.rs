//! Replies as shown to other programs and to people.

use arena_engine::fault::FaultText;
use arena_engine::record::Reply;
use arena_engine::table::Json;
use serde::Serialize;

/// A reply as written for other programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyText {
    /// An action.
    Act(Json),
    /// No reply in time.
    Late,
    /// A failure.
    Failed(FaultText),
}

impl From<&Reply<Json>> for ReplyText {
    fn from(reply: &Reply<Json>) -> Self {
        match reply {
            Reply::Act(action) => Self::Act(action.clone()),
            Reply::Late => Self::Late,
            Reply::Failed(fault) => Self::Failed(fault.into()),
        }
    }
}

/// Returns an action as typed at a terminal: its name and its values.
pub fn words(action: &Json) -> String {
    let plain: String = action
        .as_str()
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
