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
/// Minimum number of deals for the chart.
const MIN_DEALS: i32 = 8;
/// Maximum number of points on a line. Beyond it, every second point is dropped.
const MAX_PLACES: i32 = 240;

/// Prepares the chart; `None` if there are too few bots or deals.
pub(super) fn chart<'a>(material: &Material<'a>) -> anyhow::Result<Option<Chart<'a>>> {
    let best: Vec<usize> = material.best_first().into_iter().take(MAX_BOTS).collect();
    let (lines, deals) = lines(material, &best)?;
    if best.len() < 2 || deals < MIN_DEALS {
        return Ok(None);
    }
    let all = material.analysis.bots.len();
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
        draw(sheet, &lines, all)
    })))
}

fn draw(sheet: &Sheet, lines: &[Line<'_>], all: usize) -> anyhow::Result<String> {
    let footnote = format!(
        "each line: points per match over all finished matches up to that deal; bands: 95 % intervals over deals of the \
         first {BANDS}, each for a single look{}",
        best_of(lines.len(), all)
    );
    // Skip the first deals, whose spread would take up most of the height.
    let settled = |line: &Line<'_>| line.points[line.points.len() / 10..].to_vec();
    let means = lines.iter().flat_map(settled).map(|(_, mean)| mean);
    let bands = lines.iter().filter_map(|line| line.band.last());
    let y = around(means.chain(bands.flat_map(|(_, ends)| *ends)));
    let measures = ["deals", "points per match"];
    lines::draw(sheet, lines, y, measures, &i32::to_string, &footnote)
}

/// Reads the lines of the best bots deal by deal. Returns them with the number of deals.
fn lines<'a>(material: &Material<'a>, best: &[usize]) -> anyhow::Result<(Vec<Line<'a>>, i32)> {
    let places: BTreeMap<usize, usize> = best.iter().copied().zip(0..).collect();
    let line = |bot: &usize| Line {
        name: material.analysis.bots[*bot].as_str(),
        points: Vec::new(),
        band: Vec::new(),
    };
    let mut lines: Vec<Line<'a>> = best.iter().map(line).collect();
    let mut points = ByDeal::new(best.len());
    let (mut deals, mut every) = (0, 1);
    material.ledger.deals(|deal| {
        let matches = deal.matches.iter();
        for (bot, seat) in matches.flat_map(|scored| scored.bots.iter().zip(&scored.seats)) {
            if let Some(place) = places.get(bot) {
                points.add(*place, seat.points.into());
            }
        }
        points.close();
        deals += 1;
        if deals % every == 0 {
            keep(&mut lines, deals, &points);
        }
        if deals / every > MAX_PLACES {
            every *= 2;
            for line in &mut lines {
                line.points.retain(|(deals, _)| deals % every == 0);
                line.band.retain(|(deals, _)| deals % every == 0);
            }
        }
        anyhow::Ok(())
    })?;
    if deals % every != 0 {
        keep(&mut lines, deals, &points);
    }
    Ok((lines, deals))
}

/// Adds the results after this many deals to the lines.
fn keep(lines: &mut [Line<'_>], deals: i32, points: &ByDeal) {
    for (line, mean) in lines.iter_mut().zip(&points.clusters) {
        line.points.extend(mean.mean().map(|mean| (deals, mean)));
    }
    for (line, means) in lines.iter_mut().zip(&points.means).take(BANDS) {
        let ends = interval::of_points(means);
        line.band.extend(ends.map(|ends| (deals, ends)));
    }
}
