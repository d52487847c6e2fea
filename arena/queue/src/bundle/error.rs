//! Why a bot cannot travel, what it may miss where it arrives, and why it cannot be unpacked there.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::archive::BadArchive;
use super::manifest::BadManifest;
use super::{IGNORE, LIMITS, Limits};

/// Something that a bot may miss on another machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// A virtual environment is left out.
    #[error(
        "{}: this virtual environment of one machine is left out; workers must have the packages that the bot needs",
        .0.display()
    )]
    Environment(PathBuf),
    /// A link that leads nowhere is left out.
    #[error("{}: this link leads nowhere, and is left out", .0.display())]
    Dangling(PathBuf),
    /// A link to what no bot may read is left out.
    #[error("{}: this link leads to what no bot may read, and is left out", .0.display())]
    Hidden(PathBuf),
    /// Something is left out that is no file, folder or link.
    #[error("{}: this is no file, folder or link, and is left out", .0.display())]
    Special(PathBuf),
    /// A word or a variable holds a path of this machine.
    #[error("{holder} holds the path {}, which workers do not have: write it relative to the bot's folder", .path.display())]
    Path { holder: String, path: PathBuf },
}

/// Why a program cannot travel.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// A file or folder cannot be read.
    #[error("cannot pack {}: {why}", .path.display())]
    Io { path: PathBuf, why: io::Error },
    /// A folder cannot be read.
    #[error("cannot pack {}: {why}", .path.display())]
    Walk { path: PathBuf, why: ignore::Error },
    /// Something belongs to an installation.
    #[error(
        "{} belongs to {}, an installation of this machine, which does not travel: name an interpreter that every worker has on \
         its PATH (such as python3), or put what the bot needs into the container image of the workers",
        .path.display(), .installation.display()
    )]
    Installed { path: PathBuf, installation: PathBuf },
    /// A script names an interpreter of this machine.
    #[error(
        "the first line of {} names {}, which workers may not have: write #!/usr/bin/env and the interpreter's name",
        .path.display(), .interpreter.display()
    )]
    Interpreter { path: PathBuf, interpreter: PathBuf },
    /// A folder holds more than one program.
    #[error(
        "{} holds what is not the bot's: move the bot to a folder of its own, and name that as its `dir`",
        .path.display()
    )]
    Shared { path: PathBuf },
    /// The command names what no bot may read.
    #[error("the command names {}, which no bot may read: take it out of the command", .path.display())]
    Hidden { path: PathBuf },
    /// A word would lead elsewhere on another machine.
    #[error(
        "the command names {0:?}, which does not lead to anything that travels with the bot: write a path that begins at the \
         bot's folder"
    )]
    Word(String),
    /// A name that not every machine can have.
    #[error(
        "{path:?} has a name that cannot travel: take UTF-8 without control characters and \\, or list it in {IGNORE}"
    )]
    Name { path: PathBuf },
    /// A link leads to what does not travel.
    #[error(
        "the link {} leads to {}, which does not travel: remove the link, list it in {IGNORE}, or name what it leads to in \
         `read`",
        .path.display(), .to.display()
    )]
    Link { path: PathBuf, to: PathBuf },
    /// There is too much.
    #[error(
        "what travels with the bot of {} is too much: {entries} files and folders of {}, and the most are {} of {}. Give the bot \
         a folder of its own, or list what it does not need in {IGNORE}. The biggest: {biggest}",
        .dir.display(), Size(*.size), .limits.entries, Size(.limits.unpacked)
    )]
    TooBig { dir: PathBuf, size: u64, entries: usize, limits: Limits, biggest: Big },
    /// The archive is too large.
    #[error(
        "what travels with the bot of {} is more than {} when packed. List what it does not need in {IGNORE}. The biggest: \
         {biggest}",
        .dir.display(), Size(.limits.packed)
    )]
    TooLong { dir: PathBuf, limits: Limits, biggest: Big },
    /// The command or the environment cannot travel.
    #[error("the bot cannot travel: {0}")]
    Manifest(#[from] BadManifest),
}

/// The biggest files and folders, with their bytes and how many they are.
#[derive(Debug)]
pub struct Big(pub Vec<(String, u64, usize)>);

struct Size(u64);

impl fmt::Display for Big {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, size, count)) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let files = if *count == 1 { String::new() } else { format!(", {count} files and folders") };
            write!(f, "{comma}{name} ({}{files})", Size(*size))?;
        }
        Ok(())
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            size if size < 1 << 20 => write!(f, "{} KiB", size.div_ceil(1 << 10)),
            size => write!(f, "{} MiB", size >> 20),
        }
    }
}

/// Why a bundle cannot be unpacked.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// A file or folder cannot be read or written.
    #[error("cannot unpack a bot at {}: {why}", .path.display())]
    Io { path: PathBuf, why: io::Error },
    /// That is no hash.
    #[error("{0:?} is no SHA-256 in hexadecimal digits, so no bundle has that name")]
    NoHash(String),
    /// What came is not what was announced.
    #[error("the bundle {expected} is damaged: what came has the SHA-256 {found}; fetch it again")]
    Damaged { expected: String, found: String },
    /// It is longer than any bundle.
    #[error("the bundle {sha256} is longer than {} MiB, the most that one may have", LIMITS.packed >> 20)]
    TooLong { sha256: String },
    /// What lies in the cache is not what was unpacked there, and another worker uses it.
    #[error("{} has changed since it was unpacked, and another worker uses it: stop that, and start anew", .0.display())]
    Changed(PathBuf),
    /// The archive is refused.
    #[error("the bundle is refused: {0}")]
    Archive(#[from] BadArchive),
}

impl From<BadManifest> for UnpackError {
    fn from(bad: BadManifest) -> Self {
        BadArchive::from(bad).into()
    }
}

/// What went wrong there.
pub fn at(path: &Path) -> impl FnOnce(io::Error) -> UnpackError + use<> {
    let path = path.to_path_buf();
    move |why| UnpackError::Io { path, why }
}
