//! The report of a tournament: one page that holds all of it, and a short form for a README or a forum.

mod again;
mod bots;
mod evidence;
mod instructive;
mod method;
mod page;
mod parts;
mod verdict;

use crate::analysis::Analysis;
use crate::chart::Drawn;
use crate::faults::Failure;
use crate::markdown;
use arena_ledger::about::Days;
use arena_statistics::profile::Profiles;
use arena_tournament::spec::Spec;

pub use self::bots::{OfBot, index, of_bot, of_left_out};
pub use self::evidence::evidence as faults;
pub use self::instructive::{Candidate, Instructive, candidates, instructive};
pub use self::page::{charts, comparisons, html, live, style};

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
    /// What each bot reads beyond counting, if that is wanted.
    pub profiles: Option<&'a Profiles>,
    /// The most instructive matches.
    pub matches: &'a [Instructive],
    /// The charts, drawn.
    pub charts: &'a [Drawn],
    /// When it was played, if that is known.
    pub days: Option<&'a Days>,
    /// The tournament file, as it may be shown to everybody.
    pub file: &'a str,
}

/// The standings, the crosstable, and how to play it again, as Markdown.
pub fn markdown(report: &Contents<'_>) -> String {
    let Contents {
        tournament,
        analysis,
        ..
    } = report;
    let mut text = format!("## {}\n\n", markdown::escaped(&tournament.name));
    text += &format!("{}\n\n", markdown::escaped(&verdict::in_words(analysis)));
    text += &markdown::standings(analysis);
    text += &format!(
        "\n{}\n### How to play it again\n\n",
        markdown::crosstable(&analysis.standings.crosstable)
    );
    for (name, value) in again::facts(tournament) {
        text += &format!("- {name}: {}\n", markdown::code(&value));
    }
    for bot in &tournament.bots {
        text += &format!(
            "- bot {}: {}\n",
            markdown::escaped(&bot.name),
            markdown::code(&bot.bot.to_string())
        );
        for file in &bot.files {
            text += &format!(
                "  - {}, SHA-256 {}\n",
                markdown::code(&file.file),
                markdown::code(&file.sha256)
            );
        }
    }
    text += "\n```console\n";
    again::COMMANDS
        .iter()
        .for_each(|(command, _)| text += &format!("$ {command}\n"));
    text + "```\n"
}

#[cfg(test)]
mod tests;
