//! Unpacking a program that came from another machine.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::archive::{self, BadArchive, Content};
use super::cache::{self, ARCHIVE, Unpacked};
use super::manifest::{BadManifest, TREE};
use super::pack::hex;
use super::{CACHE, LIMITS, Limits};

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

/// Unpacks an archive whose hash is known into a cache, unless it is there already. Bundles that were not used for long make
/// room.
pub fn unpack(archive: impl Read, cache_dir: &Path, sha256: &str) -> Result<Unpacked, UnpackError> {
    let unpacked = unpack_within(archive, cache_dir, sha256, &LIMITS)?;
    cache::evict(cache_dir, CACHE)?;
    Ok(unpacked)
}

/// Unpacks an archive within these limits.
pub fn unpack_within(
    archive: impl Read,
    cache_dir: &Path,
    sha256: &str,
    limits: &Limits,
) -> Result<Unpacked, UnpackError> {
    if let Some(there) = cache::cached(cache_dir, sha256)? {
        return Ok(there);
    }
    fs::create_dir_all(cache_dir).map_err(at(cache_dir))?;
    let staging = tempfile::Builder::new().prefix(cache::UNFINISHED).tempdir_in(cache_dir).map_err(at(cache_dir))?;
    let file = receive(archive, &staging.path().join(ARCHIVE), sha256, limits)?;
    let tree = staging.path().join(TREE);
    let manifest = archive::read(file, limits, |name, content| write(&tree, name, content))?;
    let real = fs::canonicalize(&tree).map_err(at(&tree))?;
    manifest.check_in(&real)?;
    for_everybody(staging.path(), 0o755).map_err(at(staging.path()))?;
    let home = cache_dir.join(sha256);
    // Another worker may have been faster.
    let renamed = fs::rename(staging.path(), &home);
    let there = cache::cached(cache_dir, sha256)?;
    let lost = || io::Error::other("what was unpacked is gone or changed");
    there.ok_or_else(|| at(&home)(renamed.err().unwrap_or_else(lost)))
}

/// What went wrong there.
pub fn at(path: &Path) -> impl FnOnce(io::Error) -> UnpackError + use<> {
    let path = path.to_path_buf();
    move |why| UnpackError::Io { path, why }
}

/// Writes what comes into a file, and returns that if it is what was announced.
fn receive(archive: impl Read, path: &Path, sha256: &str, limits: &Limits) -> Result<File, UnpackError> {
    let mut file = File::create_new(path).map_err(at(path))?;
    let length = io::copy(&mut archive.take(limits.packed + 1), &mut file).map_err(at(path))?;
    if length > limits.packed {
        return Err(UnpackError::TooLong { sha256: sha256.to_owned() });
    }
    drop(file);
    let mut file = File::open(path).map_err(at(path))?;
    let found = hash(&mut file).map_err(at(path))?;
    if found != sha256 {
        return Err(UnpackError::Damaged { expected: sha256.to_owned(), found });
    }
    Ok(file)
}

/// The hash of a file, which is then at its beginning again.
pub fn hash(file: &mut File) -> io::Result<String> {
    let (mut sum, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    file.rewind()?;
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => sum.update(&buffer[..read]),
        }
    }
    file.rewind()?;
    Ok(hex(&sum.finalize()))
}

/// Writes an entry of the archive, where nothing may be yet.
fn write(tree: &Path, name: &str, content: Content<'_>) -> Result<(), UnpackError> {
    let path = if name.is_empty() { tree.to_path_buf() } else { tree.join(name) };
    let written = match content {
        Content::Folder => fs::create_dir(&path).and_then(|()| for_everybody(&path, 0o755)),
        Content::File { executable, content } => File::create_new(&path).and_then(|mut file| {
            io::copy(content, &mut file)?;
            file.flush()?;
            for_everybody(&path, if executable { 0o755 } else { 0o644 })
        }),
        Content::Link { to } => link(to, &path),
    };
    written.map_err(at(&path))
}

#[cfg(unix)]
fn link(to: &str, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, path)
}

#[cfg(not(unix))]
fn link(_: &str, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Lets bots that have users of their own read it, whatever the arena's user keeps for itself otherwise.
#[cfg(unix)]
fn for_everybody(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn for_everybody(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}
