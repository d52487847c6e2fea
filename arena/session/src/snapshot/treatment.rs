//! Decides which entries of a bot's folder are copied, used in place, or left out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arena_config::files::small_text;
use arena_results::written;
use arena_sandbox::paths::resolved;
use arena_sandbox::scan::is_tournament;
use arena_sandbox::{Copied, access};
use arena_tournament::entrant::Program;

use super::COPIES;
use crate::content;

/// Names of build outputs, which are not sources. Names that begin with a dot are not sources either.
const BUILT: [&str; 2] = ["build", "target"];
/// The folder of Python's compiled modules.
const COMPILED: &str = "__pycache__";
/// The file that marks a cache folder that can be regenerated, such as Cargo's `target`.
const CACHE_TAG: &str = "CACHEDIR.TAG";

/// The treatment of an entry of a bot's folder.
pub enum Treatment {
    /// The entry is not part of the bot.
    LeaveOut,
    /// The entry is used in place; it may change without making the bot a different one.
    Link,
    /// The entry is part of the bot.
    Copy,
}

/// The rules that decide which files belong to a program.
pub struct Selection<'a> {
    program: &'a Program,
    /// The files named by the command, the targets of links to them, and the paths used in place.
    named: BTreeSet<PathBuf>,
    /// The working folder of the program.
    dir: PathBuf,
    /// True if everything is copied.
    takes_all: bool,
}

impl<'a> Selection<'a> {
    /// Creates the rules for the folders of a program.
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
            dir: original.dir.clone(),
            takes_all,
        }
    }

    /// Decides on an entry:
    ///
    /// - The working folder of the program is copied, even if the copy is empty.
    /// - Tournaments, copies of bots and compiled Python modules are left out.
    /// - Paths named by `read` and `cache` are used in place.
    /// - Everything that is installed, hidden, cached or written by the arena is also used in place, unless the command names it. But if
    ///   the bot is built or belongs to a class, hidden files, build outputs and files written by the arena are left out.
    pub fn treatment(&self, path: &Path, is_top: bool) -> Treatment {
        let Program { read, cache, .. } = self.program;
        let is_hidden = || is_top && is_hidden(path);
        let is_named = || self.is_named(path);
        if self.takes_all || self.dir.starts_with(path) {
            return Treatment::Copy;
        }
        if path.ends_with(COMPILED)
            || path.ends_with(COPIES)
            || is_tournament(path)
            || content::has_description_only(path)
            || content::is_just_begun(path)
            || is_tournament_file(path)
        {
            return Treatment::LeaveOut;
        }
        if read.iter().chain(cache).any(|kept| kept == path) {
            return Treatment::Link;
        }
        if self.is_plain() {
            let is_loose =
                (is_hidden() || self.is_cache(path) || written::is_ours(path)) && !is_named();
            return if is_loose || access::is_installed(path) {
                Treatment::Link
            } else {
                Treatment::Copy
            };
        }
        let is_built = is_top && BUILT.iter().any(|built| path.ends_with(built));
        let is_loose = is_hidden() || is_built || written::is_ours(path);
        if is_loose && (self.program.builds() || !is_named()) {
            return Treatment::LeaveOut;
        }
        Treatment::Copy
    }

    /// Returns `true` for a cache folder of a bot that may also read the original files.
    pub fn is_cache(&self, folder: &Path) -> bool {
        self.is_plain() && folder.join(CACHE_TAG).exists()
    }

    /// Returns `true` for files that belong to a bot even in a cache folder: those that its command names, and their siblings.
    pub fn is_kept(&self, path: &Path, is_folder: bool) -> bool {
        let has_parent = |named: &PathBuf| named.parent() == path.parent();
        self.is_named(path) || !is_folder && self.named.iter().any(has_parent)
    }

    /// Returns `true` for a bot that is neither built nor part of a class, and may therefore also read the originals of its files.
    fn is_plain(&self) -> bool {
        self.program.build.is_none() && !self.takes_all
    }

    /// Returns `true` for paths that the command names, and for their parents.
    fn is_named(&self, path: &Path) -> bool {
        self.named.iter().any(|named| named.starts_with(path))
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Returns `true` for a file that lists bots.
fn is_tournament_file(path: &Path) -> bool {
    let is_toml = path.extension().is_some_and(|ending| ending == "toml");
    is_toml && small_text(path).is_ok_and(|text| text.lines().any(|line| line.trim() == "[[bots]]"))
}
