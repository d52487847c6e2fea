//! The files that a bot may read: what a program needs of the system, what its command names, and its own folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use arena_tournament::entrant::Program;

use super::scan::Scan;
use crate::copied::Copied;
use crate::interpreter;
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

/// Folders that a bot may read beside the system and its own.
#[derive(Debug, Default)]
pub struct Named {
    /// Installations that its command names, with those that their links and first lines lead to.
    pub by_command: Vec<PathBuf>,
    /// Interpreters that links and first lines in its own files lead to.
    pub by_files: Vec<PathBuf>,
}

/// Finds the installations that a bot needs. What its command names outside its own folders was written by whoever runs it; links and
/// first lines within them were not, so they open nothing but interpreters.
pub fn named_in(command: &[String], copied: &Copied, read: &[PathBuf]) -> Named {
    let mut named = Named::default();
    let own: Vec<PathBuf> = copied.roots.iter().map(|root| copied.at(root)).collect();
    let program = command
        .first()
        .filter(|word| !is_path(word))
        .and_then(|word| on_path(word));
    let words = paths(command).map(|word| resolved(&copied.at(&copied.dir).join(word)));
    for path in program.into_iter().chain(words) {
        let is_own = |path: &PathBuf| is_plain(path) && own.iter().any(|own| path.starts_with(own));
        if is_own(&path) {
            let next = |path: &PathBuf| {
                linked(path)
                    .or_else(|| shebang(path))
                    .map(|path| resolved(&path))
            };
            let steps =
                chain(&path, next).take_while(|path| is_own(path) || is_trusted(path, read));
            steps
                .filter(|path| !is_own(path))
                .for_each(|path| grant(&mut named.by_files, around(&path)));
        } else if is_of_machine(&path) {
            follow(&path).for_each(|path| grant(&mut named.by_command, around(&path)));
        } else if !path.is_dir() && !path.is_file() && path.exists() {
            grant(&mut named.by_command, path);
        }
    }
    for folders in [&mut named.by_command, &mut named.by_files] {
        folders.retain(|path| !read.iter().any(|granted| path.starts_with(granted)));
    }
    named
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

/// Checks that no word of a command leads by a link from a folder of a bot's to a place that it may not read.
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

/// True for the folder of a virtual environment, of conda, or of packages of Node.
pub fn is_installed(folder: &Path) -> bool {
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|about| about.is_dir());
    let has_mark = || {
        ["pyvenv.cfg", "conda-meta"]
            .iter()
            .any(|mark| folder.join(mark).exists())
    };
    is_folder(folder) && (folder.ends_with("node_modules") || has_mark())
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

fn chain(path: &Path, next: impl Fn(&PathBuf) -> Option<PathBuf>) -> impl Iterator<Item = PathBuf> {
    let there = |path: &PathBuf| path.exists();
    let next = move |path: &PathBuf| next(path).filter(there);
    std::iter::successors(Some(path.to_path_buf()).filter(there), next).take(MOST_LINKS)
}

fn linked(path: &PathBuf) -> Option<PathBuf> {
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
fn grant(read: &mut Vec<PathBuf>, path: PathBuf) {
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

/// The command with paths to where a bot plays. Its program, its script and whatever leads out of its folder become absolute, since
/// it runs in another one. The last link is left alone: a virtual environment is found by where its link to an interpreter lies.
pub fn located(command: &[String], copied: &Copied) -> Vec<String> {
    let script = interpreter::script(command);
    let located = |(index, word): (usize, &String)| {
        let leads_out = Path::new(word)
            .components()
            .any(|part| part == Component::ParentDir);
        let is_meant = index == 0 && is_path(word) || Some(word.as_str()) == script || leads_out;
        let path = copied.at(&resolved(&copied.dir.join(word)));
        let absolute = (is_meant && path.exists()).then_some(path);
        absolute
            .and_then(|path| path.to_str().map(str::to_owned))
            .unwrap_or_else(|| copied.in_text(word))
    };
    command.iter().enumerate().map(located).collect()
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
    use arena_tournament::entrant::Program;

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
    fn links_and_first_lines_in_a_bots_folder_open_interpreters_only() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let files = [
            "good/bin/tool",
            "good/lib/x",
            "uv/bin/python3.12",
            "uv/lib/python3.12/os.py",
            "bot/.venv/bin/x",
            "bot/in",
        ];
        for file in files.map(|file| home.join(file)) {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let link = |at: &str, to: &str| symlink(to, home.join("bot").join(at)).unwrap();
        let links = [
            ("tool", "../good/bin/tool"),
            ("folder", "../good/bin"),
            ("own", "in"),
            ("twice", "tool"),
        ];
        links.into_iter().for_each(|(at, to)| link(at, to));
        link(
            ".venv/bin/python",
            home.join("uv/bin/python3.12").to_str().unwrap(),
        );
        link("system", "/usr/bin/env");
        fs::write(
            home.join("bot/line"),
            format!("#!{}/good/bin/tool\n", home.display()),
        )
        .unwrap();
        let granted = |word: &str| {
            let command = ["sh".to_owned(), word.to_owned()];
            let program = Program {
                command: command.to_vec(),
                dir: home.join("bot"),
                ..Program::default()
            };
            let named = named_in(&command, &Copied::in_place(&program), &system());
            assert_eq!(named.by_command, Vec::<PathBuf>::new(), "{word}");
            named.by_files
        };
        for word in [
            "tool",
            "twice",
            "folder/tool",
            "own",
            "system",
            "line",
            "-rf",
            "in",
        ] {
            assert_eq!(granted(word), Vec::<PathBuf>::new(), "{word}");
        }
        assert_eq!(granted(".venv/bin/python"), [home.join("uv")]);
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
