//! Opens a ledger without leaving a trace in its folder.

use std::fs;
use std::io;
use std::path::Path;

use rusqlite::OpenFlags;

use crate::database::{connect, described, present, with_parameters};
use crate::error::LedgerError;
use crate::file::beside;
use crate::ledger::Ledger;
use crate::saved;

impl Ledger {
    /// Opens the folder's ledger without changing or creating any file, even while another process is writing.
    ///
    /// Without a WAL, the ledger is read as a file that does not change. If a run begins meanwhile, reading may fail, and can then be
    /// repeated.
    pub fn open_untouched(folder: &Path) -> Result<Self, LedgerError> {
        let path = present(folder)?;
        let saved = saved::read(folder);
        let [wal, index] = ["-wal", "-shm"].map(|ending| beside(&path, ending));
        let has_wal = fs::metadata(&wal).is_ok_and(|wal| wal.len() > 0);
        let parameters = match index.exists() {
            true => "readonly_shm=1",
            false if has_wal => {
                let why = "it is missing, so the matches beside the ledger cannot be read: copy the whole folder, or run `arena show` on it once";
                return Err(LedgerError::file(&index)(io::Error::other(why)));
            }
            false => "immutable=1",
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let mut connection = connect(&with_parameters(&path, parameters), flags)?;
        let about = described(&mut connection, &path, folder)?;
        Ok(Self::new(connection, about, folder, (saved, None)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arena_tournament::sample;

    use super::*;

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let entry = |entry: io::Result<fs::DirEntry>| {
            let path = entry.unwrap().path();
            (path.display().to_string(), fs::read(&path).unwrap())
        };
        fs::read_dir(folder).unwrap().map(entry).collect()
    }

    #[test]
    fn reading_changes_no_byte_with_or_without_a_wal() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger =
            Ledger::create(folder.path(), &sample::tournament(&["a", "b"], 2, 1)).unwrap();
        ledger.note_pause("a", "quota").unwrap();
        let check = |copied: bool| {
            let copy = tempfile::tempdir().unwrap();
            for (path, bytes) in files(folder.path()) {
                let name = Path::new(&path).file_name().unwrap().to_owned();
                fs::write(copy.path().join(name), bytes).unwrap();
            }
            let before = files(copy.path());
            let read = Ledger::open_untouched(copy.path()).unwrap();
            assert_eq!((read.count().unwrap(), read.pauses().len()), (0, 1));
            drop(read);
            assert_eq!(files(copy.path()), before, "{copied}");
        };
        // This is true while the writer has the ledger open, and after the writer has closed it.
        check(true);
        let read = Ledger::open_untouched(folder.path()).unwrap();
        assert_eq!(read.pauses().len(), 1);
        drop(read);
        ledger.close().unwrap();
        check(false);
    }
}
