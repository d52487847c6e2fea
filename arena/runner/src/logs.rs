//! Paths of the files kept for bots' processes next to the ledger.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::file_name::file_name;

/// Beginning of a line that names the match or turn of the lines below it.
pub(crate) const HEADING: &str = "--- ";
/// Size of a bot's log beyond which the output of further matches is not kept.
pub(crate) const MAX_BYTES: u64 = 16 << 20;

/// Destination of bots' logs.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'a> {
    /// One file per bot in this folder.
    Folder(&'a Path),
    /// Standard error, with the bot's name before each line.
    Terminal,
}

/// Output kept for bots' processes next to the ledger.
#[derive(Clone, Copy, Debug, Default)]
pub struct Logs<'a> {
    /// Destination of standard error; `None` drops it.
    pub stderr: Option<Destination<'a>>,
    /// Folder for all lines to and from the bots; `None` if they are not kept.
    pub wire: Option<&'a Path>,
    /// True to show all lines as they pass, and to let programs take their time to exit.
    pub debug: bool,
    /// Seat of the match for which the process is started; empty if there is none.
    pub seat: &'a str,
    /// Number of matches that share the bot's log.
    pub matches: u64,
}

/// Returns the folder of bots' logs in a tournament's folder.
pub fn folder(tournament: &Path) -> PathBuf {
    tournament.join("logs")
}

/// Opens a file for appending.
pub fn open(path: PathBuf) -> Option<File> {
    OpenOptions::new().create(true).append(true).open(path).ok()
}

/// Returns the path of a bot's file.
pub fn path(folder: &Path, name: &str, ending: &str) -> PathBuf {
    folder.join(format!("{}.{ending}", file_name(name)))
}

/// The kept log of a bot in one seat of a match.
#[derive(Debug, PartialEq, Eq)]
pub enum OfMatch {
    /// Lines of the match, with `--- turn N` above those of each turn.
    Lines(Vec<String>),
    /// The bot wrote nothing.
    Nothing,
    /// The log was full before the match began, so the bot's output is unknown.
    Full,
    /// The bot has no log here: it played on another machine, or the log was removed.
    NoFile,
}

/// Returns the kept log of a bot in one seat of a match.
pub fn of_match(folder: &Path, name: &str, id: &str, seat: usize) -> io::Result<OfMatch> {
    let log = match fs::read(path(folder, name, "log")) {
        Ok(log) => log,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(OfMatch::NoFile),
        Err(error) => return Err(error),
    };
    let mut lines = below(
        &String::from_utf8_lossy(&log),
        &format!("match {id} seat {seat}"),
    );
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    Ok(if !lines.is_empty() {
        OfMatch::Lines(lines)
    } else if log.len() as u64 >= MAX_BYTES {
        OfMatch::Full
    } else {
        OfMatch::Nothing
    })
}

/// Returns the lines below the headings of one seat, with turn headings.
pub(crate) fn below(log: &str, seat: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut is_here = false;
    for line in log.lines() {
        match line.strip_prefix(HEADING) {
            Some(place)
                if ["start", "match ", "full: "]
                    .iter()
                    .any(|kind| place.starts_with(kind)) =>
            {
                let (place, turn) = split(place);
                is_here = place == seat;
                if is_here && let Some(turn) = turn {
                    lines.push(format!("{HEADING}turn {turn}"));
                }
            }
            _ if is_here => lines.push(line.to_owned()),
            _ => {}
        }
    }
    lines
}

/// Splits a heading into the seat and the turn, if it names one.
fn split(place: &str) -> (&str, Option<u32>) {
    place
        .rsplit_once(" turn ")
        .and_then(|(seat, turn)| Some((seat, Some(turn.parse().ok()?))))
        .unwrap_or((place, None))
}

/// Parses the turn number from a turn heading.
pub fn turn(line: &str) -> Option<u32> {
    line.strip_prefix("--- turn ")?.parse().ok()
}
