//! What stays at home: what `.arenaignore` lists, and what looks like a secret or a tool's own, unless `.arenaignore` lists it with `!`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::IGNORE;

/// The names of what stays, in the syntax of `.gitignore`: folders of tools, keys, passwords, histories.
const NAMES: &str = ".*/ !.build/ !.output/ !.next/ .git __pycache__/ .env .env.* *.env !.env.example !.env.sample id_rsa* id_dsa* \
    id_ecdsa* id_ed25519* *.pem *.key *.p12 *.pfx *.ppk *.jks *.keystore *.kdb *.kdbx *.gpg *.tfstate* .netrc _netrc .npmrc .yarnrc* .pypirc \
    .pgpass .my.cnf .boto .s3cfg .dockercfg .git-credentials .gitconfig .htpasswd .*_history .histfile .lesshst .viminfo credentials \
    credentials.* client_secret*.json service-account*.json secrets.yaml secrets.yml secrets.toml *.token";
/// How the content of a private key begins, and how its first line goes on.
const BEGINS: &[u8] = b"-----BEGIN ";
const PRIVATE: &[u8] = b"PRIVATE KEY";
/// The beginnings of other keys.
const OTHER_KEYS: [&[u8]; 2] = [b"PuTTY-User-Key-File-", b"AGE-SECRET-KEY-"];
/// How much of a file is searched for a key.
const SEARCHED: u64 = 1 << 20;

/// Decides what stays at home.
pub struct Rules {
    /// The ignore file of each folder that was asked for.
    ignored: BTreeMap<PathBuf, Gitignore>,
    names: Gitignore,
    /// False where the bot's own program is for its user only: then that is how all files were made.
    modes_tell: bool,
}

impl Rules {
    /// The rules for a bot whose command names these files.
    pub fn new(named: &[PathBuf]) -> Self {
        let mut names = GitignoreBuilder::new("/");
        // It fails on a pattern that cannot be read, and the tests read all.
        NAMES.split_whitespace().for_each(|name| {
            _ = names
                .case_insensitive(true)
                .and_then(|names| names.add_line(None, name));
        });
        let names = names.build().unwrap_or_else(|_| Gitignore::empty());
        Self {
            ignored: BTreeMap::new(),
            names,
            modes_tell: !named.iter().any(|path| is_private(path)),
        }
    }

    /// Why something that lies below the bot's folders stays at home, if it does.
    pub fn stays(&mut self, path: &Path, is_folder: bool) -> Option<String> {
        for folder in path.ancestors().skip(1) {
            let ignored = self.ignored.entry(folder.to_path_buf());
            let ignored = ignored.or_insert_with(|| Gitignore::new(folder.join(IGNORE)).0);
            match ignored.matched(path, is_folder) {
                Match::Ignore(pattern) => {
                    return Some(format!("{IGNORE} has {}", pattern.original()));
                }
                Match::Whitelist(_) => return None,
                Match::None => {}
            }
        }
        self.secret(path, is_folder)
    }

    /// Why something looks like a secret or a tool's own, if it does.
    pub fn secret(&self, path: &Path, is_folder: bool) -> Option<String> {
        if let Match::Ignore(pattern) = self.names.matched(path, is_folder) {
            return Some(format!("its name is one of {}", pattern.original()));
        }
        if self.modes_tell && is_private(path) {
            return Some("it is for its user only (mode 600)".into());
        }
        holds_key(path).then(|| "it holds a private key".into())
    }
}

/// True for a file that is no program and only for its user.
fn is_private(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o177 == 0)
}

/// True for a file that holds a private key near its beginning.
fn holds_key(path: &Path) -> bool {
    let mut start = Vec::new();
    let is_file = path.symlink_metadata().is_ok_and(|about| about.is_file());
    let mut read = || File::open(path)?.take(SEARCHED).read_to_end(&mut start);
    // What cannot be read cannot travel either, which is reported there.
    if !is_file || read().is_err() {
        return false;
    }
    let has = |text: &[u8], part: &[u8]| text.windows(part.len()).any(|window| window == part);
    let is_key = |(at, _): (usize, &[u8])| has(&start[at..start.len().min(at + 64)], PRIVATE);
    start
        .windows(BEGINS.len())
        .enumerate()
        .filter(|(_, window)| *window == BEGINS)
        .any(is_key)
        || OTHER_KEYS.iter().any(|key| has(&start, key))
}
