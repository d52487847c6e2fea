//! The manifest of a bundle: the program in it, with paths that begin at the root of its tree.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
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

impl Manifest {
    /// The program in the tree that lies there.
    pub fn program(&self, tree: &Path) -> Program {
        let own = |name: &String| {
            if name.is_empty() {
                tree.to_path_buf()
            } else {
                tree.join(name)
            }
        };
        let word = |word: &Word| match word {
            Word::Text(text) => text.clone(),
            Word::Path(name) => own(name).display().to_string(),
        };
        let read = self
            .read
            .iter()
            .map(own)
            .chain(self.devices.iter().cloned())
            .collect();
        let command = self.command.iter().map(word).collect();
        Program {
            command,
            dir: own(&self.dir),
            env: self.env.clone(),
            read,
            cores: self.cores,
            ..Program::default()
        }
    }

    /// Checks what can be seen without the tree.
    pub fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.version == VERSION,
            "its layout has version {}, and this arena reads version {VERSION}: use the same arena everywhere",
            self.version
        );
        let is_text = |text: &str| !text.contains('\0');
        let all = || {
            self.command
                .iter()
                .map(|(Word::Text(text) | Word::Path(text))| text)
        };
        let is_command =
            all().next().is_some_and(|first| !first.is_empty()) && all().all(|text| is_text(text));
        ensure!(is_command, "its manifest has no command that can be run");
        for (name, value) in &self.env {
            let is_variable =
                !name.is_empty() && !name.contains('=') && is_text(name) && is_text(value);
            ensure!(
                is_variable,
                "its manifest sets the variable {name:?}, which cannot be set"
            );
        }
        for name in self.read.iter().chain([&self.dir]) {
            ensure!(name.is_empty() || names::is_plain(name), outside(name));
        }
        Ok(())
    }

    /// A word of the command that would lead out of the tree.
    pub fn leads_out(&self) -> Option<&str> {
        let depth = self.dir.split('/').filter(|part| !part.is_empty()).count();
        self.command.iter().find_map(|word| match word {
            Word::Path(name) => {
                (!name.is_empty() && !names::is_plain(name)).then_some(name.as_str())
            }
            Word::Text(text) => (!access::is_of_system(Path::new(text))
                && !names::stays(text, depth))
            .then_some(text.as_str()),
        })
    }

    /// Checks that all that the program would be let read lies in the tree or belongs to the machine.
    pub fn check_in(&self, tree: &Path) -> anyhow::Result<()> {
        ensure!(
            self.leads_out().is_none(),
            outside(self.leads_out().unwrap_or_default())
        );
        let program = self.program(tree);
        let is_real = |path: &Path| fs::canonicalize(path).is_ok_and(|real| real.starts_with(tree));
        let named = access::paths(&program.command).map(|word| program.dir.join(word));
        let led_to = named.flat_map(|path| access::follow(&path).collect::<Vec<_>>());
        let mut all = led_to.chain(self.read.iter().map(|name| tree.join(name)));
        let missing = match all.find(|path| !access::is_of_machine(path) && !is_real(path)) {
            None if !program.dir.is_dir() => Some(program.dir.clone()),
            missing => missing,
        };
        if let Some(path) = missing {
            bail!(outside(
                &path
                    .strip_prefix(tree)
                    .unwrap_or(&path)
                    .display()
                    .to_string()
            ));
        }
        for device in &self.devices {
            let what = device.display();
            ensure!(
                is_device(device),
                "it needs the device {what}, which this machine does not have: play it on one that does"
            );
        }
        Ok(())
    }
}

fn outside(text: &str) -> String {
    format!("its manifest names {text:?}, which leads out of it or is not there")
}

/// True for a device that may be read and written byte by byte, as a graphics processor.
pub fn is_device(path: &Path) -> bool {
    let is_character = |about: fs::Metadata| about.file_type().is_char_device();
    access::is_plain(path)
        && path.starts_with("/dev")
        && path.symlink_metadata().is_ok_and(is_character)
}
