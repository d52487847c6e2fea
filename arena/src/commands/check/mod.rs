//! `arena check`: tests a bot, or every program of a tournament file, in all the ways a tournament would, and prints each problem with its
//! fix.

mod diagnosis;
mod games;
mod grade;
mod language;
mod play;
mod probe;
mod referee;
mod report;
mod steps;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use arena_engine::table::{self, Entry};
use arena_protocol::message::Ready;
use arena_results::json;
use arena_tournament::entrant::{Bot, Program};
use arena_tournament::printable::clean;
use arena_tournament::spec::{LeftOut, Local, Spec};
use serde_json::{Value, json};

use self::probe::Probe;
pub use self::report::Checked;
use self::report::{CheckedBot, Steps};
use crate::cli::{self, Check};
use crate::commands::{print, wrong_use};
use arena_config::FlagValue;
use arena_config::diagnostic::UsageError;
use arena_config::read::{self, Flags};
use arena_results::faults::help::Idioms;
use arena_runner::status::status;
use arena_runner::{Logs, Startup, worker};
use arena_sandbox::Sandbox;
use arena_session::open::without_broken;
use arena_session::{known_seed, sandbox, seed};

/// Time limit for a move if the clock has none.
const UNLIMITED_MOVE_TIME: Duration = Duration::from_secs(3_600);

/// A bot under check, with the results so far.
pub struct BotCheck<'a> {
    bot: &'a str,
    args: &'a Check,
    spec: &'a Spec,
    program: Program,
    sandbox: &'a Sandbox,
    idioms: Idioms,
    start: Duration,
    per_move: Duration,
    /// Games to play; if empty, those that the bot offers.
    games: Vec<String>,
    seats: Option<usize>,
    /// Rules of the file; `None` for the default rules of each game.
    rules: Option<&'a Value>,
    /// Names of the files that the bot wrote.
    written: RefCell<BTreeSet<String>>,
    report: Steps,
}

/// Checks the bots and prints the results.
pub fn run(args: &Check) -> anyhow::Result<ExitCode> {
    if args.command.is_empty() {
        return run_game(args);
    }
    let spec = spec(args)?;
    grade::check(args, &spec)?;
    let local = Local {
        jobs: 1,
        ..spec.local.clone()
    };
    let mut spec = Spec { local, ..spec };
    if args.file().is_some() {
        spec = without_broken(&spec, false)?;
    }
    let sandbox = sandbox::for_programs(&spec, &[])?;
    sandbox::announce(&spec, &sandbox, false);
    if args.beats.is_some() {
        seed::drawn(&spec)
            .into_iter()
            .chain(known_seed::warnings(&spec, &sandbox, None))
            .for_each(status);
    }
    let (mut bots, in_words) = (Vec::new(), args.file().is_some() && !args.json);
    for entrant in &spec.bots {
        let Bot::Program(program) = &entrant.bot else {
            continue;
        };
        if in_words {
            print(&format!(
                "{}: {}\n\n",
                clean(&entrant.name),
                clean(&entrant.bot.to_string())
            ))?;
        }
        let check = BotCheck::new(args, &spec, &entrant.name, program, &sandbox);
        bots.push(worker::runtime()?.block_on(check.steps())?);
        if in_words {
            print("\n")?;
        }
    }
    for LeftOut { name, why, is_gone } in &spec.left_out {
        if *is_gone {
            continue;
        }
        if in_words {
            print(&format!("{}\n\n", clean(name)))?;
        }
        bots.push(steps::left_out(args, name, why)?);
    }
    let checked = Checked {
        passed: bots.iter().all(|bot| bot.passed),
        bots,
    };
    for absent in spec.left_out.iter().filter(|bot| bot.is_gone) {
        status(format_args!("left out   {absent}"));
    }
    if args.json {
        print(&json::document(&checked)?)?;
    } else if in_words {
        print(&summary(&spec, &checked))?;
    }
    let is_unproven = checked
        .bots
        .iter()
        .filter_map(|bot| bot.grade.as_ref())
        .any(|grade| !grade.proven);
    let passed = if is_unproven {
        ExitCode::from(cli::UNPROVEN)
    } else {
        ExitCode::SUCCESS
    };
    Ok(if checked.passed {
        passed
    } else {
        ExitCode::from(cli::FAILURE)
    })
}

/// Checks a game that is a program.
fn run_game(args: &Check) -> anyhow::Result<ExitCode> {
    let [game] = args.games.as_slice() else {
        return wrong_use("name one game to check: arena check --game ./my-game");
    };
    if !table::is_loaded(game) {
        return wrong_use(format!(
            "name a bot to check in {game}: arena check --game {game} python3 my_bot.py"
        ));
    }
    check_games(args)?;
    let checked = referee::check(args, game, &json!({}))?;
    let passed = checked.passed;
    if args.json {
        let bots = vec![checked];
        print(&json::document(&Checked { passed, bots })?)?;
    }
    Ok(if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(cli::FAILURE)
    })
}

/// Formats one line per bot of the file.
fn summary(spec: &Spec, checked: &Checked) -> String {
    let names = || {
        let broken = spec.left_out.iter().filter(|bot| !bot.is_gone);
        let bots = spec.bots.iter().map(|bot| &bot.name);
        bots.chain(broken.map(|bot| &bot.name))
    };
    let longest = names()
        .map(|name| clean(name).chars().count())
        .max()
        .unwrap_or_default();
    let line = |name: &String| {
        let found = checked.bots.iter().find(|bot| bot.bot == *name);
        let found = found.map_or_else(
            || "built in: nothing to check".to_owned(),
            CheckedBot::summary,
        );
        format!("{:<longest$}  {found}\n", clean(name))
    };
    names().map(line).collect()
}

/// Returns the tournament of the file, or one with only the given program.
fn spec(args: &Check) -> anyhow::Result<Spec> {
    check_games(args)?;
    let flags = &args.keys.0;
    let Some(file) = args.file() else {
        let name = shlex::try_join(args.command.iter().map(String::as_str)).unwrap_or_default();
        let game = args.games.first();
        let game = game.map(|game| FlagValue::new("game", game.as_str(), game));
        let values = flags.values.iter().cloned().chain(game).collect();
        return Ok(read::program(
            &name,
            &args.command,
            &Flags { values, ..*flags },
        )?);
    };
    if let Some(flag) = flags
        .values
        .iter()
        .find(|flag| flag.path.starts_with(read::BOT))
    {
        return wrong_use(format!(
            "{}: {} sets that for each bot; leave it out",
            flag.text,
            file.display()
        ));
    }
    // A problem with one bot must not keep the others from being checked.
    let keep_going = FlagValue::new("keep_going", true, "--keep-going");
    let values = flags.values.iter().cloned().chain([keep_going]).collect();
    Ok(read::of_file(file, &Flags { values, ..*flags })?)
}

/// Refuses unknown games, and numbers of seats that none of the games has.
fn check_games(args: &Check) -> anyhow::Result<()> {
    let mut fits = args.seats.is_none();
    let all = || {
        table::names()
            .iter()
            .map(|name| (*name).to_owned())
            .collect()
    };
    for game in if args.games.is_empty() {
        all()
    } else {
        args.games.clone()
    } {
        let found = table::find(&game).ok_or_else(|| {
            UsageError::one(format!(
                "there is no game {game:?}; the games are {}",
                table::names().join(", ")
            ))
        })?;
        fits |= args
            .seats
            .is_some_and(|wanted| found.seats.contains(&wanted));
    }
    match args.seats {
        Some(seats) if !fits => wrong_use(format!(
            "--seats {seats}: none of these games has that many"
        )),
        _ => Ok(()),
    }
}

impl Check {
    /// Returns the tournament file, if given.
    fn file(&self) -> Option<&Path> {
        match self.command.as_slice() {
            [file] if file.ends_with(".toml") => Some(Path::new(file)),
            _ => None,
        }
    }
}

impl<'a> BotCheck<'a> {
    fn new(
        args: &'a Check,
        spec: &'a Spec,
        bot: &'a str,
        program: &Program,
        sandbox: &'a Sandbox,
    ) -> Self {
        let mut program = program.clone();
        // Make a bot that forgets to flush its output fail here, as it would on other machines.
        program
            .env
            .entry("PYTHONUNBUFFERED".to_owned())
            .or_default();
        let (plan, number) = (
            &spec.plan,
            spec.bots.iter().position(|entrant| entrant.name == bot),
        );
        let clock = number.map_or(spec.conditions.clock, |number| spec.clock(number));
        let of_file = args.file().is_some() && args.games.is_empty();
        Self {
            bot,
            args,
            spec,
            idioms: language::idioms(&program.command),
            program,
            sandbox,
            start: Duration::from_millis(clock.start_ms),
            per_move: clock
                .move_ms
                .or(clock.bank_ms)
                .map_or(UNLIMITED_MOVE_TIME, Duration::from_millis),
            games: if of_file {
                vec![plan.game.clone()]
            } else {
                args.games.clone()
            },
            seats: args.seats.or(of_file.then_some(plan.seats)),
            rules: of_file.then_some(&plan.rules),
            written: RefCell::default(),
            report: Steps::new(args),
        }
    }

    /// Returns the rules for a game's matches: those of the file, or the default ones.
    fn rules(&self) -> Value {
        self.rules.cloned().unwrap_or_else(|| json!({}))
    }

    /// Starts the bot's program, as in a tournament.
    async fn start(&self) -> anyhow::Result<Probe> {
        let Self {
            program, sandbox, ..
        } = self;
        let limits = self.spec.conditions.limits;
        let startup = Startup {
            name: self.bot,
            program,
            limits,
            sandbox,
            logs: Logs::default(),
        };
        Ok(Probe::start(&startup).await?)
    }

    /// Starts the bot again; `None` if it does not become ready this time.
    async fn start_again(&self) -> anyhow::Result<Option<Probe>> {
        let probe = self.start().await?;
        if probe.greet(self.start).await.is_ok() {
            return Ok(Some(probe));
        }
        probe.end().await;
        Ok(None)
    }

    /// Runs all steps, in order.
    async fn steps(self) -> anyhow::Result<CheckedBot> {
        let Some(ready) = self.start_steps().await? else {
            return self
                .report
                .close(self.bot, "bot", Vec::new(), Some(steps::FIRST.into()));
        };
        let (mut timings, mut untried) = (Vec::new(), Vec::new());
        for game in self.games_of(&ready) {
            let mut times = Vec::new();
            if !self.game_steps(game, &ready, &mut times).await? {
                untried.push(game.name);
            }
            timings.extend(steps::timing(game.name, &times, self.per_move));
        }
        self.leave_steps().await?;
        self.timing_step(&timings)?;
        self.grade()?;
        let untried = (!untried.is_empty()).then(|| {
            format!(
                "other steps of {} wait until that is fixed",
                untried.join(", ")
            )
        });
        self.report.close(self.bot, "bot", timings, untried)
    }

    /// Returns the games to play: those of the command line or, without any, those of the file. Without either, returns those that the bot
    /// offers.
    fn games_of(&self, ready: &Ready) -> Vec<&'static Entry> {
        if !self.games.is_empty() {
            let found = self.games.iter().filter_map(|name| table::find(name));
            return found.collect();
        }
        let offers = |game: &&Entry| ready.plays(game.name);
        table::games().iter().filter(offers).collect()
    }
}
