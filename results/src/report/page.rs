//! The page: everything about a tournament from top to bottom.

use maud::{Markup, PreEscaped, html};

use super::parts::Fold;
use super::{Contents, again, evidence, instructive, method, parts, verdict};
use crate::analysis::Analysis;
use crate::chart::{Drawn, palette};
use crate::{html, table, viewer};

/// Nothing may be loaded from anywhere, and no script may run but those that are named.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("style.css");

/// A crosstable of so many bots is open from the start.
const SMALL_CROSSTABLE: usize = 8;

/// The parts below the standings, by their ids.
const PARTS: [(&str, &str); 8] = [
    ("charts", "Charts"),
    ("crosstable", "Crosstable"),
    ("pairs", "Pairs"),
    ("ratings", "Ratings"),
    ("faults", "Faults"),
    ("matches", "Matches"),
    ("again", "Play it again"),
    ("method", "Method"),
];

/// The whole page.
pub(super) fn page(report: &Contents<'_>) -> String {
    let Contents { tournament, analysis, matches, .. } = report;
    let (mut policy, mut style, mut script) = (POLICY.to_owned(), style(), String::new());
    if !matches.is_empty() {
        script = instructive::script(&tournament.plan.game);
        policy += &format!("; script-src 'sha256-{}'", viewer::hash(&script));
        style += viewer::STYLE_WITHIN;
    }
    let body = html! {
        header {
            h1 { bdi { (tournament.name) } }
            p.result { (verdict::in_words(analysis)) }
            p.what { (table::heading(&analysis.standings)) @if let Some(days) = report.days { ". " (days.in_words()) } }
        }
        main { (results(report)) (details(report)) (how()) }
        footer { p { "Made by Coda Arena " (env!("CARGO_PKG_VERSION")) " from the tournament’s ledger alone." } }
        @if !matches.is_empty() { script type="module" { (PreEscaped(script)) } }
    };
    html::page(&tournament.name, Some(&policy), &html! { style { (PreEscaped(style)) } }, &body)
}

/// What everybody looks for: the standings and the first chart; then charts and the crosstable.
fn results(report: &Contents<'_>) -> Markup {
    let Contents { analysis, charts, .. } = report;
    let (first, more) = charts.split_at(charts.len().min(1));
    let titles: Vec<&str> = more.iter().map(|chart| chart.title).collect();
    let small = analysis.standings.crosstable.bots.len() <= SMALL_CROSSTABLE;
    let open = if small { Fold::Open } else { Fold::Closed };
    html! {
        section id="standings" aria-labelledby="standings-head" {
            h2 id="standings-head" { "Standings" }
            (standings(analysis))
            @for chart in first { (parts::chart(chart)) }
            (remarks(analysis))
        }
        (contents())
        @if let Some(breakdown) = table::breakdown(analysis) {
            (parts::fold(Fold::Closed, "sources", "Sources", "where the points come from", &parts::table("Where the points come from", &breakdown)))
        }
        (parts::fold(Fold::Closed, "charts", "Charts", &titles.join(", "), &html! {
            @for chart in more { (parts::chart(chart)) }
            @if more.is_empty() { p { "Too little is played for more charts." } }
        }))
        (parts::fold(open, "crosstable", "Crosstable", "each bot against each other, in % and in points", &crosstables(analysis)))
    }
}

/// Who stands where, by the rules of the format and by points.
fn standings(analysis: &Analysis) -> Markup {
    html! {
        @if let Some(placings) = &analysis.placings {
            @for table in table::placings(analysis) { (parts::table(&placings.title(), &table)) }
            (parts::sentences(&table::placing_notes(placings, |bot| analysis.bots[bot].clone())))
        }
        (parts::table("Official points and ratings, best first", &table::headline(analysis)))
    }
}

/// What is to be known about the standings: warnings, and which differences are not decided yet.
fn remarks(analysis: &Analysis) -> Markup {
    let warnings = table::warnings(analysis);
    html! {
        @if !warnings.is_empty() { aside.warnings aria-label="Warnings" { h3 { "Warnings" } (parts::sentences(&warnings)) } }
        @if let Some(open) = table::open(analysis) { p { (open) } }
    }
}

fn crosstables(analysis: &Analysis) -> Markup {
    let crosstable = &analysis.standings.crosstable;
    html! {
        (parts::crosstable(
            "Score of the row’s bot in %: blue for more than half, orange for less, hatched for those that never met",
            crosstable, parts::score, parts::heat,
        ))
        (parts::crosstable("Points of the row’s bot less the column’s, per match", crosstable, parts::points, |_| None))
    }
}

/// What changes while matches are played, in short.
pub(super) fn live(analysis: &Analysis) -> Markup {
    html! {
        p.result { (verdict::in_words(analysis)) }
        p.what { (table::heading(&analysis.standings)) }
        (standings(analysis))
        (remarks(analysis))
        @if let Some(breakdown) = table::breakdown(analysis) { (parts::table("Where the points come from", &breakdown)) }
        (crosstables(analysis))
    }
}

/// All charts below each other.
pub(super) fn charts(charts: &[Drawn]) -> Markup {
    html! {
        @for chart in charts { (parts::chart(chart)) }
        @if charts.is_empty() { p { "Too little is played for charts." } }
    }
}

/// Every two bots, and what the model says of each.
pub(super) fn comparisons(analysis: &Analysis) -> Markup {
    html! {
        (parts::table("Every two bots against each other", &table::pairs(analysis)))
        (parts::table("What the model says of each bot, strongest first", &table::ratings(analysis)))
    }
}

/// The style of all of these.
pub(super) fn style() -> String {
    [html::BASE, STYLE, &palette::style()].concat()
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
    let Contents { analysis, forfeits, matches, .. } = report;
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
        (parts::fold(Fold::Closed, "matches", "Matches", "the most instructive ones, move by move", &html! {
            @if matches.is_empty() { p { "No match is finished yet." } } @else { (instructive::section(matches)) }
        }))
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
