//! One page with all ratings: error bars, the history, the crosstable, the season and the sources.

use std::path::Path;

use maud::{Markup, PreEscaped, html};

use super::history::Stand;
use super::{Pooled, SourceRow};
use crate::chart;
use crate::report::{POLICY, parts, style};
use crate::table::{self, Column, Table};

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
            (over_time(pooled)?)
            @if let Some(crosstable) = &pooled.crosstable {
                (parts::crosstable("Score of the row’s bot in %", crosstable, |cell| table::percent(cell.score), parts::heat))
            }
            (parts::linked("What was read", &sources(pooled), &link))
        }
        footer { p { "Made by Coda Arena " (env!("CARGO_PKG_VERSION")) "." } }
    };
    let head = html! { style { (PreEscaped(style())) } };
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
fn over_time(pooled: &Pooled) -> anyhow::Result<Markup> {
    let stands = &pooled.history;
    let course = |bot: &str| -> Vec<(i32, f64)> {
        let stands = (0..).zip(stands);
        stands
            .filter_map(|(nth, stand)| Some((nth, *stand.elo.get(bot)?)))
            .collect()
    };
    let bots = pooled.bots.iter().filter(|row| row.group == 1);
    let bots = bots.map(|row| (row.bot.as_str(), course(&row.bot)));
    let bots: Vec<_> = bots.filter(|(_, course)| !course.is_empty()).collect();
    if stands.len() < 2 || bots.is_empty() {
        return Ok(html! {});
    }
    let names: Vec<&str> = bots.iter().map(|(name, _)| *name).collect();
    let shown: Vec<&str> = stands.iter().map(|stand| stand.day.as_str()).collect();
    Ok(html! {
        (parts::chart(&chart::of_history(&shown, &bots)?))
        (parts::table("Elo after each day", &days(stands, &names)))
    })
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
