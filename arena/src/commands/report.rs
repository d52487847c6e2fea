//! `arena report`: all results of a tournament as one page, or in short for a README or a forum.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use arena_results::analysis::Analysis;
use arena_results::chart::{self, Drawn};
use arena_results::faults::first_forfeits;
use arena_results::ledger::Ledger;
use arena_results::{json, report};
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::spec::Spec;

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
        return print(&with(&args.dir, &ledger, &analysis, &[], report::markdown)?);
    }
    let file = args.out.clone().unwrap_or_else(|| args.dir.join(FILE));
    let charts = chart::draw(&ledger, &analysis)?;
    write(&file, &args.dir, &ledger, &analysis, &charts)?;
    status(format_args!("report     {}", file.display()));
    Ok(ExitCode::SUCCESS)
}

/// Writes the page about the tournament in a folder.
pub fn write(file: &Path, dir: &Path, ledger: &Ledger, analysis: &Analysis, charts: &[Drawn]) -> anyhow::Result<()> {
    fs::write(file, with(dir, ledger, analysis, charts, report::html)?).with_context(|| file.display().to_string())
}

/// Makes a report of one form.
fn with(
    dir: &Path,
    ledger: &Ledger,
    analysis: &Analysis,
    charts: &[Drawn],
    form: impl Fn(&report::Contents<'_>) -> String,
) -> anyhow::Result<String> {
    let (tournament, home) = (ledger.spec(), home(dir));
    let (days, shut_out) = (ledger.days()?, ledger.shut_out()?);
    let mut forfeits = first_forfeits(ledger, report::FORFEITS)?;
    forfeits.iter_mut().for_each(|forfeit| forfeit.log = near_in(&forfeit.log, tournament, &home));
    let file = &for_everybody(&to_toml(tournament)?, &home);
    let (forfeits, days, shut_out) = (&forfeits, days.as_ref(), &shut_out);
    Ok(form(&report::Contents { tournament, analysis, forfeits, charts, days, shut_out, file }))
}

/// The folder that a tournament's folder lies in, as its bots' paths begin if they lie there too.
fn home(dir: &Path) -> PathBuf {
    fs::canonicalize(dir).ok().and_then(|dir| Some(dir.parent()?.to_owned())).unwrap_or_default()
}

/// The tournament file without the values of the bots' environments, and with paths that tell nothing of the machine; nothing
/// of one that cannot be read.
fn for_everybody(file: &str, home: &Path) -> String {
    let Ok(whole) = file.parse::<toml::Table>() else { return String::new() };
    let mut table = whole.clone();
    for bot in table.get_mut("bots").and_then(toml::Value::as_array_mut).into_iter().flatten() {
        for (_, value) in bot.get_mut("env").and_then(toml::Value::as_table_mut).into_iter().flatten() {
            *value = NOT_SHOWN.into();
        }
        let read = bot.get_mut("read").and_then(toml::Value::as_array_mut).into_iter().flatten();
        read.for_each(|path| *path = near(path, home));
        if let Some(dir) = bot.get_mut("dir") {
            *dir = near(dir, home);
        }
    }
    if table == whole { file.to_owned() } else { toml::to_string(&table).unwrap_or_default() }
}

/// A path as it is from the home, or else its end alone.
fn near(path: &toml::Value, home: &Path) -> toml::Value {
    let Some(path) = path.as_str().map(Path::new).filter(|path| path.is_absolute()) else { return path.clone() };
    let near = match path.strip_prefix(home) {
        Ok(inside) => Path::new(".").join(inside),
        Err(_) => Path::new("…").join(path.file_name().unwrap_or_default()),
    };
    near.display().to_string().trim_end_matches('/').into()
}

/// What a bot wrote, with paths that tell nothing of the machine: those in a bot's folder begin there.
fn near_in(log: &str, spec: &Spec, home: &Path) -> String {
    let of_bot = |entrant: &Entrant| match &entrant.bot {
        Bot::Program(program) => Some((program.dir.clone(), "")),
        Bot::Builtin(_) => None,
    };
    let user = std::env::home_dir().map(|user| (user, "~/"));
    let mut folders: Vec<(PathBuf, &str)> =
        spec.bots.iter().filter_map(of_bot).chain([(home.into(), "./")]).chain(user).collect();
    // What lies deeper is replaced first.
    folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.components().count()));
    let long = |folder: &Path| folder.components().count() > 1;
    let replace = |log: String, (folder, near): (PathBuf, &str)| match folder.to_str().filter(|_| long(&folder)) {
        Some(folder) => log.replace(&format!("{}/", folder.trim_end_matches('/')), near),
        None => log,
    };
    folders.into_iter().fold(log.to_owned(), replace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_at_home() {
        let file = "name = \"x\"\n\n[[bots]]\nname = \"a\"\n\n[bots.env]\nKEY = \"s3cret\"\n";
        let shown = for_everybody(file, Path::new("/home/ann"));
        assert!(shown.contains("KEY = \"(not shown)\"") && !shown.contains("s3cret"), "{shown}");
        let plain = "name = \"x\"  # a comment\n[[bots]]\nname = \"a\"\n";
        assert_eq!(for_everybody(plain, Path::new("/home/ann")), plain);
        assert_eq!(for_everybody("no toml", Path::new("/")), "");
    }

    #[test]
    fn paths_tell_nothing_of_the_machine() {
        let file = "[[bots]]\ndir = \"/home/ann/cup\"\nread = [\"/home/ann/cup/data\", \"/opt/tables\", \"near\"]\n\n\
                    [[bots]]\ndir = \"/home/ann\"\n";
        let table: toml::Table = for_everybody(file, Path::new("/home/ann")).parse().unwrap();
        let read: Vec<&str> =
            table["bots"][0]["read"].as_array().unwrap().iter().filter_map(|path| path.as_str()).collect();
        assert_eq!((table["bots"][0]["dir"].as_str(), read), (Some("./cup"), vec!["./cup/data", "…/tables", "near"]));
        assert_eq!(table["bots"][1]["dir"].as_str(), Some("."));
    }
}
