//! Makes file names from names of bots and tournaments.

use crate::short_hash::short_hash;

/// Maximum length of a file name without a hash. With a process id and an extension, it is still short enough for all systems.
const MAX_BYTES: usize = 100;
/// Maximum length of the readable part of a name with a hash.
const MAX_READABLE_BYTES: usize = 64;
/// Device names that are reserved on Windows, with any extension. `COM` and `LPT` are followed by a digit.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Returns a file name that no other name shares, even on file systems that ignore case or normalise Unicode.
///
/// A name made only of lower-case ASCII letters, digits, `-`, `_`, `.` and `@` is kept. Any other file name ends with `~` and a hash. The
/// result needs no escaping in URLs.
pub fn file_name(name: &str) -> String {
    if is_plain(name) {
        name.to_owned()
    } else {
        format!("{}~{}", readable(name), short_hash(name))
    }
}

/// Returns the ASCII letters and digits of a name in lower case, with `-` in place of everything in between. Different names may have the
/// same result.
pub fn readable(name: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<&str> = name
        .split(|c| !is_kept(c))
        .filter(|word| !word.is_empty())
        .collect();
    let mut readable = words.join("-").to_ascii_lowercase();
    readable.truncate(MAX_READABLE_BYTES);
    if readable.is_empty() {
        "_".into()
    } else {
        readable
    }
}

/// Returns true if every system accepts the name as a file name.
fn is_plain(name: &str) -> bool {
    let is_safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.@".contains(c);
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    begins_well
        && name.chars().all(is_safe)
        && !name.ends_with('.')
        && name.len() <= MAX_BYTES
        && !is_device(name)
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let is_port = |port| {
        stem.strip_prefix(port)
            .is_some_and(|end| end.len() == 1 && end.as_bytes()[0].is_ascii_digit())
    };
    DEVICES.contains(&stem) || is_port("com") || is_port("lpt")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ordinary_names_stay_readable() {
        for plain in [
            "bob",
            "random-2",
            "bob@2",
            "v1.2_b",
            "con-1",
            "console",
            "comx",
            &"x".repeat(64),
        ] {
            assert_eq!(file_name(plain), plain);
        }
        for (name, start) in [
            ("Bob", "bob~cd9fb1e148ccd844"),
            ("my bot", "my-bot~"),
            ("José", "jos~"),
            ("ä", "_~"),
            ("CON", "con~"),
        ] {
            assert!(
                file_name(name).starts_with(start),
                "{name}: {}",
                file_name(name)
            );
        }
        assert_eq!(readable("My league: 2nd day"), "my-league-2nd-day");
    }

    #[test]
    fn no_two_names_share_a_file() {
        let long = |end: &str| "\u{1f600}".repeat(63) + end;
        let mut names: Vec<String> = [
            "bob", "Bob", "BOB", "a\"15", "a∕", "a b", "a_b", "a-b", "a%20b", "é", "e\u{301}", "K",
            "\u{212a}", "k",
        ]
        .map(Into::into)
        .to_vec();
        names.extend(
            [
                "", ".", "..", ".bob", "bob.", "bob ", "con", "Con", "con.a", "nul", "com1",
                "lpt9.x", "ſ", "s", "~", "-x",
            ]
            .map(Into::into),
        );
        names.extend([
            long("x"),
            long("y"),
            "\u{20000}".repeat(64),
            "x".repeat(200),
            "x".repeat(201),
        ]);
        // One name equals the file name of another.
        names.extend(
            names
                .clone()
                .iter()
                .map(|name| file_name(name))
                .filter(|file| file.contains('~')),
        );
        let files: BTreeSet<String> = names
            .iter()
            .map(|name| file_name(name).to_lowercase())
            .collect();
        assert_eq!(files.len(), names.len(), "{files:?}");
    }

    proptest! {
        #[test]
        fn any_name_gives_a_safe_file_of_its_own(one in "([a-cA-C.~@%-]|\\PC){0,12}", other in "([a-cA-C.~@%-]|\\PC){0,12}") {
            let (file, second) = (file_name(&one), file_name(&other));
            prop_assert_eq!(file.eq_ignore_ascii_case(&second), one == other);
            prop_assert!(file.bytes().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'@' | b'~')));
            prop_assert!(!file.is_empty() && !file.starts_with(['.', '~', '-']) && !file.ends_with('.') && !is_device(&file));
            prop_assert!(file.len() <= MAX_BYTES);
        }
    }
}
