//! The page: everything about a tournament from top to bottom.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Contents, again, evidence, method, parts, verdict};
use crate::table;
use arena_tournament::spec::Spec;

/// Nothing may be loaded from anywhere, and no script may run.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("style.css");

/// The parts of the page, by their ids.
const PARTS: [(&str, &str); 7] = [
    ("standings", "Standings"),
    ("charts", "Charts"),
    ("crosstable", "Crosstable"),
    ("pairs", "Pairs"),
    ("ratings", "Ratings"),
    ("faults", "Faults"),
    ("again", "Play it again"),
];

/// The whole page.
pub(super) fn page(report: &Contents<'_>) -> Markup {
    let Contents { tournament, analysis, .. } = report;
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (tournament.name) }
                // An icon of its own keeps browsers from asking for one.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { bdi { (tournament.name) } }
                    p.result { (verdict::in_words(analysis)) }
                    p.what { (table::heading(&analysis.standings)) }
                }
                nav aria-label="Parts of this report" {
                    ul { @for (id, name) in PARTS { li { a href={ "#" (id) } { (name) } } } li { a href="#method" { "Method" } } }
                }
                main { (results(report)) (details(report)) (how()) }
                footer { p { "Made by Coda Arena " (env!("CARGO_PKG_VERSION")) " from the tournament’s ledger alone." } }
            }
        }
    }
}

/// A part of the page with its heading.
fn part(id: &str, name: &str, body: &Markup) -> Markup {
    html! { section id=(id) aria-labelledby={ (id) "-head" } { h2 id={ (id) "-head" } { (name) } (body) } }
}

/// The part for everybody: standings, charts, crosstable.
fn results(report: &Contents<'_>) -> Markup {
    let Contents { analysis, charts, .. } = report;
    let warnings = table::warnings(analysis);
    let standings = html! {
        @if let Some(placings) = &analysis.placings {
            h3 { "By the rules of the format" }
            @for table in table::placings(analysis) { (parts::table(&placings.title(), &table)) }
            (parts::sentences(&table::placing_notes(placings, |bot| analysis.bots[bot].clone())))
        }
        (parts::table("Official points and ratings, best first", &table::headline(analysis)))
        @if let Some(breakdown) = table::breakdown(analysis) { (parts::table("Where the points come from", &breakdown)) }
        @if !warnings.is_empty() { aside.warnings aria-label="Warnings" { h3 { "Warnings" } (parts::sentences(&warnings)) } }
        @if let Some(open) = table::open(analysis) { p { (open) } }
    };
    let crosstable = &analysis.standings.crosstable;
    html! {
        (part("standings", "Standings", &standings))
        (part("charts", "Charts", &html! { @for chart in *charts { (parts::chart(chart)) } }))
        (part("crosstable", "Crosstable", &html! {
            (parts::crosstable("Score of the row’s bot in %", crosstable, parts::score))
            (parts::crosstable("Points of the row’s bot less the column’s, per match", crosstable, parts::points))
        }))
    }
}

/// The details: pairs, ratings, faults, and how to play it again.
fn details(report: &Contents<'_>) -> Markup {
    let Contents { tournament, analysis, forfeits, file, .. } = report;
    html! {
        (part("pairs", "Pairs", &parts::table("Every two bots against each other", &table::pairs(analysis))))
        (part("ratings", "Ratings", &parts::table("What the model says of each bot, strongest first", &table::ratings(analysis))))
        (part("faults", "Faults", &evidence::evidence(analysis, forfeits)))
        (part("again", "Play it again", &again(tournament, file)))
    }
}

/// The description of the tournament and the commands that give the same results.
fn again(tournament: &Spec, file: &str) -> Markup {
    let bots = html! {
        thead { tr { th scope="col" { "bot" } th scope="col" { "plays" } th scope="col" { "files and their SHA-256" } } }
        tbody {
            @for bot in &tournament.bots {
                tr {
                    th scope="row" { bdi { (bot.name) } }
                    td { code { (bot.bot) } }
                    td {
                        @for file in &bot.files { div { code { (file.file) } " " code.hash { (file.sha256) } } }
                        @if bot.files.is_empty() { "–" }
                    }
                }
            }
        }
    };
    html! {
        dl.facts { @for (name, value) in again::facts(tournament) { dt { (name) } dd { code { (value) } } } }
        (parts::boxed("Who plays", &bots))
        p { "With the tournament file below as " code { "tournament.toml" } " beside the bots:" }
        dl { @for (command, what) in again::COMMANDS { dt { code { (command) } } dd { (what) "." } } }
        details { summary { "The tournament file" } pre { (file) } }
    }
}

/// The methods behind the numbers.
fn how() -> Markup {
    part(
        "method",
        "Method",
        &html! {
            dl {
                @for [name, how, source] in method::METHOD { dt { (name) } dd { (how) " " cite { (source) "." } } }
            }
        },
    )
}
