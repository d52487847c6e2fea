//! Renders the Markdown rules page of a game for a terminal.

use textwrap::{Options, WordSplitter};

/// Maximum line width, for readability.
const MAX_WIDTH: usize = 100;
/// Minimum width of the last column of a table.
const LAST_COLUMN: usize = 24;
/// Start of the section that only bot authors need.
const MESSAGES_HEADING: &str = "\n## Messages";

/// Renders the page up to its section on messages.
pub fn rendered(page: &str, width: usize) -> String {
    let width = width.min(MAX_WIDTH);
    let page = page.split(MESSAGES_HEADING).next().unwrap_or_default();
    let page = page.replace("**", "");
    let (mut text, mut paragraph) = (String::new(), String::new());
    let (mut rows, mut is_verbatim) = (Vec::new(), false);
    for line in page.lines().chain([""]) {
        let is_fence = line.starts_with("```");
        is_verbatim ^= is_fence;
        let is_row = line.starts_with('|') && !is_verbatim;
        if !is_row {
            text += &table(&std::mem::take(&mut rows), width);
        }
        if is_verbatim && !is_fence {
            text += &format!("{line}\n");
        } else if is_row {
            rows.push(cells(line));
        } else if is_fence || line.is_empty() || line.starts_with('#') || marker(line) > 0 {
            text += &filled(&std::mem::take(&mut paragraph), width);
            if line.is_empty() || line.starts_with('#') {
                text += &format!("{line}\n");
            } else if !is_fence {
                paragraph = line.to_owned();
            }
        } else {
            let line = if paragraph.is_empty() {
                line
            } else {
                line.trim()
            };
            paragraph += if paragraph.is_empty() { "" } else { " " };
            paragraph += line;
        }
    }
    text.trim_end().to_owned() + "\n"
}

/// Returns the width of a list item's marker; 0 for other lines.
fn marker(line: &str) -> usize {
    let item = line.trim_start();
    let digits = item.trim_start_matches(|c: char| c.is_ascii_digit());
    let mark = match item.split_once(' ') {
        Some(("-", _)) => 2,
        _ if digits.len() < item.len() && digits.starts_with(". ") => item.len() - digits.len() + 2,
        _ => return 0,
    };
    line.len() - item.len() + mark
}

/// Wraps a paragraph or list item.
fn filled(paragraph: &str, width: usize) -> String {
    if paragraph.is_empty() {
        return String::new();
    }
    let indent = " ".repeat(marker(paragraph));
    let options = Options::new(width).subsequent_indent(&indent);
    textwrap::fill(
        paragraph,
        options.word_splitter(WordSplitter::NoHyphenation),
    ) + "\n"
}

/// Splits a table row into cells.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_matches('|');
    row.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// Lays out a table with its last column wrapped; if that would be too narrow, cells are stacked.
fn table(rows: &[Vec<String>], width: usize) -> String {
    let is_rule = |row: &&Vec<String>| !row.iter().all(|cell| cell.starts_with("--"));
    let rows: Vec<&Vec<String>> = rows.iter().filter(is_rule).collect();
    let columns = rows.first().map_or(0, |row| row.len());
    let is_empty = |column: &usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(*column));
        cells.all(String::is_empty)
    };
    // An empty column separates two tables that stand side by side on the page.
    if let Some(empty) = (0..columns).find(is_empty) {
        let side = |from, to| {
            let cells = rows.iter().map(|row| {
                let cells = row.iter().take(to).skip(from);
                cells.cloned().collect::<Vec<_>>()
            });
            let cells = cells.filter(|row| row.iter().any(|cell| !cell.is_empty()));
            table(&cells.collect::<Vec<_>>(), width)
        };
        return side(0, empty) + "\n" + &side(empty + 1, columns);
    }
    let longest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (1..columns).map(|column| longest(column - 1)).collect();
    let before: usize = widths.iter().map(|width| width + 2).sum();
    let line = |row: &&Vec<String>| {
        let Some((last, cells)) = row.split_last() else {
            return String::new();
        };
        if before + LAST_COLUMN > width {
            let cells = row.iter().map(String::as_str);
            let cells: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
            return filled(&format!("- {}", cells.join(" · ")), width);
        }
        let padded = cells.iter().zip(&widths);
        let first: String = padded
            .map(|(cell, width)| format!("{cell:<width$}  "))
            .collect();
        let indent = " ".repeat(before);
        let options = Options::new(width)
            .initial_indent(&first)
            .subsequent_indent(&indent);
        textwrap::fill(last, options.word_splitter(WordSplitter::NoHyphenation))
            .trim_end()
            .to_owned()
            + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use arena_engine::games::ENTRIES;

    use super::*;

    #[test]
    fn rows_of_a_table_may_lack_cells() {
        let page = "| a | | b |\n|---|---|---|\n| c |\n| d | | e |\n";
        assert_eq!(rendered(page, 80), "a\nc\nd\n\nb\ne\n");
    }

    #[test]
    fn pages_fit_their_width_and_lose_no_word_before_the_messages() {
        let words = |text: &str| -> Vec<String> {
            let plain = text
                .replace("**", "")
                .replace("```text", "")
                .replace("```", "");
            let letters = |c: char| !c.is_alphanumeric();
            let words = plain.split(letters).filter(|word| !word.is_empty());
            let mut words: Vec<String> = words.map(str::to_owned).collect();
            // Tables that stand side by side on the page follow each other here.
            words.sort_unstable();
            words
        };
        for game in ENTRIES {
            let page = game.rules_page.split(MESSAGES_HEADING).next().unwrap();
            for width in [40, 80, 200] {
                let shown = rendered(page, width);
                assert_eq!(words(&shown), words(page), "{} {width}", game.name);
                let longest = shown.lines().map(|line| line.chars().count()).max();
                assert!(
                    longest.unwrap() <= width.min(MAX_WIDTH),
                    "{} {width}",
                    game.name
                );
            }
        }
    }
}
