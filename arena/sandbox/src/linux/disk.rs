//! The disk space that a bot takes, counted only when the free space has shrunk a lot.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::statvfs::statvfs;

/// One bot may fill the greater of these fractions: of the free space, and of all space.
const SHARES: [u64; 2] = [4, 32];
/// The most that a bot can write in a second, in bytes.
const FASTEST: u64 = 4 << 30;
/// The most entries that are counted; more of them exceed the limit.
const MOST_ENTRIES: usize = 200_000;
/// The least size of an entry, in bytes.
const ENTRY: u64 = 4_096;
/// The unit of the sizes of files on disk, in bytes.
const BLOCK: u64 = 512;

/// The disk space of a bot.
pub struct Disk {
    folders: Vec<PathBuf>,
    most: u64,
    /// The free space when the bot's was last counted.
    free: u64,
}

impl Disk {
    /// Nothing is written yet; at most this many MiB may be.
    pub fn new(folders: Vec<PathBuf>, most_mb: u64) -> Self {
        let (free, all) = folders.first().map_or((0, 0), |folder| room(folder));
        let most = most_mb.saturating_mul(1 << 20).min((free / SHARES[0]).max(all / SHARES[1]));
        Self { folders, most, free }
    }

    /// The time in which a bot cannot fill the free space.
    pub fn pace(&self) -> Duration {
        Duration::from_secs(1) * u32::try_from(self.free >> 20).unwrap_or(u32::MAX) / (FASTEST >> 20) as u32
    }

    /// The limit, in MiB, if the bot exceeds it: in its folders, and in open files of its processes that were deleted.
    pub fn exceeded(&mut self, processes: impl Iterator<Item = u32>) -> Option<u64> {
        let (free, _) = self.folders.first().map_or((0, 0), |folder| room(folder));
        if free + self.most / 2 > self.free {
            return None;
        }
        let mut found = self.folders.iter().map(|folder| taken(folder, self.most)).sum::<u64>();
        found += processes.map(unnamed).sum::<u64>();
        // What others take is not counted again and again.
        self.free = free + found.min(self.most / 2);
        (found > self.most).then_some(self.most >> 20)
    }
}

/// The free space of a file system, and its size, in bytes.
fn room(folder: &Path) -> (u64, u64) {
    let bytes = |blocks: u64, unit: u64| blocks.saturating_mul(unit);
    statvfs(folder).map_or((0, 0), |about| {
        (bytes(about.blocks_available(), about.fragment_size()), bytes(about.blocks(), about.fragment_size()))
    })
}

/// The space that a folder takes with all that is in it, in bytes; counting stops beyond `enough`.
fn taken(folder: &Path, enough: u64) -> u64 {
    let (mut sum, mut entries, mut waiting) = (0, 0, vec![folder.to_path_buf()]);
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else { continue };
            (sum, entries) = (sum + ENTRY.max(about.blocks() * BLOCK), entries + 1);
            if sum > enough || entries > MOST_ENTRIES {
                return enough + 1;
            }
            if about.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    sum
}

/// The space of the open files of a process that were deleted, in bytes.
fn unnamed(process: u32) -> u64 {
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let files = open.filter_map(|entry| fs::metadata(entry.path()).ok());
    files.filter(|about| about.is_file() && about.nlink() == 0).map(|about| about.blocks() * BLOCK).sum()
}
