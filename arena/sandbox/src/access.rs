//! The files that a bot may read: what a program needs of the system, what its command names, and its own folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use arena_tournament::entrant::Program;

use super::scan::Scan;
use crate::paths::resolved;

/// The folders of the system that a program needs.
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
/// The folder in which the system keeps secrets beside what every program needs.
const SETTINGS: &str = "/etc";
/// The names of folders in which an installation has its programs.
const PROGRAMS: [&str; 4] = ["bin", "sbin", "shims", ".bin"];
/// What only an installation has: a version manager, a virtual environment, conda, Homebrew, or packages of Node.
const INSTALLED: [&str; 5] = [
    "shims",
    "pyvenv.cfg",
    "conda-meta",
    "Cellar",
    ".package-lock.json",
];
/// The folders that most have beside their programs.
const LIBRARIES: [&str; 3] = ["lib", "lib64", "libexec"];
/// The most links that a program may hide behind.
const MOST_LINKS: usize = 16;

/// The folders of the system, and those on the path.
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

/// What the system keeps from others, though this user can read it.
pub fn secrets() -> Vec<PathBuf> {
    let private = Scan::of(Path::new(SETTINGS)).private.into_iter();
    private
        .filter(|path| fs::File::open(path).is_ok())
        .collect()
}

/// True for what a file in a bot's folder may lead to: the system, what may be read anyway, and interpreters of Python.
pub fn is_trusted(path: &Path, read: &[PathBuf]) -> bool {
    is_plain(path)
        && (is_of_system(path)
            || read.iter().any(|granted| path.starts_with(granted))
            || is_python(path))
}

/// True for the programs of a whole Python, which a virtual environment links to. It may lie anywhere.
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

/// True for the folder of a virtual environment, of conda, or of packages of Node.
pub fn is_installed(folder: &Path) -> bool {
    let is_folder = folder.symlink_metadata().is_ok_and(|about| about.is_dir());
    let has = |mark: &str| folder.join(mark).exists();
    is_folder && (folder.ends_with("node_modules") || has("pyvenv.cfg") || has("conda-meta"))
}

/// The files that a description lends to its bot: those that its command or `read` names, but by no link in the bot's folder.
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

/// The files of this program, which is the strongest bot there is: its own, and those on the path with its name or contents.
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

/// The words of a command that may name a file: all but a program that is looked up on the path.
pub fn paths(command: &[String]) -> impl Iterator<Item = &String> {
    command
        .iter()
        .enumerate()
        .filter(|(index, word)| *index > 0 || is_path(word))
        .map(|(_, word)| word)
}

/// True for a word with a folder in it, which is not looked up on the path.
pub fn is_path(word: &str) -> bool {
    Path::new(word).components().count() > 1
}

/// A file or folder, and what it leads to by links and first lines, as far as that is there.
pub fn follow(path: &Path) -> impl Iterator<Item = PathBuf> {
    chain(path, |path| {
        linked(path).or_else(|| shebang(path).filter(|program| is_of_machine(program)))
    })
}

/// A file or folder, and what it leads to by links.
pub fn links(path: &Path) -> impl Iterator<Item = PathBuf> {
    chain(path, linked)
}

pub(crate) fn chain(
    path: &Path,
    next: impl Fn(&PathBuf) -> Option<PathBuf>,
) -> impl Iterator<Item = PathBuf> {
    let there = |path: &PathBuf| path.exists();
    let next = move |path: &PathBuf| next(path).filter(there);
    std::iter::successors(Some(path.to_path_buf()).filter(there), next).take(MOST_LINKS)
}

pub(crate) fn linked(path: &PathBuf) -> Option<PathBuf> {
    fs::read_link(path)
        .ok()
        .and_then(|to| path.parent().map(|dir| dir.join(to)))
}

/// True for what lies in the folders of the system.
pub fn is_of_system(path: &Path) -> bool {
    is_plain(path) && SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// True for a program of the system, of an installation or on the path, and for the arena. A script may name no other: what its author
/// writes there must not open the folder of any file.
pub fn is_of_machine(program: &Path) -> bool {
    let folder = program.parent().unwrap_or(program);
    let is_arena = || std::env::current_exe().is_ok_and(|arena| arena == program);
    is_of_system(program)
        || is_arena()
        || is_plain(program) && (installation(folder).is_some() || is_on_path(folder))
}

/// True for a folder on the path.
pub fn is_on_path(folder: &Path) -> bool {
    path_folders().iter().any(|entry| entry == folder)
}

/// True for an absolute path without `.` and `..`.
pub fn is_plain(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
}

/// The folder of the installation whose programs are in a folder, if it is one: it has its marks, or libraries beside them.
/// One whose name begins with a dot holds what is private of many programs, such as `~/.local` and `~/.cargo`.
pub fn installation(programs: &Path) -> Option<&Path> {
    let above = programs.parent().filter(|above| !is_too_much(above))?;
    let is_hidden = above.file_name()?.as_encoded_bytes().starts_with(b".");
    let holds = |names: &[&str]| names.iter().any(|name| above.join(name).exists());
    let is_installation = holds(&INSTALLED) || (!is_hidden && holds(&LIBRARIES));
    (is_installation && PROGRAMS.iter().any(|name| programs.ends_with(name))).then_some(above)
}

/// The folder that a file belongs to: its own, or the installation of which that holds the programs.
pub fn around(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    if path.is_dir() {
        return path;
    }
    let folder = path.parent().unwrap_or(&path);
    let own = Some(folder).filter(|folder| !is_too_much(folder));
    installation(folder).or(own).unwrap_or(&path).to_path_buf()
}

/// The interpreter that a script names in its first line.
pub fn shebang(path: &Path) -> Option<PathBuf> {
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
    Path::new(program).is_absolute().then(|| program.into())
}

/// Finds a program on the path.
pub fn on_path(name: &str) -> Option<PathBuf> {
    path_folders()
        .into_iter()
        .map(|dir| dir.join(name))
        .find(|path| path.is_file())
}

/// The folders in which programs are looked up.
fn path_folders() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect()
}

/// Adds a path under its own name and under its real one, unless it lies within another.
pub(crate) fn grant(read: &mut Vec<PathBuf>, path: PathBuf) {
    let real = fs::canonicalize(&path);
    for path in [Ok(path), real].into_iter().flatten() {
        if is_plain(&path) && !read.iter().any(|granted| path.starts_with(granted)) {
            read.push(path);
        }
    }
}

/// True if a folder holds more than one program: a home, what lies above it, or where everybody puts temporary files.
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

/// Those of the hidden paths that lie in what may be read, but do not hold what is the bot's own.
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
    // In a sorted set, what holds comes before what it holds.
    within.dedup_by(|inner, outer| inner.starts_with(outer));
    within
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a program grants in a home with these files, which may be a link.
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
