//! The bundles that are unpacked on a machine: each in a folder that is named by its hash, with the archive it came in.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek};
use std::path::Path;
use std::time::{Duration, SystemTime};

use arena_tournament::entrant::Program;
use ignore::WalkBuilder;

use super::LIMITS;
use super::archive::{self, BadArchive, Content};
use super::error::{UnpackError, at};
use super::manifest::{Manifest, TREE};
use super::tree::is_executable;
use arena_config::files;

/// The archive in the folder of a bundle.
pub const ARCHIVE: &str = "archive.tar.zst";
/// How the names of folders begin that are being written or removed.
pub const UNFINISHED: &str = ".unfinished-";
/// How long a folder may be unfinished before whoever made it is taken for dead.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// A program that can be started here.
#[derive(Debug)]
pub struct Unpacked {
    /// The program, with the paths that it has here.
    pub program: Program,
    /// Locked as long as the program is in use, so that it is not removed.
    _in_use: File,
}

/// A bundle that was unpacked before, if nothing of it has changed since; a changed one is removed.
pub fn cached(cache_dir: &Path, sha256: &str) -> Result<Option<Unpacked>, UnpackError> {
    let is_hash = sha256.len() == 64 && sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hash {
        return Err(UnpackError::NoHash(sha256.to_owned()));
    }
    let home = cache_dir.join(sha256);
    let path = home.join(ARCHIVE);
    let mut archive = match File::open(&path) {
        Ok(archive) => archive,
        Err(_) if !home.exists() => return Ok(None),
        Err(_) => return remove(&home).map(|()| None).map_err(at(&home)),
    };
    archive.lock_shared().map_err(at(&path))?;
    let Some(manifest) = unchanged(&mut archive, &home, sha256).map_err(at(&path))? else {
        drop(archive);
        let removed = remove_unused(&home).map_err(at(&home))?;
        return if removed { Ok(None) } else { Err(UnpackError::Changed(home)) };
    };
    // Another user's file cannot be marked as used, which only makes it go earlier.
    let _ = archive.set_modified(SystemTime::now());
    let tree = fs::canonicalize(home.join(TREE)).map_err(at(&home))?;
    Ok(Some(Unpacked { program: manifest.program(&tree), _in_use: archive }))
}

/// The manifest of a bundle in whose folder everything is as it is in the archive.
fn unchanged(archive: &mut File, home: &Path, sha256: &str) -> io::Result<Option<Manifest>> {
    if hash(archive)? != sha256 {
        return Ok(None);
    }
    let (tree, mut names) = (home.join(TREE), BTreeSet::new());
    let compared = archive::read(archive, &LIMITS, |name, content| {
        let path = if name.is_empty() { tree.clone() } else { tree.join(name) };
        names.insert(path.clone());
        if is_same(&path, content) { Ok(()) } else { Err(Changed) }
    });
    let nothing_new = || {
        WalkBuilder::new(&tree)
            .standard_filters(false)
            .build()
            .all(|entry| entry.is_ok_and(|entry| names.contains(entry.path())))
    };
    Ok(compared.ok().filter(|_| nothing_new()))
}

/// That something is not as it is in the archive.
struct Changed;

impl From<BadArchive> for Changed {
    fn from(_: BadArchive) -> Self {
        Self
    }
}

fn is_same(path: &Path, content: Content<'_>) -> bool {
    let Ok(about) = path.symlink_metadata() else { return false };
    match content {
        Content::Folder => about.is_dir(),
        Content::Link { to } => fs::read_link(path).is_ok_and(|link| link == Path::new(to)),
        Content::File { executable, content } => {
            let is_alike = about.is_file() && is_executable(&about) == executable;
            is_alike && File::open(path).is_ok_and(|file| are_equal(file, content))
        }
    }
}

/// True if both hold the same, to the end.
fn are_equal(mut one: impl Read, other: &mut dyn Read) -> bool {
    let (mut a, mut b) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let Ok(length) = one.read(&mut a) else { return false };
        if length == 0 {
            return matches!(other.read(&mut b), Ok(0));
        }
        if other.read_exact(&mut b[..length]).is_err() || a[..length] != b[..length] {
            return false;
        }
    }
}

/// Removes a bundle: at once for whoever looks for it, then its files.
fn remove(home: &Path) -> io::Result<()> {
    let above = home.parent().unwrap_or(home);
    let gone = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(above)?;
    match fs::rename(home, gone.path().join("removed")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => gone.close(),
    }
}

/// Removes the bundles that were not used for longest, until the others take at most these bytes; those in use stay.
pub fn evict(cache_dir: &Path, most: u64) -> Result<(), UnpackError> {
    let mut bundles = Vec::new();
    for entry in fs::read_dir(cache_dir).map_err(at(cache_dir))? {
        let home = entry.map_err(at(cache_dir))?.path();
        if home.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes())) {
            remove_abandoned(&home);
        } else if let Ok(used) = fs::metadata(home.join(ARCHIVE)).and_then(|about| about.modified()) {
            bundles.push((used, size(&home), home));
        }
    }
    bundles.sort();
    let mut total: u64 = bundles.iter().map(|(_, size, _)| size).sum();
    for (_, size, home) in bundles {
        if total > most && remove_unused(&home).map_err(at(&home))? {
            total -= size;
        }
    }
    Ok(())
}

fn remove_abandoned(folder: &Path) {
    let age = fs::metadata(folder).and_then(|about| about.modified()).ok().and_then(|made| made.elapsed().ok());
    if age.is_some_and(|age| age > ABANDONED) {
        // Whoever comes next tries again.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Removes a bundle unless somebody uses it.
fn remove_unused(home: &Path) -> io::Result<bool> {
    let Ok(archive) = File::open(home.join(ARCHIVE)) else { return remove(home).map(|()| true) };
    match archive.try_lock() {
        Ok(()) => remove(home).map(|()| true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The bytes that the files of a folder take.
pub fn size(folder: &Path) -> u64 {
    let entries = WalkBuilder::new(folder).standard_filters(false).build().filter_map(Result::ok);
    entries
        .filter_map(|entry: ignore::DirEntry| entry.metadata().ok())
        .filter(fs::Metadata::is_file)
        .map(|about| about.len())
        .sum()
}

/// The hash of a file, which is then at its beginning again.
pub fn hash(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let hash = files::hash_of(&*file)?;
    file.rewind()?;
    Ok(hash)
}
