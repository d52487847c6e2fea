//! Tables as Markdown.

use crate::crosstable::{Cell, Crosstable};
use crate::standings::Standings;
use crate::table::{self, percent};
use crate::text::clean;

/// The standings with every column, a heading line, and notes.
pub fn standings(standings: &Standings) -> String {
    let columns = table::columns(standings);
    let mut lines = vec![escaped(&table::heading(standings)), String::new()];
    lines.push(row(columns.iter().map(|column| escaped(&column.head))));
    lines.push(row((0..columns.len()).map(|index| if index == 1 { ":--".into() } else { "--:".into() })));
    for index in 0..standings.standings.len() {
        lines.push(row(columns.iter().map(|column| escaped(&column.cells[index]))));
    }
    lines.push(String::new());
    lines.extend(table::notes(standings).iter().map(|note| format!("- {}", escaped(note))));
    lines.join("\n") + "\n"
}

/// The score of each row's bot against each column's bot, in per cent.
pub fn crosstable(crosstable: &Crosstable) -> String {
    let mut lines = vec!["Score of the row's bot in %".into(), String::new()];
    lines.push(row(["bot".into()].into_iter().chain(crosstable.bots.iter().map(|bot| escaped(bot)))));
    lines.push(row([":--".into()].into_iter().chain(crosstable.bots.iter().map(|_| "--:".into()))));
    for (bot, cells) in crosstable.bots.iter().zip(&crosstable.cells) {
        let told = |cell: &Option<Cell>| cell.as_ref().map_or_else(String::new, |cell| percent(cell.score));
        lines.push(row([escaped(bot)].into_iter().chain(cells.iter().map(told))));
    }
    lines.join("\n") + "\n"
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |", cells.join(" | "))
}

/// The text as it is: nothing in it is markup, a link or the end of a cell.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '!' | '~' => escaped.extend(['\\', c]),
            // A bare address would become a link, and @ would call somebody.
            '@' => escaped.push_str("&#64;"),
            ':' if escaped.ends_with("http") || escaped.ends_with("https") => escaped.push_str("&#58;"),
            _ => escaped.push(c),
        }
    }
    match escaped.strip_prefix('#') {
        Some(rest) => format!("\\#{rest}"),
        None => escaped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn names_are_never_markup() {
        assert_eq!(escaped("a|b\nc"), "a\\|b\u{fffd}c");
        assert_eq!(
            escaped("<img src=x> & [a](b) *c* `d` \\|"),
            "&lt;img src=x&gt; &amp; \\[a\\](b) \\*c\\* \\`d\\` \\\\\\|"
        );
        assert_eq!(escaped("@all https://x.y"), "&#64;all https&#58;//x.y");
    }

    #[test]
    fn every_row_has_as_many_cells() {
        let all = sample::standings(&["a|b", "c", "d\ne"], 3);
        for text in [standings(&all), crosstable(&all.crosstable)] {
            let bars = |line: &&str| line.replace("\\|", "").matches('|').count();
            let counts: Vec<usize> =
                text.lines().filter(|line| line.starts_with('|')).map(|line| bars(&line)).collect();
            assert!(counts.len() == 5 && counts.iter().all(|count| *count == counts[0]), "{text}");
        }
    }
}
