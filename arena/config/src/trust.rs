//! Requests of a tournament for less than the default protection. They count only if whoever runs it trusts its author.

use std::fs;
use std::path::Path;

use arena_sandbox::access;
use arena_tournament::entrant::Program;
use arena_tournament::printable::clean;
use arena_tournament::spec::{Isolation, Spec};

use super::diagnostic::{At, Diagnostic, UsageError};

/// The way to let it count.
pub const HELP: &str = "if you trust whoever wrote this file, add --trust";

/// The isolation, if the default gives a better one here.
fn lower_isolation(isolation: Isolation) -> Option<&'static str> {
    let has_better =
        || arena_sandbox::available().is_ok_and(|available| available.bubblewrap.is_ok());
    match isolation {
        Isolation::Off => Some("bots are not isolated: they may do what you may"),
        Isolation::Landlock if has_better() => {
            Some("bots are isolated less well than this machine can")
        }
        _ => None,
    }
}

/// The keys that open more to a program than its folder and the system, each with its meaning. Paths may lie in `home`, and what may be
/// read also in the program's folder.
pub fn of_program(program: &Program, home: &Path) -> Vec<(String, String)> {
    let shown = |path: &Path| clean(&path.display().to_string());
    let mut asked: Vec<(String, String)> = Vec::new();
    let mut ask = |key: &str, what: String| asked.push((key.into(), what));
    if program.network {
        ask("network", "the network is open to it".into());
    }
    if program.build_network {
        ask("build_network", "the network is open to its build".into());
    }
    if !program.pass_env.is_empty() {
        let names = clean(&program.pass_env.join(", "));
        ask(
            "pass_env",
            format!("it is passed variables of yours: {names}"),
        );
    }
    for (number, path) in program.read.iter().enumerate() {
        if !is_within(path, &[home, &program.dir]) {
            let key = format!("read.{number}");
            ask(&key, format!("it may read {}", shown(path)));
        }
    }
    if let Some(path) = &program.cache
        && !is_within(path, &[home])
    {
        ask("cache", format!("it may write to {}", shown(path)));
    }
    asked
}

/// True for what really lies in one of these folders, or else in the system. Links are followed.
fn is_within(path: &Path, folders: &[&Path]) -> bool {
    let real = |path: &Path| {
        let there = path
            .ancestors()
            .find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
        there.map_or(path.to_path_buf(), |(above, real)| {
            real.join(path.strip_prefix(above).unwrap_or(path))
        })
    };
    let path = real(path);
    access::is_of_system(&path) || folders.iter().any(|folder| path.starts_with(real(folder)))
}

/// The keys of the tournament itself that lower the protection, each with its meaning.
pub fn of_tournament(spec: &Spec) -> Vec<(String, String)> {
    let isolation =
        lower_isolation(spec.conditions.isolation).map(|what| ("isolation".into(), what.into()));
    let as_root = spec.local.as_root;
    let as_root = as_root.then(|| ("as_root".into(), "bots may run as root".into()));
    isolation.into_iter().chain(as_root).collect()
}

/// All that a tournament asks for: keys, with the bot if one asks, and their meanings. Each program's paths may lie in a folder.
fn requests<'a>(spec: &'a Spec, home: impl Fn(&'a Program) -> &'a Path) -> Vec<(String, String)> {
    let mut asked = of_tournament(spec);
    for bot in &spec.bots {
        if let Some(program) = bot.program() {
            let of_program = of_program(program, home(program)).into_iter();
            let name = clean(&bot.name);
            asked.extend(of_program.map(|(key, what)| (format!("{name}: {key}"), what)));
        }
    }
    asked
}

/// Refuses a tournament from a folder that asks for anything.
pub fn check(spec: &Spec, home: &Path) -> Result<(), UsageError> {
    let asked = requests(spec, |_| home).into_iter();
    let asked: Vec<Diagnostic> = asked
        .map(|(key, what)| Diagnostic::new(&At::Nowhere, format!("{key}: {what}"), HELP))
        .collect();
    if asked.is_empty() {
        Ok(())
    } else {
        Err(UsageError::all(None, asked))
    }
}

/// The end of a command that goes on with the tournament in a folder.
pub fn flag(spec: &Spec, dir: &Path) -> &'static str {
    if requests(spec, |_| dir).is_empty() {
        ""
    } else {
        " --trust"
    }
}

/// All that is allowed beyond the default, in a line.
pub fn allowed(spec: &Spec) -> Option<String> {
    let all = requests(spec, |program| &program.dir).into_iter();
    let all: Vec<String> = all.map(|(key, _)| key).collect();
    (!all.is_empty()).then(|| format!("allowed    {}", all.join("; ")))
}
