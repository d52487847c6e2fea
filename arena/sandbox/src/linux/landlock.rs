//! Isolation by rights: Landlock withholds from a process and all that it starts every file that is not granted.

use std::fs;
use std::path::{Path, PathBuf};

use ::landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

/// The interface that is made use of, as far as the kernel has it.
const ABI_WANTED: ABI = ABI::V6;
/// The devices that every program may use.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// The folder in which the kernel shows processes, which may be read too.
const PROC: &str = "/proc";

/// Restricts this process for good: it may read some files and others not, and write to its own folders.
pub fn restrict(read: &[PathBuf], hidden: &[PathBuf], own: &[PathBuf]) -> Result<(), String> {
    let restricted = rules(read, hidden, own).and_then(RulesetCreated::restrict_self);
    restricted.map(drop).map_err(|error| format!("landlock: {error}"))
}

fn rules(granted: &[PathBuf], hidden: &[PathBuf], own: &[PathBuf]) -> Result<RulesetCreated, RulesetError> {
    let all = AccessFs::from_all(ABI_WANTED);
    let read = AccessFs::from_read(ABI_WANTED);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(ABI_WANTED))?
        .scope(Scope::from_all(ABI_WANTED))?
        .create()?;
    for path in granted {
        let how = if path.starts_with("/dev") { all } else { read };
        rules = grant(rules, path, hidden, how)?;
    }
    rules = allow(rules, Path::new(PROC), read)?;
    for device in DEVICES {
        rules = allow(rules, Path::new(device), all)?;
    }
    for own in own {
        rules = allow(rules, own, all)?;
    }
    Ok(rules)
}

/// Grants a folder but what is hidden in it: rights can only be given, so where something is hidden they are given to each
/// of the entries around it. That names can be listed there cannot be helped.
fn grant(
    mut rules: RulesetCreated,
    path: &Path,
    hidden: &[PathBuf],
    how: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    if hidden.iter().any(|hidden| hidden == path) {
        return Ok(rules);
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        return allow(rules, path, how);
    }
    rules = allow(rules, path, AccessFs::ReadDir.into())?;
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        // What a link leads to is granted where that lies, or not at all.
        if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            rules = grant(rules, &entry.path(), hidden, how)?;
        }
    }
    Ok(rules)
}

/// Allows something for a file, or for a folder with all below it. What is not there needs no rule.
fn allow(rules: RulesetCreated, path: &Path, how: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        Ok(opened) => rules.add_rule(PathBeneath::new(opened, how)),
        Err(_) => Ok(rules),
    }
}

/// The version of the interface that the kernel has.
pub fn probe() -> Result<u8, String> {
    let versions = [ABI::V6, ABI::V5, ABI::V4, ABI::V3, ABI::V2, ABI::V1];
    let found = versions.into_iter().find(|version| offers(*version).is_ok());
    found.map(|version| version as u8).ok_or_else(|| "this kernel offers no Landlock".into())
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
