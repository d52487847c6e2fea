//! Builds bots from their sources: in the sandbox, in a copy of their folders, and once for as long as nothing changes.
//!
//! What is built lies in the user's cache under the hash of its sources, and plays from there. So whoever changes a file while a
//! tournament is played changes nothing in it.

use std::fs::{self, DirEntry, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, anyhow, bail, ensure};
use arena_config::diagnostic::UsageError;
use arena_config::files::{self, BUILT, NOTHING, SOURCES};
use arena_engine::fault::ProcessEnd;
use arena_runner::status::status;
use arena_sandbox::{Ending, Sandbox, access};
use arena_tournament::entrant::{Bot, Cores, Entrant, Program};
use arena_tournament::spec::{Limits, Spec};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

/// The time that a build may take.
const LIMIT: Duration = Duration::from_secs(120);
/// How long what was built is kept after it was last played.
const OLD: Duration = Duration::from_secs(90 * 86_400);
/// The most bytes of what is built, with the sources.
const MOST: u64 = 512 << 20;
/// The most files and folders of it.
const MOST_ENTRIES: usize = 50_000;
/// The most bytes of what a build prints that are kept.
const PRINTED: u64 = 1 << 20;
/// The lines of it that are shown if it fails.
const SHOWN: usize = 20;
/// The limits of a build where those of matches are lower.
const ROOMY: Limits = Limits { memory_mb: 4_096, processes: 512, file_mb: 1_024, disk_mb: 2_048, open_files: 1_024 };
/// The variable that names the folder of Rust's toolchains.
const RUSTUP: &str = "RUSTUP_HOME";
/// Copies the sources, runs what builds, and writes all there is then to standard output as a tar file.
const SCRIPT: &str = r#"
here="$TMPDIR/built"
mkdir "$here" || exit
for entry in *; do
    case "$entry" in LEFT_OUT) ;; *) cp -RL "$entry" "$here/" || exit ;; esac
done >&2
cd "$here" && sh -c "$0" >&2 < /dev/null && exec tar -chf - ."#;

/// Builds the programs of a tournament that are built, unless that is done, and lets the sandbox start them where they were built.
pub fn programs(spec: &Spec, sandbox: &mut Sandbox) -> anyhow::Result<()> {
    for entrant in &spec.bots {
        let failed = |why| UsageError::one(format!("bot {} cannot be built: {why:#}", entrant.name));
        if let Some((program, home)) = program(entrant, sandbox).map_err(failed)? {
            sandbox.built.insert((program.dir.clone(), program.build.clone()), home);
        }
    }
    Ok(())
}

/// A bot that is built, and where: it is built now unless that is done.
pub fn program<'a>(entrant: &'a Entrant, sandbox: &Sandbox) -> anyhow::Result<Option<(&'a Program, PathBuf)>> {
    let Bot::Program(program @ Program { build: Some(command), .. }) = &entrant.bot else { return Ok(None) };
    let home = home(entrant, program)?;
    if !home.is_dir() {
        // Of what is only copied there is nothing to say.
        let is_shown = command != NOTHING;
        if is_shown {
            status(format_args!("bot {}: building: {command}", entrant.name));
        }
        let began = Instant::now();
        forget_old(home.parent().unwrap_or(&home));
        build(program, command, sandbox, &home)?;
        if is_shown {
            status(format_args!("bot {}: built in {:.1} s", entrant.name, began.elapsed().as_secs_f64()));
        }
    }
    // Whoever forgets what is old sees by this that it is not.
    let _ = File::open(&home).and_then(|folder| folder.set_modified(SystemTime::now()));
    Ok(Some((program, home)))
}

/// Removes what was built and has not been played for long. What cannot be removed now may be another time.
fn forget_old(cache: &Path) {
    let is_old = |folder: &DirEntry| {
        let modified = folder.metadata().and_then(|about| about.modified());
        modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > OLD))
    };
    let old = fs::read_dir(cache).into_iter().flatten().flatten().filter(is_old);
    old.for_each(|folder| drop(fs::remove_dir_all(folder.path())));
}

/// True for a bot that was built from the sources with which it entered.
pub fn is_done(entrant: &Entrant) -> bool {
    let sources = entrant.files.iter().find(|file| file.file == SOURCES);
    sources.is_some_and(|sources| cache().is_ok_and(|cache| cache.join(&sources.sha256).is_dir()))
}

/// Where a bot that has these sources is built, or was.
fn home(entrant: &Entrant, program: &Program) -> anyhow::Result<PathBuf> {
    let known = entrant.files.iter().find(|file| file.file == SOURCES).map(|file| file.sha256.clone());
    let cache = cache()?;
    if let Some(home) = known.as_ref().map(|known| cache.join(known)).filter(|home| home.is_dir()) {
        return Ok(home);
    }
    let now = files::sources(program).context("its sources cannot be read")?;
    if known.is_some_and(|known| known != now) {
        bail!(
            "its sources in {} have changed since it entered, and what was built from them is gone: restore them, or enter them \
             as a new version (arena replace). All files in that folder count, so redirect output of this command to another folder",
            program.dir.display()
        );
    }
    Ok(cache.join(now))
}

/// The folder for what is built, for this user alone.
fn cache() -> anyhow::Result<PathBuf> {
    let of_user = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = of_user.or_else(|| std::env::home_dir().map(|home| home.join(".cache")));
    let cache = base.context("HOME is not set, so there is no folder for what is built")?.join("coda-arena/built");
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&cache);
    made.with_context(|| cache.display().to_string())?;
    Ok(cache)
}

/// Builds a program into a folder that is there afterwards, whole.
fn build(program: &Program, command: &str, sandbox: &Sandbox, home: &Path) -> anyhow::Result<()> {
    let script = SCRIPT.replace("LEFT_OUT", &BUILT.join("|"));
    let mut builder = Program {
        command: vec!["sh".into(), "-c".into(), script, command.into()],
        build: None,
        pass_env: Vec::new(),
        cores: Cores::All,
        network: program.build_network,
        cache: None,
        ..program.clone()
    };
    // What rustup puts on the path finds its toolchains by this.
    let rustup = std::env::var_os(RUSTUP).map(PathBuf::from);
    let rustup = rustup.or_else(|| std::env::home_dir().map(|home| home.join(".rustup"))).filter(|path| path.is_dir());
    if let Some(path) = rustup.as_ref().and_then(|path| path.to_str()) {
        builder.env.entry(RUSTUP.into()).or_insert(path.into());
        builder.read.push(path.into());
    }
    // Whoever calls may be in a runtime of its own.
    let ended = thread::scope(|scope| scope.spawn(|| run(&builder, sandbox)).join());
    let (archive, printed, why) = ended.map_err(|_| anyhow!("its build did not finish"))??;
    if let Some(why) = why {
        let lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(SHOWN)..];
        let last: String = last.iter().map(|line| format!("\n  {line}")).collect();
        let what = if command == NOTHING {
            "copying its folder".into()
        } else {
            format!("`{command}` in a copy of its folder")
        };
        bail!("{what} {why}{last}");
    }
    let part = home.with_extension(format!("part-{}", std::process::id()));
    let _ = fs::remove_dir_all(&part);
    unpack(&archive, &part).with_context(|| part.display().to_string()).inspect_err(|_| {
        // What is there of it is of no use.
        let _ = fs::remove_dir_all(&part);
    })?;
    let started = part.join(&program.command[0]);
    if access::is_path(&program.command[0]) {
        if !started.is_file() {
            fs::remove_dir_all(&part)?;
            let after = if command == NOTHING { String::new() } else { format!(" after `{command}`") };
            bail!("there is no {}{after}", program.command[0]);
        }
        // Under Landlock a build cannot change the rights of what it makes.
        fs::set_permissions(&started, Permissions::from_mode(0o755))?;
    }
    match fs::rename(&part, home) {
        Err(_) if home.is_dir() => Ok(fs::remove_dir_all(&part)?),
        moved => moved.with_context(|| home.display().to_string()),
    }
}

/// Runs a program to its end: what it wrote, what it printed, and why it failed if it did.
fn run(builder: &Program, sandbox: &Sandbox) -> anyhow::Result<(Vec<u8>, String, Option<String>)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut child = sandbox.start(builder, ROOMY).await?;
        let (output, log) = (child.stdout.take(), child.stderr.take());
        let both = async { tokio::join!(read(output, MOST), read(log, PRINTED)) };
        let read = timeout(LIMIT, both).await;
        let exit = child.end(if read.is_ok() { Ending::Quit(Duration::from_secs(1)) } else { Ending::Kill }).await;
        let Ok((archive, printed)) = read else {
            return Ok((Vec::new(), String::new(), Some(format!("took longer than {} s", LIMIT.as_secs()))));
        };
        let (archive, printed) = (archive?, String::from_utf8_lossy(&printed?).into_owned());
        ensure!(archive.len() as u64 <= MOST, "what was built is larger than {} MiB", MOST >> 20);
        let why = (exit.status != ProcessEnd::Code(0)).then(|| format!("failed: {}", exit.fault()));
        Ok((archive, printed, why))
    })
}

/// Reads all, and keeps no more than this and a byte.
async fn read(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> io::Result<Vec<u8>> {
    let (mut kept, Some(mut pipe)) = (Vec::new(), pipe) else { return Ok(Vec::new()) };
    (&mut pipe).take(most + 1).read_to_end(&mut kept).await?;
    tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await?;
    Ok(kept)
}

/// Unpacks files and folders; a build leaves nothing else, since links are followed where it ran.
fn unpack(archive: &[u8], to: &Path) -> anyhow::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(to)?;
    let mut archive = tar::Archive::new(archive);
    for (count, entry) in archive.entries()?.enumerate() {
        ensure!(count < MOST_ENTRIES, "what was built has more than {MOST_ENTRIES} files and folders");
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        if !(kind.is_file() || kind.is_dir() || kind.is_hard_link()) {
            bail!("{} is neither a file nor a folder", entry.path()?.display());
        }
        entry.unpack_in(to)?;
    }
    Ok(())
}
