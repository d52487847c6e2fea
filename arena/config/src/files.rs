//! The files of a bot: what its command names, with a hash, so that a bot that was changed is not taken for the same one.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use arena_sandbox::access;
use arena_tournament::entrant::{Bot, HashedFile, Program, SOURCES};
use sha2::{Digest, Sha256};

use crate::snapshot;

/// What builds a bot of a class of which there is nothing to build.
pub const NOTHING: &str = "true";
/// The most bytes of a file that is read as one text.
const MOST_TEXT: u64 = 1 << 20;

/// The files that a bot's command names, and all that it plays from as one. An interpreter that is found on the PATH belongs to the
/// machine. A bot that is built has sources only.
pub fn of(bot: &Bot) -> Vec<HashedFile> {
    let Bot::Program(program) = bot else { return Vec::new() };
    let named = access::paths(&program.command).filter(|_| program.build.is_none());
    let named = named.filter_map(|word| hashed(program, word));
    let sources = snapshot::hash(program).ok().map(|sha256| HashedFile { file: SOURCES.into(), sha256 });
    named.chain(sources).collect()
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

pub(crate) fn hexadecimal(sum: Sha256) -> String {
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entrants::of_command;

    #[test]
    fn named_files_are_hashed_and_interpreters_are_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bot.py"), "abc").unwrap();
        let Bot::Program(mut program) = of_command("python3 -u bot.py 7").unwrap() else { panic!("a program") };
        program.dir = folder.path().to_owned();
        let [files @ .., sources] = &of(&Bot::Program(program))[..] else { panic!("files") };
        assert_eq!(sources.file, SOURCES);
        // The example of FIPS 180-2, appendix B.1.
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
        assert_eq!(files, [HashedFile { file: "bot.py".into(), sha256 }]);
    }
}
