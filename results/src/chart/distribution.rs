//! Chart of the distribution of official points per match, one shape per bot.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::material::Material;
use super::palette::{BLUE, INK, PALE};
use super::rows::{BotRows, MAX_ROWS, best_of};
use super::sheet::Sheet;
use super::{Chart, Labels};
use arena_statistics::histogram::Histogram;

/// Minimum number of results for the chart, one per seat of a match.
const MIN_RESULTS: u64 = 10;
/// Maximum number of slices of a shape.
const MAX_SLICES: f64 = 60.0;

/// Prepares the chart; `None` if there are too few matches, or if all points are equal.
pub(super) fn chart<'a>(material: &Material<'a>) -> anyhow::Result<Option<Chart<'a>>> {
    let best: Vec<usize> = material.best_first();
    let names = &material.analysis.bots;
    let mut spread = vec![Histogram::default(); names.len()];
    material.ledger.scores(|scored| {
        for (bot, seat) in scored.bots.iter().zip(&scored.seats) {
            spread[*bot].add(seat.points.into());
        }
        anyhow::Ok(())
    })?;
    let shown = best.iter().take(MAX_ROWS);
    let shown = shown.map(|bot| (names[*bot].as_str(), std::mem::take(&mut spread[*bot])));
    let shown: Vec<(&str, Histogram)> = shown.collect();
    let seats: u64 = shown.iter().map(|(_, points)| points.count()).sum();
    let cells = || shown.iter().flat_map(|(_, points)| points.cells());
    let came = || cells().map(|(points, _)| *points);
    let (Some(low), Some(high)) = (came().reduce(f64::min), came().reduce(f64::max)) else {
        return Ok(None);
    };
    if low == high || seats < MIN_RESULTS {
        return Ok(None);
    }
    let labels = Labels {
        name: "distribution",
        title: "how points per match are spread",
        caption: "The distribution of official points in a match: the thicker, the more often. The bar holds the middle half of a \
                  bot's matches, the dot is the median.",
        alt: "The distribution of official points in a match, by bot.".into(),
    };
    Ok(Some(Chart::new(material, labels, move |sheet| {
        draw(sheet, &shown, [low, high], names.len())
    })))
}

fn draw(
    mut sheet: Sheet,
    shown: &[(&str, Histogram)],
    [low, high]: [f64; 2],
    bots: usize,
) -> Sheet {
    let top = sheet.form.top();
    let cells = shown.iter().map(|(bot, points)| (*bot, median(points)));
    let cells: Vec<_> = cells.collect();
    let slice = ((high - low) / MAX_SLICES).floor() + 1.0;
    let axis = Axis::over(&[low, high + slice - 1.0]);
    let rows = BotRows::draw(&mut sheet, top, &cells, axis, "official points in a match");
    for (index, (_, points)) in shown.iter().enumerate() {
        draw_shape(&mut sheet, &rows, index, points, low, slice);
        draw_quartiles(&mut sheet, &rows, index, points);
    }
    let slices = if slice > 1.0 {
        format!(", in slices of {slice} points")
    } else {
        String::new()
    };
    let footnote = format!(
        "height: how often a bot made a number of points{slices}, relative to its most frequent one; bar: the middle half of its \
         matches; dot: the median{}",
        best_of(shown.len(), bots),
    );
    sheet.foot(rows.bottom, &footnote)
}

fn median(points: &Histogram) -> String {
    match points.median() {
        Some(median) => format!("median {median}"),
        None => "no match yet".into(),
    }
}

/// Draws the frequency of points in each slice, from `low` on.
fn draw_shape(
    sheet: &mut Sheet,
    rows: &BotRows,
    index: usize,
    points: &Histogram,
    low: f64,
    slice: f64,
) {
    let mut slices = BTreeMap::<u64, u64>::new();
    for (number, count) in points.cells() {
        *slices.entry(((number - low) / slice) as u64).or_default() += count;
    }
    let most = slices.values().copied().max().unwrap_or(1) as f64;
    for (number, count) in slices {
        let (from, y) = (low + slice * number as f64 - 0.5, rows.y(index));
        let half = (rows.half() * count as f64 / most).max(0.5);
        let end = (rows.x(from + slice), y + half);
        sheet.fill((rows.x(from), y - half), end, PALE);
    }
}

fn draw_quartiles(sheet: &mut Sheet, rows: &BotRows, index: usize, points: &Histogram) {
    let [Some(low), Some(median), Some(high)] = [
        points.quantile(0.25),
        points.median(),
        points.quantile(0.75),
    ] else {
        return;
    };
    let y = rows.y(index);
    sheet.line((rows.x(low), y), (rows.x(high), y), 3.0, BLUE);
    sheet.dot((rows.x(median), y), 4.0, INK);
}
