//! Standings of a tournament by the rules of its format, as plain values that every output renders.

use serde::{Deserialize, Serialize};

/// The standings of a tournament by the rules of its format: a table of the bots, and a bracket for formats that have one.
///
/// Bots are given as indices into the entrants, or by name; see [`Placings::named`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Placings<Bot = usize> {
    /// The name of the format.
    pub format: String,
    /// Number of finished rounds.
    pub finished: u32,
    /// Total number of rounds.
    pub of: u32,
    /// The sole leader. Null before the first round is finished, on a tie for first place, or while the format cannot tell.
    pub leader: Option<Bot>,
    /// The columns of the table after place and name.
    pub columns: Vec<Column>,
    /// The bots, best first; empty if the format does not order them all.
    pub rows: Vec<Row<Bot>>,
    /// The bracket before each round and after the last finished one: the bots by place, from top to bottom, and null for an empty place.
    /// Empty for formats without a bracket.
    pub bracket: Vec<Vec<Option<Bot>>>,
    /// The two bots of the match for third place, null until the semifinals are finished; omitted if there is no such match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub third_place: Option<[Option<Bot>; 2]>,
    /// Remarks about bots.
    pub notes: Vec<Remark<Bot>>,
}

/// A column of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The heading.
    pub title: String,
    /// Number of decimal places.
    pub digits: usize,
    /// True if positive numbers have a plus sign.
    pub signed: bool,
}

/// A bot's row in the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row<Bot = usize> {
    /// The place: 1 for the best; equal bots share one.
    pub place: usize,
    /// The bot.
    pub bot: Bot,
    /// One number for each column.
    pub cells: Vec<f64>,
}

/// A sentence about a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark<Bot = usize> {
    /// The text before the bot's name.
    pub before: String,
    /// The bot.
    pub bot: Bot,
    /// The text after the bot's name.
    pub after: String,
}

impl Placings {
    /// Replaces the bots' indices by their names.
    pub fn named(self, names: &[String]) -> Placings<String> {
        let name = |bot: usize| names[bot].clone();
        let row = |row: Row| Row {
            place: row.place,
            bot: name(row.bot),
            cells: row.cells,
        };
        let note = |note: Remark| Remark {
            before: note.before,
            bot: name(note.bot),
            after: note.after,
        };
        let places = |places: Vec<Option<usize>>| {
            let places = places.into_iter().map(|bot| bot.map(name));
            places.collect()
        };
        Placings {
            format: self.format,
            finished: self.finished,
            of: self.of,
            leader: self.leader.map(name),
            columns: self.columns,
            rows: self.rows.into_iter().map(row).collect(),
            bracket: self.bracket.into_iter().map(places).collect(),
            third_place: self.third_place.map(|bots| bots.map(|bot| bot.map(name))),
            notes: self.notes.into_iter().map(note).collect(),
        }
    }
}

impl<Bot> Placings<Bot> {
    /// Returns the heading of the standings, which states the progress of the tournament.
    pub fn title(&self) -> String {
        format!(
            "{}, {} of {} rounds finished",
            self.format, self.finished, self.of
        )
    }
}

impl Column {
    /// Creates a column of integers.
    pub fn whole(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            digits: 0,
            signed: false,
        }
    }

    /// Creates a column of integers with signs.
    pub fn signed(title: &str) -> Self {
        Self {
            signed: true,
            ..Self::whole(title)
        }
    }

    /// Creates a column of scores, which include halves.
    pub fn score(title: &str) -> Self {
        Self {
            digits: SCORE_DIGITS,
            ..Self::whole(title)
        }
    }

    /// Formats a number of this column.
    pub fn text(&self, number: f64) -> String {
        let digits = self.digits;
        if self.signed {
            format!("{number:+.digits$}")
        } else {
            format!("{number:.digits$}")
        }
    }
}

/// Number of decimal places of a score.
const SCORE_DIGITS: usize = 1;

/// Converts half-points to a score.
pub fn score(halves: u64) -> f64 {
    halves as f64 / 2.0
}

/// Tie-break between equal scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieBreak {
    /// The bot with more points in the game wins.
    Points,
    /// The better seed wins.
    Seeding,
}

impl TieBreak {
    /// Returns the tie-break's name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            TieBreak::Points => "points",
            TieBreak::Seeding => "seeding",
        }
    }
}

/// Returns the winner of a pairing, and the tie-break if one was used. Returns `None` for a draw.
pub(crate) fn decided(
    halves: [u64; 2],
    points: [i64; 2],
    is_knockout: bool,
) -> Option<(usize, Option<TieBreak>)> {
    if halves[0] != halves[1] {
        return Some((usize::from(halves[1] > halves[0]), None));
    }
    if !is_knockout {
        return None;
    }
    Some(match points {
        // The first bot is the better seed.
        [one, other] if one == other => (0, Some(TieBreak::Seeding)),
        [one, other] => (usize::from(other > one), Some(TieBreak::Points)),
    })
}
