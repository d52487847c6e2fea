//! Results as CSV, and the quoting shared by all CSV output.

use arena_tournament::placings::Placings;

use crate::analysis::Analysis;
use crate::rate::{Pooled, Season};
use crate::table::{self, Column};

pub use crate::scalar::guarded;

/// Returns the standings: a header, then one row per bot, best first. Numbers are exact, and missing numbers are empty cells. If only a
/// bound on a bot's Elo is known, `elo` is empty, and the bound is one end of the interval.
pub fn standings(analysis: &Analysis) -> String {
    written(&table::columns(analysis))
}

/// Returns the placings by the rules of the format; only a header if the format has no order of its own.
pub fn placings(analysis: &Analysis) -> String {
    let none = Placings::default();
    let placings = analysis.placings.as_ref().unwrap_or(&none);
    written(&table::placed_columns(placings))
}

/// Returns the pairings of all rounds, including byes; only a header for formats without rounds.
pub fn rounds(analysis: &Analysis) -> String {
    written(&table::round_columns(&analysis.rounds))
}

/// Returns each pair of bots, in order of the tournament file. If all matches were won or lost, `elo` is empty.
pub fn pairs(analysis: &Analysis) -> String {
    written(&table::pair_columns(analysis))
}

/// Returns the ratings over many tournaments: a header, then one row per bot, strongest first.
pub fn rated(pooled: &Pooled) -> String {
    written(&table::rated_columns(pooled))
}

/// Returns the points of a season, in total and for each tournament.
pub fn season(season: &Season) -> String {
    written(&table::season_columns(season))
}

fn written(columns: &[Column]) -> String {
    let rows = columns.first().map_or(0, |column| column.exact.len());
    let row = |row: usize| {
        line(
            columns
                .iter()
                .flat_map(|column| column.exact[row].iter().cloned()),
        )
    };
    let header = line(
        columns
            .iter()
            .flat_map(|column| column.keys.iter().cloned()),
    );
    header + &(0..rows).map(row).collect::<String>()
}

/// Returns cells as one line, quoted where needed.
pub(crate) fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().map(quoted).collect();
    cells.join(",") + "\n"
}

/// Quotes a cell if it contains a character that a reader may take for the end of the cell.
fn quoted(cell: String) -> String {
    let needed = cell.contains([',', ';', '\t', '"', '\n', '\r']) || cell.trim() != cell;
    if needed {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::scalar::guarded;
    use arena_tournament::sample::HOSTILE;

    /// Checks the CSV line of a guarded text.
    fn check(name: &str, expected: &str) {
        assert_eq!(line([guarded(name)]), format!("{expected}\n"), "{name:?}");
    }

    #[test]
    fn strangers_names_are_quoted() {
        check("plain", "plain");
        check("a,b", "\"a,b\"");
        check("a;=1", "\"a;=1\"");
        check("say \"hi\"", "\"say \"\"hi\"\"\"");
        check("two\nlines", "\"two\nlines\"");
        check("a\rb", "\"a\rb\"");
        check("a\tb", "\"a\tb\"");
        check(" pad ", "\" pad \"");
        check("<b>|x|</b>", "<b>|x|</b>");
        check("名前\u{202e}", "名前\u{202e}");
    }

    #[test]
    fn strangers_names_are_no_formulas() {
        check("=1+1", "'=1+1");
        check("+1", "'+1");
        check("-2", "'-2");
        check("@x", "'@x");
        check("＝1", "'＝1");
        check("\tx", "\"'\tx\"");
        check("\rx", "\"'\rx\"");
        check("\nx", "\"'\nx\"");
        check(" =x", "' =x");
        check("\u{feff}=x", "'\u{feff}=x");
        check("\u{200b}\u{202e}@x", "'\u{200b}\u{202e}@x");
        check("=\",\n=1", "\"'=\"\",\n=1\"");
        check("1=1", "1=1");
    }

    #[test]
    fn dropping_one_apostrophe_gives_every_text_again() {
        for name in ["=1", "'=1", "''", "'", "", "x'", "\u{7}x", " 'x"] {
            let written = guarded(name);
            assert_eq!(written.strip_prefix('\'').unwrap_or(&written), name);
        }
    }

    #[test]
    fn every_bot_has_a_row() {
        let text = standings(&sample::analysis(&["=cmd", "b", "c"], 4));
        let header = "rank,bot,points_per_match,low_95,high_95,best_rank,worst_rank,elo,elo_low_95,elo_high_95,score,matches,wins,\
                      draws,losses,forfeits,points,hits,exposures,round_wins,bonus";
        assert_eq!(text.lines().next(), Some(header));
        assert_eq!(text.lines().count(), 4);
        assert!(
            text.lines()
                .any(|line| line.split(',').nth(1) == Some("'=cmd"))
        );
    }

    /// Parses CSV into rows of cells.
    fn cells(text: &str) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        let mut row = Vec::new();
        let mut cell = String::new();
        let mut quoted = false;
        let mut letters = text.chars().peekable();
        while let Some(c) = letters.next() {
            match c {
                '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
                '"' => quoted = !quoted,
                ',' if !quoted => row.push(std::mem::take(&mut cell)),
                '\n' if !quoted => {
                    row.push(std::mem::take(&mut cell));
                    rows.push(std::mem::take(&mut row));
                }
                c => cell.push(c),
            }
        }
        rows
    }

    #[test]
    fn hostile_names_stay_in_their_cells() {
        let all = sample::analysis(&HOSTILE, 2);
        for (text, rows) in [(standings(&all), 8), (pairs(&all), 28)] {
            let cells = cells(&text);
            assert_eq!(cells.len(), 1 + rows, "{text}");
            assert!(
                cells.iter().all(|row| row.len() == cells[0].len()),
                "{text}"
            );
            let formula = |cell: &String| cell.starts_with(['=', '@', '+']);
            assert!(!cells.iter().flatten().any(formula), "{text}");
            assert!(
                cells
                    .iter()
                    .flatten()
                    .any(|cell| cell.starts_with("'=HYPERLINK")),
                "{text}"
            );
        }
    }
}
