//! Help for a bot whose log says that a module or file is missing. The usual cause is a package installed with `pip --user`, or a relative
//! path.

use std::fs;
use std::path::{Path, PathBuf};

use arena_results::faults::log;
use arena_tournament::spec::Isolation;

/// Explains where the missing module or file may be, for a bot that runs in this folder.
pub fn help(text: &str, dir: &Path, isolation: Isolation) -> Option<String> {
    let error = log::error(text)?;
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match module(&error) {
        Some(name) if isolation != Isolation::Off => package(&home?, name),
        Some(_) => None,
        None => file(&error, dir),
    }
}

/// Returns the name of the Python module that is missing according to the error.
fn module(error: &str) -> Option<&str> {
    let (_, name) = error.split_once("No module named '")?;
    name.split(['\'', '.']).next()
}

/// Returns advice if the package is installed for the current user only.
fn package(home: &Path, name: &str) -> Option<String> {
    let versions = fs::read_dir(home.join(".local/lib")).ok()?;
    let sites = versions
        .flatten()
        .map(|version| version.path().join("site-packages"));
    let is_in =
        |site: &PathBuf| site.join(name).is_dir() || site.join(format!("{name}.py")).is_file();
    let mut sites: Vec<PathBuf> = sites.filter(is_in).collect();
    sites.sort();
    let site = sites.pop()?.display().to_string();
    Some(format!(
        "{name} was installed with pip --user, and isolated bots do not see {site}. Start the bot with the Python of a virtual environment: \
         python3 -m venv venv, venv/bin/pip install {name}, venv/bin/python in its command. Or add --read {site} --env \
         PYTHONPATH={site}"
    ))
}

/// Returns advice if the error names a missing file by a relative path.
fn file(error: &str, dir: &Path) -> Option<String> {
    let lower = error.to_lowercase();
    if !["no such file", "enoent"]
        .iter()
        .any(|words| lower.contains(words))
    {
        return None;
    }
    let path = error
        .split(['\'', '"'])
        .nth(1)
        .filter(|path| !path.is_empty() && !path.starts_with('/'))?;
    let shown = dir.display();
    let real = dir.join(path).canonicalize().ok();
    if let Some(real) = &real
        && !real.starts_with(dir.canonicalize().ok()?)
    {
        // Leave paths outside the folder to the help on isolation.
        return None;
    }
    Some(if real.is_some() {
        format!(
            "{path} is in its folder {shown}, but not in the copy that it plays from: see \"Folders\" in TOURNAMENTS.md, or add --read {path}"
        )
    } else {
        format!(
            "it runs in the folder {shown}, and there is no {path} in it: write the path from there, or set `dir` (--dir)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_is_looked_for() {
        let home = tempfile::tempdir().unwrap();
        let site = home.path().join(".local/lib/python3.11/site-packages");
        fs::create_dir_all(site.join("numpy")).unwrap();
        let name = module("ModuleNotFoundError: No module named 'numpy.linalg'").unwrap();
        let said = package(home.path(), name).unwrap();
        assert!(
            said.contains(&format!("--read {0} --env PYTHONPATH={0}", site.display())),
            "{said}"
        );
        assert_eq!(package(home.path(), "scipy"), None);
        let python = "FileNotFoundError: [Errno 2] No such file or directory: 'weights.bin'";
        let node = "Error: ENOENT: no such file or directory, open 'weights.bin'";
        for error in [python, node] {
            let said = help(error, home.path(), Isolation::default()).unwrap();
            let expected = format!(
                "runs in the folder {}, and there is no weights.bin",
                home.path().display()
            );
            assert!(said.contains(&expected), "{said}");
        }
        assert_eq!(
            file(&python.replace("weights", "/weights"), home.path()),
            None
        );
        fs::write(home.path().join("weights.bin"), "").unwrap();
        assert!(
            file(python, home.path())
                .unwrap()
                .contains("not in the copy")
        );
    }
}
