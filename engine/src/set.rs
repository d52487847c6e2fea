//! A small set of seats, positions, colours or faces in one machine word; in JSON, a sorted list.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::chance::Chance;

/// A value that can be stored in a [`Set`]. Each has a unique index below 64.
pub trait Member: Copy + Eq {
    /// Returns the index of the value. Indices of 64 and above are never stored.
    fn index(self) -> u8;
    /// Returns the value with this index. Called only with indices from [`Member::index`].
    fn at(index: u8) -> Self;
}

impl Member for u8 {
    fn index(self) -> u8 {
        self
    }
    fn at(index: u8) -> Self {
        index
    }
}

/// Implements [`Member`] for enums that list their variants, in order, as `ALL`.
macro_rules! members {
    ($($type:ty),+) => {
        $(impl $crate::set::Member for $type {
            fn index(self) -> u8 {
                self as u8
            }
            fn at(index: u8) -> Self {
                Self::ALL[usize::from(index)]
            }
        })+
    };
}

/// Implements [`Member`] for structs that hold only their index.
macro_rules! numbered {
    ($($type:ty),+) => {
        $(impl $crate::set::Member for $type {
            fn index(self) -> u8 {
                self.0
            }
            fn at(index: u8) -> Self {
                Self(index)
            }
        })+
    };
}

pub(crate) use {members, numbered};

/// A set of [`Member`]s, iterated in index order.
#[derive(Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(with = "BTreeSet<T>", bound = "T: JsonSchema", inline)]
pub struct Set<T> {
    mask: u64,
    kind: PhantomData<T>,
}

impl<T: Member> Set<T> {
    /// The empty set.
    pub const EMPTY: Self = Self {
        mask: 0,
        kind: PhantomData,
    };

    /// Creates the set of members with indices `0..end`.
    ///
    /// # Panics
    /// If `end` is above 63.
    #[inline]
    pub fn below(end: u8) -> Self {
        assert!(end < 64, "a set holds indices below 64");
        Self {
            mask: (1 << end) - 1,
            kind: PhantomData,
        }
    }

    /// Creates the set of members with indices `start..end`; empty if `start` is not below `end`.
    ///
    /// # Panics
    /// If `end` is above 63.
    pub fn range(start: u8, end: u8) -> Self {
        Self::below(end).without(Self::below(start.min(end)))
    }

    /// Creates the set of members whose indices are the set bits of the mask.
    pub fn from_mask(mask: u64) -> Self {
        Self {
            mask,
            kind: PhantomData,
        }
    }

    /// Returns the mask with a set bit at the index of each member.
    pub fn mask(self) -> u64 {
        self.mask
    }

    /// Creates a set with one member.
    pub fn one(member: T) -> Self {
        let mut set = Self::EMPTY;
        set.insert(member);
        set
    }

    /// Adds a member; ignored if its index is above 63.
    pub fn insert(&mut self, member: T) {
        self.mask |= 1u64.checked_shl(member.index().into()).unwrap_or(0);
    }

    /// Removes a member.
    pub fn remove(&mut self, member: T) {
        self.mask &= !1u64.checked_shl(member.index().into()).unwrap_or(0);
    }

    /// Returns `true` if the member is in the set.
    #[inline]
    pub fn contains(self, member: T) -> bool {
        self.mask & 1u64.checked_shl(member.index().into()).unwrap_or(0) != 0
    }

    /// Returns the number of members.
    pub fn len(self) -> usize {
        self.mask.count_ones() as usize
    }

    /// Returns `true` if the set is empty.
    pub fn is_empty(self) -> bool {
        self.mask == 0
    }

    /// Returns the first member, if any.
    pub fn first(self) -> Option<T> {
        self.into_iter().next()
    }

    /// Returns the only member, if there is exactly one.
    pub fn only(self) -> Option<T> {
        let alone = self.mask & self.mask.wrapping_sub(1) == 0;
        if alone { self.first() } else { None }
    }

    /// Returns the set with a gap at `index`: every member with this index or a higher one is shifted up by one.
    #[inline]
    pub fn with_gap_at(self, index: u8) -> Self {
        let below = Self::below(index).mask;
        Self::from_mask(self.mask & below | (self.mask & !below) << 1)
    }

    /// Returns the intersection of both sets.
    pub fn and(self, other: Self) -> Self {
        Self::from_mask(self.mask & other.mask)
    }

    /// Returns the members that are not in the other set.
    pub fn without(self, other: Self) -> Self {
        Self::from_mask(self.mask & !other.mask)
    }

    /// Returns a uniformly random member.
    ///
    /// # Panics
    /// If the set is empty.
    #[inline]
    pub fn pick(self, chance: &mut Chance) -> T {
        let nth = chance.below(self.mask.count_ones());
        // Fast path: most sets hold exactly the lowest indices, so the nth member has index n.
        let whole = self.mask & self.mask.wrapping_add(1) == 0;
        let index = if whole { nth } else { nth_one(self.mask, nth) };
        T::at(index as u8)
    }
}

/// Returns the index of the nth set bit, counted from 0.
#[inline]
fn nth_one(mut mask: u64, nth: u32) -> u32 {
    for _ in 0..nth {
        mask &= mask - 1;
    }
    mask.trailing_zeros()
}

impl<T: Member> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Self {
        let mut set = Self::EMPTY;
        members.into_iter().for_each(|member| set.insert(member));
        set
    }
}

impl<T: Member> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = Members<T>;
    fn into_iter(self) -> Members<T> {
        Members(self)
    }
}

/// Iterates over a [`Set`].
pub struct Members<T>(Set<T>);

impl<T: Member> Iterator for Members<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        if self.0.mask == 0 {
            return None;
        }
        let index = self.0.mask.trailing_zeros() as u8;
        self.0.mask &= self.0.mask - 1;
        Some(T::at(index))
    }
}

impl<T: Member + fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

impl<T: Member + fmt::Display> fmt::Display for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            &self
                .into_iter()
                .map(|member| member.to_string())
                .collect::<Vec<_>>()
                .join(", "),
        )
    }
}

impl<T: Member + Serialize> Serialize for Set<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(*self)
    }
}

impl<'de, T: Member + Deserialize<'de>> Deserialize<'de> for Set<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = ArrayVec::<T, 64>::deserialize(deserializer)?;
        if members.iter().any(|member| member.index() > 63) {
            return Err(D::Error::custom("a list here holds values below 64"));
        }
        Ok(members.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Seed;

    #[test]
    fn members_come_in_order_and_only_once() {
        let set: Set<u8> = [5, 1, 5, 63, 64, 200].into_iter().collect();
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [1, 5, 63]);
        assert_eq!(set.to_string(), "1, 5, 63");
        assert!(!set.contains(64) && set.contains(63));
    }

    #[test]
    fn ranges_and_gaps() {
        let list = |set: Set<u8>| set.into_iter().collect::<Vec<_>>();
        assert_eq!(list(Set::range(2, 5)), [2, 3, 4]);
        assert_eq!(
            (list(Set::range(3, 3)), list(Set::range(4, 3))),
            (vec![], vec![])
        );
        assert_eq!(list(Set::range(1, 4).with_gap_at(2)), [1, 3, 4]);
        assert_eq!(
            (
                Set::one(7_u8).only(),
                Set::<u8>::EMPTY.only(),
                Set::<u8>::below(2).only()
            ),
            (Some(7), None, None)
        );
    }

    #[test]
    fn every_member_is_picked() {
        let set: Set<u8> = [2, 3, 40].into_iter().collect();
        let mut chance = Seed::try_from(1).unwrap().stream("pick", 0);
        let picked: Set<u8> = (0..100).map(|_| set.pick(&mut chance)).collect();
        assert_eq!(picked, set);
    }
}
