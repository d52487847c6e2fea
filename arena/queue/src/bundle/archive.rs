//! Reading an archive that anybody may have made: whatever could lead out of the tree, or grow without bounds, is refused.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::rc::Rc;

use tar::EntryType;
use zstd::stream::read::Decoder;

use super::manifest::{self, BadManifest, Manifest};
use super::{Limits, names};

/// The bytes that may be read to come to the next entry: its header, long names, and what fills the blocks.
const HEADERS: u64 = 32 << 10;
/// The longest name.
const LONGEST_NAME: usize = 4_096;

/// What an entry of the tree is.
pub enum Content<'a> {
    /// A folder.
    Folder,
    /// A file.
    File { executable: bool, content: &'a mut dyn Read },
    /// A link to an entry that is none, and what it holds.
    Link { to: &'a str },
}

/// Why an archive is refused.
#[derive(Debug, thiserror::Error)]
pub enum BadArchive {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It does not begin with a manifest.
    #[error("it does not begin with a {} of at most {} bytes that can be read", manifest::NAME, manifest::LONGEST)]
    NoManifest,
    /// Its manifest is bad.
    #[error(transparent)]
    Manifest(#[from] BadManifest),
    /// An entry has a name that leads elsewhere.
    #[error("an entry is named {0:?}, which is no plain path in the tree")]
    Name(String),
    /// Two entries have the same name.
    #[error("it holds {0:?} twice")]
    Twice(String),
    /// An entry lies in what is no folder of the archive.
    #[error("{0:?} does not lie in a folder of the archive")]
    NoFolder(String),
    /// A link leads out, nowhere, or to another link.
    #[error("the link {0:?} to {1:?} does not lead to a file or folder of the archive")]
    Link(String, String),
    /// Something is no file, folder or link.
    #[error("{0:?} is no file, folder or symbolic link")]
    Kind(String),
    /// It is too large.
    #[error("it holds more than {} bytes or {} entries", .0.unpacked, .0.entries)]
    TooBig(Limits),
}

/// Reads as much as was allowed before.
struct Allowed<R> {
    inner: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Allowed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.get() == 0 && !buffer.is_empty() {
            return Err(io::Error::other("its headers are too long"));
        }
        let most = buffer.len().min(usize::try_from(self.left.get()).unwrap_or(usize::MAX));
        let read = self.inner.read(&mut buffer[..most])?;
        self.left.set(self.left.get() - read as u64);
        Ok(read)
    }
}

/// The entries that were read.
#[derive(Default)]
struct Seen {
    folders: BTreeSet<String>,
    files: BTreeSet<String>,
    /// The links, which come last so that nothing is written through one.
    links: Vec<(String, String)>,
    names: BTreeSet<String>,
}

/// Reads an archive: hands on its entries, folders before what is in them and links last, and returns its manifest.
pub fn read<E: From<BadArchive>>(
    archive: impl Read,
    limits: &Limits,
    mut each: impl FnMut(&str, Content<'_>) -> Result<(), E>,
) -> Result<Manifest, E> {
    let unreadable = BadArchive::from;
    let left = Rc::new(Cell::new(HEADERS));
    let inner = Decoder::new(archive).map_err(unreadable)?;
    let mut tar = tar::Archive::new(Allowed { inner, left: Rc::clone(&left) });
    let (mut manifest, mut seen, mut size) = (None, Seen::default(), 0);
    for entry in tar.entries().map_err(unreadable)? {
        let mut entry = entry.map_err(unreadable)?;
        let is_first = manifest.is_none();
        size = if is_first { 0 } else { entry.size().saturating_add(size) };
        if size > limits.unpacked || seen.names.len() >= limits.entries {
            return Err(BadArchive::TooBig(*limits).into());
        }
        left.set(entry.size().saturating_add(HEADERS));
        if is_first {
            manifest = Some(read_manifest(&mut entry)?);
        } else {
            read_entry(&mut entry, &mut seen, &mut each)?;
        }
        io::copy(&mut entry, &mut io::sink()).map_err(unreadable)?;
        left.set(HEADERS);
    }
    for (name, to) in &seen.links {
        let target = names::target(name, to);
        if !target.is_some_and(|target| seen.folders.contains(&target) || seen.files.contains(&target)) {
            return Err(BadArchive::Link(name.clone(), to.clone()).into());
        }
        each(name, Content::Link { to })?;
    }
    manifest.ok_or_else(|| BadArchive::NoManifest.into())
}

fn read_manifest(entry: &mut tar::Entry<'_, impl Read>) -> Result<Manifest, BadArchive> {
    let is_manifest = entry.header().entry_type() == EntryType::Regular
        && *entry.path_bytes() == *manifest::NAME.as_bytes()
        && entry.size() <= manifest::LONGEST;
    if !is_manifest {
        return Err(BadArchive::NoManifest);
    }
    let mut text = Vec::new();
    entry.read_to_end(&mut text)?;
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|_| BadArchive::NoManifest)?;
    manifest.check()?;
    Ok(manifest)
}

fn read_entry<E: From<BadArchive>>(
    entry: &mut tar::Entry<'_, impl Read>,
    seen: &mut Seen,
    each: &mut impl FnMut(&str, Content<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let kind = entry.header().entry_type();
    let name = seen.admit(&entry.path_bytes(), kind)?;
    match kind {
        EntryType::Directory => {
            each(&name, Content::Folder)?;
            seen.folders.insert(name);
        }
        EntryType::Regular => {
            let executable = entry.header().mode().map_err(BadArchive::from)? & 0o100 != 0;
            each(&name, Content::File { executable, content: entry })?;
            seen.files.insert(name);
        }
        EntryType::Symlink => {
            let to = entry.link_name_bytes().map(|to| String::from_utf8_lossy(&to).into_owned());
            seen.links.push((name, to.unwrap_or_default()));
        }
        _ => return Err(BadArchive::Kind(name).into()),
    }
    Ok(())
}

impl Seen {
    /// The name of an entry in the tree, if that may be there.
    fn admit(&mut self, path: &[u8], kind: EntryType) -> Result<String, BadArchive> {
        let shown = || String::from_utf8_lossy(&path[..path.len().min(LONGEST_NAME)]).into_owned();
        let text = std::str::from_utf8(path).ok().filter(|text| text.len() <= LONGEST_NAME && names::is_plain(text));
        let rest = text.and_then(|text| text.strip_prefix(manifest::TREE)).ok_or_else(|| BadArchive::Name(shown()))?;
        let name = match rest.strip_prefix('/') {
            Some(name) => name.to_owned(),
            None if rest.is_empty() && kind == EntryType::Directory => String::new(),
            None => return Err(BadArchive::Name(shown())),
        };
        if !self.names.insert(name.clone()) {
            return Err(BadArchive::Twice(name));
        }
        if !name.is_empty() && !self.folders.contains(names::parent(&name)) {
            return Err(BadArchive::NoFolder(name));
        }
        Ok(name)
    }
}
