#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
//! Bundles from one folder to another.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use arena_tournament::entrant::Program;
use tempfile::TempDir;

use super::*;

/// A folder with these files; one that ends with a / is a folder, and `a -> b` is a link.
pub fn folder(files: &[&str]) -> (TempDir, PathBuf) {
    let temporary = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(temporary.path()).unwrap();
    for file in files {
        let (name, link) = file.split_once(" -> ").map_or((*file, None), |(name, to)| (name, Some(to)));
        let path = home.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match link {
            Some(to) => std::os::unix::fs::symlink(to, path).unwrap(),
            None if name.ends_with('/') => fs::create_dir_all(path).unwrap(),
            None => fs::write(path, name).unwrap(),
        }
    }
    (temporary, home)
}

/// The program of a command that runs in a folder.
pub fn program(dir: &Path, command: &str) -> Program {
    let command = command.split(' ').map(str::to_owned).collect();
    Program { command, dir: dir.to_path_buf(), ..Program::default() }
}

/// What lies in a folder: what files hold, and where links lead.
pub fn listed(folder: &Path) -> BTreeMap<String, String> {
    let entries = ignore::WalkBuilder::new(folder).standard_filters(false).build();
    let describe = |entry: ignore::DirEntry| {
        let name = entry.path().strip_prefix(folder).unwrap().display().to_string();
        let kind = entry.file_type().unwrap();
        let what = if kind.is_dir() {
            "/".to_owned()
        } else if kind.is_symlink() {
            format!("-> {}", fs::read_link(entry.path()).unwrap().display())
        } else {
            fs::read_to_string(entry.path()).unwrap()
        };
        (name, what)
    };
    entries.map(|entry| describe(entry.unwrap())).filter(|(name, _)| !name.is_empty()).collect()
}

/// Packs a program and unpacks it into a cache.
fn travelled(program: &Program, cache: &Path) -> Unpacked {
    let bundle = pack(program, &[]).unwrap();
    unpack(bundle.archive.as_slice(), cache, &bundle.sha256).unwrap()
}

#[test]
fn a_folder_travels_as_it_is() {
    let (_home, dir) = folder(&["bot.py", "net/weights.bin", "empty/", "latest -> net/weights.bin", "nets -> net"]);
    let (_cache, cache) = folder(&[]);
    let there = travelled(&program(&dir, "python3 -u bot.py"), &cache);
    assert_eq!(listed(&there.program.dir), listed(&dir));
    assert_eq!(there.program.command, ["python3", "-u", "bot.py"]);
}
