//! Steps of the check that do not depend on the game. At the beginning, the program is found, starts, becomes ready and describes itself
//! correctly. At the end, it exits, leaves nothing behind, and has kept to its time limits.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use arena_engine::table;
use arena_protocol::fault::{BotFault, ProcessEnd};
use arena_protocol::message::Ready;
use arena_tournament::played::{Evidence, MoveTime};
use arena_tournament::suggest::BACKSLASH;
use serde_json::Value;

use super::BotCheck;
use super::diagnosis::READY;
use super::probe::{Leave, Probe};
use super::report::{CheckedBot, Finding, Mark, Steps, Timing, plain};
use crate::cli::Check;
use arena_config::entrants;
use arena_runner::units::millis;
use arena_sandbox::executable;
use arena_sandbox::{Exit, access};
use arena_session::snapshot;

/// Fields of the `ready` message.
const READY_FIELDS: &[&str] = &["name", "version", "games", "wants", "matches"];
/// Title of the first step.
const START_TITLE: &str = "the program is found and starts";
/// Message if the first step fails.
pub const FIRST: &str = "nothing else could be tried: fix this first";
/// Maximum number of files listed by name.
const MAX_FILES_NAMED: usize = 3;
/// Time that a version manager may add to each start before a warning is given.
const MAX_SHIM_COST: Duration = Duration::from_millis(20);

/// Returns the result for a bot that cannot be found or built.
pub fn left_out(args: &Check, name: &str, why: &str) -> anyhow::Result<CheckedBot> {
    let report = Steps::new(args);
    report.begin(START_TITLE);
    let help = "correct its command, its folder or its build; paths are relative to the folder of the file";
    report.end(
        "",
        [Finding::failed(
            format!("the program cannot be started: {why}"),
            help,
        )],
    )?;
    report.close(name, "bot", Vec::new(), Some(FIRST.into()))
}

impl BotCheck<'_> {
    /// Runs the first steps; `None` if the bot did not become ready.
    pub(super) async fn start_steps(&self) -> anyhow::Result<Option<Ready>> {
        self.report.begin(START_TITLE);
        let path = match entrants::find_all(&self.program) {
            Ok(path) => path,
            Err(why) => return self.report.end("", [self.missing(&why)]).map(|_| None),
        };
        if let Err(why) = snapshot::check(&self.program) {
            return self
                .report
                .end(
                    "",
                    [Finding::failed(
                        "a tournament would refuse the program",
                        why,
                    )],
                )
                .map(|_| None);
        }
        let shim = self.shim(&path);
        let probe = self.start().await?;
        let greeted = match probe.greet(self.start).await {
            Ok(after) => Ok((after, probe)),
            Err(trouble) => Err((trouble, probe.end().await)),
        };
        if let Err((trouble, _)) = &greeted
            && let Ok(BotFault::StartFailed(why)) = &trouble.fault
        {
            return self.report.end("", [unstartable(&path, why)]).map(|_| None);
        }
        self.report.end(path.display().to_string(), shim)?;
        self.report.begin("it sends ready");
        let (after, probe) = match greeted {
            Ok(greeted) => greeted,
            Err((trouble, evidence)) => {
                let game = self.games.first().map_or(table::names()[0], String::as_str);
                return self
                    .report
                    .end("", [self.explain(&trouble, READY, game, &evidence)])
                    .map(|_| None);
            }
        };
        let fact = format!("after {} ms of {}", millis(after), millis(self.start));
        self.report.end(fact, self.long_start(after))?;
        self.report.begin("its ready message is well formed");
        let (ready, line) = (probe.conversation.ready().clone(), probe.last_line());
        self.leave(probe, Leave::Quit).await;
        let mark = self
            .report
            .end(introduction(&ready), self.ready_findings(&ready, &line))?;
        Ok((mark < Mark::Failed).then_some(ready))
    }

    fn missing(&self, why: &str) -> Finding {
        let name = &self.program.command[0];
        let is_path = name.contains('/');
        let help = if why.contains("Windows line endings") {
            "have your editor, and git (core.autocrlf), write Unix line endings from now on".into()
        } else if why.contains("not executable") {
            format!("chmod +x {name}, or name its interpreter first: arena check python3 {name}")
        } else if name.ends_with(".toml") {
            format!("a tournament file comes last, after all flags: arena check --trust {name}")
        } else if !is_path && self.program.dir.join(name).is_file() {
            format!(
                "it is in this folder, which is not searched for programs: arena check ./{name}"
            )
        } else if name.contains('\\') {
            BACKSLASH.into()
        } else if name.contains(' ') {
            "write the program and its arguments as separate words, without quotes around all of them".into()
        } else if Path::new(name).is_dir() {
            "that is a folder: name the program in it, or the tournament file, such as duel.toml"
                .into()
        } else if is_path || executable::find(&self.program).is_ok() {
            "check the path: it is relative to the folder in which the arena runs".into()
        } else {
            format!("install {name}, or give its path; it was searched for in PATH")
        };
        Finding::failed(format!("the program cannot be started: {why}"), help)
    }

    /// Warns about the time that a version manager adds to each start, if the program is one of its shims.
    fn shim(&self, path: &Path) -> Option<Finding> {
        // The program runs without isolation here, so only run programs that the bot's author did not write.
        if !path
            .parent()
            .is_some_and(|folder| folder.ends_with("shims") && access::is_on_path(folder))
        {
            return None;
        }
        let took = (0..3)
            .filter_map(|_| version_takes(path))
            .min()
            .filter(|took| *took > MAX_SHIM_COST)?;
        let name = &self.program.command[0];
        Some(Finding::warning(
            format!(
                "{name} is the shim of a version manager: {name} --version alone takes {} ms",
                millis(took)
            ),
            format!(
                "every start pays for that; give the path of the real program (pyenv which {name}, asdf which {name})"
            ),
        ))
    }

    fn long_start(&self, took: Duration) -> Option<Finding> {
        let what = format!(
            "it took {} of {} ms to start",
            millis(took),
            millis(self.start)
        );
        (took * 2 > self.start).then(|| {
            Finding::warning(
                what + ": on a busy machine that is too long",
                "send `ready` first and load at the first `start` message, load less, or raise `start_ms` under `[clock]` in the \
                 tournament file",
            )
        })
    }

    fn ready_findings(&self, ready: &Ready, line: &str) -> Vec<Finding> {
        let (offered, names) = (
            ready.games.clone().unwrap_or_default(),
            table::names().join(", "),
        );
        let is_game = |name: &String| table::all().any(|game| table::plain_name(game.name) == name);
        let mut findings = Vec::new();
        findings.extend(offered.iter().filter(|name| !is_game(name)).map(|name| {
            let what = format!(
                "it claims to play {:?}, which is not a game of this arena",
                plain(name)
            );
            Finding::warning(what, format!("write the names as they are: {names}"))
        }));
        if ready.games.is_some() && !offered.iter().any(is_game) {
            let help = format!("leave games out, or list some of {names}");
            findings.push(Finding::failed(
                "it plays none of the games of this arena",
                help,
            ));
        }
        let games = self.games.iter().map(|game| table::plain_name(game));
        let refused = games.filter(|game| !ready.plays(game));
        findings.extend(refused.map(|game| {
            let what = format!("{game} is to be played, but it does not list {game} in ready");
            Finding::failed(
                what,
                format!("add {game:?} to games in ready, or leave games out if it plays all"),
            )
        }));
        findings.extend(unknown_fields(line));
        findings
            .into_iter()
            .map(|finding| finding.show("the bot wrote", line))
            .collect()
    }

    /// Runs the steps of the bot's exit.
    pub(super) async fn leave_steps(&self) -> anyhow::Result<()> {
        for (how, title) in [
            (Leave::Quit, "it exits after quit, leaving nothing behind"),
            (Leave::Close, "it exits when its input ends without quit"),
        ] {
            self.report.begin(title);
            let Some(probe) = self.start_again().await? else {
                self.report.end("", [not_ready_again()])?;
                continue;
            };
            let (after, exit, evidence) = self.leave(probe, how).await;
            let fact = after
                .map(|took| format!("after {} ms of 1000", millis(took)))
                .unwrap_or_default();
            let mut findings = if after.is_none() {
                vec![too_long(how)]
            } else {
                end(&exit, &evidence.stderr)
            };
            findings.extend(lost(&self.written.take()));
            self.report.end(fact, findings)?;
        }
        Ok(())
    }

    /// Ends a process, and records the names of the files that it wrote.
    pub(super) async fn leave(
        &self,
        probe: Probe,
        how: Leave,
    ) -> (Option<Duration>, Exit, Evidence) {
        let (after, exit, evidence) = probe.leave(how).await;
        self.written
            .borrow_mut()
            .extend(exit.written.iter().cloned());
        (after, exit, evidence)
    }

    /// Runs the step on answer times.
    pub(super) fn timing_step(&self, timings: &[Timing]) -> anyhow::Result<()> {
        let longest = timings
            .iter()
            .max_by(|a, b| a.longest_ms.total_cmp(&b.longest_ms));
        let Some(Timing {
            game,
            longest_ms,
            longest_of_limit,
            ..
        }) = longest
        else {
            return Ok(());
        };
        self.report.begin("it keeps its time");
        let share = format!(
            "{longest_ms:.1} ms, {:.1} % of {}",
            longest_of_limit * 100.0,
            millis(self.per_move)
        );
        let slow = (*longest_of_limit > 0.5).then(|| {
            Finding::warning(
                format!("in {game} its longest answer took {share}"),
                "tournaments run on busier machines: aim at half of clock.move_ms at most",
            )
        });
        self.report
            .end(format!("longest answer {share}"), slow)
            .map(drop)
    }
}

fn unstartable(path: &Path, why: &str) -> Finding {
    let text = std::fs::read(path).unwrap_or_default();
    let first =
        String::from_utf8_lossy(text.split(|byte| *byte == b'\n').next().unwrap_or_default());
    let script = first.strip_prefix("#!");
    let help = match script {
        Some(interpreter) => {
            format!("its first line names the interpreter {}: check that it exists", interpreter.trim())
        }
        None if why.contains("not a program for this machine") => {
            format!("compile it for Linux on {}", std::env::consts::ARCH)
        }
        None => {
            "if it is a script, let its first line name the interpreter, such as #!/usr/bin/env python3; if it is a \
             program, see that it was built for this machine"
                .into()
        }
    };
    let finding = Finding::failed(
        format!("the system cannot start {}: {why}", path.display()),
        help,
    );
    finding.show("its first line", script.map_or("", |_| &first))
}

fn version_takes(path: &Path) -> Option<Duration> {
    let began = Instant::now();
    let mut command = Command::new(path);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().ok()?;
    Some(began.elapsed())
}

/// Describes the bot by its `ready` message.
fn introduction(ready: &Ready) -> String {
    let name = ready
        .name
        .as_ref()
        .map_or("no name".to_owned(), |name| format!("{:?}", plain(name)));
    let plays = ready
        .games
        .as_ref()
        .map_or("every game".to_owned(), |games| plain(&games.join(", ")));
    let at_once = ready.matches.filter(|matches| *matches > 1);
    let at_once = at_once
        .map(|matches| format!(", {matches} matches at once"))
        .unwrap_or_default();
    format!("{name}, plays {plays}{at_once}")
}

/// Warns about unknown fields, which are usually misspelt.
fn unknown_fields(line: &str) -> Option<Finding> {
    let message: Value = serde_json::from_str(line).ok()?;
    let fields = message
        .get("ready")?
        .as_object()?
        .keys()
        .filter(|field| !READY_FIELDS.contains(&field.as_str()));
    let unknown: Vec<String> = fields.map(|field| plain(field)).collect();
    (!unknown.is_empty()).then(|| {
        let what = format!(
            "ready has fields that mean nothing to the arena: {}",
            unknown.join(", ")
        );
        Finding::warning(
            what,
            format!(
                "check their spelling; the fields are {}",
                READY_FIELDS.join(", ")
            ),
        )
    })
}

/// Reports a bot that became ready the first time, but not when it was restarted.
pub fn not_ready_again() -> Finding {
    Finding::failed(
        "it was ready after an earlier start, but not after this one",
        "check what one start leaves behind for the next: files, locks, ports",
    )
}

/// Warns about files that a bot wrote, because they will be deleted.
fn lost(written: &BTreeSet<String>) -> Option<Finding> {
    let names: Vec<String> = written
        .iter()
        .take(MAX_FILES_NAMED)
        .map(|name| plain(name))
        .collect();
    (!names.is_empty()).then(|| {
        Finding::warning(
            format!("it wrote {}; files a bot writes are gone when its process ends", names.join(", ")),
            "each start has new, empty folders: put what the bot needs into its folder before the tournament, and use new files only while the process runs",
        )
    })
}

fn too_long(how: Leave) -> Finding {
    let help = match how {
        Leave::Quit => {
            "exit at the quit message or at the end of the input, without lengthy clean-up"
        }
        Leave::Close => "exit at the end of the input: the arena may be gone",
    };
    Finding::failed(
        "it does not exit within 1000 ms, and had to be killed",
        help,
    )
}

fn end(exit: &Exit, log: &str) -> Vec<Finding> {
    let fault = exit.fault();
    let left = exit.left;
    let mut findings = Vec::new();
    if fault != BotFault::Exited(ProcessEnd::Code(0)) {
        let help = "this costs nothing, but it can hide an error: at quit or at the end of the input, stop reading without an error";
        let finding = Finding::warning(format!("it does not exit cleanly: it {fault}"), help);
        findings.push(finding.show_log(log).unready());
    }
    if left > 0 {
        let count = if left == 1 {
            "a child".into()
        } else {
            format!("{left} children")
        };
        findings.push(Finding::warning(
            format!("it left {count} running when it exited; the arena kills what is left"),
            "a script that starts the bot should end with exec, as in: exec python3 my_bot.py; otherwise stop and wait for \
             what you start before you exit",
        ));
    }
    findings
}

/// Summarises the time that a bot used in a game; `None` if no answer was timed.
pub fn timing(game: &str, times: &[MoveTime], limit: Duration) -> Option<Timing> {
    let milliseconds = |us: u64| us as f64 / 1e3;
    let walls = times.iter().map(|time| milliseconds(time.wall_us));
    let mut wall: Vec<f64> = walls.collect();
    wall.sort_by(f64::total_cmp);
    let at = |share: usize| wall[(wall.len() * share).div_ceil(100).clamp(1, wall.len()) - 1];
    let cpus = times.iter().map(|time| time.cpu_us.map(milliseconds));
    let cpu: Option<f64> = cpus.sum();
    let longest_ms = *wall.last()?;
    Some(Timing {
        game: game.to_owned(),
        turns: wall.len(),
        median_ms: at(50),
        p99_ms: at(99),
        longest_ms,
        longest_of_limit: longest_ms / (limit.as_secs_f64() * 1e3),
        cpu: cpu.map(|cpu| cpu / wall.iter().sum::<f64>()),
    })
}
