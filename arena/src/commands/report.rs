//! `arena report`: all results of a tournament as one page, or in short for a README or a forum.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_results::analysis::Analysis;
use arena_results::chart::{self, Drawn};
use arena_results::faults::first_forfeits;
use arena_results::ledger::Ledger;
use arena_results::{json, report};

use super::print;
use crate::cli::Report;
use crate::spec::write::to_toml;
use crate::status::status;

/// The page's name in a tournament's folder.
pub const FILE: &str = "report.html";

/// What stands in a report for what a tournament file gives a bot in its environment: it may be a secret.
const NOT_SHOWN: &str = "(not shown)";

/// Writes the page, or prints what else is asked for.
pub fn run(args: &Report) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    let analysis = Analysis::of(&ledger)?;
    if args.json {
        return print(&json::analysis(&analysis)?);
    }
    if args.markdown {
        return print(&with(&ledger, &analysis, &[], report::markdown)?);
    }
    let file = args.out.clone().unwrap_or_else(|| args.dir.join(FILE));
    let charts = chart::draw(&ledger, &analysis)?;
    write(&file, &ledger, &analysis, &charts)?;
    status(format_args!("report     {}", file.display()));
    Ok(ExitCode::SUCCESS)
}

/// Writes the page.
pub fn write(file: &Path, ledger: &Ledger, analysis: &Analysis, charts: &[Drawn]) -> anyhow::Result<()> {
    fs::write(file, with(ledger, analysis, charts, report::html)?).with_context(|| file.display().to_string())
}

/// Makes a report of one form.
fn with(
    ledger: &Ledger,
    analysis: &Analysis,
    charts: &[Drawn],
    form: impl Fn(&report::Contents<'_>) -> String,
) -> anyhow::Result<String> {
    let (tournament, forfeits) = (ledger.spec(), &first_forfeits(ledger, report::FORFEITS)?);
    let file = &without_secrets(&to_toml(ledger.spec())?);
    Ok(form(&report::Contents { tournament, analysis, forfeits, charts, file }))
}

/// The tournament file without the values of the bots' environments; nothing of one that cannot be read.
fn without_secrets(file: &str) -> String {
    let Ok(mut table) = file.parse::<toml::Table>() else { return String::new() };
    let mut hidden = 0;
    for bot in table.get_mut("bots").and_then(toml::Value::as_array_mut).into_iter().flatten() {
        for (_, value) in bot.get_mut("env").and_then(toml::Value::as_table_mut).into_iter().flatten() {
            *value = NOT_SHOWN.into();
            hidden += 1;
        }
    }
    if hidden == 0 { file.to_owned() } else { toml::to_string(&table).unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_at_home() {
        let file = "name = \"x\"\n\n[[bots]]\nname = \"a\"\n\n[bots.env]\nKEY = \"s3cret\"\n";
        let shown = without_secrets(file);
        assert!(shown.contains("KEY = \"(not shown)\"") && !shown.contains("s3cret"), "{shown}");
        let plain = "name = \"x\"  # a comment\n[[bots]]\nname = \"a\"\n";
        assert_eq!(without_secrets(plain), plain);
        assert_eq!(without_secrets("no toml"), "");
    }
}
