//! Requests of a tournament for less than the default protection. They count only if whoever runs it trusts its author.

use std::path::Path;

use arena_config::diagnostic::{At, Diagnostic, UsageError};
use arena_config::read::TRUST_HELP;
use arena_sandbox::requests;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;

/// The keys that ask for anything, with the bot if one asks, and their meanings. Each program's paths may lie in a folder, by default
/// its own.
fn requests(spec: &Spec, home: Option<&Path>) -> Vec<(String, String)> {
    let programs = spec.bots.iter().filter_map(|bot| {
        let program = bot.program()?;
        let name = format!("{}: ", clean(&bot.name));
        Some((name, program, home.unwrap_or(&program.dir)))
    });
    requests::all(spec.conditions.isolation, spec.local.as_root, programs)
}

/// Refuses a tournament from a folder that asks for anything.
pub fn check(spec: &Spec, home: &Path) -> Result<(), UsageError> {
    let asked = requests(spec, Some(home)).into_iter();
    let asked: Vec<Diagnostic> = asked
        .map(|(key, what)| Diagnostic::new(At::Nowhere, format!("{key}: {what}"), TRUST_HELP))
        .collect();
    if asked.is_empty() {
        Ok(())
    } else {
        Err(UsageError::all(None, asked))
    }
}

/// The end of a command that goes on with the tournament in a folder.
pub fn flag(spec: &Spec, dir: &Path) -> &'static str {
    if requests(spec, Some(dir)).is_empty() {
        ""
    } else {
        " --trust"
    }
}

/// All that is allowed beyond the default, in a line.
pub fn allowed(spec: &Spec) -> Option<String> {
    let keys: Vec<String> = requests(spec, None)
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    (!keys.is_empty()).then(|| format!("allowed    {}", keys.join("; ")))
}
