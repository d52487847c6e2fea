//! The tournament file and the flags: read together into a description, checked before anything starts, and written again.

mod class;
mod conditions;
pub mod diagnostic;
pub mod entrants;
pub mod files;
mod flags;
pub mod read;
pub mod rules;
mod section;
pub mod seed;
pub mod sketch;
pub mod snapshot;
pub mod terminal;
#[cfg(test)]
mod tests;
pub mod trust;
mod tune;
pub mod write;

pub use self::flags::FlagValue;
