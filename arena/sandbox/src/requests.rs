//! Requests of a tournament file for less than the default protection.

use std::fs;
use std::path::Path;

use arena_tournament::entrant::Program;
use arena_tournament::printable::clean;
use arena_tournament::spec::Isolation;

use crate::access;

/// The keys of a tournament that lower the protection of all its bots, each with its meaning.
pub fn of_tournament(isolation: Isolation, as_root: bool) -> Vec<(String, String)> {
    let isolation = lower_isolation(isolation).map(|what| ("isolation".into(), what.into()));
    let as_root = as_root.then(|| ("as_root".into(), "bots may run as root".into()));
    isolation.into_iter().chain(as_root).collect()
}

/// What an isolation lacks, if the default gives a better one here.
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
