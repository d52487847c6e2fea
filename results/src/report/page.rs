//! The page: everything about a tournament from top to bottom.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::parts::Fold;
use super::{Contents, again, evidence, method, parts, verdict};
use crate::chart::palette;
use crate::table;

/// Nothing may be loaded from anywhere, and no script may run.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("style.css");

/// A crosstable of so many bots is open from the start.
const SMALL_CROSSTABLE: usize = 8;

/// The parts below the standings, by their ids.
const PARTS: [(&str, &str); 7] = [
    ("charts", "Charts"),
    ("crosstable", "Crosstable"),
    ("pairs", "Pairs"),
    ("ratings", "Ratings"),
    ("faults", "Faults"),
    ("again", "Play it again"),
    ("method", "Method"),
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
                style { (PreEscaped(STYLE)) (PreEscaped(palette::style())) }
            }
            body {
                header {
                    h1 { bdi { (tournament.name) } }
                    p.result { (verdict::in_words(analysis)) }
                    p.what { (table::heading(&analysis.standings)) @if let Some(days) = report.days { ". " (days.in_words()) } }
                }
                main { (results(report)) (details(report)) (how()) }
                footer { p { "Made by Coda Arena " (env!("CARGO_PKG_VERSION")) " from the tournament’s ledger alone." } }
            }
        }
    }
}

/// What everybody looks for: the standings and the first chart; then charts and the crosstable.
fn results(report: &Contents<'_>) -> Markup {
    let Contents { analysis, charts, .. } = report;
    let warnings = table::warnings(analysis);
    let (first, more) = charts.split_at(charts.len().min(1));
    let titles: Vec<&str> = more.iter().map(|chart| chart.title).collect();
    let crosstable = &analysis.standings.crosstable;
    let open = if crosstable.bots.len() <= SMALL_CROSSTABLE { Fold::Open } else { Fold::Closed };
    html! {
        section id="standings" aria-labelledby="standings-head" {
            h2 id="standings-head" { "Standings" }
            @if let Some(placings) = &analysis.placings {
                @for table in table::placings(analysis) { (parts::table(&placings.title(), &table)) }
                (parts::sentences(&table::placing_notes(placings, |bot| analysis.bots[bot].clone())))
            }
            (parts::table("Official points and ratings, best first", &table::headline(analysis)))
            @for chart in first { (parts::chart(chart)) }
            @if !warnings.is_empty() { aside.warnings aria-label="Warnings" { h3 { "Warnings" } (parts::sentences(&warnings)) } }
            @if let Some(open) = table::open(analysis) { p { (open) } }
        }
        (contents())
        @if let Some(breakdown) = table::breakdown(analysis) {
            (parts::fold(Fold::Closed, "sources", "Sources", "where the points come from", &parts::table("Where the points come from", &breakdown)))
        }
        (parts::fold(Fold::Closed, "charts", "Charts", &titles.join(", "), &html! {
            @for chart in more { (parts::chart(chart)) }
            @if more.is_empty() { p { "Too little is played for more charts." } }
        }))
        (parts::fold(open, "crosstable", "Crosstable", "each bot against each other, in % and in points", &html! {
            (parts::crosstable(
                "Score of the row’s bot in %: blue for more than half, orange for less, hatched for those that never met",
                crosstable, parts::score, parts::heat,
            ))
            (parts::crosstable("Points of the row’s bot less the column’s, per match", crosstable, parts::points, |_| None))
        }))
    }
}

/// Links to the parts that are folded below; following one opens its part.
fn contents() -> Markup {
    html! {
        nav aria-label="More in this report" {
            ul { @for (id, name) in PARTS { li { a href={ "#" (id) } { (name) } } } }
        }
    }
}

/// The details: pairs, ratings, faults, and how to play it again.
fn details(report: &Contents<'_>) -> Markup {
    let Contents { analysis, forfeits, .. } = report;
    let pairs = parts::table("Every two bots against each other", &table::pairs(analysis));
    let ratings = parts::table("What the model says of each bot, strongest first", &table::ratings(analysis));
    let faults = match analysis.standings.forfeits() {
        0 => "no forfeits".into(),
        1 => "1 forfeit, with its evidence".into(),
        count => format!("{count} forfeits, with their evidence"),
    };
    html! {
        (parts::fold(Fold::Closed, "pairs", "Pairs", "every two bots against each other, with intervals", &pairs))
        (parts::fold(Fold::Closed, "ratings", "Ratings", "what the model says of each bot", &ratings))
        (parts::fold(Fold::Closed, "faults", "Faults", &faults, &evidence::evidence(analysis, forfeits)))
        (parts::fold(Fold::Closed, "again", "Play it again", "rules, seed, bots, commands", &again(report)))
    }
}

/// The description of the tournament, who was not believed of those who played it, and the commands that give the same results.
fn again(report: &Contents<'_>) -> Markup {
    let Contents { tournament, shut_out, file, .. } = report;
    let doubted: Vec<String> = shut_out.iter().map(|entry| format!("Of other machines, {entry}")).collect();
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
        (parts::sentences(&doubted))
        p { "With the tournament file below as " code { "tournament.toml" } " beside the bots:" }
        dl { @for (command, what) in again::COMMANDS { dt { code { (command) } } dd { (what) "." } } }
        details { summary { "The tournament file" } pre { (file) } }
    }
}

/// The methods behind the numbers.
fn how() -> Markup {
    parts::fold(
        Fold::Closed,
        "method",
        "Method",
        "where the numbers come from",
        &html! {
            dl {
                @for [name, how, source] in method::METHOD { dt { (name) } dd { (how) " " cite { (source) "." } } }
            }
        },
    )
}
