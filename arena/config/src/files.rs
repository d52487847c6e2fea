//! Reads files that may have been written by others.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use arena_sandbox::interpreter;
use arena_tournament::suggest::BACKSLASH;

/// Maximum size of a file read as one text.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// Reads a small text file; refuses links.
pub fn small_text(path: &Path) -> io::Result<String> {
    if path.is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    let mut bytes = Vec::new();
    open(path)?.take(MAX_TEXT_BYTES).read_to_end(&mut bytes)?;
    text(bytes).map_err(|what| io::Error::other(format!("it is {what}")))
}

/// Reads the text of a tournament file.
///
/// # Errors
/// If the file is not a text file; the error describes what was found instead, and suggests a fix.
pub fn tournament(path: &Path) -> Result<String, String> {
    let shown = path.display().to_string();
    let mut bytes = Vec::new();
    let read = open(path).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if shown.contains('\\') => {
            format!("there is no file {shown}: {BACKSLASH}")
        }
        io::ErrorKind::InvalidFilename => format!(
            "the path {}… is too long: a name may have 255 bytes, a path 4,095",
            shown.chars().take(60).collect::<String>()
        ),
        _ => format!("{shown}: {error}"),
    })?;
    if is_program(path, &bytes) {
        let is_searched = interpreter::command(&shown).is_none() && !shown.contains('/');
        let word = format!("{}{shown}", if is_searched { "./" } else { "" });
        let word = shlex::try_quote(&word).unwrap_or_default();
        return Err(format!(
            "{shown} is a program, not a tournament file. `arena check {word}` tests it as a bot, and \
             `arena run {word} exact` lets it play"
        ));
    }
    text(bytes).map_err(|what| format!("{shown} is {what}"))
}

/// Returns true for a file that can be started.
fn is_program(path: &Path, bytes: &[u8]) -> bool {
    let is_toml = path.extension().is_some_and(|ending| ending == "toml");
    let is_script = path.to_str().and_then(interpreter::command).is_some();
    is_script || bytes.starts_with(b"#!") && !is_toml || bytes.starts_with(b"\x7fELF")
}

/// Decodes UTF-8. The error describes the actual content.
fn text(bytes: Vec<u8>) -> Result<String, String> {
    let is_utf16 = bytes.starts_with(b"\xff\xfe")
        || bytes.starts_with(b"\xfe\xff")
        || matches!(bytes[..], [0, other, ..] | [other, 0, ..] if other != 0);
    if is_utf16 {
        return Err("UTF-16: save it as UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)".into());
    }
    if bytes.contains(&0) {
        return Err("not a text".into());
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("not UTF-8 from line {line} on: save it as UTF-8 (iconv -f LATIN1 -t UTF-8 converts Latin-1)")
    })
}

/// Opens a regular file. Folders are refused. Pipes and devices are also refused, because they may be endless, unless a shell or the user
/// provided them.
pub fn open(path: &Path) -> io::Result<File> {
    let is_given = ["/dev/fd", "/dev/stdin"]
        .iter()
        .any(|given| path.starts_with(given));
    let is_file = is_given || fs::metadata(path)?.is_file();
    if is_file {
        File::open(path)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_tournament_file_is_named() {
        for (name, bytes, expected) in [
            ("my_bot.py", &b"import json\nA = 1\n"[..], true),
            ("my bot.mjs", b"", true),
            ("bot", b"#!/bin/sh\n", true),
            ("./bin/bot", b"\x7fELF\x02", true),
            ("t.toml", b"#!/usr/bin/env arena\n", false),
            ("notes", b"A = 1\n", false),
        ] {
            assert_eq!(is_program(Path::new(name), bytes), expected, "{name}");
        }
        for (bytes, expected) in [
            (&b"\xff\xfen\0"[..], Err("UTF-16")),
            (b"n\0a\0", Err("UTF-16")),
            (b"\0n\0a", Err("UTF-16")),
            (b"GIF\0", Err("not a text")),
            (b"a = 1\nname = \"M\xfc\"", Err("not UTF-8 from line 2 on")),
            ("name = 'Mü'".as_bytes(), Ok("name = 'Mü'")),
            (b"", Ok("")),
        ] {
            let found = text(bytes.to_vec());
            match expected {
                Ok(expected) => assert_eq!(found.as_deref(), Ok(expected)),
                Err(start) => assert!(found.clone().unwrap_err().starts_with(start), "{found:?}"),
            }
        }
    }
}
