//! The report of a tournament: one page that holds all of it, and a short form for a README or a forum.

mod again;
mod evidence;
mod method;
mod page;
mod parts;
mod verdict;

use crate::analysis::Analysis;
use crate::chart::Drawn;
use crate::faults::Failure;
use crate::markdown;
use arena_tournament::spec::Spec;

/// The evidence of how many matches that were forfeited is looked at.
pub const FORFEITS: usize = 1000;

/// What a report tells of.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What was planned.
    pub tournament: &'a Spec,
    /// What came of it.
    pub analysis: &'a Analysis,
    /// The first forfeits with their evidence, at most [`FORFEITS`].
    pub forfeits: &'a [Failure],
    /// The charts, drawn.
    pub charts: &'a [Drawn],
    /// The tournament file, as it may be shown to everybody.
    pub file: &'a str,
}

/// The report as one HTML file that needs nothing else: no script, no request, the same bytes for the same ledger.
pub fn html(report: &Report<'_>) -> String {
    sealed(&page::page(report).into_string())
}

/// The standings, the crosstable, and how to play it again, as Markdown.
pub fn markdown(report: &Report<'_>) -> String {
    let Report { tournament, analysis, .. } = report;
    let mut said = format!("## {}\n\n", markdown::escaped(&tournament.name));
    said += &format!("{}\n\n", markdown::escaped(&verdict::in_words(analysis)));
    said += &markdown::standings(analysis);
    said += &format!("\n{}\n### How to play it again\n\n", markdown::crosstable(&analysis.standings.crosstable));
    for (name, value) in again::facts(tournament) {
        said += &format!("- {name}: {}\n", markdown::code(&value));
    }
    for bot in &tournament.bots {
        said += &format!("- bot {}: {}\n", markdown::escaped(&bot.name), markdown::code(&bot.bot.to_string()));
        for file in &bot.files {
            said += &format!("  - {}, SHA-256 {}\n", markdown::code(&file.file), markdown::code(&file.sha256));
        }
    }
    said += "\n```console\n";
    again::COMMANDS.iter().for_each(|(command, _)| said += &format!("$ {command}\n"));
    said + "```\n"
}

/// The door: whatever strangers wrote, nothing leaves that acts unseen or turns the direction of writing. Markup is
/// escaped where the text is put into the page.
fn sealed(page: &str) -> String {
    page.chars().map(|c| if c != '\n' && crate::text::unsafe_to_show(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests;
