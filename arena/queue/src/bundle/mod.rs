//! Bundles: the files of a program in one archive, by which a bot travels to the machine that plays it.
//!
//! An archive is a tar file compressed with zstd: first the manifest, then a tree in which the program's folder, what its
//! command names and what `read` adds lie to each other as they did. The same files give the same archive, to the byte.

mod listing;
mod manifest;
mod names;
mod own;
mod pack;
mod secrets;
mod tree;
mod unpack;

#[cfg(test)]
mod tests;

pub use self::pack::{Bundle, of_spec};
pub use self::unpack::{Unpacked, cached, private, unpack};

/// The file in which a folder lists what does not travel, in the syntax of `.gitignore`.
pub const IGNORE: &str = ".arenaignore";
/// The limits of a bundle.
pub const LIMITS: Limits = Limits {
    packed: 64 << 20,
    unpacked: 512 << 20,
    entries: 50_000,
};
/// The most bytes of the archives in a cache.
pub const CACHE: u64 = 2 << 30;

/// How much a bundle may hold.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes of the archive.
    pub packed: usize,
    /// The most bytes of all files in it.
    pub unpacked: u64,
    /// The most files, folders and links.
    pub entries: usize,
}
