//! Bundles that stay in a cache.

use std::io;
use std::time::{Duration, SystemTime};

use super::*;

/// What is changed, and the change.
type Change = (&'static str, fn(&Path));

fn bundle(content: &str) -> Bundle {
    let (_home, dir) = folder(&["bot.py", "net/x", "link -> net"]);
    fs::write(dir.join("bot.py"), content).unwrap();
    pack(&program(&dir, "python3 bot.py"), &[]).unwrap()
}

#[test]
fn a_bundle_is_unpacked_once_and_again_when_it_was_changed() {
    let (bundle, (_cache, cache)) = (bundle("a"), folder(&[]));
    assert!(cached(&cache, &bundle.sha256).unwrap().is_none());
    let first = unpack(bundle.archive.as_slice(), &cache, &bundle.sha256).unwrap();
    let dir = first.program.dir.clone();
    let again = unpack(io::empty(), &cache, &bundle.sha256).unwrap();
    assert_eq!(again.program, first.program);
    drop((first, again));
    let changes: [Change; 7] = [
        ("content", |dir| fs::write(dir.join("bot.py"), "b").unwrap()),
        ("more", |dir| fs::write(dir.join("bot.py"), "ab").unwrap()),
        ("a new file", |dir| fs::write(dir.join("net/json.py"), "b").unwrap()),
        ("no file", |dir| fs::remove_file(dir.join("net/x")).unwrap()),
        ("a link", |dir| {
            fs::remove_file(dir.join("link")).unwrap();
            std::os::unix::fs::symlink("/", dir.join("link")).unwrap();
        }),
        ("another archive", |dir| fs::write(dir.with_file_name("archive.tar.zst"), "b").unwrap()),
        ("no archive", |dir| fs::remove_file(dir.with_file_name("archive.tar.zst")).unwrap()),
    ];
    for (what, change) in changes {
        change(&dir);
        assert!(cached(&cache, &bundle.sha256).unwrap().is_none(), "{what}");
        drop(unpack(bundle.archive.as_slice(), &cache, &bundle.sha256).unwrap());
        assert!(cached(&cache, &bundle.sha256).unwrap().is_some(), "{what}");
    }
}

#[test]
fn what_is_changed_while_it_is_used_is_not_pulled_away() {
    let (bundle, (_cache, cache)) = (bundle("a"), folder(&[]));
    let used = unpack(bundle.archive.as_slice(), &cache, &bundle.sha256).unwrap();
    fs::write(used.program.dir.join("bot.py"), "b").unwrap();
    assert!(matches!(cached(&cache, &bundle.sha256), Err(UnpackError::Changed(_))));
    assert!(used.program.dir.exists());
}

#[test]
fn workers_that_unpack_at_once_share_what_is_there() {
    let (bundle, (_cache, cache)) = (bundle("a"), folder(&[]));
    let dirs: Vec<PathBuf> = std::thread::scope(|scope| {
        let unpack = || unpack(bundle.archive.as_slice(), &cache, &bundle.sha256).unwrap().program.dir;
        let all: Vec<_> = (0..8).map(|_| scope.spawn(unpack)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(dirs.iter().all(|dir| *dir == cache.join(&bundle.sha256).join("tree")));
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 1);
}

#[test]
fn what_was_not_used_for_longest_makes_room() {
    let (_cache, cache) = folder(&[]);
    let bundles = ["a", "b", "c", "d"].map(bundle);
    let mut there: Vec<Unpacked> = Vec::new();
    for (age, bundle) in (0..).zip(&bundles) {
        there.push(unpack(bundle.archive.as_slice(), &cache, &bundle.sha256).unwrap());
        let archive = fs::File::open(cache.join(&bundle.sha256).join("archive.tar.zst")).unwrap();
        archive.set_modified(SystemTime::now() - Duration::from_secs(1_000 - age)).unwrap();
    }
    let left = || bundles.each_ref().map(|bundle| u8::from(cache.join(&bundle.sha256).exists()));
    evict(&cache, 0).unwrap();
    assert_eq!(left(), [1, 1, 1, 1]);
    drop(there.split_off(1));
    // Used again, the second is younger than the others.
    drop(cached(&cache, &bundles[1].sha256).unwrap().unwrap());
    let sizes = bundles.each_ref().map(|bundle| cache::size(&cache.join(&bundle.sha256)));
    evict(&cache, sizes.iter().sum()).unwrap();
    assert_eq!(left(), [1, 1, 1, 1]);
    evict(&cache, sizes.iter().sum::<u64>() - 1).unwrap();
    assert_eq!(left(), [1, 1, 0, 1]);
    evict(&cache, 0).unwrap();
    assert_eq!(left(), [1, 0, 0, 0]);
}
