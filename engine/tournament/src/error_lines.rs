//! Extracts the lines of a bot's log that matter most: its first error and its end.

use std::collections::BTreeSet;

/// Words that mark a line as an error.
const WORDS: [&str; 9] = [
    "Traceback (most",
    "Error",
    "Exception",
    "panic: ",
    "panicked at",
    "terminate called",
    "fatal: ",
    "Fatal",
    "error: ",
];
/// The mark for omitted lines.
pub const GAP: &str = "…";

/// Returns the line that replaces bytes left out of a log.
pub fn left_out(bytes: u64) -> String {
    let digits = bytes.to_string();
    let mut figure = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            figure.push(',');
        }
        figure.push(digit);
    }
    let noun = if bytes == 1 { "byte" } else { "bytes" };
    format!("{GAP} {figure} {noun} left out {GAP}")
}

/// Returns `true` if the line names an error or begins the description of one.
pub fn names_error(line: &str) -> bool {
    WORDS.iter().any(|word| line.contains(word))
}

/// Returns at most `most` non-blank lines of a log: the first error and the lines after it, the last error, and the end. A mark replaces
/// omitted lines in between.
pub fn excerpt(log: &str, most: usize) -> Vec<&str> {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() <= most {
        return lines;
    }
    let last = lines.len() - 1;
    let mut wanted = Vec::new();
    if let Some(first) = lines.iter().position(|line| names_error(line)) {
        // In Python, the message follows the traceback.
        let is_trace = lines[first].starts_with("Traceback");
        let behind = (first + 1..=last).find(|line| !lines[*line].starts_with(' '));
        let message = behind.filter(|_| is_trace).unwrap_or(first);
        wanted.extend([message, first]);
        wanted.extend(lines.iter().rposition(|line| names_error(line)));
        wanted.push(last);
        wanted.extend(if is_trace {
            message.saturating_sub(2)..message
        } else {
            first + 1..first + 3
        });
    }
    wanted.extend((0..=last).rev());
    let mut kept = BTreeSet::new();
    for line in wanted.into_iter().filter(|line| *line <= last) {
        kept.insert(line);
        if kept.len() + gaps(&kept) > most {
            kept.remove(&line);
        }
    }
    let mut shown = Vec::new();
    let mut next = kept.first().copied();
    for line in kept {
        if next != Some(line) {
            shown.push(GAP);
        }
        shown.push(lines[line]);
        next = Some(line + 1);
    }
    shown
}

/// Returns the number of gaps between the lines that are kept.
fn gaps(kept: &BTreeSet<usize>) -> usize {
    let pairs = kept.iter().zip(kept.iter().skip(1));
    pairs.filter(|(line, next)| **line + 1 < **next).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(log: &str, expected: &[&str]) {
        assert_eq!(excerpt(log, 8), expected, "{log}");
    }

    #[test]
    fn what_is_left_out_is_counted() {
        for (bytes, line) in [
            (1, "… 1 byte left out …"),
            (999, "… 999 bytes left out …"),
            (1_000, "… 1,000 bytes left out …"),
            (12_345_678, "… 12,345,678 bytes left out …"),
        ] {
            assert_eq!(left_out(bytes), line);
        }
    }

    #[test]
    fn the_first_error_and_the_end_are_kept() {
        let rest: String = (0..30)
            .map(|number| format!("\tat b.A.f{number}(A.java)\n"))
            .collect();
        check(
            &format!("start\nException in thread \"main\" b.NoPlan: turn 7\n{rest}"),
            &[
                "Exception in thread \"main\" b.NoPlan: turn 7",
                "\tat b.A.f0(A.java)",
                "\tat b.A.f1(A.java)",
                GAP,
                "\tat b.A.f26(A.java)",
                "\tat b.A.f27(A.java)",
                "\tat b.A.f28(A.java)",
                "\tat b.A.f29(A.java)",
            ],
        );
        let frames: String = (0..20)
            .map(|number| format!("  File \"b.py\", line {number}\n"))
            .collect();
        let farewell: String = (0..9).map(|number| format!("saved {number}\n")).collect();
        check(
            &format!("Traceback (most recent call last):\n{frames}KeyError: 'x'\n{farewell}"),
            &[
                "Traceback (most recent call last):",
                GAP,
                "  File \"b.py\", line 18",
                "  File \"b.py\", line 19",
                "KeyError: 'x'",
                GAP,
                "saved 7",
                "saved 8",
            ],
        );
        let (log, end) = ("line\n".repeat(20), ["line"; 8]);
        check(&log, &end);
        check("a\n\nb\n", &["a", "b"]);
    }
}
