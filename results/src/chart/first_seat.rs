//! Chart of the advantage of the first seat at tables of two: each bot's score in either seat.

use plotters::style::RGBColor;

use super::axis::Axis;
use super::material::{ByDeal, Material};
use super::palette::{BLUE, FAINT, VERMILION};
use super::rows::{BotRows, MAX_ROWS, best_of};
use super::sheet::Sheet;
use super::{Chart, Labels};
use crate::table::counted;
use arena_statistics::cluster::Cluster;
use arena_statistics::interval;
use arena_tournament::deals::versus;

/// Minimum number of deals for the chart.
const MIN_DEALS: u64 = 5;
/// Distance of a bot's scores from the middle of its row.
const SCORE_OFFSET: f64 = 4.5;

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

fn draw(mut sheet: Sheet, scores: &[Cluster], names: &[String], both: &[usize]) -> Sheet {
    let top = sheet.form.top();
    let bots = names.len();
    let shown = &both[..both.len().min(MAX_ROWS - 1)];
    let kinds = [
        (BLUE, "sitting first".to_owned()),
        (VERMILION, "sitting second".to_owned()),
    ];
    let top = sheet.legend(&kinds, top);
    let mut cells = vec![("(all matches)", figures(&scores[bots * 2..]))];
    let of_bot = |bot: &usize| &scores[bot * 2..=bot * 2 + 1];
    let rows = shown
        .iter()
        .map(|bot| (names[*bot].as_str(), figures(of_bot(bot))));
    cells.extend(rows);
    let quantities = shown.iter().flat_map(of_bot).chain(&scores[bots * 2..]);
    let ends = quantities.flat_map(|one| {
        let ends = interval::of_score(one).into_iter().flatten();
        let mean = one.mean().map(|half_points| 50.0 * half_points);
        ends.map(|end| 100.0 * end).chain(mean)
    });
    let ends: Vec<f64> = ends.chain([50.0]).collect();
    let rows = BotRows::draw(&mut sheet, top, &cells, Axis::over(&ends), "score in %");
    rows.mark(&mut sheet, 50.0, cells.len(), FAINT);
    draw_score(&mut sheet, &rows, &scores[bots * 2], (0, 0.0), FAINT);
    for (index, bot) in shown.iter().enumerate() {
        let (first, second) = ((index + 1, -SCORE_OFFSET), (index + 1, SCORE_OFFSET));
        draw_score(&mut sheet, &rows, &scores[bot * 2], first, BLUE);
        draw_score(&mut sheet, &rows, &scores[bot * 2 + 1], second, VERMILION);
    }
    let footnote = format!(
        "score: matches won, with draws as half; error bars: 95 % intervals over {}; figures: first | second{}",
        counted(scores[bots * 2].deals(), "deal"),
        best_of(shown.len(), both.len()),
    );
    sheet.foot(rows.bottom, &footnote)
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
    let percent = |one: &Cluster| match one.mean() {
        Some(mean) => format!("{:.1}", 50.0 * mean),
        None => "–".into(),
    };
    let all: Vec<String> = scores.iter().map(percent).collect();
    all.join(" | ")
}

fn draw_score(
    sheet: &mut Sheet,
    rows: &BotRows,
    scores: &Cluster,
    (row, shift): (usize, f64),
    colour: RGBColor,
) {
    let y = rows.y(row) + shift;
    if let Some(ends) = interval::of_score(scores) {
        let ends = ends.map(|end| rows.x(100.0 * end));
        sheet.line((ends[0], y), (ends[1], y), 2.0, colour);
    }
    if let Some(mean) = scores.mean() {
        sheet.dot((rows.x(50.0 * mean), y), 4.0, colour);
    }
}
