//! Laws of all charts.

use super::*;
use crate::sample;

/// The files of the charts of a ledger with these bots' first matches.
fn contents() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament, "").unwrap();
    ledger.append(&played).unwrap();
    let files = write_all(&folder.path().join("charts"), &ledger, &Analysis::with(&ledger, 100).unwrap()).unwrap();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

#[test]
fn charts_are_the_same_to_the_byte_each_time() {
    let first = contents();
    assert_eq!(first, contents());
    assert!(first[0].starts_with(b"<svg") && first[1].starts_with(b"\x89PNG"));
}
