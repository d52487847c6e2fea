//! The report of a tournament: one page that holds all of it, and a short form for a README or a forum.

mod again;
mod evidence;
mod instructive;
mod method;
mod page;
mod parts;
mod verdict;

use maud::Markup;

use crate::analysis::Analysis;
use crate::chart::Drawn;
use crate::faults::Failure;
use crate::markdown;
use arena_ledger::about::{Days, ShutOut};
use arena_tournament::spec::Spec;

pub use self::instructive::{Instructive, instructive};

/// The evidence of how many matches that were forfeited is looked at.
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
    /// The workers whose results are not believed, where others played.
    pub shut_out: &'a [ShutOut],
    /// The tournament file, as it may be shown to everybody.
    pub file: &'a str,
}

/// The report as one HTML file that needs nothing else: no request, no script but that of its replays, the same bytes for the same
/// ledger.
pub fn html(report: &Contents<'_>) -> String {
    page::page(report)
}

/// What changes while matches are played: standings, warnings, the crosstable; as a part of a page.
pub fn live(analysis: &Analysis) -> Markup {
    page::live(analysis)
}

/// The charts, as a part of a page.
pub fn charts(charts: &[Drawn]) -> Markup {
    page::charts(charts)
}

/// Pairs and ratings, as a part of a page.
pub fn comparisons(analysis: &Analysis) -> Markup {
    page::comparisons(analysis)
}

/// The forfeits with their evidence, as a part of a page.
pub fn faults(analysis: &Analysis, forfeits: &[Failure]) -> Markup {
    evidence::evidence(analysis, forfeits)
}

/// The style of these parts.
pub fn style() -> String {
    page::style()
}

/// The standings, the crosstable, and how to play it again, as Markdown.
pub fn markdown(report: &Contents<'_>) -> String {
    let Contents { tournament, analysis, .. } = report;
    let mut text = format!("## {}\n\n", markdown::escaped(&tournament.name));
    text += &format!("{}\n\n", markdown::escaped(&verdict::in_words(analysis)));
    text += &markdown::standings(analysis);
    text += &format!("\n{}\n### How to play it again\n\n", markdown::crosstable(&analysis.standings.crosstable));
    for (name, value) in again::facts(tournament) {
        text += &format!("- {name}: {}\n", markdown::code(&value));
    }
    for bot in &tournament.bots {
        text += &format!("- bot {}: {}\n", markdown::escaped(&bot.name), markdown::code(&bot.bot.to_string()));
        for file in &bot.files {
            text += &format!("  - {}, SHA-256 {}\n", markdown::code(&file.file), markdown::code(&file.sha256));
        }
    }
    text += "\n```console\n";
    again::COMMANDS.iter().for_each(|(command, _)| text += &format!("$ {command}\n"));
    text + "```\n"
}

#[cfg(test)]
mod tests;
