//! Secret keys that grant access to their holders.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, ensure};
use arena_config::seed;

/// Minimum length of a key in a file, in characters.
const MIN_KEY_CHARS: usize = 16;

/// Returns a random key of 128 bits, in hexadecimal digits.
pub fn new() -> anyhow::Result<String> {
    seed::key().context("the system has no random numbers")
}

/// Returns the key in a file. Creates the file with a new key if it is missing.
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
                key.len() >= MIN_KEY_CHARS && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
            ensure!(
                is_key,
                "{shown} holds no token: at least {MIN_KEY_CHARS} letters and digits. Remove it, and a new one is made"
            );
            Ok(key.to_owned())
        }
        Err(error) => Err(error).with_context(|| format!("cannot make {shown}")),
    }
}

/// Creates a file that only its owner can read.
pub fn private(file: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
}
