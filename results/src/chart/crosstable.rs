//! The chart of the crosstable: a heat map of each bot's score against each other one, best bot first both ways.

use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;

use super::canvas::{BLACK, Canvas, FAINT, INK, Lie, PAPER, text_width};
use super::{Chart, Drawn, subtitle};
use crate::crosstable::Cell;
use crate::standings::Standings;
use crate::text::cut;

const NAME_LETTERS: usize = 24;
const TITLE_LETTERS: usize = 60;
const LEFT: f64 = 24.0;
const HEAD: f64 = 84.0;
const FOOT: f64 = 44.0;
const GAP: f64 = 10.0;
const TEXT: f64 = 14.0;
/// The space that the cells share, before they reach their least or greatest size.
const ROOM: f64 = 720.0;
const LEGEND: f64 = 16.0;
const SELF: RGBColor = RGBColor(214, 214, 214);
const NEVER: RGBColor = RGBColor(240, 240, 240);

/// From a score of 0 to 1: orange, white, blue, which the colour-blind tell apart as well.
const PALETTE: [RGBColor; 5] = [
    RGBColor(179, 88, 6),
    RGBColor(241, 163, 64),
    RGBColor(247, 247, 247),
    RGBColor(103, 169, 207),
    RGBColor(33, 102, 172),
];

/// The chart, laid out.
pub(super) struct HeatMap<'a> {
    standings: &'a Standings,
    names: Vec<String>,
    cell: f64,
    /// Where the cells begin.
    left: f64,
    top: f64,
    size: (f64, f64),
}

impl<'a> HeatMap<'a> {
    pub(super) fn new(standings: &'a Standings) -> Self {
        let names: Vec<String> = standings.crosstable.bots.iter().map(|bot| cut(bot, NAME_LETTERS)).collect();
        let widest = names.iter().map(|name| text_width(name, TEXT)).fold(30.0, f64::max);
        let cell = (ROOM / names.len().max(1) as f64).clamp(44.0, 84.0).floor();
        let cells = cell * names.len() as f64;
        let (left, top) = ((LEFT + widest + GAP).ceil(), (HEAD + widest + GAP).ceil());
        let legend = GAP * 2.0 + LEGEND + GAP + text_width("100 %", 12.0) + LEFT;
        let heading = [(title(standings), 20.0), (subtitle(standings), TEXT), (FOOTNOTE.into(), 12.0)];
        let heading = heading.iter().map(|(text, size)| 2.0 * LEFT + text_width(text, *size)).fold(0.0, f64::max);
        let size = ((left + cells + legend).max(heading).ceil(), top + cells.max(100.0) + FOOT);
        Self { standings, names, cell, left, top, size }
    }

    /// The upper left corner of a cell.
    fn corner(&self, row: usize, column: usize) -> (f64, f64) {
        (self.left + self.cell * column as f64, self.top + self.cell * row as f64)
    }

    fn draw_names<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Drawn {
        for (index, name) in self.names.iter().enumerate() {
            let (x, y) = self.corner(index, index);
            canvas.text(name, (self.left - GAP, y + self.cell / 2.0), TEXT, INK, Lie::Left)?;
            canvas.text(name, (x + self.cell / 2.0, self.top - GAP), TEXT, INK, Lie::Up)?;
        }
        Ok(())
    }

    fn draw_cell<B: DrawingBackend>(
        &self,
        canvas: &Canvas<B>,
        row: usize,
        column: usize,
        cell: Option<&Cell>,
    ) -> Drawn {
        let score = cell.map(|cell| cell.score);
        let (colour, told) = match score {
            None => (SELF, String::new()),
            Some(None) => (NEVER, "–".into()),
            Some(Some(score)) => (colour(score), format!("{:.0}", 100.0 * score)),
        };
        let (x, y) = self.corner(row, column);
        canvas.fill((x + 1.0, y + 1.0), (x + self.cell - 1.0, y + self.cell - 1.0), colour)?;
        canvas.text(&told, (x + self.cell / 2.0, y + self.cell / 2.0), 15.0, legible_on(colour), Lie::Middle)
    }

    fn draw_legend<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Drawn {
        let height = (self.cell * self.names.len() as f64).clamp(100.0, 240.0);
        let left = self.left + self.cell * self.names.len() as f64 + GAP * 2.0;
        let steps = height as u32;
        for step in 0..steps {
            let y = self.top + f64::from(step);
            let score = 1.0 - (f64::from(step) + 0.5) / f64::from(steps);
            canvas.fill((left, y), (left + LEGEND, y + 1.0), colour(score))?;
        }
        for (share, label) in [(0.0, "100 %"), (0.5, "50 %"), (1.0, "0 %")] {
            let y = self.top + share * height + 6.0 - 12.0 * share;
            canvas.text(label, (left + LEGEND + GAP / 2.0, y), 12.0, FAINT, Lie::Right)?;
        }
        Ok(())
    }
}

const FOOTNOTE: &str = "score: share of meetings that the row's bot won, with draws as half";

impl Chart for HeatMap<'_> {
    const NAME: &'static str = "crosstable";

    fn size(&self) -> (u32, u32) {
        (self.size.0 as u32, self.size.1 as u32)
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Drawn {
        canvas.text(&title(self.standings), (LEFT, 30.0), 20.0, INK, Lie::Right)?;
        canvas.text(&subtitle(self.standings), (LEFT, 56.0), TEXT, FAINT, Lie::Right)?;
        self.draw_names(canvas)?;
        for (row, cells) in self.standings.crosstable.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                self.draw_cell(canvas, row, column, cell.as_ref())?;
            }
        }
        self.draw_legend(canvas)?;
        canvas.text(FOOTNOTE, (LEFT, self.size.1 - 22.0), 12.0, FAINT, Lie::Right)
    }
}

fn title(standings: &Standings) -> String {
    format!("{}: score in % of the row's bot against the column's", cut(&standings.name, TITLE_LETTERS))
}

/// The palette's colour for a score.
fn colour(score: f64) -> RGBColor {
    let place = score.clamp(0.0, 1.0) * (PALETTE.len() - 1) as f64;
    let below = (place.floor() as usize).min(PALETTE.len() - 2);
    let share = place - below as f64;
    let mix = |low: u8, high: u8| (f64::from(low) + share * (f64::from(high) - f64::from(low))).round() as u8;
    let (low, high) = (PALETTE[below], PALETTE[below + 1]);
    RGBColor(mix(low.0, high.0), mix(low.1, high.1), mix(low.2, high.2))
}

/// Black or white, whichever has more contrast with the colour (WCAG 2).
fn legible_on(colour: RGBColor) -> RGBColor {
    let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
    let ground = luminance(colour);
    if contrast(ground, luminance(PAPER)) > contrast(ground, luminance(BLACK)) { PAPER } else { BLACK }
}

/// Relative luminance (WCAG 2).
fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_legible_on_every_colour() {
        for percent in 0..=100 {
            let ground = colour(f64::from(percent) / 100.0);
            let (a, b) = (luminance(ground), luminance(legible_on(ground)));
            assert!((a.max(b) + 0.05) / (a.min(b) + 0.05) >= 4.5, "{percent} %");
        }
    }
}
