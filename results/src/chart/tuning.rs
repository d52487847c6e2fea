//! Chart of a tuning run: the course of each parameter over the generations.

use std::path::Path;

use plotters::coord::combinators::BindKeyPoints;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::layout::{Area, Form, GAP, Sheet, TEXT, fit, mesh, number, text};
use super::palette::{INK, KINDS, PALE};
use super::save;
use crate::text::tuning::facts;
use arena_statistics::tune::report::Tuning;
use arena_tournament::tune::Scale;

/// Height of the plot of each parameter, with its title and the numbers of the generations.
const PLOT_HEIGHT: u32 = 170;
/// Width reserved at each side for labels.
const SIDE: u32 = 90;

/// Writes the chart into a folder.
pub fn write(folder: &Path, tuning: &Tuning) -> anyhow::Result<()> {
    let title = "its numbers in the course of tuning";
    let sheet = Sheet::new(Form::File, &tuning.bot, title, &facts(tuning));
    let note = "by generation; lines: the setting that was expected to score best; dots: the settings that played";
    let count = tuning.numbers.len();
    let svg = sheet.svg(PLOT_HEIGHT * count as u32, note, |area| {
        for (index, area) in area.split_evenly((count, 1)).iter().enumerate() {
            let [from, to, _] = tuning.numbers[index].numbers();
            let range = from..to;
            match tuning.numbers[index].scale {
                Scale::Linear => draw(area, tuning, index, range, number)?,
                Scale::Log => {
                    let ends = range.log_scale().with_key_points(vec![from, to]);
                    draw(area, tuning, index, ends, f64::to_string)?;
                }
            }
        }
        Ok(())
    })?;
    save(folder, "tuning", &svg)
}

/// Draws the course of a parameter over the generations, with its last value.
fn draw<Y>(
    area: &Area<'_>,
    tuning: &Tuning,
    index: usize,
    y: Y,
    label: fn(&f64) -> String,
) -> anyhow::Result<()>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let room = Form::File.width() - 2 * SIDE;
    let count = tuning.generations.len() as i32;
    let x = (0..count + 1).with_key_points((1..=count).collect());
    let mut chart = ChartBuilder::on(area)
        .caption(
            fit(&tuning.numbers[index].name, TEXT, room),
            text(TEXT, INK),
        )
        .y_label_area_size(SIDE)
        .margin_right(SIDE)
        .x_label_area_size(24)
        .build_cartesian_2d(x, y)?;
    mesh(&mut chart)
        .disable_x_mesh()
        .y_labels(5)
        .y_label_formatter(&label)
        .draw()?;
    let generations = || (1..).zip(&tuning.generations);
    let played = generations().flat_map(|(x, generation)| {
        let values = generation
            .settings
            .iter()
            .map(|setting| setting.values[index]);
        values.map(move |value| Circle::new((x, value), 2, PALE.filled()))
    });
    chart.draw_series(played)?;
    let best = generations().map(|(x, generation)| (x, generation.best[index]));
    let style = KINDS[index].filled().stroke_width(2);
    chart.draw_series(LineSeries::new(best, style).point_size(4))?;
    let value = generations()
        .last()
        .map(|(x, generation)| (x, generation.best[index]));
    chart.draw_series(value.map(|(x, value)| {
        EmptyElement::at((x, value))
            + Text::new(value.to_string(), (GAP as i32, -7), text(TEXT, INK))
    }))?;
    Ok(())
}
