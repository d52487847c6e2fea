//! Report page: everything about a tournament, from top to bottom.

use maud::{Markup, PreEscaped, html};

use super::parts::Part;
use super::{Contents, Instructive, again, evidence, instructive, method, parts, rounds};
use crate::analysis::Analysis;
use crate::chart::{Drawn, palette};
use crate::headline::headline;
use crate::table::counted;
use crate::{html, table, viewer};
use arena_tournament::spec::Spec;

/// Content security policy: nothing may be loaded, and only scripts that are named may run.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("style.css");

/// Maximum number of bots for which the crosstable is initially open.
const SMALL_CROSSTABLE: usize = 8;

/// Maximum number of pairs on a page, and in a large field.
const MAX_PAIRS: usize = 400;
const MAX_PAIRS_OF_MANY: usize = 100;

const SOURCES: &str = "Where the points come from";

/// Renders the report as one self-contained HTML file: it makes no requests, has no script except that of its replays, and has the same
/// bytes for the same ledger.
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
            p.what { (table::heading(&analysis.standings)) @if let Some(days) = report.days { ". " (days) } }
        }
        main {
            section id="standings" aria-labelledby="standings-head" {
                h2 id="standings-head" { "Standings" }
                (standings(analysis))
                @for chart in first { (parts::chart(chart)) }
                (remarks(analysis))
            }
            // Following a link opens the section that it leads to.
            nav aria-label="More in this report" {
                ul { @for part in &parts { li { a href={ "#" (part.id) } { (part.name) } } } }
            }
            @for part in &parts { (parts::fold(part)) }
        }
        footer { p { "Made by Coda Arena " (env!("CARGO_PKG_VERSION")) " from the tournament’s ledger alone." } }
    };
    page(tournament, &tournament.name, report.matches, &body)
}

/// Renders a page, with the script for its matches if it has any.
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

/// Returns the sections below the standings, each of which can be opened.
fn parts<'a>(report: &Contents<'a>, charts: &[Drawn]) -> Vec<Part<'a>> {
    let analysis = report.analysis;
    let titles: Vec<&str> = charts.iter().map(|chart| chart.labels.title).collect();
    let faults = match analysis.standings.forfeits() {
        0 => "no forfeits".into(),
        count => format!("{}, with evidence", counted(count, "forfeit")),
    };
    let crosstable = if parts::is_sparse(&analysis.standings.crosstable) {
        "each bot's opponents, with its score in %"
    } else if analysis.standings.has_points() {
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

/// Renders the standings, by the rules of the format and by points.
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

/// Renders the warnings; nothing if there are none.
fn remarks(analysis: &Analysis) -> Markup {
    let warnings = table::warnings(analysis);
    html! {
        @if !warnings.is_empty() { aside.warnings aria-label="Warnings" { h3 { "Warnings" } (parts::sentences(&warnings)) } }
    }
}

fn crosstables(analysis: &Analysis) -> Markup {
    let standings = &analysis.standings;
    let crosstable = &standings.crosstable;
    if parts::is_sparse(crosstable) {
        return parts::opponents(
            "Opponents of each bot, with its score against each in %",
            crosstable,
        );
    }
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

/// Renders the parts that change while matches are played: standings, warnings and the crosstable.
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

/// Renders the charts below each other, as part of a page.
pub fn charts(charts: &[Drawn]) -> Markup {
    html! {
        @for chart in charts { (parts::chart(chart)) }
        @if charts.is_empty() { p { "There is too little data for more charts." } }
    }
}

/// Renders the table of all pairs, as part of a page.
pub fn pairs(analysis: &Analysis) -> Markup {
    let most = if parts::is_large(analysis.bots.len()) {
        MAX_PAIRS_OF_MANY
    } else {
        MAX_PAIRS
    };
    parts::table("Each pair of bots", &table::pairs(analysis, most))
}

/// Returns the style sheet shared by all parts of the page.
pub fn style() -> String {
    [html::BASE, STYLE, &palette::style()].concat()
}

/// Renders the description of the tournament, and the commands that reproduce the results.
fn again(report: &Contents<'_>) -> Markup {
    let tournament = report.tournament;
    // A large field is listed only in the tournament file, except for hashes.
    let is_large = parts::is_large(tournament.bots.len());
    let bots = tournament.bots.iter();
    let listed = bots.filter(|bot| !is_large || !bot.files.is_empty());
    let is_empty = listed.clone().next().is_none();
    let bots = html! {
        thead { tr { th scope="col" { "bot" } th scope="col" { "plays" } th scope="col" { "files and their SHA-256" } } }
        tbody {
            @for bot in listed {
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
        @if !is_empty { (parts::boxed("Who plays", &bots)) }
        p { "With the tournament file below as " code { "tournament.toml" } " beside the bots:" }
        dl { @for (command, what) in again::COMMANDS { dt { code { (command) } } dd { (what) "." } } }
        details { summary { "The tournament file" } pre tabindex="0" { (report.file) } }
    }
}

/// Renders the methods behind the numbers.
fn how() -> Markup {
    html! { dl { @for [name, how, source] in method::METHOD { dt { (name) } dd { (how) " " cite { (source) "." } } } } }
}
