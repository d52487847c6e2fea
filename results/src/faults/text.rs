//! Faults as text: a table, then each kind of fault once, with the evidence of its first occurrence.

use std::fmt::Write;

use arena_engine::fault::Cause;

use super::help::milliseconds;

use super::{Count, Failure, Faults, LateMove, VoidMatch, log};
use crate::table::{Column, counted};
use crate::text::{self, WIDTH};
use arena_tournament::printable::{clean, cut, folded, unsafe_to_show};

/// Indentation of evidence, including its label, in columns.
const INDENT: usize = 11;
/// Maximum number of terminal lines for a quoted line.
const MAX_QUOTE_LINES: usize = 3;
/// Maximum length of a cause in one line, in characters.
const MAX_CAUSE_CHARS: usize = 120;
/// Maximum number of lines shown of a bot's log.
const MAX_LOG_LINES: usize = 8;

/// Formats all faults, at most 80 columns wide.
pub fn in_words(faults: &Faults) -> String {
    if faults.is_empty() {
        return "no faults, no late moves, no void matches\n".into();
    }
    let mut out = summary(&faults.bots);
    for (number, group) in kinds(&faults.faults).iter().enumerate() {
        describe(&mut out, number + 1, group);
    }
    let mut add = |head: &str, sentence: String| {
        out.push('\n');
        paragraph(&mut out, head, &sentence, usize::MAX);
    };
    for group in grouped(&faults.late_moves, |late| late.bot.clone()) {
        add("late", late(&group));
    }
    for group in grouped(&faults.voids, |void| without_numbers(&void.why)) {
        add("void", void(&group));
    }
    out
}

/// Formats the cause of a forfeit in one line. The cause of a crash is the place and the error found in the bot's log. The cause of any
/// other fault is the failure.
pub fn cause(failure: &Failure) -> String {
    let error = log::error(&failure.log).filter(|_| failure.cause == Cause::Crash);
    let cause = match (error, log::place(&failure.log)) {
        (Some(error), Some(place)) => format!("{place}, {error}"),
        (Some(error), None) => error,
        (None, _) => failure.detail.clone(),
    };
    escaped(&cut(&cause, MAX_CAUSE_CHARS))
}

/// Formats the failure counts of each bot by cause, as a table.
fn summary(counts: &[Count]) -> String {
    let mut rows: Vec<&Count> = counts.iter().collect();
    rows.retain(|row| row.faults + row.late_moves + row.voids > 0);
    let cells = |cell: &dyn Fn(&Count) -> String| rows.iter().map(|row| cell(row)).collect();
    let column = |head: &str, count: &dyn Fn(&Count) -> u64| {
        Column::number(head, cells(&|row| count(row).to_string()))
    };
    let by_cause = |head: &str, cause: Cause| {
        column(head, &|row| row.by_cause.get(&cause).copied().unwrap_or(0))
    };
    let mut columns = vec![
        column("faults", &|row| row.faults),
        Column::name("bot", cells(&|row| row.bot.clone())),
        by_cause("time", Cause::Time),
        by_cause("crash", Cause::Crash),
        by_cause("illegal", Cause::Illegal),
        by_cause("protocol", Cause::Protocol),
        column("late moves", &|row| row.late_moves),
        column("void matches", &|row| row.voids),
    ];
    let are_withdrawn = |row: &&Count| row.by_cause.contains_key(&Cause::Withdrawn);
    if rows.iter().any(are_withdrawn) {
        columns.push(by_cause("withdrawn", Cause::Withdrawn));
    }
    text::fit(&columns, text::WIDTH) + "\n"
}

/// Groups faults by bot, cause, and sentence without its numbers, in order of first occurrence.
pub(crate) fn kinds(faults: &[Failure]) -> Vec<Vec<&Failure>> {
    grouped(faults, |fault| {
        let words = without_numbers(&fault.detail);
        format!("{}\0{}\0{words}", fault.bot, fault.cause)
    })
}

/// Returns how often a kind of fault occurred, and how many matches were forfeited after that without starting the bot.
pub(crate) fn times(group: &[&Failure]) -> String {
    let unplayed = group.iter().filter(|failure| failure.unplayed).count();
    often(group.len() - unplayed, unplayed)
}

fn often(started: usize, unplayed: usize) -> String {
    let rest = counted(unplayed as u64, "match");
    match (started, unplayed) {
        (1, 0) => "once".into(),
        (count, 0) => format!("{count} times"),
        (0, _) => format!("{rest} forfeited unplayed"),
        (1, _) => format!("once, then {rest} forfeited unplayed"),
        (count, _) => format!("{count} times, then {rest} forfeited unplayed"),
    }
}

fn without_numbers(text: &str) -> String {
    let parts = text.split(|c: char| c.is_ascii_digit());
    let parts = parts.filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("#")
}

/// Groups items by kind, in order of first occurrence.
fn grouped<T>(all: &[T], kind: impl Fn(&T) -> String) -> Vec<Vec<&T>> {
    let mut places = std::collections::BTreeMap::new();
    let mut groups: Vec<Vec<&T>> = Vec::new();
    for one in all {
        let place = *places.entry(kind(one)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// Appends one kind of fault, with the evidence of its first occurrence.
fn describe(out: &mut String, number: usize, group: &[&Failure]) {
    let first = group[0];
    let Failure { turn, cause, .. } = first;
    let seat = first.seat.index() + 1;
    let place = format!("match {} at turn {turn}", clean(&first.r#match));
    let often = match group.len() {
        1 => format!("in {place}"),
        _ => format!("{}, first in {place}", times(group)),
    };
    let (bot, detail) = (clean(&first.bot), escaped(&first.detail));
    let opponents = clean(&first.opponents.join(", "));
    let sentence = format!(
        "{bot} forfeited ({cause}): {detail}; {often}, in seat {seat} against {opponents}."
    );
    out.push('\n');
    paragraph(out, &format!("{number}."), &sentence, usize::MAX);
    if let Some(prompt) = &first.prompt {
        paragraph(
            out,
            "prompt",
            &escaped(&prompt.to_string()),
            MAX_QUOTE_LINES,
        );
    }
    for line in &first.sent {
        paragraph(out, "sent", &escaped(line), 1);
    }
    for line in &first.received {
        paragraph(out, "received", &escaped(line), MAX_QUOTE_LINES);
    }
    log(out, &first.log);
    paragraph(out, "process", &ending(first), usize::MAX);
    if let Some(help) = &first.help {
        paragraph(out, "help", &escaped(help), usize::MAX);
    }
}

/// Describes the end of the process and the duration of its last move.
fn ending(failure: &Failure) -> String {
    let exit = failure.exit.as_deref();
    let mut text = escaped(exit.unwrap_or("was running until the arena ended it"));
    if let Some(wall) = failure.wall_us {
        text += &format!("; the move took {}", milliseconds(wall));
    }
    if let Some(cpu) = failure.cpu_us {
        text += &format!(", of which it computed {}", milliseconds(cpu));
    }
    text
}

/// Appends the end of a log, or a remark that it is empty.
fn log(out: &mut String, log: &str) {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.is_empty() {
        return paragraph(out, "log", "(empty)", 1);
    }
    for (index, line) in lines[lines.len().saturating_sub(MAX_LOG_LINES)..]
        .iter()
        .enumerate()
    {
        let head = if index == 0 { "log" } else { "" };
        let _ = writeln!(out, "  {head:<9}{}", cut(&escaped(line), WIDTH - INDENT));
    }
}

fn late(group: &[&LateMove]) -> String {
    let first = group[0];
    let wall = first.wall_us.map(milliseconds);
    let took = match (wall, first.cpu_us.map(milliseconds)) {
        (Some(wall), Some(cpu)) => format!(" (computed {cpu} of {wall})"),
        (Some(wall), None) => format!(" (after {wall})"),
        _ => String::new(),
    };
    let (bot, id) = (clean(&first.bot), clean(&first.r#match));
    let first = format!("match {id} at turn {}{took}", first.turn);
    match group.len() {
        1 => format!("{bot} was late once, which did not cost it the match, in {first}."),
        count => format!(
            "{bot} was late {count} times, which did not cost it a match, first in {first}."
        ),
    }
}

fn void(group: &[&VoidMatch]) -> String {
    let VoidMatch { r#match, bot, why } = group[0];
    let bot = bot.as_ref().map(|bot| format!(", {}", clean(bot)));
    let bot = bot.unwrap_or_default();
    let first = format!("match {}{bot}: {}", clean(r#match), escaped(why));
    match group.len() {
        1 => format!("void and played again: {first}."),
        count => format!("{count} times void and played again; first {first}."),
    }
}

/// Appends a labelled text, wrapped at the width of the terminal and cut after `most` lines.
pub fn paragraph(out: &mut String, head: &str, text: &str, most: usize) {
    let lines = folded(text, WIDTH - INDENT);
    for (index, line) in lines.iter().take(most).enumerate() {
        let head = if index == 0 { head } else { "" };
        let last = index + 1 == most && lines.len() > most;
        let line = if last {
            cut(&format!("{line}……"), WIDTH - INDENT)
        } else {
            line.clone()
        };
        let _ = writeln!(out, "  {head:<9}{line}");
    }
}

/// Escapes all characters that are invisible or could control a terminal.
pub fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '\t' => safe.push_str("    "),
            c if unsafe_to_show(c) => safe.extend(c.escape_default()),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use tabled::grid::util::string::get_string_width;

    use super::*;

    #[test]
    fn what_could_harm_is_spelled_out() {
        assert_eq!(
            escaped("a\x1b[2J\tb\u{202e}ü<b>"),
            r"a\u{1b}[2J    b\u{202e}ü<b>"
        );
    }

    #[test]
    fn paragraphs_are_folded_and_cut() {
        let mut out = String::new();
        paragraph(&mut out, "received", &"x".repeat(500), 2);
        assert!(
            out.lines().all(|line| get_string_width(line) <= WIDTH) && out.ends_with("…\n"),
            "{out}"
        );
        assert_eq!(out.lines().count(), 2);
    }

    #[test]
    fn matches_that_were_not_played_are_counted_apart() {
        let shown = [(1, 0), (3, 0), (3, 107), (0, 2)].map(|(started, rest)| often(started, rest));
        let expected = [
            "once",
            "3 times",
            "3 times, then 107 matches forfeited unplayed",
            "2 matches forfeited unplayed",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn numbers_do_not_keep_the_same_words_apart() {
        let groups = grouped(&["id 7 of 12", "other", "id 31 of 4"], |text| {
            without_numbers(text)
        });
        assert_eq!(groups, [vec![&"id 7 of 12", &"id 31 of 4"], vec![&"other"]]);
    }
}
