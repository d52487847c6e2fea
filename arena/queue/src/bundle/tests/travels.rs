//! What travels with a bot, and what does not.

use super::*;

/// The files and links of what a program becomes elsewhere, and the warnings.
fn travels(program: &Program, hidden: &[PathBuf]) -> (Vec<String>, Vec<String>) {
    let (_cache, cache) = folder(&[]);
    let bundle = pack(program, hidden).unwrap();
    let there = unpack(&bundle.archive, &cache, &bundle.sha256).unwrap();
    let tree = there
        .program
        .dir
        .ancestors()
        .find(|above| above.ends_with("tree"))
        .unwrap();
    let listed = listed(tree).into_iter().filter(|(_, what)| what != "/");
    let shown = |(name, what): (String, String)| {
        if what.starts_with("->") {
            format!("{name} {what}")
        } else {
            name
        }
    };
    (listed.map(shown).collect(), bundle.warnings)
}

/// What travels of these files with a bot in the folder `mine`.
fn of_files(files: &[&str], command: &str) -> String {
    let (_home, home) = folder(files);
    travels(&program(&home.join("mine"), command), &[])
        .0
        .join(", ")
}

#[test]
fn only_what_is_the_bots_own_travels() {
    for (files, command, expected) in [
        (
            &["mine/bot.py", "other/b.py"][..],
            "python3 bot.py",
            "bot.py",
        ),
        (
            &["mine/bot.py", "mine/.git/HEAD", "mine/__pycache__/bot.pyc"],
            "python3 bot.py",
            "bot.py",
        ),
        (
            &["mine/.hidden", "mine/.gitignore", "mine/bot"],
            "x",
            ".gitignore, .hidden, bot",
        ),
        (
            &["mine/a", "other/bot.py", "other/lib.py"],
            "python3 ../other/bot.py",
            "mine/a, other/bot.py",
        ),
        (
            &[
                "mine/bot",
                "mine/runs/1/ledger.sqlite",
                "mine/runs/1/logs/x",
            ],
            "x",
            "bot",
        ),
        (
            &[
                "mine/bot",
                "mine/ledger.sqlite",
                "mine/tournament.toml",
                "mine/logs/x",
            ],
            "x",
            "bot",
        ),
        (
            &["mine/bot -> ../built/bot", "built/bot"],
            "./bot",
            "built/bot, mine/bot -> ../built/bot",
        ),
        (
            &["mine/a -> b", "mine/b -> c", "mine/c"],
            "x",
            "a -> c, b -> c, c",
        ),
        (&["mine/sh -> /usr/bin/env"], "x", "sh"),
        (
            &["mine/deep/up -> ../..", "mine/x", "elsewhere -> mine"],
            "x ..",
            "elsewhere -> mine, mine/deep/up -> ..",
        ),
    ] {
        let found = of_files(files, command);
        assert!(found.starts_with(expected), "{files:?} {command}: {found}");
    }
}

#[test]
fn what_is_ignored_stays_but_for_what_the_command_names() {
    let (_home, home) = folder(&[
        "mine/target/release/bot",
        "mine/target/debug/x",
        "mine/b.log",
        "mine/net/c.log",
    ]);
    fs::write(
        home.join("mine/.arenaignore"),
        "/target\n*.log\n!net/*.log\n",
    )
    .unwrap();
    let (found, _) = travels(&program(&home.join("mine"), "target/release/bot"), &[]);
    assert_eq!(found, [".arenaignore", "net/c.log", "target/release/bot"]);
    fs::write(home.join(".arenaignore"), "net\n").unwrap();
    let (found, _) = travels(&program(&home.join("mine"), "target/release/bot"), &[]);
    assert_eq!(found, [".arenaignore", "target/release/bot"]);
}

#[test]
fn what_is_hidden_stays() {
    let files = [
        "friday.toml",
        "seed",
        "a.py",
        "b/b.py",
        "b/c/c.py",
        "link -> seed",
        "friday/ledger.sqlite",
        "friday/x",
    ];
    let (_home, home) = folder(&files);
    let hidden = ["friday.toml", "seed", "", "b", "b/c"].map(|name| home.join(name));
    let (found, warnings) = travels(&program(&home, "python3 a.py"), &hidden);
    assert_eq!(found, ["a.py"]);
    assert_eq!(
        warnings,
        [format!(
            "{}: this link leads to what no bot may read, and is left out",
            home.join("link").display()
        )]
    );
    let (found, _) = travels(&program(&home.join("b"), "python3 b.py"), &hidden);
    assert_eq!(found, ["b.py"]);
    let named = pack(&program(&home, "python3 a.py seed"), &hidden)
        .unwrap_err()
        .to_string();
    assert!(
        named.ends_with("seed, which no bot may read: take it out of the command"),
        "{named}"
    );
}

#[test]
fn what_a_bot_may_miss_is_warned_of() {
    let (_home, home) = folder(&[
        "bot.py",
        ".venv/pyvenv.cfg",
        ".venv/bin/python -> /usr/bin/env",
        "gone -> nowhere",
    ]);
    nix::unistd::mkfifo(&home.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let shown = home.display();
    let mut bot = program(&home, &format!("python3 bot.py --net={shown}/net"));
    bot.env = BTreeMap::from([("NET".into(), format!("{shown}/net"))]);
    let (found, warnings) = travels(&bot, &[]);
    assert_eq!(found, ["bot.py"]);
    for start in [
        format!("{shown}/.venv: this virtual environment"),
        format!("{shown}/gone: this link leads nowhere"),
        format!("{shown}/pipe: this is not a file, folder or link"),
        format!("the word \"--net={shown}/net\" of the command holds the path {shown},"),
        format!("the variable NET holds the path {shown},"),
    ] {
        assert_eq!(
            warnings
                .iter()
                .filter(|warning| warning.starts_with(&start))
                .count(),
            1,
            "{start}: {warnings:?}"
        );
    }
}

#[test]
fn what_cannot_travel_is_refused() {
    let conda = [
        "mine/a",
        "conda/bin/python",
        "conda/conda-meta/x",
        "tool/bin/x",
        "tool/lib/y",
    ];
    for (files, command, expected) in [
        (
            &["mine/.venv/pyvenv.cfg", "mine/.venv/bin/python"][..],
            ".venv/bin/python bot.py",
            "an installation of this machine",
        ),
        (
            &["mine/pyvenv.cfg"],
            "python3 bot.py",
            "an installation of this machine",
        ),
        (
            &conda,
            "../conda/bin/python bot.py",
            "an installation of this machine",
        ),
        (&conda, "../tool/bin/x", "an installation of this machine"),
        (&conda, "x /", "move the bot to a folder of its own"),
        (&conda, "x /nowhere", "the command names \"/nowhere\""),
        (
            &conda,
            "x ../../../../../nowhere",
            "which does not lead to anything that travels",
        ),
        (
            &conda,
            "x a/../../conda/nothing",
            "which does not lead to anything that travels",
        ),
        (
            &["mine/out -> ../secret", "secret"],
            "x",
            "name what it leads to in `read`",
        ),
        (
            &["mine/out -> /usr/bin"],
            "x",
            "name what it leads to in `read`",
        ),
        (&["mine/a\nb"], "x", "has a name that cannot travel"),
        (&["other/"], "x", "cannot pack"),
    ] {
        let (_home, home) = folder(files);
        let error = pack(&program(&home.join("mine"), command), &[])
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{command}: {error}");
    }
    let (_home, home) = folder(&["tool/bin/python", "tool/lib/x", "bot.py"]);
    fs::write(
        home.join("bot.py"),
        format!("#!{}\n", home.join("tool/bin/python").display()),
    )
    .unwrap();
    pack(&program(&home, "python3 bot.py"), &[]).unwrap();
    let error = pack(&program(&home, "./bot.py"), &[])
        .unwrap_err()
        .to_string();
    assert!(error.contains("write #!/usr/bin/env"), "{error}");
    let error = pack(&program(&std::env::temp_dir(), "x"), &[])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("contains files that are not the bot's"),
        "{error}"
    );
}

#[test]
fn what_is_too_much_is_named() {
    let (_home, home) = folder(&["bot.py", "net/a", "net/b", "net/c"]);
    let noise: Vec<u8> = (0..3_000_000_u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    fs::write(home.join("net/weights.bin"), noise).unwrap();
    let refused = |limits| {
        super::super::pack::pack(&program(&home, "python3 bot.py"), &[], &limits)
            .unwrap_err()
            .to_string()
    };
    for limits in [
        Limits {
            unpacked: 1 << 20,
            ..LIMITS
        },
        Limits {
            entries: 4,
            ..LIMITS
        },
        Limits {
            packed: 1 << 10,
            ..LIMITS
        },
    ] {
        let error = refused(limits);
        assert!(
            error.contains(".arenaignore") && error.contains("net ("),
            "{error}"
        );
    }
    let error = refused(Limits {
        unpacked: 1 << 20,
        ..LIMITS
    });
    assert!(
        error.ends_with("The biggest: net (2 MiB, 5 files and folders), bot.py (1 KiB)"),
        "{error}"
    );
}
