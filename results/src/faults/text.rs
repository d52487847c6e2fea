//! Faults in words for the terminal: a table, then each kind of fault once, with the evidence of the first.

use std::fmt::Write;

use arena_engine::fault::{Cause, milliseconds};

use super::{Count, Failure, Faults, LateMove, Void};
use crate::table::Column;
use crate::text::{self, WIDTH};
use arena_tournament::printable::{clean, cut, folded, unsafe_to_show};

/// Blanks before evidence, the words that name it included.
const INDENT: usize = 11;
/// How many lines of the terminal a quoted line may fill.
const QUOTE: usize = 3;
/// The number of lines of a bot's log that are shown.
const LOG: usize = 8;

/// All that went wrong, at most 80 columns wide.
pub fn in_words(faults: &Faults) -> String {
    if faults.is_empty() {
        return "no faults, no late moves, no void matches\n".into();
    }
    let mut out = summary(&faults.bots);
    for (number, group) in kinds(&faults.faults).iter().enumerate() {
        describe(&mut out, number + 1, group);
    }
    let late_moves = grouped(&faults.late_moves, |late| late.bot.clone());
    let voids = grouped(&faults.voids, |void| without_numbers(&void.why));
    let sentences = late_moves.iter().map(|group| ("late", late(group)));
    for (head, sentence) in sentences.chain(voids.iter().map(|group| ("void", void(group)))) {
        out.push('\n');
        paragraph(&mut out, head, &sentence, usize::MAX);
    }
    out
}

/// How often each bot failed, by cause.
fn summary(counts: &[Count]) -> String {
    let rows: Vec<&Count> = counts
        .iter()
        .filter(|row| row.faults + row.late_moves + row.voids > 0)
        .collect();
    let cells = |cell: &dyn Fn(&Count) -> String| rows.iter().map(|row| cell(row)).collect();
    let column = |head: &str, cell: &dyn Fn(&Count) -> String| Column::number(head, cells(cell));
    let cause = |cause: Cause| {
        move |row: &Count| row.by_cause.get(&cause).copied().unwrap_or(0).to_string()
    };
    let mut columns = vec![
        column("faults", &|row| row.faults.to_string()),
        Column::name("bot", cells(&|row| row.bot.clone())),
        column("time", &cause(Cause::Time)),
        column("crash", &cause(Cause::Crash)),
        column("illegal", &cause(Cause::Illegal)),
        column("proto col", &cause(Cause::Protocol)),
        column("late moves", &|row| row.late_moves.to_string()),
        column("void matches", &|row| row.voids.to_string()),
    ];
    if rows
        .iter()
        .any(|row| row.by_cause.contains_key(&Cause::Resources))
    {
        columns.insert(6, column("resour ces", &cause(Cause::Resources)));
    }
    text::narrow(&columns) + "\n"
}

/// The faults by their kinds, in the order in which the kinds come first: bot, cause, and the sentence without numbers.
pub(crate) fn kinds(faults: &[Failure]) -> Vec<Vec<&Failure>> {
    grouped(faults, |fault| {
        format!(
            "{}\0{}\0{}",
            fault.bot,
            fault.cause,
            without_numbers(&fault.detail)
        )
    })
}

fn without_numbers(text: &str) -> String {
    let parts = text
        .split(|c: char| c.is_ascii_digit())
        .filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("#")
}

/// The items by their kinds, in the order in which the kinds come first.
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

/// One kind of fault, with the evidence of the first.
fn describe(out: &mut String, number: usize, group: &[&Failure]) {
    let first = group[0];
    let Failure {
        bot,
        r#match,
        turn,
        seat,
        opponents,
        cause,
        detail,
        ..
    } = first;
    let where_ = format!("match {} at turn {turn}", clean(r#match));
    let often = match group.len() {
        1 => format!("in {where_}"),
        count => format!("{count} times, first in {where_}"),
    };
    let (bot, detail, opponents) = (clean(bot), escaped(detail), clean(&opponents.join(", ")));
    let sentence = format!(
        "{bot} forfeited ({cause}): {detail}; {often}, in seat {seat} against {opponents}."
    );
    out.push('\n');
    paragraph(out, &format!("{number}."), &sentence, usize::MAX);
    first
        .prompt
        .iter()
        .for_each(|prompt| paragraph(out, "prompt", &escaped(&prompt.to_string()), QUOTE));
    first
        .sent
        .iter()
        .for_each(|line| paragraph(out, "sent", &escaped(line), 1));
    first
        .received
        .iter()
        .for_each(|line| paragraph(out, "received", &escaped(line), QUOTE));
    log(out, &first.log);
    paragraph(out, "process", &ending(first), usize::MAX);
    first
        .help
        .iter()
        .for_each(|help| paragraph(out, "help", &escaped(help), usize::MAX));
}

/// How the process and its last move ended.
fn ending(failure: &Failure) -> String {
    let exit = failure
        .exit
        .as_deref()
        .unwrap_or("was running until the arena ended it");
    let time = failure
        .wall_us
        .map(|wall| format!("; the move took {}", milliseconds(wall)));
    let cpu = failure
        .cpu_us
        .map(|cpu| format!(", of which it computed {}", milliseconds(cpu)));
    escaped(exit) + &time.unwrap_or_default() + &cpu.unwrap_or_default()
}

/// The end of a log, or that there is none.
fn log(out: &mut String, log: &str) {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.is_empty() {
        return paragraph(out, "log", "(empty)", 1);
    }
    for (index, line) in lines[lines.len().saturating_sub(LOG)..].iter().enumerate() {
        let head = if index == 0 { "log" } else { "" };
        let _ = writeln!(out, "  {head:<9}{}", cut(&escaped(line), WIDTH - INDENT));
    }
}

fn late(group: &[&LateMove]) -> String {
    let LateMove {
        bot,
        r#match,
        turn,
        wall_us,
        cpu_us,
    } = group[0];
    let took = match (wall_us, cpu_us) {
        (Some(wall), Some(cpu)) => format!(
            " (computed {} of {})",
            milliseconds(*cpu),
            milliseconds(*wall)
        ),
        (Some(wall), None) => format!(" (after {})", milliseconds(*wall)),
        _ => String::new(),
    };
    let (bot, id) = (clean(bot), clean(r#match));
    let first = format!("match {id} at turn {turn}{took}");
    match group.len() {
        1 => format!("{bot} was late once, which did not cost it the match, in {first}."),
        count => format!(
            "{bot} was late {count} times, which did not cost it a match, first in {first}."
        ),
    }
}

fn void(group: &[&Void]) -> String {
    let Void { r#match, bot, why } = group[0];
    let bot = bot
        .as_ref()
        .map(|bot| format!(", {}", clean(bot)))
        .unwrap_or_default();
    let first = format!("match {}{bot}: {}", clean(r#match), escaped(why));
    match group.len() {
        1 => format!("void and played again: {first}."),
        count => format!("{count} times void and played again; first {first}."),
    }
}

/// Adds a text under a head, folded to the width of the terminal and cut after `most` lines.
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

/// The text with everything spelled out that could do something to a terminal, or cannot be seen.
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
    fn numbers_do_not_keep_the_same_words_apart() {
        let groups = grouped(&["id 7 of 12", "other", "id 31 of 4"], |text| {
            without_numbers(text)
        });
        assert_eq!(groups, [vec![&"id 7 of 12", &"id 31 of 4"], vec![&"other"]]);
    }
}
