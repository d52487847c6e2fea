//! The faults of a tournament with their evidence, each kind once.

use maud::{Markup, html};

use super::parts::sentences;
use crate::analysis::Analysis;
use crate::faults::{Failure, escaped, kinds};
use crate::table;
use arena_tournament::error_lines::excerpt;
use arena_tournament::printable::cut;

/// The number of kinds of forfeits that are listed.
const MOST: usize = 20;
/// The width of a line that is shown.
const LINE: usize = 400;
/// The number of lines of a bot's log that are shown, and of those sent and received.
const LOG: usize = 8;
const LINES: usize = 4;

/// The forfeits of each bot, then each kind of forfeit with its evidence; as a part of a page.
pub fn evidence(analysis: &Analysis, forfeits: &[Failure]) -> Markup {
    if forfeits.is_empty() {
        return html! { p { "No forfeits." } };
    }
    let groups = kinds(forfeits);
    let all = analysis.standings.forfeits();
    html! {
        (sentences(&table::faults(analysis)))
        @if all > forfeits.len() as u64 { p { "The evidence of " (forfeits.len()) " of " (all) " forfeits, the first ones:" } }
        @for group in groups.iter().take(MOST) { (describe(group)) }
        @if groups.len() > MOST { p { "Kinds of forfeits left out here: " (groups.len() - MOST) "." } }
        p { code { "arena faults" } " lists all of them, late moves that cost no match, and void matches." }
    }
}

/// The kinds of these forfeits with their evidence.
pub(super) fn listed(forfeits: &[Failure]) -> Markup {
    html! { @for group in kinds(forfeits).iter().take(MOST) { (describe(group)) } }
}

/// One kind of fault, with the evidence of the first.
fn describe(group: &[&Failure]) -> Markup {
    let Some(first) = group.first() else {
        return html! {};
    };
    let often = match group.len() {
        1 => "once".into(),
        count => format!("{count} times"),
    };
    let Failure {
        r#match,
        turn,
        seat,
        ..
    } = first;
    html! {
        article.fault {
            h3 { bdi { (first.bot) } ": " (first.cause.to_string()) ", " (often) }
            p { (short(&first.detail)) }
            p {
                @if group.len() > 1 { "The first one: match " } @else { "Match " }
                span data-at=(r#match) data-turn=(turn) { (r#match) ", turn " (turn) } ", seat " (seat) ", against " (first.opponents.join(", ")) "."
            }
            dl {
                @if let Some(prompt) = &first.prompt { dt { "prompt" } dd { pre { (short(&prompt.to_string())) } } }
                (lines("sent", first.sent.iter().map(String::as_str), LINES))
                (lines("received", first.received.iter().map(String::as_str), LINES))
                (lines("log", excerpt(&first.log, LOG).into_iter(), LOG))
                @if let Some(exit) = &first.exit { dt { "process" } dd { (short(exit)) } }
                @if let Some(help) = &first.help { dt { "help" } dd { (short(help)) } }
            }
        }
    }
}

/// The last of these lines, if there are any.
fn lines<'a>(head: &str, all: impl Iterator<Item = &'a str>, most: usize) -> Markup {
    let all: Vec<String> = all.map(short).collect();
    let last = &all[all.len().saturating_sub(most)..];
    html! { @if !last.is_empty() { dt { (head) } dd { pre { (last.join("\n")) } } } }
}

/// A line of a bot: escaped where it could not be seen, and cut.
fn short(line: &str) -> String {
    cut(&escaped(line), LINE)
}
