//! `arena repro`: sends a program what a bot was sent in a finished match, and shows where it acts otherwise.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_engine::record::Reply;
use arena_engine::seat::Seat;
use arena_results::faults::{Json, escaped, paragraph};
use arena_results::ledger::Ledger;
use arena_results::played::Played;
use arena_tournament::entrant::{Bot, Program};
use serde_json::{Value, json};

use crate::cli::{self, Repro};
use crate::runner::Stop;
use crate::runner::again::{Again, Step, Trial, again};
use crate::setup::{BadSetup, Setup};
use crate::spec::entrants::of_words;
use crate::spec::read;
use crate::spec::write::to_toml;
use crate::tournament::{folder, sandbox};

/// The milliseconds until a program must be ready: as good as for ever.
const PATIENCE: u64 = 86_400_000;
/// How many turns that differ are shown one by one.
const SHOWN: usize = 10;
/// How many lines of the terminal a prompt may fill.
const PROMPT: usize = 3;

/// Tries a seat of a match again.
pub fn run(asked: &Repro) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&asked.dir)?;
    let (played, until) = find(&ledger, &asked.place)?;
    let seat = seat(asked, &played)?;
    let (game, name) = (&ledger.spec().plan.game, &played.bots[seat.index()]);
    let file = to_toml(ledger.spec())?;
    let mut spec = read::with_one_bot(&file, &asked.dir.join(folder::FILE), name, asked.bot.as_deref())?;
    spec.conditions.clock.start_ms = PATIENCE;
    let program = program(&spec.bots[0].bot)?;
    spec.bots[0].bot = Bot::Program(program.clone());
    let setup = Setup::from(&spec);
    let sandbox = sandbox::for_programs(&spec, &[&std::path::absolute(&asked.dir)?])?;
    let stop = stop_on_ctrl_c()?;
    let trial =
        Trial { played: &played, seat, until, setup: &setup, sandbox: &sandbox, program: &program, stop: &stop };
    let done = games::visit(game, Try(&trial)).with_context(|| format!("this program does not know {game:?}"))??;
    let Some(done) = done else { return Ok(ExitCode::from(cli::INTERRUPTED)) };
    let text = if asked.json { as_json(&trial, &done)? } else { in_words(&trial, &done) };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(if done.is_faithful() { ExitCode::SUCCESS } else { ExitCode::from(cli::FAILURE) })
}

struct Try<'a>(&'a Trial<'a>);

impl Visitor for Try<'_> {
    type Out = anyhow::Result<Option<Again>>;

    fn visit<G: Game>(self) -> Self::Out {
        again::<G>(self.0)
    }
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
    Err(BadSetup::one(format!(
        "no match {place:?} is finished; matches are called like d1/{like}, the turn follows after a colon"
    ))
    .into())
}

/// The seat that is asked for, or the only one that failed.
fn seat(asked: &Repro, played: &Played) -> Result<Seat, BadSetup> {
    let seats = played.bots.len();
    let failed: Vec<Seat> =
        played.verdict.faults.seats().filter(|(_, fault)| fault.is_some()).map(|(seat, _)| seat).collect();
    match (asked.seat, failed.as_slice()) {
        (Some(seat), _) if usize::from(seat) < seats => Ok(Seat(seat)),
        (Some(seat), _) => Err(BadSetup::one(format!("there is no seat {seat}, the last is {}", seats - 1))),
        (None, [only]) => Ok(*only),
        (None, _) => {
            let who = played.bots.iter().enumerate().map(|(seat, bot)| format!("{seat} ({bot})"));
            let who = who.collect::<Vec<_>>().join(", ");
            let why = if failed.is_empty() { "nobody" } else { "more than one seat" };
            Err(BadSetup::one(format!("{why} failed in match {}; name one with --seat: {who}", played.id())))
        }
    }
}

/// What is started for a bot; one of ours is started as a program.
fn program(bot: &Bot) -> anyhow::Result<Program> {
    let name = match bot {
        Bot::Builtin(name) => name,
        Bot::Program(program) => return Ok(program.clone()),
    };
    let myself = std::env::current_exe()?.to_str().context("the path of the program is not UTF-8")?.to_owned();
    let command = vec![myself, "bot".into(), name.clone()];
    Ok(of_words(command, std::env::current_dir()?))
}

fn stop_on_ctrl_c() -> anyhow::Result<Arc<Stop>> {
    let stop = Arc::new(Stop::default());
    let shared = Arc::clone(&stop);
    ctrlc::set_handler(move || shared.stop()).context("cannot watch for Ctrl-C")?;
    Ok(stop)
}

fn as_json(trial: &Trial<'_>, done: &Again) -> serde_json::Result<String> {
    let plays = trial.setup.bots[0].plays.to_string();
    let agree = agreeing(done);
    let mut all = json!({
        "match": trial.played.id(), "seat": trial.seat, "bot": trial.setup.bots[0].name, "plays": plays,
        "agree": agree, "faithful": done.is_faithful(),
    });
    if let (Value::Object(all), Value::Object(done)) = (&mut all, serde_json::to_value(done)?) {
        all.extend(done);
    }
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}

fn agreeing(done: &Again) -> usize {
    done.steps.iter().filter(|step| step.agrees == Some(true)).count()
}

fn in_words(trial: &Trial<'_>, done: &Again) -> String {
    let Trial { played, seat, setup, .. } = trial;
    let bot = &setup.bots[0];
    let mut said = format!(
        "match {}, seat {seat}, {}: {}\n",
        escaped(&played.id()),
        escaped(&bot.name),
        escaped(&bot.plays.to_string())
    );
    let telling: Vec<&Step> = done.steps.iter().filter(|step| step.agrees != Some(true)).collect();
    for step in telling.iter().take(SHOWN) {
        tell(&mut said, step);
    }
    if telling.len() > SHOWN {
        said += &format!("\n{} more turns like these: --json\n", telling.len() - SHOWN);
    }
    said.push('\n');
    said += &sum(done);
    if done.fails() {
        failed(&mut said, done);
    }
    said
}

/// One turn, then and now.
fn tell(said: &mut String, step: &Step) {
    *said += &format!("\nturn {}\n", step.turn);
    paragraph(said, "asked", &escaped(&step.prompt.to_string()), PROMPT);
    paragraph(said, "then", &escaped(&reply(&step.recorded)), usize::MAX);
    let legal = match (&step.now, &step.illegal) {
        (Reply::Act(_), None) => ", which is legal".into(),
        (_, Some(why)) => format!(", which is illegal: {why}"),
        _ => String::new(),
    };
    paragraph(said, "now", &escaped(&(reply(&step.now) + &legal)), usize::MAX);
}

fn reply(reply: &Reply<Json>) -> String {
    match reply {
        Reply::Act(action) => action.to_string(),
        Reply::Late => "no answer in time".into(),
        Reply::Failed(fault) => format!("failed ({}): {}", fault.cause, fault.detail),
    }
}

/// How many turns agree.
fn sum(done: &Again) -> String {
    let (agree, turns) = (agreeing(done), done.turns);
    let unrecorded = done.steps.iter().filter(|step| step.agrees.is_none()).count();
    let first = done.steps.iter().find(|step| step.agrees == Some(false));
    let mut said = match first {
        Some(step) => format!("{agree} of {turns} turns agree, the first that differs is turn {}", step.turn),
        None => format!("{agree} of {turns} turns agree, none differs"),
    };
    if unrecorded > 0 {
        said += &format!("; {unrecorded} without a recorded action");
    }
    let unasked = turns - done.steps.len();
    if unasked > 0 {
        said += &format!("; {unasked} not asked any more");
    }
    said + "\n"
}

/// How the program failed, with the end of its log.
fn failed(said: &mut String, done: &Again) {
    let detail = match (&done.ended, done.steps.iter().rfind(|step| step.fails())) {
        (Some(fault), _) => format!("the program failed ({}): {}", fault.cause, fault.detail),
        (None, Some(Step { turn, illegal: Some(why), .. })) => format!("the action of turn {turn} is illegal: {why}"),
        (None, Some(Step { turn, now, .. })) => format!("the program {} at turn {turn}", reply(now)),
        (None, None) => return,
    };
    *said += &format!("{}\n", escaped(&detail));
    for line in done.log.lines() {
        *said += &format!("  | {}\n", escaped(line));
    }
}
