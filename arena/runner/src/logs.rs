//! The files that are kept of bots' processes beside the ledger.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::short_hash::short_hash;

/// The longest name of a file that needs no hash, in bytes; with a process id and an ending it is within any limit.
const LONGEST: usize = 200;

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

/// Opens a file of a bot to append to it.
pub fn open(folder: &Path, name: &str, ending: &str) -> Option<File> {
    OpenOptions::new().create(true).append(true).open(path(folder, name, ending)).ok()
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
    let mut lines = below(&String::from_utf8_lossy(&log), &format!("match {id} seat {seat}"));
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
                let rest = place.strip_prefix(seat).filter(|rest| rest.is_empty() || rest.starts_with(' '));
                is_here = rest.is_some();
                lines.extend(rest.filter(|rest| !rest.is_empty()).map(|rest| format!("---{rest}")));
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

/// A name for a file, another one for each name: a character that may do harm is its number, and a name that would be too
/// long ends with its hash.
pub fn file_name(name: &str) -> String {
    let harmless = |c: char| match c {
        _ if c.is_alphanumeric() || "-_.".contains(c) => c.to_string(),
        _ => format!("%{:02x}", u32::from(c)),
    };
    let harmless: String = name.chars().map(harmless).collect();
    if harmless.len() <= LONGEST {
        return harmless;
    }
    format!("{}%%{}", &harmless[..harmless.floor_char_boundary(LONGEST / 2)], short_hash(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_bots_share_a_file() {
        let long = |end: &str| "\u{1f600}".repeat(63) + end;
        let names = ["a b", "a_b", "a%20b", "a.b", "a\u{202e}b", "ä", &long("x"), &long("y"), &"\u{20000}".repeat(64)];
        let mut files: Vec<String> = names.iter().map(|name| file_name(name)).collect();
        assert_eq!(files[..2], ["a%20b", "a_b"]);
        assert!(files.iter().all(|file| file.len() <= LONGEST && !file.contains([' ', '\u{202e}'])), "{files:?}");
        files.sort_unstable();
        assert!(files.is_sorted_by(|one, next| one < next), "{files:?}");
    }
}
