//! Reads the bots of a class, which have one folder each: `from = "students/*"`.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::files::{self, small_text};
use arena_sandbox::access;
use arena_sandbox::interpreter;
use arena_sandbox::paths::resolved;
use arena_sandbox::scan::is_tournament;
use arena_tournament::entrant::{Bot, Entrant, NO_BUILD, Program, Restart};
use arena_tournament::spec::LeftOut;
use arena_tournament::suggest::quoted;
use serde::{Deserialize, Serialize};

use super::command::split;
use super::entrants::{NAME_HELP, Numbered, is_name};
use super::file::BotTable;
use super::reader::Reader;
use arena_tournament::printable::nfc;

/// The file that describes how to start the bot of a folder.
const FILE: &str = "bot.toml";
/// Base names of a bot's main file.
pub(crate) const MAINS: [&str; 2] = ["bot", "main"];

/// The content of a folder's `bot.toml`, with the keys of a `[[bots]]` table.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Described {
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    restart: Restart,
}

/// A problem with a key of a class, phrased for its error message.
#[derive(Debug)]
enum Wrong {
    From(String),
    Roster(String),
}

/// A folder of a class with the bot's name, or the reason why it is left out.
type Named = Result<(String, PathBuf), LeftOut>;

/// Columns of a roster that the arena reads. Other columns, such as names and addresses, are for people.
const COLUMNS: [&str; 2] = ["folder", "pseudonym"];

/// Reads the bots of a table with `from`, and those left out, in the order of folder names or of the roster.
pub fn bots(
    reader: &mut Reader<'_>,
    number: usize,
    table: &BotTable,
    dir: &Path,
) -> (Vec<Numbered>, Vec<LeftOut>) {
    let path = format!("bots.{number}");
    let pattern = table.from.as_deref().unwrap_or_default();
    let keys = reader.bot(number).map_or(0, |keys| keys.len());
    if pattern.is_empty() || keys > 1 + usize::from(table.roster.is_some()) {
        let what = "`from` can be combined only with `roster`: all other keys belong in each folder's bot.toml";
        let help = "write from = \"students/*\", and move the other keys there";
        reader.add(&format!("{path}.from"), what, help);
        return (Vec::new(), Vec::new());
    }
    let all = folders(pattern, dir).and_then(|found| match &table.roster {
        None => Ok(found
            .into_iter()
            .map(|folder| Ok((name(&folder), folder)))
            .collect()),
        Some(file) => Roster::read(&dir.join(file))
            .map_err(|why| Wrong::Roster(format!("{}{why}", file.display())))
            .and_then(|roster| named(&roster, found)),
    });
    let all: Vec<Named> = all.unwrap_or_else(|wrong| {
        let (key, what, help) = match wrong {
            Wrong::From(why) => {
                let what = format!("{} does not name a class: {why}", quoted(pattern));
                ("from", what, "write it as from = \"students/*\"")
            }
            Wrong::Roster(what) => {
                let help = "a roster is a CSV file in UTF-8 with the columns folder and pseudonym";
                ("roster", what, help)
            }
        };
        reader.add(&format!("{path}.{key}"), what, help);
        Vec::new()
    });
    let mut bots = Vec::new();
    let mut left_out = Vec::new();
    for named in all {
        let entrant = named.and_then(|(name, folder)| {
            entrant(&name, &folder).map_err(|why| left_out_as(name, why))
        });
        match entrant {
            Ok(entrant) => bots.push(Numbered { number, entrant }),
            Err(broken) => left_out.push(broken),
        }
    }
    (bots, left_out)
}

fn left_out_as(name: impl Into<String>, why: impl Into<String>) -> LeftOut {
    LeftOut {
        name: name.into(),
        why: why.into(),
        is_gone: false,
    }
}

/// A roster: its columns, and its numbered lines.
pub struct Roster {
    pub columns: csv::StringRecord,
    /// The lines below the header, each with its line number.
    pub lines: Vec<(usize, csv::StringRecord)>,
}

impl Roster {
    /// Reads a roster separated by commas, semicolons or tabs.
    ///
    /// # Errors
    /// If the roster cannot be read; the error is phrased to follow the file's name.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = small_text(file).map_err(|error| format!(": {error}"))?;
        let text = text.trim_start_matches('\u{feff}');
        let head = text.lines().next().unwrap_or_default();
        let separator = [b';', b'\t']
            .into_iter()
            .find(|separator| head.as_bytes().contains(separator));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator.unwrap_or(b','))
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let wrong = |error: csv::Error| match (error.position(), error.kind()) {
            (
                Some(at),
                csv::ErrorKind::UnequalLengths {
                    expected_len, len, ..
                },
            ) => format!(
                ", line {}: it has {len} fields, and the first line has {expected_len}",
                line_at(text, at)
            ),
            _ => format!(": {error}"),
        };
        let columns = reader.headers().map_err(wrong)?.clone();
        let mut lines = Vec::new();
        for line in reader.into_records() {
            let line = line.map_err(wrong)?;
            let number = line.position().map_or(0, |at| line_at(text, at));
            lines.push((number, line));
        }
        let roster = Self { columns, lines };
        match COLUMNS.iter().find(|name| roster.column(name).is_none()) {
            None => Ok(roster),
            Some(name) => Err(format!(", line 1: there is no column {name}")),
        }
    }

    /// Returns the roster of the class in a tournament file, if it has one.
    ///
    /// # Errors
    /// If the file or the roster cannot be read.
    pub fn of_tournament(file: &Path) -> Result<Option<Self>, String> {
        let text = files::tournament(file)?;
        let tables: toml::Table =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        let bots = tables.get("bots").and_then(toml::Value::as_array);
        let mut rosters = bots.into_iter().flatten();
        let roster = rosters.find_map(|bot| bot.get("roster")?.as_str());
        roster
            .map(|roster| {
                let path = file.with_file_name(roster);
                Self::read(&path).map_err(|why| format!("{}{why}", path.display()))
            })
            .transpose()
    }

    /// Returns the line of a bot that has entered or is left out. A bot without a pseudonym is identified by the reason why it is left out.
    pub fn line_of(&self, bot: &str, why: Option<&str>) -> Option<&csv::StringRecord> {
        let names = self.column("pseudonym")?;
        let is_its = |(number, line): &&(usize, csv::StringRecord)| {
            let name = nfc(&line[names]);
            if bot.is_empty() {
                name.is_empty() && why == Some(no_pseudonym(*number).as_str())
            } else {
                name == bot || on_line(&name, *number) == bot
            }
        };
        self.lines.iter().find(is_its).map(|(_, line)| line)
    }

    /// Returns the index of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// Returns the reason for which a line of the roster enters no bot under any name.
fn no_pseudonym(number: usize) -> String {
    format!("line {number} of the roster has no pseudonym")
}

/// Returns the name of a bot that is left out because an earlier line of the roster has its pseudonym or its folder.
fn on_line(pseudonym: &str, number: usize) -> String {
    format!("{pseudonym} (line {number})")
}

/// Returns the line number of a record, counted from 1. The position from the CSV reader lies before any empty lines that precede the
/// record.
fn line_at(text: &str, at: &csv::Position) -> usize {
    let start = usize::try_from(at.byte()).unwrap_or(usize::MAX);
    let (before, rest) = text.split_at_checked(start).unwrap_or((text, ""));
    let empty = rest.len() - rest.trim_start_matches(['\r', '\n']).len();
    1 + before.matches('\n').count() + rest[..empty].matches('\n').count()
}

/// Returns the folders in the order of the roster, with their pseudonyms. Folders missing from the roster come last, without a name. Fails
/// if the roster names none of the folders, because it then belongs to another class.
fn named(roster: &Roster, mut found: Vec<PathBuf>) -> Result<Vec<Named>, Wrong> {
    let [folder, pseudonym] = COLUMNS.map(|name| roster.column(name).unwrap_or_default());
    let count = found.len();
    let (mut known, mut taken) = (BTreeMap::new(), BTreeMap::new());
    let mut named: Vec<Named> = Vec::new();
    for (number, line) in &roster.lines {
        let name = nfc(&line[pseudonym]);
        let wanted = nfc(&line[folder]);
        let is_it = |path: &PathBuf| {
            Path::new(&self::name(path)).file_name() == Path::new(&wanted).file_name()
        };
        let place = found.iter().position(is_it);
        let path = place.map(|place| found.remove(place));
        let before = known.get(&name).copied();
        named.push(match (path, before) {
            _ if name.is_empty() => Err(left_out_as("", no_pseudonym(*number))),
            (_, Some(before)) => {
                let why = format!("line {before} of the roster has the same pseudonym");
                Err(left_out_as(on_line(&name, *number), why))
            }
            (Some(path), None) => Ok((name.clone(), path)),
            (None, None) => match taken.get(&wanted) {
                Some(earlier) => {
                    let why = format!("line {earlier} of the roster has the same folder");
                    Err(left_out_as(on_line(&name, *number), why))
                }
                None => Err(LeftOut {
                    is_gone: true,
                    ..left_out_as(name.as_str(), format!("its folder {wanted} is missing"))
                }),
            },
        });
        known.entry(name).or_insert(*number);
        taken.entry(wanted).or_insert(*number);
    }
    if !roster.lines.is_empty() && found.len() == count {
        let why = "it has none of the folders that the roster lists";
        return Err(Wrong::From(why.into()));
    }
    let unnamed = found.into_iter().map(|folder| {
        Err(LeftOut {
            is_gone: true,
            ..left_out_as("", format!("not in the roster: {}", name(&folder)))
        })
    });
    named.extend(unnamed);
    Ok(named)
}

/// Returns the folders that match a pattern such as `students/*`.
fn folders(pattern: &str, dir: &Path) -> Result<Vec<PathBuf>, Wrong> {
    let above = pattern
        .strip_suffix("/*")
        .filter(|above| !above.contains('*'));
    let why = "it must end in /*, as in students/*, and contain no other *";
    let above = above.ok_or_else(|| Wrong::From(why.into()))?;
    let above = resolved(&dir.join(above));
    let entries = fs::read_dir(&above)
        .map_err(|error| Wrong::From(format!("{}: {error}", above.display())))?;
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders
        .retain(|path| !name(path).starts_with('.') && (is_of_bot(path) || !is_tournament(path)));
    folders.sort();
    Ok(folders)
}

fn name(folder: &Path) -> String {
    nfc(&folder.file_name().unwrap_or_default().to_string_lossy())
}

fn entrant(name: &str, folder: &Path) -> Result<Entrant, String> {
    if !is_name(name) {
        return Err(format!("this is not a valid bot name: {NAME_HELP}"));
    }
    if folder.is_symlink() {
        return Err("its folder is a symbolic link: copy the files into the class".into());
    }
    let described = described(folder)?;
    let program = Program {
        command: split(&described.command)?,
        dir: folder.to_path_buf(),
        build: described.build.or(Some(NO_BUILD.into())),
        env: described.env,
        ..Program::default()
    };
    if access::lent(&program, folder)
        .iter()
        .any(|path| access::arena().contains(path))
    {
        return Err(format!(
            "{FILE}: its command starts the arena itself; let it start the author's own program"
        ));
    }
    Ok(Entrant {
        restart: described.restart,
        ..Entrant::new(name, Bot::Program(program))
    })
}

/// Reads how the bot of a folder is started: from its `bot.toml` or, without one, from its main file.
pub(crate) fn described(folder: &Path) -> Result<Described, String> {
    let text = match small_text(&folder.join(FILE)) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            format!("command = \"{}\"", main_of(folder)?)
        }
        text => text.map_err(|error| format!("{FILE}: {error}"))?,
    };
    let described: Described =
        toml::from_str(&text).map_err(|error| format!("{FILE}: {}", error.message()))?;
    let command = split(&described.command).map_err(|why| format!("{FILE}: {why}"))?;
    if let Some(word) = access::paths(&command).find(|word| leaves_folder(word)) {
        return Err(format!(
            "{FILE}: its command names {}, outside its folder",
            quoted(word)
        ));
    }
    Ok(described)
}

/// Returns `true` for a word that may name files outside the bot's folder. The folders of all files that a command names become readable.
pub(crate) fn leaves_folder(word: &str) -> bool {
    let path = Path::new(word);
    path.components().any(|part| part == Component::ParentDir)
        || path.is_absolute() && !access::is_of_system(path)
}

/// Returns `true` if the files in a folder show that it belongs to a bot. Ledgers in such a folder are the author's, and are opened only on
/// request.
pub fn is_of_bot(folder: &Path) -> bool {
    folder.join(FILE).is_file() || !mains(folder).is_empty()
}

/// Returns the main files of a folder: the first one for each name and interpreter.
fn mains(folder: &Path) -> Vec<String> {
    let first = |main: &str, endings: Vec<&str>| {
        let mut files = endings.iter().map(|ending| format!("{main}.{ending}"));
        files.find(|file| folder.join(file).is_file())
    };
    let all = MAINS.into_iter();
    all.flat_map(|main| interpreter::endings().filter_map(move |endings| first(main, endings)))
        .collect()
}

/// Returns the name of a subfolder that holds the bot, as some archives leave it, and the name of the bot's file in it.
fn inner(folder: &Path) -> Option<(String, String)> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.retain(|path| path.is_dir() && !path.is_symlink() && is_of_bot(path));
    folders.sort();
    let inner = folders.first()?;
    let described = inner.join(FILE).is_file().then(|| FILE.to_owned());
    Some((name(inner), described.or_else(|| mains(inner).pop())?))
}

/// Returns the command that runs the only main file of a folder.
fn main_of(folder: &Path) -> Result<String, String> {
    match mains(folder).as_slice() {
        [file] => Ok(interpreter::command(file).unwrap_or_default()),
        [] => {
            let inner = inner(folder).map(|(inner, file)| {
                format!(
                    "; the folder {inner} has a {file}: move the files of {inner} up by one folder"
                )
            });
            Err(format!(
                "there is neither a {FILE} nor a main file, such as bot.py or main.js{}",
                inner.unwrap_or_default()
            ))
        }
        [one, other, ..] => Err(format!(
            "the folder has both {one} and {other}: name the right one in a {FILE}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(bytes: &[u8]) -> Result<Vec<Named>, String> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("roster.csv");
        fs::write(&file, bytes).unwrap();
        let found = ["/c/ann", "/c/e\u{301}va"].map(PathBuf::from);
        let named = named(&Roster::read(&file)?, found.into());
        Ok(named.expect("it names one of the folders"))
    }

    #[test]
    fn rosters_are_separated_by_any_usual_character() {
        for text in [
            "folder,pseudonym\nann,owl\n\u{e9}va,emu\n",
            "\u{feff}pseudonym;folder;mail\r\nowl;ann;x\r\nemu;\u{e9}va;\r\n",
            "folder\tpseudonym\nann\towl\ne\u{301}va\temu\n",
        ] {
            let found: Vec<(String, PathBuf)> = roster(text.as_bytes())
                .unwrap()
                .into_iter()
                .map(Result::unwrap)
                .collect();
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, ["owl", "emu"], "{text}");
        }
    }

    #[test]
    fn mistakes_of_a_roster_are_told_with_their_lines() {
        let utf16: Vec<u8> = "folder,pseudonym\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for (bytes, expected) in [
            (&utf16[..], ": it is UTF-16: save it as UTF-8"),
            (b"folder,name\n", ", line 1: there is no column pseudonym"),
            (b"", ", line 1: there is no column folder"),
            (
                b"folder,pseudonym\nann,owl\n\nbob,emu,x\n",
                ", line 4: it has 3 fields, and the first line has 2",
            ),
            (
                b"folder,pseudonym\n\xfc,owl\n",
                ": it is not UTF-8 from line 2 on",
            ),
        ] {
            let why = roster(bytes).err().unwrap();
            assert!(why.starts_with(expected), "{why}");
        }
    }

    #[test]
    fn who_is_not_named_or_not_there_is_left_out() {
        let text = "folder,pseudonym\nann,\ngone,emu\nann,emu\n";
        let all = roster(text.as_bytes()).unwrap();
        let left_out: Vec<LeftOut> = all.into_iter().map(|named| named.unwrap_err()).collect();
        let shown: Vec<String> = left_out.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "line 2 of the roster has no pseudonym",
                "emu: its folder gone is missing",
                "emu (line 4): line 3 of the roster has the same pseudonym",
                "not in the roster: \u{e9}va",
            ]
        );
        let is_gone: Vec<bool> = left_out.iter().map(|bot| bot.is_gone).collect();
        assert_eq!(is_gone, [false, true, false, true]);
    }

    #[test]
    fn a_bot_one_folder_too_deep_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let why = || described(dir.path()).err().unwrap();
        assert!(why().ends_with("such as bot.py or main.js"), "{}", why());
        for (file, end) in [
            (
                "bot.py",
                "; the folder mybot has a bot.py: move the files of mybot up by one folder",
            ),
            (
                FILE,
                "; the folder mybot has a bot.toml: move the files of mybot up by one folder",
            ),
        ] {
            fs::create_dir_all(dir.path().join("mybot")).unwrap();
            fs::write(dir.path().join("mybot").join(file), "").unwrap();
            assert!(why().ends_with(end), "{}", why());
        }
    }
}
