//! Describes each game's options to people, so that terminals and browsers can ask for an action without knowing any game by name.

use serde::Serialize;

/// An option of a prompt, as shown to people.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The name of the action.
    pub action: &'static str,
    /// One-sentence explanation.
    pub help: &'static str,
    /// The fields to choose. A field is skipped if the option in the prompt lacks it.
    pub fields: &'static [Field],
}

/// A field of an action.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name of the field in the action.
    pub name: &'static str,
    /// The display name; empty if it equals `name`.
    pub title: &'static str,
    /// The kind of input that people use for the field.
    pub kind: FieldKind,
}

/// The kind of input for the value of a field.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// One of the values that the prompt lists.
    List,
    /// One of the listed positions, which people count from 1.
    #[serde(rename = "list")]
    Index,
    /// A player: one of the seats that the prompt lists.
    Player,
    /// A position in a player's row: one of the positions that the prompt lists.
    Place(Whose),
    /// A list of values, one from each list in the prompt.
    Each,
    /// Typed text. The prompt lists samples, but other values are also legal.
    Text(Text),
}

/// The player whose row a position refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The player's own row.
    Own,
    /// The row of the player chosen in the field with this name.
    Of(&'static str),
}

/// A text that people type.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Text {
    /// The allowed characters.
    pub alphabet: &'static str,
    /// The required length in characters.
    pub length: usize,
    /// True to prefill the first sample, as for a secret code, where any value will do.
    pub prefill: bool,
}

impl Form {
    /// Creates the description of the option for this action.
    pub const fn new(action: &'static str, help: &'static str, fields: &'static [Field]) -> Self {
        Self {
            action,
            help,
            fields,
        }
    }
}

impl Field {
    /// Creates a field with this name and kind of input.
    pub const fn new(name: &'static str, kind: FieldKind) -> Self {
        Self {
            name,
            title: "",
            kind,
        }
    }

    /// Sets the display name.
    pub const fn called(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    /// Creates a field whose value is one of those that the prompt lists.
    pub const fn list(name: &'static str) -> Self {
        Self::new(name, FieldKind::List)
    }

    /// Creates a field with a place that people count from 1.
    pub const fn index(name: &'static str) -> Self {
        Self::new(name, FieldKind::Index)
    }

    /// Creates a field whose value is a player.
    pub const fn player(name: &'static str) -> Self {
        Self::new(name, FieldKind::Player)
    }

    /// Creates a field whose value is a list.
    pub const fn each(name: &'static str) -> Self {
        Self::new(name, FieldKind::Each)
    }
}

/// The fields of views and actions that refer to seats. People are shown the players' names instead.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Players {
    /// Fields that hold a seat, several seats, or none.
    pub seat: &'static [&'static str],
    /// Fields that hold a value for each seat.
    pub by_seat: &'static [&'static str],
}
