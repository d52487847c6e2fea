//! Reading and hashing files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// Build command of a class's bot that needs no build.
pub const NOTHING: &str = "true";
/// The most bytes of a file that is read as one text.
const MOST_TEXT: u64 = 1 << 20;

/// The text of a file that is not large, and no link.
pub fn small_text(path: &Path) -> io::Result<String> {
    if path.is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    let mut text = String::new();
    open(path)?.take(MOST_TEXT).read_to_string(&mut text)?;
    Ok(text)
}

/// Opens a file, but neither a folder nor a pipe or device, which may have no end, unless a shell or the user put it there.
pub fn open(path: &Path) -> io::Result<File> {
    let is_given = ["/dev/fd", "/dev/stdin"]
        .iter()
        .any(|given| path.starts_with(given));
    let is_file = is_given || fs::metadata(path)?.is_file();
    if is_file {
        File::open(path)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// The SHA-256 of a file, in hexadecimal digits.
pub fn hash(path: &Path) -> io::Result<String> {
    hash_of(File::open(path)?)
}

/// The SHA-256 of what can be read, in hexadecimal digits.
pub fn hash_of(mut content: impl Read) -> io::Result<String> {
    let mut sum = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match content.read(&mut buffer)? {
            0 => break,
            read => sum.update(&buffer[..read]),
        }
    }
    Ok(hexadecimal(sum))
}

/// The digits of a hash.
pub fn hexadecimal(sum: Sha256) -> String {
    sum.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
