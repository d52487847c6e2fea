//! A copy of a program's folder, and of the other files that its command names, with their relative locations preserved.

use std::path::{Path, PathBuf};

use arena_tournament::entrant::Program;
use serde::{Deserialize, Serialize};

use crate::access;
use crate::paths::resolved;

/// The files of a program, and the folder that holds their copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// Folder of the program.
    pub dir: PathBuf,
    /// The program's folder, and the paths elsewhere that its command names. No root contains another.
    pub roots: Vec<PathBuf>,
    /// The deepest folder that contains all roots.
    pub base: PathBuf,
    /// Copy of `base`.
    pub home: PathBuf,
}

impl Copied {
    /// Describes the files of a program in their original location, without a copy.
    pub fn in_place(program: &Program) -> Self {
        let dir = std::fs::canonicalize(&program.dir).unwrap_or_else(|_| program.dir.clone());
        let is_of_machine = |word: &str, path: &Path| {
            // A script next to libraries may be the bot itself.
            let is_started = word == program.command[0];
            access::is_of_system(path)
                || is_started && access::is_of_machine(path)
                || path.ancestors().any(access::is_installed)
        };
        let words = access::paths(&program.command).map(|word| (word, resolved(&dir.join(word))));
        let named =
            words.filter(|(_, path)| !program.read.iter().any(|read| path.starts_with(read)));
        let outside =
            named.filter(|(word, path)| !path.starts_with(&dir) && !is_of_machine(word, path));
        let outside = outside.filter_map(|(_, path)| {
            let path = std::fs::canonicalize(path.parent()?)
                .ok()?
                .join(path.file_name()?);
            let root = if path.is_file() {
                access::around(&path)
            } else {
                path
            };
            (root.is_file() || root.is_dir() && !access::is_too_much(&root)).then_some(root)
        });
        let mut roots: Vec<PathBuf> = outside.chain([dir.clone()]).collect();
        // In a sorted list, a folder precedes its content.
        roots.sort();
        roots.dedup_by(|inner, outer| inner.starts_with(outer));
        let holds = |above: &&Path| roots.iter().all(|root| root.starts_with(above));
        let base = dir
            .ancestors()
            .find(holds)
            .unwrap_or(Path::new("/"))
            .to_path_buf();
        Self {
            dir,
            roots,
            home: base.clone(),
            base,
        }
    }

    /// Returns true for a path within one of the roots.
    pub fn holds(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Maps a path within a root to its copy; returns other paths unchanged.
    pub fn at(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.base) {
            Ok(rest) if self.holds(path) => self.home.join(rest),
            _ => path.to_path_buf(),
        }
    }

    /// Replaces absolute paths of copied files in a text. Paths of files that do not exist yet are left unchanged.
    pub fn in_text(&self, text: &str) -> String {
        let is_end =
            |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
        let mut text = text.to_owned();
        for (root, copy) in self
            .roots
            .iter()
            .filter_map(|root| Some((root.to_str()?, self.at(root))))
        {
            let Some(copy) = copy.to_str().filter(|copy| *copy != root) else {
                continue;
            };
            let mut parts = text.split(root);
            let mut mapped = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let begins = !mapped.ends_with(|c: char| c.is_alphanumeric() || "-_./".contains(c));
                let rest = part
                    .split(|c: char| c.is_whitespace() || ":;,='\"".contains(c))
                    .next()
                    .unwrap_or_default();
                let is_copied =
                    begins && is_end(part) && Path::new(&format!("{copy}{rest}")).exists();
                mapped += if is_copied { copy } else { root };
                mapped += part;
            }
            text = mapped;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beside_each_other_does_so_in_the_copy() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let base = std::fs::canonicalize(folder.path()).unwrap();
        for file in ["a/bot.py", "common/run.py", "data/w.bin"].map(|file| base.join(file)) {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let command = |words: &str| words.split(' ').map(str::to_owned).collect();
        let program = |words: &str| Program {
            command: command(words),
            dir: base.join("a"),
            ..Program::default()
        };
        let alone = Copied::in_place(&program("python3 bot.py / /tmp /usr/bin/env"));
        assert_eq!(
            (&alone.roots, &alone.base),
            (&vec![base.join("a")], &base.join("a"))
        );
        let mut both = Copied::in_place(&program("python3 ../common/run.py"));
        assert_eq!(
            (&both.roots, &both.base),
            (&vec![base.join("a"), base.join("common")], &base)
        );
        let read = vec![base.join("data")];
        let reads = Copied::in_place(&Program {
            read,
            ..program("python3 bot.py ../data/w.bin")
        });
        assert_eq!(reads.roots, [base.join("a")]);
        both.home = "/copy".into();
        assert_eq!(
            both.at(&base.join("common/run.py")),
            Path::new("/copy/common/run.py")
        );
        assert_eq!(both.at(&base.join("data/w.bin")), base.join("data/w.bin"));
        let copy = tempfile::tempdir_in("/var/tmp").unwrap();
        for folder in ["a", "common/x"] {
            std::fs::create_dir_all(copy.path().join(folder)).unwrap();
        }
        both.home = copy.path().into();
        let (old, new) = (base.display(), copy.path().display());
        let text = format!("{old}/a:{old}/ab:/x{old}/a={old}/common/x {old}/a/log");
        assert_eq!(
            both.in_text(&text),
            format!("{new}/a:{old}/ab:/x{old}/a={new}/common/x {old}/a/log")
        );
    }
}
