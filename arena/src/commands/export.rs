//! `arena export`: writes matches for other programs.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use arena_ledger::ledger::{self, Ledger};
use arena_results::export::out::{self, Packing};
use arena_results::export::{self, Dataset, ExportError, Out, RowFormat, With};

use super::wrong_use;
use crate::cli::Export;

/// Writes matches to a file or to standard output.
pub fn run(args: &Export) -> anyhow::Result<ExitCode> {
    let (table, format) = what(args)?;
    let of_moves = matches!(table, Some(Dataset::Moves | Dataset::Decisions));
    if (args.notes && !of_moves && table.is_some()) || (args.views && !of_moves) {
        return wrong_use(
            "notes and views belong to moves: leave --notes and --views out, or ask for --table moves",
        );
    }
    let ledger = Ledger::open_read_only(&args.dir)?;
    let with = With {
        times: args.times,
        notes: args.notes,
        views: args.views,
    };
    let write = |out: Out<'_>| match table {
        None => export::full(&ledger, with, out),
        Some(table) => export::table(&ledger, table, format, with, out),
    };
    deliver(args, write)?;
    Ok(ExitCode::SUCCESS)
}

/// Resolves the table, if any, and the format, from the flag or the file name. Complete matches can only be written as JSON Lines; tables
/// can have any format.
fn what(args: &Export) -> anyhow::Result<(Option<Dataset>, RowFormat)> {
    let name = args
        .form
        .clone()
        .or_else(|| args.out.as_deref().and_then(extension))
        .unwrap_or("jsonl".into());
    let Some(format) = RowFormat::from_name(&name) else {
        return wrong_use(if name == "parquet" {
            "this arena was built without Parquet: build it with `cargo build --release --features parquet`".into()
        } else {
            format!(
                "there is no export as .{name}: end the name with .jsonl, .csv, .jsonl.zst, .csv.zst or .parquet, or give --as"
            )
        });
    };
    let packed = args.zstd
        || args
            .out
            .as_deref()
            .is_some_and(|out| Packing::from_path(out) == Packing::Zstd);
    if name == "parquet" && packed {
        return wrong_use("Parquet is compressed internally: leave out --zstd and .zst");
    }
    Ok((
        args.table
            .or((format != RowFormat::Jsonl).then_some(Dataset::Seats)),
        format,
    ))
}

/// Returns the extension of a file name, without that of the compression.
fn extension(path: &Path) -> Option<String> {
    let packed = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("zst"));
    let plain = if packed {
        path.with_extension("")
    } else {
        path.to_owned()
    };
    Some(plain.extension()?.to_string_lossy().to_ascii_lowercase())
}

/// Writes the output to standard output or the file, compressed if requested.
fn deliver(
    args: &Export,
    write: impl FnOnce(Out<'_>) -> Result<(), ExportError>,
) -> anyhow::Result<()> {
    let packed = |packing| if args.zstd { Packing::Zstd } else { packing };
    match &args.out {
        None => out::to_stream(io::stdout(), packed(Packing::Plain), write)?,
        Some(file) if of_ledger(file, &args.dir) => {
            return wrong_use(format!(
                "{} is the ledger itself: name another file",
                file.display()
            ));
        }
        Some(file) => out::to_file(file, packed(Packing::from_path(file)), write)?,
    }
    Ok(())
}

/// Returns `true` if the file is the folder's ledger, or one of SQLite's files next to it.
fn of_ledger(file: &Path, dir: &Path) -> bool {
    let (Ok(file), Ok(dir)) = (fs::canonicalize(file), fs::canonicalize(dir)) else {
        return false;
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.parent() == Some(&dir) && name.starts_with(ledger::FILE)
}
