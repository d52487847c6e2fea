//! The layout that most charts share: one row per bot with its name and a figure, over a common axis.

use std::ops::Range;

use plotters::chart::DualCoordChartContext;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::combinators::{BindKeyPoints, WithKeyPoints};
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::coord::types::{RangedCoordf64, RangedCoordi32};
use plotters::element::ErrorBarOrientH;
use plotters::prelude::*;

use super::layout::{AXIS, Form, GAP, Sheet, TEXT, fit, mesh, number, text, widest};
use super::palette::{INK, PAPER};

/// Maximum number of rows in a chart with a row for each bot.
pub(super) const MAX_ROWS: usize = 40;
const MAX_NAME_WIDTH: u32 = 210;
/// Distance between two rows on the axis of the bots.
pub(super) const ROW: i32 = 100;
/// Height of a line of a legend, as the drawing library sets it.
const LEGEND: i32 = 22;

/// Axis with a tick for each bot.
type Bots = WithKeyPoints<RangedCoordi32>;
/// Chart with a row for each bot, whose figures are labels of a second axis.
type Plot<'a, X> = DualCoordChartContext<
    'a,
    SVGBackend<'a>,
    Cartesian2d<X, Bots>,
    Cartesian2d<RangedCoordf64, Bots>,
>;

/// Texts of a chart with a row for each bot.
pub(super) struct Rows<'a> {
    /// Name and figure of each bot.
    pub(super) cells: Vec<(&'a str, String)>,
    /// Quantity on the axis, with its unit.
    pub(super) measure: String,
    pub(super) footnote: String,
    /// Formats a tick.
    pub(super) label: fn(&f64) -> String,
    /// Number of series in the legend.
    pub(super) legend: i32,
}

impl<'a> Rows<'a> {
    /// Creates rows without a legend over an axis of plain numbers.
    pub(super) fn new(cells: Vec<(&'a str, String)>, measure: &str, footnote: String) -> Self {
        Self {
            cells,
            measure: measure.to_owned(),
            footnote,
            label: number,
            legend: 0,
        }
    }

    /// Draws a chart with a row for each bot at the y coordinates 0, [`ROW`], … from the top. On a phone, the name and the figure of a bot stand
    /// above the marks of its row. `draw` gets half the height of the marks.
    pub(super) fn draw<X>(
        &self,
        sheet: &Sheet,
        x: X,
        draw: impl FnOnce(&mut Plot<'_, X::CoordDescType>, i32) -> anyhow::Result<()>,
    ) -> anyhow::Result<String>
    where
        X: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
    {
        let (form, count) = (sheet.form, self.cells.len());
        let is_phone = form == Form::Phone;
        let (row, above) = if is_phone { (48, 20) } else { (26, 0) };
        let (half, above) = ((row - above) * ROW / row / 2, above * ROW / row);
        let end = (count as i32 - 1) * ROW + half;
        let top = -half - above - self.legend * LEGEND * ROW / row;
        let height = ((end - top) * row / ROW) as u32 + AXIS;
        let right = widest(self.cells.iter().map(|(_, figure)| figure)) + GAP;
        let margin = if is_phone { 26 } else { form.margin() };
        let room = MAX_NAME_WIDTH.min((form.width() - 2 * margin).saturating_sub(right));
        let names = self.cells.iter().map(|(name, _)| fit(name, TEXT, room));
        let names: Vec<String> = names.collect();
        let left = widest(&names).max(40) + GAP;
        // Areas of negative size lie inside the plot.
        let [left, right] = [left, right].map(|side| side as i32 * if is_phone { -1 } else { 1 });
        let up = -(half + above / 2) * row / ROW * i32::from(is_phone);
        sheet.svg(height, &self.footnote, |area| {
            let y = || (end..top).with_key_points((0..count as i32).map(|row| row * ROW).collect());
            let mut chart = ChartBuilder::on(area)
                .margin_left(margin)
                .margin_right(margin)
                .x_label_area_size(AXIS)
                .y_label_area_size(left)
                .right_y_label_area_size(right)
                .build_cartesian_2d(x, y())?
                .set_secondary_coord(0.0..1.0, y());
            let measure = fit(&self.measure, TEXT, chart.plotting_area().dim_in_pixel().0);
            mesh(&mut chart)
                .disable_y_mesh()
                .disable_y_axis()
                .x_label_formatter(&self.label)
                .x_desc(measure)
                .draw()?;
            // Keep grid lines off the texts.
            let Range { start, end: right } = chart.x_range();
            let texts = numbered(0..count).map(|(row, _)| (row - half - above, row - half));
            let texts = texts.chain([(top, -half - above)]);
            let papers = texts
                .filter(|(from, to)| from < to)
                .map(|(from, to)| Rectangle::new([(start, from), (right, to)], PAPER.filled()));
            chart.draw_series(papers)?;
            mesh(&mut chart)
                .disable_mesh()
                .disable_x_axis()
                .axis_style(TRANSPARENT)
                .y_label_style(text(TEXT, INK))
                .y_label_offset(up)
                .y_label_formatter(&|row| names[(row / ROW) as usize].clone())
                .set_tick_mark_size(LabelAreaPosition::Left, if is_phone { -1 } else { 6 })
                .draw()?;
            chart
                .configure_secondary_axes()
                .axis_style(TRANSPARENT)
                .label_style(text(TEXT, INK))
                .y_label_offset(up)
                .y_label_formatter(&|row| self.cells[(row / ROW) as usize].1.clone())
                // Ticks inside the area align the labels at its right.
                .set_tick_mark_size(LabelAreaPosition::Right, -1)
                .draw()?;
            draw(&mut chart, half)?;
            if self.legend > 0 {
                chart
                    .configure_series_labels()
                    .position(SeriesLabelPosition::Coordinate(0, 0))
                    .margin(1)
                    .legend_area_size(20)
                    .label_font(text(TEXT, INK))
                    .draw()?;
            }
            Ok(())
        })
    }
}

/// Returns a horizontal error bar around a mean, or just a dot without an interval.
pub(super) fn error_bar(
    row: i32,
    mean: f64,
    ends: Option<[f64; 2]>,
    colour: RGBColor,
) -> ErrorBar<i32, f64, ErrorBarOrientH<i32, f64>> {
    let [low, high] = ends.unwrap_or([mean; 2]);
    let style = colour.filled().stroke_width(2);
    ErrorBar::new_horizontal(row, low, mean, high, style, 8)
}

/// Returns a line at a number across the marks of a row.
pub(super) fn across(
    number: f64,
    row: i32,
    half: i32,
    colour: RGBColor,
) -> PathElement<(f64, i32)> {
    let ends = [(number, row - half), (number, row + half)];
    PathElement::new(ends, colour.stroke_width(2))
}

/// Pairs items with the y coordinates of their rows.
pub(super) fn numbered<T>(items: impl IntoIterator<Item = T>) -> impl Iterator<Item = (i32, T)> {
    (0..).step_by(ROW as usize).zip(items)
}

/// Returns the end of a footnote if there are more bots than rows; empty if all bots have a row.
pub(super) fn best_of(shown: usize, all: usize) -> String {
    let cut = (shown < all).then(|| format!("; only the best {shown} of {all} bots"));
    cut.unwrap_or_default()
}
