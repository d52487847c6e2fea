//! Chart of the standings: official points per match, in the order of the standings, with error bars.

use super::layout::{Sheet, around};
use super::material::Material;
use super::palette::BLUE;
use super::rows::{MAX_ROWS, Rows, best_of, error_bar, numbered};
use super::{Chart, Labels};
use crate::table::{counted, finished_deals, span};
use arena_statistics::interval::MIN_DEALS_FOR_POINTS;
use arena_statistics::standings::{Basis, Standing, Standings};

/// Prepares the chart, which is available for every tournament.
pub(super) fn chart<'a>(material: &Material<'a>) -> anyhow::Result<Option<Chart<'a>>> {
    let standings = &material.analysis.standings;
    let shown = &standings.standings[..standings.standings.len().min(MAX_ROWS)];
    let best = shown.iter().take(3);
    let best = best.map(|row| format!("{} {}", row.bot, value(row)));
    let best = best.collect::<Vec<_>>().join(", ");
    let labels = Labels {
        name: "points",
        title: "points per match",
        caption: "Official points per match, in the order of the standings, with 95 % intervals over deals.",
        alt: format!("Points per match; the first of the standings are {best}."),
    };
    Ok(Some(Chart::new(material, labels, move |sheet| {
        draw(sheet, standings, shown)
    })))
}

fn draw(sheet: &Sheet, standings: &Standings, shown: &[Standing]) -> anyhow::Result<String> {
    let cells = shown.iter().map(|row| (row.bot.as_str(), value(row)));
    let footnote = footnote(standings) + &best_of(shown.len(), standings.standings.len());
    let rows = Rows::new(cells.collect(), "official points per match", footnote);
    let points = shown.iter().filter_map(|row| row.points_per_match);
    let ends = shown.iter().filter_map(|row| row.interval).flatten();
    rows.draw(sheet, around(points.chain(ends)), |chart, _| {
        let bar = |(y, row): (i32, &Standing)| {
            Some(error_bar(y, row.points_per_match?, row.interval, BLUE))
        };
        chart.draw_series(numbered(shown).filter_map(bar))?;
        Ok(())
    })
}

/// Formats points per match with their interval.
fn value(row: &Standing) -> String {
    match (row.points_per_match, row.interval) {
        (Some(points), Some(ends)) => format!("{points:.2} ({})", span(ends.map(Some))),
        (Some(points), None) => format!("{points:.2}"),
        (None, _) => "no match yet".into(),
    }
}

fn footnote(standings: &Standings) -> String {
    let unfinished = match standings.unfinished_deals {
        0 => String::new(),
        deals => format!("; {deals} unfinished left out of them"),
    };
    let deals = finished_deals(&standings.standings);
    if deals < MIN_DEALS_FOR_POINTS {
        return format!("no error bars yet: they take {MIN_DEALS_FOR_POINTS} finished deals");
    }
    let unlike = if standings.basis == Basis::Points {
        ""
    } else {
        "; opponents differ from bot to bot"
    };
    let deals = counted(deals, "finished deal");
    format!("error bars: 95 % intervals over {deals}{unfinished}{unlike}")
}
