//! Standings as CSV, and the quoting that all CSV here shares.

use crate::standings::Standings;
use crate::text::unsafe_to_show;

/// The standings: a header, then a row for each bot, best first. Numbers are exact; missing ones are empty.
pub fn standings(standings: &Standings) -> String {
    let sources = standings.standings.first().map(|row| row.breakdown.0.as_slice()).unwrap_or_default();
    let mut header: Vec<String> =
        ["rank", "bot", "matches", "wins", "draws", "losses", "points", "points_per_match", "low_95", "high_95"]
            .map(String::from)
            .to_vec();
    header.extend(sources.iter().map(|(source, _)| source.clone()));
    header.push("forfeits".into());
    let mut lines = line(header);
    for row in &standings.standings {
        let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        let mut cells = vec![row.rank.to_string(), text(&row.bot)];
        cells.extend([row.matches, row.wins, row.draws, row.losses].map(|count| count.to_string()));
        cells.extend([row.points.to_string(), number(row.points_per_match)]);
        cells.extend([number(row.interval.map(|[low, _]| low)), number(row.interval.map(|[_, high]| high))]);
        cells.extend(row.breakdown.0.iter().map(|(_, count)| count.to_string()));
        cells.push(row.forfeits.total.to_string());
        lines += &line(cells);
    }
    lines
}

/// One line: cells quoted where they need it.
pub(crate) fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().map(quoted).collect();
    cells.join(",") + "\n"
}

/// Text from strangers, which no spreadsheet will take for a formula: such text gets a leading apostrophe. So does text
/// that begins with an apostrophe or a control character; who drops one leading apostrophe has every text again.
///
/// A formula may hide behind blanks and what cannot be seen, and be written in wide characters (OWASP 2023, "CSV Injection").
pub(crate) fn text(text: &str) -> String {
    let seen = text.trim_start_matches(|c: char| c.is_whitespace() || unsafe_to_show(c));
    let formula = seen.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let odd = text.starts_with(|c: char| c == '\'' || c.is_control());
    if formula || odd { format!("'{text}") } else { text.into() }
}

/// The cell, in quotes where it holds what some reader may take for its end.
fn quoted(cell: String) -> String {
    let needed = cell.contains([',', ';', '\t', '"', '\n', '\r']) || cell.trim() != cell;
    if needed { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// What stands in a line for a text.
    fn check(name: &str, expected: &str) {
        assert_eq!(line([text(name)]), format!("{expected}\n"), "{name:?}");
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
            let written = text(name);
            assert_eq!(written.strip_prefix('\'').unwrap_or(&written), name);
        }
    }

    #[test]
    fn every_bot_has_a_row() {
        let text = standings(&sample::standings(&["=cmd", "b", "c"], 4));
        let header = "rank,bot,matches,wins,draws,losses,points,points_per_match,low_95,high_95,hits,exposures,round_wins,bonus,forfeits";
        assert_eq!(text.lines().next(), Some(header));
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().any(|line| line.split(',').nth(1) == Some("'=cmd")));
    }
}
