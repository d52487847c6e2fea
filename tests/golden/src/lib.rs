//! Files with the expected output of tests, which `ARENA_BLESS=1` rewrites.

use std::fs;
use std::path::Path;

/// Returns `true` if files are to be rewritten rather than checked.
pub fn is_blessing() -> bool {
    std::env::var_os("ARENA_BLESS").is_some()
}

/// Asserts that a file has this text, or rewrites the file.
///
/// # Panics
/// If the file differs, or cannot be written.
pub fn check(file: impl AsRef<Path>, text: &str) {
    let file = file.as_ref();
    let shown = file.display();
    if is_blessing() {
        fs::write(file, text).unwrap_or_else(|error| panic!("{shown}: {error}"));
    }
    let golden = fs::read_to_string(file).unwrap_or_default();
    assert_eq!(text, golden, "{shown}: ARENA_BLESS=1 renews it");
}

/// Like `check`, for the part of a file between two texts.
///
/// # Panics
/// If the file has no such part, or [`check`] panics.
pub fn check_part(file: impl AsRef<Path>, [from, to]: [&str; 2], text: &str) {
    let page = fs::read_to_string(&file).unwrap_or_default();
    let part = page.split_once(from).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(to)?;
        Some([before, from, text, to, after].concat())
    });
    let shown = file.as_ref().display();
    let whole = part.unwrap_or_else(|| panic!("{shown} has nothing between {from:?} and {to:?}"));
    check(file, &whole);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_compared_where_it_stands() {
        let file = std::env::temp_dir().join(format!("golden-{}", std::process::id()));
        fs::write(&file, "a<b>c").unwrap();
        check_part(&file, ["<", ">"], "b");
        let differs = std::panic::catch_unwind(|| check_part(&file, ["<", ">"], "c"));
        assert_eq!(differs.is_err(), !is_blessing());
        fs::remove_file(&file).unwrap();
    }
}
