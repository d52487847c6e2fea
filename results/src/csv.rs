//! Standings as CSV, and the quoting that all CSV here shares.

use crate::standings::Standings;

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

/// Text from strangers, which no spreadsheet will take for a formula: such text gets a leading apostrophe.
pub(crate) fn text(text: &str) -> String {
    let formula = text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        || text.starts_with(['\t', '\r', '\n']);
    if formula { format!("'{text}") } else { text.into() }
}

fn quoted(cell: String) -> String {
    let needed = cell.contains([',', '"', '\n', '\r']) || cell.trim() != cell;
    if needed { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn strangers_names_are_quoted_and_are_no_formulas() {
        let cells = ["plain", "a,b", "say \"hi\"", "two\nlines", "=1+1", "@x", "-2", " =x", " pad"].map(text);
        let expected = "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",'=1+1,'@x,'-2,' =x,\" pad\"\n";
        assert_eq!(line(cells), expected);
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
