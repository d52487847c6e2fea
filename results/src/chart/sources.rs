//! The chart of where official points come from: a stacked bar for each bot.

use arena_engine::outcome::Source;

use super::axis::Axis;
use super::material::Material;
use super::palette::{INK, KINDS};
use super::rows::{BotRows, MOST_ROWS, best_of};
use super::sheet::{Labels, Sheet};
use super::{Chart, ChartError};
use arena_statistics::scoring::scoring;
use arena_statistics::standings::{Standing, Standings};

/// The chart; there is none of games with a single source of points.
pub(super) fn chart<'a>(material: &Material<'a>) -> Result<Option<Chart<'a>>, ChartError> {
    let standings = &material.analysis.standings;
    let sources = scoring(&standings.game).unwrap_or_default();
    if (0..sources.len()).filter(|index| is_seen(standings, *index)).count() < 2 {
        return Ok(None);
    }
    Ok(Some(Chart::new(material, words(standings), move |sheet| draw(sheet, standings, sources))))
}

/// True if points came from this source.
fn is_seen(standings: &Standings, source: usize) -> bool {
    standings.standings.iter().any(|row| row.breakdown.0.get(source).is_some_and(|(_, count)| *count != 0))
}

fn draw(mut sheet: Sheet, standings: &Standings, sources: &[Source]) -> Sheet {
    let top = sheet.form.top();
    let shown = &standings.standings[..standings.standings.len().min(MOST_ROWS)];
    let kinds: Vec<_> = sources.iter().enumerate().filter(|(index, _)| is_seen(standings, *index)).collect();
    let kinds: Vec<_> = kinds.iter().map(|(index, source)| (KINDS[index % KINDS.len()], name(source))).collect();
    let top = sheet.legend(&kinds, top);
    let bars: Vec<Vec<f64>> = shown.iter().map(|row| bar(row, sources)).collect();
    let gained = |bar: &Vec<f64>| bar.iter().filter(|points| **points > 0.0).sum::<f64>();
    let lost = |bar: &Vec<f64>| bar.iter().filter(|points| **points < 0.0).sum::<f64>();
    let ends: Vec<f64> = bars.iter().flat_map(|bar| [gained(bar), lost(bar), 0.0]).collect();
    let total =
        |row: &Standing| row.points_per_match.map_or_else(|| "no match yet".into(), |points| format!("{points:.2}"));
    let cells: Vec<_> = shown.iter().map(|row| (row.bot.as_str(), total(row))).collect();
    let rows = BotRows::draw(&mut sheet, top, &cells, Axis::over(&ends), "official points per match");
    bars.iter().enumerate().for_each(|(index, bar)| draw_bar(&mut sheet, &rows, index, bar));
    let footnote = format!(
        "bars: points per match from each source, what is taken away to the left of 0; figures: the total{}",
        best_of(shown.len(), standings.standings.len()),
    );
    sheet.foot(rows.bottom, &footnote)
}

fn words(standings: &Standings) -> Labels {
    Labels {
        name: "sources",
        title: "where points come from",
        caption: "Official points per match by their sources, each as often as it counted times what it is worth.",
        alt: format!("Stacked bars of the sources of points of {} bots.", standings.standings.len()),
    }
}

/// A source and what it is worth.
fn name(source: &Source) -> String {
    let name = source.name.replace('_', " ");
    if source.worth == 1 { name } else { format!("{name} × {}", source.worth) }
}

/// The points per match from each source.
fn bar(row: &Standing, sources: &[Source]) -> Vec<f64> {
    let matches = row.matches.max(1) as f64;
    let counts = row.breakdown.0.iter().map(|(_, count)| *count as f64);
    counts.zip(sources).map(|(count, source)| count * f64::from(source.worth) / matches).collect()
}

fn draw_bar(sheet: &mut Sheet, rows: &BotRows, index: usize, bar: &[f64]) {
    let (mut above, mut below) = (0.0, 0.0);
    let (y, half) = (rows.y(index), rows.half());
    for (source, points) in bar.iter().enumerate().filter(|(_, points)| **points != 0.0) {
        let end = if *points > 0.0 { &mut above } else { &mut below };
        let (from, to) = (rows.x(*end), rows.x(*end + points));
        *end += points;
        sheet.fill((from.min(to), y - half), (from.max(to), y + half), KINDS[source % KINDS.len()]);
    }
    sheet.line((rows.x(0.0), y - half), (rows.x(0.0), y + half), 1.0, INK);
}
