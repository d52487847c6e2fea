//! The interpreters of a worker's machine.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, ensure};
use arena_sandbox::access;
use arena_tournament::entrant::Entrant;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;

/// How long an interpreter may take to print its version.
const VERSION: Duration = Duration::from_secs(5);

/// The interpreters of the bots that this machine must have, each with its version.
pub async fn languages(spec: &Spec) -> Vec<String> {
    let programs = spec.bots.iter().filter_map(Entrant::program);
    // They run without isolation: nothing that a tournament names by its path may.
    let words = programs.filter_map(|program| {
        program
            .command
            .first()
            .filter(|word| !access::is_path(word))
    });
    let mut versions = Vec::new();
    for word in words.collect::<BTreeSet<_>>() {
        versions.push(
            version(word)
                .await
                .unwrap_or_else(|error| format!("{word}: {error}")),
        );
    }
    versions
}

/// The version of a program, in a line.
async fn version(program: &str) -> anyhow::Result<String> {
    let mut command = tokio::process::Command::new(program);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(VERSION, command.output())
        .await
        .context("does not print its version")??;
    let text = if output.stdout.is_empty() {
        &output.stderr
    } else {
        &output.stdout
    };
    let text = String::from_utf8_lossy(text);
    let line = text.lines().next().unwrap_or_default();
    ensure!(
        output.status.success() && !line.is_empty(),
        "does not print its version"
    );
    Ok(clean(line).chars().take(80).collect())
}
