//! All files that a program plays from, or is built from: their common hash, and a copy of them.
//!
//! A folder belongs to its author, who may change it meanwhile. So each entry is opened by the folder that holds it, and no link is
//! followed. A link that stays in the folder stays what it is; any other leads where it led, and opens nothing.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use arena_sandbox::paths::resolved;
use arena_sandbox::scan::is_tournament;
use arena_sandbox::{Copied, access};
use arena_tournament::entrant::{Bot, HashedFile, Program, SOURCES};
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use sha2::{Digest, Sha256};

use crate::files::{self, NOTHING, hexadecimal, small_text};

/// The names in a folder that are no sources of a build, beside those that begin with a dot: what builds leave behind.
const BUILT: [&str; 2] = ["build", "target"];
/// Folder of Python's compiled modules.
const COMPILED: &str = "__pycache__";
/// The file that marks a folder of what can be made again, such as Cargo's `target`.
const CACHE_TAG: &str = "CACHEDIR.TAG";
/// The folder of all copies, within the user's cache, which may lie in a bot's folder.
pub const COPIES: &str = "coda-arena/built";
/// The most files and folders.
const MAX_ENTRIES: usize = 10_000;
/// The most bytes of all files.
const MAX_BYTES: u64 = 512 << 20;
/// The most folders within each other.
const MAX_DEPTH: usize = 100;

/// The files that a bot's command names, and all that it plays from as one. An interpreter that is found on the PATH belongs to the
/// machine. A bot that is built has sources only.
pub fn files(bot: &Bot) -> Vec<HashedFile> {
    let Bot::Program(program) = bot else {
        return Vec::new();
    };
    let named = access::paths(&program.command).filter(|_| program.build.is_none());
    let named = named.filter_map(|word| hashed(program, word));
    let sources = hash(program).ok().map(|sha256| HashedFile {
        file: SOURCES.into(),
        sha256,
    });
    named.chain(sources).collect()
}

/// A word of a command that names a file, if it does.
fn hashed(program: &Program, word: &str) -> Option<HashedFile> {
    let path = program.dir.join(word);
    let sha256 = if path.is_file() {
        files::hash(&path).ok()?
    } else {
        return None;
    };
    Some(HashedFile {
        file: word.to_owned(),
        sha256,
    })
}

/// The SHA-256 of what a program plays from, or of what it is built from with the command that builds it.
pub fn hash(program: &Program) -> io::Result<String> {
    Snapshot::new(program, &Copied::in_place(program)).take()
}

/// Checks that a program could be copied.
///
/// # Errors
/// In words for its author, with the way out: it is too large, or its command names a link that leads out of its folder.
pub fn check(program: &Program) -> Result<(), String> {
    access::check_links(&program.command, &Copied::in_place(program), &program.read)?;
    hash(program).map(drop).map_err(|error| error.to_string())
}

/// Copies what a program plays from, or is built from, and returns its hash: readable for everybody who reaches the copy.
pub fn copy(program: &Program, copied: &Copied) -> io::Result<String> {
    Snapshot {
        copied: Some(copied),
        ..Snapshot::new(program, copied)
    }
    .take()
}

/// Copies all that a build has left in a folder.
pub fn copy_built(folder: &Path, to: &Path) -> io::Result<()> {
    let program = Program {
        dir: folder.into(),
        ..Program::default()
    };
    let copied = Copied {
        home: to.into(),
        ..Copied::in_place(&program)
    };
    Snapshot {
        copied: Some(&copied),
        takes_all: true,
        ..Snapshot::new(&program, &copied)
    }
    .take()
    .map(drop)
}

/// Copies what a program is built from to where the build may change it, whoever it runs as.
pub fn copy_sources(program: &Program, copied: &Copied) -> io::Result<String> {
    Snapshot {
        copied: Some(copied),
        mode: 0o777,
        ..Snapshot::new(program, copied)
    }
    .take()
}

/// A pass over a program's files.
struct Snapshot<'a> {
    program: &'a Program,
    original: Copied,
    /// The files that its command names, what they lead to by links, and what is used where it lies.
    named: BTreeSet<PathBuf>,
    /// Where they are copied to, if they are.
    copied: Option<&'a Copied>,
    takes_all: bool,
    /// The rights to what is copied.
    mode: u32,
    sum: Sha256,
    entries: usize,
    bytes: u64,
}

impl<'a> Snapshot<'a> {
    fn new(program: &'a Program, original: &Copied) -> Self {
        let words = access::paths(&program.command).map(|word| resolved(&original.dir.join(word)));
        let led_to = words.flat_map(|path| {
            access::links(&path)
                .map(|path| resolved(&path))
                .collect::<Vec<_>>()
        });
        let named = led_to
            .chain(program.read.iter().chain(&program.cache).cloned())
            .collect();
        let (original, sum) = (original.clone(), Sha256::new());
        Self {
            program,
            original,
            named,
            copied: None,
            takes_all: false,
            mode: 0o755,
            sum,
            entries: 0,
            bytes: 0,
        }
    }

    fn take(mut self) -> io::Result<String> {
        self.sum
            .update(self.program.build.as_deref().unwrap_or_default());
        for root in self.original.roots.clone() {
            let file = File::options()
                .read(true)
                .custom_flags(OFlag::O_NOFOLLOW.bits())
                .open(&root);
            let file =
                file.map_err(|error| io::Error::other(format!("{}: {error}", root.display())))?;
            // An empty folder has no other entry, and the copy must have it.
            self.sum.update(format!("\0root {:?}", self.name(&root)));
            let is_cache =
                self.is_plain() && root.ancestors().any(|above| above.join(CACHE_TAG).exists());
            self.add(file, &root, 0, is_cache)?;
        }
        Ok(hexadecimal(self.sum))
    }

    /// Adds an open file, or an open folder with what is in it. Of one that can be made again only what lies beside a named file is added.
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
        let is_cache = is_cache || self.is_plain() && path.join(CACHE_TAG).exists();
        // One that has gone meanwhile is as good as empty.
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        for name in names {
            let at = path.join(&name);
            let Ok(kind) = at.symlink_metadata().map(|about| about.file_type()) else {
                continue;
            };
            let is_special = kind.is_fifo()
                || kind.is_socket()
                || kind.is_char_device()
                || kind.is_block_device();
            let is_beside =
                !kind.is_dir() && self.named.iter().any(|named| named.parent() == Some(path));
            let is_left = is_cache && !is_beside && !self.is_named(&at);
            if is_special || is_left || self.leaves_out(&at, depth == 0) {
                continue;
            }
            if self.stays(&at) {
                self.add_link(&at, &at, true)?;
                continue;
            }
            if self.is_loose(&at, depth == 0) {
                self.add_link(&at, &at, false)?;
                continue;
            }
            let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
            match openat(&file, name.as_os_str(), flags, Mode::empty()) {
                Ok(entry) => self.add(entry.into(), &at, depth + 1, is_cache)?,
                Err(Errno::ELOOP | Errno::EMLINK) => {
                    self.add_link(&at, &fs::read_link(&at)?, true)?;
                }
                // What cannot be read here, the bot could not read either.
                Err(Errno::EACCES | Errno::EPERM | Errno::ENOENT) => {}
                Err(error) => {
                    return Err(io::Error::other(format!(
                        "{}: {}",
                        at.display(),
                        io::Error::from(error)
                    )));
                }
            }
        }
        Ok(())
    }

    fn add_file(&mut self, file: &mut File, path: &Path) -> io::Result<()> {
        let about = file.metadata()?;
        if is_our_output(&about) {
            return Ok(());
        }
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
            hexadecimal(sum)
        ));
        Ok(())
    }

    /// Adds a link. One that stays in the roots is made relative, and any other absolute.
    fn add_link(&mut self, path: &Path, to: &Path, is_hashed: bool) -> io::Result<()> {
        self.count(0)?;
        let folder = path.parent().unwrap_or(path);
        let target = normal(&folder.join(to));
        let is_within = target != path && self.original.holds(&target);
        let to = if is_within {
            relative(folder, &target)
        } else {
            target
        };
        if is_hashed {
            self.sum
                .update(format!("\0link {:?} {to:?}", self.name(path)));
        }
        self.place(path).map_or(Ok(()), |place| symlink(to, place))
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
        let dir = self.original.dir.display();
        Err(io::Error::other(format!(
            "it plays from a copy, and {dir} is too large for that: more than {MAX_ENTRIES} files and folders, or {} MiB. Give the bot a \
             folder of its own (`dir`), or name in `read` what it only reads there, which is used where it lies",
            MAX_BYTES >> 20
        )))
    }

    /// True for a bot that is not built and belongs to no class. It may also read the originals of what is copied.
    fn is_plain(&self) -> bool {
        self.program.build.is_none() && !self.takes_all
    }

    /// True for what is not copied but used where it lies: what `read` and `cache` name, and installations.
    fn stays(&self, path: &Path) -> bool {
        let Program { read, cache, .. } = self.program;
        read.iter().chain(cache).any(|kept| kept == path)
            || self.is_plain() && access::is_installed(path)
    }

    /// True for what is used where it lies and may change without making another bot: what is hidden or can be made again, unless the
    /// command names it.
    fn is_loose(&self, path: &Path, is_top: bool) -> bool {
        let is_loose = is_top && is_hidden(path) || path.join(CACHE_TAG).exists();
        self.is_plain() && is_loose && !self.is_named(path)
    }

    /// True for what is no part of a bot: tournaments and their files, copies of bots, and what Python leaves behind; of a bot that is built or of a
    /// class, also what is hidden or left behind by builds, unless the command of one of a class names it.
    fn leaves_out(&self, path: &Path, is_top: bool) -> bool {
        if self.takes_all {
            return false;
        }
        let is_left = !self.is_plain()
            && is_top
            && (is_hidden(path) || BUILT.iter().any(|built| path.ends_with(built)));
        let has_build = self
            .program
            .build
            .as_deref()
            .is_some_and(|build| build != NOTHING);
        let is_toml = is_top
            && path
                .extension()
                .is_some_and(|extension| extension == "toml");
        let lists_bots = || {
            small_text(path).is_ok_and(|text| text.lines().any(|line| line.trim() == "[[bots]]"))
        };
        let is_left = is_left && (has_build || !self.is_named(path));
        is_left
            || path.ends_with(COMPILED)
            || path.ends_with(COPIES)
            || is_toml && lists_bots()
            || is_tournament(path)
    }

    /// True for what the command names, and folders that hold it.
    fn is_named(&self, path: &Path) -> bool {
        self.named.iter().any(|named| named.starts_with(path))
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// True for the file into which a shell writes what this process prints.
fn is_our_output(about: &fs::Metadata) -> bool {
    let is_it = |ours: &str| {
        fs::metadata(ours).is_ok_and(|ours| (ours.dev(), ours.ino()) == (about.dev(), about.ino()))
    };
    ["/dev/stdout", "/dev/stderr"].into_iter().any(is_it)
}

/// A path without `.` and `..`, as its words have it.
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

/// The way from a folder to a path.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink as link;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new(files: &[&str]) -> Self {
            let folder = Self(tempfile::tempdir_in("/var/tmp").unwrap());
            files.iter().for_each(|file| folder.write(file, file));
            folder
        }

        fn path(&self, file: &str) -> PathBuf {
            fs::canonicalize(self.0.path()).unwrap().join(file)
        }

        fn write(&self, file: &str, text: &str) {
            fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
            fs::write(self.path(file), text).unwrap();
        }

        fn program(&self, command: &str, build: Option<&str>) -> Program {
            let command = command.split(' ').map(str::to_owned).collect();
            Program {
                command,
                dir: self.path("bot"),
                build: build.map(str::to_owned),
                ..Program::default()
            }
        }
    }

    /// Lists the files of a copy and its links with their targets, in order.
    fn copied(program: &Program) -> Vec<String> {
        let to = tempfile::tempdir().unwrap();
        let original = Copied::in_place(program);
        let copied = Copied {
            home: to.path().join("copy"),
            ..original.clone()
        };
        assert_eq!(copy(program, &copied).unwrap(), hash(program).unwrap());
        let (mut found, mut waiting) = (Vec::new(), vec![copied.home.clone()]);
        while let Some(folder) = waiting.pop() {
            for path in fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
            {
                let name = path
                    .strip_prefix(&copied.home)
                    .unwrap()
                    .display()
                    .to_string();
                match fs::read_link(&path) {
                    Ok(to) => {
                        let to = to
                            .strip_prefix(&original.base)
                            .map_or(to.clone(), |rest| Path::new("…").join(rest));
                        found.push(format!("{name} -> {}", to.display()));
                    }
                    Err(_) if path.is_dir() => waiting.push(path),
                    Err(_) => found.push(name),
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn sources_change_with_what_is_built_from_and_not_with_what_was_built() {
        let folder = Folder::new(&["bot/src/bot.c"]);
        let make = folder.program("./bot", Some("make"));
        let was = hash(&make).unwrap();
        for file in [
            "build/bot",
            ".git/HEAD",
            "target/x",
            "t/ledger.sqlite",
            "__pycache__/x",
            "sub/__pycache__/x",
        ] {
            folder.write(&format!("bot/{file}"), "x");
            assert_eq!(hash(&make).unwrap(), was, "{file}");
        }
        folder.write("bot/a.toml", "[[bots]]");
        assert_eq!(hash(&make).unwrap(), was);
        folder.write("bot/src/build/more.c", "x");
        let more = hash(&make).unwrap();
        folder.write("bot/src/bot.c", "2");
        let changed = hash(&make).unwrap();
        let packages = {
            folder.write("bot/node_modules/x", "x");
            hash(&make).unwrap()
        };
        let other = Program {
            build: Some("make all".into()),
            ..make
        };
        let all = [was, more, changed, packages, hash(&other).unwrap()];
        assert!((1..5).all(|one| !all[..one].contains(&all[one])), "{all:?}");
    }

    #[test]
    fn a_copy_holds_all_that_a_bot_may_need() {
        let files = [
            "bot.py",
            "-rf",
            "--help",
            "lib/x.py",
            "build/bot",
            ".git/HEAD",
            ".venv/pyvenv.cfg",
            ".venv/bin/x",
            "w/big",
        ];
        let folder = Folder::new(
            &files
                .map(|file| format!("bot/{file}"))
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        );
        folder.write("bot/target/release/bot", "");
        folder.write("bot/target/release/bot.so", "");
        folder.write("bot/target/release/deps/x", "");
        folder.write("bot/target/CACHEDIR.TAG", "");
        let plain = folder.program("python3 bot.py", None);
        let program = Program {
            read: vec![folder.path("bot/w/big")],
            ..plain
        };
        let loose = [
            ".git -> ….git",
            ".venv -> ….venv",
            "target -> …target",
            "w/big -> …w/big",
        ]
        .map(|link| link.replace('…', "…/"));
        let mut all = ["--help", "-rf", "bot.py", "build/bot", "lib/x.py"]
            .map(str::to_owned)
            .to_vec();
        all.extend(loose);
        all.sort();
        assert_eq!(copied(&program), all);
        let built = copied(&folder.program("target/release/bot", None));
        assert!(
            ["target/release/bot", "target/release/bot.so"]
                .iter()
                .all(|file| built.contains(&(*file).to_owned()))
        );
        assert!(!built.iter().any(|file| file.contains("deps")), "{built:?}");
        assert!(copied(&folder.program(".git/HEAD", None)).contains(&".git/HEAD".to_owned()));
        // Of a class, nothing is used where it lies.
        let class = ["--help", "-rf", "bot.py", "lib/x.py", "w/big"];
        assert_eq!(
            copied(&folder.program("python3 bot.py", Some(NOTHING))),
            class
        );
    }

    #[test]
    fn no_link_brings_anything_along() {
        let folder = Folder::new(&["bot/bot.py", "bot/lib/x.py", "good/bot.py"]);
        for (at, to) in [
            ("true", "../good/bot.py"),
            ("up", "../good"),
            ("in", "lib/x.py"),
            ("lib/back", "../bot.py"),
            ("none", "x"),
        ] {
            link(to, folder.path("bot").join(at)).unwrap();
        }
        link(folder.path("bot/lib"), folder.path("bot/all")).unwrap();
        link("/etc/passwd", folder.path("bot/system")).unwrap();
        let good = folder.path("good").display().to_string();
        let outside = [format!("true -> {good}/bot.py"), format!("up -> {good}")];
        let inside = [
            "all -> lib",
            "bot.py",
            "in -> lib/x.py",
            "lib/back -> ../bot.py",
            "lib/x.py",
            "none -> x",
            "system -> /etc/passwd",
        ];
        let mut all: Vec<String> = inside
            .into_iter()
            .map(str::to_owned)
            .chain(outside)
            .collect();
        all.sort();
        let program = folder.program("sh bot.py true up system in", None);
        assert_eq!(copied(&program), all);
        let copied = Copied::in_place(&program);
        let refused = |words: &str| {
            access::check_links(&folder.program(words, None).command, &copied, &[]).err()
        };
        for (words, link) in [
            ("sh bot.py true", "true is a link"),
            ("sh bot.py up/bot.py", "up/bot.py is a link"),
            ("./up x", "./up is"),
        ] {
            assert!(
                refused(words).is_some_and(|why| why.contains(link)),
                "{words}: {:?}",
                refused(words)
            );
        }
        assert_eq!(refused("sh bot.py system in lib/back all none"), None);
        assert_eq!(
            access::check_links(&program.command, &copied, &[folder.path("good")]),
            Ok(())
        );
    }

    #[test]
    fn what_is_too_large_is_said_with_the_way_out() {
        let folder = Folder::new(&["bot/bot.py"]);
        (0..=MAX_ENTRIES)
            .for_each(|number| fs::write(folder.path("bot").join(number.to_string()), "").unwrap());
        let why = hash(&folder.program("python3 bot.py", None))
            .unwrap_err()
            .to_string();
        assert!(
            why.contains("10000 files") && why.contains("`read`") && why.contains("`dir`"),
            "{why}"
        );
    }

    #[test]
    fn named_files_are_hashed_and_interpreters_are_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bot.py"), "abc").unwrap();
        let Bot::Program(mut program) = crate::entrants::of_command("python3 -u bot.py 7").unwrap()
        else {
            panic!("a program")
        };
        program.dir = folder.path().to_owned();
        let [files @ .., sources] = &files(&Bot::Program(program))[..] else {
            panic!("files")
        };
        assert_eq!(sources.file, SOURCES);
        // The example of FIPS 180-2, appendix B.1.
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
        assert_eq!(
            files,
            [HashedFile {
                file: "bot.py".into(),
                sha256
            }]
        );
    }
}
