//! Chart of a tuning run: the course of each parameter over the generations.

use std::path::Path;

use plotters::style::RGBColor;

use super::palette::{FAINT, INK, KINDS, PALE, RULE};
use super::save;
use super::sheet::{Anchor, Form, GAP, Place, SMALL, Sheet, TEXT};
use crate::text::tuning::facts;
use arena_statistics::tune::report::Tuning;

/// Height of the plot of each parameter.
const NUMBER_HEIGHT: f64 = 110.0;
/// Height reserved above each plot for its title.
const HEAD: f64 = 40.0;
/// Width reserved at each side for labels.
const SIDE: f64 = 90.0;

/// Writes the chart into a folder.
pub fn write(folder: &Path, tuning: &Tuning) -> anyhow::Result<()> {
    let title = "its numbers in the course of tuning";
    let mut sheet = Sheet::headed(Form::File, &tuning.bot, title, &facts(tuning));
    let mut plot = Plot {
        top: Form::File.top(),
        count: tuning.generations.len(),
    };
    for (index, number) in tuning.numbers.iter().enumerate() {
        if index > 0 {
            plot.top += NUMBER_HEIGHT + HEAD;
        }
        let ends = [(0.0, number.from.to_string()), (1.0, number.to.to_string())];
        plot.frame(&mut sheet, &number.name, &ends);
        for (generation, x) in tuning.generations.iter().zip(0..) {
            for setting in &generation.settings {
                let share = number.share(setting.values[index]);
                sheet.dot(plot.place(x, share), 2.0, PALE);
            }
        }
        let best = tuning.generations.iter();
        let best = best.map(|generation| generation.best[index]);
        let last = best.clone().next_back();
        let last = last.map_or_else(String::new, |last| last.to_string());
        let places = plot.places(best.map(|value| number.share(value)));
        plot.course(&mut sheet, places, KINDS[index], &last);
    }
    let bottom = plot.top + HEAD + NUMBER_HEIGHT + 3.0;
    for x in 0..plot.count {
        let (number, place) = ((x + 1).to_string(), (plot.place(x, 0.0).0, bottom));
        sheet.text(&number, place, SMALL, FAINT, Anchor::Middle);
    }
    let note = "by generation; lines: the setting that was expected to score best; dots: the settings that played";
    save(folder, "tuning", &sheet.foot(bottom, note))
}

/// Area of the chart, with one position for each generation.
#[derive(Clone, Copy)]
struct Plot {
    top: f64,
    count: usize,
}

impl Plot {
    fn place(self, generation: usize, share: f64) -> Place {
        let across = (generation as f64 + 0.5) / self.count.max(1) as f64;
        let x = SIDE + (Form::File.width() - 2.0 * SIDE) * across;
        (x, self.top + HEAD - GAP + NUMBER_HEIGHT * (1.0 - share))
    }

    fn places(self, shares: impl Iterator<Item = f64>) -> Vec<Place> {
        let places = (0..).zip(shares);
        places.map(|(x, share)| self.place(x, share)).collect()
    }

    /// Draws grid lines at these heights with their labels, below a title.
    fn frame(self, sheet: &mut Sheet, title: &str, ticks: &[(f64, String)]) {
        let place = (SIDE, self.top + GAP / 2.0);
        sheet.text(title, place, TEXT, INK, Anchor::Right);
        for (share, label) in ticks {
            let y = self.place(0, *share).1;
            let colour = if label == "0" { FAINT } else { RULE };
            sheet.line((SIDE, y), (Form::File.width() - SIDE, y), 1.0, colour);
            sheet.text(label, (SIDE - 6.0, y), SMALL, FAINT, Anchor::Left);
        }
    }

    /// Draws the course of a parameter with its last value.
    fn course(self, sheet: &mut Sheet, places: Vec<Place>, colour: RGBColor, last: &str) {
        for place in &places {
            sheet.dot(*place, 4.0, colour);
        }
        let end = places.last().map_or((0.0, 0.0), |(x, y)| (x + GAP, *y));
        sheet.text(last, end, TEXT, INK, Anchor::Right);
        sheet.path(places, 2.0, colour);
    }
}
