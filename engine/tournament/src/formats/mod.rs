//! Who meets whom: the formats, one file for each, all pure functions of the field and the finished blocks.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::field::{Field, Meeting};
use crate::key::Key;
use crate::placings::Placings;

/// The options of a format by their keys, as a file or the flags give them.
pub type Options = Map<String, Value>;

/// A format: its options are its fields, which serde reads from the keys of the tournament file.
pub trait Format: Serialize + DeserializeOwned {
    /// Its name in the tournament file.
    const NAME: &'static str;
    /// Who meets whom, in a phrase.
    const ABOUT: &'static str;
    /// Its keys.
    const KEYS: &'static [Key];

    /// Fills in the options that are left out.
    fn fill(options: &mut Options, field: Field<'_>);

    /// Everything that keeps such a field from being played.
    fn check(&self, field: Field<'_>) -> Vec<Complaint>;

    /// How many rounds there are; 1 where all matches are known from the beginning.
    fn rounds(&self, field: Field<'_>) -> u32;

    /// Who meets in a round, counted from 1. Of the finished blocks only those on deals of earlier rounds are looked at;
    /// their order does not matter.
    fn meetings(&self, field: Field<'_>, round: u32, before: &[Block]) -> Vec<Meeting>;

    /// How many tables there are on a deal in all rounds together, each of which is seated in several orders; `u64::MAX`
    /// if there are more.
    fn count(&self, field: Field<'_>) -> u64;

    /// Whether everything that was planned is part of what is planned now, given the same results.
    ///
    /// # Errors
    /// What cannot be changed.
    fn extends(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint>;

    /// How the tournament stands by the rules of the format; none where that is the order of the points.
    fn placings(&self, field: Field<'_>, done: &[Block]) -> Option<Placings>;
}
