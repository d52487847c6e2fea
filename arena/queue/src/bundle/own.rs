//! What of a machine is a program's own, and so travels with it.

use std::fs;
use std::path::{Path, PathBuf};

use arena_tournament::entrant::Program;

use super::error::PackError;
use super::manifest::is_device;
use arena_sandbox::access::{self, is_of_system};

/// What a virtual environment has, and one of conda.
const ENVIRONMENT: [&str; 2] = ["pyvenv.cfg", "conda-meta"];

/// The files and folders that are a program's own, by their paths of which only the last part may be a link.
#[derive(Debug)]
pub struct Own {
    /// The folder in which it runs.
    pub dir: PathBuf,
    /// What travels: its folder, what its command names and what `read` adds; none lies in another.
    pub roots: Vec<PathBuf>,
    /// What the command names, and what that leads to: it travels whatever is ignored.
    pub named: Vec<PathBuf>,
    /// What it may read beside its folder.
    pub read: Vec<PathBuf>,
    /// The devices that it may use.
    pub devices: Vec<PathBuf>,
}

/// Finds what is a program's own.
pub fn of(program: &Program) -> Result<Own, PackError> {
    let dir = fs::canonicalize(&program.dir).map_err(|why| PackError::Io { path: program.dir.clone(), why })?;
    let (devices, read) = program.read.iter().cloned().partition(|path: &PathBuf| is_device(path));
    let mut own = Own { roots: Vec::new(), named: Vec::new(), read: Vec::new(), dir, devices };
    own.add(own.dir.clone())?;
    let read: Vec<PathBuf> = read;
    for path in read.iter().filter(|path| !is_of_system(path)) {
        let path = settled(path)?;
        own.read.push(path.clone());
        own.add(path)?;
    }
    for word in access::paths(&program.command) {
        for path in access::links(&own.dir.join(word)).collect::<Vec<_>>() {
            own.name(&path)?;
        }
    }
    check_interpreter(program, &own)?;
    let roots = own.roots.clone();
    own.roots.retain(|path| !roots.iter().any(|outer| path != outer && path.starts_with(outer)));
    own.roots.sort();
    own.roots.dedup();
    Ok(own)
}

/// Checks that a script that is a program itself names an interpreter that every machine has.
fn check_interpreter(program: &Program, own: &Own) -> Result<(), PackError> {
    let Some(path) = program.command.first().map(|word| own.dir.join(word)) else { return Ok(()) };
    match access::links(&path).last().and_then(|path| access::shebang(&path)) {
        Some(interpreter) if !is_of_system(&interpreter) => Err(PackError::Interpreter { path, interpreter }),
        _ => Ok(()),
    }
}

impl Own {
    /// The innermost folder that holds all of it.
    pub fn base(&self) -> PathBuf {
        let folder = |path: &'_ PathBuf| match path.parent() {
            Some(parent) if !path.is_dir() => parent.to_path_buf(),
            _ => path.clone(),
        };
        let folders: Vec<PathBuf> = self.roots.iter().map(folder).collect();
        let holds = |above: &&Path| folders.iter().all(|folder| folder.starts_with(above));
        self.dir.ancestors().find(holds).unwrap_or(&self.dir).to_path_buf()
    }

    /// True for what lies in what travels.
    pub fn holds(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Adds a file or folder, unless it belongs to an installation or to more than one program.
    fn add(&mut self, path: PathBuf) -> Result<(), PackError> {
        if let Some(installation) = environment(&path) {
            return Err(PackError::Installed { path, installation });
        }
        if path.is_dir() && access::is_too_much(&path) {
            return Err(PackError::Shared { path });
        }
        self.roots.push(path);
        Ok(())
    }

    /// Adds what the command names, with its folder, unless every machine has it.
    fn name(&mut self, path: &Path) -> Result<(), PackError> {
        let path = settled(path)?;
        if is_of_system(&path) && !self.holds(&path) {
            return Ok(());
        }
        if let Some(installation) = environment(&path) {
            return Err(PackError::Installed { path, installation });
        }
        self.named.push(path.clone());
        if self.holds(&path) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&path);
        if let Some(installation) = access::installation(folder).map(Path::to_path_buf) {
            return Err(PackError::Installed { path, installation });
        }
        self.add(if access::is_on_path(folder) { path } else { access::around(&path) })
    }
}

/// The virtual environment that holds a path, if one does.
fn environment(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|above| is_environment(above)).map(Path::to_path_buf)
}

/// True for the folder of a virtual environment.
pub fn is_environment(folder: &Path) -> bool {
    ENVIRONMENT.iter().any(|name| folder.join(name).exists())
}

/// A path of which only the last part may be a link.
pub fn settled(path: &Path) -> Result<PathBuf, PackError> {
    let failed = |why| PackError::Io { path: path.to_path_buf(), why };
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(fs::canonicalize(parent).map_err(failed)?.join(name)),
        _ => fs::canonicalize(path).map_err(failed),
    }
}
