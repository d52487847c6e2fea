//! The chart of the crosstable: a heat map of each bot's score against each other one, best bot first both ways.

use plotters::style::RGBColor;

use super::ChartError;
use super::font::{fit, text_width};
use super::material::Material;
use super::palette::{FAINT, INK, diverging, legible_on};
use super::sheet::{Anchor, GAP, Labels, MARGIN, Place, SMALL, Sheet, TEXT, TOP, WIDTH};
use crate::crosstable::{Cell, Crosstable};

/// The most bots shown.
const MOST_BOTS: usize = 40;
/// The most bots whose scores are shown as figures.
const MOST_FIGURES: usize = 16;
/// The most room for a name.
const NAME: f64 = 150.0;
const LEGEND: f64 = 16.0;
const SELF: RGBColor = RGBColor(214, 214, 214);
const NEVER: RGBColor = RGBColor(240, 240, 240);

/// The chart; a single bot has none.
pub(super) fn draw(material: &Material<'_>) -> Result<Option<Sheet>, ChartError> {
    let crosstable = &material.analysis.standings.crosstable;
    if crosstable.bots.len() < 2 {
        return Ok(None);
    }
    let mut sheet = Sheet::new(words(crosstable), &material.analysis.standings);
    let map = HeatMap::over(crosstable);
    map.draw_names(&mut sheet);
    for (row, cells) in crosstable.cells.iter().take(map.names.len()).enumerate() {
        for (column, cell) in cells.iter().take(map.names.len()).enumerate() {
            map.draw_cell(&mut sheet, (row, column), cell.as_ref());
        }
    }
    map.draw_legend(&mut sheet);
    let all = crosstable.bots.len();
    let best =
        if map.names.len() < all { format!("; the best {} of {all} bots", map.names.len()) } else { String::new() };
    let strangers = crosstable.cells.iter().flatten().flatten().any(|cell| cell.score.is_none());
    let never = if strangers { "; – for those that never met" } else { "" };
    let footnote = format!("score: share of meetings that the row's bot won, with draws as half{never}{best}");
    Ok(Some(sheet.foot(map.bottom() + 4.0, &footnote)))
}

fn words(crosstable: &Crosstable) -> Labels {
    Labels {
        name: "crosstable",
        title: "score in % of the row's bot against the column's",
        caption: "How each row's bot did against each column's, in per cent, best bot first both ways: blue for more than half, \
                  orange for less.",
        alt: format!("Heat map of the scores of {} bots against each other.", crosstable.bots.len()),
    }
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
    fn over(crosstable: &Crosstable) -> Self {
        let names: Vec<String> = crosstable.bots.iter().take(MOST_BOTS).map(|bot| fit(bot, TEXT, NAME)).collect();
        let widest = names.iter().map(|name| text_width(name, TEXT)).fold(30.0, f64::max);
        let (left, top) = ((MARGIN + widest + GAP).ceil(), (TOP + widest + GAP).ceil());
        let room = WIDTH - MARGIN - left - GAP * 3.0 - LEGEND - text_width("100 %", SMALL);
        let cell = (room / names.len() as f64).min(84.0).floor();
        Self { names, cell, left, top }
    }

    fn across(&self) -> f64 {
        self.cell * self.names.len() as f64
    }

    fn bottom(&self) -> f64 {
        self.top + self.across().max(120.0)
    }

    /// The upper left corner of a cell.
    fn corner(&self, (row, column): (usize, usize)) -> Place {
        (self.left + self.cell * column as f64, self.top + self.cell * row as f64)
    }

    /// The decimals of scores: as in the tables, if there is room.
    fn decimals(&self) -> usize {
        usize::from(self.cell >= 52.0)
    }

    fn draw_names(&self, sheet: &mut Sheet) {
        let size = if self.cell < 18.0 { SMALL } else { TEXT };
        for (index, name) in self.names.iter().enumerate() {
            let (x, y) = self.corner((index, index));
            sheet.text(name, (self.left - GAP, y + self.cell / 2.0), size, INK, Anchor::Left);
            sheet.text(name, (x + self.cell / 2.0, self.top - GAP), size, INK, Anchor::Up);
        }
    }

    fn draw_cell(&self, sheet: &mut Sheet, place: (usize, usize), cell: Option<&Cell>) {
        let score = cell.map(|cell| cell.score);
        let (colour, figures) = match score {
            None => (SELF, String::new()),
            Some(None) => (NEVER, "–".into()),
            Some(Some(score)) => (diverging(score), format!("{:.*}", self.decimals(), 100.0 * score)),
        };
        let (x, y) = self.corner(place);
        sheet.fill((x, y), (x + self.cell - 1.0, y + self.cell - 1.0), colour);
        if self.names.len() <= MOST_FIGURES || score == Some(None) {
            sheet.text(&figures, (x + self.cell / 2.0, y + self.cell / 2.0), 15.0, legible_on(colour), Anchor::Middle);
        }
    }

    fn draw_legend(&self, sheet: &mut Sheet) {
        let height = self.across().clamp(120.0, 240.0);
        let left = self.left + self.across() + GAP;
        let steps = height as u32;
        for step in 0..steps {
            let y = self.top + f64::from(step);
            let score = 1.0 - (f64::from(step) + 0.5) / f64::from(steps);
            sheet.fill((left, y), (left + LEGEND, y + 1.0), diverging(score));
        }
        for (share, label) in [(0.0, "100 %"), (0.5, "50 %"), (1.0, "0 %")] {
            let y = self.top + share * height + 6.0 - 12.0 * share;
            sheet.text(label, (left + LEGEND + GAP / 2.0, y), SMALL, FAINT, Anchor::Right);
        }
    }
}
