//! Finds the settings in a tournament file that lower the default protection.

use std::fs;
use std::path::Path;

use arena_tournament::entrant::Program;
use arena_tournament::printable::clean;
use arena_tournament::spec::Isolation;

use crate::access;

/// Returns the keys that lower the protection, each with an explanation. Keys of a program have its prefix. Paths within the tournament's
/// folder do not lower it, and neither do paths in `read` within the program's own folder.
pub fn all<'a>(
    isolation: Isolation,
    as_root: bool,
    programs: impl Iterator<Item = (String, &'a Program, &'a Path)>,
) -> Vec<(String, String)> {
    let isolation = lower_isolation(isolation).map(|what| ("isolation".into(), what.into()));
    let as_root = as_root.then(|| ("as_root".into(), "bots may run as root".into()));
    let mut asked: Vec<(String, String)> = isolation.into_iter().chain(as_root).collect();
    for (prefix, program, home) in programs {
        let of_program = of_program(program, home).into_iter();
        asked.extend(of_program.map(|(key, what)| (format!("{prefix}{key}"), what)));
    }
    asked
}

/// Returns the drawback of an isolation level if the default would be better on this machine.
fn lower_isolation(isolation: Isolation) -> Option<&'static str> {
    let has_better = || crate::available().is_ok_and(|available| available.bubblewrap.is_ok());
    match isolation {
        Isolation::Off => Some("bots are not isolated: they may do what you may"),
        Isolation::Landlock if has_better() => {
            Some("bots are isolated less well than this machine can")
        }
        _ => None,
    }
}

/// Returns the keys that give a program access beyond its folder and the system.
fn of_program(program: &Program, home: &Path) -> Vec<(String, String)> {
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
        ask("pass_env", format!("it gets variables of yours: {names}"));
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

/// Returns true for a path whose target lies in one of these folders or in the system.
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
