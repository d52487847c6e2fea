//! The chart of the standings: official points per match, best bot at the top, with error bars.

use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;

use super::canvas::{Canvas, FAINT, INK, Lie, RULE, text_width};
use super::{Chart, Drawn, subtitle};
use crate::standings::{Standing, Standings};
use crate::table::half_width;
use crate::text::cut;

const NAME_LETTERS: usize = 24;
const TITLE_LETTERS: usize = 60;
const LEFT: f64 = 24.0;
const TOP: f64 = 84.0;
const ROW: f64 = 30.0;
const PLOT: f64 = 520.0;
const FOOT: f64 = 84.0;
const GAP: f64 = 14.0;
const TEXT: f64 = 14.0;
const BLUE: RGBColor = RGBColor(33, 102, 172);

/// The chart, laid out.
pub(super) struct Points<'a> {
    standings: &'a Standings,
    names: Vec<String>,
    values: Vec<String>,
    axis: Axis,
    /// Where the plot begins.
    left: f64,
    width: f64,
}

impl<'a> Points<'a> {
    pub(super) fn new(standings: &'a Standings) -> Self {
        let rows = &standings.standings;
        let names: Vec<String> = rows.iter().map(|row| cut(&row.bot, NAME_LETTERS)).collect();
        let values: Vec<String> = rows.iter().map(value).collect();
        let widest = |texts: &[String]| texts.iter().map(|text| text_width(text, TEXT)).fold(40.0, f64::max);
        let left = LEFT + widest(&names) + GAP;
        let needed = left + PLOT + GAP + widest(&values) + LEFT;
        let heading = [(title(standings), 20.0), (subtitle(standings), TEXT)];
        let heading = heading.iter().map(|(text, size)| 2.0 * LEFT + text_width(text, *size)).fold(0.0, f64::max);
        Self { standings, names, values, axis: Axis::over(rows), left, width: needed.max(heading).ceil() }
    }

    fn bottom(&self) -> f64 {
        TOP + ROW * self.names.len() as f64
    }

    fn x(&self, points: f64) -> f64 {
        self.left + PLOT * (points - self.axis.from) / (self.axis.to - self.axis.from)
    }

    fn draw_axis<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Drawn {
        let bottom = self.bottom();
        for tick in self.axis.ticks() {
            let x = self.x(tick);
            canvas.line((x, TOP), (x, bottom), 1.0, RULE)?;
            canvas.text(&self.axis.label(tick), (x, bottom + 14.0), 13.0, FAINT, Lie::Middle)?;
        }
        canvas.line((self.left, bottom), (self.left + PLOT, bottom), 1.0, FAINT)?;
        let middle = self.left + PLOT / 2.0;
        canvas.text("official points per match", (middle, bottom + 36.0), TEXT, INK, Lie::Middle)
    }

    fn draw_row<B: DrawingBackend>(&self, canvas: &Canvas<B>, index: usize) -> Drawn {
        let row = &self.standings.standings[index];
        let y = TOP + ROW * (index as f64 + 0.5);
        canvas.text(&self.names[index], (self.left - GAP, y), TEXT, INK, Lie::Left)?;
        canvas.text(&self.values[index], (self.left + PLOT + GAP, y), TEXT, INK, Lie::Right)?;
        if let Some([low, high]) = row.interval {
            let (low, high) = (self.x(low), self.x(high));
            canvas.line((low, y), (high, y), 2.0, BLUE)?;
            canvas.line((low, y - 5.0), (low, y + 5.0), 2.0, BLUE)?;
            canvas.line((high, y - 5.0), (high, y + 5.0), 2.0, BLUE)?;
        }
        match row.points_per_match {
            Some(points) => canvas.dot((self.x(points), y), 5.0, BLUE),
            None => Ok(()),
        }
    }
}

impl Chart for Points<'_> {
    const NAME: &'static str = "points";

    fn size(&self) -> (u32, u32) {
        (self.width as u32, (self.bottom() + FOOT) as u32)
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Drawn {
        canvas.text(&title(self.standings), (LEFT, 30.0), 20.0, INK, Lie::Right)?;
        canvas.text(&subtitle(self.standings), (LEFT, 56.0), TEXT, FAINT, Lie::Right)?;
        self.draw_axis(canvas)?;
        for index in 0..self.names.len() {
            self.draw_row(canvas, index)?;
        }
        canvas.text(&footnote(self.standings), (LEFT, self.bottom() + 66.0), 12.0, FAINT, Lie::Right)
    }
}

fn title(standings: &Standings) -> String {
    format!("{}: points per match", cut(&standings.name, TITLE_LETTERS))
}

/// Points per match in figures.
fn value(row: &Standing) -> String {
    match (row.points_per_match, half_width(row)) {
        (Some(points), Some(half)) => format!("{points:.2} ± {half:.2}"),
        (Some(points), None) => format!("{points:.2}"),
        (None, _) => "no match yet".into(),
    }
}

fn footnote(standings: &Standings) -> String {
    let unfinished = match standings.unfinished_deals {
        0 => String::new(),
        deals => format!("; {deals} unfinished left out of them"),
    };
    match standings.standings.iter().map(|row| row.interval_deals).max() {
        Some(deals @ 2..) => format!("error bars: 95 % t interval over {deals} finished deals{unfinished}"),
        _ => "no error bars yet: they take two finished deals".into(),
    }
}

/// The range of points shown.
struct Axis {
    from: f64,
    to: f64,
    step: f64,
}

impl Axis {
    /// A range that holds all points and error bars, and 0 if that is not far.
    fn over(rows: &[Standing]) -> Self {
        let points = rows.iter().filter_map(|row| row.points_per_match).map(|points| [points, points]);
        let shown: Vec<f64> = points.chain(rows.iter().filter_map(|row| row.interval)).flatten().collect();
        let (mut low, mut high) = shown.iter().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
        if shown.is_empty() {
            (low, high) = (0.0, 1.0);
        }
        if low > 0.0 && low < high / 2.0 {
            low = 0.0;
        }
        let step = step((high - low).max(1e-3 * high.abs()).max(0.01));
        let from = (low / step).floor() * step;
        Self { from, to: ((high / step).ceil() * step).max(from + step), step }
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.to - self.from) / self.step).round() as u32;
        (0..=count).map(|index| self.from + self.step * f64::from(index))
    }

    fn label(&self, tick: f64) -> String {
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        let tick = if tick.abs() < self.step / 2.0 { 0.0 } else { tick };
        format!("{tick:.decimals$}")
    }
}

/// A round distance between ticks, such that there are five to ten of them.
fn step(range: f64) -> f64 {
    let magnitude = 10f64.powf((range / 10.0).log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|round| round * magnitude * 9.0 >= range);
    round.unwrap_or(10.0) * magnitude
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn ticks_are_round_and_cover_everything() {
        let mut row = sample::standings(&["a", "b"], 2).standings.remove(0);
        let mut check = |interval: [f64; 2], expected: &[&str]| {
            row.points_per_match = Some((interval[0] + interval[1]) / 2.0);
            row.interval = Some(interval);
            let axis = Axis::over(std::slice::from_ref(&row));
            let labels: Vec<String> = axis.ticks().map(|tick| axis.label(tick)).collect();
            assert_eq!(labels, expected);
        };
        check([4.1, 17.2], &["0", "2", "4", "6", "8", "10", "12", "14", "16", "18"]);
        check([10.02, 10.31], &["10.00", "10.05", "10.10", "10.15", "10.20", "10.25", "10.30", "10.35"]);
        check([-7.0, 12.0], &["-10", "-5", "0", "5", "10", "15"]);
        check([0.0, 0.0], &["0.000", "0.002"]);
    }
}
