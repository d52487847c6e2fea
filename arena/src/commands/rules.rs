//! Renders the Markdown rules page of a game for a terminal.

use std::mem::take;

use pulldown_cmark::{Event, Options as Markdown, Parser, Tag, TagEnd};
use textwrap::{Options, WordSplitter};

/// Maximum line width, for readability.
const MAX_WIDTH: usize = 100;
/// Minimum width of the last column of a table.
const LAST_COLUMN: usize = 24;

/// Renders a page.
pub fn rendered(page: &str, width: usize) -> String {
    let width = width.min(MAX_WIDTH);
    let (mut text, mut block) = (String::new(), String::new());
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    // The number of the next item in each list around a block, and the indentation of the items.
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

/// Lays out a table with its last column wrapped. If that column would be too narrow, lays out each row as a list item.
fn table(rows: &[Vec<String>], width: usize) -> String {
    let columns = rows.first().map_or(0, |row| row.len());
    let is_empty = |column: &usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(*column));
        cells.all(String::is_empty)
    };
    // On the page, an empty column separates two tables that stand side by side.
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
    if before + LAST_COLUMN > width {
        return items(rows, width);
    }
    let line = |row: &Vec<String>| {
        let Some((last, cells)) = row.split_last() else {
            return String::new();
        };
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

/// Lays out a table as a list. With two columns, an item is `cell: cell`, below the headings. With more columns, each cell follows its
/// heading.
fn items(rows: &[Vec<String>], width: usize) -> String {
    let Some((heads, rows)) = rows.split_first() else {
        return String::new();
    };
    let item = |row: &Vec<String>| {
        let named = heads.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
        let cells: Vec<String> = match heads.len() {
            2 => return filled(&format!("- {}", row.join(": ")), "  ", width),
            _ => named
                .map(|(head, cell)| format!("{head}: {cell}"))
                .collect(),
        };
        filled(&format!("- {}", cells.join("; ")), "  ", width)
    };
    let head = if heads.len() == 2 {
        filled(&(heads.join(": ") + "\n"), "", width)
    } else {
        String::new()
    };
    head + &rows.iter().map(item).collect::<String>()
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
    fn pages_fit_their_width_and_lose_no_word() {
        // Long words may be broken.
        let joined = |text: &str| text.split_whitespace().collect::<String>();
        for game in ENTRIES {
            let page = game.rules_page;
            for width in [80, 200] {
                let shown = rendered(page, width);
                let text = joined(&shown);
                let plain = page.replace("```text", "").replace("```json", "");
                let words = plain.split(|c: char| !c.is_alphanumeric());
                for word in words {
                    assert!(text.contains(word), "{} {width}: {word}", game.name);
                }
                // Lines of JSON are not wrapped, so that they can be copied.
                let lines = shown.lines().filter(|line| !line.contains("{\""));
                let longest = lines.map(|line| line.chars().count()).max();
                assert!(
                    longest.unwrap() <= width.min(MAX_WIDTH),
                    "{} {width}",
                    game.name
                );
            }
        }
    }
}
