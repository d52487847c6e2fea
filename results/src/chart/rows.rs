//! The layout that most charts share: one row per bot with its name and a figure, over a common axis.

use plotters::style::RGBColor;

use super::axis::Axis;
use super::font::{fit, text_width, widest};
use super::palette::{INK, PAPER};
use super::sheet::{Anchor, Form, GAP, Sheet, TEXT};

/// Maximum number of rows in a chart with a row for each bot.
pub(super) const MAX_ROWS: usize = 40;

/// Maximum number of rows at normal height; more rows are closer together.
const MAX_LOOSE_ROWS: usize = 16;
/// Maximum width of a name.
const MAX_NAME_WIDTH: f64 = 210.0;
/// Height of a row on a phone, with its name and figures above its marks.
const PHONE_ROW_HEIGHT: f64 = 48.0;
/// Height of the name and figures above a row's marks on a phone.
const PHONE_TEXT_HEIGHT: f64 = 20.0;

/// Rows of a chart over its axis.
pub(super) struct BotRows {
    axis: Axis,
    /// Left and right ends of the rows.
    pub(super) left: f64,
    pub(super) right: f64,
    top: f64,
    row: f64,
    /// Height of the text above the marks of a row.
    text: f64,
    /// Bottom of the axis, including its label.
    pub(super) bottom: f64,
}

impl BotRows {
    /// Draws the names, the figures and the axis with its label.
    pub(super) fn draw(
        sheet: &mut Sheet,
        top: f64,
        cells: &[(&str, String)],
        axis: Axis,
        measure: &str,
    ) -> Self {
        let margin = sheet.form.margin();
        let end = sheet.form.width() - margin;
        let names = cells
            .iter()
            .map(|(name, _)| fit(name, TEXT, MAX_NAME_WIDTH));
        let names: Vec<String> = names.collect();
        let figures = widest(cells.iter().map(|(_, figure)| figure), TEXT);
        let (left, right, row, text) = if sheet.form == Form::Phone {
            (margin + GAP, end - GAP, PHONE_ROW_HEIGHT, PHONE_TEXT_HEIGHT)
        } else {
            let left = margin + widest(&names, TEXT).max(40.0) + GAP;
            let right = end - if figures > 0.0 { figures + GAP } else { 10.0 };
            let row = if cells.len() > MAX_LOOSE_ROWS {
                23.0
            } else {
                30.0
            };
            (left, right, row, 0.0)
        };
        let rows = Self {
            axis,
            left,
            right,
            top,
            row,
            text,
            bottom: top + row * cells.len() as f64 + 46.0,
        };
        let down = [top, rows.bottom - 46.0];
        sheet.x_axis(&rows.axis, [left, right], down, measure);
        for (index, (name, (_, figure))) in names.iter().zip(cells).enumerate() {
            if sheet.form == Form::Phone {
                let y = rows.top + row * index as f64 + text * 0.6;
                let name = fit(name, TEXT, end - margin - GAP - text_width(figure, TEXT));
                // The background keeps grid lines off the text.
                sheet.fill((margin, y - text / 2.0), (end, y + text / 2.0), PAPER);
                sheet.text(&name, (margin, y), TEXT, INK, Anchor::Right);
                sheet.text(figure, (end, y), TEXT, INK, Anchor::Left);
            } else {
                sheet.text(name, (left - GAP, rows.y(index)), TEXT, INK, Anchor::Left);
                sheet.text(figure, (end, rows.y(index)), TEXT, INK, Anchor::Left);
            }
        }
        rows
    }

    /// Returns the x coordinate of a number.
    pub(super) fn x(&self, number: f64) -> f64 {
        self.left + (self.right - self.left) * self.axis.share(number)
    }

    /// Returns the y coordinate of the middle of a row's marks.
    pub(super) fn y(&self, index: usize) -> f64 {
        self.top + self.row * index as f64 + f64::midpoint(self.text, self.row)
    }

    /// Returns half the height of a row's marks.
    pub(super) fn half(&self) -> f64 {
        (self.row - self.text) * 0.36
    }

    /// Draws a line at a number across the first `count` rows, sparing their texts.
    pub(super) fn mark(&self, sheet: &mut Sheet, number: f64, count: usize, colour: RGBColor) {
        let (x, half) = (self.x(number), (self.row - self.text) / 2.0);
        for y in (0..count).map(|index| self.y(index)) {
            sheet.line((x, y - half), (x, y + half), 1.5, colour);
        }
    }
}

/// Returns the end of a footnote if there are more bots than rows; empty if all bots have a row.
pub(super) fn best_of(shown: usize, all: usize) -> String {
    if shown < all {
        format!("; only the best {shown} of {all} bots")
    } else {
        String::new()
    }
}
