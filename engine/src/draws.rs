//! The random draws of a match: derived from its seed, except for some that are fixed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::chance::{Chance, Seed};
use crate::seat::Seat;
use crate::set::Member;

/// The fixed first draws of a stream: its name, its index, and the indices of the items drawn.
pub type Fixed = (Cow<'static, str>, u64, Vec<u8>);

/// The source of all randomness in a match. In a dealt match, all draws follow from the seed. In a resampled match (see
/// [`crate::resample`]), some draws are fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draws {
    seed: Seed,
    fixed: Vec<Fixed>,
}

impl Draws {
    /// Creates the source from a seed and the draws that are fixed.
    pub fn new(seed: Seed, fixed: Vec<Fixed>) -> Self {
        Self { seed, fixed }
    }

    /// Returns the seed of the match.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Returns the stream of random numbers with this name and index.
    pub fn stream(&self, name: &str, index: u64) -> Chance {
        self.seed.stream(name, index)
    }

    /// Returns the fixed first draws of the stream; empty if none are fixed.
    pub fn fixed(&self, name: &str, index: u64) -> &[u8] {
        let is_it = |fixed: &&Fixed| fixed.0 == name && fixed.1 == index;
        let fixed = self.fixed.iter().find(is_it);
        fixed.map_or(&[], |(_, _, items)| items)
    }

    /// Moves the fixed items of the stream to the front. The other items keep their order.
    pub fn fix<T: Member>(&self, name: &str, index: u64, items: &mut [T]) {
        let first = self.fixed(name, index);
        if !first.is_empty() {
            let place = |item: &T| first.iter().position(|other| *other == item.index());
            items.sort_by_key(|item| place(item).unwrap_or(first.len()));
        }
    }
}

impl From<Seed> for Draws {
    fn from(seed: Seed) -> Self {
        Self::new(seed, Vec::new())
    }
}

/// A random completion of everything that a seat has not seen.
pub struct Imagined<Action> {
    /// Draws whose results the seat saw, at least in part.
    pub fixed: Vec<Fixed>,
    /// Actions of other seats that the seat did not fully see, in order.
    pub hidden: Vec<(Seat, Action)>,
}
