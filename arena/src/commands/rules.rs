//! Renders the Markdown rules page of a game for a terminal.

use std::mem::take;

use pulldown_cmark::{Event, Options as Markdown, Parser, Tag, TagEnd};
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
    let (mut text, mut block) = (String::new(), String::new());
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    // The numbers of the next items in the lists around a block, and the items' indentations.
    let (mut numbers, mut indents) = (Vec::new(), Vec::<String>::new());
    for event in Parser::new_ext(page, Markdown::ENABLE_TABLES) {
        match event {
            Event::Text(words) => block += &words,
            Event::Code(words) => block += &format!("`{words}`"),
            Event::SoftBreak | Event::HardBreak => block.push(' '),
            Event::Start(Tag::Heading { level, .. }) => {
                block = "#".repeat(level as usize) + " ";
            }
            Event::Start(Tag::List(first)) => {
                text += &filled(&take(&mut block), &indents.concat(), width);
                numbers.push(first);
            }
            Event::Start(Tag::Item) => {
                let number = numbers.last_mut().and_then(Option::as_mut);
                let mark = number.map_or("- ".to_owned(), |number| {
                    *number += 1;
                    format!("{}. ", *number - 1)
                });
                block = indents.concat() + &mark;
                indents.push(" ".repeat(mark.len()));
            }
            Event::End(TagEnd::Item) => {
                text += &filled(&take(&mut block), &indents.concat(), width);
                indents.pop();
            }
            Event::End(TagEnd::List(_)) => {
                numbers.pop();
                text += if numbers.is_empty() { "\n" } else { "" };
            }
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => {
                text += &(filled(&take(&mut block), &indents.concat(), width) + "\n");
            }
            Event::End(TagEnd::CodeBlock) => text += &(take(&mut block) + "\n"),
            Event::End(TagEnd::TableCell) => row.push(take(&mut block).trim().to_owned()),
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => rows.push(take(&mut row)),
            Event::End(TagEnd::Table) => text += &(table(&take(&mut rows), width) + "\n"),
            _ => {}
        }
    }
    text.trim_end().to_owned() + "\n"
}

/// Wraps a paragraph or list item, whose further lines are indented.
fn filled(block: &str, indent: &str, width: usize) -> String {
    if block.is_empty() {
        return String::new();
    }
    let options = Options::new(width).subsequent_indent(indent);
    textwrap::fill(block, options.word_splitter(WordSplitter::NoHyphenation)) + "\n"
}

/// Lays out a table with its last column wrapped. If that column would be too narrow, cells are stacked.
fn table(rows: &[Vec<String>], width: usize) -> String {
    let columns = rows.first().map_or(0, |row| row.len());
    let is_empty = |column: &usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(*column));
        cells.all(String::is_empty)
    };
    // An empty column separates two tables that are side by side on the page.
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
    let line = |row: &Vec<String>| {
        let Some((last, cells)) = row.split_last() else {
            return String::new();
        };
        if before + LAST_COLUMN > width {
            let cells = row.iter().map(String::as_str);
            let cells: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
            return filled(&format!("- {}", cells.join(" · ")), "  ", width);
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
            // Tables that are side by side on the page follow each other here.
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
