//! Unpacking a program that came from another machine.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use super::archive::{self, Content};
use super::cache::{self, ARCHIVE, Unpacked, hash};
use super::error::{UnpackError, at};
use super::manifest::TREE;
use super::{CACHE, LIMITS, Limits};

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
