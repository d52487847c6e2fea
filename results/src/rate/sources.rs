//! Finds tournaments and files, and reads each of them in its format.

use std::fs;
use std::path::{Path, PathBuf};

use arena_ledger::ledger::FILE;

use super::lines::Lines;
use super::pool::{Pool, Source};
use super::{ledgers, pgn, sheet, whole};

/// Maximum depth of folders below a given folder.
const MAX_DEPTH: usize = 4;
/// Maximum number of tournaments in a folder.
const MAX_FOUND: usize = 10_000;

/// Reads all folders and files into the pool.
pub fn read(paths: &[PathBuf], pool: &mut Pool, with_ranks: bool) -> Result<(), String> {
    for path in paths {
        if path.is_dir() {
            let mut found = Vec::new();
            find(path, 0, &mut found)?;
            if found.is_empty() {
                let shown = path.display();
                return Err(format!(
                    "no tournament has begun in {shown} or a folder below it"
                ));
            }
            found.sort();
            for folder in found {
                ledgers::read(&folder, pool, with_ranks)?;
            }
        } else {
            file(path, pool)?;
        }
    }
    Ok(())
}

/// Finds the folders of tournaments. Those within the folder of a tournament are skipped.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), String> {
    if folder.join(FILE).is_file() {
        found.push(folder.to_owned());
        return Ok(());
    }
    if depth == MAX_DEPTH || found.len() >= MAX_FOUND {
        return Ok(());
    }
    let failed = |error| format!("cannot read {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            find(&entry.path(), depth + 1, found)?;
        }
    }
    Ok(())
}

/// Reads a file in the format that its name's extension indicates. Files with the same content count once.
fn file(path: &Path, pool: &mut Pool) -> Result<(), String> {
    let plain = if path.extension().is_some_and(|ending| ending == "zst") {
        path.with_extension("")
    } else {
        path.to_owned()
    };
    let ending = plain
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let read = match &*ending {
        "pgn" => pgn::read,
        "csv" | "tsv" => sheet::read,
        "jsonl" => whole::read,
        _ if path.exists() => {
            let shown = path.display();
            return Err(format!(
                "{shown}: the name of a file ends with .pgn, .csv, .tsv or .jsonl, or also .zst"
            ));
        }
        _ => return Err(format!("{} does not exist", path.display())),
    };
    if !path.is_file() {
        return Err(format!(
            "{} does not exist, or is not a file",
            path.display()
        ));
    }
    let mut lines = Lines::open(path)?;
    pool.sources.push(Source {
        name: plain
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        path: path.display().to_string(),
        ..Source::default()
    });
    let mark = pool.mark();
    read(&mut lines, u32::MAX, pool)?;
    let (series, is_new) = pool.series(lines.sum());
    if is_new {
        pool.move_to(&mark, series);
    } else {
        pool.take_back(&mark);
    }
    Ok(())
}
