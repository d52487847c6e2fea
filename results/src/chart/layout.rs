//! Layout that the charts share: a sheet with head and foot, the style of the axes, and texts that fit.

use std::ops::Range;

use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::data::fitting_range;
use plotters::data::float::FloatPrettyPrinter;
use plotters::prelude::*;

use super::palette::{FAINT, INK, PAPER, RULE};
use arena_tournament::printable::unsafe_to_show;

/// Font size of most texts, in pixels.
pub(super) const TEXT: f64 = 14.0;
/// Font size of the smallest texts.
const SMALL: f64 = 13.0;
const TITLE: f64 = 20.0;
/// Height of the labels and the name of an axis at the bottom.
pub(super) const AXIS: u32 = 46;
/// Distance between a name and the mark that it labels.
pub(super) const GAP: u32 = 12;
/// Height of a line of a footnote.
const NOTE: u32 = 18;

/// Area of the drawing library.
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Chart of the drawing library.
pub(super) type Plot<'a, X, Y> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>;

/// Form in which a chart is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Separate file, with a title.
    File,
    /// Page that shows the title itself, on a wide screen.
    Page,
    /// Page that shows the title itself, on a phone.
    Phone,
}

impl Form {
    /// Returns the width, in pixels.
    pub(super) fn width(self) -> u32 {
        if self == Self::Phone { 400 } else { 900 }
    }

    /// Returns the space that stays free at each side.
    pub(super) fn margin(self) -> u32 {
        if self == Self::Phone { 8 } else { 24 }
    }

    fn room(self) -> u32 {
        self.width() - 2 * self.margin()
    }
}

/// Form of a chart, with the texts of its head.
pub(super) struct Sheet {
    pub(super) form: Form,
    title: String,
    facts: String,
}

impl Sheet {
    /// Creates a sheet that is headed by a name, a title and facts, if the form has a head.
    pub(super) fn new(form: Form, name: &str, title: &str, facts: &str) -> Self {
        let (title, room) = (format!(": {title}"), form.room());
        let rest = room.saturating_sub(text_width(&title, TITLE).ceil() as u32);
        Self {
            form,
            title: fit(name, TITLE, rest) + &title,
            facts: fit(facts, TEXT, room),
        }
    }

    /// Draws a body of this height between the head and the footnote. Returns the SVG.
    pub(super) fn svg(
        &self,
        height: u32,
        footnote: &str,
        draw: impl FnOnce(&Area<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<String> {
        let (form, is_file) = (self.form, self.form == Form::File);
        let notes = textwrap::wrap(footnote, (f64::from(form.room()) / (0.55 * SMALL)) as usize);
        let foot = 2 * GAP + NOTE * notes.len() as u32;
        // The library makes titles of these sizes 54 pixels high.
        let head = GAP + if is_file { 54 + GAP } else { 0 };
        let mut svg = String::new();
        let size = (form.width(), head + height + foot);
        let sheet = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        sheet.fill(&PAPER)?;
        if is_file {
            let (_, below) = sheet.split_vertically(GAP);
            let titled = below.titled(&self.title, text(TITLE, INK))?;
            titled.titled(&self.facts, text(TEXT, FAINT))?;
        }
        let (_, rest) = sheet.split_vertically(head);
        let (body, foot) = rest.split_vertically(height);
        draw(&body)?;
        for (line, y) in notes.iter().zip((GAP as i32..).step_by(NOTE as usize)) {
            foot.draw_text(line, &text(SMALL, FAINT), (form.margin() as i32, y))?;
        }
        sheet.present()?;
        drop((sheet, rest, body, foot));
        Ok(svg)
    }
}

/// Configures a mesh in the style of the charts, with as many labels as there is room for.
pub(super) fn mesh<'a, 'b, X, Y>(
    chart: &'b mut Plot<'a, X, Y>,
) -> MeshStyle<'a, 'b, X, Y, SVGBackend<'a>>
where
    X: Ranged + ValueFormatter<X::ValueType>,
    Y: Ranged + ValueFormatter<Y::ValueType>,
{
    let labels = (chart.plotting_area().dim_in_pixel().0 / 50).min(11);
    let mut mesh = chart.configure_mesh();
    mesh.x_labels(labels as usize)
        .bold_line_style(RULE)
        .light_line_style(TRANSPARENT)
        .axis_style(FAINT)
        .label_style(text(SMALL, FAINT))
        .axis_desc_style(text(TEXT, INK))
        .set_all_tick_mark_size(4);
    mesh
}

/// Returns a range with some space around these numbers. It begins or ends at 0 if that is near.
pub(super) fn around(numbers: impl IntoIterator<Item = f64>) -> Range<f64> {
    let numbers: Vec<f64> = numbers.into_iter().filter(|one| one.is_finite()).collect();
    let Range { start, end } = fitting_range(&numbers);
    let space = 0.05 * (end - start).max(1e-3 * end.abs()).max(0.2);
    let from_zero = start >= 0.0 && start < end / 2.0;
    let to_zero = end <= 0.0 && end > start / 2.0;
    let low = if from_zero { 0.0 } else { start - space };
    low..if to_zero { 0.0 } else { end + space }
}

/// Formats a tick without needless decimals.
pub(super) fn number(number: &f64) -> String {
    let printer = FloatPrettyPrinter {
        allow_scientific: false,
        min_decimal: 0,
        max_decimal: 9,
    };
    printer.print(*number)
}

/// Returns the style of a text. The drawing library divides its sizes by 1.24.
pub(super) fn text(size: f64, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size * 1.24).into_font().color(&colour)
}

/// Widths of the letters from the space to `~` in Helvetica, in thousandths of the font size.
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// Width of a letter that is not in the table, such as an ideograph.
const FULL_WIDTH: u16 = 1000;
/// Factor by which other fonts, such as Verdana or DejaVu Sans, may be wider.
const WIDTH_FACTOR: f64 = 1.15;

/// Returns the width of the widest text.
pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a String>) -> u32 {
    let widths = texts.into_iter().map(|text| text_width(text, TEXT));
    widths.fold(0.0, f64::max).ceil() as u32
}

/// Estimates the width of a text at a font size. SVG viewers may use other fonts, some of which are wider.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let width = |letter: char| {
        let place = (letter as usize).wrapping_sub(usize::from(b' '));
        WIDTHS.get(place).copied().unwrap_or(FULL_WIDTH)
    };
    let thousandths: f64 = text.chars().map(|letter| f64::from(width(letter))).sum();
    WIDTH_FACTOR * thousandths * size / 1000.0
}

/// Cuts a text to the available width, marking the cut with an ellipsis. Replaces characters that are invisible, change the text direction,
/// or are not allowed in XML.
pub(super) fn fit(text: &str, size: f64, room: u32) -> String {
    let strange = |c: char| unsafe_to_show(c) || matches!(c, '\u{61c}' | '\u{fffe}' | '\u{ffff}');
    let mut shown = text.replace(strange, "\u{fffd}");
    while text_width(&shown, size) > f64::from(room) && shown != "…" {
        shown.truncate(shown.trim_end_matches('…').len());
        shown.pop();
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_in_the_open_and_hold_nothing_unseen() {
        let cut = fit(&"wide ".repeat(400), 14.0, 100);
        assert!(
            cut.ends_with('…') && text_width(&cut, 14.0) <= 100.0 && cut.len() > 10,
            "{cut}"
        );
        assert_eq!(fit("short", 14.0, 100), "short");
        assert_eq!(
            fit("a\u{1}\u{202e}\u{ffff}b", 14.0, 100),
            "a\u{fffd}\u{fffd}\u{fffd}b"
        );
        let widths =
            ["", " ", "il", "WM", "0~", "日本"].map(|text| text_width(text, 1000.0 / 1.15));
        assert_eq!(
            widths.map(f64::round),
            [0.0, 278.0, 444.0, 1777.0, 1140.0, 2000.0]
        );
    }

    #[test]
    fn ranges_cover_everything_and_zero_if_it_is_near() {
        assert_eq!(around([4.1, 17.2]).start, 0.0);
        assert_eq!(around([-17.2, -4.1]).end, 0.0);
        for shown in [[10.02, 10.31], [-7.0, 12.0], [0.0, 0.0], [7.0, 7.0]] {
            let range = around(shown);
            assert!(range.start < shown[0] && shown[1] < range.end, "{range:?}");
        }
        let labels = [-0.5, 0.0, 0.1 + 0.2, 10.0, 10.25].map(|tick| number(&tick));
        assert_eq!(labels, ["-0.5", "0", "0.3", "10", "10.25"]);
    }
}
