//! What a bot has written to its temporary folders, found out only when the file system has lost much room.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::statvfs::statvfs;

/// The part of the free room that one bot may fill, and the least part of all room: what others need must be left.
const SHARES: [u64; 2] = [4, 32];
/// What a bot may write in a second at most, in bytes.
const FASTEST: u64 = 4 << 30;
/// The most entries that are counted; whoever has more has filled enough.
const MOST_ENTRIES: usize = 200_000;
/// What an entry takes at least, in bytes.
const ENTRY: u64 = 4_096;
/// The unit in which files tell what room they take.
const BLOCK: u64 = 512;

/// The room that a bot takes.
pub struct Disk {
    folders: Vec<PathBuf>,
    most: u64,
    /// The free room when the bot's was last counted.
    free: u64,
}

impl Disk {
    /// Nothing written yet; at most so many MiB may be.
    pub fn new(folders: Vec<PathBuf>, most_mb: u64) -> Self {
        let (free, all) = folders.first().map_or((0, 0), |folder| room(folder));
        let most = most_mb.saturating_mul(1 << 20).min((free / SHARES[0]).max(all / SHARES[1]));
        Self { folders, most, free }
    }

    /// The time in which a bot cannot fill what is free.
    pub fn pace(&self) -> Duration {
        Duration::from_secs(1) * u32::try_from(self.free >> 20).unwrap_or(u32::MAX) / (FASTEST >> 20) as u32
    }

    /// What the bot may write, in MiB, if it has written more: in its folders, or in files of its processes that have no name
    /// any more.
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

/// The free room of a file system, and all that it has, in bytes.
fn room(folder: &Path) -> (u64, u64) {
    let bytes = |blocks: u64, unit: u64| blocks.saturating_mul(unit);
    statvfs(folder).map_or((0, 0), |about| {
        (bytes(about.blocks_available(), about.fragment_size()), bytes(about.blocks(), about.fragment_size()))
    })
}

/// The room that a folder takes with all that is in it, in bytes; not much more than `enough` is counted.
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

/// The room that the open files of a process take that have no name, in bytes.
fn unnamed(process: u32) -> u64 {
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let files = open.filter_map(|entry| fs::metadata(entry.path()).ok());
    files.filter(|about| about.is_file() && about.nlink() == 0).map(|about| about.blocks() * BLOCK).sum()
}
