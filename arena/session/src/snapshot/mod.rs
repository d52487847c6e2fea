//! Hashes and copies all files from which a program runs or is built.
//!
//! A folder's author may change it at any time. Each entry is therefore opened relative to its parent folder, without following links. A
//! link to a path within the folder is kept as it is. Other links also keep their targets, but the bot cannot read these.

mod treatment;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use arena_sandbox::Copied;
use arena_sandbox::access::{self, is_trusted, paths, system};
use arena_sandbox::paths::resolved;
use arena_tournament::entrant::{Bot, HashedFile, Program, SOURCES};
use arena_tournament::spec::Spec;
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use sha2::{Digest, Sha256};

use crate::sha256;

use self::treatment::{Selection, Treatment};

/// The folder of all copies within the user's cache. It may itself lie in a bot's folder.
pub const COPIES: &str = "coda-arena/built";
/// Maximum number of files and folders.
const MAX_ENTRIES: usize = 10_000;
/// Maximum total size of the files.
const MAX_BYTES: u64 = 512 << 20;
/// Maximum nesting depth of folders.
const MAX_DEPTH: usize = 100;

/// Returns a tournament with the current files of each bot.
pub fn with_files(mut spec: Spec) -> Spec {
    for entrant in &mut spec.bots {
        entrant.files = files(&entrant.bot);
    }
    spec
}

/// Returns the hashes of the files named by a bot's command, and of everything from which it runs. Interpreters found on the PATH belong to
/// the machine and are not included. For a bot that is built, only its sources are hashed.
fn files(bot: &Bot) -> Vec<HashedFile> {
    let Bot::Program(program) = bot else {
        return Vec::new();
    };
    let named = access::paths(&program.command).filter(|_| program.build.is_none());
    let named = named.filter_map(|word| {
        let path = program.dir.join(word);
        let sha256 = path.is_file().then(|| sha256::of_file(&path))?.ok()?;
        let file = word.to_owned();
        Some(HashedFile { file, sha256 })
    });
    let sources = hash(program).ok().map(|sha256| HashedFile {
        file: SOURCES.into(),
        sha256,
    });
    named.chain(sources).collect()
}

/// Returns the SHA-256 of a program's files. The hash of a program that is built covers everything that the build sees: sources, command,
/// variables, and the content of paths that the program may read.
pub fn hash(program: &Program) -> io::Result<String> {
    Snapshot::new(program, &Copied::in_place(program), false).take()
}

/// Checks that a program can be copied.
///
/// # Errors
/// If the program is too large, or its command names a link that leads out of its folder. The error tells the author how to fix it.
pub fn check(program: &Program) -> Result<(), String> {
    check_links(&program.command, &Copied::in_place(program), &program.read)?;
    hash(program).map(drop).map_err(|error| error.to_string())
}

/// Checks that no word of a command leads, through a link in a bot's folder, to a file that the bot may not read.
pub fn check_links(command: &[String], copied: &Copied, read: &[PathBuf]) -> Result<(), String> {
    let allowed: Vec<PathBuf> = system().into_iter().chain(read.iter().cloned()).collect();
    let own: Vec<PathBuf> = copied
        .roots
        .iter()
        .filter_map(|root| fs::canonicalize(copied.at(root)).ok())
        .collect();
    for word in paths(command) {
        let path = resolved(&copied.at(&copied.dir).join(word));
        let Some(real) = fs::canonicalize(&path)
            .ok()
            .filter(|_| own.iter().any(|own| path.starts_with(own)))
        else {
            continue;
        };
        if !own.iter().any(|own| real.starts_with(own)) && !is_trusted(&real, &allowed) {
            let to = real.display();
            return Err(format!(
                "{word} is a link to {to}, which is not in its folder: put the file there, or name it in the tournament's `read`"
            ));
        }
    }
    Ok(())
}

/// Copies a program's files, and returns their hash. The copied files are readable for every user who can reach the copy.
pub fn copy(program: &Program, copied: &Copied) -> io::Result<String> {
    copy_with(program, copied, 0o755, false)
}

/// Copies a program's sources. The copied files are writable for any user that builds the program.
pub fn copy_sources(program: &Program, copied: &Copied) -> io::Result<String> {
    copy_with(program, copied, 0o777, false)
}

/// Copies all files that a build has left in a folder.
pub fn copy_built(folder: &Path, to: &Path) -> io::Result<()> {
    let program = all_of(folder);
    let copied = Copied {
        home: to.into(),
        ..Copied::in_place(&program)
    };
    copy_with(&program, &copied, 0o755, true).map(drop)
}

/// Returns the SHA-256 of everything in a folder, or of a file.
pub fn hash_all(path: &Path) -> io::Result<String> {
    let program = all_of(path);
    Snapshot::new(&program, &Copied::in_place(&program), true).take()
}

/// Returns a program that consists of everything in a folder, all of which is copied.
fn all_of(folder: &Path) -> Program {
    Program {
        dir: folder.into(),
        ..Program::default()
    }
}

fn copy_with(program: &Program, copied: &Copied, mode: u32, takes_all: bool) -> io::Result<String> {
    Snapshot {
        copied: Some(copied),
        mode,
        ..Snapshot::new(program, copied, takes_all)
    }
    .take()
}

/// A pass over the files of a program.
struct Snapshot<'a> {
    program: &'a Program,
    original: Copied,
    selection: Selection<'a>,
    /// The destination of the copy; `None` to compute only the hash.
    copied: Option<&'a Copied>,
    /// The permissions of copied files.
    mode: u32,
    sum: Sha256,
    entries: usize,
    bytes: u64,
    /// The folder or file that is being copied.
    root: PathBuf,
}

impl<'a> Snapshot<'a> {
    fn new(program: &'a Program, original: &Copied, takes_all: bool) -> Self {
        Self {
            program,
            original: original.clone(),
            selection: Selection::new(program, original, takes_all),
            copied: None,
            mode: 0o755,
            sum: Sha256::new(),
            entries: 0,
            bytes: 0,
            root: PathBuf::new(),
        }
    }

    fn take(mut self) -> io::Result<String> {
        self.sum
            .update(self.program.build.as_deref().unwrap_or_default());
        // Copy the working folder of the program even if nothing in it is copied.
        let dir = self.name(&self.original.dir).to_owned();
        self.sum.update(format!("\0dir {dir:?}"));
        if self.program.builds() {
            for (name, value) in &self.program.env {
                self.sum.update(format!("\0env {name:?} {value:?}"));
            }
            for path in &self.program.read {
                // A file that is too large to be copied is hashed by its path.
                let content = hash_all(path).unwrap_or_default();
                self.sum.update(format!("\0read {path:?} {content}"));
            }
        }
        for root in self.original.roots.clone() {
            self.root.clone_from(&root);
            let file = File::options()
                .read(true)
                .custom_flags(OFlag::O_NOFOLLOW.bits())
                .open(&root);
            let file =
                file.map_err(|error| io::Error::other(format!("{}: {error}", root.display())))?;
            let is_cache = root.ancestors().any(|above| self.selection.is_cache(above));
            self.add(file, &root, 0, is_cache)?;
        }
        Ok(sha256::hexadecimal(self.sum))
    }

    /// Adds an open file, or an open folder with its content. In a cache folder, only the siblings of files named by the command are added.
    fn add(&mut self, mut file: File, path: &Path, depth: usize, is_cache: bool) -> io::Result<()> {
        let about = file.metadata()?;
        if about.is_file() {
            return self.add_file(&mut file, path);
        }
        if !about.is_dir() {
            return Ok(());
        }
        if depth > MAX_DEPTH {
            return Err(io::Error::other(format!(
                "{} lies too deep in its folder",
                path.display()
            )));
        }
        self.count(0)?;
        if let Some(to) = self.place(path) {
            self.make_folder(&to)?;
        }
        let is_cache = is_cache || self.selection.is_cache(path);
        // A folder that was deleted meanwhile counts as empty.
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        // A tournament that begins in the working folder of the program does not change the program.
        if names.is_empty() && !self.original.dir.starts_with(path) {
            self.sum.update(format!("\0empty {:?}", self.name(path)));
        }
        for name in names {
            let at = path.join(&name);
            let Ok(kind) = at.symlink_metadata().map(|about| about.file_type()) else {
                continue;
            };
            let is_left = is_cache && !self.selection.is_kept(&at, kind.is_dir());
            let is_special = !kind.is_dir() && !kind.is_file() && !kind.is_symlink();
            if is_left || is_special {
                continue;
            }
            match self.selection.treatment(&at, depth == 0) {
                Treatment::LeaveOut => continue,
                Treatment::Link => {
                    self.add_link(&at, &at)?;
                    continue;
                }
                Treatment::Copy => {}
            }
            let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
            match openat(&file, name.as_os_str(), flags, Mode::empty()) {
                Ok(entry) => self.add(entry.into(), &at, depth + 1, is_cache)?,
                Err(Errno::ELOOP | Errno::EMLINK) => {
                    let to = self.add_link(&at, &fs::read_link(&at)?)?;
                    let name = self.name(&at);
                    self.sum.update(format!("\0link {name:?} {to:?}"));
                }
                // The bot could not read this file either, so leave it out.
                Err(Errno::EACCES | Errno::EPERM | Errno::ENOENT) => {}
                Err(error) => {
                    let error = io::Error::from(error);
                    return Err(io::Error::other(format!("{}: {error}", at.display())));
                }
            }
        }
        Ok(())
    }

    fn add_file(&mut self, file: &mut File, path: &Path) -> io::Result<()> {
        let about = file.metadata()?;
        let is_program = about.permissions().mode() & 0o100 != 0;
        let place = self.place(path);
        place
            .iter()
            .filter_map(|place| place.parent())
            .try_for_each(fs::create_dir_all)?;
        let mut to = place.map(File::create_new).transpose()?;
        let (mut sum, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
        self.count(0)?;
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            self.count(read as u64)?;
            sum.update(&buffer[..read]);
            to.iter_mut()
                .try_for_each(|to| to.write_all(&buffer[..read]))?;
        }
        if let Some(to) = to {
            let mode = self.mode & if is_program { 0o777 } else { 0o666 };
            to.set_permissions(fs::Permissions::from_mode(mode))?;
        }
        let mode = if is_program { "program" } else { "file" };
        self.sum.update(format!(
            "\0{mode} {:?} {}",
            self.name(path),
            sha256::hexadecimal(sum)
        ));
        Ok(())
    }

    /// Adds a link and returns its target. The target is relative if it lies within the roots, and absolute otherwise.
    fn add_link(&mut self, path: &Path, to: &Path) -> io::Result<PathBuf> {
        self.count(0)?;
        let folder = path.parent().unwrap_or(path);
        let mut target = normal(&folder.join(to));
        if target != path && self.original.holds(&target) {
            target = relative(folder, &target);
        }
        if let Some(place) = self.place(path) {
            symlink(&target, place)?;
        }
        Ok(target)
    }

    fn name<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.original.base).unwrap_or(path)
    }

    fn place(&self, path: &Path) -> Option<PathBuf> {
        self.copied.map(|copied| copied.home.join(self.name(path)))
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(self.mode))
    }

    fn count(&mut self, bytes: u64) -> io::Result<()> {
        self.entries += usize::from(bytes == 0);
        self.bytes += bytes;
        if self.entries <= MAX_ENTRIES && self.bytes <= MAX_BYTES {
            return Ok(());
        }
        let dir = self.root.display();
        Err(io::Error::other(format!(
            "it plays from a copy, and {dir} is too large for that: more than {MAX_ENTRIES} files and folders, or {} MiB. Give the bot a \
             folder of its own (`dir`), or name in `read` what it only reads there, which is used where it lies",
            MAX_BYTES >> 20
        )))
    }
}

/// Resolves `.` and `..` lexically.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut normal, part| {
        match part {
            Component::ParentDir => _ = normal.pop(),
            Component::CurDir => {}
            part => normal.push(part),
        }
        normal
    })
}

/// Returns the relative path from a folder to a path.
fn relative(folder: &Path, path: &Path) -> PathBuf {
    let common = folder
        .components()
        .zip(path.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = folder
        .components()
        .skip(common)
        .map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(path.components().skip(common)).collect();
    if way.as_os_str().is_empty() {
        ".".into()
    } else {
        way
    }
}
