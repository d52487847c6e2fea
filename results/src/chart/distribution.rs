//! Chart of the distribution of official points per match, one shape per bot.

use std::collections::BTreeMap;

use plotters::prelude::{Circle, Color, PathElement, Rectangle};

use super::layout::{Sheet, around};
use super::material::Material;
use super::palette::{BLUE, INK, PALE};
use super::rows::{MAX_ROWS, Rows, best_of, numbered};
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
    sheet: &Sheet,
    shown: &[(&str, Histogram)],
    [low, high]: [f64; 2],
    bots: usize,
) -> anyhow::Result<String> {
    let slice = ((high - low) / MAX_SLICES).floor() + 1.0;
    let slices = if slice > 1.0 {
        format!(", in slices of {slice} points")
    } else {
        String::new()
    };
    let cells = shown.iter().map(|(bot, points)| (*bot, median(points)));
    let footnote = format!(
        "height: how often a bot made a number of points{slices}, relative to its most frequent one; bar: the middle half of its \
         matches; dot: the median{}",
        best_of(shown.len(), bots),
    );
    let rows = Rows::new(cells.collect(), "official points in a match", footnote);
    rows.draw(sheet, around([low, high + slice - 1.0]), |chart, half| {
        for (row, (_, points)) in numbered(shown) {
            let shape = frequencies(points, low, slice).into_iter();
            chart.draw_series(shape.map(|(from, share)| {
                let half = ((0.7 * f64::from(half) * share).round() as i32).max(2);
                let corners = [(from, row - half), (from + slice, row + half)];
                Rectangle::new(corners, PALE.filled())
            }))?;
            let [low, high] = [0.25, 0.75].map(|share| points.quantile(share));
            let bar = low
                .zip(high)
                .map(|(low, high)| vec![(low, row), (high, row)]);
            chart.draw_series(bar.map(|bar| PathElement::new(bar, BLUE.stroke_width(3))))?;
            let median = points.median();
            chart.draw_series(median.map(|median| Circle::new((median, row), 4, INK.filled())))?;
        }
        Ok(())
    })
}

/// Returns the start of each slice, from `low` on, with its frequency relative to that of the most frequent one.
fn frequencies(points: &Histogram, low: f64, slice: f64) -> Vec<(f64, f64)> {
    let mut slices = BTreeMap::<u64, u64>::new();
    for (number, count) in points.cells() {
        *slices.entry(((number - low) / slice) as u64).or_default() += count;
    }
    let most = slices.values().copied().max().unwrap_or(1) as f64;
    let share = |(number, count)| (low + slice * number as f64 - 0.5, count as f64 / most);
    slices.into_iter().map(share).collect()
}

fn median(points: &Histogram) -> String {
    let median = points.median();
    median.map_or("no match yet".into(), |median| format!("median {median}"))
}
