//! Finds the executable of a command, or the reason why it cannot be started.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use arena_tournament::entrant::Program;

use crate::access;

/// Finds the executable of a program's command. The error is the reason why the program cannot be started.
pub fn find(program: &Program) -> Result<PathBuf, String> {
    let name = &program.command[0];
    if !program.dir.is_dir() {
        return Err(format!("there is no folder {}", program.dir.display()));
    }
    if program.dir.to_str().is_none() {
        return Err(format!(
            "the name of its folder {} is not UTF-8: rename it",
            program.dir.display()
        ));
    }
    let in_dir = || Some(program.dir.join(name)).filter(|path| path.is_file());
    match if access::is_path(name) {
        in_dir()
    } else {
        access::on_path(name)
    } {
        Some(path) if is_executable(&path) && has_windows_line_ending(&path) => Err(format!(
            "{name} has Windows line endings; its first line ends in \\r: convert it (dos2unix {name}, or sed -i 's/\\r$//' {name})"
        )),
        Some(path) if is_executable(&path) => Ok(path),
        Some(_) => Err(format!(
            "{name} is not executable: chmod +x {name}, or name its interpreter first"
        )),
        None => Err(format!("there is no program {name}")),
    }
}

/// Returns true if the shebang line of a script ends with a carriage return. The system cannot find the interpreter of such a script.
fn has_windows_line_ending(path: &Path) -> bool {
    let mut line = Vec::new();
    let read = File::open(path)
        .and_then(|file| BufReader::new(file.take(256)).read_until(b'\n', &mut line));
    read.is_ok() && line.starts_with(b"#!") && line.ends_with(b"\r\n")
}

/// Returns true if somebody may execute the file.
pub fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|about| about.permissions().mode() & 0o111 != 0)
}
