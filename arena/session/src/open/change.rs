//! The messages about opening a tournament: each change, the bots left out, and the reasons why it cannot change.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use arena_config::diagnostic::UsageError;
use arena_tournament::printable::{clean, clean_lines};
use arena_tournament::spec::{LeftOut, Spec};
use serde::Serialize;

/// A change to the tournament that a folder holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// A bot no longer plays.
    Withdrawn { bot: String, why: Option<String> },
    /// A bot plays in a new version.
    NewVersion { bot: String },
    /// A withdrawn bot plays again.
    Back { bot: String },
    /// A bot enters.
    New { bot: String },
    /// The number of deals changes.
    Deals { was: u32, is: u32 },
    /// The number of rounds changes.
    Rounds { was: u32, is: u32 },
    /// A key of the file, or the order of the bots, changes.
    Other { what: String },
}

impl Display for Change {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Withdrawn { bot, why } => {
                write!(f, "withdrawn  {}", clean(bot))?;
                why.iter().try_for_each(|why| write!(f, ": {}", clean(why)))
            }
            Self::NewVersion { bot } => {
                write!(f, "changed    {} starts again without results", clean(bot))
            }
            Self::Back { bot } => {
                write!(f, "back       {} starts again without results", clean(bot))
            }
            Self::New { bot } => write!(f, "new        {} enters", clean(bot)),
            Self::Deals { was, is } => write!(f, "deals      {was} → {is}"),
            Self::Rounds { was, is } => write!(f, "rounds     {was} → {is}"),
            Self::Other { what } => write!(f, "changed    {what}"),
        }
    }
}

/// Returns the notes about bots that are left out of a new or an existing tournament.
pub(super) fn left_out(bots: &[LeftOut], kept: Option<&Spec>) -> Vec<String> {
    let note = |bot: &LeftOut| {
        if bot.is_gone {
            return format!("left out   {}", clean_lines(&bot.to_string()));
        }
        let has_entered = kept.is_some_and(|kept| kept.bots.iter().any(|old| old.name == bot.name));
        let what = match bot.name.as_str() {
            "" => "",
            _ if has_entered => " plays on in its old version: ",
            _ => " does not enter: ",
        };
        format!(
            "broken     {}{what}{}",
            clean(&bot.name),
            clean_lines(&bot.why)
        )
    };
    bots.iter().map(note).collect()
}

/// Returns the error for a change of a closed tournament.
pub(super) fn closed(dir: &Path) -> UsageError {
    UsageError::one(format!(
        "{} is closed, and its seed is public: start a new tournament in another folder",
        dir.display()
    ))
}
