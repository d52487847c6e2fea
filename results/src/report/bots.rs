//! A page for each bot, for its author alone, and the index of these pages.

use maud::{Markup, html};

use super::page::page;
use super::{Instructive, evidence, instructive, parts};
use crate::analysis::Analysis;
use crate::faults::Failure;
use crate::table::{self, counted, decimal, points_span};
use arena_statistics::standings::Standing;
use arena_tournament::printable::clean;
use arena_tournament::spec::{LeftOut, Spec};

/// What the page of a bot holds.
pub struct OfBot<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its first forfeits with their evidence.
    pub forfeits: &'a [Failure],
    /// Its most instructive matches.
    pub matches: &'a [Instructive],
    /// The address of its log, if there is one.
    pub log: Option<&'a str>,
    /// The address of the list of all bots.
    pub all: &'a str,
}

/// The page of a bot that plays.
pub fn of_bot(spec: &Spec, analysis: &Analysis, bot: &OfBot<'_>) -> String {
    let OfBot {
        name,
        forfeits,
        matches,
        log,
        all,
    } = bot;
    let count = analysis
        .standings
        .standings
        .iter()
        .find(|row| row.bot == *name)
        .map_or(0, |row| row.forfeits.total);
    let body = html! {
        p.result { (place(analysis, name)) }
        h2 { "Against each other bot" }
        (parts::table("This bot against each that it met", &table::pairs_of(analysis, name)))
        h2 { "Faults" }
        @if forfeits.is_empty() { p { "No forfeits." } }
        @else { p { (counted(count, "forfeit")) ". Each kind once, with the first of it:" } (evidence::listed(forfeits)) }
        @if let Some(log) = log { p { a href=(log) { "Its log" } ": all that it wrote to standard error." } }
        h2 { "Matches worth a look" }
        (instructive::section(matches))
    };
    of_name(spec, name, all, matches, &body)
}

/// The page of a bot that does not play.
pub fn of_left_out(spec: &Spec, left_out: &LeftOut, all: &str) -> String {
    let body = html! { p.result { "This bot does not play." } pre { (left_out.why) } };
    of_name(spec, &left_out.name, all, &[], &body)
}

/// The list of all bots with the addresses of their pages, without the reasons why some do not play.
pub fn index(spec: &Spec, analysis: &Analysis, address: impl Fn(&str) -> Option<String>) -> String {
    let left_out: Vec<&LeftOut> = spec
        .left_out
        .iter()
        .filter(|bot| !bot.name.is_empty())
        .collect();
    let link = |name: &str| {
        let name_shown = html! { bdi { (clean(name)) } };
        html! { @if let Some(address) = address(name) { a href=(address) { (name_shown) } } @else { (name_shown) } }
    };
    let body = html! {
        header { h1 { bdi { (spec.name) } } p.what { (table::heading(&analysis.standings)) } }
        main {
            (parts::boxed("Best first", &html! {
                thead { tr {
                    th.number scope="col" { "#" } th.head scope="col" { "bot" } th.number scope="col" { "points/match" }
                    @for head in ["won", "drawn", "lost", "forfeited"] { th.number scope="col" { (head) } }
                } }
                tbody {
                    @for row in &analysis.standings.standings { tr {
                        td.number { (row.rank) } th scope="row" { (link(&row.bot)) } td.number { (decimal(row.points_per_match)) }
                        @for count in [row.wins, row.draws, row.losses, row.forfeits.total] { td.number { (count) } }
                    } }
                    @for bot in &left_out { tr {
                        td.number { "–" } th scope="row" { (link(&bot.name)) } td colspan="5" { "does not play" }
                    } }
                }
            }))
        }
    };
    page(spec, &spec.name, &[], &body)
}

fn of_name(spec: &Spec, name: &str, all: &str, matches: &[Instructive], body: &Markup) -> String {
    let body = html! {
        header { h1 { bdi { (clean(name)) } } p.what { "In " bdi { (spec.name) } ". " a href=(all) { "All bots" } } }
        main { (body) }
    };
    page(spec, &clean(name), matches, &body)
}

/// A row of the standings in words.
fn place(analysis: &Analysis, name: &str) -> String {
    let standings = &analysis.standings.standings;
    let Some(row) = standings.iter().find(|row| row.bot == name) else {
        return "It has not played yet.".into();
    };
    let Standing {
        rank,
        ranks: [best, worst],
        wins,
        draws,
        losses,
        ..
    } = row;
    let span = row
        .interval
        .map(|ends| format!(" (95%: {})", points_span(ends.map(Some))))
        .unwrap_or_default();
    format!(
        "Rank {rank} of {} (with 95% confidence {best} to {worst}), {} points per match{span}; {}: {wins} won, {draws} drawn, \
         {losses} lost, {} forfeited.",
        standings.len(),
        decimal(row.points_per_match),
        counted(row.matches, "match"),
        row.forfeits.total
    )
}
