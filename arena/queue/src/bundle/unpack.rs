//! Unpacking a bundle that came from another machine. Whatever could lead out of its folder, or grow without bounds, is refused.
//!
//! A cache keeps archives by their hashes. Each worker unpacks them into a folder of its own, which is removed when the worker ends.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail, ensure};
use arena_tournament::entrant::Program;
use tar::EntryType;
use tempfile::TempDir;
use zstd::stream::read::Decoder;

use super::manifest::{self, Manifest, TREE};
use super::{CACHE, LIMITS, Limits, names};
use arena_sandbox::files;

/// How the names of archives in a cache end, behind their hashes.
const ENDING: &str = ".tar.zst";
/// How the names of folders begin in which bundles are unpacked.
const UNPACKED: &str = ".unpacked-";
/// The file in such a folder that its worker keeps locked.
const LOCK: &str = "lock";
/// The time within which a new folder is locked.
const YOUNG: Duration = Duration::from_secs(60);
/// The longest name.
const LONGEST_NAME: usize = 4_096;
/// The most bytes of headers and padding, for each entry that an archive may have.
const HEADERS: u64 = 2 << 10;

/// A program that can be started here. Its files are removed with it.
#[derive(Debug)]
pub struct Unpacked {
    pub program: Program,
    /// The folder of this worker alone.
    _folder: TempDir,
    _lock: File,
}

/// A program whose archive is in the cache; none if it is not there, or damaged.
pub fn cached(cache: &Path, sha256: &str) -> anyhow::Result<Option<Unpacked>> {
    ensure!(
        is_hash(sha256),
        "{sha256:?} is not a SHA-256 in hexadecimal digits, so no bundle has that name"
    );
    let path = archive_path(cache, sha256);
    match fs::read(&path) {
        Ok(archive) if files::hash_of(&*archive)? == sha256 => {
            // Another user's file cannot be marked as used, which only makes it go earlier.
            let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
            extract(&archive, cache, &LIMITS).map(Some)
        }
        _ => Ok(None),
    }
}

/// Unpacks an archive whose hash is known, and keeps it in the cache.
pub fn unpack(
    archive: &[u8],
    cache: &Path,
    sha256: &str,
    limits: &Limits,
) -> anyhow::Result<Unpacked> {
    let most = limits.packed;
    ensure!(
        archive.len() <= most,
        "the bundle {sha256} is longer than {} MiB, the most that one may have",
        most >> 20
    );
    let found = files::hash_of(archive)?;
    ensure!(
        found == sha256,
        "the bundle {sha256} is damaged: what came has the SHA-256 {found}; fetch it again"
    );
    let unpacked = extract(archive, cache, limits)?;
    // A worker that reads it before it is whole finds another hash.
    let path = archive_path(cache, sha256);
    fs::write(&path, archive)
        .and_then(|()| allow(&path, 0o600))
        .with_context(|| cannot_unpack(&path))?;
    tidy(cache, CACHE);
    Ok(unpacked)
}

/// Removes what workers left that were killed, and the archives that were not used for longest, until the others have at most these
/// bytes.
pub fn tidy(cache: &Path, most: u64) {
    let mut archives = Vec::new();
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let (path, name) = (
            entry.path(),
            entry.file_name().to_string_lossy().into_owned(),
        );
        let Ok(about) = entry.metadata() else {
            continue;
        };
        if name.strip_suffix(ENDING).is_some_and(is_hash) {
            archives.push((about.modified().ok(), about.len(), path));
        } else if name.starts_with(UNPACKED) && is_abandoned(&path, &about) {
            // The next worker tries again.
            let _ = fs::remove_dir_all(path);
        }
    }
    archives.sort();
    let mut total: u64 = archives.iter().map(|(_, size, _)| size).sum();
    for (_, size, path) in archives {
        if total > most && fs::remove_file(path).is_ok() {
            total -= size;
        }
    }
}

/// True for the folder of a worker that was killed.
fn is_abandoned(folder: &Path, about: &fs::Metadata) -> bool {
    let is_old = about
        .modified()
        .is_ok_and(|made| made.elapsed().is_ok_and(|age| age > YOUNG));
    is_old && File::create(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}

fn is_hash(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn archive_path(cache: &Path, sha256: &str) -> PathBuf {
    cache.join(format!("{sha256}{ENDING}"))
}

fn cannot_unpack(path: &Path) -> String {
    format!("cannot unpack a bot at {}", path.display())
}

/// Unpacks an archive into a new folder.
fn extract(archive: &[u8], cache: &Path, limits: &Limits) -> anyhow::Result<Unpacked> {
    let make = || {
        private(cache)?;
        let folder = tempfile::Builder::new()
            .prefix(UNPACKED)
            .tempdir_in(cache)?;
        allow(folder.path(), 0o700)?;
        let lock = File::create(folder.path().join(LOCK))?;
        // Where there are no locks, what killed workers leave stays.
        let _ = lock.lock();
        Ok::<_, io::Error>((fs::canonicalize(folder.path())?, folder, lock))
    };
    let (home, folder, lock) = make().with_context(|| cannot_unpack(cache))?;
    let manifest = read(archive, &home, limits).context("the bundle is refused")?;
    Ok(Unpacked {
        program: manifest.program(&home.join(TREE)),
        _folder: folder,
        _lock: lock,
    })
}

/// Reads an archive into a folder: links last, so that nothing is written through one. Returns its manifest.
fn read(archive: &[u8], home: &Path, limits: &Limits) -> anyhow::Result<Manifest> {
    let most = limits.unpacked + HEADERS * limits.entries as u64;
    let mut tar = tar::Archive::new(Decoder::new(archive)?.take(most));
    let (mut manifest, mut entries, mut links, mut size) = (None, BTreeMap::new(), Vec::new(), 0);
    for entry in tar.entries()? {
        let mut entry = entry.context("it cannot be read")?;
        if manifest.is_none() {
            manifest = Some(read_manifest(&mut entry)?);
            continue;
        }
        size = entry.size().saturating_add(size);
        let is_small = size <= limits.unpacked && entries.len() < limits.entries;
        ensure!(
            is_small,
            "it holds more than {} bytes or {} entries",
            limits.unpacked,
            limits.entries
        );
        let kind = entry.header().entry_type();
        let name = admit(&entry.path_bytes(), kind, &entries)?;
        match kind {
            EntryType::Directory | EntryType::Regular => {
                let path = home.join(&name);
                write(&mut entry, &path).with_context(|| cannot_unpack(&path))?;
            }
            EntryType::Symlink => {
                let to = entry
                    .link_name_bytes()
                    .map(|to| String::from_utf8_lossy(&to).into_owned());
                links.push((name.clone(), to.unwrap_or_default()));
            }
            _ => bail!("{name:?} is not a file, folder or symbolic link"),
        }
        entries.insert(name, kind);
    }
    for (name, to) in links {
        let kind = names::target(&name, &to).and_then(|target| entries.get(&target));
        let is_inside = kind.is_some_and(|kind| *kind != EntryType::Symlink);
        ensure!(
            is_inside,
            "the link {name:?} to {to:?} does not lead to a file or folder of the archive"
        );
        symlink(to, home.join(&name)).with_context(|| cannot_unpack(home))?;
    }
    let manifest = manifest.with_context(no_manifest)?;
    manifest.check_in(&home.join(TREE))?;
    Ok(manifest)
}

fn no_manifest() -> String {
    format!(
        "it does not begin with a {} of at most {} bytes that can be read",
        manifest::NAME,
        manifest::LONGEST
    )
}

fn read_manifest(entry: &mut tar::Entry<'_, impl Read>) -> anyhow::Result<Manifest> {
    let is_manifest = entry.header().entry_type() == EntryType::Regular
        && *entry.path_bytes() == *manifest::NAME.as_bytes()
        && entry.size() <= manifest::LONGEST;
    ensure!(is_manifest, no_manifest());
    let manifest: Manifest = serde_json::from_reader(entry).with_context(no_manifest)?;
    manifest.check()?;
    Ok(manifest)
}

/// The name of an entry, if it may be there beside those that were read before.
fn admit(
    path: &[u8],
    kind: EntryType,
    entries: &BTreeMap<String, EntryType>,
) -> anyhow::Result<String> {
    let shown = String::from_utf8_lossy(&path[..path.len().min(LONGEST_NAME)]).into_owned();
    let is_plain =
        path.len() <= LONGEST_NAME && shown.as_bytes() == path && names::is_plain(&shown);
    let is_folder = |name: &str| entries.get(name) == Some(&EntryType::Directory);
    let is_in_tree =
        is_folder(names::parent(&shown)) || shown == TREE && kind == EntryType::Directory;
    ensure!(
        is_plain && is_in_tree,
        "an entry is named {shown:?}, which is not a plain path in a folder of the tree"
    );
    ensure!(!entries.contains_key(&shown), "it holds {shown:?} twice");
    Ok(shown)
}

/// Makes the folder of a cache, in which others may not look.
pub fn private(cache: &Path) -> io::Result<()> {
    fs::create_dir_all(cache)?;
    let about = cache.metadata()?;
    if about.uid() != nix::unistd::geteuid().as_raw() || about.mode() & 0o1000 != 0 {
        return Err(io::Error::other(
            "others share it; name a folder of your own with --cache",
        ));
    }
    allow(cache, 0o700)
}

/// Writes a file or folder, where nothing may be yet, for this user only. Bots that run as other users keep a right to read it.
fn write(entry: &mut tar::Entry<'_, impl Read>, path: &Path) -> io::Result<()> {
    if entry.header().entry_type() == EntryType::Directory {
        fs::create_dir(path)?;
        return allow(path, 0o700);
    }
    let mode = if entry.header().mode()? & 0o100 == 0 {
        0o600
    } else {
        0o700
    };
    io::copy(entry, &mut File::create_new(path)?)?;
    allow(path, mode)
}

fn allow(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
}
