//! The chart of a tuning: the estimated gain after each generation, and the course of each number.

use std::path::Path;

use super::axis::Axis;
use super::font::widest;
use super::palette::{BAND, BLUE, FAINT, INK, KINDS, PALE, RULE};
use super::sheet::{Anchor, Form, GAP, Place, SMALL, Sheet, TEXT};
use super::{ChartError, save};
use crate::text;
use arena_statistics::tune::report::Tuning;

/// The name of the files without their endings.
const NAME: &str = "tuning";
/// The heights of the gain and of each number, and the room above each for its name.
const GAIN: f64 = 190.0;
const NUMBER: f64 = 110.0;
const HEAD: f64 = 30.0;

/// Writes the chart as SVG and PNG into the folder; none before the first generation.
pub fn write(folder: &Path, tuning: &Tuning) -> Result<(), ChartError> {
    if tuning.generations.is_empty() { Ok(()) } else { save(folder, NAME, &draw(tuning)) }
}

fn draw(tuning: &Tuning) -> Sheet {
    let form = Form::File;
    let mut sheet = Sheet::headed(form, &tuning.bot, "what its numbers became", &text::tuning::facts(tuning));
    let gains: Vec<[f64; 3]> = tuning.generations.iter().map(|generation| generation.elo()).collect();
    let y = Axis::over(&gains.iter().flatten().copied().collect::<Vec<f64>>());
    let ends: Vec<String> =
        tuning.numbers.iter().flat_map(|number| [number.from.to_string(), number.to.to_string()]).collect();
    let labels = widest(ends.iter().chain(y.ticks.iter().map(|(_, label)| label)), SMALL);
    let (left, right) = (form.margin() + labels + GAP, form.width() - form.margin() - 80.0);
    let mut plot = Plot { left, right, top: form.top() + HEAD, height: GAIN, count: gains.len() };
    plot.title(&mut sheet, "estimated gain over the first setting, in Elo; the band is its 90 % interval");
    y.ticks.iter().for_each(|(tick, label)| plot.rule(&mut sheet, y.share(*tick), label));
    let course = |end: usize| gains.iter().map(|gain| y.share(gain[end])).collect::<Vec<f64>>();
    let [middle, low, high] = [0, 1, 2].map(|end| plot.places(&course(end)));
    sheet.area(low.into_iter().chain(high.into_iter().rev()).collect(), BLUE);
    plot.course(&mut sheet, middle, BLUE);
    for (index, (number, ends)) in tuning.numbers.iter().zip(ends.chunks(2)).enumerate() {
        plot = Plot { top: plot.top + plot.height + HEAD + GAP, height: NUMBER, ..plot };
        plot.title(&mut sheet, &number.name);
        [0.0, 1.0].iter().zip(ends).for_each(|(share, label)| plot.rule(&mut sheet, *share, label));
        for (generation, x) in tuning.generations.iter().zip(0..) {
            let shares = generation.settings.iter().map(|setting| number.share(setting.values[index]));
            shares.for_each(|share| sheet.dot(plot.place(x, share), 2.0, PALE));
        }
        let best = tuning.generations.iter().map(|generation| generation.best[index]);
        let (shares, last): (Vec<f64>, _) = (best.clone().map(|value| number.share(value)).collect(), best.last());
        let (places, colour) = (plot.places(&shares), KINDS[index % KINDS.len()]);
        if let (Some(place), Some(last)) = (places.last(), last) {
            sheet.text(&text::tuning::value(last), (place.0 + GAP, place.1), TEXT, INK, Anchor::Right);
        }
        plot.course(&mut sheet, places, colour);
    }
    let bottom = plot.top + plot.height;
    (0..plot.count).for_each(|x| {
        sheet.text(&(x + 1).to_string(), (plot.place(x, 0.0).0, bottom + 15.0), SMALL, FAINT, Anchor::Middle);
    });
    sheet.text("generation", (f64::midpoint(left, right), bottom + 37.0), TEXT, INK, Anchor::Middle);
    sheet.foot(
        bottom + 46.0,
        "lines: the setting that was expected to score best after each generation; dots: the settings that played",
    )
}

/// An area of the chart, with one place for each generation.
#[derive(Clone, Copy)]
struct Plot {
    left: f64,
    right: f64,
    top: f64,
    height: f64,
    count: usize,
}

impl Plot {
    fn place(self, generation: usize, share: f64) -> Place {
        let across = (generation as f64 + 0.5) / self.count as f64;
        (self.left + (self.right - self.left) * across, self.top + self.height * (1.0 - share))
    }

    fn places(self, shares: &[f64]) -> Vec<Place> {
        shares.iter().enumerate().map(|(generation, share)| self.place(generation, *share)).collect()
    }

    fn title(self, sheet: &mut Sheet, title: &str) {
        sheet.text(title, (self.left, self.top - GAP), TEXT, INK, Anchor::Right);
    }

    fn rule(self, sheet: &mut Sheet, share: f64, label: &str) {
        let y = self.place(0, share).1;
        sheet.line((self.left, y), (self.right, y), 1.0, if label == "0" { BAND } else { RULE });
        sheet.text(label, (self.left - 6.0, y), SMALL, FAINT, Anchor::Left);
    }

    fn course(self, sheet: &mut Sheet, places: Vec<Place>, colour: plotters::style::RGBColor) {
        places.iter().for_each(|place| sheet.dot(*place, 4.0, colour));
        sheet.path(places, 2.0, colour);
    }
}
