//! Layout that the charts share: a sheet with head and foot, the style of the axes, and texts that fit.

use std::ops::Range;

use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::data::fitting_range;
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
        let (title, room) = (format!(": {title}"), form.width() - 2 * form.margin());
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
        let room = f64::from(form.width() - 2 * form.margin());
        let notes = textwrap::wrap(footnote, (room / (0.55 * SMALL)) as usize);
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
        // What the library repeats on each element, though it is the default, is a fifth of a large chart.
        let family = " font-family=\"sans-serif\"";
        for repeated in [family, " opacity=\"1\"", " stroke=\"none\""] {
            svg = svg.replace(repeated, "");
        }
        Ok(svg.replacen("<svg", &format!("<svg{family}"), 1))
    }
}

/// Configures a mesh in the style of the charts, with as many labels as there is room for.
pub(super) fn mesh<'a, 'b, X, Y>(
    chart: &'b mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
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
pub(super) fn number(tick: &f64) -> String {
    ((tick * 1e9).round() / 1e9 + 0.0).to_string()
}

/// Returns the style of a text. The drawing library divides its sizes by 1.24.
pub(super) fn text(size: f64, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size * 1.24).into_font().color(&colour)
}

/// Returns the width of the widest text.
pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a String>) -> u32 {
    let widths = texts.into_iter().map(|text| text_width(text, TEXT));
    widths.fold(0.0, f64::max).ceil() as u32
}

/// Estimates the width of a text at a font size generously, because SVG viewers use different fonts.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let width = |letter| match letter {
        ' ' | '!' | ',' | '.' | '/' | ':' | ';' | '|' | 'I' | 'f' | 'i' | 'j' | 'l' | 't' => 0.33,
        '"' | '\''..='*' | '-' | '['..=']' | 'r' => 0.45,
        'J' | 'c' | 'k' | 's' | 'v' | 'x'..='z' => 0.58,
        '%' | '@' | 'M' | 'W' | 'm' | 'w' => 1.15,
        'a'..='z' | '0'..='9' => 0.65,
        ' '..='~' => 0.9,
        _ => 1.15,
    };
    size * text.chars().map(width).sum::<f64>()
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
        let widths = ["", " ", "il", "WM", "0~", "日本"].map(|text| text_width(text, 20.0));
        assert_eq!(widths.map(f64::round), [0.0, 7.0, 13.0, 46.0, 31.0, 46.0]);
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
