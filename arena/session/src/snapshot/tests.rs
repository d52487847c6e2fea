use super::*;
use arena_tournament::entrant::NO_BUILD;
use std::os::unix::fs::symlink as link;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[&str]) -> Self {
        let folder = Self(tempfile::tempdir_in("/var/tmp").unwrap());
        files.iter().for_each(|file| folder.write(file, file));
        folder
    }

    fn path(&self, file: &str) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), text).unwrap();
    }

    fn program(&self, command: &str, build: Option<&str>) -> Program {
        let command = command.split(' ').map(str::to_owned).collect();
        Program {
            command,
            dir: self.path("bot"),
            build: build.map(str::to_owned),
            ..Program::default()
        }
    }
}

/// Lists the files of a copy, and its links with their targets, in order.
fn copied(program: &Program) -> Vec<String> {
    let to = tempfile::tempdir().unwrap();
    let original = Copied::in_place(program);
    let copied = Copied {
        home: to.path().join("copy"),
        ..original.clone()
    };
    assert_eq!(copy(program, &copied).unwrap(), hash(program).unwrap());
    let (mut found, mut waiting) = (Vec::new(), vec![copied.home.clone()]);
    while let Some(folder) = waiting.pop() {
        for path in fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            let name = path
                .strip_prefix(&copied.home)
                .unwrap()
                .display()
                .to_string();
            match fs::read_link(&path) {
                Ok(to) => {
                    let to = to
                        .strip_prefix(&original.base)
                        .map_or(to.clone(), |rest| Path::new("…").join(rest));
                    found.push(format!("{name} -> {}", to.display()));
                }
                Err(_) if path.is_dir() => waiting.push(path),
                Err(_) => found.push(name),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn sources_change_with_what_is_built_from_and_not_with_what_was_built() {
    let folder = Folder::new(&["bot/src/bot.c"]);
    let make = folder.program("./bot", Some("make"));
    let was = hash(&make).unwrap();
    for file in [
        "build/bot",
        ".git/HEAD",
        "target/x",
        "t/ledger.sqlite",
        "__pycache__/x",
        "sub/__pycache__/x",
    ] {
        folder.write(&format!("bot/{file}"), "x");
        assert_eq!(hash(&make).unwrap(), was, "{file}");
    }
    folder.write("bot/a.toml", "[[bots]]");
    assert_eq!(hash(&make).unwrap(), was);
    folder.write("bot/src/build/more.c", "x");
    let more = hash(&make).unwrap();
    folder.write("bot/src/bot.c", "2");
    let changed = hash(&make).unwrap();
    let packages = {
        folder.write("bot/node_modules/x", "x");
        hash(&make).unwrap()
    };
    let other = Program {
        build: Some("make all".into()),
        ..make
    };
    let all = [was, more, changed, packages, hash(&other).unwrap()];
    assert!((1..5).all(|one| !all[..one].contains(&all[one])), "{all:?}");
}

#[test]
fn a_copy_holds_all_that_a_bot_may_need() {
    let files = [
        "bot.py",
        "-rf",
        "--help",
        "lib/x.py",
        "build/bot",
        ".git/HEAD",
        ".venv/pyvenv.cfg",
        ".venv/bin/x",
        "w/big",
    ];
    let folder = Folder::new(
        &files
            .map(|file| format!("bot/{file}"))
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    folder.write("bot/target/release/bot", "");
    folder.write("bot/target/release/bot.so", "");
    folder.write("bot/target/release/deps/x", "");
    folder.write("bot/target/CACHEDIR.TAG", "");
    let plain = folder.program("python3 bot.py", None);
    let program = Program {
        read: vec![folder.path("bot/w/big")],
        ..plain
    };
    let loose = [
        ".git -> ….git",
        ".venv -> ….venv",
        "target -> …target",
        "w/big -> …w/big",
    ]
    .map(|link| link.replace('…', "…/"));
    let mut all = ["--help", "-rf", "bot.py", "build/bot", "lib/x.py"]
        .map(str::to_owned)
        .to_vec();
    all.extend(loose);
    all.sort();
    assert_eq!(copied(&program), all);
    let built = copied(&folder.program("target/release/bot", None));
    assert!(
        ["target/release/bot", "target/release/bot.so"]
            .iter()
            .all(|file| built.contains(&(*file).to_owned()))
    );
    assert!(!built.iter().any(|file| file.contains("deps")), "{built:?}");
    assert!(copied(&folder.program(".git/HEAD", None)).contains(&".git/HEAD".to_owned()));
    // A bot of a class uses nothing in place.
    let class = ["--help", "-rf", "bot.py", "lib/x.py", "w/big"];
    assert_eq!(
        copied(&folder.program("python3 bot.py", Some(NO_BUILD))),
        class
    );
}

#[test]
fn no_link_brings_anything_along() {
    let folder = Folder::new(&["bot/bot.py", "bot/lib/x.py", "good/bot.py"]);
    for (at, to) in [
        ("true", "../good/bot.py"),
        ("up", "../good"),
        ("in", "lib/x.py"),
        ("lib/back", "../bot.py"),
        ("none", "x"),
    ] {
        link(to, folder.path("bot").join(at)).unwrap();
    }
    link(folder.path("bot/lib"), folder.path("bot/all")).unwrap();
    link("/etc/passwd", folder.path("bot/system")).unwrap();
    let good = folder.path("good").display().to_string();
    let outside = [format!("true -> {good}/bot.py"), format!("up -> {good}")];
    let inside = [
        "all -> lib",
        "bot.py",
        "in -> lib/x.py",
        "lib/back -> ../bot.py",
        "lib/x.py",
        "none -> x",
        "system -> /etc/passwd",
    ];
    let mut all: Vec<String> = inside
        .into_iter()
        .map(str::to_owned)
        .chain(outside)
        .collect();
    all.sort();
    let program = folder.program("sh bot.py true up system in", None);
    assert_eq!(copied(&program), all);
    let copied = Copied::in_place(&program);
    let refused =
        |words: &str| check_links(&folder.program(words, None).command, &copied, &[]).err();
    for (words, link) in [
        ("sh bot.py true", "true is a link"),
        ("sh bot.py up/bot.py", "up/bot.py is a link"),
        ("./up x", "./up is"),
    ] {
        assert!(
            refused(words).is_some_and(|why| why.contains(link)),
            "{words}: {:?}",
            refused(words)
        );
    }
    assert_eq!(refused("sh bot.py system in lib/back all none"), None);
    assert_eq!(
        check_links(&program.command, &copied, &[folder.path("good")]),
        Ok(())
    );
}

#[test]
fn what_is_too_large_is_said_with_the_way_out() {
    let folder = Folder::new(&["bot/bot.py"]);
    (0..=MAX_ENTRIES)
        .for_each(|number| fs::write(folder.path("bot").join(number.to_string()), "").unwrap());
    let why = hash(&folder.program("python3 bot.py", None))
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("10000 files") && why.contains("`read`") && why.contains("`dir`"),
        "{why}"
    );
}

#[test]
fn named_files_are_hashed_and_interpreters_are_not() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bot.py"), "abc").unwrap();
    let command = ["python3", "-u", "bot.py", "7"].map(str::to_owned);
    let program = Program {
        command: command.to_vec(),
        dir: folder.path().to_owned(),
        ..Program::default()
    };
    let [files @ .., sources] = &files(&Bot::Program(program))[..] else {
        panic!("files")
    };
    assert_eq!(sources.file, SOURCES);
    // Example from FIPS 180-2, appendix B.1.
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
    assert_eq!(
        files,
        [HashedFile {
            file: "bot.py".into(),
            sha256
        }]
    );
}

#[test]
fn the_folder_a_bot_starts_in_is_copied_even_if_only_a_tournament_lies_in_it() {
    let folder = Folder::new(&["bot/bot.py", "bot/out/played/ledger.sqlite"]);
    folder.write("bot/out/tournament.toml", "[[bots]]\n");
    let mut program = folder.program("python3 ../bot.py", None);
    program.dir = folder.path("bot/out");
    let to = tempfile::tempdir().unwrap();
    let home = to.path().join("copy");
    let copied = Copied {
        home,
        ..Copied::in_place(&program)
    };
    copy(&program, &copied).unwrap();
    let dir = copied.at(&program.dir);
    assert!(dir.is_dir(), "{}", dir.display());
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    assert!(dir.join("../bot.py").is_file());
}

#[test]
fn a_tournament_that_begins_in_a_folder_changes_nothing_in_the_bot() {
    let folder = Folder::new(&[]);
    fs::create_dir_all(folder.path("bot")).unwrap();
    let hashed = || hash(&folder.program("sh", None)).unwrap();
    let before = hashed();
    folder.write("bot/t/lock", "process 1");
    assert_eq!(hashed(), before, "killed before it had a ledger");
    folder.write("bot/t/ledger.sqlite", "");
    assert_eq!(hashed(), before);
    fs::create_dir_all(folder.path("bot/more")).unwrap();
    assert_ne!(hashed(), before);
}
