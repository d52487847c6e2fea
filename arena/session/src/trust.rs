//! Finds a tournament's requests for less than the default protection, which are granted only if its author is trusted.

use std::path::Path;

use arena_config::diagnostic::{At, Diagnostic, UsageError};
use arena_config::read::TRUST_HELP;
use arena_sandbox::requests;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;

/// Returns the keys that lower the protection, with the name of the bot, and the meaning of each. Programs may use paths in `home`, or in
/// their own folder if there is no `home`.
fn requests(spec: &Spec, home: Option<&Path>) -> Vec<(String, String)> {
    let programs = spec.bots.iter().filter_map(|bot| {
        let program = bot.program()?;
        let name = format!("{}: ", clean(&bot.name));
        Some((name, program, home.unwrap_or(&program.dir)))
    });
    requests::all(spec.conditions.isolation, spec.local.as_root, programs)
}

/// Refuses a tournament from a folder that requests less than the default protection.
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

/// Returns the flag that a command needs to continue the tournament in a folder.
pub fn flag(spec: &Spec, dir: &Path) -> &'static str {
    if requests(spec, Some(dir)).is_empty() {
        ""
    } else {
        " --trust"
    }
}

/// Describes everything allowed beyond the default, one line each.
pub fn allowed(spec: &Spec) -> Vec<String> {
    let asked = requests(spec, None).into_iter();
    asked
        .map(|(key, what)| format!("allowed    {key}: {what}"))
        .collect()
}
