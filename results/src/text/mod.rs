//! Results as text, fitted to the width of the terminal.

mod bracket;
mod comparison;
mod grid;
mod judged;
mod known;
mod rated;
pub mod tuning;

use crate::analysis::Analysis;
use crate::headline::headline;
use crate::table::{self, Column, Table, percent, signed_hundredths};
use arena_statistics::profile::Profiles;
use arena_statistics::standings::Standings;
use arena_tournament::printable::{clean, clean_lines, folded};

pub use self::comparison::comparison;
pub use self::judged::{JudgedBot, judged};
pub use self::known::known;
pub use self::rated::rated;

/// Table width if the terminal's width is unknown.
pub const WIDTH: usize = 80;

/// Maximum number of warnings on the first screen.
const MAX_WARNINGS: usize = 3;
/// Maximum number of rows at the end of a run.
const MAX_ROWS: usize = 40;

/// Formats the standings at the end of a run: like [`standings`] without `all`, but only the first bots of a large field, and the anchor.
/// Also returns `true` if bots are left out.
pub fn first_bots(analysis: &Analysis, width: usize) -> (String, bool) {
    let rows = &analysis.standings.standings;
    let anchor = analysis.ratings.anchor.as_deref();
    let is_shown = |place: usize| place < MAX_ROWS || Some(rows[place].bot.as_str()) == anchor;
    let text = written(analysis, width, false, &is_shown);
    (text, rows.len() > MAX_ROWS)
}

/// Formats the result in a sentence, the standings as a table, and the first warnings, at most `width` columns wide.
/// With `all`, adds the placings by the rules of the format, the meaning of the columns, the sources of points, the
/// crosstable and all warnings.
pub fn standings(analysis: &Analysis, width: usize, all: bool) -> String {
    written(analysis, width, all, &|_| true)
}

fn written(
    analysis: &Analysis,
    width: usize,
    all: bool,
    is_shown: &dyn Fn(usize) -> bool,
) -> String {
    let result = folded(&clean(&headline(analysis)), width).join("\n");
    let mut text = format!("{}\n\n{result}\n\n", heading(analysis, width));
    let mut table = table::standings(analysis);
    let mut warnings = table::warnings(analysis);
    if all {
        if analysis.placings.is_some() {
            text += &format!("{}\n", placings(analysis, width));
        }
        text += &fitted(&table, width);
        if let Some(breakdown) = table::breakdown(analysis) {
            text += &format!("\n{}", fitted(&breakdown, width));
        }
        text += &format!("\n{}", crosstable(&analysis.standings, width));
    } else {
        let count = analysis.standings.standings.len();
        let shown = table.retain_rows(is_shown);
        text += &format!("{}\n\n", grid::fit(&table.columns, width).table);
        let cut = (shown < count)
            .then(|| format!("these are {shown} of {count} bots; `arena show` prints all"));
        let notes = [cut, Some(table::AHEAD.into()), table::orders(analysis)];
        text += &lines(&notes.into_iter().flatten().collect::<Vec<_>>(), width);
        let more = warnings.len().saturating_sub(MAX_WARNINGS);
        warnings.truncate(MAX_WARNINGS);
        warnings.extend((more > 0).then(|| format!("and {more} more (--full)")));
    }
    if !warnings.is_empty() {
        text += &format!("\nwarnings\n{}", listed(&warnings, width));
    }
    text
}

/// Formats the profiles of all bots.
pub fn profile(profiles: &Profiles, width: usize) -> String {
    let tables = table::profiles(profiles).into_iter().enumerate();
    let drawn = tables.map(|(nth, table)| match nth {
        0 => fitted(&table, width),
        _ => format!("\n{}\n", grid::parts(&table.columns, width)),
    });
    drawn.collect()
}

/// Formats the placings by the rules of the format. Returns an empty string if the format has no order of its own.
pub fn placings(analysis: &Analysis, width: usize) -> String {
    let Some(placings) = &analysis.placings else {
        return String::new();
    };
    let mut text = format!("{}\n\n", placings.title());
    if let Some(bracket) = bracket::bracket(analysis, width) {
        text += &format!("{bracket}\n");
    } else if let Some(table) = table::placings(analysis) {
        text += &format!("{}\n\n", fitted(&table, width).trim_end());
    }
    let notes = table::placing_notes(placings, clean);
    text += &lines(&notes, width);
    text.trim_end().to_owned() + "\n"
}

/// Formats the pairings of all rounds, the bracket if there is one, and the state of the last round.
pub fn rounds(analysis: &Analysis, width: usize) -> String {
    let Some(last) = analysis.rounds.last() else {
        return "This format has no rounds.\n".into();
    };
    let state = if last.finished {
        "finished"
    } else {
        "not finished"
    };
    let of = analysis.standings.rounds;
    let table = table::rounds(&analysis.rounds);
    let mut text = format!("round {} of {of}: {state}\n\n", last.round);
    text += &format!("{}\n", grid::fit(&table.columns, width).table);
    if let Some(bracket) = bracket::bracket(analysis, width) {
        text += &format!("\n{bracket}");
    }
    text
}

/// Formats the pairings of the round that is about to begin. Returns an empty string if there is none.
pub fn next_round(analysis: &Analysis) -> String {
    let Some(next) = analysis.next_round() else {
        return String::new();
    };
    let mut text = format!("round {} of {}\n", next.round, analysis.standings.rounds);
    for pairing in &next.pairings {
        let [one, other] = pairing.bots.each_ref().map(|bot| clean(bot));
        text += &format!("  {one} – {other}\n");
    }
    for bot in &next.byes {
        text += &format!("  {} has a bye\n", clean(bot));
    }
    text
}

/// Formats the table of all pairs, with a line per pair in the notation of engine testers, to paste.
pub fn pairs(analysis: &Analysis, width: usize) -> String {
    let heading = self::heading(analysis, width);
    let table = table::pairs(analysis, usize::MAX);
    let drawn = grid::parts(&table.columns, width);
    let notes = lines(&table.notes, width);
    let to_paste = table::to_paste(analysis).join("\n");
    let to_paste = if to_paste.is_empty() {
        to_paste
    } else {
        format!("{}\n\n", clean_lines(&to_paste))
    };
    format!("{heading}\n\n{drawn}\n\n{to_paste}{notes}")
}

/// Formats the crosstable: the score of the row's bot against the column's bot, in per cent. If the game has more points than one per win,
/// adds the same table in points per match.
pub fn crosstable(standings: &Standings, width: usize) -> String {
    let crosstable = &standings.crosstable;
    let numbers: Vec<String> = (1..=crosstable.bots.len())
        .map(|number| number.to_string())
        .collect();
    // Names would be too wide as column headings, so bots are numbered.
    let drawn = |show| {
        let mut columns = vec![Column::number("", numbers.clone())];
        columns.extend(table::crosstable(crosstable, &numbers, "·", show));
        grid::parts(&columns, width)
    };
    let score = drawn(&|cell| percent(cell.score));
    let mut text = format!("score of the row's bot in %\n\n{score}\n");
    if standings.has_points() {
        let points = drawn(&|cell| signed_hundredths(cell.points));
        text += &format!("\npoints of the row's bot less the column's, per match\n\n{points}\n");
    }
    text
}

/// Formats columns as a table, narrowed to fit `width`.
pub(crate) fn fit(columns: &[Column], width: usize) -> String {
    grid::fit(columns, width).table
}

/// Formats a table with its notes, leaving out columns if it is too wide.
fn fitted(table: &Table, width: usize) -> String {
    let fitted = grid::fit(&table.columns, width);
    let mut notes = table.notes.clone();
    if !fitted.left_out.is_empty() {
        let left_out = fitted.left_out.join(", ");
        notes.push(format!("to fit, left out here: {left_out}"));
    }
    format!("{}\n\n{}", fitted.table, lines(&notes, width))
}

/// Formats the tournament in a line, with its seed, because only the director sees the terminal.
fn heading(analysis: &Analysis, width: usize) -> String {
    let standings = &analysis.standings;
    let facts = table::facts(standings, Some(analysis.seed));
    folded(&clean(&format!("{}: {facts}", standings.name)), width).join("\n")
}

/// Formats sentences below each other, wrapped at `width`.
pub(crate) fn lines(notes: &[String], width: usize) -> String {
    let lines = notes.iter().flat_map(|note| folded(&clean(note), width));
    lines.map(|line| line + "\n").collect()
}

/// Formats sentences as a bulleted list, wrapped at `width`.
fn listed(notes: &[String], width: usize) -> String {
    let item = |note: &String| {
        let lines = folded(&clean(note), width - 2);
        format!("- {}\n", lines.join("\n  "))
    };
    notes.iter().map(item).collect()
}

#[cfg(test)]
mod tests;
