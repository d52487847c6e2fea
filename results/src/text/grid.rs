//! Tables drawn for a terminal, narrowed to fit its width.

use tabled::Table;
use tabled::builder::Builder;
use tabled::grid::util::string::{get_string_width, get_text_width};
use tabled::settings::object::{Columns, Object, Rows};
use tabled::settings::style::{HorizontalLine, Style};
use tabled::settings::{Alignment, Padding};

use crate::table::{CellKind, Column};
use arena_tournament::printable::{clean, cut};

/// Number of blanks between columns, if there is room.
const GAP: usize = 2;
/// Minimum total width of the names of a row. Columns are left out before names become narrower than this.
const MIN_NAMES_WIDTH: usize = 20;
/// Minimum width to which a longer name is cut.
const MIN_NAME_WIDTH: usize = 8;
/// Total width of the names of a row in a table that is split into parts.
const NAMES_WIDTH: usize = 24;
/// Maximum width of a heading on one line.
const MAX_HEAD_WIDTH: usize = 7;

/// A table that fits, and the headings of the columns that were left out.
pub(super) struct Fitted {
    pub(super) table: String,
    pub(super) left_out: Vec<String>,
}

/// Fits a table into a width. First narrows the gaps and cuts the names. Then leaves out columns, so that names stay recognisable: first
/// expendable columns, then the widest ones.
pub(super) fn fit(columns: &[Column], wide: usize) -> Fitted {
    let mut columns = cleaned(columns);
    let mut left_out = Vec::new();
    loop {
        let longest: usize = names(&columns).map(width).sum();
        let kept: usize = names(&columns)
            .map(|name| width(name).min(MIN_NAME_WIDTH))
            .sum();
        let wanted = longest.min(MIN_NAMES_WIDTH).max(kept);
        let enough = |gap: &usize| room(&columns, *gap, wide) >= wanted;
        let gap = [GAP, 1].into_iter().find(enough);
        let spare = columns.iter().enumerate();
        let spare = spare.filter(|(_, column)| column.spare > 0);
        let spare = spare.max_by_key(|(_, column)| column.spare);
        match (gap, spare) {
            (None, Some((index, _))) => left_out.push(columns.remove(index).head),
            (gap, _) => {
                if room(&columns, 1, wide) < kept
                    && let Some(index) = widest(&columns)
                {
                    left_out.push(columns.remove(index).head);
                    continue;
                }
                let gap = gap.unwrap_or(1);
                let room = room(&columns, gap, wide);
                cut_names(&mut columns, room);
                let table = draw(&columns, gap);
                return Fitted { table, left_out };
            }
        }
    }
}

/// Draws all columns. A table that is too wide is split into parts, one below the other, each with the names repeated.
pub(super) fn parts(columns: &[Column], wide: usize) -> String {
    let mut columns = cleaned(columns);
    let all: usize = columns.iter().map(|column| width(column) + GAP).sum();
    if all <= wide + GAP {
        return draw(&columns, GAP);
    }
    cut_names(&mut columns, NAMES_WIDTH);
    let is_name = |column: &Column| column.kind == CellKind::Name;
    let last = columns.iter().rposition(is_name);
    let (lead, rest) = columns.split_at(last.map_or(0, |last| last + 1));
    let (mut drawn, mut part) = (String::new(), lead.to_vec());
    for next in rest {
        let used: usize = part.iter().map(|column| width(column) + GAP).sum();
        if used + width(next) > wide && part.len() > lead.len() {
            drawn += &(draw(&part, GAP) + "\n\n");
            part = lead.to_vec();
        }
        part.push(next.clone());
    }
    drawn + &draw(&part, GAP)
}

fn cleaned(columns: &[Column]) -> Vec<Column> {
    let mut columns = columns.to_vec();
    for cell in columns.iter_mut().flat_map(|column| &mut column.cells) {
        *cell = clean(cell);
    }
    columns
}

fn names(columns: &[Column]) -> impl Iterator<Item = &Column> {
    columns
        .iter()
        .filter(|column| column.kind == CellKind::Name)
}

/// Returns the widest column of numbers; of equally wide ones, the last. Returns `None` if only one column of numbers is left.
fn widest(columns: &[Column]) -> Option<usize> {
    let numbers = || {
        let all = columns.iter().enumerate();
        all.filter(|(_, column)| column.kind == CellKind::Number)
    };
    let widest = numbers().max_by_key(|(_, column)| width(column));
    widest
        .filter(|_| numbers().count() > 1)
        .map(|(index, _)| index)
}

/// Returns the total width available to the names of a row.
fn room(columns: &[Column], gap: usize, wide: usize) -> usize {
    let others = columns
        .iter()
        .filter(|column| column.kind != CellKind::Name);
    let others: usize = others.map(width).sum();
    wide.saturating_sub(others + gap * columns.len().saturating_sub(1))
}

/// Cuts the names to fit a total width. Columns of short names leave their share to the others.
fn cut_names(columns: &mut [Column], room: usize) {
    let mut room = room;
    let names = columns
        .iter_mut()
        .filter(|column| column.kind == CellKind::Name);
    let mut names: Vec<&mut Column> = names.collect();
    names.sort_by_key(|column| width(column));
    let count = names.len();
    for (place, column) in names.into_iter().enumerate() {
        let mine = width(column).min(room / (count - place)).max(3);
        room = room.saturating_sub(mine);
        for name in &mut column.cells {
            *name = cut(name, mine);
        }
    }
}

/// Wraps a long heading, only between words and after slashes.
fn folded_head(head: &str) -> String {
    let head = head.replace('/', "/ ");
    let options = textwrap::Options::new(MAX_HEAD_WIDTH).break_words(false);
    let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(&head, options).join("\n")
}

fn width(column: &Column) -> usize {
    let cells = column.cells.iter().map(|cell| get_string_width(cell));
    let head = get_text_width(&folded_head(&column.head));
    cells.fold(head, usize::max)
}

/// Draws a table with a line under the heads, numbers aligned right and names left.
fn draw(columns: &[Column], gap: usize) -> String {
    let mut table = Builder::new();
    table.push_record(columns.iter().map(|column| folded_head(&column.head)));
    for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
        table.push_record(columns.iter().map(|column| column.cells[row].as_str()));
    }
    let mut table: Table = table.build();
    table
        .with(Style::empty().horizontals([(1, HorizontalLine::new('─'))]))
        .with(Padding::new(0, gap, 0, 0))
        .modify(Columns::last(), Padding::zero())
        .modify(Columns::new(..), Alignment::right())
        .modify(Rows::first(), Alignment::bottom());
    for (index, column) in columns.iter().enumerate() {
        if column.kind != CellKind::Number {
            let cells = Columns::one(index).intersect(Rows::new(..));
            table.modify(cells, Alignment::left());
        }
    }
    let drawn = table.to_string();
    let lines: Vec<&str> = drawn.lines().map(str::trim_end).collect();
    lines.join("\n")
}
