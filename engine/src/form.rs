//! What the prompts of a game mean to people: every option with its help and its fields. Code that asks people, at a terminal or in a
//! browser, asks by these declarations and knows no game by name.

use serde::Serialize;

/// An option of a prompt, as people see it.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The name of the action.
    pub action: &'static str,
    /// What it means, in a sentence.
    pub help: &'static str,
    /// The fields to choose. Those that an option of a prompt leaves out are skipped.
    pub fields: &'static [Field],
}

/// A part of an action.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in the action.
    pub name: &'static str,
    /// Its name for people; empty if that is the name in the action.
    pub title: &'static str,
    /// What it is to people.
    pub kind: FieldKind,
}

/// What a field is to people.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// One of the values that the prompt lists.
    List,
    /// A player: one of the seats that the prompt lists.
    Player,
    /// A place in the row of a player: one of the positions that the prompt lists.
    Place(Whose),
    /// A list of values, one of each list of the prompt.
    Each,
    /// A text that is typed; the prompt lists samples, and others are legal too.
    Text(Text),
}

/// Whose place it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The place is in the player's own row.
    Own,
    /// The place is in the row of the player that this field holds.
    Of(&'static str),
}

/// A text that is typed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Text {
    /// The letters it may hold.
    pub alphabet: &'static str,
    /// Its length in letters.
    pub length: usize,
    /// True if the first sample is proposed, such as for something to hide: any is as good.
    pub prefill: bool,
}

impl Form {
    /// An option of this action.
    pub const fn new(action: &'static str, help: &'static str, fields: &'static [Field]) -> Self {
        Self {
            action,
            help,
            fields,
        }
    }
}

impl Field {
    /// A field of this name.
    pub const fn new(name: &'static str, kind: FieldKind) -> Self {
        Self {
            name,
            title: "",
            kind,
        }
    }

    /// The same field under another name for people.
    pub const fn called(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    /// One of the values that the prompt lists.
    pub const fn list(name: &'static str) -> Self {
        Self::new(name, FieldKind::List)
    }

    /// A player.
    pub const fn player(name: &'static str) -> Self {
        Self::new(name, FieldKind::Player)
    }

    /// A list of values.
    pub const fn each(name: &'static str) -> Self {
        Self::new(name, FieldKind::Each)
    }
}

/// The fields of views and actions that concern players: where they are shown to people, players are called by their names.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Players {
    /// Fields that hold a seat, several seats, or none.
    pub seat: &'static [&'static str],
    /// Fields that hold a value for each seat.
    pub by_seat: &'static [&'static str],
}
