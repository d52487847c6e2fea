//! The tournament file and the flags: read together into a description, checked before anything starts, and written again.

pub mod class;
pub mod diagnostic;
pub mod entrants;
pub mod file;
pub mod files;
mod flags;
pub mod jobs;
pub mod read;
mod reader;
mod rules;
pub mod seed;
#[cfg(test)]
mod tests;

pub use self::flags::FlagValue;
