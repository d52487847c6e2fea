//! Replaces files in one step.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// Replaces a file atomically, because other processes may be reading it, and a kill must not leave a partial file.
pub fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut making = path.as_os_str().to_owned();
    making.push(".new");
    let written = fs::write(&making, text).and_then(|()| fs::rename(&making, path));
    written.with_context(|| path.display().to_string())
}
