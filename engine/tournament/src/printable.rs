//! Makes untrusted text safe to show: the text cannot control a terminal, hide, or reverse the text around it.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The zero-width joiner, which joins emoji and is invisible elsewhere.
const JOINER: char = '\u{200d}';

/// Removes control characters, which could control a terminal.
pub fn clean(text: &str) -> String {
    if !text.contains(unsafe_to_show) {
        return text.into();
    }
    let mut cleaned = String::with_capacity(text.len());
    for cluster in text.graphemes(true) {
        let mut chars = cluster.chars().peekable();
        while let Some(c) = chars.next() {
            let joins = c == JOINER
                && chars.peek().is_some_and(|next| !unsafe_to_show(*next))
                && cluster.width() == 2;
            let is_safe = joins || !unsafe_to_show(c);
            cleaned.push(if is_safe { c } else { '\u{fffd}' });
        }
    }
    cleaned
}

/// Normalises the text (NFC), so that names that look the same are equal.
pub fn nfc(text: &str) -> String {
    text.nfc().collect()
}

/// Like [`clean`], for text of several lines.
pub fn clean_lines(text: &str) -> String {
    text.split('\n')
        .map(clean)
        .collect::<Vec<String>>()
        .join("\n")
}

/// Returns `true` for control characters, bidirectional formatting and invisible characters.
pub fn unsafe_to_show(c: char) -> bool {
    let turns = matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let hides = matches!(c, '\u{00ad}' | '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    c.is_control() || turns || hides
}

/// Truncates the text to a display width, and marks the cut. Chinese, Japanese and Korean characters and most pictographs are two columns
/// wide.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.into();
    }
    // The width of joined characters is not the sum of the widths of its parts.
    let fits = |end: &usize| text[..*end].width() < width;
    let clusters = text.grapheme_indices(true);
    let ends = clusters.map(|(at, cluster)| at + cluster.len());
    format!("{}…", &text[..ends.take_while(fits).last().unwrap_or(0)])
}

/// Returns the length of the longest run of zero-width marks, such as accents on one letter.
pub fn most_marks(text: &str) -> usize {
    let is_mark = |c: char| c.width().unwrap_or_default() == 0 && !c.is_control();
    text.split(|c| !is_mark(c))
        .map(|marks| marks.chars().count())
        .max()
        .unwrap_or(0)
}

/// Wraps the text to a width, at spaces where possible.
pub fn folded(text: &str, width: usize) -> Vec<String> {
    let options =
        textwrap::Options::new(width).word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(text, options)
        .into_iter()
        .map(Into::into)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_reaches_the_terminal_unseen() {
        assert_eq!(
            clean("a\x1b[2Jb\nc\u{202e}d"),
            "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d"
        );
        assert_eq!(
            clean("a\u{200b}b\u{061c}c\u{e0041}d\u{3164}"),
            "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}"
        );
        // A joiner is kept only within an emoji.
        for (text, shown) in [
            ("👩\u{200d}🚀!", "👩\u{200d}🚀!"),
            ("a\u{200d}b", "a\u{fffd}b"),
            ("🚀\u{200d}", "🚀\u{fffd}"),
            ("👩\u{200d}\u{200d}🚀", "👩\u{fffd}\u{fffd}🚀"),
        ] {
            assert_eq!(clean(text), shown);
        }
        assert_eq!(nfc("e\u{301}"), "é");
        assert_eq!(clean("é ü 日本 🦀 ⚔\u{fe0f}"), "é ü 日本 🦀 ⚔\u{fe0f}");
    }

    #[test]
    fn cuts_count_columns_not_letters() {
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("🦀🦀🦀", 5), "🦀🦀…");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("ae\u{301}\u{302}bcd", 3), "ae\u{301}\u{302}…");
        assert_eq!(cut("🇩🇪🇫🇷 flags", 3), "🇩🇪…");
        assert_eq!(cut("👩\u{200d}🚀👩\u{200d}🚀", 3), "👩\u{200d}🚀…");
    }

    #[test]
    fn marks_are_counted_by_the_letter_they_stand_on() {
        assert_eq!(
            ["abc", "e\u{301}e\u{301}", "日\u{302}\u{303}\u{304}x", ""].map(most_marks),
            [0, 1, 3, 0]
        );
    }

    #[test]
    fn texts_are_folded_at_blanks_and_in_long_words() {
        assert_eq!(folded("one two three", 8), ["one two", "three"]);
        assert_eq!(folded("x abcdefghij y", 4), ["x", "abcd", "efgh", "ij y"]);
        assert_eq!(folded("日本語", 4), ["日本", "語"]);
    }
}
