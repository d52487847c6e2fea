//! The page: everything about a tournament from top to bottom.

use maud::{Markup, PreEscaped, html};

use super::parts::Part;
use super::{Contents, Instructive, again, evidence, instructive, method, parts, rounds};
use crate::analysis::Analysis;
use crate::chart::{Drawn, palette};
use crate::headline::headline;
use crate::table::counted;
use crate::{html, table, viewer};
use arena_tournament::spec::Spec;

/// Nothing may be loaded from anywhere, and no script may run but those that are named.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("style.css");

/// A crosstable of at most this many bots is open from the start.
const SMALL_CROSSTABLE: usize = 8;

const SOURCES: &str = "Where the points come from";

/// The report as one HTML file that needs nothing else: no request, no script but that of its replays, the same bytes for the same
/// ledger.
pub fn html(report: &Contents<'_>) -> String {
    let Contents {
        tournament,
        analysis,
        ..
    } = report;
    let charts = report.charts;
    let (first, more) = charts.split_at(charts.len().min(1));
    let parts = parts(report, more);
    let body = html! {
        header {
            h1 { bdi { (tournament.name) } }
            p.result { (headline(analysis)) }
            p.what { (table::heading(&analysis.standings)) @if let Some(days) = report.days { ". " (days.in_words()) } }
        }
        main {
            section id="standings" aria-labelledby="standings-head" {
                h2 id="standings-head" { "Standings" }
                (standings(analysis))
                @for chart in first { (parts::chart(chart)) }
                (remarks(analysis))
            }
            // Following a link opens its part.
            nav aria-label="More in this report" {
                ul { @for part in &parts { li { a href={ "#" (part.id) } { (part.name) } } } }
            }
            @for part in &parts { (parts::fold(part)) }
        }
        footer { p { "Made by Coda Arena " (env!("CARGO_PKG_VERSION")) " from the tournament’s ledger alone." } }
    };
    page(tournament, &tournament.name, report.matches, &body)
}

/// A page with the script that shows its matches, if it has some.
pub(super) fn page(spec: &Spec, title: &str, matches: &[Instructive], body: &Markup) -> String {
    let mut policy = POLICY.to_owned();
    let mut style = style();
    let mut script = String::new();
    if !matches.is_empty() {
        script = instructive::script(&spec.plan.game);
        policy += &format!("; script-src 'sha256-{}'", viewer::hash(&script));
        style += viewer::STYLE_WITHIN;
    }
    let body =
        html! { (body) @if !matches.is_empty() { script type="module" { (PreEscaped(script)) } } };
    let head = html! { style { (PreEscaped(style)) } };
    html::page(title, Some(&policy), &head, &body)
}

/// The parts below the standings, each of which can be opened.
fn parts<'a>(report: &Contents<'a>, charts: &[Drawn]) -> Vec<Part<'a>> {
    let analysis = report.analysis;
    let titles: Vec<&str> = charts.iter().map(|chart| chart.labels.title).collect();
    let faults = match analysis.standings.forfeits() {
        0 => "no forfeits".into(),
        count => format!("{}, with evidence", counted(count, "forfeit")),
    };
    let crosstable = if analysis.standings.has_points() {
        "each bot against each other, in % and in points"
    } else {
        "each bot against each other, in %"
    };
    let mut all = Vec::new();
    let mut add = |id, name, what: &str, body| {
        all.push(Part {
            id,
            name,
            what: what.to_owned(),
            is_open: id == "crosstable" && analysis.bots.len() <= SMALL_CROSSTABLE,
            body,
        });
    };
    if !analysis.rounds.is_empty() {
        let what = "who met whom, with what result";
        add("rounds", "Rounds", what, rounds::all(analysis));
    }
    if let Some(sources) = table::breakdown(analysis) {
        let body = parts::table(SOURCES, &sources);
        add("sources", "Sources", "where the points come from", body);
    }
    add("charts", "Charts", &titles.join(", "), self::charts(charts));
    add(
        "crosstable",
        "Crosstable",
        crosstable,
        crosstables(analysis),
    );
    let what = "each pair of bots, with intervals";
    add("pairs", "Pairs", what, pairs(analysis));
    let members = parts::table("Everyone in the tournament", &report.status.table());
    let what = "who plays, since when, and forfeits in the last run";
    add("bots", "Bots", what, members);
    let evidence = evidence::evidence(analysis, report.forfeits);
    add("faults", "Faults", &faults, evidence);
    let what = "the most instructive ones, move by move";
    add(
        "matches",
        "Matches",
        what,
        instructive::section(report.matches),
    );
    let what = "rules, bots, commands";
    add("again", "Play it again", what, again(report));
    add("method", "Method", "where the numbers come from", how());
    all
}

/// The standings, by the rules of the format and by points.
fn standings(analysis: &Analysis) -> Markup {
    html! {
        (rounds::bracket(analysis))
        @if let Some(placings) = &analysis.placings {
            @if let Some(table) = table::placings(analysis) { (parts::table(&placings.title(), &table)) }
            (parts::sentences(&table::placing_notes(placings, str::to_owned)))
        }
        (parts::table("Standings, best first", &table::standings(analysis)))
    }
}

/// Warnings, if there are any.
fn remarks(analysis: &Analysis) -> Markup {
    let warnings = table::warnings(analysis);
    html! {
        @if !warnings.is_empty() { aside.warnings aria-label="Warnings" { h3 { "Warnings" } (parts::sentences(&warnings)) } }
    }
}

fn crosstables(analysis: &Analysis) -> Markup {
    let standings = &analysis.standings;
    let crosstable = &standings.crosstable;
    html! {
        (parts::crosstable(
            "Score of the row’s bot in %: blue for more than half, orange for less, hatched for those that never met",
            crosstable, |cell| table::percent(cell.score), parts::heat,
        ))
        @if standings.has_points() {
            (parts::crosstable("Points of the row’s bot less the column’s, per match", crosstable, |cell| table::signed_hundredths(cell.points), |_| String::new()))
        }
    }
}

/// What changes while matches are played: standings, warnings, the crosstable; as a part of a page.
pub fn live(analysis: &Analysis) -> Markup {
    html! {
        p.result { (headline(analysis)) }
        p.what { (table::heading(&analysis.standings)) }
        (rounds::next(analysis))
        (standings(analysis))
        (remarks(analysis))
        @if let Some(sources) = table::breakdown(analysis) { (parts::table(SOURCES, &sources)) }
        (crosstables(analysis))
    }
}

/// The charts below each other, as a part of a page.
pub fn charts(charts: &[Drawn]) -> Markup {
    html! {
        @for chart in charts { (parts::chart(chart)) }
        @if charts.is_empty() { p { "There is too little data for more charts." } }
    }
}

/// Each pair of bots, as a part of a page.
pub fn pairs(analysis: &Analysis) -> Markup {
    parts::table("Each pair of bots", &table::pairs(analysis))
}

/// The style of all of these.
pub fn style() -> String {
    [html::BASE, STYLE, &palette::style()].concat()
}

/// The description of the tournament, and the commands that give the same results.
fn again(report: &Contents<'_>) -> Markup {
    let tournament = report.tournament;
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
        details { summary { "The tournament file" } pre { (report.file) } }
    }
}

/// The methods behind the numbers.
fn how() -> Markup {
    html! { dl { @for [name, how, source] in method::METHOD { dt { (name) } dd { (how) " " cite { (source) "." } } } } }
}
