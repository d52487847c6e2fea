//! Font of the charts, and measurement of texts in it.

use arena_tournament::printable::unsafe_to_show;

/// Font family named in the SVG.
pub(super) const FAMILY: &str = "sans-serif";

/// Line height relative to the font size, as defined by the drawing library.
pub(super) const LINE: f64 = 1.24;

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

/// Maximum number of letters shown in a line.
const MAX_LETTERS: usize = 200;

/// Replaces characters that are invisible, change the text direction, or are not allowed in XML.
pub(super) fn shown(text: &str) -> String {
    let strange = |c: char| unsafe_to_show(c) || matches!(c, '\u{61c}' | '\u{fffe}' | '\u{ffff}');
    text.chars()
        .map(|c| if strange(c) { '\u{fffd}' } else { c })
        .collect()
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
        let widths =
            ["", " ", "il", "WM", "0~", "日本"].map(|text| text_width(text, 1000.0 / 1.15));
        assert_eq!(
            widths.map(f64::round),
            [0.0, 278.0, 444.0, 1777.0, 1140.0, 2000.0]
        );
        let lines = wrap("one two three four five six", 14.0, 80.0);
        assert!(
            lines.len() > 1 && lines.iter().all(|line| text_width(line, 14.0) <= 80.0),
            "{lines:?}"
        );
        assert_eq!(lines.join(" "), "one two three four five six");
    }
}
