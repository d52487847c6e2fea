//! What was played: the [`ledger`](ledger::Ledger) of a tournament and its finished matches, and what can be done with one as it is.
//! Nothing of statistics.

pub mod about;
pub mod error;
pub mod ledger;
pub mod lock;
pub mod matches;
pub mod merge;
pub mod newest;
mod piece;
mod record;
mod remove;
pub mod repair;
pub mod replay;
pub mod stretch;
pub mod verify;
