//! The chart of how official points per match are spread, a shape for each bot.

use super::axis::Axis;
use super::histogram::Histogram;
use super::material::Material;
use super::palette::{BLUE, INK, PALE};
use super::rows::{BotRows, MOST_ROWS, best_of};
use super::sheet::Sheet;
use super::{Chart, ChartError, Labels};

/// The fewest matches of which a spread is drawn.
const FEWEST: u64 = 10;
/// The most slices of a shape.
const SLICES: i64 = 60;

/// The chart; there is none of a few matches, nor of points that are all the same.
pub(super) fn chart<'a>(material: &Material<'a>) -> Result<Option<Chart<'a>>, ChartError> {
    let best: Vec<usize> = material.best_first();
    let names = &material.analysis.bots;
    let mut spread = vec![Histogram::default(); names.len()];
    material.ledger.scores(|scored| {
        scored.bots.iter().zip(&scored.seats).for_each(|(bot, seat)| spread[*bot].add(seat.points));
        Ok::<_, ChartError>(())
    })?;
    let shown: Vec<(&str, Histogram)> =
        best.iter().take(MOST_ROWS).map(|bot| (names[*bot].as_str(), std::mem::take(&mut spread[*bot]))).collect();
    let seats: u64 = shown.iter().map(|(_, points)| points.total).sum();
    let came = || shown.iter().flat_map(|(_, points)| points.counts()).map(|(points, _)| points);
    let (Some(low), Some(high)) = (came().min(), came().max()) else { return Ok(None) };
    if low == high || seats < FEWEST {
        return Ok(None);
    }
    let labels = Labels {
        name: "distribution",
        title: "how points per match are spread",
        caption: "The distribution of official points in a match: the thicker, the more often. The bar holds the middle half of a \
                  bot's matches, the dot is the median.",
        alt: "The distribution of official points in a match, by bot.".into(),
    };
    Ok(Some(Chart::new(material, labels, move |sheet| draw(sheet, &shown, [low, high], names.len()))))
}

fn draw(mut sheet: Sheet, shown: &[(&str, Histogram)], [low, high]: [i32; 2], bots: usize) -> Sheet {
    let top = sheet.form.top();
    let cells: Vec<_> = shown.iter().map(|(bot, points)| (*bot, median(points))).collect();
    let slice = (i64::from(high) - i64::from(low)) / SLICES + 1;
    let ends = [f64::from(low), f64::from(high) + (slice - 1) as f64];
    let rows = BotRows::draw(&mut sheet, top, &cells, Axis::over(&ends), "official points in a match");
    for (index, (_, points)) in shown.iter().enumerate() {
        draw_shape(&mut sheet, &rows, index, &slices(points, low, slice));
        draw_quartiles(&mut sheet, &rows, index, points);
    }
    let slices = if slice > 1 { format!(", in slices of {slice} points") } else { String::new() };
    let footnote = format!(
        "height: how often a bot made a number of points{slices}, relative to its most frequent one; bar: the middle half of its \
         matches; dot: the median{}",
        best_of(shown.len(), bots),
    );
    sheet.foot(rows.bottom, &footnote)
}

fn median(points: &Histogram) -> String {
    points.quantile(0.5).map_or_else(|| "no match yet".into(), |median| format!("median {median}"))
}

/// The lower end of each slice that is not empty, its upper end, and how often its points came.
fn slices(points: &Histogram, low: i32, slice: i64) -> Vec<([f64; 2], u64)> {
    let mut slices: Vec<([f64; 2], u64)> = Vec::new();
    for (number, count) in points.counts() {
        let from = (i64::from(low) + (i64::from(number) - i64::from(low)) / slice * slice) as f64 - 0.5;
        match slices.last_mut() {
            Some((ends, counted)) if ends[0] == from => *counted += count,
            _ => slices.push(([from, from + slice as f64], count)),
        }
    }
    slices
}

fn draw_shape(sheet: &mut Sheet, rows: &BotRows, index: usize, slices: &[([f64; 2], u64)]) {
    let most = slices.iter().map(|(_, count)| *count).max().unwrap_or(1) as f64;
    for ([from, to], count) in slices {
        let half = (rows.half() * *count as f64 / most).max(0.5);
        let y = rows.y(index);
        sheet.fill((rows.x(*from), y - half), (rows.x(*to), y + half), PALE);
    }
}

fn draw_quartiles(sheet: &mut Sheet, rows: &BotRows, index: usize, points: &Histogram) {
    let [Some(low), Some(median), Some(high)] = [0.25, 0.5, 0.75].map(|share| points.quantile(share)) else { return };
    let (x, y) = (|number: i32| rows.x(f64::from(number)), rows.y(index));
    sheet.line((x(low), y), (x(high), y), 3.0, BLUE);
    sheet.dot((x(median), y), 4.0, INK);
}
