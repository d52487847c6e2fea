//! Packing a program for another machine.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use arena_tournament::entrant::Program;
use zstd::stream::write::Encoder;

use super::error::{PackError, Warning};
use super::manifest::{self, BadManifest, Manifest, Word};
use super::own::{self, Own};
use super::tree::{self, Entry, Tree};
use super::{LIMITS, Limits, names};
use arena_config::files;

/// How hard is compressed: bundles are packed once, and are not large.
const LEVEL: i32 = 9;

/// A program that may travel.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The SHA-256 of the archive, in hexadecimal digits.
    pub sha256: String,
    /// The archive.
    pub archive: Vec<u8>,
    /// What the bot may miss on another machine.
    pub warnings: Vec<Warning>,
}

/// Packs what a program has of its own on this machine, but what is hidden from bots.
pub fn pack(program: &Program, hidden: &[PathBuf]) -> Result<Bundle, PackError> {
    pack_within(program, hidden, &LIMITS)
}

/// Packs a program within these limits.
pub fn pack_within(program: &Program, hidden: &[PathBuf], limits: &Limits) -> Result<Bundle, PackError> {
    let own = own::of(program)?;
    let (tree, mut warnings) = tree::collect(&own, hidden, limits)?;
    let manifest = describe(program, &own, &tree)?;
    warnings.extend(paths_left(program, &manifest, &own));
    let archive = write(&manifest, &tree, &own, limits)?;
    let sha256 = files::hash_of(archive.as_slice()).map_err(|why| PackError::Io { path: program.dir.clone(), why })?;
    Ok(Bundle { sha256, archive, warnings })
}

fn describe(program: &Program, own: &Own, tree: &Tree) -> Result<Manifest, PackError> {
    let base = own.base();
    let name = |path: &Path| names::of(path, &base).ok_or_else(|| PackError::Name { path: path.to_path_buf() });
    let read = own.read.iter().map(|path| name(path)).collect::<Result<Vec<String>, _>>()?;
    let manifest = Manifest {
        version: manifest::VERSION,
        command: program.command.iter().map(|text| word(text, own, tree)).collect::<Result<_, _>>()?,
        dir: name(&own.dir)?,
        read: read.into_iter().filter(|name| tree.contains_key(name)).collect(),
        devices: own.devices.clone(),
        env: program.env.clone(),
        cores: program.cores,
    };
    manifest.check().map_err(|bad| match bad {
        BadManifest::Outside(text) => PackError::Word(text),
        bad => bad.into(),
    })?;
    Ok(manifest)
}

/// A word of the command: a path that is absolute or leads upwards to what travels is one of the tree.
fn word(text: &str, own: &Own, tree: &Tree) -> Result<Word, PackError> {
    let path = own.dir.join(text);
    let leads_away = Path::new(text).components().any(|part| !matches!(part, Component::Normal(_)));
    if !leads_away || !path.exists() {
        return Ok(Word::Text(text.to_owned()));
    }
    let name = names::of(&own::settled(&path)?, &own.base()).filter(|name| tree.contains_key(name));
    Ok(name.map_or_else(|| Word::Text(text.to_owned()), Word::Path))
}

/// The words and variables in which a path of this machine is left.
fn paths_left(program: &Program, manifest: &Manifest, own: &Own) -> Vec<Warning> {
    let texts = manifest.command.iter().filter_map(|word| match word {
        Word::Text(text) => Some((format!("the word {text:?} of the command"), text)),
        Word::Path(_) => None,
    });
    let values = program.env.iter().map(|(name, value)| (format!("the variable {name}"), value));
    let held = |text: &String| {
        let places = [&program.dir].into_iter().chain(&own.roots);
        places.filter(|root| root.is_absolute()).find(|root| root.to_str().is_some_and(|root| text.contains(root)))
    };
    texts.chain(values).filter_map(|(holder, text)| Some(Warning::Path { holder, path: held(text)?.clone() })).collect()
}

fn write(manifest: &Manifest, tree: &Tree, own: &Own, limits: &Limits) -> Result<Vec<u8>, PackError> {
    let failed = |why| PackError::Io { path: own.dir.clone(), why };
    let too_long = || PackError::TooLong { dir: own.dir.clone(), limits: *limits, biggest: tree::biggest(tree) };
    let mut tar = tar::Builder::new(Encoder::new(Vec::new(), LEVEL).map_err(failed)?);
    let text = serde_json::to_vec(manifest).map_err(|why| failed(why.into()))?;
    let mut plain = header(tar::EntryType::Regular, 0o644, text.len() as u64);
    tar.append_data(&mut plain, manifest::NAME, text.as_slice()).map_err(failed)?;
    for (name, entry) in tree {
        let at = if name.is_empty() { manifest::TREE.to_owned() } else { format!("{}/{name}", manifest::TREE) };
        append(&mut tar, &at, entry)?;
        if tar.get_ref().get_ref().len() as u64 > limits.packed {
            return Err(too_long());
        }
    }
    let archive = tar.into_inner().and_then(Encoder::finish).map_err(failed)?;
    if archive.len() as u64 > limits.packed { Err(too_long()) } else { Ok(archive) }
}

fn append<W: io::Write>(tar: &mut tar::Builder<W>, at: &str, entry: &Entry) -> Result<(), PackError> {
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |why| PackError::Io { path, why }
    };
    match entry {
        Entry::Folder => {
            let mut folder = header(tar::EntryType::Directory, 0o755, 0);
            tar.append_data(&mut folder, at, io::empty()).map_err(failed(Path::new(at)))
        }
        Entry::Link { to } => {
            let mut link = header(tar::EntryType::Symlink, 0o755, 0);
            tar.append_link(&mut link, at, to).map_err(failed(Path::new(at)))
        }
        Entry::File { path, executable, .. } => {
            let content = fs::read(path).map_err(failed(path))?;
            let mode = if *executable { 0o755 } else { 0o644 };
            let mut file = header(tar::EntryType::Regular, mode, content.len() as u64);
            tar.append_data(&mut file, at, content.as_slice()).map_err(failed(path))
        }
    }
}

/// A header without times and owners.
fn header(kind: tar::EntryType, mode: u32, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}
