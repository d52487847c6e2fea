//! Report of a tournament on a single page.

mod again;
mod bots;
mod evidence;
mod instructive;
mod method;
mod page;
pub(crate) mod parts;
mod rounds;
mod sheets;

use crate::analysis::Analysis;
use crate::chart::Drawn;
use crate::faults::Failure;
use crate::status::Status;
use arena_ledger::about::Days;
use arena_tournament::spec::Spec;

pub use self::bots::{OfBot, Worst, of_bot, of_left_out, public};
pub use self::evidence::evidence as faults;
pub use self::instructive::{Candidate, Instructive, candidates, instructive};
pub(crate) use self::page::POLICY;
pub use self::page::{charts, html, live, pairs, style};
pub use self::sheets::sheets;

/// Maximum number of forfeited matches whose evidence is read.
pub const MAX_FORFEITS: usize = 1000;

/// Contents of a report.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// Tournament as planned.
    pub tournament: &'a Spec,
    /// Results of the tournament.
    pub analysis: &'a Analysis,
    /// First forfeits with their evidence, at most [`MAX_FORFEITS`].
    pub forfeits: &'a [Failure],
    /// Most instructive matches.
    pub matches: &'a [Instructive],
    /// Charts, already drawn.
    pub charts: &'a [Drawn],
    /// Days on which the tournament was played, if known.
    pub days: Option<&'a Days>,
    /// Status of all bots, as the public may see it.
    pub status: &'a Status,
    /// Tournament file, as the public may see it.
    pub file: &'a str,
}

#[cfg(test)]
mod tests;
