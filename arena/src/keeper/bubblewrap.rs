//! The cage of namespaces: bubblewrap gives a bot a file system with nothing but what it may read and its own folders.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::cage::Bars;
use super::limits::Limits;
use super::scratch::Scratch;
use super::words::{Order, Room};

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

/// What bubblewrap is told, up to the command.
pub fn arguments(order: &Order, room: &Room<'_>) -> Vec<OsString> {
    let mut said: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
    let mut say = |words: &[&Path]| said.extend(words.iter().map(|word| word.as_os_str().to_owned()));
    let path = Path::new;
    say(&[path("--proc"), path("/proc"), path("--dev"), path("/dev")]);
    say(&[path("--bind"), &room.shm(), path("/dev/shm")]);
    say(&[path("--bind"), &room.tmp(), path("/tmp")]);
    let mut read: Vec<&PathBuf> = order.read.iter().collect();
    // What holds comes before what it holds, or it would cover it.
    read.sort();
    for granted in read {
        let how = if granted.starts_with("/dev") { "--dev-bind-try" } else { "--ro-bind-try" };
        say(&[path(how), granted, granted]);
    }
    let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) = order.hidden.iter().partition(|hidden| hidden.is_dir());
    files.iter().for_each(|hidden| say(&[path("--ro-bind"), path("/dev/null"), hidden]));
    folders.iter().for_each(|hidden| say(&[path("--tmpfs"), hidden]));
    let [work, tmp] = [room.work(), room.tmp()];
    say(&[path("--bind"), &work, &work, path("--bind"), &tmp, &tmp]);
    // Only now, since the bot's own folders may lie in one that is hidden.
    folders.iter().for_each(|hidden| say(&[path("--remount-ro"), hidden]));
    // What is written there would be memory that nobody counts.
    say(&[path("--remount-ro"), path("/dev"), path("--remount-ro"), path("/")]);
    say(&[path("--chdir"), &work]);
    said
}

/// Finds a bubblewrap that works here.
pub fn probe(scratch: &Scratch) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|dir| dir.join("bwrap")).find(|path| path.is_file());
    let program = found.ok_or("bwrap not found: apt install bubblewrap")?;
    let said = |error: std::io::Error| error.to_string();
    let room = scratch.room().map_err(said)?;
    let room = Room(&room);
    [room.work(), room.tmp(), room.shm()].iter().try_for_each(std::fs::create_dir).map_err(said)?;
    let order = trial(&program);
    let tried = Command::new(&program)
        .args(arguments(&order, &room))
        .args(["--", "true"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if tried.status.success() {
        return Ok(program);
    }
    let log = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
    Err(format!("{} does not work here: {}", program.display(), log.lines().last().unwrap_or("it says nothing")))
}

/// An order to try it with.
fn trial(program: &Path) -> Order {
    Order {
        command: Vec::new(),
        dir: PathBuf::new(),
        env: std::collections::BTreeMap::new(),
        limits: Limits::default(),
        bars: Bars::Bubblewrap(program.to_owned()),
        read: super::folders::common(),
        hidden: Vec::new(),
        cores: None,
    }
}
