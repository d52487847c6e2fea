//! `arena repro`: sends a program what a bot was sent in a finished match, and shows where it acts otherwise.

use std::process::ExitCode;

use anyhow::Context;
use arena_engine::by_name;
use arena_engine::seat::Seat;
use arena_ledger::ledger::Ledger;
use arena_results::faults::{escaped, paragraph};
use arena_results::json;
use arena_tournament::entrant::{Bot, Entrant, Program};
use arena_tournament::played::Played;
use arena_tournament::reply_text::ReplyText;
use schemars::JsonSchema;
use serde::Serialize;

use super::{builtin_as_program, print, wrong_use};
use crate::cli::{self, Repro};
use arena_config::read;
use arena_config::write::to_toml;
use arena_runner::rerun::{Rerun, Step, Trial, rerun};
use arena_runner::{Logs, Startup};
use arena_session::{folder, sandbox, stopping};

/// The number of turns that differ that are shown one by one.
const SHOWN: usize = 10;
/// How many lines of the terminal a prompt may fill.
const PROMPT: usize = 3;

/// Plays a seat of a match again.
pub fn run(args: &Repro) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    let (played, until) = find(&ledger, &args.place)?;
    let seat = seat(args, &played)?;
    let (game, name) = (&ledger.spec().plan.game, &played.bots[seat.index()]);
    let is_person = ledger.spec().bots.iter().any(|bot| bot.is_called(name) && bot.is_person());
    if is_person && args.program.is_none() {
        return wrong_use(format!(
            "{name} is a person, who is not asked again; --program tries a program in that place"
        ));
    }
    let file = to_toml(ledger.spec())?;
    let mut spec = read::with_one_bot(&file, &args.dir.join(folder::FILE), name, args.program.as_deref())?;
    let program = program(&spec.bots[0].bot)?;
    spec.bots[0].bot = Bot::Program(program.clone());
    spec.local.as_root = args.as_root;
    let sandbox = sandbox::for_programs(&spec, &[&std::path::absolute(&args.dir)?])?;
    let stop = stopping::on_ctrl_c("stopping")?;
    let (bot, conditions) = (&spec.bots[0], &spec.conditions);
    let limits = conditions.limits;
    let startup = Startup { name: &bot.name, program: &program, limits, sandbox: &sandbox, logs: Logs::default() };
    let trial = Trial { played: &played, seat, until, startup, clock: conditions.clock, stop: &stop };
    let done =
        by_name!(game, G => rerun::<G>(&trial)).with_context(|| format!("this program does not know {game:?}"))??;
    let Some(done) = done else { return Ok(ExitCode::from(stopping::INTERRUPTED)) };
    let text = if args.json { as_json(&trial, bot, &done)? } else { in_words(&trial, bot, &done) };
    let printed = print(&text)?;
    Ok(if done.is_faithful() { printed } else { ExitCode::from(cli::FAILURE) })
}

/// The match of a place `MATCH` or `MATCH:TURN`. A bot's name, and so a match's, may hold a colon.
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
    let like = bots.map(|bot| bot.name.as_str()).collect::<Vec<_>>().join("/");
    wrong_use(format!(
        "no match {place:?} is finished; matches are called like d1/{like}, the turn follows after a colon"
    ))
}

/// The seat that is named, or the only one that failed.
fn seat(args: &Repro, played: &Played) -> anyhow::Result<Seat> {
    let seats = played.bots.len();
    let faults = played.verdict.faults.seats();
    let failed: Vec<Seat> = faults.filter(|(_, fault)| fault.is_some()).map(|(seat, _)| seat).collect();
    match (args.seat, failed.as_slice()) {
        (Some(seat), _) if usize::from(seat) < seats => Ok(Seat(seat)),
        (Some(seat), _) => wrong_use(format!("there is no seat {seat}, the last is {}", seats - 1)),
        (None, [only]) => Ok(*only),
        (None, _) => {
            let who = played.bots.iter().enumerate().map(|(seat, bot)| format!("{seat} ({bot})"));
            let who = who.collect::<Vec<_>>().join(", ");
            let why = if failed.is_empty() { "nobody" } else { "more than one seat" };
            wrong_use(format!("{why} failed in match {}; name one with --seat: {who}", played.id()))
        }
    }
}

/// The program that is started for a bot; a built-in one is started as a program.
fn program(bot: &Bot) -> anyhow::Result<Program> {
    let name = match bot {
        Bot::Builtin(name) => name,
        Bot::Program(program) => return Ok(program.clone()),
        Bot::Person => return wrong_use("a person is not asked again"),
    };
    builtin_as_program(name, std::env::current_dir()?)
}

/// A seat that was played again.
#[derive(Serialize, JsonSchema)]
pub struct Reproduced<'a> {
    /// The match.
    r#match: String,
    /// The seat.
    seat: Seat,
    /// The bot that sat there.
    bot: &'a str,
    /// What was started for it: a command.
    plays: String,
    /// The number of turns at which it acted as the record says.
    agree: usize,
    /// True if it acted as the record says at every turn that has a recorded action, and did not fail.
    faithful: bool,
    #[serde(flatten)]
    done: &'a Rerun,
}

fn as_json(trial: &Trial<'_>, bot: &Entrant, done: &Rerun) -> serde_json::Result<String> {
    json::document(Reproduced {
        r#match: trial.played.id(),
        seat: trial.seat,
        bot: &bot.name,
        plays: bot.bot.to_string(),
        agree: agreeing(done),
        faithful: done.is_faithful(),
        done,
    })
}

fn agreeing(done: &Rerun) -> usize {
    done.steps.iter().filter(|step| step.agrees == Some(true)).count()
}

fn in_words(trial: &Trial<'_>, bot: &Entrant, done: &Rerun) -> String {
    let Trial { played, seat, .. } = trial;
    let mut text = format!(
        "match {}, seat {seat}, {}: {}\n",
        escaped(&played.id()),
        escaped(&bot.name),
        escaped(&bot.bot.to_string())
    );
    let shown: Vec<&Step> = done.steps.iter().filter(|step| step.agrees != Some(true)).collect();
    for step in shown.iter().take(SHOWN) {
        describe(&mut text, step);
    }
    if shown.len() > SHOWN {
        text += &format!("\n{} more turns like these: --json\n", shown.len() - SHOWN);
    }
    text.push('\n');
    text += &summary(done);
    if done.fails() {
        failed(&mut text, done);
    }
    text
}

/// One turn, then and now.
fn describe(text: &mut String, step: &Step) {
    *text += &format!("\nturn {}\n", step.turn);
    paragraph(text, "asked", &escaped(&step.prompt.to_string()), PROMPT);
    paragraph(text, "then", &escaped(&reply(&step.recorded)), usize::MAX);
    let legal = match (&step.now, &step.illegal) {
        (ReplyText::Act(_), None) => ", which is legal".into(),
        (_, Some(why)) => format!(", which is illegal: {why}"),
        _ => String::new(),
    };
    paragraph(text, "now", &escaped(&(reply(&step.now) + &legal)), usize::MAX);
}

fn reply(reply: &ReplyText) -> String {
    match reply {
        ReplyText::Act(action) => action.to_string(),
        ReplyText::Late => "no answer in time".into(),
        ReplyText::Failed(fault) => format!("failed ({}): {}", fault.cause, fault.detail),
    }
}

/// How many turns agree.
fn summary(done: &Rerun) -> String {
    let (agree, turns) = (agreeing(done), done.turns);
    let unrecorded = done.steps.iter().filter(|step| step.agrees.is_none()).count();
    let first = done.steps.iter().find(|step| step.agrees == Some(false));
    let mut text = match first {
        Some(step) => format!("{agree} of {turns} turns agree, the first that differs is turn {}", step.turn),
        None => format!("{agree} of {turns} turns agree, none differs"),
    };
    if unrecorded > 0 {
        text += &format!("; {unrecorded} without a recorded action");
    }
    let left_out = turns - done.steps.len();
    if left_out > 0 {
        text += &format!("; {left_out} not asked any more");
    }
    text + "\n"
}

/// How the program failed, with the end of its log.
fn failed(text: &mut String, done: &Rerun) {
    let detail = match (&done.ended, done.steps.iter().rfind(|step| step.fails())) {
        (Some(fault), _) => format!("the program failed ({}): {}", fault.cause, fault.detail),
        (None, Some(Step { turn, illegal: Some(why), .. })) => format!("the action of turn {turn} is illegal: {why}"),
        (None, Some(Step { turn, now: ReplyText::Late, wall_us, .. })) => {
            format!("the program was given up: it had not answered turn {turn} after {} s", wall_us / 1_000_000)
        }
        (None, Some(Step { turn, now, .. })) => format!("the program {} at turn {turn}", reply(now)),
        (None, None) => return,
    };
    *text += &format!("{}\n", escaped(&detail));
    for line in done.log.lines() {
        *text += &format!("  | {}\n", escaped(line));
    }
}
