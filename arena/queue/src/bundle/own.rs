//! What of a machine is a program's own, and so travels with it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use arena_tournament::entrant::Program;

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
pub fn of(program: &Program) -> anyhow::Result<Own> {
    let dir = fs::canonicalize(&program.dir).with_context(|| cannot_pack(&program.dir))?;
    let (devices, read): (_, Vec<PathBuf>) = program
        .read
        .iter()
        .cloned()
        .partition(|path| is_device(path));
    let mut own = Own {
        roots: Vec::new(),
        named: Vec::new(),
        read: Vec::new(),
        dir,
        devices,
    };
    own.add(own.dir.clone())?;
    for path in read.iter().filter(|path| !is_of_system(path)) {
        let path = settled(path)?;
        own.read.push(path.clone());
        own.add(path)?;
    }
    for word in access::paths(&program.command) {
        for path in access::links(&own.dir.join(word)).collect::<Vec<_>>() {
            own.add_named(&path)?;
        }
    }
    check_interpreter(program, &own.dir)?;
    let roots = own.roots.clone();
    own.roots.retain(|path| {
        !roots
            .iter()
            .any(|outer| path != outer && path.starts_with(outer))
    });
    own.roots.sort();
    own.roots.dedup();
    Ok(own)
}

/// Checks that a script that is a program itself names an interpreter that every machine has.
fn check_interpreter(program: &Program, dir: &Path) -> anyhow::Result<()> {
    let Some(path) = program.command.first().map(|word| dir.join(word)) else {
        return Ok(());
    };
    match access::links(&path)
        .last()
        .and_then(|path| access::shebang(&path))
    {
        Some(interpreter) if !is_of_system(&interpreter) => bail!(
            "the first line of {} names {}, which workers may not have: write #!/usr/bin/env and the interpreter's name",
            path.display(),
            interpreter.display()
        ),
        _ => Ok(()),
    }
}

impl Own {
    /// The innermost folder that holds all of it.
    pub fn base(&self) -> &Path {
        let holds = |above: &&Path| self.roots.iter().all(|root| root.starts_with(above));
        self.dir.ancestors().find(holds).unwrap_or(&self.dir)
    }

    fn holds(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Adds a file or folder, unless it belongs to an installation or to more than one program.
    fn add(&mut self, path: PathBuf) -> anyhow::Result<()> {
        check_environment(&path)?;
        ensure!(
            !path.is_dir() || !access::is_too_much(&path),
            "{} contains files that are not the bot's: move the bot to a folder of its own, and name that as its `dir`",
            path.display()
        );
        self.roots.push(path);
        Ok(())
    }

    /// Adds what the command names, a file alone, unless every machine has it.
    fn add_named(&mut self, path: &Path) -> anyhow::Result<()> {
        let path = settled(path)?;
        if is_of_system(&path) && !self.holds(&path) {
            return Ok(());
        }
        check_environment(&path)?;
        self.named.push(path.clone());
        if self.holds(&path) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&path);
        access::installation(folder)
            .map_or(Ok(()), |installation| installed(&path, installation))?;
        self.add(path)
    }
}

/// Checks that no virtual environment holds a path.
fn check_environment(path: &Path) -> anyhow::Result<()> {
    path.ancestors()
        .find(|above| is_environment(above))
        .map_or(Ok(()), |environment| installed(path, environment))
}

fn installed(path: &Path, installation: &Path) -> anyhow::Result<()> {
    bail!(
        "{} belongs to {}, an installation of this machine, which does not travel: name an interpreter that every worker has on \
         its PATH (such as python3), or put what the bot needs into the container image of the workers",
        path.display(),
        installation.display()
    )
}

/// True for the folder of a virtual environment.
pub fn is_environment(folder: &Path) -> bool {
    ENVIRONMENT.iter().any(|name| folder.join(name).exists())
}

/// A path of which only the last part may be a link.
pub fn settled(path: &Path) -> anyhow::Result<PathBuf> {
    let settled = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => fs::canonicalize(parent).map(|parent| parent.join(name)),
        _ => fs::canonicalize(path),
    };
    settled.with_context(|| cannot_pack(path))
}

pub fn cannot_pack(path: &Path) -> String {
    format!("cannot pack {}", path.display())
}
