//! `arena check`: tries a bot in every way that a tournament would, and says what is wrong with it and how to mend it.

mod diagnosis;
mod games;
mod language;
mod leave;
mod play;
mod probe;
mod report;
mod start;
mod timing;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::time::Duration;

use arena_engine::game::{Game, Vocabulary};
use arena_engine::games::{self as all_games, Visitor};
use arena_protocol::message::Ready;
use arena_tournament::entrant::{Bot, Entrant, Program};
use arena_tournament::spec::Limits;

use self::games::{Trial, Tried};
use self::language::Language;
use self::probe::Probe;
use self::report::{Form, Mark, Report};
use self::timing::Times;
use crate::cli::{self, Check};
use crate::commands::wrong_use;
use crate::runner::{Logs, Startup, worker};
use crate::sandbox::Sandbox;
use crate::spec::diagnostic::UsageError;
use crate::spec::entrants::of_words;
use crate::spec::read::{self, Flags};
use crate::status::status;
use crate::tournament::sandbox;

/// What is tried, and with what.
pub struct Plan {
    program: Program,
    limits: Limits,
    sandbox: Sandbox,
    language: Language,
    start: Duration,
    per_move: Duration,
    /// The games that were args for; those of the bot if none.
    games: Vec<String>,
    seats: Option<usize>,
    matches: u64,
}

/// Tries the bot and prints what was found.
pub fn run(args: &Check) -> anyhow::Result<ExitCode> {
    let plan = plan(args)?;
    let report = Report::new(if args.json { Form::Json } else { Form::Words });
    let worst = worker::runtime()?.block_on(plan.steps(report))?;
    Ok(if worst < Mark::Failed { ExitCode::SUCCESS } else { ExitCode::from(cli::FAILURE) })
}

fn plan(args: &Check) -> anyhow::Result<Plan> {
    let wanted: Vec<&str> = match &args.games[..] {
        [] => all_games::NAMES.to_vec(),
        some => some.iter().map(String::as_str).collect(),
    };
    let mut fits = false;
    for game in wanted {
        let seats = all_games::visit(game, Seats).ok_or_else(|| {
            UsageError::one(format!("there is no game {game:?}; there is {}", all_games::NAMES.join(", ")))
        })?;
        fits |= args.seats.is_none_or(|wanted| seats.contains(&wanted));
    }
    if let (false, Some(seats)) = (fits, args.seats) {
        return wrong_use(format!("--seats {seats}: none of these games is for that many"));
    }
    // What flushes for a bot here, without its doing, will not be there elsewhere.
    let env = BTreeMap::from([("PYTHONUNBUFFERED".to_owned(), String::new())]);
    let command = args.command.clone();
    let program = Program { env, ..of_words(command, std::env::current_dir()?) };
    let mut spec = read::table(&Flags { values: args.keys.values.clone(), no_clock: false })?;
    spec.bots = vec![Entrant::new("the bot", Bot::Program(program.clone()))];
    let sandbox = sandbox::for_programs(&spec, &[])?;
    if let Some(line) = sandbox.describe().filter(|_| sandbox.is_degraded()) {
        status(line);
    }
    Ok(Plan {
        language: Language::of(&program.command),
        program,
        limits: spec.conditions.limits,
        sandbox,
        start: Duration::from_millis(args.start_ms),
        per_move: Duration::from_millis(args.move_ms),
        games: args.games.clone(),
        seats: args.seats,
        matches: args.matches_each,
    })
}

/// The numbers of seats that a game is for.
struct Seats;

impl Visitor for Seats {
    type Out = Vec<usize>;

    fn visit<G: Game>(self) -> Self::Out {
        G::SEATS.collect()
    }
}

impl Plan {
    /// Starts the bot's program, as in a tournament.
    async fn start<Action: Vocabulary>(&self) -> anyhow::Result<Probe<Action>> {
        let Self { program, limits, sandbox, .. } = self;
        let startup = Startup { name: "the bot", program, limits: *limits, sandbox, logs: Logs::default() };
        Ok(Probe::start(&startup).await?)
    }

    /// Starts the bot once more; none if it is not ready again.
    async fn start_again<Action: Vocabulary>(&self) -> anyhow::Result<Option<Probe<Action>>> {
        let probe = self.start().await?;
        if probe.greet(self.start).await.is_ok() {
            return Ok(Some(probe));
        }
        probe.end().await;
        Ok(None)
    }

    /// All steps, in order; the worst of what was found.
    async fn steps(&self, mut report: Report) -> anyhow::Result<Mark> {
        let Some(ready) = start::steps(self, &mut report).await? else {
            return Ok(report.close(&[], Some("nothing else could be tried: mend this first"))?);
        };
        let (mut times, mut untried) = (Times::default(), Vec::new());
        for game in self.games_of(&ready) {
            let trial = Trial { plan: self, ready: &ready, report: &mut report, times: &mut times };
            if let Some(steps) = all_games::visit(&game, trial)
                && steps.await? == Tried::InPart
            {
                untried.push(game);
            }
        }
        leave::steps(self, &mut report).await?;
        let timings = timing::step(self, &times, &mut report)?;
        let untried =
            (!untried.is_empty()).then(|| format!("other steps of {} wait until that is mended", untried.join(", ")));
        Ok(report.close(&timings, untried.as_deref())?)
    }

    /// The games to be tried: those that were args for, or those that the bot says it plays.
    fn games_of(&self, ready: &Ready) -> Vec<String> {
        let all = || all_games::NAMES.iter().map(|name| (*name).to_owned()).collect();
        let offered = || ready.games.clone().unwrap_or_else(all);
        let mut games = if self.games.is_empty() { offered() } else { self.games.clone() };
        let mut seen = BTreeSet::new();
        games.retain(|game| all_games::NAMES.contains(&game.as_str()) && seen.insert(game.clone()));
        games
    }
}
