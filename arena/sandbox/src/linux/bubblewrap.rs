//! Isolation by namespaces: bubblewrap gives a bot a file system that holds only its readable files and its own folders.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::libc::O_PATH;
use nix::unistd::{getgid, getuid};

use super::last_stage::{LastStage, Launch, bequeath};
use super::reach;
use super::seccomp::Refused;
use crate::access;
use crate::process_dir::{ProcessDir, create_private};
use crate::scratch::Scratch;
use crate::users::User;

/// Flags for new namespaces, for a session without any process from outside, for an init process of the arena, and for the end of
/// bubblewrap with its parent.
const FLAGS: [&str; 11] = [
    "--unshare-pid",
    "--as-pid-1",
    "--new-session",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--hostname",
    "arena",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
];
/// Creates a private network.
const NO_NETWORK: &str = "--unshare-net";
/// Creates a user namespace; needed unless the arena runs as root.
const ONE_USER: [&str; 2] = ["--unshare-user", "--disable-userns"];
/// Capabilities needed to switch users within the sandbox.
const CHANGE_USER: [&str; 4] = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"];
/// Makes mounts read-only, because files written there would use memory that is not counted.
const READ_ONLY: [&str; 4] = ["--remount-ro", "/dev", "--remount-ro", "/"];
/// The executable of this process, which works even if no path leads to it.
const EXECUTABLE: &str = "/proc/self/exe";
/// Kernel settings in `/proc`.
const SETTINGS: &str = "/proc/sys";

/// Returns the start of a process within bubblewrap, with its readable and hidden files. The last stage is the arena's own executable,
/// which is not visible in the sandbox. It is executed through its open file descriptor, which it then closes.
pub fn around(
    bubblewrap: &Path,
    stage: &LastStage,
    network: bool,
    (read, hidden, cache): (&[PathBuf], &[PathBuf], &Option<PathBuf>),
    dir: &ProcessDir,
) -> io::Result<Launch> {
    let mut command = Command::new(bubblewrap);
    command
        .env_clear()
        .args(FLAGS)
        .args((!network).then_some(NO_NETWORK));
    match stage.user {
        Some(user) => {
            let rights = user
                .reading()
                .into_iter()
                .flat_map(|right| ["--cap-add".to_owned(), right.to_string()]);
            command.args(CHANGE_USER).args(rights)
        }
        None => command.args(ONE_USER),
    };
    bind(&mut command, read, hidden, (dir, &stage.dir));
    name_user(&mut command, dir, stage.user)?;
    if let Some(cache) = cache {
        command
            .arg("--dir")
            .arg(cache.parent().unwrap_or(Path::new("/")))
            .arg("--bind")
            .args([cache, cache]);
    }
    command.args(READ_ONLY);
    let inherited = [
        stage.file()?,
        File::options()
            .read(true)
            .custom_flags(O_PATH)
            .open(EXECUTABLE)?,
    ];
    let [instructions, arena] = [bequeath(&inherited[0])?, bequeath(&inherited[1])?];
    command.args([
        "--",
        &format!("/proc/self/fd/{arena}"),
        "become",
        &instructions.to_string(),
        &arena.to_string(),
    ]);
    Ok(Launch {
        command,
        is_last: false,
        _inherited: inherited.into(),
    })
}

/// Adds the arguments that set up the file system.
fn bind(
    command: &mut Command,
    read: &[PathBuf],
    hidden: &[PathBuf],
    (dir, work): (&ProcessDir, &Path),
) {
    let mut add = |words: &[&Path]| _ = command.args(words);
    let path = Path::new;
    add(&[path("--proc"), path("/proc"), path("--dev"), path("/dev")]);
    // Root could change settings of the whole machine.
    add(&[path("--ro-bind"), path(SETTINGS), path(SETTINGS)]);
    add(&[path("--bind"), &dir.shm(), path("/dev/shm")]);
    add(&[path("--bind"), &dir.tmp(), path("/tmp")]);
    for granted in outermost(read) {
        // Without this, bubblewrap would create parent folders that only root can access.
        add(&[path("--dir"), granted.parent().unwrap_or(path("/"))]);
        let how = if granted.starts_with("/dev") {
            "--dev-bind-try"
        } else {
            "--ro-bind-try"
        };
        add(&[path(how), granted, granted]);
    }
    let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
        hidden.iter().partition(|hidden| hidden.is_dir());
    files
        .iter()
        .for_each(|hidden| add(&[path("--ro-bind"), path("/dev/null"), hidden]));
    folders
        .iter()
        .for_each(|hidden| add(&[path("--tmpfs"), hidden]));
    let [outer, tmp] = [dir.outer(), dir.tmp()];
    // Without this, the bot's user could not traverse the parent folders.
    add(&[path("--dir"), &dir.0, path("--ro-bind"), &outer, &outer]);
    add(&[path("--bind"), work, work, path("--bind"), &tmp, &tmp]);
    // The bot's own folders come last, because they may lie in a hidden one.
    folders
        .iter()
        .for_each(|hidden| add(&[path("--remount-ro"), hidden]));
}

/// Names the bot's user and group where the system has no names for them, in files private to the sandbox.
fn name_user(command: &mut Command, dir: &ProcessDir, user: Option<User>) -> io::Result<()> {
    let (user, group) = user.map_or_else(
        || (getuid().as_raw(), getgid().as_raw()),
        |user| (user.id, user.id),
    );
    let (home, name) = (dir.tmp(), User::NAME);
    for (list, id, entry) in [
        (
            "passwd",
            user,
            format!("{name}:x:{user}:{group}::{}:/bin/sh", home.display()),
        ),
        ("group", group, format!("{name}:x:{group}:")),
    ] {
        let place = Path::new("/etc").join(list);
        let Ok(known) = fs::read_to_string(&place) else {
            continue;
        };
        if !place.is_symlink()
            && !known
                .lines()
                .any(|line| line.split(':').nth(2) == Some(&id.to_string()))
        {
            let file = dir.0.join(list);
            fs::write(&file, format!("{}\n{entry}\n", known.trim_end()))?;
            fs::set_permissions(&file, Permissions::from_mode(0o644))?;
            command.arg("--ro-bind").args([&file, &place]);
        }
    }
    Ok(())
}

/// Returns the existing paths that are not contained in another one.
fn outermost(paths: &[PathBuf]) -> Vec<&PathBuf> {
    let mut outermost: Vec<&PathBuf> = paths.iter().filter(|path| path.exists()).collect();
    // In a sorted list, a folder precedes its content.
    outermost.sort();
    outermost.dedup_by(|inner, outer| inner.starts_with(outer));
    outermost
}

/// Finds a bubblewrap that works on this machine for a process of this user.
pub fn probe(scratch: &Scratch, user: Option<User>) -> Result<PathBuf, String> {
    let program = access::on_path("bwrap")
        .filter(|path| path.is_absolute())
        .ok_or("bwrap not found: apt install bubblewrap")?;
    let failed = |error: std::io::Error| error.to_string();
    let (dir, _) = scratch.process_dir(1).map_err(failed)?;
    create_private(&dir.outer())
        .and_then(|()| dir.create_writable(&dir.outer(), user))
        .map_err(failed)?;
    // In the role of a bot, the arena itself attacks the first process of the sandbox, if the bots' user may execute the arena.
    let is_executable = fs::metadata(EXECUTABLE)
        .is_ok_and(|about| user.is_none() || about.permissions().mode() & 1 == 1);
    let command = if is_executable {
        let [stage, what] = reach::STAGE;
        [EXECUTABLE, stage, what].map(str::to_owned).to_vec()
    } else {
        vec!["true".to_owned()]
    };
    let stage = LastStage {
        user,
        dir: dir.outer(),
        refused: Some(Refused {
            outward: false,
            cores: true,
            locks: true,
        }),
        started: None,
        command,
        env: std::env::var("PATH")
            .map(|path| ("PATH".to_owned(), path))
            .into_iter()
            .collect(),
    };
    let tried = around(
        &program,
        &stage,
        false,
        (&access::system(), &[], &None),
        &dir,
    )
    .and_then(|mut start| start.command.stdin(Stdio::null()).output())
    .map_err(|error| format!("{}: {error}", program.display()))?;
    dir.remove();
    if tried.status.success() {
        return Ok(program);
    }
    let log = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
    Err(format!(
        "{} does not work here: {}",
        program.display(),
        log.lines().last().unwrap_or("it gave no reason")
    ))
}
