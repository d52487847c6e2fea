//! The files, folders and links that travel with a program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder};

use super::error::{Big, PackError, Warning};
use super::own::{self, Own};
use super::{IGNORE, Limits, names};
use arena_sandbox::access;
use arena_sandbox::scan::{hidden_of, is_tournament};

/// Folders that no bot needs.
const LEFT_OUT: [&str; 2] = [".git", "__pycache__"];
/// How many of the biggest are named.
const MOST_NAMED: usize = 5;

/// An entry of the tree.
#[derive(Debug)]
pub enum Entry {
    /// A folder.
    Folder,
    /// A file, and where it lies.
    File { path: PathBuf, size: u64, executable: bool },
    /// A link, and what it holds.
    Link { to: String },
}

/// The entries of a tree by their names, in order: a folder comes before what it holds.
pub type Tree = BTreeMap<String, Entry>;

/// What is being collected.
struct Collecting<'a> {
    own: &'a Own,
    base: PathBuf,
    hidden: Hidden,
    limits: &'a Limits,
    tree: Tree,
    /// Where the files and folders of the tree lie, with their names.
    places: BTreeMap<PathBuf, String>,
    /// The links, with their names.
    links: Vec<(String, PathBuf)>,
    warnings: Vec<Warning>,
    size: u64,
}

/// What no bot may read, and so does not travel.
#[derive(Clone)]
struct Hidden {
    paths: Arc<BTreeSet<PathBuf>>,
    /// What is the program's own is not hidden with a folder that holds it.
    own: Arc<Vec<PathBuf>>,
}

/// Collects what travels.
pub fn collect(own: &Own, hidden: &[PathBuf], limits: &Limits) -> Result<(Tree, Vec<Warning>), PackError> {
    let real: Vec<PathBuf> = own.roots.iter().filter_map(|root| fs::canonicalize(root).ok()).collect();
    let hidden = hidden.iter().map(|path| fs::canonicalize(path).unwrap_or_else(|_| path.clone()));
    let mut collecting = Collecting {
        own,
        base: own.base(),
        hidden: Hidden { paths: Arc::new(hidden.chain(access::secrets()).collect()), own: Arc::new(real) },
        limits,
        tree: Tree::new(),
        places: BTreeMap::new(),
        links: Vec::new(),
        warnings: Vec::new(),
        size: 0,
    };
    own.roots.iter().try_for_each(|root| collecting.walk(root))?;
    own.named.iter().try_for_each(|path| collecting.named(path))?;
    collecting.links()?;
    collecting.fits()?;
    Ok((collecting.tree, collecting.warnings))
}

impl Collecting<'_> {
    /// Adds a file, or a folder with what is in it.
    fn walk(&mut self, root: &Path) -> Result<(), PackError> {
        let real = fs::canonicalize(root).map_err(|why| PackError::Io { path: root.to_path_buf(), why })?;
        let environments = Arc::new(Mutex::new(Vec::new()));
        let (hidden, left_out) = (self.hidden.clone(), Arc::clone(&environments));
        let travels = move |entry: &DirEntry| {
            let is_environment = own::is_environment(entry.path());
            if is_environment {
                left_out.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_path_buf());
            }
            !is_environment && !LEFT_OUT.iter().any(|name| entry.file_name() == *name) && !hidden.holds(entry.path())
        };
        let mut walk = WalkBuilder::new(&real);
        walk.standard_filters(false).parents(true).add_custom_ignore_filename(IGNORE).filter_entry(travels);
        for entry in walk.build() {
            let entry = entry.map_err(|why| PackError::Walk { path: root.to_path_buf(), why })?;
            let rest = entry.path().strip_prefix(&real).unwrap_or(Path::new(""));
            let at = if rest.as_os_str().is_empty() { root.to_path_buf() } else { root.join(rest) };
            self.add(&at, entry.path())?;
        }
        let mut environments = std::mem::take(&mut *environments.lock().unwrap_or_else(PoisonError::into_inner));
        environments.sort();
        self.warnings.extend(environments.into_iter().map(Warning::Environment));
        Ok(())
    }

    /// Adds what the command names, though it may be ignored.
    fn named(&mut self, path: &Path) -> Result<(), PackError> {
        let real = fs::canonicalize(path).map_err(|why| PackError::Io { path: path.to_path_buf(), why })?;
        if real.ancestors().any(|above| self.hidden.holds(above)) {
            return Err(PackError::Hidden { path: path.to_path_buf() });
        }
        if self.own.roots.iter().any(|root| root == path) { Ok(()) } else { self.add(path, path) }
    }

    /// Adds an entry with the folders above it: where it is to be in the tree, and where it lies.
    fn add(&mut self, at: &Path, source: &Path) -> Result<(), PackError> {
        let name = names::of(at, &self.base).ok_or_else(|| PackError::Name { path: at.to_path_buf() })?;
        if self.tree.len() >= self.limits.entries {
            return Err(self.too_big());
        }
        let above = at.parent().filter(|above| above.starts_with(&self.base) && at != self.base);
        for folder in above.into_iter().flat_map(Path::ancestors).take_while(|above| above.starts_with(&self.base)) {
            let name = names::of(folder, &self.base).ok_or_else(|| PackError::Name { path: folder.to_path_buf() })?;
            self.tree.entry(name).or_insert(Entry::Folder);
        }
        let about = source.symlink_metadata().map_err(|why| PackError::Io { path: source.to_path_buf(), why })?;
        if about.is_symlink() {
            self.links.push((name, source.to_path_buf()));
            return Ok(());
        }
        if !about.is_dir() && !about.is_file() {
            self.warnings.push(Warning::Special(source.to_path_buf()));
            return Ok(());
        }
        self.places.insert(source.to_path_buf(), name.clone());
        self.put(name, source.to_path_buf(), &about);
        Ok(())
    }

    fn put(&mut self, name: String, path: PathBuf, about: &fs::Metadata) {
        let file = || Entry::File { path, size: about.len(), executable: is_executable(about) };
        let entry = if about.is_dir() { Entry::Folder } else { file() };
        if self.tree.insert(name, entry).is_none() && about.is_file() {
            self.size += about.len();
        }
    }

    /// Adds the links: one that leads within the tree as such, else what it leads to.
    fn links(&mut self) -> Result<(), PackError> {
        for (name, path) in std::mem::take(&mut self.links) {
            let Ok(real) = fs::canonicalize(&path) else {
                self.warnings.push(Warning::Dangling(path));
                continue;
            };
            let about = real.metadata().map_err(|why| PackError::Io { path: real.clone(), why })?;
            if let Some(to) = self.places.get(&real) {
                self.tree.insert(name.clone(), Entry::Link { to: names::link(&name, to) });
            } else if real.ancestors().any(|above| self.hidden.holds(above)) {
                self.warnings.push(Warning::Hidden(path));
            } else if about.is_file() && self.may_read(&real) {
                self.put(name, real, &about);
            } else {
                return Err(PackError::Link { path, to: real });
            }
        }
        Ok(())
    }

    /// True for what the bot may read on this machine, unless it is hidden.
    fn may_read(&self, real: &Path) -> bool {
        self.hidden.own.iter().chain(&access::system()).any(|granted| real.starts_with(granted))
    }

    fn fits(&self) -> Result<(), PackError> {
        let fits = self.size <= self.limits.unpacked && self.tree.len() <= self.limits.entries;
        if fits { Ok(()) } else { Err(self.too_big()) }
    }

    fn too_big(&self) -> PackError {
        let (limits, dir) = (*self.limits, self.own.dir.clone());
        PackError::TooBig { dir, size: self.size, entries: self.tree.len(), limits, biggest: biggest(&self.tree) }
    }
}

impl Hidden {
    /// True for what is hidden itself, not for what lies in it.
    fn holds(&self, path: &Path) -> bool {
        let is_of_tournament = || {
            path.parent().is_some_and(|folder| is_tournament(folder) && hidden_of(folder).any(|hidden| hidden == path))
        };
        let is_listed = self.paths.contains(path) || is_tournament(path) || is_of_tournament();
        is_listed && !self.own.iter().any(|own| own.starts_with(path))
    }
}

/// The biggest files and folders at the top of a tree, or of the only folder there.
pub fn biggest(tree: &Tree) -> Big {
    let mut sizes: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    let depth = (1..8).find(|depth| tops(tree, *depth).len() > 1).unwrap_or(1);
    for (name, entry) in tree {
        let size = if let Entry::File { size, .. } = entry { *size } else { 0 };
        let sum = sizes.entry(top(name, depth)).or_default();
        *sum = (sum.0 + size, sum.1 + 1);
    }
    let mut sizes: Vec<(String, u64, usize)> = sizes
        .into_iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, (size, count))| (name.to_owned(), size, count))
        .collect();
    sizes.sort_by_key(|(_, size, count)| std::cmp::Reverse((*size, *count)));
    sizes.truncate(MOST_NAMED);
    Big(sizes)
}

fn tops(tree: &Tree, depth: usize) -> BTreeSet<&str> {
    tree.keys()
        .map(|name| top(name, depth))
        .filter(|name| name.split('/').count() == depth && !name.is_empty())
        .collect()
}

/// The first parts of a name.
fn top(name: &str, depth: usize) -> &str {
    name.match_indices('/').nth(depth - 1).map_or(name, |(end, _)| &name[..end])
}

/// True for a file that may be run.
#[cfg(unix)]
pub fn is_executable(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.permissions().mode() & 0o111 != 0
}

/// There are no such rights here.
#[cfg(not(unix))]
pub fn is_executable(_: &fs::Metadata) -> bool {
    true
}
