//! Bundles: tar files that carry copies of bots to the workers.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, ensure};
use arena_sandbox::Copied;
use arena_session::cache::Cache;
use arena_session::sha256;
use arena_tournament::entrant::Program;
use serde::{Deserialize, Serialize};
use tar::{Builder, HeaderMode};

/// Maximum size of a bundle.
pub const MAX_BYTES: usize = 128 << 20;

/// The files of a program, without anything that depends on the machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bundle {
    /// SHA-256 of the tar file.
    pub sha256: String,
    /// The folders of the program on the coordinator's machine.
    pub copied: Copied,
}

/// Packs the copy of a program.
pub fn pack(copied: Copied) -> anyhow::Result<(Bundle, Vec<u8>)> {
    let mut tar = Builder::new(Vec::new());
    tar.mode(HeaderMode::Deterministic);
    tar.follow_symlinks(false);
    append(&mut tar, &copied.home, &copied.home)?;
    let archive = tar.into_inner()?;
    let sha256 = sha256::of_reader(archive.as_slice())?;
    Ok((Bundle { sha256, copied }, archive))
}

/// Appends the content of a folder in the order of names, so that equal files yield equal bytes.
fn append(tar: &mut Builder<Vec<u8>>, folder: &Path, home: &Path) -> anyhow::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        tar.append_path_with_name(&path, path.strip_prefix(home)?)?;
        ensure!(
            tar.get_ref().len() <= MAX_BYTES,
            "its files in {} are larger than {} MiB: remove files that it does not need",
            home.display(),
            MAX_BYTES >> 20
        );
        if entry.file_type()?.is_dir() {
            append(tar, &path, home)?;
        }
    }
    Ok(())
}

/// Returns true if the cache of this machine has the files of a bundle.
pub fn is_here(sha256: &str) -> anyhow::Result<bool> {
    Ok(Cache::open()?.take(sha256).is_some())
}

/// Unpacks a tar file into the user's cache, under its hash.
pub fn unpack(archive: &[u8], sha256: &str) -> anyhow::Result<()> {
    ensure!(
        sha256::of_reader(archive)? == sha256,
        "the bundle {sha256} was damaged in transit"
    );
    let cache = Cache::open()?;
    let made = cache.begin()?;
    fs::create_dir(made.files())?;
    tar::Archive::new(archive)
        .unpack(made.files())
        .context("a bot cannot be unpacked")?;
    cache.store(&made, sha256).map(drop)
}

/// Redirects a program to its files on this machine.
pub fn relocate(program: &mut Program, bundle: &Bundle) -> anyhow::Result<()> {
    let copied = Copied {
        home: Cache::open()?.home(&bundle.sha256),
        ..bundle.copied.clone()
    };
    program.dir = copied.at(&copied.dir);
    program.build = None;
    for text in program.command.iter_mut().chain(program.env.values_mut()) {
        *text = copied.in_text(text);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn archive_of(name: &str) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.set_size(1);
        header.set_mode(0o644);
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        let mut tar = Builder::new(Vec::new());
        tar.append(&header, &b"x"[..]).unwrap();
        tar.into_inner().unwrap()
    }

    #[test]
    fn the_same_files_give_the_same_bytes_and_come_out_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("bot");
        fs::create_dir_all(home.join("data/empty")).unwrap();
        fs::write(home.join("bot.py"), "print()").unwrap();
        fs::write(home.join("data/w.bin"), [7; 5000]).unwrap();
        fs::set_permissions(home.join("bot.py"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("../bot.py", home.join("data/link")).unwrap();
        let program = Program {
            command: vec!["./bot.py".into()],
            dir: home,
            ..Program::default()
        };
        let (bundle, archive) = pack(Copied::in_place(&program)).unwrap();
        let (again, _) = pack(Copied::in_place(&program)).unwrap();
        assert_eq!(bundle.sha256, again.sha256);
        let out = folder.path().join("out");
        tar::Archive::new(archive.as_slice()).unpack(&out).unwrap();
        let copied = Copied {
            home: out.clone(),
            ..bundle.copied
        };
        assert_eq!(pack(copied).unwrap().0.sha256, bundle.sha256);
        assert_eq!(
            fs::read_link(out.join("data/link")).unwrap(),
            Path::new("../bot.py")
        );
    }

    #[test]
    fn nothing_is_unpacked_outside_its_folder() {
        for name in ["../escaped", "/tmp/arena-escaped-by-tar"] {
            let folder = tempfile::tempdir().unwrap();
            let inner = folder.path().join("inner");
            // The entry may be refused, skipped, or unpacked inside the folder.
            let _ = tar::Archive::new(archive_of(name).as_slice()).unpack(&inner);
            assert!(!folder.path().join("escaped").exists());
            assert!(!Path::new("/tmp/arena-escaped-by-tar").exists());
        }
    }
}
