//! Paths of the files kept for bots' processes next to the ledger.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::file_name::file_name;

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
    /// Folder for all lines to and from the bots; `None` keeps none.
    pub wire: Option<&'a Path>,
    /// True to show all lines as they pass, and to let programs take their time to exit.
    pub debug: bool,
    /// Seat of the match that the process is started for; empty if none.
    pub seat: &'a str,
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

/// Returns the kept lines that a bot wrote in one seat of a match, with `--- turn N` above the lines of each turn.
pub fn of_match(folder: &Path, name: &str, id: &str, seat: usize) -> io::Result<Vec<String>> {
    let log = match fs::read(path(folder, name, "log")) {
        Ok(log) => log,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut lines = below(
        &String::from_utf8_lossy(&log),
        &format!("match {id} seat {seat}"),
    );
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    Ok(lines)
}

/// Returns the lines below the headings of one seat, with turn headings.
fn below(log: &str, seat: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut is_here = false;
    for line in log.lines() {
        match line.strip_prefix("--- ") {
            Some(place) if place == "start" || place.starts_with("match ") => {
                let rest = place
                    .strip_prefix(seat)
                    .filter(|rest| rest.is_empty() || rest.starts_with(' '));
                is_here = rest.is_some();
                lines.extend(
                    rest.filter(|rest| !rest.is_empty())
                        .map(|rest| format!("---{rest}")),
                );
            }
            _ if is_here => lines.push(line.to_owned()),
            _ => {}
        }
    }
    lines
}

/// Parses the turn number from a turn heading.
pub fn turn(line: &str) -> Option<u32> {
    line.strip_prefix("--- turn ")?.parse().ok()
}
