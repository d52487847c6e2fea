//! Isolation by access rights: Landlock denies a process and all that it starts every file that is not granted.

use std::fs;
use std::path::{Path, PathBuf};

use ::landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

/// The interface that is made use of, as far as the kernel has it.
const ABI_WANTED: ABI = ABI::V6;
/// The devices that every program may use.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// The folder in which the kernel shows processes, which may be read too.
const PROC: &str = "/proc";

/// Restricts this process for good: it may read some files and others not, and write to its own folders.
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

/// Splits a granted folder into what is visible of it with all below, and the folders that are only listed. Rights can only be
/// given, so where something is hidden they are given to each of the entries around it; the names there stay visible.
fn collect(path: &Path, hidden: &[PathBuf], visible: &mut Vec<PathBuf>, listed: &mut Vec<PathBuf>) {
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        visible.push(path.to_path_buf());
    } else if !hidden.iter().any(|hidden| hidden == path) {
        listed.push(path.to_path_buf());
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            // What a link leads to is granted where that lies, or not at all.
            if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                collect(&entry.path(), hidden, visible, listed);
            }
        }
    }
}

/// The version of the interface that the kernel has.
pub fn probe() -> Result<u8, String> {
    let found = (1..=ABI_WANTED as i32)
        .rev()
        .map(ABI::from)
        .find(|version| offers(*version).is_ok());
    found
        .map(|version| version as u8)
        .ok_or_else(|| "this kernel does not support Landlock".into())
}

/// Asks the kernel for rules that use all of a version. Nothing is restricted by that.
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
