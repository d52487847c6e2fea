//! `arena repro`: replays a finished match or a wire log to a program, and shows where the program acts differently.

use std::process::ExitCode;

use arena_engine::seat::Seat;
use arena_ledger::ledger::Ledger;
use arena_results::faults::{escaped, paragraph};
use arena_results::json;
use arena_tournament::clock::TimeControl;
use arena_tournament::entrant::{Bot, Program};
use arena_tournament::played::Played;
use arena_tournament::reply_text::ReplyText;
use arena_tournament::spec::Spec;
use serde::Serialize;

use super::{builtin_as_program, print, wrong_use};
use crate::cli::{self, Repro};
use arena_config::FlagValue;
use arena_config::diagnostic::UsageError;
use arena_config::read::{self, Flags};
use arena_config::{command, entrants};
use arena_runner::rerun::{Rerun, Step, rerun, rerun_log};
use arena_runner::wire_log::Logged;
use arena_runner::{Logs, Startup, Stop};
use arena_session::{folder, sandbox, stopping, trust};

/// Maximum number of turns shown one by one.
const MAX_TURNS_SHOWN: usize = 10;
/// Maximum number of lines shown of a prompt.
const MAX_PROMPT_LINES: usize = 3;

/// Replays a seat of a match, or a wire log, to a program.
pub fn run(args: &Repro) -> anyhow::Result<ExitCode> {
    if args.dir.is_file() {
        return of_log(args);
    }
    let ledger = Ledger::open_read_only(&args.dir)?;
    let Some(place) = &args.place else {
        return wrong_use("name a match, such as d1/a/b");
    };
    let (played, until) = find(&ledger, place)?;
    let seat = seat(args, &played)?;
    let (game, name) = (&ledger.spec().plan.game, &played.bots[seat.index()]);
    let is_person = ledger
        .spec()
        .bots
        .iter()
        .any(|bot| bot.name == *name && bot.is_person());
    if is_person && args.program.is_none() {
        return wrong_use(format!(
            "{name} is a person; --program plays the seat with a program"
        ));
    }
    let spec = with_one_bot(args, ledger.spec(), name)?;
    if !args.trust.trust {
        trust::check(&spec, &args.dir)?;
    }
    let bot = spec.bots[0].name.clone();
    again(
        args,
        spec,
        (played.id(), seat, &bot),
        |startup, clock, stop| rerun(game, &played, seat, until, &startup, clock, stop),
    )
}

/// Returns the tournament with only this bot, or with the program given by flags in its place. The other bots need not be installed here.
fn with_one_bot(args: &Repro, spec: &Spec, name: &str) -> anyhow::Result<Spec> {
    let mut only = spec.clone();
    if let Some(command) = &args.program {
        let bot = format!("{name}={command}");
        let words = format!("--program {bot}");
        let flags = vec![
            FlagValue::new("game", spec.plan.game.as_str(), ""),
            FlagValue::new("bots", bot, words),
        ];
        only.bots = read::table(&flags.into())?.bots;
    } else {
        only.bots.retain(|bot| bot.name == name);
    }
    let file = args.dir.join(folder::FILE);
    let Some(entrant) = only.bots.first_mut() else {
        return wrong_use(format!(
            "{} has no bot {name:?}; name a program with --program",
            file.display()
        ));
    };
    if let Some(program) = entrant.program() {
        entrants::find_all(program).map_err(UsageError::one)?;
    }
    // Run the bot's current files, not the copy from when it entered.
    entrant.files.clear();
    only.local.hidden.push(file);
    Ok(only)
}

/// Replays a wire log to a program.
fn of_log(args: &Repro) -> anyhow::Result<ExitCode> {
    let path = args.dir.display().to_string();
    let (None, None, Some(command)) = (&args.place, args.seat, &args.program) else {
        return wrong_use(format!(
            "for the log {path}, name a --program, but no match and no --seat"
        ));
    };
    let wrong = |why: String| UsageError::one(format!("{path}: {why}"));
    let text = std::fs::read(&*args.dir).map_err(|error| wrong(error.to_string()))?;
    let logged =
        Logged::read(&String::from_utf8_lossy(&text)).map_err(|why| wrong(format!("{why:#}")))?;
    let spec = read::program(
        command,
        &command::split(command).map_err(wrong)?,
        &Flags::default(),
    )?;
    // Log files are named BOT-PID.wire.
    let stem = args.dir.file_stem().unwrap_or_default().to_string_lossy();
    let bot = stem.rsplit_once('-').map_or(&*stem, |(bot, _)| bot);
    again(
        args,
        spec,
        (path, logged.seat, bot),
        |startup, clock, stop| rerun_log(&logged, &startup, clock.start_ms, stop),
    )
}

/// Starts the tournament's only bot, replays a seat to it, and prints the result.
fn again(
    args: &Repro,
    mut spec: Spec,
    (r#match, seat, name): (String, Seat, &str),
    play: impl FnOnce(Startup<'_>, TimeControl, &Stop) -> anyhow::Result<Option<Rerun>>,
) -> anyhow::Result<ExitCode> {
    let program = program(&spec.bots[0].bot)?;
    spec.bots[0].bot = Bot::Program(program.clone());
    spec.local.as_root = args.as_root;
    let sandbox = sandbox::for_programs(&spec, &[&std::path::absolute(&*args.dir)?])?;
    sandbox::announce(&spec, &sandbox, false);
    let stop = stopping::on_ctrl_c("stopping")?;
    let (bot, conditions) = (&spec.bots[0], &spec.conditions);
    let limits = conditions.limits;
    let startup = Startup {
        name: &bot.name,
        program: &program,
        limits,
        sandbox: &sandbox,
        logs: Logs::default(),
    };
    let done = play(startup, spec.clock(0), &stop)?;
    let Some(done) = done else {
        return Ok(ExitCode::from(stopping::INTERRUPTED));
    };
    let result = Reproduced {
        r#match,
        seat,
        bot: name,
        plays: bot.bot.to_string(),
        agree: done
            .steps
            .iter()
            .filter(|step| step.agrees == Some(true))
            .count(),
        faithful: done.is_faithful(),
        is_log: args.dir.is_file(),
        done: &done,
    };
    let printed = print(&if args.json {
        json::document(&result)?
    } else {
        result.in_words()
    })?;
    Ok(if result.faithful {
        printed
    } else {
        ExitCode::from(cli::FAILURE)
    })
}

/// Finds the match for `MATCH` or `MATCH:TURN`. Ids of matches may contain a colon, because names of bots may.
fn find(ledger: &Ledger, place: &str) -> anyhow::Result<(Played, Option<u32>)> {
    if let Some(played) = ledger.find(place)? {
        return Ok((played, None));
    }
    if let Some((id, turn)) = place.rsplit_once(':')
        && let (Some(played), Ok(turn)) = (ledger.find(id)?, turn.parse())
    {
        return Ok((played, Some(turn)));
    }
    let bots = ledger.spec().bots.iter().take(ledger.spec().plan.seats);
    let like = bots
        .map(|bot| bot.name.as_str())
        .collect::<Vec<_>>()
        .join("/");
    wrong_use(format!(
        "no match {place:?} is finished; name one like d1/{like}, with :TURN to stop after a turn"
    ))
}

/// Returns the seat given by the flag, or the only one that failed.
fn seat(args: &Repro, played: &Played) -> anyhow::Result<Seat> {
    let seats = played.bots.len();
    let faults = played.verdict.faults.seats();
    let failed: Vec<Seat> = faults
        .filter(|(_, fault)| fault.is_some())
        .map(|(seat, _)| seat)
        .collect();
    match (args.seat, failed.as_slice()) {
        (Some(seat), _) if usize::from(seat) < seats => Ok(Seat(seat)),
        (Some(seat), _) => wrong_use(format!(
            "there is no seat {seat}, the last is {}",
            seats - 1
        )),
        (None, [only]) => Ok(*only),
        (None, _) => {
            let who = played
                .bots
                .iter()
                .enumerate()
                .map(|(seat, bot)| format!("{seat} ({bot})"));
            let who = who.collect::<Vec<_>>().join(", ");
            let why = if failed.is_empty() {
                "no seat"
            } else {
                "more than one seat"
            };
            wrong_use(format!(
                "{why} failed in match {}; name one with --seat: {who}",
                played.id()
            ))
        }
    }
}

/// Returns the program to start for a bot. A built-in bot also runs as a program.
fn program(bot: &Bot) -> anyhow::Result<Program> {
    match bot {
        Bot::Builtin(name) => builtin_as_program(name, std::env::current_dir()?),
        Bot::Program(program) => Ok(program.clone()),
        Bot::Person => wrong_use("a person cannot play a match again"),
    }
}

/// Result of replaying a seat.
#[derive(Serialize)]
pub struct Reproduced<'a> {
    /// Id of the match, or path of the log.
    r#match: String,
    /// The replayed seat; for a log, the seat in its first match.
    seat: Seat,
    /// Name of the bot that had the seat.
    bot: &'a str,
    /// Command that was run.
    plays: String,
    /// Number of turns at which the program acted as recorded.
    agree: usize,
    /// True if the program did not fail, and acted as recorded at every turn that has a recorded action.
    faithful: bool,
    #[serde(skip)]
    is_log: bool,
    #[serde(flatten)]
    done: &'a Rerun,
}

impl Reproduced<'_> {
    fn in_words(&self) -> String {
        let Self {
            r#match,
            seat,
            bot,
            plays,
            done,
            is_log,
            ..
        } = self;
        let place = if *is_log {
            escaped(r#match)
        } else {
            format!("match {}, seat {}", escaped(r#match), seat.index() + 1)
        };
        let mut text = format!("{place}, {}: {}\n", escaped(bot), escaped(plays));
        let shown: Vec<&Step> = done
            .steps
            .iter()
            .filter(|step| step.agrees != Some(true))
            .collect();
        shown
            .iter()
            .take(MAX_TURNS_SHOWN)
            .for_each(|step| describe(&mut text, step, !is_log));
        if shown.len() > MAX_TURNS_SHOWN {
            text += &format!(
                "\n{} more turns like these: --json\n",
                shown.len() - MAX_TURNS_SHOWN
            );
        }
        format!(
            "{text}\n{}\n{}",
            self.summary(),
            failure(done).unwrap_or_default()
        )
    }

    /// Returns a line on the number of turns that agree.
    fn summary(&self) -> String {
        let Self {
            agree,
            done: Rerun { turns, steps, .. },
            ..
        } = self;
        let first = match steps.iter().find(|step| step.agrees == Some(false)) {
            Some(step) => format!("the first that differs is turn {}", step.turn),
            None => "none differs".into(),
        };
        let unrecorded = steps.iter().filter(|step| step.agrees.is_none()).count();
        let mut parts = vec![format!("{agree} of {turns} turns agree, {first}")];
        for (count, what) in [
            (unrecorded, "without a recorded action"),
            (turns - steps.len(), "not played again"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        parts.join("; ")
    }
}

/// Describes a turn with the recorded and the new reply. If the rules are known, adds whether they allow the new reply.
fn describe(text: &mut String, step: &Step, has_rules: bool) {
    *text += &format!("\nturn {}\n", step.turn);
    paragraph(
        text,
        "prompt",
        &escaped(&step.prompt.to_string()),
        MAX_PROMPT_LINES,
    );
    paragraph(text, "then", &escaped(&reply(&step.recorded)), usize::MAX);
    let legal = match (&step.now, &step.illegal) {
        (ReplyText::Act(_), None) if has_rules => ", which is legal".into(),
        (_, Some(why)) => format!(", which is illegal: {why}"),
        _ => String::new(),
    };
    paragraph(
        text,
        "now",
        &escaped(&(reply(&step.now) + &legal)),
        usize::MAX,
    );
}

fn reply(reply: &ReplyText) -> String {
    match reply {
        ReplyText::Act(action) => action.to_string(),
        ReplyText::Late => "no answer".into(),
        ReplyText::Failed(fault) => format!("failed ({}): {}", fault.cause, fault.detail),
    }
}

/// Describes how the program failed, with the end of its log.
fn failure(done: &Rerun) -> Option<String> {
    let detail = match (&done.ended, done.steps.iter().rfind(|step| step.fails())) {
        (Some(fault), _) => format!("the program failed ({}): {}", fault.cause, fault.detail),
        (
            None,
            Some(Step {
                turn,
                illegal: Some(why),
                ..
            }),
        ) => format!("the action of turn {turn} is illegal: {why}"),
        (
            None,
            Some(Step {
                turn,
                now: ReplyText::Late,
                wall_us,
                ..
            }),
        ) => {
            format!(
                "the program was given up: it had not answered turn {turn} after {} s",
                wall_us / 1_000_000
            )
        }
        (None, Some(Step { turn, now, .. })) => {
            format!("the program {} at turn {turn}", reply(now))
        }
        (None, None) => return None,
    };
    let log = done
        .log
        .lines()
        .map(|line| format!("  | {}\n", escaped(line)));
    Some(format!("{}\n{}", escaped(&detail), log.collect::<String>()))
}
