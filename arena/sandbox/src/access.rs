//! Determines the files that a bot may read: system folders, the installations that its command needs, and its own folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use arena_tournament::entrant::Program;

use super::scan::Scan;
use crate::paths::resolved;

/// System folders that programs need.
pub const SYSTEM: [&str; 12] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/sys/devices/system",
];
/// Folder with system settings, some of them secret.
const SETTINGS: &str = "/etc";
/// Names of folders for programs within an installation.
const PROGRAMS: [&str; 4] = ["bin", "sbin", "shims", ".bin"];
/// Entries that mark the folder of an installation: a version manager, a virtual environment, conda, Homebrew, or Node packages.
const INSTALLED: [&str; 5] = [
    "shims",
    "pyvenv.cfg",
    "conda-meta",
    "Cellar",
    ".package-lock.json",
];
/// Library folders, usually next to the programs.
const LIBRARIES: [&str; 3] = ["lib", "lib64", "libexec"];
/// Maximum number of links followed from a program.
const MAX_LINKS: usize = 16;

/// Returns the system folders and the folders on the PATH.
pub fn system() -> Vec<PathBuf> {
    let mut read: Vec<PathBuf> = SYSTEM
        .iter()
        .map(PathBuf::from)
        .filter(|path| path.exists())
        .collect();
    for entry in path_folders()
        .into_iter()
        .filter(|entry| entry.is_absolute() && entry.is_dir())
    {
        grant(
            &mut read,
            installation(&entry).map_or(entry.clone(), Path::to_path_buf),
        );
    }
    read
}

/// Returns the secret settings that the arena's user can read but not every user can.
pub fn secrets() -> Vec<PathBuf> {
    let private = Scan::new(Path::new(SETTINGS)).private.into_iter();
    private
        .filter(|path| fs::File::open(path).is_ok())
        .collect()
}

/// Returns `true` for paths to which links in a bot's folder may lead: the system, paths that may be read anyway, and Python interpreters.
pub fn is_trusted(path: &Path, read: &[PathBuf]) -> bool {
    is_plain(path)
        && (is_of_system(path)
            || read.iter().any(|granted| path.starts_with(granted))
            || is_python(path))
}

/// Returns `true` for a program of a complete Python installation in any location. Virtual environments link to such programs.
fn is_python(path: &Path) -> bool {
    let Some(above) = path.parent().and_then(installation) else {
        return false;
    };
    let libraries = fs::read_dir(above.join("lib"))
        .into_iter()
        .flatten()
        .flatten();
    let has_library = libraries
        .map(|entry| entry.path())
        .any(|library| library.join("os.py").is_file());
    has_library
        && path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"py"))
}

/// Returns true for a virtual environment, a conda environment, or a folder of Node packages.
pub fn is_installed(folder: &Path) -> bool {
    let is_folder = folder.symlink_metadata().is_ok_and(|about| about.is_dir());
    let has = |mark: &str| folder.join(mark).exists();
    is_folder && (folder.ends_with("node_modules") || has("pyvenv.cfg") || has("conda-meta"))
}

/// Returns the files that a program may read because its `command` or `read` names them. Does not follow links in the bot's folder.
pub fn lent(Program { command, read, .. }: &Program, dir: &Path) -> Vec<PathBuf> {
    let program = command
        .first()
        .filter(|word| !is_path(word))
        .and_then(|word| on_path(word));
    let named = paths(command).map(|word| resolved(&dir.join(word)));
    let real = |path: PathBuf| {
        fs::canonicalize(&path)
            .ok()
            .filter(|real| !path.starts_with(dir) || *real == path)
    };
    program
        .into_iter()
        .chain(named)
        .chain(read.iter().cloned())
        .filter_map(real)
        .collect()
}

/// Returns the copies of the arena's executable, which must be hidden because it contains the strongest bots: its own file, and files on
/// the PATH with the same name or content.
pub fn arena() -> &'static BTreeSet<PathBuf> {
    static FOUND: OnceLock<BTreeSet<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let Ok(own) = std::env::current_exe() else {
            return BTreeSet::new();
        };
        let length = |path: &Path| {
            fs::metadata(path)
                .ok()
                .filter(fs::Metadata::is_file)
                .map(|about| about.len())
        };
        let is_same = |path: &PathBuf| {
            path.file_name() == own.file_name()
                || length(path) == length(&own) && fs::read(path).ok() == fs::read(&own).ok()
        };
        let entries = path_folders()
            .into_iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten()
            .flatten();
        let found = entries
            .map(|entry| entry.path())
            .filter(|path| length(path).is_some() && is_same(path));
        found
            .chain([own.clone()])
            .filter_map(|path| fs::canonicalize(path).ok())
            .collect()
    })
}

/// Returns the words of a command that may be paths: all words, without a program that is looked up on the PATH.
pub fn paths(command: &[String]) -> impl Iterator<Item = &String> {
    command
        .iter()
        .enumerate()
        .filter(|(index, word)| *index > 0 || is_path(word))
        .map(|(_, word)| word)
}

/// Returns `true` for a word with a path separator, which is not looked up on the PATH.
pub fn is_path(word: &str) -> bool {
    Path::new(word).components().count() > 1
}

/// Follows a path through links and shebang lines, as far as these exist.
pub fn follow(path: &Path) -> impl Iterator<Item = PathBuf> {
    chain(path, |path| {
        linked(path).or_else(|| shebang(path).filter(|program| is_of_machine(program)))
    })
}

/// Follows a path through links.
pub fn links(path: &Path) -> impl Iterator<Item = PathBuf> {
    chain(path, linked)
}

pub(crate) fn chain(
    path: &Path,
    next: impl Fn(&PathBuf) -> Option<PathBuf>,
) -> impl Iterator<Item = PathBuf> {
    let there = |path: &PathBuf| path.exists();
    let next = move |path: &PathBuf| next(path).filter(there);
    std::iter::successors(Some(path.to_path_buf()).filter(there), next).take(MAX_LINKS)
}

pub(crate) fn linked(path: &PathBuf) -> Option<PathBuf> {
    fs::read_link(path)
        .ok()
        .and_then(|to| path.parent().map(|dir| dir.join(to)))
}

/// Returns true for a path in the system folders.
pub fn is_of_system(path: &Path) -> bool {
    is_plain(path) && SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Returns `true` for programs of the system, of an installation or on the PATH, and for the arena. Scripts may name no other interpreter,
/// because their authors must not gain access to arbitrary folders.
pub fn is_of_machine(program: &Path) -> bool {
    let folder = program.parent().unwrap_or(program);
    let is_arena = || std::env::current_exe().is_ok_and(|arena| arena == program);
    is_of_system(program)
        || is_arena()
        || is_plain(program) && (installation(folder).is_some() || is_on_path(folder))
}

/// Returns `true` for a folder on the PATH.
pub fn is_on_path(folder: &Path) -> bool {
    path_folders().iter().any(|entry| entry == folder)
}

/// Returns true for an absolute path without `.` and `..`.
pub fn is_plain(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
}

/// Returns the installation to which this folder of programs belongs, recognised by markers or by libraries next to it. Hidden folders such
/// as `~/.local` and `~/.cargo` are excluded, because they hold private data of many programs.
pub fn installation(programs: &Path) -> Option<&Path> {
    let above = programs.parent().filter(|above| !is_too_much(above))?;
    let is_hidden = above.file_name()?.as_encoded_bytes().starts_with(b".");
    let holds = |names: &[&str]| names.iter().any(|name| above.join(name).exists());
    let is_installation = holds(&INSTALLED) || (!is_hidden && holds(&LIBRARIES));
    (is_installation && PROGRAMS.iter().any(|name| programs.ends_with(name))).then_some(above)
}

/// Returns the folder that a file needs to work: for a program its installation, for any other file the folder that holds it.
pub fn around(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    if path.is_dir() {
        return path;
    }
    let folder = path.parent().unwrap_or(&path);
    let own = Some(folder).filter(|folder| !is_too_much(folder));
    installation(folder).or(own).unwrap_or(&path).to_path_buf()
}

/// Returns the absolute path of the interpreter named in a script's first line.
pub fn shebang(path: &Path) -> Option<PathBuf> {
    let named = PathBuf::from(interpreter(path)?);
    named.is_absolute().then_some(named)
}

/// Returns the interpreter named in a script's first line, without its arguments.
pub fn interpreter(path: &Path) -> Option<String> {
    let mut first = Vec::new();
    if !path.is_file() {
        return None;
    }
    fs::File::open(path)
        .ok()?
        .take(256)
        .read_to_end(&mut first)
        .ok()?;
    let line = first
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let program = std::str::from_utf8(line).ok()?.split_whitespace().next()?;
    Some(program.to_owned())
}

/// Finds a program on the PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    path_folders()
        .into_iter()
        .map(|dir| dir.join(name))
        .find(|path| path.is_file())
}

/// Returns the folders on the PATH.
fn path_folders() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect()
}

/// Adds a path and its canonical form, unless a path that was already added contains it.
pub(crate) fn grant(read: &mut Vec<PathBuf>, path: PathBuf) {
    let real = fs::canonicalize(&path);
    for path in [Ok(path), real].into_iter().flatten() {
        if is_plain(&path) && !read.iter().any(|granted| path.starts_with(granted)) {
            read.push(path);
        }
    }
}

/// Returns `true` if a folder is too broad to be granted to a program: a home, a parent of one, or a shared temporary folder.
pub fn is_too_much(dir: &Path) -> bool {
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let shared = [
        home,
        Some(std::env::temp_dir()),
        Some("/proc/self".into()),
        Some("/dev/shm".into()),
    ];
    dir.parent().is_none()
        || shared
            .iter()
            .flatten()
            .any(|shared| shared.starts_with(dir))
}

/// Returns the hidden paths within readable ones, except those that contain the bot's own files.
pub fn hidden_within(
    hidden: &BTreeSet<PathBuf>,
    read: &[PathBuf],
    own: &[PathBuf],
) -> Vec<PathBuf> {
    let is_granted = |path: &Path| read.iter().any(|granted| path.starts_with(granted));
    let is_own = |path: &Path| own.iter().any(|own| own.starts_with(path));
    let within = hidden
        .iter()
        .filter(|path| is_granted(path) && !is_own(path) && path.exists());
    let mut within: Vec<PathBuf> = within.cloned().collect();
    // In a sorted set, a folder precedes its content.
    within.dedup_by(|inner, outer| inner.starts_with(outer));
    within
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the paths granted to a program in a home with these files, one of which may be a link.
    fn granted(files: &[&str], link: Option<&str>, program: &str) -> Vec<String> {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        for file in files.iter().map(|file| home.join(file)) {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        link.into_iter()
            .for_each(|to| std::os::unix::fs::symlink(home.join(to), home.join(program)).unwrap());
        let mut read = Vec::new();
        follow(&home.join(program)).for_each(|path| grant(&mut read, around(&path)));
        read.iter()
            .map(|path| path.strip_prefix(&home).unwrap().display().to_string())
            .collect()
    }

    #[test]
    fn a_first_line_grants_no_folder_but_that_of_an_installation() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        for file in [
            "bot/bot.py",
            "secret/key",
            "conda/bin/python",
            "conda/lib/x",
        ]
        .map(|file| home.join(file))
        {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let (bot, home) = (home.join("bot/bot.py"), home.display());
        for (first, expected) in [
            (format!("{home}/conda/bin/python -u"), 2),
            (format!("{home}/secret/key"), 1),
            (format!("/usr/..{home}/secret/key"), 1),
            (format!("{home}/conda/bin/../../secret/key"), 1),
        ] {
            fs::write(&bot, format!("#!{first}\n")).unwrap();
            assert_eq!(follow(&bot).count(), expected, "{first}");
        }
    }

    #[test]
    fn a_program_grants_its_installation_and_no_home() {
        let alone = |files: &[&str]| granted(files, None, files[0]);
        assert_eq!(
            alone(&[".cargo/bin/rg", ".cargo/credentials.toml", ".cargo/lib/x"]),
            [".cargo/bin"]
        );
        assert_eq!(alone(&["work/bin/bot", "work/diary"]), ["work/bin"]);
        assert_eq!(alone(&["work/tool", "work/lib/x"]), ["work"]);
        assert_eq!(
            alone(&["miniconda3/bin/python", "miniconda3/lib/x"]),
            ["miniconda3"]
        );
        assert_eq!(
            alone(&[
                ".nvm/versions/node/v20/bin/node",
                ".nvm/versions/node/v20/lib/x"
            ]),
            [".nvm/versions/node/v20"]
        );
        assert_eq!(
            alone(&[".pyenv/shims/python", ".pyenv/versions/x"]),
            [".pyenv"]
        );
        assert_eq!(
            alone(&["bot/.venv/bin/python", "bot/.venv/pyvenv.cfg"]),
            ["bot/.venv"]
        );
        let uv = [
            ".local/bin/uv",
            ".local/lib/x",
            ".local/share/uv/python/x/bin/python",
            ".local/share/uv/python/x/lib/y",
        ];
        assert_eq!(
            granted(&uv, Some(uv[2]), ".local/bin/python"),
            [".local/bin", ".local/share/uv/python/x"]
        );
    }
}
