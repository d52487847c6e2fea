//! The first steps: the program is there, starts, says that it is ready, and says that well.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use arena_engine::fault::Fault;
use arena_engine::games;
use arena_protocol::message::Ready;
use arena_tournament::played::Evidence;
use serde_json::Value;

use super::Plan;
use super::diagnosis::{self, READY, Task};
use super::probe::{Leave, Trouble};
use super::report::{Finding, Mark, Report};
use arena_config::entrants;
use arena_runner::units::millis;
use arena_sandbox::NOT_STARTED;

/// The fields of `ready`.
const FIELDS: &[&str] = &["name", "version", "games", "wants", "matches"];
/// What a version manager may add to a start without a word.
const SHIM: Duration = Duration::from_millis(20);

/// Carries out the steps; none if the bot did not come to be ready.
pub async fn steps(plan: &Plan, report: &mut Report) -> anyhow::Result<Option<Ready>> {
    report.begin("the program is found and starts");
    let path = match entrants::find_all(&plan.program) {
        Ok(path) => path,
        Err(why) => return report.end("", vec![missing(plan, &why)]).map(|_| None),
    };
    let slow_way = shim(plan, &path);
    let probe = plan.start().await?;
    let greeted = match probe.greet(plan.start).await {
        Ok(after) => Ok((after, probe)),
        Err(trouble) => Err((trouble, probe.end().await)),
    };
    if let Err((trouble, evidence)) = &greeted
        && let Some(why) = not_started(trouble, evidence)
    {
        return report.end("", vec![unstartable(&path, why)]).map(|_| None);
    }
    report.end(path.display().to_string(), slow_way.into_iter().collect())?;
    report.begin("it says that it is ready");
    let (after, probe) = match greeted {
        Ok(greeted) => greeted,
        Err((trouble, evidence)) => {
            let game = plan.games.first().map_or(games::NAMES[0], String::as_str);
            let task = Task { name: READY, limit_ms: millis(plan.start), game, language: plan.language };
            return report.end("", vec![diagnosis::explain(&trouble, task, &evidence)]).map(|_| None);
        }
    };
    report.end(format!("after {} ms of {}", millis(after), millis(plan.start)), long_start(plan, after))?;
    report.begin("what it says of itself is well formed");
    let (ready, line) = (probe.conversation.ready().clone(), probe.last_line());
    probe.leave(Leave::Quit).await;
    let mark = report.end(introduction(&ready), ready_findings(plan, &ready, &line))?;
    Ok((mark < Mark::Failed).then_some(ready))
}

/// Why the system could not start it, if that was it; within a sandbox nobody but its log can be told.
fn not_started<'a>(trouble: &'a Trouble, evidence: &'a Evidence) -> Option<&'a str> {
    match trouble {
        Trouble::Fault { fault: Fault::StartFailed(why), .. } => Some(why.trim()),
        Trouble::Fault { fault: Fault::Exited(_), .. } => evidence.stderr.strip_prefix(NOT_STARTED).map(str::trim),
        _ => None,
    }
}

fn missing(plan: &Plan, why: &str) -> Finding {
    let name = &plan.program.command[0];
    let here = plan.program.dir.join(name);
    let cure = if why.contains("not executable") {
        format!("chmod +x {name}, or name its interpreter first, such as: arena check python3 {name}")
    } else if here.is_file() && !name.contains('/') {
        format!("it lies in this folder, where programs are not looked for: write ./{name}, or its interpreter first")
    } else if name.contains(' ') {
        "write the program and its arguments as words of their own, without quotes around all of them".into()
    } else if name.contains('/') || entrants::find(&plan.program).is_ok() {
        "look at the path: it starts at the folder in which the arena is run".into()
    } else {
        format!("install {name}, or give its path; PATH is where it was looked for")
    };
    Finding::failed(format!("the program cannot be started: {why}"), cure)
}

fn unstartable(path: &Path, why: &str) -> Finding {
    let first = std::fs::read(path).unwrap_or_default();
    let first = String::from_utf8_lossy(first.split(|byte| *byte == b'\n').next().unwrap_or_default()).into_owned();
    let cure = match first.strip_prefix("#!") {
        Some(_) if first.ends_with('\r') => {
            "its lines end as on Windows: save it with LF line ends, or run dos2unix on it".into()
        }
        Some(interpreter) => {
            format!("its first line names the interpreter {}: see whether that is there", interpreter.trim())
        }
        None => {
            "if it is a script, let its first line name the interpreter, such as #!/usr/bin/env python3; if it is a \
                 program, see that it was built for this machine"
                .into()
        }
    };
    Finding::failed(format!("the system cannot start {}: {why}", path.display()), cure)
        .show("its first line", if first.starts_with("#!") { &first } else { "" })
}

/// What a version manager costs at each start, if the program is one of its shims.
fn shim(plan: &Plan, path: &Path) -> Option<Finding> {
    if !path.components().any(|part| part.as_os_str() == "shims") {
        return None;
    }
    let took = (0..3).filter_map(|_| version_takes(path)).min()?;
    let name = &plan.program.command[0];
    (took > SHIM).then(|| {
        Finding::warning(
            format!("{name} is the shim of a version manager: {name} --version alone takes {} ms", millis(took)),
            format!(
                "every start pays for that; give the path of the real program (pyenv which {name}, asdf which {name})"
            ),
        )
    })
}

fn version_takes(path: &Path) -> Option<Duration> {
    let began = Instant::now();
    let mut command = Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().ok()?;
    Some(began.elapsed())
}

fn long_start(plan: &Plan, took: Duration) -> Vec<Finding> {
    if took * 2 <= plan.start {
        return Vec::new();
    }
    vec![Finding::warning(
        format!("the start took {} ms of {}: on a busy machine that is too long", millis(took), millis(plan.start)),
        "say ready first and load what you need at the first start message, load less, or have start_ms raised for the \
         tournament",
    )]
}

/// What the bot says of itself, in words.
fn introduction(ready: &Ready) -> String {
    let name = ready.name.as_ref().map_or("no name".to_owned(), |name| format!("{:?}", diagnosis::plain(name)));
    let plays = match &ready.games {
        None => "every game".to_owned(),
        Some(games) => diagnosis::plain(&games.join(", ")),
    };
    let at_once = match ready.matches {
        Some(matches @ 2..) => format!(", {matches} matches at once"),
        _ => String::new(),
    };
    format!("{name}, plays {plays}{at_once}")
}

/// True if there is a game of this name.
fn is_game(name: &str) -> bool {
    games::all().any(|game| game == name)
}

fn ready_findings(plan: &Plan, ready: &Ready, line: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let offered = ready.games.clone().unwrap_or_default();
    for game in offered.iter().filter(|game| !is_game(game.as_str())) {
        findings.push(Finding::warning(
            format!("it says that it plays {:?}, which is no game here", diagnosis::plain(game)),
            format!("write the names as they are: {}", games::NAMES.join(", ")),
        ));
    }
    if ready.games.is_some() && !offered.iter().any(|game| is_game(game)) {
        findings.push(Finding::failed(
            "it says that it plays none of the games here",
            format!("leave games out, or list some of {}", games::NAMES.join(", ")),
        ));
    }
    for game in plan.games.iter().filter(|game| ready.games.is_some() && !offered.contains(game)) {
        findings.push(Finding::failed(
            format!("{game} was asked for, but it says that it does not play {game}"),
            format!("add {game:?} to games in ready, or leave games out if it plays all"),
        ));
    }
    findings.extend(unknown_fields(line));
    findings.into_iter().map(|finding| finding.show("the bot said", line)).collect()
}

/// Fields that mean nothing, most often misspelt.
fn unknown_fields(line: &str) -> Option<Finding> {
    let message: Value = serde_json::from_str(line).ok()?;
    let fields = message.get("ready")?.as_object()?.keys();
    let unknown: Vec<String> =
        fields.filter(|field| !FIELDS.contains(&field.as_str())).map(|field| diagnosis::plain(field)).collect();
    (!unknown.is_empty()).then(|| {
        Finding::warning(
            format!("ready has fields that mean nothing to the arena: {}", unknown.join(", ")),
            format!("see whether they are misspelt; it knows {}", FIELDS.join(", ")),
        )
    })
}
