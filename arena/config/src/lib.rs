//! Reads the tournament file and the flags together, checks them before anything starts, and writes them.

pub mod class;
pub mod command;
pub mod diagnostic;
pub mod entrants;
pub mod file;
pub mod files;
mod flags;
pub mod game;
pub mod jobs;
mod legal;
pub mod read;
mod reader;
mod rules;
pub mod seed;
#[cfg(test)]
mod tests;
pub mod word;

pub use self::flags::FlagValue;
