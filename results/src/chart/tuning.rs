//! Chart of a tuning run: the course of each parameter over the generations.

use std::path::Path;

use plotters::coord::combinators::BindKeyPoints;
use plotters::prelude::*;

use super::layout::{Form, GAP, Sheet, TEXT, fit, mesh, text};
use super::palette::{INK, KINDS, PALE};
use super::save;
use crate::text::tuning::facts;
use arena_statistics::tune::report::Tuning;

/// Height of the plot of each parameter, with its title and the numbers of the generations.
const PLOT_HEIGHT: u32 = 170;
/// Width reserved at each side for labels.
const SIDE: u32 = 90;

/// Writes the chart into a folder.
pub fn write(folder: &Path, tuning: &Tuning) -> anyhow::Result<()> {
    let title = "its numbers in the course of tuning";
    let sheet = Sheet::new(Form::File, &tuning.bot, title, &facts(tuning));
    let note = "by generation; lines: the setting that was expected to score best; dots: the settings that played";
    let numbers = &tuning.numbers;
    let count = tuning.generations.len() as i32;
    let svg = sheet.svg(PLOT_HEIGHT * numbers.len() as u32, note, |area| {
        let areas = area.split_evenly((numbers.len(), 1));
        for (index, (number, area)) in numbers.iter().zip(&areas).enumerate() {
            let name = fit(&number.name, TEXT, Form::File.width() - 2 * SIDE);
            let ends = [&number.from, &number.to];
            let end = |share: &f64| ends[usize::from(*share > 0.5)].to_string();
            let x = (0..count + 1).with_key_points((1..=count).collect());
            let mut chart = ChartBuilder::on(area)
                .caption(name, text(TEXT, INK))
                .y_label_area_size(SIDE)
                .margin_right(SIDE)
                .x_label_area_size(24)
                .build_cartesian_2d(x, 0.0..1.0)?;
            mesh(&mut chart)
                .disable_x_mesh()
                .y_labels(2)
                .y_label_formatter(&end)
                .draw()?;
            let share = |values: &[f64]| number.share(values[index]);
            for (x, generation) in (1..).zip(&tuning.generations) {
                let played = generation
                    .settings
                    .iter()
                    .map(|setting| share(&setting.values));
                let dots = played.map(|y| Circle::new((x, y), 2, PALE.filled()));
                chart.draw_series(dots)?;
            }
            let best = (1..)
                .zip(&tuning.generations)
                .map(|(x, one)| (x, share(&one.best)));
            let style = KINDS[index].filled().stroke_width(2);
            chart.draw_series(LineSeries::new(best.clone(), style).point_size(4))?;
            let last = best.last().zip(tuning.generations.last());
            chart.draw_series(last.map(|(end, one)| {
                let value = one.best[index].to_string();
                EmptyElement::at(end) + Text::new(value, (GAP as i32, -7), text(TEXT, INK))
            }))?;
        }
        Ok(())
    })?;
    save(folder, "tuning", &svg)
}
