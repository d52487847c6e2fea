//! Crashes of bots that cost no match, kept in a file next to the ledger. They are not part of the results, because their number depends on
//! the number of processes.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context;
use arena_runner::starts::{Crashes, Starts};
use arena_tournament::spec::Spec;

use crate::replace::replace;

/// The name of the file in the folder.
pub const FILE: &str = "crashes.json";

/// Returns the crashes of the tournament in a folder, by bot name.
pub fn read(dir: &Path) -> anyhow::Result<BTreeMap<String, Crashes>> {
    let path = dir.join(FILE);
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).with_context(|| path.display().to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// Adds the crashes of a run to those in the folder.
pub fn write(dir: &Path, spec: &Spec, starts: &Starts) -> anyhow::Result<()> {
    let found = starts.take_crashes();
    if found.is_empty() {
        return Ok(());
    }
    // Start over if the file is damaged.
    let mut all = read(dir).unwrap_or_default();
    for (bot, crashes) in found {
        all.entry(spec.bots[bot].name.clone())
            .or_default()
            .add(crashes);
    }
    replace(&dir.join(FILE), &serde_json::to_string(&all)?)
}
