//! One page with all ratings: error bars, the history, the crosstable, the season and the sources.

use std::path::Path;

use maud::{Markup, PreEscaped, html};

use super::history::Stand;
use super::{Pooled, SourceRow};
use crate::chart;
use crate::report::{POLICY, parts, style};
use crate::table::{self, Column, Table, counted};

/// Width of the chart of the history, in units.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
const MARGIN: f64 = 60.0;
/// Maximum number of bots with a line in the chart.
const MAX_LINES: usize = 8;

const STYLE: &str = ".key{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:.5rem 0;padding:0}\
    .key .chart{border:0;display:flex;align-items:center;gap:.35rem}.key svg{width:.8rem;height:.8rem;flex:none;margin:0}";

/// The title of the page, and the addresses to which it links.
pub struct Frame<'a> {
    /// Title of the page.
    pub title: &'a str,
    /// Address of the page that lists all tournaments, if there is one.
    pub home: Option<&'a str>,
    /// Function that returns the address of a source's page, if it has one.
    pub of: &'a dyn Fn(&SourceRow) -> Option<String>,
}

impl Frame<'_> {
    /// Renders the page for a file in this folder, with links to the reports of tournaments below it.
    pub fn of_file(pooled: &Pooled, folder: &Path) -> anyhow::Result<String> {
        let report = |source: &SourceRow| {
            let report = Path::new(&source.path).join("report.html");
            let below = report.strip_prefix(folder).ok()?.to_str()?;
            report.is_file().then(|| address(below))
        };
        let frame = Frame {
            title: "Ratings",
            home: None,
            of: &report,
        };
        html(pooled, &frame)
    }
}

/// Renders the page.
pub fn html(pooled: &Pooled, frame: &Frame<'_>) -> anyhow::Result<String> {
    let link = |row: usize| (frame.of)(&pooled.sources[row]);
    let ratings = pooled.ratings.as_ref();
    let bars = ratings.map(chart::of_ratings).transpose()?.flatten();
    let body = html! {
        header {
            @if let Some(home) = frame.home { p { a href=(home) { "All tournaments" } } }
            h1 { (frame.title) }
            p.result { (pooled.result) }
            p.what { (table::rated_facts(pooled)) }
        }
        main {
            (parts::table("Ratings, strongest first", &table::rated(pooled)))
            @if let Some(bars) = &bars { (parts::chart(bars)) }
            @if let Some(season) = &pooled.season { (parts::table("Points of the season", &table::season(season))) }
            (over_time(pooled))
            @if let Some(crosstable) = &pooled.crosstable {
                (parts::crosstable("Score of the row’s bot in %", crosstable, |cell| table::percent(cell.score), parts::heat))
            }
            (parts::linked("What was read", &sources(pooled), &link))
        }
        footer { p { "Made by Coda Arena " (env!("CARGO_PKG_VERSION")) "." } }
    };
    let head = html! { style { (PreEscaped(style() + STYLE)) } };
    Ok(crate::html::page(frame.title, Some(POLICY), &head, &body))
}

/// Returns the relative address of a file.
fn address(path: &str) -> String {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let bytes = path.bytes();
    let text = bytes.map(|byte| {
        if safe(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    format!("./{}", text.collect::<String>())
}

fn sources(pooled: &Pooled) -> Table {
    let all = || pooled.sources.iter();
    let columns = vec![
        Column::name("name", all().map(|source| source.name.clone()).collect()),
        Column::mark(
            "last day",
            all()
                .map(|source| source.day.clone().unwrap_or_default())
                .collect(),
        ),
        Column::number(
            "matches",
            all().map(|source| source.matches.to_string()).collect(),
        ),
    ];
    Table {
        columns,
        notes: Vec::new(),
    }
}

/// Renders the rating of the strongest bots after each day, as a chart and as a table.
fn over_time(pooled: &Pooled) -> Markup {
    let stands = &pooled.history;
    let numbers = || stands.iter().flat_map(|stand| stand.elo.values().copied());
    let [low, high] = [
        numbers().fold(f64::INFINITY, f64::min),
        numbers().fold(f64::NEG_INFINITY, f64::max),
    ];
    if stands.len() < 2 || low > high {
        return html! {};
    }
    let bots = pooled
        .bots
        .iter()
        .filter(|row| row.group == 1)
        .map(|row| row.bot.as_str());
    let bots: Vec<&str> = bots
        .filter(|bot| stands.iter().any(|stand| stand.elo.contains_key(*bot)))
        .collect();
    let x = |nth: usize| MARGIN + (WIDTH - 2.0 * MARGIN) * nth as f64 / (stands.len() - 1) as f64;
    let span = (high - low).max(1.0);
    let y = |elo: f64| 20.0 + (HEIGHT - 60.0) * (high - elo) / span;
    let line = |bot: &str| -> String {
        let known = stands
            .iter()
            .enumerate()
            .filter_map(|(nth, stand)| Some((nth, *stand.elo.get(bot)?)));
        known
            .map(|(nth, elo)| format!("{:.1},{:.1} ", x(nth), y(elo)))
            .collect()
    };
    let last = |bot: &str| {
        stands
            .iter()
            .enumerate()
            .rev()
            .find_map(|(nth, stand)| Some((nth, *stand.elo.get(bot)?)))
    };
    let shown = &bots[..bots.len().min(MAX_LINES)];
    let alt = format!(
        "Elo of {} over {}",
        counted(shown.len() as u64, "bot"),
        counted(stands.len() as u64, "day")
    );
    let (first, end) = (&stands[0].day, &stands[stands.len() - 1].day);
    html! {
        figure {
            h3 { "Rating over time" }
            div.chart { svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(alt) font-size="15" fill="currentColor" {
                @for (elo, height) in [(high, y(high)), (low, y(low))] {
                    line x1=(MARGIN) x2=(WIDTH - MARGIN) y1=(height) y2=(height) stroke="var(--line)" {}
                    text x=(MARGIN - 8.0) y=(height + 5.0) text-anchor="end" { (table::signed(elo, 0)) }
                }
                @for (nth, bot) in shown.iter().enumerate() {
                    @if let Some((day, elo)) = last(bot) {
                        polyline points=(line(bot)) stroke=(chart::colour(nth)) stroke-width="2.5" fill="none" {}
                        circle cx=(x(day)) cy=(y(elo)) r="4" fill=(chart::colour(nth)) {}
                    }
                }
                text x=(MARGIN) y=(HEIGHT - 12.0) { (first) }
                text x=(WIDTH - MARGIN) y=(HEIGHT - 12.0) text-anchor="end" { (end) }
            } }
            ul.key {
                @for (nth, bot) in shown.iter().enumerate() {
                    li.chart { svg viewBox="0 0 12 12" aria-hidden="true" { circle cx="6" cy="6" r="5" fill=(chart::colour(nth)) {} } bdi { (bot) } }
                }
            }
            figcaption { "Elo by all matches up to each day, for the strongest bots." }
        }
        (parts::table("Elo after each day", &days(stands, &bots)))
    }
}

fn days(stands: &[Stand], bots: &[&str]) -> Table {
    let column = |stand: &Stand| {
        let cell = |bot: &&str| {
            stand
                .elo
                .get(*bot)
                .map_or_else(|| table::NOTHING.into(), |elo| table::signed(*elo, 0))
        };
        Column::number(&stand.day, bots.iter().map(cell).collect())
    };
    let names = Column::name("bot", bots.iter().map(|bot| (*bot).to_owned()).collect());
    Table {
        columns: std::iter::once(names)
            .chain(stands.iter().map(column))
            .collect(),
        notes: Vec::new(),
    }
}
