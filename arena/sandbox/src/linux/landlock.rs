//! Isolation by access rights: Landlock denies a process and its descendants every file that has not been granted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ::landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use nix::errno::Errno;

use super::{missing, tried};

/// The newest Landlock ABI that is used. Older kernels offer less.
const ABI_WANTED: ABI = ABI::V6;
/// Devices that every program may use.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// The folder with information about processes, which is also readable.
const PROC: &str = "/proc";

/// Restricts this process permanently. It may then read some files, except hidden ones, and write to its own folders.
pub fn restrict(read: &[PathBuf], hidden: &[PathBuf], own: &[PathBuf]) -> Result<(), String> {
    let restricted = rules(read, hidden, own).and_then(RulesetCreated::restrict_self);
    restricted
        .map(drop)
        .map_err(|error| format!("landlock: {error}"))
}

fn rules(
    granted: &[PathBuf],
    hidden: &[PathBuf],
    own: &[PathBuf],
) -> Result<RulesetCreated, RulesetError> {
    let (all, read) = (
        AccessFs::from_all(ABI_WANTED),
        AccessFs::from_read(ABI_WANTED),
    );
    let (mut visible, mut listed) = (vec![PROC.into()], Vec::new());
    granted
        .iter()
        .for_each(|path| collect(path, hidden, &mut visible, &mut listed));
    let (devices, files): (Vec<PathBuf>, Vec<PathBuf>) = visible
        .into_iter()
        .partition(|path| path.starts_with("/dev"));
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(ABI_WANTED))?
        .scope(Scope::from_all(ABI_WANTED))?
        .create()?
        .add_rules(path_beneath_rules(files, read))?
        .add_rules(path_beneath_rules(listed, AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(devices, all))?
        .add_rules(path_beneath_rules(DEVICES, all))?
        .add_rules(path_beneath_rules(own, all))
}

/// Splits a granted folder into subtrees that are visible and folders that can only be listed. Landlock can only grant rights, so they are
/// granted to each sibling of a hidden path. The names of hidden entries stay visible.
fn collect(path: &Path, hidden: &[PathBuf], visible: &mut Vec<PathBuf>, listed: &mut Vec<PathBuf>) {
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        visible.push(path.to_path_buf());
    } else if !hidden.iter().any(|hidden| hidden == path) {
        listed.push(path.to_path_buf());
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            // The target of a link is granted at its own location, or not at all.
            if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                collect(&entry.path(), hidden, visible, listed);
            }
        }
    }
}

/// Returns the version of the ABI with which a thread can restrict itself.
pub fn probe() -> Result<u8, String> {
    tried(|| {
        let found = (1..=ABI_WANTED as i32)
            .rev()
            .map(ABI::from)
            .find_map(|version| Some((version, offers(version).ok()?)));
        let Some((version, rules)) = found else {
            return Err(missing("Landlock", &refusal()));
        };
        match rules.restrict_self() {
            Ok(_) => Ok(version as u8),
            Err(error) => {
                let errno = *::landlock::Errno::from(error);
                Err(missing("Landlock", &io::Error::from_raw_os_error(errno)))
            }
        }
    })
}

/// Returns the error with which the kernel refuses Landlock. The library asks the kernel for the version, but discards the error.
fn refusal() -> io::Error {
    Errno::clear();
    let _ = Ruleset::default();
    Errno::last().into()
}

/// Creates a ruleset that requires all features of a version, to test for support. It restricts nothing.
fn offers(version: ABI) -> Result<RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules = rules.handle_access(AccessFs::from_all(version))?;
    if version >= ABI::V4 {
        rules = rules.handle_access(AccessNet::from_all(version))?;
    }
    if version >= ABI::V6 {
        rules = rules.scope(Scope::from_all(version))?;
    }
    rules.create()
}
