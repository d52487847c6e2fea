//! Seats at the table, and values by seat.

use std::ops::{Index, IndexMut};

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::set::{Set, numbered};
use crate::shown;

/// Maximum number of seats of any game.
pub const MAX_SEATS: usize = 5;

/// A place at the table, counted from 0; play passes to the next higher seat and wraps around.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Seat(pub u8);

impl Seat {
    /// Returns the seat as an index into a list by seat.
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// Returns the seats of a table of `seats`, in order.
    #[inline]
    pub fn all(seats: usize) -> Set<Seat> {
        (0..seats as u8).map(Seat).collect()
    }

    /// Returns the first seat of `among` in turn order, beginning with this seat itself.
    #[inline]
    pub fn or_next(self, seats: usize, among: Set<Seat>) -> Option<Seat> {
        let seats = seats as u8;
        (0..seats)
            .map(|step| Seat((self.0 + step) % seats))
            .find(|seat| among.contains(*seat))
    }

    /// Returns the first seat of `among` in turn order, beginning with the seat after this one.
    pub fn next(self, seats: usize, among: Set<Seat>) -> Option<Seat> {
        Seat((self.0 + 1) % seats as u8).or_next(seats, among)
    }
}

shown!(Seat, |seat| "{}", seat.0);

numbered!(Seat);

/// One value for each seat, in seat order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct BySeat<T>(ArrayVec<T, MAX_SEATS>);

impl<T> BySeat<T> {
    /// Creates a list with one value for each of `seats` seats.
    ///
    /// # Panics
    /// If there are more than [`MAX_SEATS`].
    pub fn new(seats: usize, value: impl FnMut(Seat) -> T) -> Self {
        Self((0..seats as u8).map(Seat).map(value).collect())
    }

    /// Returns the number of seats.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` for a table without seats.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a seat, if the table has it.
    pub fn get(&self, seat: Seat) -> Option<&T> {
        self.0.get(seat.index())
    }

    /// Iterates over the values in seat order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// Iterates over mutable references to the values in seat order.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }

    /// Iterates over the seats with their values.
    pub fn seats(&self) -> impl Iterator<Item = (Seat, &T)> {
        self.0
            .iter()
            .enumerate()
            .map(|(i, value)| (Seat(i as u8), value))
    }

    /// Maps each value, keeping the seats.
    pub fn map<U>(&self, mut value: impl FnMut(&T) -> U) -> BySeat<U> {
        BySeat(self.0.iter().map(&mut value).collect())
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

impl<'a, T> IntoIterator for &'a BySeat<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn play_passes_round_the_table_over_those_who_still_play() {
        let playing: Set<Seat> = [Seat(0), Seat(2)].into_iter().collect();
        assert_eq!(Seat(0).next(4, playing), Some(Seat(2)));
        assert_eq!(Seat(2).next(4, playing), Some(Seat(0)));
        assert_eq!(Seat(2).or_next(4, playing), Some(Seat(2)));
        assert_eq!(Seat(2).next(4, Set::EMPTY), None);
    }
}
