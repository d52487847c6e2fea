//! Font of the charts, and measurement of texts in it.

use std::sync::{LazyLock, OnceLock};

use ab_glyph::{Font, FontRef};
use plotters::style::{FontStyle, IntoFont, register_font};

use arena_tournament::printable::unsafe_to_show;

/// Font family named in the SVG; the PNG uses the font registered for it.
pub(super) const FAMILY: &str = "sans-serif";

/// Line height relative to the font size, as defined by the drawing library.
pub(super) const LINE: f64 = 1.24;

/// Factor by which another font may be wider.
const WIDTH_FACTOR: f64 = 1.15;

/// Maximum number of letters shown in a line.
const MAX_LETTERS: usize = 200;

/// Replaces characters that are invisible, change the text direction, or are not allowed in XML.
pub(super) fn shown(text: &str) -> String {
    let strange = |c: char| unsafe_to_show(c) || matches!(c, '\u{61c}' | '\u{fffe}' | '\u{ffff}');
    text.chars()
        .map(|c| if strange(c) { '\u{fffd}' } else { c })
        .collect()
}

/// Estimates the width of a text at a font size. SVG readers have other fonts, some of which are wider.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    if register().is_err() {
        return 0.6 * size * text.chars().count() as f64;
    }
    let size_of = (FAMILY, 100.0 * LINE).into_font().box_size(&shown(text));
    size_of.map_or(0.0, |(width, _)| {
        WIDTH_FACTOR * f64::from(width) * size / 100.0
    })
}

/// Returns the width of the widest text.
pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a String>, size: f64) -> f64 {
    texts
        .into_iter()
        .map(|text| text_width(text, size))
        .fold(0.0, f64::max)
}

/// Cuts a text to the available width, marking the cut with an ellipsis.
pub(super) fn fit(text: &str, size: f64, room: f64) -> String {
    let text = shown(text);
    if text.chars().count() <= MAX_LETTERS && text_width(&text, size) <= room {
        return text;
    }
    let mut letters: Vec<char> = text.chars().take(MAX_LETTERS).collect();
    while !letters.is_empty() && text_width(&(String::from_iter(&letters) + "…"), size) > room {
        letters.pop();
    }
    String::from_iter(letters) + "…"
}

/// Wraps a text to the available width, broken between words.
pub(super) fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Returns true if the font of the PNG has all letters of a text; it shows an empty box for each that it lacks.
pub(super) fn has(text: &str) -> bool {
    static FONT: LazyLock<Option<FontRef<'static>>> =
        LazyLock::new(|| FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok());
    FONT.as_ref()
        .is_none_or(|font| text.chars().all(|letter| font.glyph_id(letter).0 != 0))
}

/// Registers the font with the drawing library, once.
pub(super) fn register() -> Result<(), String> {
    static REGISTERED: OnceLock<Result<(), String>> = OnceLock::new();
    let register = || {
        register_font(
            FAMILY,
            FontStyle::Normal,
            epaint_default_fonts::UBUNTU_LIGHT,
        )
        .map_err(|_| "the font that comes with this program cannot be read".to_owned())
    };
    REGISTERED.get_or_init(register).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_in_the_open_and_hold_nothing_unseen() {
        let long = "wide ".repeat(4000);
        let cut = fit(&long, 14.0, 100.0);
        assert!(
            cut.ends_with('…') && text_width(&cut, 14.0) <= 100.0 && cut.len() > 10,
            "{cut}"
        );
        assert_eq!(fit("short", 14.0, 100.0), "short");
        assert_eq!(
            shown("a\u{1}\u{202e}\u{ffff}b"),
            "a\u{fffd}\u{fffd}\u{fffd}b"
        );
        assert_eq!(
            ["Émile ß…", "Nguyễn", "日本", "🦀"].map(has),
            [true, false, false, false]
        );
        let lines = wrap("one two three four five six", 14.0, 80.0);
        assert!(
            lines.len() > 1 && lines.iter().all(|line| text_width(line, 14.0) <= 80.0),
            "{lines:?}"
        );
        assert_eq!(lines.join(" "), "one two three four five six");
    }
}
