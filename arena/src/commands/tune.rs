//! `arena tune`: finds better values for numbers of a bot by generations of settings, and tests them on fresh deals.
//!
//! Each generation is a tournament in a folder of its own, and so is the test. The search is a fold over their ledgers.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, ensure};
use arena_ledger::error::LedgerError;
use arena_results::{chart, json, text};
use arena_statistics::tune::report::{End, Generation, Tuning};
use arena_statistics::tune::search::{Budget, Search, scores};
use arena_tournament::difference::differences;
use arena_tournament::entrant::Entrant;
use arena_tournament::formats::Choice;
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::spec::{Plan, Spec};
use arena_tournament::tune::{placeholders, set};

use super::run::stop_after;
use super::{check_unplayed, print, shown, wrong_use};
use crate::cli::Tune;
use arena_config::read::{self, Flags};
use arena_config::seed;
use arena_runner::Stop;
use arena_runner::status::status;
use arena_session::progress::{Progress, ProgressMode};
use arena_session::session::{Machines, Session};
use arena_session::{ThisMachine, crash, folder, stopping};

/// The file of the result.
const RESULT: &str = "tuning.json";

/// A tuning that is being played.
struct Ongoing<'a> {
    spec: &'a Spec,
    dir: &'a Path,
    /// The bot that is tuned, as the file has it.
    bot: &'a Entrant,
    mode: ProgressMode,
    stop: Arc<Stop>,
    /// True once the isolation has been printed.
    is_said: Cell<bool>,
}

/// Tunes a bot, or continues.
pub fn run(args: &Tune) -> anyhow::Result<ExitCode> {
    let (spec, dir) = find(args)?;
    let Some(bot) = spec.bots.iter().find(|entrant| !placeholders(&entrant.bot).is_empty()) else {
        return wrong_use(format!("{} has no [[tune]] tables: use arena run", args.file.display()));
    };
    let (stop, mode) = (stopping::on_ctrl_c(stopping::FINISHED)?, args.progress.mode());
    if let Some(lasting) = args.lasting {
        stop_after(lasting, &stop)?;
    }
    let tuning = Ongoing { spec: &spec, dir: &dir, bot, mode, stop, is_said: Cell::default() }.tune()?;
    crash::point("before-report");
    report(&tuning, &dir, args)?;
    Ok(if tuning.end.is_some() { ExitCode::SUCCESS } else { ExitCode::from(stopping::INTERRUPTED) })
}

/// The tuning of the command line, and its folder, where it is written down.
fn find(args: &Tune) -> anyhow::Result<(Spec, PathBuf)> {
    let is_folder = args.file.is_dir();
    let dir = if is_folder { args.file.clone() } else { args.file.with_extension("") };
    let dir = std::path::absolute(args.out.as_ref().unwrap_or(&dir))?;
    let kept = dir.join(folder::FILE);
    let mut spec = read::tuning(if is_folder { &kept } else { &args.file }, &args.keys.0)?;
    if kept.exists() {
        let kept = read::tuning(&kept, &Flags::default())?;
        seed::keep(&mut spec, &kept);
        let (differ, shown) = (differences(&kept, &spec), dir.display());
        if !differ.is_empty() {
            let differ = differ.join("\n         ");
            return wrong_use(format!(
                "{shown} holds another tuning:\n         {differ}\n       `arena tune {shown}` continues it unchanged, and another --out leaves it alone"
            ));
        }
    } else {
        folder::refuse_foreign(&dir)?;
    }
    fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
    folder::write(&dir, &spec)?;
    if args.progress.mode() != ProgressMode::None {
        seed::drawn(&spec).into_iter().for_each(status);
    }
    spec.local.hidden.push(dir.clone());
    Ok((spec, dir))
}

impl Ongoing<'_> {
    /// Plays what is not played yet. Without an end if it was stopped.
    fn tune(&self) -> anyhow::Result<Tuning> {
        let (parameters, budget) = (&self.spec.tune, Budget::of(self.spec.plan.deals));
        let mut search = Search::new(parameters, self.spec.plan.seed);
        let field = self.spec.names().into_iter().filter(|name| *name != self.bot.name).collect();
        let (bot, numbers) = (self.bot.name.clone(), parameters.clone());
        let mut tuning = Tuning { bot, field, numbers, generations: Vec::new(), end: None };
        self.tell(text::tuning::budget(&budget, self.matches_per_deal()));
        for number in 1..=budget.generations {
            let settings = search.next();
            let names: Vec<String> = (1..=settings.len()).map(|setting| format!("{setting:02}")).collect();
            let Some(scores) = self.play(&format!("generation-{number:02}"), &names, &settings, budget.deals)? else {
                return Ok(tuning);
            };
            search.add(&settings, &scores);
            tuning.generations.push(Generation::new(settings, &scores, search.best.clone(), search.gain()));
            self.tell(text::tuning::generation(&tuning, budget.generations));
        }
        let both = [search.first(), search.best.clone()];
        let names = ["first", "tuned"].map(str::to_owned);
        let scores = self.play("end", &names, &both, budget.fresh)?;
        tuning.end = scores.map(|scores| End::new(both, &scores, parameters));
        Ok(tuning)
    }

    fn tell(&self, line: String) {
        if self.mode != ProgressMode::None {
            status(line);
        }
    }

    /// The scores of each of these settings, on new deals; none if they were not all played.
    fn play(
        &self,
        part: &str,
        names: &[String],
        settings: &[Vec<f64>],
        deals: u32,
    ) -> anyhow::Result<Option<Vec<Vec<f64>>>> {
        let (spec, dir) = (self.part(part, names, settings, deals), self.dir.join(part));
        let mut ledger = folder::open(&spec, &dir)?;
        let is_same = ledger.spec().bots.iter().zip(&spec.bots).all(|(kept, now)| kept.bot == now.bot);
        ensure!(
            is_same,
            "{} holds other settings than this version of arena draws: start anew with another --out",
            dir.display()
        );
        if ledger.count()? < spec.matches() && !self.stop.is_set() {
            let mode = if self.is_said.replace(true) { ProgressMode::None } else { self.mode };
            let session = Session::with(&spec, &dir, mode, Machines::This, &self.stop)?;
            let mut progress = Progress::new(self.mode, &ledger, None)?;
            let played = arena_session::play(&session, &mut ThisMachine, &mut ledger, &mut progress);
            progress.end(part);
            check_unplayed(&spec, &played?)?;
        }
        let mut all = vec![Vec::new(); settings.len()];
        ledger.deals(|deal| {
            scores(&deal, all.len()).into_iter().zip(&mut all).for_each(|(score, all)| all.push(score));
            Ok::<_, LedgerError>(())
        })?;
        Ok((ledger.count()? == spec.matches()).then_some(all))
    }

    /// The tournament in which these settings meet the field.
    fn part(&self, part: &str, names: &[String], settings: &[Vec<f64>], deals: u32) -> Spec {
        let called = |name: &String| format!("{}-{name}", self.bot.name);
        let setting = |(name, values): (_, &Vec<f64>)| set(self.bot, called(name), &self.spec.tune, values);
        let field = self.spec.bots.iter().filter(|bot| bot.name != self.bot.name).cloned();
        let bots = names.iter().zip(settings).map(setting).chain(field).collect();
        let mut spec = Spec { name: part.into(), anchor: None, tune: Vec::new(), bots, ..self.spec.clone() };
        let format = Choice::Gauntlet(Gauntlet { challengers: names.iter().map(called).collect() });
        spec.plan = Plan { format, deals, seed: spec.plan.seed.child(part, 0), ..spec.plan };
        spec.local.seed_drawn = false;
        spec
    }

    /// The number of matches that a setting plays on each deal.
    fn matches_per_deal(&self) -> u64 {
        let names = ["first".to_owned()];
        self.part("end", &names, &[Vec::new()], 1).matches()
    }
}

/// Writes what the folder holds beside its parts, and prints the result.
fn report(tuning: &Tuning, dir: &Path, args: &Tune) -> anyhow::Result<()> {
    let (written, shown) = (json::document(tuning)?, shown(dir).display());
    fs::write(dir.join(RESULT), &written)?;
    chart::tuning(dir, tuning)?;
    print(&if args.json { written } else { text::tuning::report(tuning) })?;
    status("");
    status(format_args!("chart      {shown}/tuning.svg"));
    if tuning.end.is_none() {
        status(format_args!("continue   arena tune {shown}"));
    }
    status(format_args!(
        "matches    arena show {shown}/{}",
        if tuning.end.is_some() { "end" } else { "generation-01" }
    ));
    Ok(())
}
