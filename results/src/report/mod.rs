//! The report of a tournament: one page that holds all of it.

mod again;
mod bots;
mod evidence;
mod instructive;
mod method;
mod page;
mod parts;
mod rounds;

use crate::analysis::Analysis;
use crate::chart::Drawn;
use crate::faults::Failure;
use crate::status::Status;
use arena_ledger::about::Days;
use arena_tournament::spec::Spec;

pub use self::bots::{OfBot, Worst, index, of_bot, of_left_out, public};
pub use self::evidence::evidence as faults;
pub use self::instructive::{Candidate, Instructive, candidates, instructive};
pub use self::page::{charts, html, live, pairs, style};
pub use self::rounds::sheets;

/// The number of forfeited matches whose evidence is read.
pub const FORFEITS: usize = 1000;

/// The contents of a report.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// The tournament as planned.
    pub tournament: &'a Spec,
    /// Its results.
    pub analysis: &'a Analysis,
    /// The first forfeits with their evidence, at most [`FORFEITS`].
    pub forfeits: &'a [Failure],
    /// The most instructive matches.
    pub matches: &'a [Instructive],
    /// The charts, drawn.
    pub charts: &'a [Drawn],
    /// When it was played, if that is known.
    pub days: Option<&'a Days>,
    /// Everyone in it, as everybody may see them.
    pub status: &'a Status,
    /// The tournament file, as it may be shown to everybody.
    pub file: &'a str,
}

#[cfg(test)]
mod tests;
