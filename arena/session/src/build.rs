//! Copies of bots: each bot plays from a copy made when it entered, in which its program is built if necessary.
//!
//! A copy lies in the user's cache under the hash of its content, or of the sources it is built from. Editing a file during a
//! tournament therefore changes nothing in the tournament.

use std::fs::{self, DirEntry, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, anyhow, bail, ensure};
use arena_config::diagnostic::UsageError;
use arena_config::files::NO_BUILD;
use arena_protocol::fault::ProcessEnd;
use arena_runner::status::status;
use arena_sandbox::paths::resolved;
use arena_sandbox::{Copied, Ending, ProcessDir, Sandbox, access};
use arena_tournament::entrant::{Cores, Entrant, Program};
use arena_tournament::interpreter;
use arena_tournament::spec::{Limits, Spec};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use crate::snapshot::{self, check_links};

/// Timeout of a build.
const BUILD_TIMEOUT: Duration = Duration::from_secs(120);
/// Time since it was last played after which a copy is removed.
const MAX_AGE: Duration = Duration::from_secs(90 * 86_400);
/// Time since the last run that plays it began during which a copy is kept, whatever the size of all copies.
const MIN_AGE: Duration = Duration::from_secs(7 * 86_400);
/// Maximum total size of copies older than `MIN_AGE`, with all newer ones.
const MAX_CACHE_BYTES: u64 = 10 << 30;
/// Copies are removed once per process, since their sizes are read.
static FORGET_OLD: Once = Once::new();
/// Maximum size of a build's output that is kept.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;
/// Number of its last lines shown if it fails.
const MAX_SHOWN_LINES: usize = 20;
/// Limits of a build where those of matches are lower.
const BUILD_LIMITS: Limits = Limits {
    memory_mb: 4_096,
    processes: 512,
    file_mb: 1_024,
    disk_mb: 2_048,
    open_files: 1_024,
};
/// Environment variable with the folder of Rust's toolchains.
const RUSTUP_VARIABLE: &str = "RUSTUP_HOME";
/// Shell script that runs a build command in a folder.
const SCRIPT: &str = r#"cd "$1" && exec /bin/sh -c "$0" < /dev/null >&2"#;

/// Makes the copies from which the programs of a tournament play, unless they exist, and registers them in the sandbox. Without a
/// tournament folder there are no stored results that could mix versions, so only programs to build are copied.
pub fn programs(spec: &Spec, sandbox: &mut Sandbox, has_folder: bool) -> anyhow::Result<()> {
    let playing = spec.bots.iter().filter(|bot| bot.withdrawn.is_none());
    for entrant in playing {
        let Some(original) = entrant.program() else {
            continue;
        };
        let made = if spec.local.in_place {
            Some((original, Copied::in_place(original)))
        } else if has_folder || original.build.is_some() {
            program(entrant, sandbox, !has_folder).map_err(|why| failed(entrant, &why))?
        } else {
            None
        };
        if let Some((program, mut copied)) = made {
            if let Some(folder) = sandbox.unprotected() {
                // A bot could modify its copy in the cache, and later runs would play from that.
                let own = folder.join(format!("copy-{}", sandbox.copies.len()));
                snapshot::copy_built(&copied.home, &own)
                    .map_err(|why| failed(entrant, &why.into()))?;
                copied.home = own;
            }
            sandbox
                .copies
                .insert(entrant.name.clone(), (program.clone(), copied));
        }
    }
    Ok(())
}

/// Creates the error for a bot that cannot be copied or built.
pub fn failed(entrant: &Entrant, why: &anyhow::Error) -> UsageError {
    let does = if entrant.program().is_some_and(builds) {
        "be built"
    } else {
        "play"
    };
    UsageError::one(format!("bot {} cannot {does}: {why:#}", entrant.name))
}

/// Returns true for a program that needs more than copying.
fn builds(program: &Program) -> bool {
    program
        .build
        .as_deref()
        .is_some_and(|build| build != NO_BUILD)
}

/// Returns a bot that is a program with the copy from which it plays, made now unless it exists. A bot that enters now may have files
/// newer than those read before.
pub fn program<'a>(
    entrant: &'a Entrant,
    sandbox: &Sandbox,
    enters: bool,
) -> anyhow::Result<Option<(&'a Program, Copied)>> {
    let Some(program) = entrant.program() else {
        return Ok(None);
    };
    let (known, cache) = (entrant.sources(), cache()?);
    let done = known
        .map(str::to_owned)
        .or_else(|| snapshot::hash(program).ok())
        .map(|sha256| cache.join(sha256))
        .filter(|home| home.is_dir());
    let home = done.map_or_else(
        || {
            FORGET_OLD.call_once(|| forget_old(&cache, MAX_CACHE_BYTES));
            make(entrant, program, sandbox, &cache, known.filter(|_| !enters))
        },
        Ok,
    )?;
    // Marks the copy as recently used for `forget_old`.
    let _ = File::open(&home).and_then(|folder| folder.set_modified(SystemTime::now()));
    Ok(Some((
        program,
        Copied {
            home,
            ..Copied::in_place(program)
        },
    )))
}

/// Removes copies that have not been played for a long time, and the least recently played ones beyond this total size. Ignores errors:
/// a later run will retry.
fn forget_old(cache: &Path, max_bytes: u64) {
    let age = |folder: DirEntry| {
        let modified = folder.metadata().and_then(|about| about.modified());
        Some((modified.ok()?.elapsed().ok()?, folder.path()))
    };
    let mut copies: Vec<(Duration, PathBuf)> = fs::read_dir(cache)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(age)
        .collect();
    copies.sort_unstable();
    let mut total = 0;
    for (age, copy) in copies {
        total += size(&copy);
        if age > MAX_AGE || age > MIN_AGE && total > max_bytes {
            let _ = fs::remove_dir_all(copy);
        }
    }
}

/// Returns the size of all files in a folder, in bytes.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => size(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.map(of).sum()
}

/// Returns true if the copy made of a bot when it entered exists.
pub fn is_done(entrant: &Entrant) -> bool {
    entrant
        .sources()
        .is_some_and(|known| cache().is_ok_and(|cache| cache.join(known).is_dir()))
}

/// Returns the canonical path of the folder for copies, private to this user.
pub fn cache() -> anyhow::Result<PathBuf> {
    let of_user = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let base = of_user.or_else(|| std::env::home_dir().map(|home| home.join(".cache")));
    let cache = base.context(
        "HOME is not set, so there is no folder for copies of bots: set it, or XDG_CACHE_HOME",
    )?;
    let cache = cache.join(snapshot::COPIES);
    let made = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&cache);
    made.and_then(|()| fs::canonicalize(&cache)).with_context(|| {
        format!("copies of bots are kept in {}: set XDG_CACHE_HOME to a folder that you may write to", cache.display())
    })
}

/// Makes a complete copy under the hash of its files, which must match the known hash, if any.
fn make(
    entrant: &Entrant,
    program: &Program,
    sandbox: &Sandbox,
    cache: &Path,
    known: Option<&str>,
) -> anyhow::Result<PathBuf> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let new = |what: &str| cache.join(format!("{what}-{}-{number}", std::process::id()));
    let (part, building) = (new("part"), new("building"));
    let in_place = Copied::in_place(program);
    let copy = |home: &PathBuf| Copied {
        home: home.clone(),
        ..in_place.clone()
    };
    let check_known = |now: &String| {
        ensure!(
            known.is_none_or(|known| known == now),
            "its files in {} have changed since it entered, and there is no copy of them: restore them, or enter them as a new version \
             (arena update). All files in that folder count, so redirect output of this command to another folder",
            program.dir.display()
        );
        Ok(())
    };
    let make = || {
        let sha256 = if let Some(command) = program.build.as_ref().filter(|_| builds(program)) {
            let sha256 = snapshot::copy_sources(program, &copy(&building))?;
            check_known(&sha256)?;
            build(entrant, program, command, sandbox, &copy(&building))?;
            snapshot::copy_built(&building, &part).context("what was built cannot be copied")?;
            sha256
        } else {
            let sha256 = snapshot::copy(program, &copy(&part))?;
            check_known(&sha256)?;
            sha256
        };
        check(program, &copy(&part))?;
        let home = cache.join(sha256);
        match fs::rename(&part, &home) {
            Err(_) if home.is_dir() => Ok(home),
            moved => moved
                .with_context(|| home.display().to_string())
                .map(|()| home),
        }
    };
    let made = make();
    [part, building]
        .into_iter()
        .for_each(|path| ProcessDir(path).remove());
    made
}

/// Builds a program in a copy of its sources.
fn build(
    entrant: &Entrant,
    program: &Program,
    command: &str,
    sandbox: &Sandbox,
    sources: &Copied,
) -> anyhow::Result<()> {
    let dir = sources.at(&sources.dir);
    let dir = dir
        .to_str()
        .context("the name of the folder for copies is not UTF-8")?;
    let mut builder = Program {
        command: ["/bin/sh", "-c", SCRIPT, command, dir]
            .map(str::to_owned)
            .into(),
        dir: sources.home.clone(),
        build: None,
        pass_env: Vec::new(),
        cores: Cores::All,
        network: program.build_network,
        cache: None,
        ..program.clone()
    };
    // Rustup's proxies on the path find their toolchains through this variable.
    let rustup = std::env::var_os(RUSTUP_VARIABLE).map(PathBuf::from);
    let rustup = rustup
        .or_else(|| std::env::home_dir().map(|home| home.join(".rustup")))
        .filter(|path| path.is_dir());
    if let Some(path) = rustup.as_ref().and_then(|path| path.to_str()) {
        builder
            .env
            .entry(RUSTUP_VARIABLE.into())
            .or_insert(path.into());
        builder.read.push(path.into());
    }
    status(format_args!("bot {}: building: {command}", entrant.name));
    let began = Instant::now();
    // The caller may be inside a runtime: use a separate thread.
    let ended = thread::scope(|scope| scope.spawn(|| run(&builder, sandbox)).join());
    let (printed, why) = ended.map_err(|_| anyhow!("its build did not finish"))??;
    if let Some(why) = why {
        let lines: Vec<&str> = printed
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let last = &lines[lines.len().saturating_sub(MAX_SHOWN_LINES)..];
        let last: String = last.iter().map(|line| format!("\n  {line}")).collect();
        bail!("`{command}` in a copy of its folder {why}{last}");
    }
    status(format_args!(
        "bot {}: built in {:.1} s",
        entrant.name,
        began.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// Checks that the files named by the command are in the copy, and that it can be started there.
fn check(program: &Program, copied: &Copied) -> anyhow::Result<()> {
    check_links(&program.command, copied, &program.read).map_err(anyhow::Error::msg)?;
    let started = Some(program.command[0].as_str()).filter(|word| access::is_path(word));
    let after = program.build.as_ref().filter(|_| builds(program));
    let after = after.map_or(String::new(), |build| format!(" after `{build}`"));
    for word in started
        .into_iter()
        .chain(interpreter::script(&program.command))
    {
        let path = copied.at(&resolved(&copied.dir.join(word)));
        let real = fs::canonicalize(&path).ok().filter(|real| real.is_file());
        let real = real.with_context(|| format!("there is no {word}{after}"))?;
        if builds(program) && started == Some(word) && real.starts_with(&copied.home) {
            // Under Landlock a build cannot change the permissions of its output.
            fs::set_permissions(real, Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// Runs a build to its end; returns its output, and the reason if it failed.
fn run(builder: &Program, sandbox: &Sandbox) -> anyhow::Result<(String, Option<String>)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut child = sandbox.start_build(builder, BUILD_LIMITS).await?;
        let (output, log) = (child.stdout.take(), child.stderr.take());
        let both = async { tokio::join!(read(output, 0), read(log, MAX_OUTPUT_BYTES)) };
        let read = timeout(BUILD_TIMEOUT, both).await;
        let exit = child
            .end(if read.is_ok() {
                Ending::Quit(Duration::from_secs(1))
            } else {
                Ending::Kill
            })
            .await;
        let Ok((_, printed)) = read else {
            return Ok((
                String::new(),
                Some(format!("took longer than {} s", BUILD_TIMEOUT.as_secs())),
            ));
        };
        let why = (exit.status != ProcessEnd::Code(0)).then(|| format!("failed: {}", exit.fault()));
        Ok((String::from_utf8_lossy(&printed?).into_owned(), why))
    })
}

/// Reads to the end, but keeps only this many bytes.
async fn read(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> io::Result<Vec<u8>> {
    let (mut kept, Some(mut pipe)) = (Vec::new(), pipe) else {
        return Ok(Vec::new());
    };
    (&mut pipe).take(most).read_to_end(&mut kept).await?;
    tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await?;
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_played_copies_leave_when_all_are_too_large() {
        let cache = tempfile::tempdir().unwrap();
        let days = |days: u64| Duration::from_secs(days * 86_400 + 60);
        for (name, age) in [
            ("a", days(0)),
            ("b", days(8)),
            ("c", days(9)),
            ("d", days(91)),
        ] {
            let copy = cache.path().join(name);
            fs::create_dir_all(copy.join("data")).unwrap();
            fs::write(copy.join("data/model"), [0; 1000]).unwrap();
            let folder = File::open(&copy).unwrap();
            folder.set_modified(SystemTime::now() - age).unwrap();
        }
        let left = || {
            let copies = fs::read_dir(cache.path()).unwrap();
            let names = copies.map(|copy| copy.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort_unstable();
            names.concat()
        };
        forget_old(cache.path(), 10_000);
        assert_eq!(left(), "abc");
        forget_old(cache.path(), 2_500);
        assert_eq!(left(), "ab");
        forget_old(cache.path(), 0);
        assert_eq!(left(), "a", "what was played within a week stays");
    }
}
