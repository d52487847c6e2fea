//! Chart of the advantage of the first seat at tables of two: each bot's score in either seat.

use plotters::prelude::{Circle, Color};

use super::layout::{Sheet, around};
use super::material::{ByDeal, Material};
use super::palette::{BLUE, FAINT, VERMILION};
use super::rows::{MAX_ROWS, ROW, Rows, across, best_of, error_bar, numbered};
use super::{Chart, Labels};
use crate::table::counted;
use arena_statistics::cluster::Cluster;
use arena_statistics::interval;
use arena_tournament::deals::versus;

/// Minimum number of deals for the chart.
const MIN_DEALS: u64 = 5;

/// Prepares the chart; `None` for other tables, with too few deals, or if no bot sat in both seats.
pub(super) fn chart<'a>(material: &Material<'a>) -> anyhow::Result<Option<Chart<'a>>> {
    let bots = material.analysis.bots.len();
    if material.analysis.standings.seats != 2 {
        return Ok(None);
    }
    let scores = scores(material, bots)?;
    let sat_in_both = |bot: &usize| scores[bot * 2].deals().min(scores[bot * 2 + 1].deals()) > 0;
    let mut both = material.best_first();
    both.retain(sat_in_both);
    if both.is_empty() || scores[bots * 2].deals() < MIN_DEALS {
        return Ok(None);
    }
    let names = &material.analysis.bots;
    let all = figures(&scores[bots * 2..]);
    let labels = Labels {
        name: "first-seat",
        title: "the value of the first seat",
        caption: "The score of the first seat over all matches, and of each bot in either seat, with 95 % intervals. Sitting \
                  first helps where blue is to the right.",
        alt: format!("Over all matches the first seat scored {all} per cent."),
    };
    Ok(Some(Chart::new(material, labels, move |sheet| {
        draw(sheet, &scores, names, &both)
    })))
}

fn draw(
    sheet: &Sheet,
    scores: &[Cluster],
    names: &[String],
    both: &[usize],
) -> anyhow::Result<String> {
    let all = names.len() * 2;
    let shown = &both[..both.len().min(MAX_ROWS - 1)];
    let of_bot = |bot: &usize| &scores[bot * 2..=bot * 2 + 1];
    let first = std::iter::once(("(all matches)", figures(&scores[all..])));
    let cells = shown
        .iter()
        .map(|bot| (names[*bot].as_str(), figures(of_bot(bot))));
    let footnote = format!(
        "score: matches won, with draws as half; error bars: 95 % intervals over {}; figures: first | second{}",
        counted(scores[all].deals(), "deal"),
        best_of(shown.len(), both.len()),
    );
    let rows = Rows {
        legend: 2,
        ..Rows::new(first.chain(cells).collect(), "score in %", footnote)
    };
    let quantities = shown.iter().flat_map(of_bot).chain(&scores[all..]);
    let ends = quantities.flat_map(|one| interval(one).into_iter().flatten().chain(mean(one)));
    rows.draw(sheet, around(ends.chain([50.0])), |chart, half| {
        let halves = numbered(0..=shown.len()).map(|(row, _)| across(50.0, row, half, FAINT));
        chart.draw_series(halves)?;
        let bar = |row, one, colour| Some(error_bar(row, mean(one)?, interval(one), colour));
        chart.draw_series(bar(0, &scores[all], FAINT))?;
        let seats = [(BLUE, "sitting first"), (VERMILION, "sitting second")];
        for (seat, (colour, label)) in seats.into_iter().enumerate() {
            let offset = ROW + half * if seat == 0 { -3 } else { 3 } / 10;
            let bars = numbered(shown)
                .filter_map(|(row, bot)| bar(row + offset, &scores[bot * 2 + seat], colour));
            let series = chart.draw_series(bars)?.label(label);
            series.legend(move |(x, y)| Circle::new((x + 7, y), 4, colour.filled()));
        }
        Ok(())
    })
}

/// Returns the mean score in per cent.
fn mean(scores: &Cluster) -> Option<f64> {
    scores.mean().map(|half_points| 50.0 * half_points)
}

/// Returns the interval of the score in per cent.
fn interval(scores: &Cluster) -> Option<[f64; 2]> {
    interval::of_score(scores).map(|ends| ends.map(|end| 100.0 * end))
}

/// Returns the half-points of each bot sitting first and sitting second, followed by those of the first seat over all matches.
fn scores(material: &Material<'_>, bots: usize) -> anyhow::Result<Vec<Cluster>> {
    let mut scores = ByDeal::new(bots * 2 + 1);
    material.ledger.deals(|deal| {
        for scored in &deal.matches {
            let Some(first) = versus(&scored.seats[0], &scored.seats[1]).halves() else {
                continue;
            };
            scores.add(scored.bots[0] * 2, first.into());
            scores.add(scored.bots[1] * 2 + 1, (2 - first).into());
            scores.add(bots * 2, first.into());
        }
        scores.close();
        anyhow::Ok(())
    })?;
    Ok(scores.clusters)
}

/// Formats means in per cent.
fn figures(scores: &[Cluster]) -> String {
    let percent = |one: &Cluster| mean(one).map_or("–".into(), |mean| format!("{mean:.1}"));
    let all: Vec<String> = scores.iter().map(percent).collect();
    all.join(" | ")
}
