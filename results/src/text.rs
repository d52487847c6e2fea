//! Tables for the terminal, at most 80 columns wide where the bots are few enough.

use tabled::Table;
use tabled::builder::Builder;
use tabled::grid::util::string::{get_char_width, get_string_width, get_text_width};
use tabled::settings::object::{Columns, Object, Rows};
use tabled::settings::style::{HorizontalLine, Style};
use tabled::settings::{Alignment, Padding};

use crate::crosstable::{Cell, Crosstable};
use crate::standings::Standings;
use crate::table::{self, Column, decimal, percent};

/// How wide a table may be.
pub(crate) const WIDTH: usize = 80;

/// Blanks between columns where there is room.
const GAP: usize = 2;

/// How far a long name is cut before columns are left out instead.
const SHORTEST_NAME: usize = 20;

/// The longest heading in one line.
const LONGEST_HEAD: usize = 7;

/// The longest name in a crosstable.
const CROSSTABLE_NAME: usize = 24;

/// The standings, with a heading and notes on what the numbers mean.
pub fn standings(standings: &Standings) -> String {
    let Fitted { columns, gap, left_out } = fit(table::columns(standings));
    let mut notes = table::notes(standings);
    if !left_out.is_empty() {
        notes.push(format!("to fit, left out here: {}", left_out.join(", ")));
    }
    format!("{}\n\n{}\n\n{}\n", clean(&table::heading(standings)), draw(&columns, gap), notes.join("\n"))
}

/// The crosstable: the score of each row's bot against each column's bot, in per cent, then the same in points.
pub fn crosstable(crosstable: &Crosstable) -> String {
    let score = |cell: &Cell| percent(cell.score);
    let points = |cell: &Cell| match cell.points {
        Some(points) => format!("{points:+.2}"),
        None => decimal(None),
    };
    format!(
        "score of the row's bot in %\n\n{}\n\npoints of the row's bot less the column's, per match\n\n{}\n",
        against(crosstable, score),
        against(crosstable, points),
    )
}

/// A crosstable, in parts one below the other if it is too wide. The bots are numbered, since names would be too wide
/// above the columns.
fn against(crosstable: &Crosstable, told: impl Fn(&Cell) -> String) -> String {
    let column = |head: String, cells: Vec<String>| Column { head, cells, spare: 0 };
    let bots = &crosstable.bots;
    let numbers = column(String::new(), (1..=bots.len()).map(|number| number.to_string()).collect());
    let names = column("bot".into(), bots.iter().map(|bot| cut(&clean(bot), CROSSTABLE_NAME)).collect());
    let mut parts = vec![vec![numbers.clone(), names.clone()]];
    for index in 0..bots.len() {
        let cell = |row: &Vec<Option<Cell>>| row[index].as_ref().map_or_else(|| "·".into(), &told);
        let next = column((index + 1).to_string(), crosstable.cells.iter().map(cell).collect());
        let used: usize = parts.last().map_or(0, |part| part.iter().map(|column| width(column) + GAP).sum());
        if used + width(&next) > WIDTH {
            parts.push(vec![numbers.clone(), names.clone()]);
        }
        parts.last_mut().expect("there is a first part").push(next);
    }
    let parts: Vec<String> = parts.iter().map(|part| draw(part, GAP)).collect();
    parts.join("\n\n")
}

/// A heading in two lines, if it is long.
fn folded(head: &str) -> String {
    let letters: Vec<char> = head.chars().collect();
    match head.split_once([' ', '/']) {
        Some((first, second)) if head.contains('/') => format!("{first}/\n{second}"),
        Some((first, second)) => format!("{first}\n{second}"),
        None if letters.len() > LONGEST_HEAD => {
            let (first, second) = letters.split_at(letters.len() / 2);
            format!("{}-\n{}", String::from_iter(first), String::from_iter(second))
        }
        None => head.into(),
    }
}

/// A table of these columns, the bots' names in the second, made narrow enough.
pub(crate) fn narrow(columns: Vec<Column>) -> String {
    let Fitted { columns, gap, .. } = fit(columns);
    draw(&columns, gap)
}

/// A table that is narrow enough.
struct Fitted {
    columns: Vec<Column>,
    /// Blanks between the columns.
    gap: usize,
    /// The heads of the columns left out.
    left_out: Vec<String>,
}

/// Draws the columns together, leaves some out, and cuts the names, until the table is narrow enough.
fn fit(mut columns: Vec<Column>) -> Fitted {
    let names: Vec<String> = columns[1].cells.iter().map(|name| clean(name)).collect();
    let longest = names.iter().map(|name| get_string_width(name)).max().unwrap_or(0);
    let mut left_out = Vec::new();
    loop {
        let others: usize = columns.iter().enumerate().filter(|(i, _)| *i != 1).map(|(_, column)| width(column)).sum();
        let room = |gap: usize| WIDTH.saturating_sub(others + gap * (columns.len() - 1));
        let wide_enough = |gap: &usize| room(*gap) >= longest.min(SHORTEST_NAME);
        let gap = [GAP, 1].into_iter().find(wide_enough);
        let spare = columns.iter().enumerate().filter(|(_, column)| column.spare > 0).max_by_key(|(_, c)| c.spare);
        match (gap, spare) {
            (None, Some((index, _))) => left_out.push(columns.remove(index).head),
            (gap, _) => {
                let gap = gap.unwrap_or(1);
                let room = room(gap).max(3);
                columns[1].cells = names.iter().map(|name| cut(name, room)).collect();
                return Fitted { columns, gap, left_out };
            }
        }
    }
}

fn width(column: &Column) -> usize {
    column.cells.iter().chain([&folded(&column.head)]).map(|cell| get_text_width(cell)).max().unwrap_or(0)
}

/// Draws a table: a line under the heads, numbers to the right, names to the left.
fn draw(columns: &[Column], gap: usize) -> String {
    let mut table = Builder::new();
    table.push_record(columns.iter().map(|column| folded(&column.head)));
    for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
        table.push_record(columns.iter().map(|column| column.cells[row].as_str()));
    }
    let line = HorizontalLine::new('─');
    let mut table: Table = table.build();
    table
        .with(Style::empty().horizontals([(1, line)]))
        .with(Padding::new(0, gap, 0, 0))
        .modify(Columns::last(), Padding::zero())
        .modify(Columns::new(..), Alignment::right())
        .modify(Rows::first(), Alignment::bottom())
        .modify(Columns::one(1).intersect(Rows::new(..)), Alignment::left());
    let lines: Vec<String> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// The text without control characters, which could do anything to a terminal.
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if unsafe_to_show(c) { '\u{fffd}' } else { c }).collect()
}

/// Control characters, and those that turn the direction of writing or cannot be seen.
pub(crate) fn unsafe_to_show(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text, cut to a width if need be; the cut shows.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if get_string_width(text) <= width {
        return text.into();
    }
    let mut short = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += get_char_width(c);
        if used > width {
            break;
        }
        short.push(c);
    }
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn check_width(bots: &[&str], deals: u32) -> String {
        let text = standings(&sample::standings(bots, deals));
        let table: Vec<&str> = text.lines().skip(2).collect();
        assert!(table.iter().all(|line| get_string_width(line) <= WIDTH), "{text}");
        text
    }

    #[test]
    fn standings_fit_the_terminal() {
        check_width(&["ann", "bob"], 2);
        let text = check_width(
            &["a-very-long-name-indeed-that-goes-on-for-ever-and-ever", "bob", "日本語のとても長い名前のボット"],
            300,
        );
        assert!(text.contains("a-very-long-name-indeed-t…"), "{text}");
        check_width(&["short", "shorter"], 30_000);
        let many: Vec<String> = (0..20).map(|index| format!("bot number {index}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        check_width(&many, 2);
        let text = crosstable(&sample::standings(&many, 2).crosstable);
        assert!(text.lines().all(|line| get_string_width(line) <= WIDTH), "{text}");
    }

    #[test]
    fn tables_look_like_this() {
        let standings_ = sample::standings(&["sharp-shooter", "counter", "random"], 10);
        let text = standings(&standings_) + "\n" + &crosstable(&standings_.crosstable);
        let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/tables.txt");
        if std::env::var_os("ARENA_BLESS").is_some() {
            std::fs::write(golden, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(golden).unwrap(), "ARENA_BLESS=1 cargo test writes it anew:\n{text}");
    }

    #[test]
    fn nothing_in_a_name_reaches_the_terminal_unseen() {
        assert_eq!(clean("a\x1b[2Jb\nc\u{202e}d"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d");
        assert_eq!(cut("日本語", 5), "日本…");
    }
}
