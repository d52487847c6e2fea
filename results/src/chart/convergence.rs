//! Chart of points per match as more deals are played, one line for each of the best bots.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::font::{fit, widest};
use super::material::{ByDeal, Material};
use super::palette::{BAND, FAINT, INK, KINDS, RULE};
use super::rows::best_of;
use super::sheet::{Anchor, Form, GAP, Place, SMALL, Sheet, TEXT};
use super::{Chart, Labels};
use arena_statistics::interval;

/// Maximum number of bots, one per colour.
const MAX_BOTS: usize = KINDS.len();
/// Maximum number of bots with a band.
const BANDS: usize = 2;
/// Minimum number of kept deals for the chart.
const MIN_DEALS: usize = 8;
/// Maximum number of points on a line. Beyond it, every second point is dropped.
const MAX_PLACES: usize = 240;
const HEIGHT: f64 = 400.0;
/// Maximum width of a name.
const MAX_NAME_WIDTH: f64 = 170.0;
/// Maximum width of a name on a phone.
const MAX_PHONE_NAME_WIDTH: f64 = 115.0;
/// Distance between the ends of the lines and their names.
const LEADERS: f64 = 24.0;
/// Minimum distance between two names.
const MIN_NAME_DISTANCE: f64 = 18.0;

/// A bot's points per match after some deals, and the ends of their interval.
type Stand = Option<(f64, Option<[f64; 2]>)>;

/// Results of the best bots as the number of deals grows.
struct Course {
    /// Each number of deals, with the results of the bots after these deals.
    stands: Vec<(u32, Vec<Stand>)>,
    /// Distance between two kept results, in deals.
    every: u32,
}

/// Prepares the chart; `None` if there are too few bots or deals.
pub(super) fn chart<'a>(material: &Material<'a>) -> anyhow::Result<Option<Chart<'a>>> {
    let best: Vec<usize> = material.best_first().into_iter().take(MAX_BOTS).collect();
    let course = course(material, &best)?;
    if best.len() < 2 || course.stands.len() < MIN_DEALS {
        return Ok(None);
    }
    let (names, all) = (&material.analysis.bots, material.analysis.bots.len());
    let names: Vec<&str> = best.iter().map(|bot| names[*bot].as_str()).collect();
    let labels = Labels {
        name: "convergence",
        title: "how points per match settled",
        caption: "Points per match over all deals up to there, for the first bots of the standings; the bands are 95 % intervals. Lines that still \
                  move need more deals.",
        alt: format!(
            "The course of points per match over deals, for {} bots.",
            best.len()
        ),
    };
    Ok(Some(Chart::new(material, labels, move |sheet| {
        draw(sheet, &course, &names, all)
    })))
}

fn draw(mut sheet: Sheet, course: &Course, names: &[&str], all: usize) -> Sheet {
    let is_phone = sheet.form == Form::Phone;
    let room = if is_phone {
        MAX_PHONE_NAME_WIDTH
    } else {
        MAX_NAME_WIDTH
    };
    let names: Vec<String> = names.iter().map(|name| fit(name, TEXT, room)).collect();
    let plot = Plot::over(sheet.form, course, &names);
    plot.draw_axes(&mut sheet);
    for bot in 0..names.len().min(BANDS) {
        plot.draw_band(&mut sheet, course, bot);
    }
    for bot in (0..names.len()).rev() {
        plot.draw_line(&mut sheet, course, bot);
    }
    plot.draw_names(&mut sheet, course, &names);
    let footnote = format!(
        "each line: points per match over all finished matches up to that deal; bands: 95 % intervals over deals of the \
         first {BANDS}, each for a single look{}",
        best_of(names.len(), all)
    );
    sheet.foot(plot.bottom() + 46.0, &footnote)
}

/// Reads the results of the best bots deal by deal.
fn course(material: &Material<'_>, best: &[usize]) -> anyhow::Result<Course> {
    let lines: BTreeMap<usize, usize> = best.iter().copied().zip(0..).collect();
    let mut points = ByDeal::new(best.len());
    let mut course = Course {
        stands: Vec::new(),
        every: 1,
    };
    let mut deals = 0;
    material.ledger.deals(|deal| {
        course.keep(deals, best.len(), &points);
        deals += 1;
        let matches = deal.matches.iter();
        for (bot, seat) in matches.flat_map(|scored| scored.bots.iter().zip(&scored.seats)) {
            if let Some(line) = lines.get(bot) {
                points.add(*line, seat.points.into());
            }
        }
        points.close();
        anyhow::Ok(())
    })?;
    course.every = 1;
    course.keep(deals, best.len(), &points);
    Ok(course)
}

impl Course {
    /// Keeps the bots' results after this many deals, and drops every second result if there are too many.
    fn keep(&mut self, deals: u32, bots: usize, points: &ByDeal) {
        if deals == 0 || !deals.is_multiple_of(self.every) {
            return;
        }
        let band = |bot: usize| {
            let means = Some(&points.means[bot]).filter(|_| bot < BANDS)?;
            interval::of_points(means)
        };
        let stand = |bot: usize| points.clusters[bot].mean().map(|mean| (mean, band(bot)));
        self.stands.push((deals, (0..bots).map(stand).collect()));
        if self.stands.len() > MAX_PLACES {
            self.every *= 2;
            let every = self.every;
            self.stands.retain(|(deals, _)| deals.is_multiple_of(every));
        }
    }

    /// Returns the points of a bot's line: deals and points per match.
    fn line(&self, bot: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.stands
            .iter()
            .filter_map(move |(deals, stands)| Some((f64::from(*deals), stands[bot]?.0)))
    }
}

/// Area of the chart, with its scales.
struct Plot {
    x: Axis,
    y: Axis,
    left: f64,
    right: f64,
    form: Form,
}

impl Plot {
    fn over(form: Form, course: &Course, names: &[String]) -> Self {
        // Skip the first deals, whose spread would take up most of the height.
        let settled = course.stands.len() / 10;
        let shown = course.stands.iter().skip(settled);
        let shown = shown.flat_map(|(_, stands)| stands.iter().flatten());
        let means = shown.map(|(mean, _)| *mean);
        let last = course.stands.last();
        let bands = last
            .iter()
            .flat_map(|(_, stands)| stands.iter().take(BANDS));
        let bands = bands.flatten().filter_map(|(_, ends)| *ends).flatten();
        let y = Axis::over(&means.chain(bands).collect::<Vec<f64>>());
        let x = Axis::until(last.map_or(1.0, |(deals, _)| f64::from(*deals)));
        let left = form.margin() + 28.0 + widest(y.ticks.iter().map(|(_, label)| label), SMALL);
        let right = form.width() - form.margin() - LEADERS - GAP - widest(names, TEXT);
        Self {
            x,
            y,
            left,
            right,
            form,
        }
    }

    fn top(&self) -> f64 {
        self.form.top() + GAP / 2.0
    }

    fn bottom(&self) -> f64 {
        self.top() + HEIGHT
    }

    fn place(&self, (deals, points): (f64, f64)) -> Place {
        let x = self.left + (self.right - self.left) * self.x.share(deals);
        (x, self.top() + HEIGHT * (1.0 - self.y.share(points)))
    }

    fn draw_axes(&self, sheet: &mut Sheet) {
        for (tick, label) in &self.y.ticks {
            let y = self.top() + HEIGHT * (1.0 - self.y.share(*tick));
            sheet.line((self.left, y), (self.right, y), 1.0, RULE);
            sheet.text(label, (self.left - 6.0, y), SMALL, FAINT, Anchor::Left);
        }
        let (across, down) = ([self.left, self.right], [self.top(), self.bottom()]);
        sheet.x_axis(&self.x, across, down, "deals");
        let middle = (self.form.margin() + 6.0, self.top() + HEIGHT / 2.0);
        sheet.text("points per match", middle, TEXT, INK, Anchor::MiddleUp);
    }

    /// Draws the band of a bot. Bands have outlines, so that two crossing bands can be distinguished.
    fn draw_band(&self, sheet: &mut Sheet, course: &Course, bot: usize) {
        let stands = course.stands.iter();
        let ends = stands.filter_map(|(deals, stands)| {
            let band = stands[bot]?.1?;
            Some(band.map(|end| self.place((f64::from(*deals), end))))
        });
        let ends: Vec<[Place; 2]> = ends.collect();
        let [low, high] = [0, 1].map(|side| ends.iter().map(move |ends| ends[side]));
        if ends.len() > 1 {
            sheet.area(low.clone().chain(high.clone().rev()).collect(), KINDS[bot]);
            sheet.path(low.collect(), 1.0, KINDS[bot]);
            sheet.path(high.collect(), 1.0, KINDS[bot]);
        }
    }

    /// Draws the line of a bot, with a dot at its end.
    fn draw_line(&self, sheet: &mut Sheet, course: &Course, bot: usize) {
        let places: Vec<Place> = course.line(bot).map(|place| self.place(place)).collect();
        if let Some(last) = places.last() {
            sheet.dot(*last, 4.0, KINDS[bot]);
        }
        sheet.path(places, 2.0, KINDS[bot]);
    }

    /// Writes each name at the end of its line. Names that would overlap are moved apart.
    fn draw_names(&self, sheet: &mut Sheet, course: &Course, names: &[String]) {
        let end = |bot: usize| Some((bot, self.place(course.line(bot).last()?)));
        let mut ends: Vec<(usize, Place)> = (0..names.len()).filter_map(end).collect();
        ends.sort_by(|a, b| a.1.1.total_cmp(&b.1.1).then(a.0.cmp(&b.0)));
        let wanted: Vec<f64> = ends.iter().map(|(_, (_, y))| *y).collect();
        let heights = apart(&wanted, self.bottom());
        let left = self.right + LEADERS;
        for ((bot, (x, y)), height) in ends.into_iter().zip(heights) {
            // The stroke is thin and grey, because it is not data. The part next to the name has the colour of the line.
            sheet.line((x + 5.0, y), (left - 8.0, height), 1.0, BAND);
            sheet.line((left - 8.0, height), (left, height), 4.0, KINDS[bot]);
            sheet.text(&names[bot], (left + 5.0, height), TEXT, INK, Anchor::Right);
        }
    }
}

/// Spreads sorted heights so that no two are too close and all lie in the plot.
fn apart(wanted: &[f64], bottom: f64) -> Vec<f64> {
    let mut heights = wanted.to_vec();
    for index in 1..heights.len() {
        heights[index] = heights[index].max(heights[index - 1] + MIN_NAME_DISTANCE);
    }
    let mut most = bottom;
    for height in heights.iter_mut().rev() {
        *height = height.min(most);
        most = *height - MIN_NAME_DISTANCE;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_apart_and_stay_in_the_plot() {
        for wanted in [
            vec![100.0; 8],
            vec![484.0; 8],
            vec![90.0, 91.0, 300.0, 483.0],
        ] {
            let heights = apart(&wanted, 484.0);
            assert!(
                heights
                    .windows(2)
                    .all(|pair| pair[1] - pair[0] >= MIN_NAME_DISTANCE - 1e-9),
                "{heights:?}"
            );
            assert!(
                heights.iter().all(|height| (84.0..=484.0).contains(height)),
                "{heights:?}"
            );
        }
        assert_eq!(apart(&[100.0, 200.0], 484.0), [100.0, 200.0]);
    }
}
