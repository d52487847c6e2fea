//! Archives that nobody should unpack.

use std::io::{Cursor, Write};

use tar::EntryType::{self, Block, Char, Directory, Fifo, GNUSparse, Link, Regular, Symlink};

use super::super::super::bundle;
use super::*;
use arena_sandbox::files;

const MANIFEST: &str = r#"{"version":1,"command":[{"text":"sh"}],"dir":"","read":[],"devices":[],"env":{},"cores":"one"}"#;
const SMALL: Limits = Limits {
    packed: 1 << 20,
    unpacked: 1 << 16,
    entries: 20,
};

/// An archive with a manifest, and then these entries as they are: their names, what they are, and what they hold.
fn archive(manifest: &str, entries: &[(&str, EntryType, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, kind, holds) in [("manifest.json", Regular, manifest)].iter().chain(entries) {
        let mut header = tar::Header::new_gnu();
        let is_link = matches!(*kind, Symlink | Link);
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        if is_link {
            header.as_old_mut().linkname[..holds.len()].copy_from_slice(holds.as_bytes());
        }
        let content = if is_link { "" } else { holds };
        header.set_entry_type(*kind);
        header.set_mode(0o7777);
        header.set_size(content.len() as u64);
        header.set_cksum();
        tar.append(&header, content.as_bytes()).unwrap();
    }
    zstd::encode_all(Cursor::new(tar.into_inner().unwrap()), 3).unwrap()
}

/// Unpacks an archive into a folder beside which a file lies that nobody should touch; the error, if it is refused.
fn unpacked(archive: &[u8], look: impl Fn(&Program)) -> Option<String> {
    let (_home, home) = folder(&["outside", "cache/"]);
    let sha256 = files::hash_of(archive).unwrap();
    let cache = home.join("cache");
    let error = match bundle::unpack(archive, &cache, &sha256, &SMALL) {
        Ok(there) => {
            look(&there.program);
            None
        }
        Err(error) => {
            assert_eq!(
                fs::read_dir(&cache).unwrap().count(),
                0,
                "something is left of what was refused: {error}"
            );
            Some(format!("{error:#}"))
        }
    };
    assert_eq!(fs::read_dir(&home).unwrap().count(), 2);
    assert_eq!(fs::read_to_string(home.join("outside")).unwrap(), "outside");
    error
}

fn refusal(manifest: &str, entries: &[(&str, EntryType, &str)]) -> String {
    unpacked(&archive(manifest, entries), |_| ())
        .unwrap_or_else(|| panic!("{manifest} with {entries:?} is not refused"))
}

#[test]
fn what_leads_out_is_refused() {
    let tree = ("tree", Directory, "");
    let long = "tree/".to_owned() + &"x".repeat(60);
    for (entries, expected) in [
        (vec![("/etc/x", Regular, "")], "not a plain path"),
        (vec![tree, ("/tree/x", Regular, "")], "not a plain path"),
        (
            vec![tree, ("tree/../../../outside", Regular, "")],
            "not a plain path",
        ),
        (vec![tree, ("tree/./x", Regular, "")], "not a plain path"),
        (vec![tree, ("tree//x", Regular, "")], "not a plain path"),
        (vec![tree, ("tree/x/", Directory, "")], "not a plain path"),
        (vec![tree, ("treex", Regular, "")], "not a plain path"),
        (
            vec![tree, ("archive.tar.zst", Regular, "")],
            "not a plain path",
        ),
        (vec![("tree", Regular, "")], "not a plain path"),
        (vec![("tree", Symlink, "..")], "not a plain path"),
        (vec![tree, ("tree/a\nb", Regular, "")], "not a plain path"),
        (
            vec![tree, ("tree/a\u{1b}[2J", Regular, "")],
            "not a plain path",
        ),
        (vec![tree, ("tree/a\\b", Regular, "")], "not a plain path"),
        (
            vec![tree, ("tree/x", Regular, ""), ("tree/x", Regular, "")],
            "twice",
        ),
        (
            vec![tree, ("tree/x", Symlink, "y"), ("tree/x", Regular, "")],
            "twice",
        ),
        (vec![tree, ("tree", Directory, "")], "twice"),
        (
            vec![("tree/x", Regular, "")],
            "not a plain path in a folder",
        ),
        (
            vec![tree, ("tree/x", Regular, ""), ("tree/x/y", Regular, "")],
            "not a plain path in a folder",
        ),
        (
            vec![tree, ("tree/x", Symlink, "/"), ("tree/x/y", Regular, "")],
            "not a plain path in a folder",
        ),
        (
            vec![tree, ("tree/x", Symlink, "/etc/passwd")],
            "does not lead to a file or folder of the archive",
        ),
        (
            vec![tree, ("tree/x", Symlink, "../../../outside")],
            "does not lead",
        ),
        (vec![tree, ("tree/x", Symlink, "..")], "does not lead"),
        (vec![tree, ("tree/x", Symlink, "")], "does not lead"),
        (vec![tree, ("tree/x", Symlink, "nowhere")], "does not lead"),
        (vec![tree, ("tree/x", Symlink, "x")], "does not lead"),
        (
            vec![
                tree,
                ("tree/a", Directory, ""),
                ("tree/b", Symlink, "a"),
                ("tree/c", Symlink, "b"),
            ],
            "does not lead",
        ),
        (
            vec![
                tree,
                ("tree/a", Directory, ""),
                ("tree/b", Symlink, "a/../a"),
            ],
            "does not lead",
        ),
        (
            vec![tree, ("tree/x", Link, "/etc/passwd")],
            "not a file, folder or symbolic link",
        ),
        (
            vec![tree, ("tree/x", Char, "")],
            "not a file, folder or symbolic link",
        ),
        (
            vec![tree, ("tree/x", Block, "")],
            "not a file, folder or symbolic link",
        ),
        (
            vec![tree, ("tree/x", Fifo, "")],
            "not a file, folder or symbolic link",
        ),
        (vec![tree, ("tree/x", GNUSparse, "")], "cannot be read"),
        (
            vec![tree, (long.as_str(), EntryType::XGlobalHeader, "")],
            "not a file, folder or symbolic link",
        ),
    ] {
        let error = refusal(MANIFEST, &entries);
        assert!(error.contains(expected), "{entries:?}: {error}");
    }
}

#[test]
fn what_grows_is_refused() {
    let tree = ("tree", Directory, "");
    let names: Vec<String> = (0..30).map(|number| format!("tree/{number}")).collect();
    let many: Vec<_> = [tree]
        .into_iter()
        .chain(names.iter().map(|name| (name.as_str(), Regular, "")))
        .collect();
    assert!(refusal(MANIFEST, &many).contains("more than 65536 bytes or 20 entries"));
    let zeros = "\0".repeat(1 << 20);
    assert!(
        refusal(MANIFEST, &[tree, ("tree/x", Regular, &zeros)]).contains("more than 65536 bytes")
    );
    let long_name = [
        tree,
        ("././@LongLink", EntryType::GNULongName, zeros.as_str()),
        ("tree/x", Regular, ""),
    ];
    assert!(refusal(MANIFEST, &long_name).contains("cannot be read"));
    let pax = [
        tree,
        ("x", EntryType::XHeader, zeros.as_str()),
        ("tree/x", Regular, ""),
    ];
    assert!(refusal(MANIFEST, &pax).contains("cannot be read"));
    let long = format!("{MANIFEST}{}", " ".repeat(1 << 19));
    assert!(refusal(&long, &[tree]).contains("manifest.json of at most"));
    let (_home, cache) = folder(&[]);
    let error = bundle::unpack(&vec![7; SMALL.packed + 1], &cache, &"0".repeat(64), &SMALL)
        .unwrap_err()
        .to_string();
    assert!(error.contains("is longer than 1 MiB"), "{error}");
}

#[test]
fn bad_manifests_are_refused() {
    let entries = [
        ("tree", Directory, ""),
        ("tree/mine", Directory, ""),
        ("tree/up", Symlink, "."),
        ("tree/out.sh", Regular, "#!/home/somebody/key\n"),
    ];
    for (from, to, expected) in [
        (
            r#""version":1"#,
            r#""version":2"#,
            "its layout has version 2",
        ),
        (
            r#""version":1"#,
            r#""version":1,"more":1"#,
            "does not begin with a manifest.json",
        ),
        (r#"{"text":"sh"}"#, "", "no command"),
        (r#"{"text":"sh"}"#, r#"{"text":""}"#, "no command"),
        (r#""sh""#, r#""a\u0000""#, "no command"),
        (r#"{"text":"sh"}"#, r#"{"path":"../x"}"#, "leads out"),
        (r#"{"text":"sh"}"#, r#"{"path":"/etc/passwd"}"#, "leads out"),
        (
            r#"{"text":"sh"}"#,
            r#"{"text":"cat"},{"text":"/home/somebody/key"}"#,
            "leads out",
        ),
        (
            r#"{"text":"sh"}"#,
            r#"{"text":"cat"},{"text":"/usr/../home/somebody/key"}"#,
            "leads out",
        ),
        (
            r#"{"text":"sh"}"#,
            r#"{"text":"cat"},{"text":"../../outside"}"#,
            "leads out",
        ),
        (
            r#"{"text":"sh"}"#,
            r#"{"text":"cat"},{"text":"up/../../outside"}"#,
            "leads out",
        ),
        (r#""dir":"""#, r#""dir":"..""#, "leads out"),
        (r#""dir":"""#, r#""dir":"/""#, "leads out"),
        (r#""dir":"""#, r#""dir":"nowhere""#, "is not there"),
        (r#""dir":"""#, r#""dir":"out.sh""#, "is not there"),
        (r#""read":[]"#, r#""read":["mine/../.."]"#, "leads out"),
        (r#""read":[]"#, r#""read":["nowhere"]"#, "is not there"),
        (
            r#""devices":[]"#,
            r#""devices":["/etc/passwd"]"#,
            "needs the device",
        ),
        (
            r#""devices":[]"#,
            r#""devices":["/dev/../etc/passwd"]"#,
            "needs the device",
        ),
        (
            r#""devices":[]"#,
            r#""devices":["/dev/shm"]"#,
            "needs the device",
        ),
        (r#""env":{}"#, r#""env":{"A=B":"c"}"#, "cannot be set"),
        (r#""env":{}"#, r#""env":{"A":"c\u0000"}"#, "cannot be set"),
    ] {
        assert!(MANIFEST.contains(from), "{from}");
        let error = refusal(&MANIFEST.replace(from, to), &entries);
        assert!(error.contains(expected), "{to}: {error}");
    }
}

#[test]
fn rights_beyond_reading_and_running_are_dropped() {
    use std::os::unix::fs::PermissionsExt;
    let good = archive(
        MANIFEST,
        &[
            ("tree", Directory, ""),
            ("tree/bot", Regular, "x"),
            ("tree/up", Symlink, "."),
        ],
    );
    let error = unpacked(&good, |program| {
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(
            [mode(program.dir.clone()), mode(program.dir.join("bot"))],
            [0o700, 0o700]
        );
        assert_eq!(fs::read_to_string(program.dir.join("up/bot")).unwrap(), "x");
    });
    assert_eq!(error, None);
}

#[test]
fn what_is_damaged_is_not_even_read() {
    let mut good = archive(MANIFEST, &[("tree", Directory, "")]);
    let sha256 = files::hash_of(good.as_slice()).unwrap();
    good.write_all(b"more").unwrap();
    let (_home, cache) = folder(&[]);
    let error = unpack(&good, &cache, &sha256).unwrap_err().to_string();
    assert!(error.contains("is damaged"), "{error}");
    for name in ["", "../x", "x", &"A".repeat(64), &"/".repeat(64)] {
        assert!(unpack(&good, &cache, name).is_err());
        let error = cached(&cache, name).unwrap_err().to_string();
        assert!(error.contains("is not a SHA-256"), "{name}: {error}");
    }
    let half = &good[..good.len() / 2];
    assert!(unpacked(half, |_| ()).unwrap().contains("cannot be read"));
    assert!(
        unpacked(b"no archive", |_| ())
            .unwrap()
            .contains("cannot be read")
    );
    assert!(
        unpacked(&zstd::encode_all(&b""[..], 3).unwrap(), |_| ())
            .unwrap()
            .contains("does not begin with")
    );
}
