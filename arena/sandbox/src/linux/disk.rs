//! Tracks a bot's use of disk space and files. Usage is counted when the free space has shrunk a lot, and also periodically, because other
//! programs may have freed as much.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arena_protocol::fault::Excess;
use nix::sys::statvfs::statvfs;

/// Divisors of the free and of the total space (or number of files). A bot may use the larger of the two quotients.
const SHARES: [u64; 2] = [4, 32];
/// Maximum write speed of a bot, in bytes per second.
const MAX_BYTES_PER_SECOND: u64 = 4 << 30;
/// Maximum number of files of a bot, including folders.
const MAX_FILES: u64 = 200_000;
/// Minimum size of an entry, in bytes.
const MIN_ENTRY_BYTES: u64 = 4_096;
/// A file system with no more free space and files than this counts as full.
const FULL_ROOM: Room = Room {
    bytes: 1 << 20,
    files: 64,
};
/// Time after the disk was full during which failures are not blamed on bots.
const FULL_GRACE: Duration = Duration::from_secs(1);
/// Maximum time between two counts, unless counting is slow.
const MIN_RECOUNT_INTERVAL: Duration = Duration::from_secs(1);
/// Minimum ratio of the interval between counts to the duration of a count.
const MIN_RECOUNT_RATIO: u32 = 50;
/// Unit of file sizes on disk, in bytes.
const BLOCK_BYTES: u64 = 512;

/// A bot's disk usage.
pub struct Disk {
    folders: Vec<PathBuf>,
    most: Room,
    /// Free space at the last count.
    free: Room,
    /// Time of the next unconditional recount.
    next: Instant,
    /// Time when the file system was last found full.
    full: Option<Instant>,
}

/// Part of a file system.
#[derive(Clone, Copy, Default)]
struct Room {
    bytes: u64,
    files: u64,
}

impl Disk {
    /// Starts tracking with nothing written, and a limit in MiB.
    pub fn new(folders: Vec<PathBuf>, most_mb: u64) -> Self {
        let (free, all) = room(&folders[0]);
        let part = |free: u64, all: u64| (free / SHARES[0]).max(all / SHARES[1]);
        let bytes = most_mb
            .saturating_mul(1 << 20)
            .min(part(free.bytes, all.bytes));
        // Some file systems have no limit on the number of files.
        let files = if all.files == 0 {
            MAX_FILES
        } else {
            MAX_FILES.min(part(free.files, all.files))
        };
        Self {
            folders,
            most: Room { bytes, files },
            free,
            next: Instant::now() + MIN_RECOUNT_INTERVAL,
            full: None,
        }
    }

    /// Returns how long it takes at least until a bot can have filled the free space.
    pub fn pace(&self) -> Duration {
        let free = u32::try_from(self.free.bytes >> 20).unwrap_or(u32::MAX);
        Duration::from_secs(1) * free / (MAX_BYTES_PER_SECOND >> 20) as u32
    }

    /// Returns true if the file system was full within the last second.
    pub fn was_full(&self) -> bool {
        self.full.is_some_and(|at| at.elapsed() < FULL_GRACE)
    }

    /// Returns the limit that the bot exceeds, if any. Its folders count, and so do deleted files that its processes have open or mapped.
    pub fn exceeded(&mut self, processes: impl Iterator<Item = u32>) -> Option<Excess> {
        let began = Instant::now();
        let (free, all) = room(&self.folders[0]);
        if free.bytes < FULL_ROOM.bytes || free.files < FULL_ROOM.files && all.files > 0 {
            self.full = Some(Instant::now());
        }
        let Room { bytes, files } = self.most;
        let is_same =
            free.bytes + bytes / 2 > self.free.bytes && free.files + files / 2 >= self.free.files;
        if is_same && began < self.next {
            return None;
        }
        let mut found = Room::default();
        self.folders
            .iter()
            .for_each(|folder| found.add_folder(folder, self.most));
        found.bytes += unnamed(processes);
        self.next = Instant::now() + MIN_RECOUNT_INTERVAL.max(began.elapsed() * MIN_RECOUNT_RATIO);
        // Subtract what other programs use now, so that it does not trigger another count.
        self.free.bytes = free.bytes + found.bytes.min(bytes / 2);
        self.free.files = free.files + found.files.min(files / 2);
        let too_large = (found.bytes > bytes).then_some(Excess::Disk(bytes >> 20));
        too_large.or((found.files > files).then_some(Excess::Files(files)))
    }
}

/// Returns the free and the total space of a file system.
fn room(folder: &Path) -> (Room, Room) {
    let Ok(about) = statvfs(folder) else {
        return Default::default();
    };
    let room = |blocks: u64, files| Room {
        bytes: blocks.saturating_mul(about.fragment_size()),
        files,
    };
    (
        room(about.blocks_available(), about.files_available()),
        room(about.blocks(), about.files()),
    )
}

impl Room {
    /// Adds the space used by a folder and its content. Stops counting once the total exceeds `enough`.
    fn add_folder(&mut self, folder: &Path, enough: Self) {
        let mut waiting = vec![folder.to_path_buf()];
        while let Some(dir) = waiting.pop() {
            for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
                let Ok(about) = entry.metadata() else {
                    continue;
                };
                self.bytes += MIN_ENTRY_BYTES.max(about.blocks() * BLOCK_BYTES);
                self.files += 1;
                if self.bytes > enough.bytes || self.files > enough.files {
                    return;
                }
                if about.is_dir() {
                    waiting.push(entry.path());
                }
            }
        }
    }
}

/// Returns the size in bytes of deleted files that processes have open or, as far as visible, mapped.
fn unnamed(processes: impl Iterator<Item = u32>) -> u64 {
    let folders = processes
        .flat_map(|process| ["fd", "map_files"].map(|folder| format!("/proc/{process}/{folder}")));
    let open = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let files = open.filter_map(|entry| fs::metadata(entry.path()).ok());
    let deleted = files.filter(|about| about.is_file() && about.nlink() == 0);
    let sizes: BTreeMap<_, _> = deleted
        .map(|about| ((about.dev(), about.ino()), about.blocks() * BLOCK_BYTES))
        .collect();
    sizes.values().sum()
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;

    #[test]
    fn what_is_written_while_others_free_as_much_is_counted_in_time() {
        let (own, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = others.path().join("large");
        fs::write(&file, vec![1; 8 << 20]).unwrap();
        let mut disk = Disk::new(vec![own.path().to_path_buf(); 3], 1);
        fs::remove_file(&file).unwrap();
        fs::write(own.path().join("small"), vec![1; 4 << 20]).unwrap();
        disk.next = Instant::now();
        assert_eq!(disk.exceeded(iter::empty()), Some(Excess::Disk(1)));
    }
}
