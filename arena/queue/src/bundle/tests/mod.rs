//! Bundles from one folder to another.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use arena_tournament::entrant::Program;
use tempfile::TempDir;

use super::unpack::tidy;
use super::*;

mod hostile;
mod kept;
mod laws;
mod secrets;
mod travels;

fn pack(program: &Program, hidden: &[PathBuf]) -> anyhow::Result<Bundle> {
    super::pack::pack(program, hidden, &LIMITS)
}

fn unpack(archive: &[u8], cache: &Path, sha256: &str) -> anyhow::Result<Unpacked> {
    super::unpack(archive, cache, sha256, &LIMITS)
}

/// A folder with these files; one that ends with a / is a folder, and `a -> b` is a link.
pub fn folder(files: &[&str]) -> (TempDir, PathBuf) {
    let temporary = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(temporary.path()).unwrap();
    for file in files {
        let (name, link) = file
            .split_once(" -> ")
            .map_or((*file, None), |(name, to)| (name, Some(to)));
        let path = home.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match link {
            Some(to) => std::os::unix::fs::symlink(to, path).unwrap(),
            None if name.ends_with('/') => fs::create_dir_all(path).unwrap(),
            None => fs::write(path, name).unwrap(),
        }
    }
    (temporary, home)
}

/// The program of a command that runs in a folder.
pub fn program(dir: &Path, command: &str) -> Program {
    let command = command.split(' ').map(str::to_owned).collect();
    Program {
        command,
        dir: dir.to_path_buf(),
        ..Program::default()
    }
}

/// What lies in a folder: what files hold, and where links lead.
pub fn listed(folder: &Path) -> BTreeMap<String, String> {
    let entries = ignore::WalkBuilder::new(folder)
        .standard_filters(false)
        .build();
    let describe = |entry: ignore::DirEntry| {
        let name = entry
            .path()
            .strip_prefix(folder)
            .unwrap()
            .display()
            .to_string();
        let kind = entry.file_type().unwrap();
        let what = if kind.is_dir() {
            "/".to_owned()
        } else if kind.is_symlink() {
            format!("-> {}", fs::read_link(entry.path()).unwrap().display())
        } else {
            String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned()
        };
        (name, what)
    };
    entries
        .map(|entry| describe(entry.unwrap()))
        .filter(|(name, _)| !name.is_empty())
        .collect()
}

/// Packs a program and unpacks it into a cache.
fn travelled(program: &Program, cache: &Path) -> Unpacked {
    let bundle = pack(program, &[]).unwrap();
    unpack(&bundle.archive, cache, &bundle.sha256).unwrap()
}

#[test]
fn a_folder_travels_as_it_is() {
    let (_home, dir) = folder(&[
        "bot.py",
        "net/weights.bin",
        "empty/",
        "latest -> net/weights.bin",
        "nets -> net",
    ]);
    let (_cache, cache) = folder(&[]);
    let there = travelled(&program(&dir, "python3 -u bot.py"), &cache);
    assert_eq!(listed(&there.program.dir), listed(&dir));
    assert_eq!(there.program.command, ["python3", "-u", "bot.py"]);
}

#[test]
fn a_program_has_its_new_paths() {
    let (_home, home) = folder(&[
        "bots/mine/bot.py",
        "bots/common/net.bin",
        "bots/rival/secret",
        "data/book.txt",
    ]);
    let (_cache, cache) = folder(&[]);
    let absolute = home.join("bots/common/net.bin").display().to_string();
    let command =
        format!("python3 ./bot.py {absolute} ../common ../../data/book.txt --level=7 /usr/share/x");
    let mut mine = program(&home.join("bots/mine"), &command);
    mine.read = vec![home.join("data"), "/usr/lib".into(), "/dev/null".into()];
    mine.env = BTreeMap::from([("NET".into(), "../common/net.bin".into())]);
    let unpacked = travelled(&mine, &cache);
    let there = &unpacked.program;
    let tree = there.dir.ancestors().nth(2).unwrap();
    let at = |name: &str| tree.join(name).display().to_string();
    let net = at("bots/common/net.bin");
    let words = [
        "python3",
        &at("bots/mine/bot.py"),
        &net,
        &at("bots/common"),
        &at("data/book.txt"),
        "--level=7",
    ];
    assert_eq!(
        there.command,
        [words.as_slice(), &["/usr/share/x"]].concat()
    );
    assert_eq!(there.read, [tree.join("data"), "/dev/null".into()]);
    assert_eq!((&there.env, there.cores), (&mine.env, mine.cores));
    let names: Vec<String> = listed(tree)
        .into_keys()
        .filter(|name| tree.join(name).is_file())
        .collect();
    assert_eq!(
        names,
        ["bots/common/net.bin", "bots/mine/bot.py", "data/book.txt"]
    );
}

#[test]
fn a_sample_bot_answers_where_it_was_unpacked() {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};
    if !arena_config::entrants::is_installed("python3") {
        return;
    }
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bots/python");
    let (_cache, cache) = folder(&[]);
    let unpacked = travelled(&program(&samples, "python3 careful_coda.py"), &cache);
    let there = &unpacked.program;
    let mut bot = Command::new(&there.command[0]);
    bot.args(&there.command[1..])
        .current_dir(&there.dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut bot = bot.spawn().unwrap();
    bot.stdin
        .take()
        .unwrap()
        .write_all(b"{\"hello\":{\"protocol\":1}}\n")
        .unwrap();
    let mut sent = String::new();
    bot.stdout
        .take()
        .unwrap()
        .read_to_string(&mut sent)
        .unwrap();
    bot.wait().unwrap();
    assert!(sent.starts_with("{\"ready\""), "{sent}");
}

#[test]
fn the_same_files_give_the_same_bundle() {
    let files = ["bot.py", "net/a b/weights.bin", "latest -> net/a b"];
    let ((_one, one), (_other, other)) = (
        folder(&files),
        folder(&["net/a b/weights.bin", "latest -> net/a b", "bot.py"]),
    );
    let file = fs::File::open(other.join("bot.py")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .unwrap();
    let [one, other] = [one, other].map(|dir| pack(&program(&dir, "python3 bot.py"), &[]).unwrap());
    assert_eq!(one.sha256, other.sha256);
}
