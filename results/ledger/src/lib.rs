//! The [`ledger`](ledger::Ledger) of a tournament and its finished matches; merges, verifies and repairs ledgers.

pub mod about;
mod database;
mod days;
pub mod error;
mod file;
pub mod ledger;
pub mod lock;
pub mod matches;
pub mod merge;
mod read;
mod record;
mod remove;
pub mod repair;
pub mod replay;
pub mod saved;
pub mod stretch;
mod untouched;
pub mod verify;
pub mod written;
