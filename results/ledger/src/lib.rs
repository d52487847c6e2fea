//! What was played: the [`ledger`](ledger::Ledger) of a tournament and its finished matches, and what can be done with one as it is.
//! Nothing of statistics.

mod body;
pub mod days;
pub mod error;
pub mod ledger;
pub mod lock;
pub mod matches;
pub mod mend;
pub mod merge;
pub mod newest;
mod pages;
pub mod replay;
mod row;
mod set_aside;
pub mod stored;
pub mod stretch;
pub mod verify;
pub mod workers;
