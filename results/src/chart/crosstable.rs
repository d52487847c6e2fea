//! The chart of the crosstable: a heat map of each bot's score against each other one, best bot first both ways.

use plotters::style::RGBColor;

use super::font::{fit, text_width, widest};
use super::material::Material;
use super::palette::{BAND, FAINT, INK, PAPER, diverging, legible_on};
use super::rows::best_of;
use super::sheet::{Anchor, Form, GAP, Place, SMALL, Sheet, TEXT};
use super::{Chart, Labels};
use arena_statistics::crosstable::{Cell, Crosstable};

/// The most bots shown.
const MOST_BOTS: usize = 40;
/// The size of figures where there is room, and the least that can be read.
const FIGURES: f64 = 15.0;
const SMALLEST: f64 = 9.0;
/// The distance of the strokes of a hatch.
const HATCH: f64 = 7.0;
/// The most room for a name.
const NAME: f64 = 150.0;
const LEGEND: f64 = 16.0;
const SELF: RGBColor = RGBColor(214, 214, 214);

/// The chart; a single bot has none.
pub(super) fn chart<'a>(material: &Material<'a>) -> anyhow::Result<Option<Chart<'a>>> {
    let crosstable = &material.analysis.standings.crosstable;
    if crosstable.bots.len() < 2 {
        return Ok(None);
    }
    let labels = Labels {
        name: "crosstable",
        title: "score in % of the row's bot against the column's",
        caption: "How each row's bot did against each column's, in per cent, best bot first both ways: blue for more than half, \
                  orange for less.",
        alt: format!(
            "Heat map of the scores of {} bots against each other.",
            crosstable.bots.len()
        ),
    };
    Ok(Some(Chart::new(material, labels, move |sheet| {
        draw(sheet, crosstable)
    })))
}

fn draw(mut sheet: Sheet, crosstable: &Crosstable) -> Sheet {
    let map = HeatMap::over(sheet.form, crosstable);
    map.draw_names(&mut sheet);
    for (row, cells) in crosstable.cells.iter().take(map.names.len()).enumerate() {
        for (column, cell) in cells.iter().take(map.names.len()).enumerate() {
            map.draw_cell(&mut sheet, (row, column), cell.as_ref());
        }
    }
    map.draw_legend(&mut sheet);
    let all = crosstable.bots.len();
    let best = best_of(map.names.len(), all);
    let unmet = crosstable
        .cells
        .iter()
        .flatten()
        .flatten()
        .any(|cell| cell.score.is_none());
    let never = if unmet {
        "; hatched: they never met"
    } else {
        ""
    };
    let footnote =
        format!("score: share of meetings that the row's bot won, with draws as half{never}{best}");
    sheet.foot(map.top + map.across().max(120.0) + 4.0, &footnote)
}

/// The chart, laid out.
struct HeatMap {
    names: Vec<String>,
    cell: f64,
    /// Where the cells begin.
    left: f64,
    top: f64,
}

impl HeatMap {
    fn over(form: Form, crosstable: &Crosstable) -> Self {
        let names: Vec<String> = crosstable
            .bots
            .iter()
            .take(MOST_BOTS)
            .map(|bot| fit(bot, TEXT, NAME))
            .collect();
        let widest = widest(&names, TEXT).max(30.0);
        let left = (form.margin() + widest + GAP).ceil();
        let top = (form.top() + widest + GAP).ceil();
        let room =
            form.width() - form.margin() - left - GAP * 3.0 - LEGEND - text_width("100 %", SMALL);
        let cell = (room / names.len() as f64).min(84.0).floor();
        Self {
            names,
            cell,
            left,
            top,
        }
    }

    fn across(&self) -> f64 {
        self.cell * self.names.len() as f64
    }

    /// The upper left corner of a cell.
    fn corner(&self, (row, column): (usize, usize)) -> Place {
        (
            self.left + self.cell * column as f64,
            self.top + self.cell * row as f64,
        )
    }

    /// The decimals of scores: as in the tables, if there is room.
    fn decimals(&self) -> usize {
        usize::from(self.cell >= 52.0)
    }

    fn draw_names(&self, sheet: &mut Sheet) {
        let size = if self.cell < 18.0 { SMALL } else { TEXT };
        for (index, name) in self.names.iter().enumerate() {
            let (x, y) = self.corner((index, index));
            sheet.text(
                name,
                (self.left - GAP, y + self.cell / 2.0),
                size,
                INK,
                Anchor::Left,
            );
            sheet.text(
                name,
                (x + self.cell / 2.0, self.top - GAP),
                size,
                INK,
                Anchor::Up,
            );
        }
    }

    fn draw_cell(&self, sheet: &mut Sheet, place: (usize, usize), cell: Option<&Cell>) {
        let (x, y) = self.corner(place);
        let colour = match cell.map(|cell| cell.score) {
            None => SELF,
            Some(None) => return self.draw_hatch(sheet, (x, y)),
            Some(Some(score)) => diverging(score),
        };
        sheet.fill((x, y), (x + self.cell - 1.0, y + self.cell - 1.0), colour);
        let (Some(score), Some(size)) = (cell.and_then(|cell| cell.score), self.figures()) else {
            return;
        };
        let figures = format!("{:.*}", self.decimals(), 100.0 * score);
        sheet.text(
            &figures,
            (x + self.cell / 2.0, y + self.cell / 2.0),
            size,
            legible_on(colour),
            Anchor::Middle,
        );
    }

    /// The size of the figures, if they can be read.
    fn figures(&self) -> Option<f64> {
        let widest = if self.decimals() > 0 { "100.0" } else { "100" };
        let size = FIGURES.min(FIGURES * (self.cell - 2.0) / text_width(widest, FIGURES));
        Some(size).filter(|size| *size >= SMALLEST)
    }

    /// Draws a cell without a score: hatched, so that it is not taken for one.
    fn draw_hatch(&self, sheet: &mut Sheet, (x, y): Place) {
        let side = self.cell - 1.0;
        sheet.fill((x, y), (x + side, y + side), PAPER);
        let strokes = (2.0 * side / HATCH) as u32;
        for at in (1..=strokes).map(|stroke| f64::from(stroke) * HATCH) {
            let (near, far) = (at.min(side), (at - side).max(0.0));
            sheet.line((x + far, y + near), (x + near, y + far), 1.0, BAND);
        }
    }

    fn draw_legend(&self, sheet: &mut Sheet) {
        let height = self.across().clamp(120.0, 240.0);
        let left = self.left + self.across() + GAP;
        let steps = height as u32;
        for step in 0..steps {
            let y = self.top + f64::from(step);
            let score = 1.0 - (f64::from(step) + 0.5) / f64::from(steps);
            // Down to the end, the next one over it, so that no paper shows between them.
            sheet.fill(
                (left, y),
                (left + LEGEND, self.top + height),
                diverging(score),
            );
        }
        for (share, label) in [(0.0, "100 %"), (0.5, "50 %"), (1.0, "0 %")] {
            let y = self.top + share * height + 6.0 - 12.0 * share;
            sheet.text(
                label,
                (left + LEGEND + GAP / 2.0, y),
                SMALL,
                FAINT,
                Anchor::Right,
            );
        }
    }
}
