//! Tables as Markdown.

use crate::analysis::Analysis;
use crate::table::{self, CellKind, Column, Table, percent};
use arena_statistics::compare::ComparisonReport;
use arena_statistics::crosstable::Crosstable;
use arena_tournament::printable::clean;

/// The standings: a heading line, the placings if the format has any, the first table, what its numbers mean, warnings, and
/// open differences.
pub fn standings(analysis: &Analysis) -> String {
    let mut notes = table::warnings(analysis);
    notes.extend(table::open(analysis));
    let mut text = opening(&table::heading(&analysis.standings)) + "\n\n";
    let placings = placings(analysis);
    if !placings.is_empty() {
        text += &format!("{placings}\n");
    }
    text += &drawn(&table::headline(analysis));
    notes.iter().for_each(|note| text += &item(note));
    text
}

/// A comparison: the answer, and below it the report as it is printed elsewhere.
pub fn comparison(report: &ComparisonReport, text: &str) -> String {
    let [first, second] = report.bots.each_ref().map(|name| escaped(name));
    let gate = report
        .gate
        .map(|gate| format!(": {}", gate.in_words()))
        .unwrap_or_default();
    let text: String = text.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "### {first} or {second}{gate}\n\n{}\n\n{text}",
        escaped(&report.words)
    )
}

/// The placings by the rules of the format; nothing where they are the standings.
pub fn placings(analysis: &Analysis) -> String {
    let Some(placings) = &analysis.placings else {
        return String::new();
    };
    let tables: String = table::placings(analysis).iter().map(drawn).collect();
    let notes = table::placing_notes(placings, |bot| analysis.bots[bot].clone());
    let notes: String = notes.iter().map(|note| item(note)).collect();
    format!("{}\n\n{tables}{notes}", escaped(&placings.title()))
}

/// Each pair of bots.
pub fn pairs(analysis: &Analysis) -> String {
    drawn(&table::pairs(analysis))
}

/// The ratings with all that belongs to them.
pub fn ratings(analysis: &Analysis) -> String {
    drawn(&table::ratings(analysis))
}

/// The score of each row's bot against each column's bot, in per cent.
pub fn crosstable(crosstable: &Crosstable) -> String {
    let columns = table::crosstable(crosstable, &crosstable.bots, "", &|cell| {
        percent(cell.score)
    });
    format!("Score of the row's bot in %\n\n{}", grid(&columns))
}

/// A table and what its numbers mean.
fn drawn(table: &Table) -> String {
    let notes: String = table.notes.iter().map(|note| item(note)).collect();
    format!("{}\n{notes}", grid(&table.columns))
}

fn grid(columns: &[Column]) -> String {
    let mark = |column: &Column| {
        if column.kind == CellKind::Number {
            "--:".into()
        } else {
            ":--".into()
        }
    };
    let mut lines = vec![
        row(columns.iter().map(|column| escaped(&column.head))),
        row(columns.iter().map(mark)),
    ];
    for index in 0..columns.first().map_or(0, |column| column.cells.len()) {
        lines.push(row(columns
            .iter()
            .map(|column| escaped(&column.cells[index]))));
    }
    lines.join("\n") + "\n"
}

/// A sentence in a list.
pub(crate) fn item(note: &str) -> String {
    format!("- {}\n", escaped(note))
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |", cells.join(" | "))
}

/// The text as code, with enough ticks around it.
pub(crate) fn code(text: &str) -> String {
    let text = clean(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// The text, escaped: nothing in it is markup, a link, a formula or the end of a cell.
pub(crate) fn escaped(text: &str) -> String {
    let text = clean(text);
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '!' | '~' | '$' => escaped.extend(['\\', c]),
            // A bare address would become a link, and @ would notify a user.
            '@' => escaped.push_str("&#64;"),
            ':' if text[at..].starts_with("://") => escaped.push_str("&#58;"),
            '.' if text[..at].to_ascii_lowercase().ends_with("www") => escaped.push_str("&#46;"),
            _ => escaped.push(c),
        }
    }
    match escaped.strip_prefix('#') {
        Some(rest) => format!("\\#{rest}"),
        None => escaped,
    }
}

/// The same for text that begins a paragraph, where it must not become a list, a rule or code either.
fn opening(text: &str) -> String {
    let text = escaped(text.trim_start());
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if text[digits..].starts_with(['-', '+', '=', '.', ')']) {
        format!("{}\\{}", &text[..digits], &text[digits..])
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use arena_tournament::sample::HOSTILE;

    fn check(text: &str, expected: &str) {
        assert_eq!(escaped(text), expected);
    }

    #[test]
    fn names_are_never_markup() {
        check("a|b\nc", "a\\|b\u{fffd}c");
        check("<img src=x> & [a](b)", "&lt;img src=x&gt; &amp; \\[a\\](b)");
        check(
            "*c* `d` \\| ~~e~~ $f$",
            "\\*c\\* \\`d\\` \\\\\\| \\~\\~e\\~\\~ \\$f\\$",
        );
        check("<!-- x --> &lt;", "&lt;\\!-- x --&gt; &amp;lt;");
        check("# no heading", "\\# no heading");
    }

    #[test]
    fn names_are_never_links() {
        check("@all https://x.y", "&#64;all https&#58;//x.y");
        check("HTTP://x.y ftp://x.y", "HTTP&#58;//x.y ftp&#58;//x.y");
        check("WWW.x.y a: b", "WWW&#46;x.y a: b");
    }

    #[test]
    fn names_do_not_turn_the_page_around() {
        check(
            "a\u{202e}b\u{2066}c\u{200b}d",
            "a\u{fffd}b\u{fffd}c\u{fffd}d",
        );
        check("\u{1b}[31m\u{7}\u{85}", "\u{fffd}\\[31m\u{fffd}\u{fffd}");
        check("\u{61c}\u{ad}\u{e0041}", "\u{fffd}\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_heading_is_a_paragraph() {
        for (name, expected) in [
            ("- a", "\\- a"),
            ("+ a", "\\+ a"),
            ("===", "\\==="),
            ("12. a", "12\\. a"),
            ("3) a", "3\\) a"),
            ("    a", "a"),
            ("# a", "\\# a"),
            ("> a", "&gt; a"),
            ("2026 cup", "2026 cup"),
        ] {
            assert_eq!(opening(name), expected);
        }
        assert_eq!(
            [code("a"), code("a`b"), code("`` x")],
            ["`a`", "``a`b``", "``` `` x ```"]
        );
    }

    #[test]
    fn every_row_has_as_many_cells_whatever_bots_are_called() {
        let all = sample::analysis(&HOSTILE, 2);
        for (text, rows) in [
            (standings(&all), 8),
            (crosstable(&all.standings.crosstable), 8),
            (pairs(&all), 28),
            (ratings(&all), 8),
        ] {
            let bars = |line: &&str| line.replace("\\|", "").matches('|').count();
            let counts: Vec<usize> = text
                .lines()
                .filter(|line| line.starts_with('|'))
                .map(|line| bars(&line))
                .collect();
            assert!(
                counts.len() == 2 + rows && counts.iter().all(|count| *count == counts[0]),
                "{text}"
            );
            assert!(
                !text.contains("<script") && !text.contains("[link]") && !text.contains('\x1b'),
                "{text}"
            );
            assert!(
                text.chars()
                    .all(|c| c == '\n' || !arena_tournament::printable::unsafe_to_show(c)),
                "{text:?}"
            );
        }
    }
}
