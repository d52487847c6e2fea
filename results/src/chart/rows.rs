//! The body that most charts share: a row for each bot with its name and a figure, over a common axis.

use plotters::style::RGBColor;

use super::axis::Axis;
use super::font::{fit, text_width, widest};
use super::palette::{INK, PAPER};
use super::sheet::{Anchor, Form, GAP, Sheet, TEXT};

/// The most bots in a chart with a row for each.
pub(super) const MOST_ROWS: usize = 40;

/// From this many rows on they are closer together.
const MANY: usize = 16;
/// The most room for a name.
const NAME: f64 = 210.0;
/// On a phone, the height of a row with its name and figures above its marks, and the height of those.
const PHONE_ROW: f64 = 48.0;
const PHONE_TEXT: f64 = 20.0;

/// Rows over an axis.
pub(super) struct BotRows {
    axis: Axis,
    /// Where the rows begin and end.
    pub(super) left: f64,
    pub(super) right: f64,
    top: f64,
    row: f64,
    /// The height of the text above the marks of a row.
    text: f64,
    /// Where the axis and its label end.
    pub(super) bottom: f64,
}

impl BotRows {
    /// Draws the names, the figures and the axis with what it measures.
    pub(super) fn draw(
        sheet: &mut Sheet,
        top: f64,
        cells: &[(&str, String)],
        axis: Axis,
        measure: &str,
    ) -> Self {
        let margin = sheet.form.margin();
        let end = sheet.form.width() - margin;
        let names = cells.iter().map(|(name, _)| fit(name, TEXT, NAME));
        let names: Vec<String> = names.collect();
        let figures = widest(cells.iter().map(|(_, figure)| figure), TEXT);
        let (left, right, row, text) = if sheet.form == Form::Phone {
            (margin + GAP, end - GAP, PHONE_ROW, PHONE_TEXT)
        } else {
            let left = margin + widest(&names, TEXT).max(40.0) + GAP;
            let right = end - if figures > 0.0 { figures + GAP } else { 10.0 };
            let row = if cells.len() > MANY { 23.0 } else { 30.0 };
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
                // The paper keeps lines of the axis off the text.
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

    /// Where a number lies.
    pub(super) fn x(&self, number: f64) -> f64 {
        self.left + (self.right - self.left) * self.axis.share(number)
    }

    /// The middle of the marks of a row.
    pub(super) fn y(&self, index: usize) -> f64 {
        self.top + self.row * index as f64 + f64::midpoint(self.text, self.row)
    }

    /// Half the height of what is drawn in a row.
    pub(super) fn half(&self) -> f64 {
        (self.row - self.text) * 0.36
    }

    /// Draws a line across the first `count` rows at a number, not through their texts.
    pub(super) fn mark(&self, sheet: &mut Sheet, number: f64, count: usize, colour: RGBColor) {
        let (x, half) = (self.x(number), (self.row - self.text) / 2.0);
        for y in (0..count).map(|index| self.y(index)) {
            sheet.line((x, y - half), (x, y + half), 1.5, colour);
        }
    }
}

/// The end of a footnote where there are more bots than rows.
pub(super) fn best_of(shown: usize, all: usize) -> String {
    if shown < all {
        format!("; only the best {shown} of {all} bots")
    } else {
        String::new()
    }
}
