//! Tests of the problems that are found when parts are compared.

use super::*;
use arena_tournament::sample;

/// Returns a tournament of two bots on three deals, with all its matches.
fn whole() -> (Spec, Vec<Played>) {
    let spec = sample::tournament(&["ann", "bob"], 2, 3);
    let both = |deal: u32| {
        [["ann", "bob"], ["bob", "ann"]]
            .map(|bots| sample::really(u64::from(deal), deal, &bots, None))
    };
    (spec, (1..=3).flat_map(both).collect())
}

/// Creates folders with these parts. They are removed together with the temporary folder.
fn parts(spec: &Spec, matches: &[&[Played]]) -> (tempfile::TempDir, Vec<Part>) {
    let scratch = tempfile::tempdir().unwrap();
    let part = |(number, matches): (usize, &&[Played])| {
        let folder = scratch.path().join(format!("part-{number}"));
        let mut ledger = Ledger::create(&folder, spec).unwrap();
        ledger.append(matches).unwrap();
        Part::new(&folder, &ledger).unwrap()
    };
    let parts = matches.iter().enumerate().map(part).collect();
    (scratch, parts)
}

/// Returns the error for these parts, without the path of the temporary folder.
fn refusal(spec: &Spec, matches: &[&[Played]]) -> String {
    let (scratch, mut parts) = parts(spec, matches);
    let why = compare(spec, &mut parts).unwrap_err().to_string();
    why.replace(&format!("{}/", scratch.path().display()), "")
}

#[test]
fn what_no_part_has_is_missing() {
    let (spec, all) = whole();
    let missing = |matches: &[&[Played]]| {
        let missing = compare(&spec, &mut parts(&spec, matches).1).unwrap();
        missing.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(missing(&[&all[..2], &[], &all[1..]]), [""; 0]);
    assert_eq!(missing(&[&all[..3]]), ["deals 2 to 3 (3 matches)"]);
    assert_eq!(
        missing(&[&all[1..2], &all[5..]]),
        ["deals 1 to 3 (4 matches)"]
    );
    assert_eq!(
        missing(&[&all[..2], &all[5..]]),
        ["deals 2 to 3 (3 matches)"]
    );
    assert_eq!(missing(&[&all[..5]]), ["deal 3 (1 match)"]);
}

#[test]
fn times_and_voids_may_differ_and_nothing_else() {
    let (spec, all) = whole();
    let mut other = all[1].clone();
    other.times.wall_us += 1;
    other
        .voids
        .push(arena_tournament::played::Void::new("a busy machine"));
    assert!(compare(&spec, &mut parts(&spec, &[&all, &[other.clone()]]).1).is_ok());
    other.notes.clear();
    assert!(
        refusal(&spec, &[&all, &[other.clone()]]).contains("part-0 and part-1: what bots noted")
    );
    let record = sample::really(99, 1, &["bob", "ann"], None);
    let why = refusal(&spec, &[&all, &[record]]);
    assert!(
        why.starts_with("match d1/bob/ann differs between part-0 and part-1: the record"),
        "{why}"
    );
}

#[test]
fn a_match_that_is_not_as_it_should_be_is_named() {
    let (spec, all) = whole();
    let mut verdict = all[3].clone();
    verdict.verdict = all[0].verdict.clone();
    let why = refusal(&spec, &[&all[..1], &[verdict]]);
    assert!(
        why.starts_with("match d2/bob/ann in part-1 is not valid: "),
        "{why}"
    );
    let another = Played {
        deal: 2,
        ..all[0].clone()
    };
    let why = refusal(&spec, &[&[another]]);
    assert_eq!(
        why,
        "match d2/ann/bob in part-0 is not valid: its record belongs to another deal"
    );
    let beyond = sample::really(1, 4, &["ann", "bob"], None);
    assert_eq!(
        refusal(&spec, &[&[beyond]]),
        "part-0 holds matches on deal 4, but the plan ends with deal 3"
    );
    let with_itself = sample::really(1, 3, &["ann", "ann"], None);
    assert!(
        refusal(&spec, &[&[with_itself]]).ends_with("is not valid: it is not part of the plan")
    );
}

#[test]
fn what_is_saved_meanwhile_waits_for_the_next_merge() {
    let (spec, all) = whole();
    let (scratch, mut parts) = parts(&spec, &[&all[..1]]);
    let mut part = Ledger::open(&scratch.path().join("part-0")).unwrap();
    part.append(&all).unwrap();
    let mut ledger = Ledger::create(&scratch.path().join("all"), &spec).unwrap();
    append(&mut parts, &mut ledger, scratch.path()).unwrap();
    assert_eq!(ledger.count().unwrap(), 1);
}
