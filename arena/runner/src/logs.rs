//! The files that are kept of bots' processes beside the ledger.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::file_name::file_name;

/// Where logs of bots go.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'a> {
    /// To a file for each bot in this folder.
    Folder(&'a Path),
    /// To standard error, each line behind the bot's name.
    Terminal,
}

/// The folders of what is kept of bots' processes beside the ledger.
#[derive(Clone, Copy, Debug, Default)]
pub struct Logs<'a> {
    /// For what they write to standard error, if that is kept or shown.
    pub stderr: Option<Destination<'a>>,
    /// For all lines to and from them, if those are kept.
    pub wire: Option<&'a Path>,
    /// True to show all lines as they pass, and to let programs take their time to exit.
    pub debug: bool,
    /// The seat of a match for which a process is started; empty if for none.
    pub seat: &'a str,
}

/// The folder of bots' logs in that of a tournament.
pub fn folder(tournament: &Path) -> PathBuf {
    tournament.join("logs")
}

/// Opens a file to append to it.
pub fn open(path: PathBuf) -> Option<File> {
    OpenOptions::new().create(true).append(true).open(path).ok()
}

/// The path of a file of a bot.
pub fn path(folder: &Path, name: &str, ending: &str) -> PathBuf {
    folder.join(format!("{}.{ending}", file_name(name)))
}

/// What a bot wrote while it had a seat of a match, as far as it is kept: the lines, with `--- turn N` above those of a turn.
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

/// The lines below those that name this seat of a match, with what these add.
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

/// The turn that a line names, if it is one of those above the lines of a turn.
pub fn turn(line: &str) -> Option<u32> {
    line.strip_prefix("--- turn ")?.parse().ok()
}
