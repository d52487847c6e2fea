//! Packing a program for another machine.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail, ensure};
use arena_tournament::entrant::{Entrant, Program};
use arena_tournament::spec::Spec;
use zstd::stream::write::Encoder;

use super::manifest::{self, Manifest, Word};
use super::own::{self, Own, cannot_pack};
use super::tree::{self, Collector, Entry, Tree};
use super::{IGNORE, LIMITS, Limits, names};
use arena_config::{files, snapshot};
use arena_sandbox::Sandbox;
use arena_session::sandbox;

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
    pub warnings: Vec<String>,
    /// The files that travel, with their sizes in bytes.
    pub files: Vec<(String, u64)>,
    /// What stays at home, each with the reason.
    pub home: BTreeMap<PathBuf, String>,
}

/// Packs the bots of a tournament that are programs: one or none for each bot. These folders are the tournament's.
pub fn of_spec(spec: &Spec, folders: &[&Path]) -> anyhow::Result<Vec<Option<Bundle>>> {
    let hidden = sandbox::hidden(spec, folders);
    // Workers do not build.
    let builders = if sandbox::builds(spec) {
        sandbox::for_programs(spec, folders)?
    } else {
        Sandbox::default()
    };
    sandbox::announce(spec, &builders, true);
    let pack_bot = |bot: &Entrant| {
        let Some(program) = bot.program() else {
            return Ok(None);
        };
        let built = builders
            .copied(&bot.name, program)
            .filter(|_| program.build.is_some());
        let dir = built.map_or(program.dir.clone(), |copied| copied.at(&copied.dir));
        let bundle = pack(
            &Program {
                dir,
                build: None,
                ..program.clone()
            },
            &hidden,
            &LIMITS,
        );
        let bundle = bundle.with_context(|| format!("bot {} cannot travel", bot.name))?;
        // Every file is known by now, so none of another version can be among them.
        ensure!(
            built.is_some()
                || bot.files.is_empty()
                || snapshot::files(&bot.bot).starts_with(&bot.files),
            "the files of bot {} in {} have changed since it entered: restore them, or enter them as a new version (arena replace)",
            bot.name,
            program.dir.display()
        );
        Ok(Some(bundle))
    };
    spec.bots.iter().map(pack_bot).collect()
}

/// Packs what a program has of its own on this machine, but what is hidden from bots.
pub fn pack(program: &Program, hidden: &[PathBuf], limits: &Limits) -> anyhow::Result<Bundle> {
    let own = own::of(program)?;
    let Collector {
        tree,
        home,
        mut warnings,
        ..
    } = tree::collect(&own, hidden, limits)?;
    let manifest = describe(program, &own, &tree)?;
    warnings.extend(paths_left(program, &manifest, &own));
    let archive = write(&manifest, &tree, &own, limits)?;
    let sha256 = files::hash_of(&*archive)?;
    let files = tree
        .iter()
        .filter(|(_, entry)| !matches!(entry, Entry::Folder));
    let files = files
        .map(|(name, entry)| (name.clone(), entry.size()))
        .collect();
    Ok(Bundle {
        sha256,
        archive,
        warnings,
        files,
        home,
    })
}

fn describe(program: &Program, own: &Own, tree: &Tree) -> anyhow::Result<Manifest> {
    let name = |path: &PathBuf| names::of(path, own.base());
    let read = own
        .read
        .iter()
        .map(name)
        .collect::<anyhow::Result<Vec<String>>>()?;
    let manifest = Manifest {
        version: manifest::VERSION,
        command: program
            .command
            .iter()
            .map(|text| word(text, own, tree))
            .collect::<anyhow::Result<_>>()?,
        dir: name(&own.dir)?,
        read: read
            .into_iter()
            .filter(|name| tree.contains_key(name))
            .collect(),
        devices: own.devices.clone(),
        env: program.env.clone(),
        cores: program.cores,
    };
    if let Some(word) = manifest.leads_out() {
        bail!(
            "the command names {word:?}, which does not lead to anything that travels with the bot: write a path that begins at \
             the bot's folder"
        );
    }
    manifest.check().context("the bot cannot travel")?;
    Ok(manifest)
}

/// A word of the command: a path that is absolute or leads upwards to what travels is one of the tree.
fn word(text: &str, own: &Own, tree: &Tree) -> anyhow::Result<Word> {
    let path = own.dir.join(text);
    let leads_away = Path::new(text)
        .components()
        .any(|part| !matches!(part, Component::Normal(_)));
    if !leads_away || !path.exists() {
        return Ok(Word::Text(text.to_owned()));
    }
    let name = names::of(&own::settled(&path)?, own.base())
        .ok()
        .filter(|name| tree.contains_key(name));
    Ok(name.map_or_else(|| Word::Text(text.to_owned()), Word::Path))
}

/// Warnings of the words and variables in which a path of this machine is left.
fn paths_left(program: &Program, manifest: &Manifest, own: &Own) -> Vec<String> {
    let texts = manifest.command.iter().filter_map(|word| match word {
        Word::Text(text) => Some((format!("the word {text:?} of the command"), text)),
        Word::Path(_) => None,
    });
    let values = program
        .env
        .iter()
        .map(|(name, value)| (format!("the variable {name}"), value));
    let warning = |(holder, text): (String, &String)| {
        let places = [&program.dir]
            .into_iter()
            .chain(&own.roots)
            .filter(|root| root.is_absolute());
        let path = places
            .filter_map(|root| root.to_str())
            .find(|root| text.contains(root))?;
        Some(format!(
            "{holder} holds the path {path}, which workers do not have: write it relative to the bot's folder"
        ))
    };
    texts.chain(values).filter_map(warning).collect()
}

fn write(manifest: &Manifest, tree: &Tree, own: &Own, limits: &Limits) -> anyhow::Result<Vec<u8>> {
    let check = |length: usize| {
        ensure!(
            length <= limits.packed,
            "what travels with the bot of {} is more than {} when packed. List what it does not need in {IGNORE}. The biggest: {}",
            own.dir.display(),
            tree::shown_size(limits.packed as u64),
            tree::biggest(tree, &manifest.dir)
        );
        Ok(())
    };
    let mut tar = tar::Builder::new(Encoder::new(Vec::new(), LEVEL)?);
    let text = serde_json::to_vec(manifest)?;
    let mut plain = header(tar::EntryType::Regular, 0o644, text.len());
    tar.append_data(&mut plain, manifest::NAME, text.as_slice())?;
    for (name, entry) in tree {
        let at = if name.is_empty() {
            manifest::TREE.to_owned()
        } else {
            format!("{}/{name}", manifest::TREE)
        };
        append(&mut tar, &at, entry)?;
        check(tar.get_ref().get_ref().len())?;
    }
    let archive = tar.into_inner().and_then(Encoder::finish)?;
    check(archive.len())?;
    Ok(archive)
}

fn append(tar: &mut tar::Builder<impl io::Write>, at: &str, entry: &Entry) -> anyhow::Result<()> {
    match entry {
        Entry::Folder => tar.append_data(
            &mut header(tar::EntryType::Directory, 0o755, 0),
            at,
            io::empty(),
        )?,
        Entry::Link { to } => {
            tar.append_link(&mut header(tar::EntryType::Symlink, 0o755, 0), at, to)?;
        }
        Entry::File {
            path, executable, ..
        } => {
            let content = fs::read(path).with_context(|| cannot_pack(path))?;
            let mode = if *executable { 0o755 } else { 0o644 };
            let mut file = header(tar::EntryType::Regular, mode, content.len());
            tar.append_data(&mut file, at, content.as_slice())?;
        }
    }
    Ok(())
}

/// A header without times and owners.
fn header(kind: tar::EntryType, mode: u32, size: usize) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size as u64);
    header.set_uid(0);
    header.set_gid(0);
    header
}
