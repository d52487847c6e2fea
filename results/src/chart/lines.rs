//! The layout of charts with a line for each of a few bots, which is named at its end.

use std::ops::Range;

use plotters::prelude::*;

use super::layout::{AXIS, Form, GAP, Sheet, TEXT, fit, mesh, number, text, text_width, widest};
use super::palette::{FAINT, INK, KINDS};

const HEIGHT: u32 = 400;
/// Distance between the ends of the lines and their names.
const LEADER: u32 = 24;
/// Minimum distance between two names.
const MIN_NAME_DISTANCE: i32 = 18;

/// Line of a bot.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) points: Vec<(i32, f64)>,
    /// Both ends of the interval at some points.
    pub(super) band: Vec<(i32, [f64; 2])>,
}

/// Draws lines, the first one on top, over axes that show these quantities.
pub(super) fn draw(
    sheet: &Sheet,
    lines: &[Line<'_>],
    y: Range<f64>,
    [x_measure, y_measure]: [&str; 2],
    x_label: &dyn Fn(&i32) -> String,
    footnote: &str,
) -> anyhow::Result<String> {
    let room = if sheet.form == Form::Phone { 115 } else { 170 };
    let names = lines.iter().map(|line| fit(line.name, TEXT, room));
    let names: Vec<String> = names.collect();
    let last = lines.iter().flat_map(|line| &line.points);
    let last = last.map(|(x, _)| *x).max().unwrap_or(1);
    sheet.svg(HEIGHT + AXIS, footnote, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin_left(sheet.form.margin())
            .margin_right(sheet.form.margin() + LEADER + GAP + widest(&names))
            .x_label_area_size(AXIS)
            .y_label_area_size(64)
            .build_cartesian_2d(0..last, y)?;
        let wide = text_width(&x_label(&last), TEXT) + f64::from(GAP);
        let labels = f64::from(chart.plotting_area().dim_in_pixel().0) / wide;
        mesh(&mut chart)
            .x_labels((labels as usize).clamp(2, 11))
            .x_label_formatter(&x_label)
            .y_label_formatter(&number)
            .x_desc(x_measure)
            .y_desc(y_measure)
            .draw()?;
        for (line, colour) in lines.iter().zip(KINDS) {
            // Bands have outlines, so that two crossing bands can be distinguished, and a band of a single interval can be seen.
            let end = |side: usize| line.band.iter().map(move |(x, ends)| (*x, ends[side]));
            let band: Vec<(i32, f64)> = end(0).chain(end(1).rev()).collect();
            chart.draw_series([Polygon::new(band.clone(), colour.mix(0.12))])?;
            chart.draw_series(LineSeries::new(band, colour))?;
        }
        for (line, colour) in lines.iter().zip(KINDS).rev() {
            let style = colour.filled().stroke_width(2);
            chart.draw_series(LineSeries::new(line.points.iter().copied(), style))?;
            let end = line.points.last();
            chart.draw_series(end.map(|end| Circle::new(*end, 4, style)))?;
        }
        // A legend of the library would cover the lines. Instead, each name stands at the end of its line, apart from the others.
        let ends = lines.iter().zip(&names).zip(KINDS);
        let ends =
            ends.filter_map(|((line, name), colour)| Some((*line.points.last()?, name, colour)));
        let mut ends: Vec<((i32, f64), &String, RGBColor)> = ends.collect();
        ends.sort_by(|a, b| b.0.1.total_cmp(&a.0.1));
        let (across, down) = chart.plotting_area().get_pixel_range();
        let heights = ends.iter().map(|(end, ..)| chart.backend_coord(end).1);
        let heights = apart(&heights.collect::<Vec<i32>>(), down.end);
        for ((end, name, colour), height) in ends.into_iter().zip(heights) {
            let (x, y) = chart.backend_coord(&end);
            let (right, up) = (across.end + LEADER as i32 - x, height - y);
            // The stroke is thin and grey, because it is not data. The part next to the name has the colour of the line.
            let name = EmptyElement::at(end)
                + PathElement::new([(5, 0), (right - 8, up)], FAINT)
                + PathElement::new([(right - 8, up), (right, up)], colour.stroke_width(4))
                + Text::new(name.clone(), (right + 5, up - 7), text(TEXT, INK));
            chart.draw_series([name])?;
        }
        Ok(())
    })
}

/// Spreads sorted heights so that no two are too close and all lie in the plot.
fn apart(wanted: &[i32], bottom: i32) -> Vec<i32> {
    let below = (0..wanted.len() as i32).rev();
    let mut last = i32::MIN / 2;
    let place = |(height, below): (&i32, i32)| {
        let lowest = bottom - MIN_NAME_DISTANCE * below;
        last = lowest.min(*height.max(&(last + MIN_NAME_DISTANCE)));
        last
    };
    wanted.iter().zip(below).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_apart_and_stay_in_the_plot() {
        for wanted in [vec![100; 8], vec![484; 8], vec![90, 91, 300, 483]] {
            let heights = apart(&wanted, 484);
            assert!(
                heights
                    .windows(2)
                    .all(|pair| pair[1] - pair[0] >= MIN_NAME_DISTANCE),
                "{heights:?}"
            );
            assert!(
                heights.iter().all(|height| (84..=484).contains(height)),
                "{heights:?}"
            );
        }
        assert_eq!(apart(&[100, 200], 484), [100, 200]);
    }
}
