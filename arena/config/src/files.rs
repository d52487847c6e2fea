//! The files of a bot: what its command names, with a hash, so that a bot that was changed is not taken for the same one.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use arena_sandbox::access;
use arena_sandbox::scan::is_tournament;
use arena_tournament::entrant::{Bot, HashedFile, Program};
use sha2::{Digest, Sha256};

/// The names in a bot's folder that are no sources, beside those that begin with a dot: what builds leave behind.
pub const BUILT: [&str; 3] = ["build", "target", "__pycache__"];
/// What builds a bot of which there is nothing to build: it plays from a copy as well.
pub const NOTHING: &str = "true";
/// What is copied for a build, but too large to be hashed.
const PACKAGES: &str = "node_modules";
/// The most files that sources may have.
const MOST_SOURCES: usize = 10_000;
/// The most bytes of them.
const MOST_BYTES: u64 = 512 << 20;
/// The most bytes of a file that is read as one text.
const MOST_TEXT: u64 = 1 << 20;

/// The files that a bot's command names. An interpreter that is found on the PATH is not one of them: it belongs to the
/// machine. Of a bot that is built, all of its sources count as one.
pub fn of(bot: &Bot) -> Vec<HashedFile> {
    let Bot::Program(program) = bot else { return Vec::new() };
    if program.build.is_some() {
        let sources = sources(program).ok().map(|sha256| HashedFile { file: SOURCES.into(), sha256 });
        return sources.into_iter().collect();
    }
    access::paths(&program.command).filter_map(|word| hashed(program, word)).collect()
}

/// What stands in the place of a file's name for all sources of a bot.
pub const SOURCES: &str = "sources";

/// The SHA-256 of what a bot is built from: the command, and the names, rights and contents of its sources.
pub fn sources(program: &Program) -> io::Result<String> {
    let (mut found, mut bytes) = (Vec::new(), 0);
    let mut waiting = vec![program.dir.clone()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let is_folder = entry.file_type()?.is_dir();
            if folder == program.dir && !may_be_source(&entry.file_name(), &entry.path()) {
                continue;
            }
            if is_folder && !is_tournament(&entry.path()) {
                waiting.push(entry.path());
            } else if is_plain(&entry.path()) && !is_our_output(&entry.path()) {
                bytes += entry.metadata()?.len();
                found.push(entry.path());
            }
            if bytes > MOST_BYTES {
                return Err(io::Error::other(format!("its folder holds more than {} MiB", MOST_BYTES >> 20)));
            }
            if found.len() + waiting.len() > MOST_SOURCES {
                return Err(io::Error::other(format!("its folder holds more than {MOST_SOURCES} files")));
            }
        }
    }
    found.sort();
    let mut sum = Sha256::new();
    sum.update(program.build.as_deref().unwrap_or_default());
    for path in found {
        let name = path.strip_prefix(&program.dir).unwrap_or(&path);
        if let Ok(to) = fs::read_link(&path) {
            sum.update(format!("\0link {name:?} {to:?}"));
            continue;
        }
        let mode = if fs::metadata(&path)?.permissions().mode() & 0o100 == 0 { "file" } else { "program" };
        sum.update(format!("\0{mode} {name:?} {}", hash(&path)?));
    }
    Ok(hexadecimal(sum))
}

/// True for a file or a link: what a link leads to is not the bot's to show.
fn is_plain(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_file() || about.is_symlink())
}

/// The text of a file that is not large, and no link.
pub fn small_text(path: &Path) -> io::Result<String> {
    if path.is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    let mut text = String::new();
    open(path)?.take(MOST_TEXT).read_to_string(&mut text)?;
    Ok(text)
}

/// True for the file into which a shell writes what this process prints.
fn is_our_output(path: &Path) -> bool {
    let file = |path: &Path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    ["/dev/stdout", "/dev/stderr"].iter().any(|ours| file(path).is_some() && file(path) == file(Path::new(ours)))
}

/// True for what may be a source among the entries of a bot's folder: neither built, nor hidden, nor a tournament file.
fn may_be_source(name: &OsStr, path: &Path) -> bool {
    let is_left_out = name.as_encoded_bytes().starts_with(b".") || BUILT.iter().any(|built| *built == name);
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    let lists_bots = || small_text(path).is_ok_and(|text| text.lines().any(|line| line.trim() == "[[bots]]"));
    !is_left_out && name != PACKAGES && !(is_toml && lists_bots())
}

/// A word of a command that names a file, if it does.
fn hashed(program: &Program, word: &str) -> Option<HashedFile> {
    let path = program.dir.join(word);
    let sha256 = if path.is_file() { hash(&path).ok()? } else { return None };
    Some(HashedFile { file: word.to_owned(), sha256 })
}

/// Opens a file, but neither a folder nor a pipe or device, which may have no end, unless a shell or the user put it there.
pub fn open(path: &Path) -> io::Result<File> {
    let is_given = ["/dev/fd", "/dev/stdin"].iter().any(|given| path.starts_with(given));
    let is_file = is_given || fs::metadata(path)?.is_file();
    if is_file { File::open(path) } else { Err(io::Error::other("it is not a regular file")) }
}

/// The SHA-256 of a file, in hexadecimal digits.
pub fn hash(path: &Path) -> io::Result<String> {
    hash_of(File::open(path)?)
}

/// The SHA-256 of what can be read, in hexadecimal digits.
pub fn hash_of(mut content: impl Read) -> io::Result<String> {
    let mut sum = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match content.read(&mut buffer)? {
            0 => break,
            read => sum.update(&buffer[..read]),
        }
    }
    Ok(hexadecimal(sum))
}

fn hexadecimal(sum: Sha256) -> String {
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entrants::of_command;

    #[test]
    fn sources_change_with_what_is_built_from_and_not_with_what_was_built() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let make = Program { dir: folder.path().to_owned(), build: Some("make".into()), ..Program::default() };
        write("src/bot.c", "1");
        let was = sources(&make).unwrap();
        for (name, text) in [
            ("build/bot", "x"),
            (".git/HEAD", "x"),
            ("target/x", "x"),
            ("t/ledger.sqlite", "x"),
            ("node_modules/x", "x"),
            ("a.toml", "[[bots]]"),
        ] {
            write(name, text);
            assert_eq!(sources(&make).unwrap(), was, "{name}");
        }
        write("src/build/more.c", "x");
        let more = sources(&make).unwrap();
        write("src/bot.c", "2");
        let changed = sources(&make).unwrap();
        let other = Program { build: Some("make all".into()), ..make };
        let all = [was, more, changed, sources(&other).unwrap()];
        assert!((1..4).all(|one| !all[..one].contains(&all[one])), "{all:?}");
    }

    #[test]
    fn named_files_are_hashed_and_interpreters_are_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bot.py"), "abc").unwrap();
        let Bot::Program(mut program) = of_command("python3 -u bot.py 7").unwrap() else { panic!("a program") };
        program.dir = folder.path().to_owned();
        let files = of(&Bot::Program(program));
        // The example of FIPS 180-2, appendix B.1.
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
        assert_eq!(files, [HashedFile { file: "bot.py".into(), sha256 }]);
    }
}
