//! The number of saved matches, kept in a file next to the ledger, because SQLite silently drops the end of a damaged WAL.
//!
//! The number is written after each transaction, so the number left by a killed process is never too high.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek, Write};
use std::path::Path;

/// Name of the file in the folder.
pub const FILE: &str = "ledger.saved";

/// The file, held by the process that writes to the ledger.
#[derive(Debug)]
pub struct Saved {
    file: File,
    /// The number in the file.
    pub count: u64,
}

impl Saved {
    /// Opens the file of a folder. A damaged file counts as 0.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let file = File::options()
            .create(true)
            .write(true)
            .truncate(false)
            .open(folder.join(FILE))?;
        Ok(Self {
            file,
            count: read(folder).unwrap_or(0),
        })
    }

    /// Writes a new number. If writing fails, the file claims fewer matches than there are.
    pub fn set(&mut self, count: u64) {
        self.count = count;
        let _ = self
            .file
            .rewind()
            .and_then(|()| self.file.write_all(line(count).as_bytes()));
    }
}

/// Returns the number in a folder's file; 0 if there is no file, and `None` if it is damaged.
pub fn read(folder: &Path) -> Option<u64> {
    match fs::read_to_string(folder.join(FILE)) {
        Ok(text) if text.is_empty() => Some(0),
        Ok(text) => text
            .split(' ')
            .next()?
            .parse()
            .ok()
            .filter(|count| line(*count) == text),
        Err(error) => (error.kind() == ErrorKind::NotFound).then_some(0),
    }
}

/// Returns the content of the file, which always has the same length.
fn line(count: u64) -> String {
    let digits = format!("{count:020}");
    format!("{digits} {:08x}\n", crc32fast::hash(digits.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_number_is_known_as_such() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()), Some(0));
        let mut saved = Saved::open(folder.path()).unwrap();
        for count in [u64::MAX, 7, 800] {
            saved.set(count);
            assert_eq!(read(folder.path()), Some(count));
        }
        let path = folder.path().join(FILE);
        let whole = fs::read(&path).unwrap();
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, damaged).unwrap();
            assert_eq!(read(folder.path()), None, "bit {bit}");
        }
    }
}
