//! Chart of points per match as more deals are played, one line for each of the best bots.

use std::collections::BTreeMap;

use super::layout::{Sheet, around};
use super::lines::{self, Line};
use super::material::{ByDeal, Material};
use super::palette::KINDS;
use super::rows::best_of;
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

fn draw(sheet: &Sheet, course: &Course, names: &[&str], all: usize) -> anyhow::Result<String> {
    let footnote = format!(
        "each line: points per match over all finished matches up to that deal; bands: 95 % intervals over deals of the \
         first {BANDS}, each for a single look{}",
        best_of(names.len(), all)
    );
    // Skip the first deals, whose spread would take up most of the height.
    let settled = course.stands.iter().skip(course.stands.len() / 10);
    let means = settled.flat_map(|(_, stands)| stands.iter().flatten().map(|(mean, _)| *mean));
    let last = course
        .stands
        .last()
        .into_iter()
        .flat_map(|(_, stands)| stands);
    let bands = last.flatten().filter_map(|(_, ends)| *ends).flatten();
    let y = around(means.chain(bands));
    let lines = names
        .iter()
        .zip(0..)
        .map(|(name, bot)| course.line(name, bot));
    let lines: Vec<Line<'_>> = lines.collect();
    let measures = ["deals", "points per match"];
    lines::draw(sheet, &lines, y, measures, &i32::to_string, &footnote)
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

    /// Returns the line of a bot, with its band.
    fn line<'a>(&self, name: &'a str, bot: usize) -> Line<'a> {
        let stands = self.stands.iter();
        let stands = stands.filter_map(|(deals, stands)| Some((*deals as i32, stands[bot]?)));
        Line {
            name,
            points: stands
                .clone()
                .map(|(deals, (mean, _))| (deals, mean))
                .collect(),
            band: stands
                .filter_map(|(deals, (_, ends))| Some((deals, ends?)))
                .collect(),
        }
    }
}
