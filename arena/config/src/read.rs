//! Reads a tournament from its file and the flags together, collecting all problems.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use arena_engine::table;
use arena_sandbox::{cores, requests};
use arena_tournament::clock::TimeControl;
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::formats::{self, Choice, Listed, Options};
use arena_tournament::spec::{Conditions, DEALS, LeftOut, Local, Plan, SEATS, Spec};
use arena_tournament::tune;

use super::diagnostic::{At, Source, UsageError};
use super::entrants::{self, Numbered, PEOPLE_HELP};
use super::file::File;
use super::flags::DIR;
pub use super::flags::{Flags, SEED_FILE};
pub use super::reader::BOT;
use super::reader::Reader;
use super::{FlagValue, class, rules, word};
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

/// Reads a tournament from flags alone. As long as there are no bots, the format is a round-robin.
pub fn of_flags(flags: &Flags) -> Result<Spec, UsageError> {
    if flags.values.iter().all(|flag| flag.path != "bots") {
        table(flags)
    } else {
        read(None, flags, &here()?, |it| it.check_tournament())
    }
}

/// Reads a tournament with this name and these bots from flags without bots. The number of deals applies unless a flag sets it.
pub fn with_bots(
    flags: &Flags,
    name: &str,
    deals: u32,
    bots: Vec<Entrant>,
) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, |description| {
        let spec = &mut description.spec;
        name.clone_into(&mut spec.name);
        if description.reader.get("deals").is_none() {
            spec.plan.deals = deals;
        }
        let bots = bots.into_iter().enumerate();
        let bots = bots.map(|(number, entrant)| Numbered { number, entrant });
        description.bots = bots.collect();
        description.check_tournament();
    })
}

/// Reads a tournament with a single table of all bots in the flags.
pub fn table(flags: &Flags) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, |it| it.check_bots())
}

/// Reads a tournament with a single table of all players in the flags, including people.
pub fn single_match(flags: &Flags) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, |_| ())
}

/// Reads a table for a single program with this name and command, without checking that the program can be started. A command of one word
/// may be a file or folder.
pub fn program(name: &str, command: &[String], flags: &Flags) -> Result<Spec, UsageError> {
    let has_dir = flags.values.iter().any(|flag| flag.path == DIR);
    let word = match command {
        [word] if !has_dir && !word.contains('=') && word::is_path(word) => Some(word.as_str()),
        _ => None,
    };
    let bot = FlagValue::new(
        "bots",
        word.unwrap_or("program=true"),
        word.unwrap_or_default(),
    );
    let values = [bot].into_iter().chain(flags.values.iter().cloned());
    let flags = Flags {
        values: values.collect(),
        ..*flags
    };
    let mut spec = read(None, &flags, &here()?, |_| ())?;
    for entrant in &mut spec.bots {
        name.clone_into(&mut entrant.name);
        if let Bot::Program(program) = &mut entrant.bot
            && word.is_none()
        {
            program.command = command.to_vec();
        }
    }
    Ok(spec)
}

fn here() -> Result<PathBuf, UsageError> {
    std::env::current_dir()
        .map_err(|e| UsageError::one(format!("the current folder cannot be used: {e}")))
}

/// A file combined with the flags, as far as it can be read.
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
    let mut loaded = None;
    let file = file.and_then(|mut file| {
        loaded = load_game(&mut reader, &mut file, dir).ok()?;
        known(&mut reader, file)
    });
    let Some((mut file, format)) = file else {
        return reader.finish(None);
    };
    let called = source.and_then(|source| Path::new(&source.path).file_stem());
    let called = called.map(|called| called.to_string_lossy().into_owned());
    file.name = file.name.or(called);
    let mut description = describe(reader, file, flags, dir, format)?;
    description.spec.local.hidden.extend(loaded);
    check(&mut description);
    if !flags.trust {
        description.refuse_requests(dir);
    }
    let spec = leave_out(description.spec, description.bots);
    if description.reader.is_fine() {
        return Ok(spec);
    }
    let left_out = if spec.local.keep_going {
        spec.left_out.clone()
    } else {
        Vec::new()
    };
    let wrong = description.reader.finish(Some(spec));
    wrong.map_err(|wrong| wrong.with_left_out(left_out))
}

/// Loads a game that is given by its folder, and puts the game's full name into the file. Returns the folder, if there is one.
fn load_game(
    reader: &mut Reader<'_>,
    file: &mut File,
    dir: &Path,
) -> Result<Option<PathBuf>, NotLoaded> {
    let Some(game) = file.game.as_deref().filter(|game| game.contains('/')) else {
        return Ok(None);
    };
    let folder = match reader.place("game") {
        At::Flag(_) => PathBuf::from(game),
        _ => dir.join(game),
    };
    match table::load(&folder) {
        Ok(entry) => {
            file.game = Some(entry.name.to_owned());
            Ok(Some(folder))
        }
        Err(why) => {
            let (what, log) = why.split_once('\n').unwrap_or((&why, ""));
            reader.add("game", what, log);
            Err(NotLoaded)
        }
    }
}

/// The error that a game could not be loaded. The reason has been recorded.
struct NotLoaded;

/// Finds the game and the format, whose names have been checked, and checks the number of seats.
fn known(reader: &mut Reader<'_>, mut file: File) -> Option<(File, &'static Listed)> {
    let format = file.format.as_deref().unwrap_or(formats::NAMES[0]);
    let listed = formats::find(format)?;
    let game = file
        .game
        .get_or_insert_with(|| table::names()[0].to_owned());
    let entry = match table::get(game) {
        Ok(entry) => entry,
        Err(why) => {
            reader.add("game", why, "");
            return None;
        }
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
        let game = table::plain_name(game);
        let what = format!("{game} is for {many} seats, not {count}");
        reader.add("seats", what, format!("write {many}"));
    }
    Some((file, listed))
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
        let what = format!("`cores` must name cores of this machine: {why}");
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
        for broken in left_out.extract_if(.., |bot| !bot.is_gone) {
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
        name: file
            .name
            .unwrap_or_else(|| table::plain_name(&game).to_owned()),
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
        earlier_sizes: Vec::new(),
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

    /// Checks the format of a tournament, and its number of jobs.
    fn check_tournament(&mut self) {
        self.check_bots();
        self.refuse_keys_of_others();
        self.check_jobs();
        if !self.reader.is_fine() {
            return;
        }
        // Check the format with all bots, including those that will be left out because they cannot be started.
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

    /// Records keys that belong to other formats. Such keys of the file are ignored if a flag has changed the format.
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

    /// Refuses more jobs than the machine can run. More jobs than cores are also refused if they would distort the clocks of programs.
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

    /// Records requests of the file for less than the default protection. Flags are trusted, because they come from the person who runs the
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

/// Returns the tournament of these bots. If allowed, leaves out bots that cannot be started or whose name is taken.
fn leave_out(mut spec: Spec, bots: Vec<Numbered>) -> Spec {
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
    // Each left-out bot has its own page, so names must be unique.
    for broken in spec.left_out.iter_mut() {
        while !broken.name.is_empty() && !names.insert(broken.name.clone()) {
            broken.name += " (again)";
        }
    }
    spec.bots = playing;
    spec
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
