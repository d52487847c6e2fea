//! Packing a program for another machine.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use arena_tournament::entrant::Program;
use sha2::{Digest, Sha256};
use zstd::stream::write::Encoder;

use super::manifest::{self, BadManifest, Manifest, Word};
use super::own::{self, Own};
use super::tree::{self, Entry, Tree};
use super::{IGNORE, LIMITS, Limits, names};

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
    let sha256 = hex(&Sha256::digest(&archive));
    Ok(Bundle { sha256, archive, warnings })
}

/// A hash in hexadecimal digits.
pub fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
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
