//! Which entries of a bot's folder are copied, which are used where they lie, and which are left out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arena_config::files::{NOTHING, small_text};
use arena_sandbox::paths::resolved;
use arena_sandbox::scan::is_tournament;
use arena_sandbox::{Copied, access};
use arena_tournament::entrant::Program;

use super::COPIES;

/// The names in a folder that are no sources of a build, beside those that begin with a dot: what builds leave behind.
const BUILT: [&str; 2] = ["build", "target"];
/// Folder of Python's compiled modules.
const COMPILED: &str = "__pycache__";
/// The file that marks a folder of what can be made again, such as Cargo's `target`.
const CACHE_TAG: &str = "CACHEDIR.TAG";

/// The treatment of an entry of a folder: copied, left out or used where it lies.
pub enum Treatment {
    /// It is no part of the bot.
    LeaveOut,
    /// It is used where it lies, and may change without making another bot.
    Link,
    /// It is part of the bot.
    Copy,
}

/// Decides what belongs to a program.
pub struct Selection<'a> {
    program: &'a Program,
    /// The files that its command names, what they lead to by links, and what is used where it lies.
    named: BTreeSet<PathBuf>,
    /// True if everything is copied.
    takes_all: bool,
}

impl<'a> Selection<'a> {
    /// Selects from the folders of a program.
    pub fn new(program: &'a Program, original: &Copied, takes_all: bool) -> Self {
        let words = access::paths(&program.command).map(|word| resolved(&original.dir.join(word)));
        let led_to = words.flat_map(|path| {
            access::links(&path)
                .map(|path| resolved(&path))
                .collect::<Vec<_>>()
        });
        let named = led_to
            .chain(program.read.iter().chain(&program.cache).cloned())
            .collect();
        Self {
            program,
            named,
            takes_all,
        }
    }

    /// Decides about an entry. Tournaments, copies of bots and what Python compiles are no part of a bot. What `read` and `cache` name
    /// and, unless the command names it, what is installed, hidden or can be made again is used where it lies. Of a bot that is built or
    /// of a class, what is hidden or left behind by builds is left out instead.
    pub fn treatment(&self, path: &Path, is_top: bool) -> Treatment {
        let Program { read, cache, .. } = self.program;
        let is_hidden = || is_top && is_hidden(path);
        let is_named = || self.is_named(path);
        if self.takes_all {
            return Treatment::Copy;
        }
        if path.ends_with(COMPILED)
            || path.ends_with(COPIES)
            || is_tournament(path)
            || is_top && is_tournament_file(path)
        {
            return Treatment::LeaveOut;
        }
        if read.iter().chain(cache).any(|kept| kept == path) {
            return Treatment::Link;
        }
        if self.is_plain() {
            let is_loose = (is_hidden() || self.is_cache(path)) && !is_named();
            return if is_loose || access::is_installed(path) {
                Treatment::Link
            } else {
                Treatment::Copy
            };
        }
        let is_built = is_top && BUILT.iter().any(|built| path.ends_with(built));
        let has_build = self.program.build.as_deref() != Some(NOTHING);
        if (is_hidden() || is_built) && (has_build || !is_named()) {
            return Treatment::LeaveOut;
        }
        Treatment::Copy
    }

    /// True for a folder of what can be made again, of a bot that may also read the original.
    pub fn is_cache(&self, folder: &Path) -> bool {
        self.is_plain() && folder.join(CACHE_TAG).exists()
    }

    /// True for what belongs to a bot though it lies in a folder of what can be made again: what its command names, and files beside that.
    pub fn is_kept(&self, path: &Path, is_folder: bool) -> bool {
        let has_parent = |named: &PathBuf| named.parent() == path.parent();
        self.is_named(path) || !is_folder && self.named.iter().any(has_parent)
    }

    /// True for a bot that is not built and belongs to no class. It may also read the originals of what is copied.
    fn is_plain(&self) -> bool {
        self.program.build.is_none() && !self.takes_all
    }

    /// True for what the command names, and folders that hold it.
    fn is_named(&self, path: &Path) -> bool {
        self.named.iter().any(|named| named.starts_with(path))
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// True for a file that lists bots.
fn is_tournament_file(path: &Path) -> bool {
    let is_toml = path.extension().is_some_and(|ending| ending == "toml");
    is_toml && small_text(path).is_ok_and(|text| text.lines().any(|line| line.trim() == "[[bots]]"))
}
