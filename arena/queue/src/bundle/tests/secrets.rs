//! Secrets in a bot's folder stay at home.

use std::os::unix::fs::PermissionsExt;

use super::*;

const KEY: &str = "# settings\nkey = '''-----BEGIN RSA PRIVATE KEY-----\nMIIE";

/// What lies in a folder with these files after a bot in it has travelled, and what stayed.
fn travels(home: &Path, command: &str) -> (Vec<String>, Vec<String>) {
    let bundle = pack(&program(home, command), &[]).unwrap();
    let stays = bundle
        .home
        .keys()
        .map(|path| path.strip_prefix(home).unwrap().display().to_string());
    (
        bundle.files.into_iter().map(|(name, _)| name).collect(),
        stays.collect(),
    )
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_looks_like_a_secret_stays() {
    let secrets = [
        ".ENV",
        ".aws/credentials",
        ".bash_history",
        ".config/gh/hosts.yml",
        ".docker/config.json",
        ".env",
        ".env.local",
        ".git/config",
        ".gnupg/x",
        ".netrc",
        ".npmrc",
        ".ssh/known_hosts",
        ".zsh_history",
        "cert.p12",
        "conf/prod.key",
        "id_ed25519",
        "id_rsa",
        "notes/server.pem",
    ];
    let own = [
        "bot.py",
        ".env.example",
        ".hidden",
        "net/weights.bin",
        "node_modules/x/index.js",
        "target/release/x",
    ];
    let (_home, home) = folder(
        &[
            &secrets[..],
            &own,
            &["link -> .env", "conf/link -> ../.aws/credentials"],
        ]
        .concat(),
    );
    fs::write(home.join("settings.py"), KEY).unwrap();
    fs::write(home.join("agekey.txt"), "AGE-SECRET-KEY-1QQ").unwrap();
    fs::write(home.join("private.txt"), "x").unwrap();
    set_mode(&home.join("private.txt"), 0o600);
    let (files, stays) = travels(&home, "python3 bot.py");
    let mut expected = own;
    expected.sort_unstable();
    assert_eq!(files, expected);
    for file in [
        "settings.py",
        "agekey.txt",
        "private.txt",
        ".aws",
        ".ssh",
        ".git",
        "conf/prod.key",
        ".ENV",
    ] {
        assert!(stays.iter().any(|name| name == file), "{file}: {stays:?}");
    }
    let bundle = pack(&program(&home, "python3 bot.py"), &[]).unwrap();
    assert!(
        !bundle.archive.is_empty()
            && bundle
                .warnings
                .iter()
                .any(|warning| warning.contains("/link: this link is left out"))
    );
    assert_eq!(
        bundle.home[&home.join("id_rsa")],
        "its name is one of id_rsa*"
    );
    assert_eq!(
        bundle.home[&home.join("settings.py")],
        "it holds a private key"
    );
}

#[test]
fn what_is_listed_travels_though_it_looks_like_a_secret() {
    let (_home, home) = folder(&[
        "bot.py",
        "model.key",
        ".env",
        ".tool/x",
        ".tool/y.pem",
        "a.pem",
        "private.txt",
    ]);
    fs::write(
        home.join(".arenaignore"),
        "!model.key\n!.tool/\n!private.txt\n",
    )
    .unwrap();
    set_mode(&home.join("private.txt"), 0o600);
    let (files, stays) = travels(&home, "python3 bot.py");
    assert_eq!(
        files,
        [
            ".arenaignore",
            ".tool/x",
            "bot.py",
            "model.key",
            "private.txt"
        ]
    );
    assert_eq!(stays, [".env", ".tool/y.pem", "a.pem"]);
    // What the command names travels.
    assert!(
        travels(&home, "python3 bot.py a.pem")
            .0
            .contains(&"a.pem".to_owned())
    );
}

#[test]
fn where_all_files_are_for_their_user_modes_tell_nothing() {
    let (_home, home) = folder(&["bot.py", "lib.py"]);
    ["bot.py", "lib.py"]
        .iter()
        .for_each(|name| set_mode(&home.join(name), 0o600));
    assert_eq!(travels(&home, "python3 bot.py").0, ["bot.py", "lib.py"]);
    set_mode(&home.join("bot.py"), 0o644);
    assert_eq!(travels(&home, "python3 bot.py").0, ["bot.py"]);
}

#[test]
fn a_cache_is_its_users_only() {
    let (_home, dir) = folder(&["bot", "net/x"]);
    set_mode(&dir.join("bot"), 0o755);
    let (_cache, above) = folder(&[]);
    let cache = above.join("cache");
    let there = travelled(&program(&dir, "./bot"), &cache);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(
        [&cache, &there.program.dir, &there.program.dir.join("bot")].map(|path| mode(path)),
        [0o700; 3]
    );
    assert_eq!(mode(&there.program.dir.join("net/x")), 0o600);
    for entry in fs::read_dir(&cache).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()) & 0o077, 0);
    }
    set_mode(&above, 0o1777);
    assert!(private(&above).unwrap_err().to_string().contains("--cache") && mode(&above) == 0o777);
}
