//! Creates a bot's private working directory, with links to its own files. It is placed so that relative paths to the bot's other readable
//! files work.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::process_dir::{ProcessDir, create_private, create_traversable};

/// Maximum number of entries in a bot's folder.
const MAX_ENTRIES: usize = 10_000;

/// Returns the path of a bot's working directory within its process folder. It is as deep as the bot's folder is within the deepest folder
/// that also contains its other readable files.
pub fn place(process: &ProcessDir, dir: &Path, read: &[PathBuf]) -> PathBuf {
    let shared = shared(dir, read);
    process
        .outer()
        .join(dir.strip_prefix(shared).unwrap_or(Path::new("")))
}

/// Creates the working directory of a bot and its surroundings. Links lead to the given files; hidden entries are left out.
pub fn create(
    process: &ProcessDir,
    [dir, home]: [&Path; 2],
    read: &[PathBuf],
    hidden: &[PathBuf],
) -> Result<(), String> {
    let shared = shared(dir, read);
    let mirrored = |path: &Path| {
        path.strip_prefix(shared)
            .ok()
            .map(|rest| process.outer().join(rest))
    };
    let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    let make = |path: &Path| {
        let Some(made) = mirrored(path) else {
            return Ok(());
        };
        let done = if path == dir {
            create_private(&made)
        } else {
            create_traversable(&made).or_else(there_already)
        };
        done.map_err(|error| failed(&made, error))
    };
    between(shared, dir).into_iter().rev().try_for_each(make)?;
    for path in beside(shared, dir, read) {
        if dir.starts_with(path) {
            for level in between(path, dir).into_iter().filter(|level| *level != dir) {
                link_entries(level, &mirrored(level).unwrap_or_default(), hidden)?;
            }
        } else if let Some(link) = mirrored(path) {
            let above = path.parent().unwrap_or(path);
            between(shared, above)
                .into_iter()
                .rev()
                .try_for_each(make)?;
            symlink(path, &link)
                .or_else(there_already)
                .map_err(|error| failed(&link, error))?;
        }
    }
    link_entries(home, &place(process, dir, read), hidden)
}

/// Returns the deepest folder that contains the bot's folder and its other readable files. Ignores files that share no such folder with the
/// bot.
fn shared<'a>(dir: &'a Path, read: &[PathBuf]) -> &'a Path {
    let holding = |path: &PathBuf| {
        dir.ancestors()
            .find(|above| path.starts_with(above))
            .filter(|above| above.parent().is_some())
    };
    read.iter()
        .filter_map(holding)
        .min_by_key(|above| above.components().count())
        .unwrap_or(dir)
}

/// Returns the readable paths in the shared folder that lie neither in the bot's own folder nor in another readable path.
fn beside<'a>(shared: &Path, dir: &Path, read: &'a [PathBuf]) -> Vec<&'a PathBuf> {
    let is_within = |path: &Path, outer: &Path| path != outer && path.starts_with(outer);
    let is_beside = |path: &&PathBuf| {
        let held = read.iter().any(|outer| is_within(path, outer));
        path.starts_with(shared) && !path.starts_with(dir) && !held
    };
    read.iter().filter(is_beside).collect()
}

/// Returns a folder and its ancestors up to `outer`.
fn between<'a>(outer: &Path, inner: &'a Path) -> Vec<&'a Path> {
    inner
        .ancestors()
        .take_while(|path| path.starts_with(outer))
        .collect()
}

/// Links every entry of one folder into another, except hidden and existing ones.
fn link_entries(from: &Path, to: &Path, hidden: &[PathBuf]) -> Result<(), String> {
    let failed = |error: io::Error| format!("{}: {error}", from.display());
    for (count, entry) in fs::read_dir(from).map_err(failed)?.enumerate() {
        let entry = entry.map_err(failed)?;
        if count >= MAX_ENTRIES {
            let shown = from.display();
            return Err(format!(
                "{shown} holds more than {MAX_ENTRIES} entries: give the bot a separate folder"
            ));
        }
        if !hidden.contains(&entry.path()) {
            symlink(entry.path(), to.join(entry.file_name()))
                .or_else(there_already)
                .map_err(failed)?;
        }
    }
    Ok(())
}

/// Ignores the error that a file or folder already exists.
fn there_already(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::AlreadyExists {
        Ok(())
    } else {
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_lead_to_what_may_be_read_and_to_nothing_else() {
        let (folder, processes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let home = fs::canonicalize(folder.path()).unwrap();
        for file in [
            "bots/mine/deep/a.txt",
            "bots/mine/b.txt",
            "bots/common/c.txt",
            "bots/rival/d.txt",
            "data/e.txt",
        ] {
            fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
            fs::write(home.join(file), file).unwrap();
        }
        let dir = home.join("bots/mine");
        let seen = |read: &[&str], number: &str| {
            let process = ProcessDir(processes.path().join(number));
            create_traversable(&process.0).unwrap();
            let read: Vec<PathBuf> = read.iter().map(|path| home.join(path)).collect();
            create(&process, [&dir, &dir], &read, &[]).unwrap();
            let work = place(&process, &dir, &read);
            fs::write(work.join("new.txt"), "").unwrap();
            assert!(!dir.join("new.txt").exists());
            let paths = [
                "b.txt",
                "deep/a.txt",
                "../common/c.txt",
                "../rival/d.txt",
                "../../data/e.txt",
            ];
            paths.map(|path| u8::from(work.join(path).exists()))
        };
        assert_eq!(seen(&[], "0"), [1, 1, 0, 0, 0]);
        assert_eq!(seen(&["bots/common"], "1"), [1, 1, 1, 0, 0]);
        assert_eq!(
            seen(&["bots/common/c.txt", "data", "bots/mine/deep"], "2"),
            [1, 1, 1, 0, 1]
        );
        assert_eq!(seen(&["bots"], "3"), [1, 1, 1, 1, 0]);
        assert_eq!(seen(&["", "bots/rival"], "4"), [1, 1, 1, 1, 1]);
    }
}
