//! Isolation by namespaces: bubblewrap gives a bot a file system with nothing but what it may read and its own folders.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::sandbox::access;
use crate::sandbox::process_dir::ProcessDir;
use crate::sandbox::scratch::Scratch;

/// Namespaces of its own, no rights, and an end together with whoever started it.
const FLAGS: [&str; 12] = [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--hostname",
    "arena",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--disable-userns",
];

/// The arguments of bubblewrap, up to the command, for a process that may read some files and others not.
pub fn arguments(read: &[PathBuf], hidden: &[PathBuf], dir: &ProcessDir) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
    let mut add = |words: &[&Path]| arguments.extend(words.iter().map(|word| word.as_os_str().to_owned()));
    let path = Path::new;
    add(&[path("--proc"), path("/proc"), path("--dev"), path("/dev")]);
    add(&[path("--bind"), &dir.shm(), path("/dev/shm")]);
    add(&[path("--bind"), &dir.tmp(), path("/tmp")]);
    let mut read: Vec<&PathBuf> = read.iter().collect();
    // What holds comes before what it holds, or it would cover it.
    read.sort();
    for granted in read {
        let how = if granted.starts_with("/dev") { "--dev-bind-try" } else { "--ro-bind-try" };
        add(&[path(how), granted, granted]);
    }
    let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) = hidden.iter().partition(|hidden| hidden.is_dir());
    files.iter().for_each(|hidden| add(&[path("--ro-bind"), path("/dev/null"), hidden]));
    folders.iter().for_each(|hidden| add(&[path("--tmpfs"), hidden]));
    let [work, tmp] = [dir.work(), dir.tmp()];
    add(&[path("--bind"), &work, &work, path("--bind"), &tmp, &tmp]);
    // Only now, since the bot's own folders may lie in one that is hidden.
    folders.iter().for_each(|hidden| add(&[path("--remount-ro"), hidden]));
    // What is written there would be memory that nobody counts.
    add(&[path("--remount-ro"), path("/dev"), path("--remount-ro"), path("/")]);
    add(&[path("--chdir"), &work]);
    arguments
}

/// Finds a bubblewrap that works here.
pub fn probe(scratch: &Scratch) -> Result<PathBuf, String> {
    let program = access::on_path("bwrap").ok_or("bwrap not found: apt install bubblewrap")?;
    let dir = scratch.process_dir().map_err(|error| error.to_string())?;
    dir.create_writable().map_err(|error| error.to_string())?;
    let tried = Command::new(&program)
        .args(arguments(&access::system(), &[], &dir))
        .args(["--", "true"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if tried.status.success() {
        return Ok(program);
    }
    let log = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
    Err(format!("{} does not work here: {}", program.display(), log.lines().last().unwrap_or("it prints no reason")))
}
