//! `arena check`: tries a bot, or all of a tournament file, in every way that a tournament would, and says what is wrong with it and how to mend it.

mod diagnosis;
mod games;
mod language;
mod leave;
mod play;
mod probe;
mod report;
mod start;
mod timing;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::games as all_games;
use arena_protocol::message::Ready;
use arena_results::json;
use arena_tournament::entrant::{Bot, Entrant, Program};
use arena_tournament::printable::clean;
use arena_tournament::spec::{Limits, Spec};
use serde_json::Value;

use self::games::{Trial, Tried};
use self::language::Language;
use self::probe::Probe;
pub use self::report::Checked;
use self::report::{CheckedBot, Form, Report};
use self::timing::Times;
use crate::cli::{self, Check};
use crate::commands::{print, wrong_use};
use arena_config::diagnostic::UsageError;
use arena_config::read::{self, Flags};
use arena_runner::status::status;
use arena_runner::{Logs, Startup, worker};
use arena_sandbox::Sandbox;
use arena_session::sandbox;

/// The limit of a move where the clock has none.
const ENDLESS: Duration = Duration::from_secs(3_600);

/// A bot, what is tried of it, and with what.
pub struct Plan {
    bot: String,
    program: Program,
    limits: Limits,
    sandbox: Sandbox,
    language: Language,
    start: Duration,
    per_move: Duration,
    /// The games that were asked for; those of the bot if none.
    games: Vec<String>,
    seats: Option<usize>,
    /// The rules, if there is only one game; those of each game by default if none.
    rules: Option<Value>,
    matches: u64,
}

/// Tries the bots and prints what was found.
pub fn run(args: &Check) -> anyhow::Result<ExitCode> {
    let form = if args.json { Form::Json } else { Form::Words };
    let spec = spec(args)?;
    let mut bots = Vec::new();
    for entrant in spec.bots.iter().filter(|entrant| entrant.is_program()) {
        let plan = Plan::new(args, &spec, entrant)?;
        if form == Form::Words && args.file().is_some() {
            println(&format!("{}: {}\n", clean(&entrant.name), clean(&entrant.bot.to_string())))?;
        }
        bots.push(worker::runtime()?.block_on(plan.steps(Report::new(form, &plan.bot)))?);
        if form == Form::Words && args.file().is_some() {
            println("")?;
        }
    }
    let checked = Checked { passed: bots.iter().all(|bot| bot.passed), bots };
    let text = match form {
        Form::Json => json::document(&checked)?,
        Form::Words if args.file().is_some() => summary(&spec, &checked),
        Form::Words => String::new(),
    };
    let printed = print(&text)?;
    Ok(if checked.passed { printed } else { ExitCode::from(cli::FAILURE) })
}

fn println(line: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{line}")
}

/// A line for each bot of the file.
fn summary(spec: &Spec, checked: &Checked) -> String {
    let longest = spec.bots.iter().map(|entrant| clean(&entrant.name).chars().count()).max().unwrap_or_default();
    let line = |entrant: &Entrant| {
        let found = checked.bots.iter().find(|bot| bot.bot == entrant.name);
        let found = found.map_or_else(|| "built in: nothing to check".to_owned(), CheckedBot::summary);
        format!("{:<longest$}  {found}\n", clean(&entrant.name))
    };
    spec.bots.iter().map(line).collect()
}

/// The tournament of the file, or one of the program alone.
fn spec(args: &Check) -> anyhow::Result<Spec> {
    check_games(args)?;
    let flags = Flags { values: args.keys.values.clone(), no_clock: false };
    let Some(file) = args.file() else {
        let name = shlex::try_join(args.command.iter().map(String::as_str)).unwrap_or_default();
        return Ok(read::program(&name, &args.command, &flags)?);
    };
    if let Some(flag) = flags.values.iter().find(|flag| flag.path.starts_with(read::BOT)) {
        let shown = file.display();
        return wrong_use(format!("{}: {shown} says that for each of its bots; leave it out", flag.text));
    }
    Ok(read::of_file(file, &flags)?)
}

/// Refuses games that there are not, and numbers of seats that none of them has.
fn check_games(args: &Check) -> anyhow::Result<()> {
    let wanted: Vec<&str> = match &args.games[..] {
        [] => all_games::NAMES.to_vec(),
        some => some.iter().map(String::as_str).collect(),
    };
    let mut fits = false;
    for game in wanted {
        let seats = by_name!(game, G => G::SEATS).ok_or_else(|| {
            UsageError::one(format!("there is no game {game:?}; there is {}", all_games::NAMES.join(", ")))
        })?;
        fits |= args.seats.is_none_or(|wanted| seats.contains(&wanted));
    }
    match args.seats {
        Some(seats) if !fits => wrong_use(format!("--seats {seats}: none of these games is for that many")),
        _ => Ok(()),
    }
}

impl Check {
    /// The tournament file, if it is one whose bots are to be tried.
    fn file(&self) -> Option<&Path> {
        match self.command.as_slice() {
            [file] if file.ends_with(".toml") => Some(Path::new(file)),
            _ => None,
        }
    }
}

impl Plan {
    fn new(args: &Check, spec: &Spec, entrant: &Entrant) -> anyhow::Result<Self> {
        let alone = Spec { bots: vec![entrant.clone()], ..spec.clone() };
        let sandbox = sandbox::for_programs(&alone, &[])?;
        if let Some(line) = sandbox.describe().filter(|_| sandbox.is_degraded()) {
            status(line);
        }
        let Bot::Program(mut program) = entrant.bot.clone() else { anyhow::bail!("{} is built in", entrant.name) };
        // What flushes for a bot here, without its doing, will not be there elsewhere.
        program.env.entry("PYTHONUNBUFFERED".to_owned()).or_default();
        let (plan, clock) = (&spec.plan, spec.conditions.clock);
        let of_file = args.file().is_some() && args.games.is_empty();
        Ok(Self {
            bot: entrant.name.clone(),
            language: Language::of(&program.command),
            program,
            limits: spec.conditions.limits,
            sandbox,
            start: Duration::from_millis(clock.start_ms),
            per_move: clock.move_ms.or(clock.bank_ms).map_or(ENDLESS, Duration::from_millis),
            games: if of_file { vec![plan.game.clone()] } else { args.games.clone() },
            seats: args.seats.or(of_file.then_some(plan.seats)),
            rules: of_file.then(|| plan.rules.clone()),
            matches: args.matches_each,
        })
    }

    /// The rules by which a game is played.
    fn rules<G: Game>(&self) -> G::Rules {
        let given = self.rules.as_ref().and_then(|rules| serde_json::from_value(rules.clone()).ok());
        given.unwrap_or_default()
    }

    /// Starts the bot's program, as in a tournament.
    async fn start(&self) -> anyhow::Result<Probe> {
        let Self { program, limits, sandbox, .. } = self;
        let startup = Startup { name: "the bot", program, limits: *limits, sandbox, logs: Logs::default() };
        Ok(Probe::start(&startup).await?)
    }

    /// Starts the bot once more; none if it is not ready again.
    async fn start_again(&self) -> anyhow::Result<Option<Probe>> {
        let probe = self.start().await?;
        if probe.greet(self.start).await.is_ok() {
            return Ok(Some(probe));
        }
        probe.end().await;
        Ok(None)
    }

    /// All steps, in order.
    async fn steps(&self, mut report: Report) -> anyhow::Result<CheckedBot> {
        let Some(ready) = start::steps(self, &mut report).await? else {
            return Ok(report.close(Vec::new(), Some("nothing else could be tried: mend this first".into()))?);
        };
        let (mut times, mut untried) = (Times::default(), Vec::new());
        for game in self.games_of(&ready) {
            let mut trial = Trial { plan: self, ready: &ready, report: &mut report, times: &mut times };
            if by_name!(game, G => Box::pin(trial.steps::<G>()).await?) == Some(Tried::InPart) {
                untried.push(game);
            }
        }
        leave::steps(self, &mut report).await?;
        let timings = timing::step(self, &times, &mut report)?;
        let untried =
            (!untried.is_empty()).then(|| format!("other steps of {} wait until that is mended", untried.join(", ")));
        Ok(report.close(timings, untried)?)
    }

    /// The games to be tried: those that were asked for, or those that the bot says it plays.
    fn games_of(&self, ready: &Ready) -> Vec<String> {
        let all = || all_games::NAMES.iter().map(|name| (*name).to_owned()).collect();
        let offered = || ready.games.clone().unwrap_or_else(all);
        let mut games = if self.games.is_empty() { offered() } else { self.games.clone() };
        let mut seen = BTreeSet::new();
        games.retain(|game| all_games::all().any(|known| known == game) && seen.insert(game.clone()));
        games
    }
}
