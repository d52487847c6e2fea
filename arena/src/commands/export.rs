//! `arena export`: the matches for other programs.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use arena_ledger::ledger;
use arena_ledger::ledger::Ledger;
use arena_results::export::out::{self, Packing};
use arena_results::export::{self, Dataset, ExportError, RowFormat, With};

use super::wrong_use;
use crate::cli::{Export, ExportFormat, ExportTable};

/// Writes the matches to a file or to standard output.
pub fn run(args: &Export) -> anyhow::Result<ExitCode> {
    if let Some(why) = args.out.as_deref().and_then(|file| refused(file, args)) {
        return wrong_use(why);
    }
    let (table, format) = what(args);
    if args.notes && !matches!(table, None | Some(Dataset::Moves)) {
        return wrong_use("notes belong to moves: leave --notes out, or ask for --table moves");
    }
    let ledger = Ledger::open_read_only(&args.dir)?;
    let with = With { times: args.times, notes: args.notes };
    let write = |out: &mut dyn Write| match table {
        None => export::full(&ledger, with, out),
        Some(table) => export::table(&ledger, table, format, with, out),
    };
    deliver(args, write)?;
    Ok(ExitCode::SUCCESS)
}

/// The table, if one is asked for, and how it is written. Whole matches do not fit into CSV; their seats do.
fn what(args: &Export) -> (Option<Dataset>, RowFormat) {
    let format = match args.form {
        Some(ExportFormat::Csv) => RowFormat::Csv,
        Some(ExportFormat::Jsonl) => RowFormat::Jsonl,
        None if args.out.as_deref().and_then(ending).as_deref() == Some("csv") => RowFormat::Csv,
        None => RowFormat::Jsonl,
    };
    let table = match args.table {
        Some(ExportTable::Matches) => Some(Dataset::Matches),
        Some(ExportTable::Seats) => Some(Dataset::Seats),
        Some(ExportTable::Moves) => Some(Dataset::Moves),
        None => (format == RowFormat::Csv).then_some(Dataset::Seats),
    };
    (table, format)
}

/// The ending of a file's name, but for that of compression.
fn ending(path: &Path) -> Option<String> {
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zst"));
    let plain = if packed { path.with_extension("") } else { path.to_owned() };
    Some(plain.extension()?.to_string_lossy().to_ascii_lowercase())
}

/// Why nothing is written into a file of that name, if it promises another format, with how to come by that.
fn refused(path: &Path, args: &Export) -> Option<String> {
    let ending = ending(path)?;
    let name = path.display().to_string();
    let lines = path.with_extension("jsonl").display().to_string();
    let instead = |maker: &str, how: &str| {
        let table = if args.table.is_some() { "" } else { "with --table seats, moves or matches " };
        Some(format!("there is no export as .{ending}: {table}write {lines}, from which {maker} makes it: {how}"))
    };
    match ending.as_str() {
        "parquet" => {
            let [from, to] = [&lines, &name].map(|name| name.replace('\'', "''"));
            instead("DuckDB", &format!("COPY (FROM '{from}') TO '{to}'"))
        }
        "xlsx" => {
            instead("pandas", &format!("pandas.read_json({lines:?}, lines=True, dtype=False).to_excel({name:?})"))
        }
        "jsonl" | "csv" => None,
        _ if args.form.is_some() => None,
        _ => Some(format!(
            "the name {name} does not say which format is meant: end it with .jsonl, .csv, .jsonl.zst or .csv.zst, or give --as jsonl or \
             --as csv"
        )),
    }
}

/// Sends what is written where it is wanted.
fn deliver(args: &Export, write: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>) -> anyhow::Result<()> {
    let packed = |packing| if args.zstd { Packing::Zstd } else { packing };
    match &args.out {
        None => out::to_stream(io::stdout().lock(), packed(Packing::Plain), write)?,
        Some(file) if of_ledger(file, &args.dir) => {
            return wrong_use(format!("{} is the ledger itself: name another file", file.display()));
        }
        Some(file) => out::to_file(file, packed(Packing::of(file)), write)?,
    }
    Ok(())
}

/// True if the file is the folder's ledger, or one of those that SQLite keeps beside it.
fn of_ledger(file: &Path, dir: &Path) -> bool {
    let (Ok(file), Ok(dir)) = (fs::canonicalize(file), fs::canonicalize(dir)) else { return false };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.parent() == Some(&dir) && name.starts_with(ledger::FILE)
}
