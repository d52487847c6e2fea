//! Keys that let their holders in.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, ensure};
use arena_config::seed;

/// The shortest key that a file may hold.
const SHORTEST: usize = 16;

/// A key that nobody can guess: 128 bits in hexadecimal digits.
pub fn new() -> anyhow::Result<String> {
    seed::key().context("the system has no random numbers")
}

/// The key in a file, which is made with a new one if it is missing.
pub fn kept(file: &Path) -> anyhow::Result<String> {
    let shown = file.display();
    match private(file) {
        Ok(mut made) => {
            let key = new()?;
            made.write_all(key.as_bytes())
                .with_context(|| format!("cannot write {shown}"))?;
            Ok(key)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let text = fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
            let key = text.trim();
            let is_key =
                key.len() >= SHORTEST && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
            ensure!(
                is_key,
                "{shown} holds no token: at least {SHORTEST} letters and digits. Remove it, and a new one is made"
            );
            Ok(key.to_owned())
        }
        Err(error) => Err(error).with_context(|| format!("cannot make {shown}")),
    }
}

/// Makes a file that only its owner can read.
pub fn private(file: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
}
