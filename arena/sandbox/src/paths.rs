//! Resolves paths from tournament files.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Returns a path without `.` and `..`. Links are followed only up to the last `..`.
pub fn resolved(path: &Path) -> PathBuf {
    let parts: Vec<Component<'_>> = path.components().collect();
    let after = parts
        .iter()
        .rposition(|part| *part == Component::ParentDir)
        .map_or(0, |last| last + 1);
    let (up, rest) = parts.split_at(after);
    let up: PathBuf = up.iter().collect();
    let real = if after == 0 {
        Ok(up)
    } else {
        fs::canonicalize(up)
    };
    real.map_or_else(
        |_| path.to_path_buf(),
        |real| {
            rest.iter()
                .filter(|part| **part != Component::CurDir)
                .fold(real, |path, part| path.join(part))
        },
    )
}
