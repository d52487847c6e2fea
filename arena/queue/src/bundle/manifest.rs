//! The manifest of a bundle: the program in it, with paths that begin at the root of its tree.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use arena_tournament::entrant::{Cores, Program};
use serde::{Deserialize, Serialize};

use super::names;
use arena_sandbox::access;

/// The version of this layout.
pub const VERSION: u32 = 1;
/// The name of the manifest in an archive.
pub const NAME: &str = "manifest.json";
/// The folder of an archive, and of a bundle that is unpacked, in which the tree lies.
pub const TREE: &str = "tree";
/// The most bytes of a manifest.
pub const LONGEST: u64 = 256 << 10;

/// A program in a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the layout.
    pub version: u32,
    /// The program and its arguments.
    pub command: Vec<Word>,
    /// The name of the folder in which it runs.
    pub dir: String,
    /// The names of what it may read beside.
    pub read: Vec<String>,
    /// The devices that it may use.
    pub devices: Vec<PathBuf>,
    /// The variables that are added to its environment, as they were: a path in one stays what it is.
    pub env: BTreeMap<String, String>,
    /// On which cores it may compute.
    pub cores: Cores,
}

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// A word that means the same everywhere; as a path it begins at the program's folder, or is one of the system.
    Text(String),
    /// The name of an entry of the tree.
    Path(String),
}

/// Why a manifest is refused.
#[derive(Debug, thiserror::Error)]
pub enum BadManifest {
    /// It is of another version.
    #[error("its layout has version {0}, and this arena reads version {VERSION}: take the same arena everywhere")]
    Version(u32),
    /// It names a path that is not in the tree, or that leads out of it.
    #[error("its manifest names {0:?}, which leads out of it or is not there")]
    Outside(String),
    /// It needs a device that is not here.
    #[error("it needs the device {0}, which this machine does not have: play it on one that does")]
    NoDevice(PathBuf),
    /// The command is empty, or cannot be run.
    #[error("its manifest has no command that can be run")]
    Command,
    /// A variable cannot be set.
    #[error("its manifest sets the variable {0:?}, which cannot be set")]
    Variable(String),
}

impl Manifest {
    /// The program in the tree that lies there.
    pub fn program(&self, tree: &Path) -> Program {
        let own = |name: &String| if name.is_empty() { tree.to_path_buf() } else { tree.join(name) };
        let word = |word: &Word| match word {
            Word::Text(text) => text.clone(),
            Word::Path(name) => own(name).display().to_string(),
        };
        let read = self.read.iter().map(own).chain(self.devices.iter().cloned()).collect();
        let command = self.command.iter().map(word).collect();
        Program { command, dir: own(&self.dir), env: self.env.clone(), read, cores: self.cores }
    }

    /// Checks what can be seen without the tree.
    pub fn check(&self) -> Result<(), BadManifest> {
        if self.version != VERSION {
            return Err(BadManifest::Version(self.version));
        }
        let texts = || {
            self.command.iter().map(|word| match word {
                Word::Text(text) | Word::Path(text) => text,
            })
        };
        if texts().next().is_none_or(String::is_empty) || texts().any(|text| text.contains('\0')) {
            return Err(BadManifest::Command);
        }
        let is_bad =
            |(name, value): &(&String, &String)| name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
        if let Some((name, _)) = self.env.iter().find(is_bad) {
            return Err(BadManifest::Variable(name.clone()));
        }
        let paths = self.command.iter().filter_map(|word| if let Word::Path(name) = word { Some(name) } else { None });
        let mut names = paths.chain(&self.read).chain([&self.dir]);
        let bad = names.find(|name| !name.is_empty() && !names::is_plain(name));
        bad.or_else(|| self.command.iter().find_map(|word| self.leads_out(word)))
            .map_or(Ok(()), |text| Err(BadManifest::Outside(text.clone())))
    }

    /// The text of a word that would lead out of the tree.
    fn leads_out<'a>(&self, word: &'a Word) -> Option<&'a String> {
        let Word::Text(text) = word else { return None };
        let depth = self.dir.split('/').filter(|part| !part.is_empty()).count();
        (!access::is_of_system(Path::new(text)) && !names::stays(text, depth)).then_some(text)
    }

    /// Checks that all that the program would be let read lies in the tree or belongs to the machine.
    pub fn check_in(&self, tree: &Path) -> Result<(), BadManifest> {
        let program = self.program(tree);
        let outside = |path: &Path| BadManifest::Outside(path.strip_prefix(tree).unwrap_or(path).display().to_string());
        if !program.dir.is_dir() {
            return Err(outside(&program.dir));
        }
        if let Some(missing) = self.devices.iter().find(|device| !is_device(device)) {
            return Err(BadManifest::NoDevice(missing.clone()));
        }
        let named = access::paths(&program.command).map(|word| program.dir.join(word));
        let led_to = named.flat_map(|path| access::follow(&path).collect::<Vec<_>>());
        let mut all = led_to.chain(self.read.iter().map(|name| tree.join(name)));
        let is_real = |path: &Path| fs::canonicalize(path).is_ok_and(|real| real.starts_with(tree));
        let is_in = |path: &Path| access::is_of_machine(path) || is_real(path);
        all.find(|path| !is_in(path)).map_or(Ok(()), |path| Err(outside(&path)))
    }
}

/// True for a device that may be read and written byte by byte, as a graphics processor.
#[cfg(unix)]
pub fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let is_character = |about: fs::Metadata| about.file_type().is_char_device();
    access::is_plain(path) && path.starts_with("/dev") && path.symlink_metadata().is_ok_and(is_character)
}

/// There are none here.
#[cfg(not(unix))]
pub fn is_device(_: &Path) -> bool {
    false
}
