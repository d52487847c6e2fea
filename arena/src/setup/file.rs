//! The tournament file and the flags: how they are read, together, into a setup.

use std::path::Path;
use std::time::Duration;

use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_results::compare::{self, Test};
use clap::ValueEnum;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::bots::{self, Draft, read_plays};
use super::keys::{Given, Keys, MOST, flag, quoted};
use super::nearest::instead;
use super::plan::Plan;
use super::problem::{At, Problem, Source};
use super::rules::{self, CheckRules};
use super::{BadSetup, Bank, Bot, Clock, Setup};
use crate::cli::{self, Asked, Changes};
use crate::cores;
use crate::format::Format;
use crate::sandbox::Limits;

/// How long an answer may take, if nothing else is said.
pub const MOVE_MS: u64 = 2_000;
/// How long a program may take until it is ready, if nothing else is said.
pub const START_MS: u64 = 10_000;
/// How many deals are played, if nothing else is said.
pub const DEALS: u32 = 100;
/// How many seats a table has, if nothing else is said.
pub const SEATS: usize = 2;

/// What a setup is for.
#[derive(Clone, Copy)]
enum Purpose<'a> {
    /// A tournament, with what its command says beside the changes.
    Tournament(&'a Asked),
    /// One table for all bots of the flags.
    Table,
    /// The one bot of the file with this name, if any, whether or not the others can be started here.
    OneBot(Option<&'a str>),
}

/// The tournament that `arena run` is asked for: of a file and the flags, or of the flags alone. Without a file and bots
/// it has no bots, and is a round-robin.
pub fn tournament(asked: &Asked) -> Result<Setup, BadSetup> {
    match &asked.file {
        Some(path) => of_file(path, &asked.change, Purpose::Tournament(asked)),
        None => of_text(None, &asked.change, &here()?, Purpose::Tournament(asked)),
    }
}

/// The tournament of a text, as its ledger has it, and the flags; the path is what the text is called.
pub fn of_ledger(text: &str, path: &Path, asked: &Asked) -> Result<Setup, BadSetup> {
    of_kept(text, path, &asked.change, Purpose::Tournament(asked))
}

/// The tournament of a text, as if it lay in that folder.
#[cfg(test)]
pub fn of_string(text: &str, dir: &Path) -> Result<Setup, BadSetup> {
    let asked = Asked { file: Some("t.toml".into()), ..Asked::default() };
    let source = Source { path: "t.toml".into(), text: text.to_owned() };
    of_text(Some(source), &asked.change, dir, Purpose::Tournament(&asked))
}

/// Builds a setup from flags alone.
pub fn from_flags(change: &Changes) -> Result<Setup, BadSetup> {
    of_text(None, change, &here()?, Purpose::Table)
}

/// A tournament of this format and these flags that is yet to be written down, with the bots of the flags alone.
pub fn to_begin_with(format: &str, change: &Changes) -> Result<Setup, BadSetup> {
    let (plan, mut wrong) = Plan::of_flags(&cli::Plan { format: Some(format.to_owned()), ..cli::Plan::default() });
    wrong.extend(plan.unknown());
    match from_flags(change) {
        Ok(setup) if wrong.is_empty() => Ok(setup),
        Ok(_) => Err(BadSetup::all(None, wrong)),
        Err(bad) => Err(bad.and(wrong)),
    }
}

/// The tournament of such a text with only the bot of this name, or another program in its place, whether or not the others can
/// be started here.
pub fn with_one_bot(text: &str, path: &Path, name: &str, command: Option<&str>) -> Result<Setup, BadSetup> {
    let kept = if command.is_none() { Some(name) } else { None };
    let mut setup = of_kept(text, path, &Changes::default(), Purpose::OneBot(kept))?;
    if let Some(command) = command {
        let plays = read_plays(command).map_err(|why| BadSetup::one(format!("--bot {command:?}: {why}")))?;
        let bot = Draft::of_bot(Bot::new(name, plays), At::Flag(format!("--bot {command}")));
        let mut wrong = Vec::new();
        setup.bots = bots::check(Some(&setup.game), vec![bot], &mut wrong);
        return if wrong.is_empty() { Ok(setup) } else { Err(BadSetup::all(None, wrong)) };
    }
    if setup.bots.is_empty() {
        let shown = path.display();
        return Err(BadSetup::one(format!("{shown} has no bot {name:?}; name a program with --bot")));
    }
    Ok(setup)
}

fn here() -> Result<std::path::PathBuf, BadSetup> {
    std::env::current_dir().map_err(|e| BadSetup::one(format!("the current folder cannot be used: {e}")))
}

fn of_file(path: &Path, change: &Changes, purpose: Purpose<'_>) -> Result<Setup, BadSetup> {
    let shown = path.display().to_string();
    let unread = |e: std::io::Error| BadSetup::one(format!("{shown}: {e}"));
    let text = std::fs::read_to_string(path).map_err(unread)?;
    let whole = std::path::absolute(path).map_err(unread)?;
    let dir = whole.parent().unwrap_or(Path::new("/"));
    let setup = of_text(Some(Source { path: shown.clone(), text }), change, dir, purpose)?;
    Ok(Setup { hidden: vec![path.to_path_buf()], ..setup })
}

fn of_kept(text: &str, path: &Path, change: &Changes, purpose: Purpose<'_>) -> Result<Setup, BadSetup> {
    let source = Source { path: path.display().to_string(), text: text.to_owned() };
    let dir = path.parent().unwrap_or(Path::new("."));
    let setup = of_text(Some(source), change, dir, purpose)?;
    Ok(Setup { hidden: vec![path.to_path_buf()], ..setup })
}

fn of_text(source: Option<Source>, change: &Changes, dir: &Path, purpose: Purpose<'_>) -> Result<Setup, BadSetup> {
    let text = source.as_ref().map_or("", |source| source.text.as_str());
    let (table, unreadable) = DeTable::parse_recoverable(text);
    let called = source.as_ref().and_then(|source| Path::new(&source.path).file_stem());
    let called = called.map(|stem| stem.to_string_lossy().into_owned());
    let read = if unreadable.is_empty() {
        Reading { called, ..Reading::new(table.get_ref(), change, dir, purpose) }.setup()
    } else {
        // What else is found in a file that is no TOML may be there only since it was misread.
        Err(syntax(text, &unreadable))
    };
    read.map_err(|problems| BadSetup::all(source, problems))
}

/// What is no TOML: the first problem of each line, since others may follow from it.
fn syntax(text: &str, errors: &[toml::de::Error]) -> Vec<Problem> {
    let mut told = Vec::new();
    let mut problems = Vec::new();
    for error in errors {
        let span = error.span().unwrap_or_default();
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.matches('\n').count();
        if !told.contains(&line) {
            told.push(line);
            // At the end of a line there is nothing to point at but its last character.
            let span = if before.ends_with('\n') && span.is_empty() && text.len() == span.start {
                let end = before.trim_end().len();
                end..end
            } else {
                span
            };
            let (what, cure) = error.message().split_once(", expected ").unwrap_or((error.message(), ""));
            let cure = if cure.is_empty() || cure == "nothing" { String::new() } else { format!("expected {cure}") };
            problems.push(Problem::new(&At::File(span), what, cure));
        }
    }
    problems
}

/// A setup while it is read.
struct Reading<'t> {
    keys: Keys<'t>,
    change: &'t Changes,
    dir: &'t Path,
    purpose: Purpose<'t>,
    /// What the file is called.
    called: Option<String>,
    wrong: Vec<Problem>,
}

impl<'t> Reading<'t> {
    fn new(table: &'t DeTable<'t>, change: &'t Changes, dir: &'t Path, purpose: Purpose<'t>) -> Self {
        Self { keys: Keys::new(table), change, dir, purpose, called: None, wrong: Vec::new() }
    }

    fn setup(mut self) -> Result<Setup, Vec<Problem>> {
        let named = self.keys.text("name", None);
        let game = self.game();
        let seed = self.keys.number("seed", flag("seed", self.change.seed), 0..=MOST);
        let isolation = self.change.isolation.and_then(|level| level.to_possible_value());
        let isolation =
            self.keys.word("isolation", flag("isolation", isolation.map(|level| level.get_name().to_owned())));
        let asked = if let Purpose::Tournament(run) = self.purpose { Some(run) } else { None };
        let deals = asked.and_then(|run| run.deals).map(u64::from);
        let deals = self.keys.number("deals", flag("deals", deals), 1..=u32::MAX.into());
        let jobs = self.jobs(asked);
        let oversubscribe = self.keys.truth("oversubscribe");
        let pin = self.keys.truth("pin");
        let oversubscribe = asked.is_some_and(|run| run.oversubscribe) || oversubscribe.or(false).unwrap_or(true);
        self.check_jobs(&jobs, oversubscribe);
        let seats = self.seats(game.as_deref());
        let rules = self.rules(game.as_deref(), &seats);
        let clock = self.clock();
        let limits = self.limits();
        let test = self.test();
        let plan = Plan::read(&mut self.keys, asked.map_or(&cli::Plan::default(), |run| &run.plan));
        let (bots, format) = self.bots(game.as_deref(), &seats, &plan);
        let seed = seed.or(1).and_then(|seed| Seed::try_from(seed).ok());
        let mut wrong = self.keys.finish();
        wrong.append(&mut self.wrong);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let whole = move || {
            let game = game?;
            Some(Setup {
                name: named.or(self.called.unwrap_or_else(|| game.clone()))?,
                rules: rules?,
                format: format?,
                test,
                seatings: plan.seatings.or(Default::default())?,
                deals: u32::try_from(deals.or(DEALS.into())?).ok()?,
                seats: seats.or(SEATS)?,
                seed: seed?,
                clock,
                jobs: jobs.or(cores::count())?,
                oversubscribe,
                pin: pin.or(true)? && !asked.is_some_and(|run| run.no_pin),
                isolation: isolation.or(Default::default())?,
                limits,
                hidden: Vec::new(),
                bots,
                game,
            })
        };
        // Whatever cannot be read has said so above.
        whole().ok_or_else(|| vec![Problem::new(&At::Nowhere, "this is no tournament", "")])
    }

    /// The game, if it is known.
    fn game(&mut self) -> Option<String> {
        let game = self.keys.text("game", flag("game", self.change.game.clone()));
        let at = game.at();
        let game = game.or("coda".into())?;
        if games::NAMES.contains(&game.as_str()) {
            return Some(game);
        }
        let cure = instead(&game, games::NAMES, quoted);
        self.wrong.push(Problem::new(&at, format!("there is no game {}", quoted(&game)), cure));
        None
    }

    fn jobs(&mut self, asked: Option<&Asked>) -> Given<usize> {
        let jobs = asked.and_then(|run| run.jobs).map(|jobs| jobs as u64);
        self.keys.number("jobs", flag("jobs", jobs), 1..=MOST).map(|jobs| jobs as usize)
    }

    fn check_jobs(&mut self, jobs: &Given<usize>, oversubscribe: bool) {
        let cores = cores::count();
        let Given::Told(jobs, at) = jobs else { return };
        if *jobs > cores && !oversubscribe && matches!(self.purpose, Purpose::Tournament(_)) {
            let what = format!("{jobs} jobs are more than the {cores} cores of this machine");
            let cure = "bots would take each other's time; --oversubscribe allows it";
            self.wrong.push(Problem::new(at, what, cure));
        }
    }

    /// How many seats a table has, checked against the game.
    fn seats(&mut self, game: Option<&str>) -> Given<usize> {
        let seats = self.keys.number("seats", flag("seats", self.change.seats.map(|seats| seats as u64)), 0..=MOST);
        let seats = seats.map(|seats| seats as usize);
        let Some((name, least, most)) = game.and_then(|game| games::visit(game, SeatsOf)) else { return seats };
        let at = seats.at();
        match seats.clone().or(SEATS) {
            Some(count) if !(least..=most).contains(&count) => {
                let many = if least == most { format!("{least}") } else { format!("{least} to {most}") };
                let what = format!("{name} is for {many} seats, not {count}");
                self.wrong.push(Problem::new(&at, what, format!("write {many}")));
                Given::Wrong
            }
            _ => seats,
        }
    }

    fn rules(&mut self, game: Option<&str>, seats: &Given<usize>) -> Option<serde_json::Value> {
        let table = self.keys.table("rules");
        let given = rules::read(table.told().copied(), &self.change.rules, &mut self.wrong);
        let seats = seats.clone().or(SEATS);
        match games::visit(game?, CheckRules { rules: &given, seats })? {
            Ok(rules) => Some(rules),
            Err(problems) => {
                self.wrong.extend(problems);
                None
            }
        }
    }

    /// How much time there is. `--no-clock` takes all limits away but that for the start.
    fn clock(&mut self) -> Clock {
        let empty = DeTable::new();
        let table = self.keys.table("clock");
        let mut keys = Keys::new(table.told().copied().unwrap_or(&empty));
        let start = keys.number("start_ms", None, 1..=MOST).or(START_MS).unwrap_or(START_MS);
        let start = Duration::from_millis(start);
        let per_move = keys.number("move_ms", flag("move-ms", self.change.move_ms), 0..=MOST);
        let (bank, increment) = (keys.number("bank_ms", None, 1..=MOST), keys.number("increment_ms", None, 0..=MOST));
        if bank.is_absent() && !increment.is_absent() && !self.change.no_clock {
            let cure = "add bank_ms, the milliseconds of a seat for a whole match";
            keys.blame(Problem::new(&increment.at(), "`increment_ms` needs a `bank_ms` to add to", cure));
        }
        self.wrong.extend(keys.finish());
        if self.change.no_clock {
            return Clock { per_move: None, bank: None, start };
        }
        let bank = bank.told().map(|total| Bank {
            total: Duration::from_millis(*total),
            increment: Duration::from_millis(increment.told().copied().unwrap_or_default()),
        });
        let per_move = Some(per_move.or(MOVE_MS).unwrap_or(MOVE_MS)).filter(|limit| *limit > 0);
        let per_move = per_move.map(Duration::from_millis);
        Clock { per_move, bank, start }
    }

    fn limits(&mut self) -> Limits {
        let empty = DeTable::new();
        let table = self.keys.table("limits");
        let mut keys = Keys::new(table.told().copied().unwrap_or(&empty));
        let standard = Limits::default();
        let mut limit = |key, standard| keys.number(key, None, 1..=MOST).or(standard).unwrap_or(standard);
        let limits = Limits {
            memory_mb: limit("memory_mb", standard.memory_mb),
            processes: limit("processes", standard.processes),
            file_mb: limit("file_mb", standard.file_mb),
        };
        self.wrong.extend(keys.finish());
        limits
    }

    /// What is tested, as `arena compare` writes it.
    fn test(&mut self) -> Option<Test> {
        let table = self.keys.table(compare::OPTION);
        let Given::Told(table, at) = table else { return None };
        let read = Test::deserialize(ValueDeserializer::from(Spanned::new(0..0, DeValue::Table(table.clone()))));
        let wrong = |why: toml::de::Error| {
            Problem::new(&at, format!("this test cannot be used: {}", why.message()), "let `arena compare` write it")
        };
        read.map_err(|why| self.wrong.push(wrong(why))).ok()
    }

    /// The bots, and the format that they play in.
    fn bots(&mut self, game: Option<&str>, seats: &Given<usize>, plan: &Plan) -> (Vec<Bot>, Option<Format>) {
        let tables = self.keys.tables("bots");
        let tables_are_wrong = tables.is_wrong();
        let mut flags: Vec<Draft> = self.change.bots.iter().map(|flag| bots::of_flag(flag)).collect();
        let mut drafts = Vec::new();
        for (table, at) in tables.told().into_iter().flatten() {
            let draft = bots::of_table(table, at, self.dir, plan);
            let kept = !matches!(self.purpose, Purpose::OneBot(name) if name != draft.name.as_deref());
            // A bot of the flags takes the place of the one with its name.
            match flags.iter().position(|flag| flag.name.is_some() && flag.name == draft.name) {
                Some(replacing) => drafts.push(flags.remove(replacing)),
                None if kept => drafts.push(draft),
                None => {}
            }
        }
        drafts.extend(flags);
        let format = match self.purpose {
            Purpose::Tournament(run) if run.file.is_some() || !drafts.is_empty() => {
                let count = drafts.len();
                if let Some(needed) = seats.clone().or(SEATS).filter(|seats| count < *seats && !tables_are_wrong) {
                    let what = format!("{needed} seats need at least {needed} bots, there are {count}");
                    let cure = "add a [[bots]] table for each, or --bot NAME=COMMAND";
                    self.wrong.push(Problem::new(&seats.at(), what, cure));
                }
                let names: Vec<Option<&str>> = drafts.iter().map(|draft| draft.name.as_deref()).collect();
                plan.choose(&names, seats.clone().or(SEATS), &mut self.wrong)
            }
            _ => Some(Format::default()),
        };
        (bots::check(game, drafts, &mut self.wrong), format)
    }
}

/// The name of a game, and its least and most seats.
struct SeatsOf;

impl Visitor for SeatsOf {
    type Out = (&'static str, usize, usize);

    fn visit<G: Game>(self) -> Self::Out {
        (G::NAME, *G::SEATS.start(), *G::SEATS.end())
    }
}
