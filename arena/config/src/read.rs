//! Reads a tournament from its file and the flags together, collecting all problems.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use arena_engine::table;
use arena_sandbox::{cores, requests};
use arena_tournament::clock::TimeControl;
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::formats::{self, Choice, Listed, Options};
use arena_tournament::spec::{Conditions, DEALS, LeftOut, Local, Plan, SEATS, Spec};
use arena_tournament::suggest::{self, quoted};
use arena_tournament::tune;

use super::diagnostic::{At, Source, UsageError};
use super::entrants::{self, Numbered, PEOPLE_HELP};
use super::file::File;
pub use super::flags::{BOT, Flags, SEED_FILE};
use super::reader::Reader;
use super::{FlagValue, class, rules};
use crate::{files, jobs, seed};

/// Help for a file that requests less than the default protection.
pub const TRUST_HELP: &str = "if you trust whoever wrote this file, add --trust";

/// Reads a tournament from a file and flags.
pub fn of_file(path: &Path, flags: &Flags) -> Result<Spec, UsageError> {
    let spec = tuning(path, flags)?;
    if spec.tune.is_empty() {
        return Ok(spec);
    }
    let shown = path.display();
    Err(UsageError::one(format!(
        "{shown} has [[tune]] tables, so it is not a tournament: use arena tune {shown}"
    )))
}

/// Like `of_file`, but allows a tuning.
pub fn tuning(path: &Path, flags: &Flags) -> Result<Spec, UsageError> {
    let text = files::tournament(path).map_err(UsageError::one)?;
    of_kept(&text, path, flags)
}

/// Reads a tournament from a text and flags, as if it were the file `path`.
pub fn of_kept(text: &str, path: &Path, flags: &Flags) -> Result<Spec, UsageError> {
    let source = Source {
        path: path.display().to_string(),
        text: text.to_owned(),
    };
    let path = here()?.join(path);
    let dir = path.parent().unwrap_or(Path::new("/"));
    let mut spec = read(Some(&source), flags, dir, |it| it.check_tournament())?;
    spec.local.hidden.push(path);
    Ok(spec)
}

/// Reads a tournament from flags alone. Without bots the format is a round-robin, until the bots are chosen.
pub fn of_flags(flags: &Flags) -> Result<Spec, UsageError> {
    if flags.values.iter().all(|flag| flag.path != "bots") {
        table(flags)
    } else {
        read(None, flags, &here()?, |it| it.check_tournament())
    }
}

/// Reads a tournament from flags that give no bots, with the bots and the name of another, and with its number of deals unless a flag
/// sets it.
pub fn with_bots(flags: &Flags, described: &Spec) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, |description| {
        let spec = &mut description.spec;
        spec.name.clone_from(&described.name);
        if description.reader.get("deals").is_none() {
            spec.plan.deals = described.plan.deals;
        }
        let bots = described.bots.iter().cloned().enumerate();
        let bots = bots.map(|(number, entrant)| Numbered { number, entrant });
        description.bots = bots.collect();
        description.check_tournament();
    })
}

/// Reads a single table with all bots of the flags.
pub fn table(flags: &Flags) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, |it| it.check_bots())
}

/// Reads a single table with all players of the flags, including people.
pub fn single_match(flags: &Flags) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, |_| ())
}

/// Reads a table for a single program with this name and command, without checking that it can be started.
pub fn program(name: &str, command: &[String], flags: &Flags) -> Result<Spec, UsageError> {
    let bot = [FlagValue::new("bots", "program=true", "")];
    let values = bot.into_iter().chain(flags.values.iter().cloned());
    let flags = Flags {
        values: values.collect(),
        ..*flags
    };
    let mut spec = read(None, &flags, &here()?, |_| ())?;
    for entrant in &mut spec.bots {
        name.clone_into(&mut entrant.name);
        if let Bot::Program(program) = &mut entrant.bot {
            program.command = command.to_vec();
        }
    }
    Ok(spec)
}

fn here() -> Result<PathBuf, UsageError> {
    std::env::current_dir()
        .map_err(|e| UsageError::one(format!("the current folder cannot be used: {e}")))
}

/// A file with the flags, as far as it can be read.
struct Description<'t> {
    reader: Reader<'t>,
    spec: Spec,
    bots: Vec<Numbered>,
    format: &'static Listed,
    options: Options,
}

fn read(
    source: Option<&Source>,
    flags: &Flags,
    dir: &Path,
    check: impl FnOnce(&mut Description<'_>),
) -> Result<Spec, UsageError> {
    let documents = flags.documents();
    let mut reader = Reader::new(source, &documents)?;
    let file = reader.read::<File>();
    let Some((mut file, format)) = file.and_then(|file| known(&mut reader, file)) else {
        return reader.finish(None);
    };
    let called = source.and_then(|source| Path::new(&source.path).file_stem());
    let called = called.map(|called| called.to_string_lossy().into_owned());
    file.name = file.name.or(called);
    let mut description = describe(reader, file, flags, dir, format)?;
    check(&mut description);
    if !flags.trust {
        description.refuse_requests(dir);
    }
    let mut spec = description.spec;
    spec.bots = leave_out(&mut spec, description.bots);
    if description.reader.is_fine() {
        return Ok(spec);
    }
    let left_out = if spec.local.keep_going {
        std::mem::take(&mut spec.left_out)
    } else {
        Vec::new()
    };
    let wrong = description.reader.finish(Some(spec));
    wrong.map_err(|wrong| wrong.with_left_out(left_out))
}

/// Checks that the game, its number of seats and the format exist.
fn known(reader: &mut Reader<'_>, mut file: File) -> Option<(File, &'static Listed)> {
    let format = file.format.as_deref().unwrap_or(formats::NAMES[0]);
    let listed = formats::find(format);
    if listed.is_none() {
        let what = format!("there is no format {}", quoted(format));
        reader.add("format", what, suggest::value(format, formats::NAMES));
    }
    let game = file
        .game
        .get_or_insert_with(|| table::names()[0].to_owned());
    let Some(entry) = table::find(game) else {
        let what = format!("there is no game {}", quoted(game));
        reader.add("game", what, suggest::value(game, table::names()));
        return None;
    };
    let range = &entry.seats;
    let (least, most) = (*range.start(), *range.end());
    let count = *file.seats.get_or_insert(SEATS.clamp(least, most));
    if !range.contains(&count) {
        let many = if least == most {
            format!("{least}")
        } else {
            format!("{least} to {most}")
        };
        let what = format!("{game} is for {many} seats, not {count}");
        reader.add("seats", what, format!("write {many}"));
    }
    Some((file, listed?))
}

/// Fills in the defaults of a file whose game and format are known.
fn describe<'t>(
    mut reader: Reader<'t>,
    file: File,
    flags: &Flags,
    dir: &Path,
    format: &'static Listed,
) -> Result<Description<'t>, UsageError> {
    let game = file.game.unwrap_or_default();
    let seats = file.seats.unwrap_or(SEATS);
    let entry = table::find(&game);
    let rules = entry.and_then(|entry| rules::check(&mut reader, entry, seats));
    let rules = rules.map(|rules| rules.value()).unwrap_or_default();
    let rules_version = entry.map_or(0, |entry| entry.rules_version);
    let drawn = file.seed.is_none();
    let seed = file.seed.map_or_else(seed::draw, Ok)?;
    if let Some(Err(why)) = file.cores.as_deref().map(jobs::restrict) {
        let what = format!("`cores` does not name cores of this machine: {why}");
        reader.add("cores", what, "");
    }
    let clock = file.clock.or(TimeControl::default());
    let clock = check_clock(&mut reader, "clock", clock, flags);
    for complaint in tune::check(&file.tune) {
        reader.complain(complaint);
    }
    let has_class = file.bots.iter().any(|bot| bot.from.is_some());
    let pseudonyms = file.bots.iter().any(|bot| bot.roster.is_some());
    let is_strict = file.strict.unwrap_or(false);
    let mut left_out = Vec::new();
    let mut bots = Vec::new();
    for (number, table) in file.bots.into_iter().enumerate() {
        if table.from.is_some() || table.roster.is_some() {
            let (found, others) = class::bots(&mut reader, number, &table, dir);
            bots.extend(found);
            left_out.extend(others);
            continue;
        }
        let own = table.clock.map(|own| {
            let path = format!("bots.{number}.clock");
            check_clock(&mut reader, &path, own.or(clock), flags)
        });
        let mut bot = entrants::of_table(&mut reader, number, table, (&game, dir));
        if let Some(bot) = &mut bot {
            bot.entrant.clock = own;
        }
        bots.extend(bot);
    }
    if is_strict {
        for broken in left_out.drain(..) {
            let help = "fix it, or leave out strict to play without it";
            reader.add("", LeftOut::to_string(&broken), help);
        }
    }
    let keep_going = !is_strict && (has_class || file.keep_going.unwrap_or(false));
    let numbered = bots.iter().map(|bot| (bot.number, &bot.entrant.bot));
    for complaint in tune::check_bots(&file.tune, numbered) {
        reader.complain(complaint);
    }
    entrants::check(&mut reader, &bots, &game, keep_going);
    let hidden = flags.values.iter();
    let hidden = hidden.filter_map(|flag| flag.text.strip_prefix(SEED_FILE));
    let deals = if file.tune.is_empty() {
        DEALS
    } else {
        tune::DEALS
    };
    let spec = Spec {
        name: file.name.unwrap_or_else(|| game.clone()),
        anchor: file.anchor,
        plan: Plan {
            game,
            rules_version,
            rules,
            format: Choice::default(),
            test: file.compare,
            seats,
            seatings: file.seatings,
            deals: file.deals.unwrap_or(deals),
            seed,
        },
        conditions: Conditions {
            clock,
            limits: file.limits,
            isolation: file.isolation,
            memory: file.memory,
        },
        local: Local {
            jobs: file.jobs.unwrap_or_else(cores::count),
            oversubscribe: file.oversubscribe.unwrap_or(false),
            pin: file.pin.unwrap_or(true),
            as_root: file.as_root.unwrap_or(false),
            hidden: hidden.map(PathBuf::from).collect(),
            seed_drawn: drawn,
            keep_going,
            ..Local::default()
        },
        tune: file.tune,
        bots: Vec::new(),
        left_out,
        pseudonyms,
        first_plan: None,
        earlier_seeds: Vec::new(),
        closed: false,
    };
    Ok(Description {
        reader,
        spec,
        bots,
        format,
        options: file.options,
    })
}

impl Description<'_> {
    /// Checks that only bots take part.
    fn check_bots(&mut self) {
        for bot in self.bots.iter().filter(|bot| bot.entrant.is_person()) {
            let what = "a person cannot take part in a tournament, only in single matches";
            self.reader.add(&bot.path("command"), what, PEOPLE_HELP);
        }
    }

    /// Checks a tournament: its format, and the jobs of this machine.
    fn check_tournament(&mut self) {
        self.check_bots();
        self.refuse_keys_of_others();
        self.check_jobs();
        if !self.reader.is_fine() {
            return;
        }
        // Check the format with all bots, including those left out because they cannot be started.
        let entrants = self.bots.iter().map(|bot| bot.entrant.clone());
        self.spec.bots = entrants.collect();
        if let Some(complaint) = self.spec.check_anchor() {
            self.reader.complain(complaint);
        }
        let mut options = self.options.clone();
        options.retain(|key, _| self.format.keys.iter().any(|known| known.name == key));
        (self.format.fill)(&mut options, self.spec.field());
        match Choice::read(self.format.name, options) {
            Ok(format) => {
                for complaint in format.check(self.spec.field()) {
                    self.reader.complain(complaint);
                }
                self.spec.plan.format = format;
            }
            Err(complaint) => self.reader.complain(complaint),
        }
    }

    /// Records keys of other formats. Ignores those of the file if a flag has changed the format.
    fn refuse_keys_of_others(&mut self) {
        let is_flagged = matches!(self.reader.place("format"), At::Flag(_));
        for key in self.options.keys() {
            let is_of_file = matches!(self.reader.place(key), At::File(_));
            if let Some(complaint) = formats::not_for(key, self.format.name, key)
                && !(is_flagged && is_of_file)
            {
                self.reader.add(key, complaint.what, complaint.help);
            }
        }
    }

    /// Refuses more jobs than the machine can run, and more than its cores if they would distort the clocks of programs.
    fn check_jobs(&mut self) {
        let jobs = self.spec.local.jobs;
        let cores = cores::count();
        if let Some(why) = jobs::too_many(jobs) {
            self.reader.add("jobs", why, "");
        } else if jobs > cores
            && !self.spec.local.oversubscribe
            && self.bots.iter().any(|bot| bot.entrant.is_program())
        {
            let what = format!("{jobs} jobs are too many for the {cores} cores of this machine");
            let help = format!(
                "each job keeps a core busy: with more jobs, programs would wait for cores while their clocks run; use at most {cores}, or allow more with --oversubscribe"
            );
            self.reader.add("jobs", what, help);
        }
    }

    /// Records requests of the file for less than the default protection. Flags are trusted: they come from whoever runs the
    /// tournament.
    fn refuse_requests(&mut self, dir: &Path) {
        let programs = self.bots.iter();
        let programs = programs.filter_map(|bot| Some((bot.path(""), bot.entrant.program()?, dir)));
        let isolation = self.spec.conditions.isolation;
        let asked = requests::all(isolation, self.spec.local.as_root, programs);
        for (path, what) in asked {
            if matches!(self.reader.place(&path), At::File(_)) {
                self.reader.add(&path, what, TRUST_HELP);
            }
        }
    }
}

/// Moves bots that cannot be started, or whose name is taken, to `left_out` if that is allowed. Returns the others.
fn leave_out(spec: &mut Spec, bots: Vec<Numbered>) -> Vec<Entrant> {
    let mut names: HashSet<String> = HashSet::new();
    let mut playing = Vec::new();
    for Numbered { entrant, .. } in bots {
        let unfit = if names.contains(&entrant.name) {
            Some("another bot has this name".to_owned())
        } else {
            let program = entrant.program().filter(|_| spec.local.keep_going);
            program.and_then(|program| entrants::find_all(program).err())
        };
        if let Some(why) = unfit {
            let name = entrant.name;
            spec.left_out.push(LeftOut {
                name,
                why,
                ..LeftOut::default()
            });
        } else {
            names.insert(entrant.name.clone());
            playing.push(entrant);
        }
    }
    // Each has its own page, so names must be unique.
    for broken in spec.left_out.iter_mut() {
        while !broken.name.is_empty() && !names.insert(broken.name.clone()) {
            broken.name += " (again)";
        }
    }
    playing
}

/// Checks the clock of the tournament or of a bot, and removes its limits if requested.
fn check_clock(
    reader: &mut Reader<'_>,
    path: &str,
    clock: TimeControl,
    flags: &Flags,
) -> TimeControl {
    if clock.bank_ms.is_none() && clock.increment_ms > 0 {
        let what = "`increment_ms` needs a `bank_ms` to add to";
        let help = "add bank_ms: milliseconds for all answers of a seat in a match";
        reader.add(&format!("{path}.increment_ms"), what, help);
    }
    if !flags.no_clock {
        return clock;
    }
    TimeControl {
        move_ms: None,
        bank_ms: None,
        increment_ms: 0,
        ..clock
    }
}
