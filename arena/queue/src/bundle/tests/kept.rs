//! Bundles that stay in a cache.

use std::time::{Duration, SystemTime};

use super::*;

fn bundle(content: &str) -> Bundle {
    let (_home, dir) = folder(&["bot.py", "net/x", "link -> net"]);
    fs::write(dir.join("bot.py"), content).unwrap();
    pack(&program(&dir, "python3 bot.py"), &[]).unwrap()
}

/// The names of what is in a cache.
fn names(cache: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(cache)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn an_archive_is_kept_and_what_was_unpacked_is_not() {
    let (bundle, (_cache, cache)) = (bundle("a"), folder(&[]));
    assert!(cached(&cache, &bundle.sha256).unwrap().is_none());
    let first = unpack(&bundle.archive, &cache, &bundle.sha256).unwrap();
    let again = cached(&cache, &bundle.sha256).unwrap().unwrap();
    assert_ne!(first.program.dir, again.program.dir);
    let before = listed(&again.program.dir);
    // What one worker changes harms no other.
    fs::write(first.program.dir.join("bot.py"), "b").unwrap();
    assert_eq!(listed(&again.program.dir), before);
    drop((first, again));
    let archive = format!("{}.tar.zst", bundle.sha256);
    assert_eq!(names(&cache), std::slice::from_ref(&archive));
    fs::write(cache.join(archive), "damaged").unwrap();
    assert!(cached(&cache, &bundle.sha256).unwrap().is_none());
    drop(unpack(&bundle.archive, &cache, &bundle.sha256).unwrap());
    assert!(cached(&cache, &bundle.sha256).unwrap().is_some());
}

#[test]
fn workers_may_unpack_at_once() {
    let (bundle, (_cache, cache)) = (bundle("a"), folder(&[]));
    let all: Vec<Unpacked> = std::thread::scope(|scope| {
        let unpack = || unpack(&bundle.archive, &cache, &bundle.sha256).unwrap();
        let all: Vec<_> = (0..8).map(|_| scope.spawn(unpack)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(
        all.iter()
            .all(|one| one.program.dir.join("net/x").is_file())
    );
    drop(all);
    assert_eq!(names(&cache).len(), 1);
}

#[test]
fn what_was_not_used_for_longest_makes_room() {
    let (_cache, cache) = folder(&[
        "mine.tar.zst",
        ".unpacked-killed/tree/bot.py",
        ".unpacked-killed/lock",
        ".unpacked-new/",
    ]);
    let old = SystemTime::now() - Duration::from_secs(1_000);
    fs::File::open(cache.join(".unpacked-killed"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    let bundles = ["a", "b", "c", "d"].map(bundle);
    let path = |bundle: &Bundle| cache.join(format!("{}.tar.zst", bundle.sha256));
    for (age, bundle) in (0..).zip(&bundles) {
        drop(unpack(&bundle.archive, &cache, &bundle.sha256).unwrap());
        fs::File::open(path(bundle))
            .unwrap()
            .set_modified(old + Duration::from_secs(age))
            .unwrap();
    }
    assert!(!cache.join(".unpacked-killed").exists() && cache.join(".unpacked-new").exists());
    let used = cached(&cache, &bundles[1].sha256).unwrap().unwrap();
    fs::File::open(used.program.dir.ancestors().nth(1).unwrap())
        .unwrap()
        .set_modified(old)
        .unwrap();
    let left = || {
        bundles
            .each_ref()
            .map(|bundle| u8::from(path(bundle).exists()))
    };
    let total: u64 = bundles
        .iter()
        .map(|bundle| bundle.archive.len() as u64)
        .sum();
    tidy(&cache, total);
    assert_eq!(left(), [1, 1, 1, 1]);
    tidy(&cache, total - 1);
    assert_eq!(left(), [0, 1, 1, 1]);
    // Used again, the second is younger than the others.
    tidy(&cache, bundles[1].archive.len() as u64);
    assert_eq!(left(), [0, 1, 0, 0]);
    tidy(&cache, 0);
    assert_eq!(left(), [0; 4]);
    assert!(cache.join("mine.tar.zst").exists() && used.program.dir.exists());
}
