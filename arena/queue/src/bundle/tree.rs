//! The files, folders and links that travel with a program.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};

use super::own::{self, Own, cannot_pack};
use super::secrets::Rules;
use super::{IGNORE, Limits, names};
use arena_sandbox::access;
use arena_sandbox::scan::{hidden_of, is_tournament};

/// How many of the biggest are named.
const MOST_NAMED: usize = 5;

/// An entry of the tree.
#[derive(Debug)]
pub enum Entry {
    /// A folder.
    Folder,
    /// A file, and where it lies.
    File {
        path: PathBuf,
        size: u64,
        executable: bool,
    },
    /// A link, and what it holds.
    Link { to: String },
}

/// The entries of a tree by their names, in order: a folder comes before what it holds.
pub type Tree = BTreeMap<String, Entry>;

/// Collects what travels.
pub struct Collector<'a> {
    own: &'a Own,
    /// Where what is the program's own lies, which is not hidden with a folder that holds it.
    real: Vec<PathBuf>,
    /// What no bot may read, and so does not travel.
    hidden: BTreeSet<PathBuf>,
    rules: Rules,
    limits: &'a Limits,
    /// Where the files and folders of the tree lie, with their names.
    places: BTreeMap<PathBuf, String>,
    /// The links, with their names.
    links: Vec<(String, PathBuf)>,
    /// What travels.
    pub tree: Tree,
    /// What stays at home, each with the reason.
    pub home: BTreeMap<PathBuf, String>,
    /// What the bot may miss on another machine.
    pub warnings: Vec<String>,
}

/// Collects what travels, with warnings of what the bot may miss on another machine.
pub fn collect<'a>(
    own: &'a Own,
    hidden: &[PathBuf],
    limits: &'a Limits,
) -> anyhow::Result<Collector<'a>> {
    let real = own
        .roots
        .iter()
        .filter_map(|root| fs::canonicalize(root).ok())
        .collect();
    let hidden = hidden
        .iter()
        .map(|path| fs::canonicalize(path).unwrap_or_else(|_| path.clone()));
    let (hidden, rules) = (
        hidden.chain(access::secrets()).collect(),
        Rules::new(&own.named),
    );
    let (places, links, tree, home, warnings) = Default::default();
    let mut collector = Collector {
        own,
        real,
        hidden,
        rules,
        limits,
        places,
        links,
        tree,
        home,
        warnings,
    };
    for root in &own.roots {
        collector.walk(
            root,
            &fs::canonicalize(root).with_context(|| cannot_pack(root))?,
        )?;
    }
    own.named
        .iter()
        .try_for_each(|path| collector.named(path))?;
    collector.links()?;
    let fits = collector.size() <= limits.unpacked && collector.tree.len() <= limits.entries;
    if fits {
        Ok(collector)
    } else {
        Err(collector.too_big())
    }
}

impl Collector<'_> {
    /// Adds a file, or a folder with what is in it: where it is to be in the tree, and where it lies.
    fn walk(&mut self, at: &Path, real: &Path) -> anyhow::Result<()> {
        self.add(at, real)?;
        if !real
            .symlink_metadata()
            .with_context(|| cannot_pack(real))?
            .is_dir()
        {
            return Ok(());
        }
        let entries = fs::read_dir(real).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = entries.with_context(|| cannot_pack(real))?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            match self.stays(&path)? {
                Some(why) => _ = self.home.insert(path, why),
                None => self.walk(&at.join(entry.file_name()), &path)?,
            }
        }
        Ok(())
    }

    /// Why something in a folder of the bot's stays at home, if it does.
    fn stays(&mut self, path: &Path) -> anyhow::Result<Option<String>> {
        let is_folder = path
            .symlink_metadata()
            .with_context(|| cannot_pack(path))?
            .is_dir();
        if self.is_hidden(path) {
            return Ok(Some("no bot may read it".into()));
        }
        if is_folder && own::is_environment(path) {
            let why = "this virtual environment works only on this machine and is left out; workers must have the packages that the bot needs";
            self.warn(path, why);
            return Ok(Some("it is a virtual environment".into()));
        }
        Ok(self.rules.stays(path, is_folder))
    }

    fn warn(&mut self, path: &Path, why: &str) {
        self.warnings.push(format!("{}: {why}", path.display()));
    }

    /// Adds what the command names, though it may be ignored.
    fn named(&mut self, path: &Path) -> anyhow::Result<()> {
        let real = fs::canonicalize(path).with_context(|| cannot_pack(path))?;
        let shown = path.display();
        ensure!(
            !self.lies_hidden(&real),
            "the command names {shown}, which no bot may read: take it out of the command"
        );
        if self.own.roots.iter().any(|root| root == path) {
            Ok(())
        } else {
            self.add(path, path)
        }
    }

    /// Adds an entry with the folders above it: where it is to be in the tree, and where it lies.
    fn add(&mut self, at: &Path, source: &Path) -> anyhow::Result<()> {
        let base = self.own.base();
        let name = names::of(at, base)?;
        if self.tree.len() >= self.limits.entries {
            return Err(self.too_big());
        }
        for folder in at
            .ancestors()
            .skip(1)
            .take_while(|above| above.starts_with(base))
        {
            self.tree
                .entry(names::of(folder, base)?)
                .or_insert(Entry::Folder);
        }
        let about = source
            .symlink_metadata()
            .with_context(|| cannot_pack(source))?;
        if about.is_symlink() {
            self.links.push((name, source.to_path_buf()));
        } else if about.is_dir() || about.is_file() {
            self.places.insert(source.to_path_buf(), name.clone());
            self.tree
                .insert(name, Entry::new(source.to_path_buf(), &about));
        } else {
            self.warn(
                source,
                "this is not a file, folder or link, and is left out",
            );
        }
        Ok(())
    }

    /// Adds the links: one that leads within the tree as such, else what it leads to.
    fn links(&mut self) -> anyhow::Result<()> {
        let may_read: Vec<PathBuf> = self.real.iter().cloned().chain(access::system()).collect();
        for (name, path) in std::mem::take(&mut self.links) {
            let Ok(real) = fs::canonicalize(&path) else {
                self.warn(&path, "this link leads nowhere, and is left out");
                continue;
            };
            let about = real.metadata().with_context(|| cannot_pack(&real))?;
            if let Some(to) = self.places.get(&real) {
                let link = Entry::Link {
                    to: names::link(&name, to),
                };
                self.tree.insert(name, link);
            } else if self.lies_hidden(&real) {
                self.warn(
                    &path,
                    "this link leads to what no bot may read, and is left out",
                );
            } else if about.is_file() && may_read.iter().any(|granted| real.starts_with(granted)) {
                match self.secret(&real) {
                    Some(why) => self.warn(
                        &path,
                        &format!("this link is left out because of what it leads to: {why}"),
                    ),
                    None => _ = self.tree.insert(name, Entry::new(real, &about)),
                }
            } else {
                bail!(
                    "the link {} leads to {}, which does not travel: remove the link, list it in {IGNORE}, or name what it \
                     leads to in `read`",
                    path.display(),
                    real.display()
                );
            }
        }
        Ok(())
    }

    /// Why what a link leads to looks like a secret, or lies in a folder of the bot's that does.
    fn secret(&self, real: &Path) -> Option<String> {
        let is_inside = |path: &&Path| {
            self.real
                .iter()
                .any(|own| path.starts_with(own) && path != own)
        };
        let folders = real.ancestors().skip(1).take_while(is_inside);
        self.rules.secret(real, false).or_else(|| {
            folders
                .into_iter()
                .find_map(|path| self.rules.secret(path, true))
        })
    }

    fn size(&self) -> u64 {
        self.tree.values().map(Entry::size).sum()
    }

    fn too_big(&self) -> anyhow::Error {
        let (
            dir,
            Limits {
                entries, unpacked, ..
            },
        ) = (&self.own.dir, self.limits);
        anyhow!(
            "what travels with the bot of {} is too much: {} files and folders of {}, and the limit is {entries} of {}. Give the \
             bot a folder of its own, or list what it does not need in {IGNORE}. The biggest: {}",
            dir.display(),
            self.tree.len(),
            shown_size(self.size()),
            shown_size(*unpacked),
            biggest(
                &self.tree,
                &names::of(dir, self.own.base()).unwrap_or_default()
            )
        )
    }

    /// True for what is hidden itself, not for what lies in it.
    fn is_hidden(&self, path: &Path) -> bool {
        let is_of_tournament = || {
            path.parent().is_some_and(|folder| {
                is_tournament(folder) && hidden_of(folder).any(|hidden| hidden == path)
            })
        };
        let is_listed = self.hidden.contains(path) || is_tournament(path) || is_of_tournament();
        is_listed && !self.real.iter().any(|own| own.starts_with(path))
    }

    /// True for what is hidden, or lies in what is.
    fn lies_hidden(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.is_hidden(above))
    }
}

impl Entry {
    fn new(path: PathBuf, about: &fs::Metadata) -> Self {
        if about.is_dir() {
            return Self::Folder;
        }
        Self::File {
            path,
            size: about.len(),
            executable: about.permissions().mode() & 0o111 != 0,
        }
    }

    pub fn size(&self) -> u64 {
        if let Self::File { size, .. } = self {
            *size
        } else {
            0
        }
    }
}

/// The biggest files and folders at the top of the bot's folder.
pub fn biggest(tree: &Tree, dir: &str) -> String {
    let mut sizes: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    for (name, entry) in tree.iter().filter(|(name, _)| *name != dir) {
        let within = name
            .strip_prefix(dir)
            .and_then(|rest| rest.strip_prefix('/'))
            .unwrap_or(name);
        let sum = sizes
            .entry(within.split('/').next().unwrap_or_default())
            .or_default();
        *sum = (sum.0 + entry.size(), sum.1 + 1);
    }
    let mut sizes: Vec<_> = sizes.into_iter().collect();
    sizes.sort_by_key(|(_, sum)| Reverse(*sum));
    let shown = sizes
        .iter()
        .take(MOST_NAMED)
        .map(|(name, (size, count))| match count {
            1 => format!("{name} ({})", shown_size(*size)),
            _ => format!("{name} ({}, {count} files and folders)", shown_size(*size)),
        });
    shown.collect::<Vec<_>>().join(", ")
}

pub fn shown_size(bytes: u64) -> String {
    if bytes < 1 << 20 {
        format!("{} KiB", bytes.div_ceil(1 << 10))
    } else {
        format!("{} MiB", bytes >> 20)
    }
}
