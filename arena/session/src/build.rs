//! Copies of bots. Each bot plays from a copy that was made when the bot entered. If its program has to be built, it is built in the copy.
//!
//! A copy is stored in the user's cache under the hash of everything that it was made from. Editing a bot's files during a tournament
//! therefore has no effect on the tournament.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail, ensure};
use arena_config::diagnostic::UsageError;
use arena_protocol::fault::ProcessEnd;
use arena_runner::status::status;
use arena_sandbox::interpreter;
use arena_sandbox::paths::resolved;
use arena_sandbox::{Copied, Ending, Sandbox, access, executable};
use arena_tournament::entrant::{Cores, Entrant, Program};
use arena_tournament::spec::{Limits, Spec};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use crate::cache::Cache;
use crate::snapshot::{self, check_links};

/// Timeout of a build.
const BUILD_TIMEOUT: Duration = Duration::from_secs(600);
/// Maximum number of bytes kept of a build's output.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;
/// Number of last lines of the output that are shown if a build fails.
const MAX_SHOWN_LINES: usize = 20;
/// Minimum limits of a build, used where the limits of matches are lower.
const BUILD_LIMITS: Limits = Limits {
    memory_mb: 4_096,
    processes: 512,
    file_mb: 1_024,
    disk_mb: 2_048,
    open_files: 1_024,
};
/// The environment variable with the folder of Rust's toolchains.
const RUSTUP_VARIABLE: &str = "RUSTUP_HOME";
/// The shell script that runs a build command in a folder.
const SCRIPT: &str = r#"cd "$1" && exec /bin/sh -c "$0" < /dev/null >&2"#;

/// Makes the copies from which the programs of a tournament run, unless they exist, and registers them in the sandbox. Without a tournament
/// folder, copies only programs that have to be built: no results are stored that could mix versions of a bot.
pub fn programs(spec: &Spec, sandbox: &mut Sandbox, has_folder: bool) -> anyhow::Result<()> {
    let playing = spec.bots.iter().filter(|bot| bot.withdrawn.is_none());
    for entrant in playing {
        let Some(original) = entrant.program() else {
            continue;
        };
        let made = if spec.local.in_place {
            Some(Copied::in_place(original))
        } else if has_folder || original.build.is_some() {
            program(entrant, sandbox, !has_folder).map_err(|why| failed(entrant, &why))?
        } else {
            None
        };
        if let Some(mut copied) = made {
            if let Some(folder) = sandbox.unprotected() {
                // A bot that runs without isolation could modify the cache, and later runs would use the modified copy.
                let own = folder.join(format!("copy-{}", sandbox.copies.len()));
                snapshot::copy_built(&copied.home, &own)
                    .map_err(|why| failed(entrant, &why.into()))?;
                copied.home = own;
            }
            sandbox.copies.insert(entrant.name.clone(), copied);
        }
    }
    Ok(())
}

/// Creates the error for a bot that cannot be copied or built.
pub fn failed(entrant: &Entrant, why: &anyhow::Error) -> UsageError {
    let does = if entrant.program().is_some_and(Program::builds) {
        "be built"
    } else {
        "play"
    };
    UsageError::one(format!("bot {} cannot {does}: {why:#}", entrant.name))
}

/// Returns the copy from which a program runs, and makes it if it does not exist. If the bot enters now, its files may have changed since
/// they were last read.
pub fn program(
    entrant: &Entrant,
    sandbox: &Sandbox,
    enters: bool,
) -> anyhow::Result<Option<Copied>> {
    let Some(program) = entrant.program() else {
        return Ok(None);
    };
    let title = format!("bot {}", entrant.name);
    copied(&title, program, sandbox, entrant.sources(), enters).map(Some)
}

/// Returns the copy from which a program with this title runs, and makes it if it does not exist. Its files must match the known hash, if
/// there is one, unless the program enters now.
pub fn copied(
    title: &str,
    program: &Program,
    sandbox: &Sandbox,
    known: Option<&str>,
    enters: bool,
) -> anyhow::Result<Copied> {
    let cache = Cache::open()?;
    let key = known
        .map(str::to_owned)
        .or_else(|| snapshot::hash(program).ok());
    let home = match key.and_then(|key| cache.take(&key)) {
        Some(home) => home,
        None => make(title, program, sandbox, &cache, known.filter(|_| !enters))?,
    };
    Ok(Copied {
        home,
        ..Copied::in_place(program)
    })
}

/// Makes a copy, and stores it under the hash of its files. The files must match the known hash, if any.
fn make(
    title: &str,
    program: &Program,
    sandbox: &Sandbox,
    cache: &Cache,
    known: Option<&str>,
) -> anyhow::Result<PathBuf> {
    let made = cache.begin()?;
    let copy = |home: PathBuf| Copied {
        home,
        ..Copied::in_place(program)
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
    let key = if let Some(command) = program.build.as_ref().filter(|_| program.builds()) {
        let sources = copy(made.building());
        let key = snapshot::copy_sources(program, &sources)?;
        check_known(&key)?;
        build(title, program, command, sandbox, &sources)?;
        snapshot::copy_built(&sources.home, &made.files())
            .context("what was built cannot be copied")?;
        key
    } else {
        let key = snapshot::copy(program, &copy(made.files()))?;
        check_known(&key)?;
        key
    };
    check(program, &copy(made.files()))?;
    cache.store(&made, &key)
}

/// Builds a program in a copy of its sources.
fn build(
    title: &str,
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
    // Rustup's proxies on the PATH use this variable to find their toolchains.
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
    status(format_args!("{title}: building: {command}"));
    let began = Instant::now();
    // Use a separate thread, because the caller may already be inside an async runtime.
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
        "{title}: built in {:.1} s",
        began.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// Checks that the copy contains the files named by the command, and that the program can be started there.
fn check(program: &Program, copied: &Copied) -> anyhow::Result<()> {
    check_links(&program.command, copied, &program.read).map_err(anyhow::Error::msg)?;
    let started = Some(program.command[0].as_str()).filter(|word| access::is_path(word));
    let after = program.build.as_ref().filter(|_| program.builds());
    let after = after.map_or(String::new(), |build| format!(" after `{build}`"));
    for word in started
        .into_iter()
        .chain(interpreter::script(&program.command))
    {
        let path = copied.at(&resolved(&copied.dir.join(word)));
        let real = fs::canonicalize(&path).ok().filter(|real| real.is_file());
        let real = real.with_context(|| format!("there is no {word}{after}"))?;
        if started != Some(word) {
            continue;
        }
        if program.builds() && real.starts_with(&copied.home) {
            // Under Landlock, a build cannot change the permissions of its output.
            fs::set_permissions(real, Permissions::from_mode(0o755))?;
        } else {
            let is_executable = executable::is_executable(&real);
            ensure!(is_executable, "{word} is not executable: chmod +x {word}");
        }
    }
    Ok(())
}

/// Runs a build to its end. Returns its output, and the reason if it failed.
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

/// Reads a pipe to its end, but keeps at most this many bytes.
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
    use arena_tournament::entrant::NO_BUILD;

    #[test]
    fn a_program_without_its_permission_is_found_before_it_plays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.py");
        fs::write(&path, "print(1)").unwrap();
        let program = Program {
            command: vec!["./run.py".into()],
            dir: folder.path().into(),
            build: Some(NO_BUILD.into()),
            ..Program::default()
        };
        let checked = || check(&program, &Copied::in_place(&program));
        let why = checked().unwrap_err().to_string();
        assert_eq!(why, "./run.py is not executable: chmod +x ./run.py");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        assert!(checked().is_ok());
    }
}
