//! Faults of a tournament with their evidence, each kind once.

use maud::{Markup, html};

use super::parts::sentences;
use crate::analysis::Analysis;
use crate::faults::{Failure, escaped, kinds, times};
use crate::table;
use arena_tournament::error_lines::excerpt;
use arena_tournament::printable::cut;

/// Maximum number of kinds of forfeits listed.
const MAX_KINDS: usize = 20;
/// Maximum width of a line, in columns.
const MAX_LINE_WIDTH: usize = 400;
/// Maximum number of lines shown of a bot's log.
const MAX_LOG_LINES: usize = 8;
/// Maximum number of lines shown of those sent, and of those received.
const MAX_WIRE_LINES: usize = 4;

/// Renders the forfeits of each bot, then each kind of forfeit with its evidence, as part of a page.
pub fn evidence(analysis: &Analysis, forfeits: &[Failure]) -> Markup {
    if forfeits.is_empty() {
        return html! { p { "No forfeits." } };
    }
    let groups = kinds(forfeits);
    let all = analysis.standings.forfeits();
    html! {
        (sentences(&table::faults(analysis)))
        @if all > forfeits.len() as u64 { p { "The evidence of " (forfeits.len()) " of " (all) " forfeits, the first ones:" } }
        @for group in groups.iter().take(MAX_KINDS) { (describe(group)) }
        @if groups.len() > MAX_KINDS { p { "Kinds of forfeits left out here: " (groups.len() - MAX_KINDS) "." } }
        p { code { "arena faults" } " lists all of them, late moves that cost no match, and void matches." }
    }
}

/// Renders each kind of these forfeits with its evidence.
pub(super) fn listed(forfeits: &[Failure]) -> Markup {
    html! { @for group in kinds(forfeits).iter().take(MAX_KINDS) { (describe(group)) } }
}

/// Renders one kind of fault, with the evidence of its first occurrence.
fn describe(group: &[&Failure]) -> Markup {
    let Some(first) = group.first() else {
        return html! {};
    };
    let Failure {
        r#match,
        turn,
        seat,
        ..
    } = first;
    html! {
        article.fault {
            h3 { bdi { (first.bot) } ": " (first.cause.to_string()) ", " (times(group)) }
            p { (short(&first.detail)) }
            p {
                @if group.len() > 1 { "The first one: match " } @else { "Match " }
                span data-at=(r#match) data-turn=(turn) { (r#match) ", turn " (turn) } ", seat " (seat.index() + 1) ", against " (first.opponents.join(", ")) "."
            }
            dl {
                @if let Some(prompt) = &first.prompt { dt { "prompt" } dd { pre tabindex="0" { (short(&prompt.to_string())) } } }
                (lines("sent", first.sent.iter().map(String::as_str), MAX_WIRE_LINES))
                (lines("received", first.received.iter().map(String::as_str), MAX_WIRE_LINES))
                (lines("log", excerpt(&first.log, MAX_LOG_LINES).into_iter(), MAX_LOG_LINES))
                @if let Some(exit) = &first.exit { dt { "process" } dd { (short(exit)) } }
                @if let Some(help) = &first.help { dt { "help" } dd { (short(help)) } }
            }
        }
    }
}

/// Renders the last `most` lines; nothing if there are none.
fn lines<'a>(head: &str, all: impl Iterator<Item = &'a str>, most: usize) -> Markup {
    let all: Vec<String> = all.map(short).collect();
    let last = &all[all.len().saturating_sub(most)..];
    html! { @if !last.is_empty() { dt { (head) } dd { pre tabindex="0" { (last.join("\n")) } } } }
}

/// Returns a line of a bot with invisible characters escaped, truncated to the maximum width.
fn short(line: &str) -> String {
    cut(&escaped(line), MAX_LINE_WIDTH)
}
