//! SHA-256 hashes in hexadecimal.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a file in hexadecimal.
pub fn of_file(path: &Path) -> io::Result<String> {
    of_reader(File::open(path)?)
}

/// Returns the SHA-256 of everything read, in hexadecimal.
pub fn of_reader(mut content: impl Read) -> io::Result<String> {
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

/// Returns the hexadecimal digits of a hash.
pub fn hexadecimal(sum: Sha256) -> String {
    sum.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
