//! Writes the pages of a class to two folders: a public one, and one with a page for each author, which is sent to that author only, and
//! the marks.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use anyhow::Context;
use arena_config::class::Roster;
use arena_config::seed;
use arena_ledger::ledger::Ledger;
use arena_results::analysis::Analysis;
use arena_results::csv::guarded;
use arena_results::faults::Words;
use arena_results::report;
use arena_runner::logs;
use arena_tournament::error_lines::left_out;

use super::marks::{self, marks};
use super::{forfeits, home, near_in, of_bot};
use crate::folder;

/// The name of the folder that can be uploaded as it is.
pub const PUBLIC: &str = "public";
/// The name of the folder with the authors' pages.
pub const PRIVATE: &str = "private";
/// The name of the table for a mail merge.
const LINKS: &str = "links.csv";
/// Maximum number of bytes of a log shown on a page, taken from its end.
const MAX_LOG_BYTES: usize = 256 << 10;

/// Writes both folders, and returns the number of authors' pages. When pages are rewritten, they keep their file names.
pub fn publish(
    out: &Path,
    dir: &Path,
    (ledger, analysis): (&Ledger, &Analysis),
    roster: Option<&Roster>,
) -> anyhow::Result<usize> {
    let (public, private) = (out.join(PUBLIC), out.join(PRIVATE));
    let save =
        |path: &Path, text: &str| fs::write(path, text).with_context(|| path.display().to_string());
    fs::create_dir_all(&public).with_context(|| public.display().to_string())?;
    let made = DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&private);
    made.with_context(|| private.display().to_string())?;

    let (spec, home) = (ledger.spec(), home(dir));
    let candidates = report::candidates(ledger, analysis)?;
    let matches = if spec.closed {
        let forfeits: Vec<_> = forfeits(dir, ledger)?
            .into_iter()
            .map(|forfeit| Words::None.within(forfeit))
            .collect();
        report::instructive(ledger, &candidates, None, &forfeits, Words::None)?
    } else {
        Vec::new()
    };
    save(
        &public.join("index.html"),
        &report::public(spec, analysis, &matches),
    )?;

    let links = private.join(LINKS);
    let mut files = known(&links)?;
    let mut file = |name: &str| match files.remove(name) {
        Some(file) => Ok(file),
        None => seed::key().map(|key| key + ".html"),
    };
    let mut written = Vec::new();
    for (bot, entrant) in spec.bots.iter().enumerate() {
        let log = fs::read(logs::path(&logs::folder(dir), &entrant.name, "log")).ok();
        let log = log.map(|log| near_in(&end(&String::from_utf8_lossy(&log)), spec, &home));
        let words = (Words::Of(&entrant.name), log.as_deref(), None);
        let page = of_bot(dir, ledger, (analysis, &candidates), bot, words, None)?;
        written.push((entrant.name.as_str(), file(&entrant.name)?, page));
    }
    for bot in spec.left_out.iter().filter(|bot| !bot.name.is_empty()) {
        let page = report::of_left_out(spec, bot);
        written.push((&bot.name, file(&bot.name)?, page));
    }
    for (_, file, page) in &written {
        save(&private.join(file), page)?;
    }
    // Remove the pages of bots that no longer exist.
    for file in files.values() {
        fs::remove_file(private.join(file)).or_else(|error| match error.kind() {
            ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
    }
    let rows = written.iter().map(|(name, file, _)| [*name, file.as_str()]);
    folder::replace(&links, &table(rows, roster)?)?;
    folder::replace(&private.join(marks::FILE), &marks(spec, analysis, roster)?)?;
    Ok(written.len())
}

/// Returns the last lines of a log, after a mark if earlier lines are omitted.
fn end(log: &str) -> String {
    let mut from = log.ceil_char_boundary(log.len().saturating_sub(MAX_LOG_BYTES));
    if from == 0 {
        return log.to_owned();
    }
    from += log[from..].find('\n').map_or(0, |end| end + 1);
    format!("{}\n{}", left_out(from as u64), &log[from..])
}

/// Returns the file names of existing pages, by bot name.
fn known(links: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    if !links.exists() {
        return Ok(files);
    }
    let shown = || links.display().to_string();
    let mut lines = csv::Reader::from_path(links).with_context(shown)?;
    for line in lines.records() {
        let line = line.with_context(shown)?;
        let (name, file) = (&line[0], &line[line.len() - 1]);
        let key = file.strip_suffix(".html").unwrap_or_default();
        if !key.is_empty() && key.chars().all(|c| c.is_ascii_hexdigit()) {
            let name = name.strip_prefix('\'').unwrap_or(name);
            files.insert(name.to_owned(), file.to_owned());
        }
    }
    Ok(files)
}

/// Returns a table with one line per bot: its name, its line of the roster, and the file of its page.
fn table<'a>(
    rows: impl Iterator<Item = [&'a str; 2]>,
    roster: Option<&Roster>,
) -> anyhow::Result<String> {
    let head = roster.map(|roster| roster.columns.clone());
    let head = head.unwrap_or_default();
    let empty: csv::StringRecord = head.iter().map(|_| "").collect();
    let mut csv = csv::Writer::from_writer(Vec::new());
    let mut line = |[first, last]: [&str; 2], between: &csv::StringRecord| {
        let cells = [first].into_iter().chain(between).chain([last]);
        csv.write_record(cells.map(guarded))
    };
    line(["bot", "file"], &head)?;
    for [name, file] in rows {
        let found = roster.and_then(|roster| roster.line_of(name, None));
        line([name, file], found.unwrap_or(&empty))?;
    }
    Ok(String::from_utf8(csv.into_inner()?)?)
}
