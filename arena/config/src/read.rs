//! A tournament's description read from its file and the flags together, with everything that is wrong with it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use arena_engine::by_name;
use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::games;
use arena_tournament::entrant::Entrant;
use arena_tournament::formats::{self, Choice, Listed};
use arena_tournament::key::Key;
use arena_tournament::keys;
use arena_tournament::spec::{DEALS, LeftOut, Plan, SEATS, Spec};
use serde_json::Value;
use toml::de::DeTable;

use super::class;
use super::conditions::{check_jobs, conditions, local, test};
use super::diagnostic::{At, Diagnostic, Source, UsageError};
use super::entrants::{self, Draft};
use super::files;
pub use super::flags::{BOT, Flags, SEED_FILE};
use super::rules;
use super::section::{Reader, Section};
use super::{trust, tune};
use crate::seed;

/// Why there is a description once nothing is wrong.
const DESCRIBED: &str = "where there is no description, there is a diagnostic";

/// The purpose of reading a description.
#[derive(Clone, Copy, PartialEq)]
enum Purpose<'a> {
    /// A tournament, with the bots of another description beside those of the file and the flags.
    Tournament(Option<&'a Spec>),
    /// One table for all bots of the flags, or a tournament whose bots are yet to be chosen.
    Table,
    /// One table for all players of the flags, people among them.
    Match,
}

/// The tournament of a file with the flags.
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

/// The same of a file that may describe a tuning.
pub fn tuning(path: &Path, flags: &Flags) -> Result<Spec, UsageError> {
    let unread = |error: std::io::Error| UsageError::one(format!("{}: {error}", path.display()));
    let text = files::open(path)
        .and_then(std::io::read_to_string)
        .map_err(unread)?;
    of_text(
        &text,
        path,
        &std::path::absolute(path).map_err(unread)?,
        flags,
    )
}

/// The tournament of a text with the flags, as if it were the file `path`, which messages call `path` too.
pub fn of_kept(text: &str, path: &Path, flags: &Flags) -> Result<Spec, UsageError> {
    of_text(text, path, path, flags)
}

fn of_text(text: &str, shown: &Path, path: &Path, flags: &Flags) -> Result<Spec, UsageError> {
    let source = Source {
        path: shown.display().to_string(),
        text: text.to_owned(),
    };
    let dir = path.parent().unwrap_or(Path::new("/"));
    let mut spec = read(Some(source), flags, dir, Purpose::Tournament(None))?;
    spec.local.hidden.push(path.to_path_buf());
    Ok(spec)
}

/// The tournament of flags alone. Without bots its format is a round-robin, until the bots are chosen.
pub fn of_flags(flags: &Flags) -> Result<Spec, UsageError> {
    let purpose = if flags.texts("bots").is_empty() {
        Purpose::Table
    } else {
        Purpose::Tournament(None)
    };
    read(None, flags, &here()?, purpose)
}

/// The tournament of flags with the bots of a description, and with its name and number of deals if no flag gives them.
pub fn with_bots(flags: &Flags, described: &Spec) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, Purpose::Tournament(Some(described)))
}

/// One table for all bots of the flags.
pub fn table(flags: &Flags) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, Purpose::Table)
}

/// One table for all players of the flags, people among them.
pub fn single_match(flags: &Flags) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, Purpose::Match)
}

/// A table for a program of this name and command alone. Whether it can be started is not checked.
pub fn program(name: &str, command: &[String], flags: &Flags) -> Result<Spec, UsageError> {
    let (here, mut reader) = (here()?, Reader::default());
    let spec = description(
        &mut reader,
        &DeTable::new(),
        flags,
        (&here, None),
        Purpose::Table,
    );
    let bots = vec![entrants::of_words_and_flags(
        &mut reader,
        name,
        command,
        flags,
        &here,
    )];
    Ok(Spec {
        bots,
        ..reader.finish(spec, None)?.expect(DESCRIBED)
    })
}

/// A tournament, kept in the file `path`, with only the bot of this name, or with another program in its place. The other bots
/// need not be installed here.
pub fn with_one_bot(
    spec: &Spec,
    path: &Path,
    name: &str,
    command: Option<&str>,
) -> Result<Spec, UsageError> {
    let mut reader = Reader::default();
    let replaced = |command| {
        let at = At::Flag(format!("--program {command}"));
        entrants::of_flag(&mut reader, 0, &format!("{name}={command}"), &at)
    };
    let kept = || {
        spec.bots
            .iter()
            .find(|bot| bot.name == name)
            .map(|bot| Draft::of(bot, 0))
    };
    let Some(draft) = command.map(replaced).or_else(kept) else {
        let shown = path.display();
        return Err(UsageError::one(format!(
            "{shown} has no bot {name:?}; name a program with --program"
        )));
    };
    let drafts = vec![draft];
    entrants::refuse_people(&mut reader, &drafts);
    let mut spec = spec.clone();
    spec.bots = entrants::check(&mut reader, Some(&spec.plan.game), drafts, None);
    spec.local.hidden.push(path.to_path_buf());
    reader.finish(spec, None)
}

fn here() -> Result<PathBuf, UsageError> {
    std::env::current_dir()
        .map_err(|e| UsageError::one(format!("the current folder cannot be used: {e}")))
}

/// The keys of a table, each once: those of all tournaments, then those of the formats.
fn with_formats(
    keys: &'static [Key],
    of_format: fn(&Listed) -> &'static [Key],
) -> Vec<&'static Key> {
    let mut known = BTreeSet::new();
    let all = keys
        .iter()
        .chain(formats::LISTED.iter().flat_map(of_format));
    all.filter(|key| known.insert(key.name)).collect()
}

fn read(
    source: Option<Source>,
    flags: &Flags,
    dir: &Path,
    purpose: Purpose<'_>,
) -> Result<Spec, UsageError> {
    let text = source.as_ref().map_or("", |source| source.text.as_str());
    let (table, unreadable) = DeTable::parse_recoverable(text);
    if !unreadable.is_empty() {
        // What else is found in a file that is no TOML may be there only since it was misread.
        let wrong = syntax(text, &unreadable);
        return Err(UsageError::all(source, wrong));
    }
    let called = source
        .as_ref()
        .and_then(|source| Path::new(&source.path).file_stem());
    let called = called.map(|stem| stem.to_string_lossy().into_owned());
    let mut reader = Reader::default();
    let spec = description(&mut reader, table.get_ref(), flags, (dir, called), purpose);
    Ok(reader.finish(spec, source)?.expect(DESCRIBED))
}

/// What is no TOML: the first problem of each line, since others may follow from it.
fn syntax(text: &str, errors: &[toml::de::Error]) -> Vec<Diagnostic> {
    let mut lines = Vec::new();
    let mut diagnostics = Vec::new();
    for error in errors {
        let span = error.span().unwrap_or_default();
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.matches('\n').count();
        if !lines.contains(&line) {
            lines.push(line);
            // At the end of a line there is nothing to point at but its last character.
            let span = if before.ends_with('\n') && span.is_empty() && text.len() == span.start {
                let end = before.trim_end().len();
                end..end
            } else {
                span
            };
            let (what, help) = error
                .message()
                .split_once(", expected ")
                .unwrap_or((error.message(), ""));
            let help = if help.is_empty() || help == "nothing" {
                String::new()
            } else {
                format!("expected {help}")
            };
            diagnostics.push(Diagnostic::new(&At::File(span), what, help));
        }
    }
    diagnostics
}

fn description(
    reader: &mut Reader,
    table: &DeTable<'_>,
    flags: &Flags,
    (dir, called): (&Path, Option<String>),
    purpose: Purpose<'_>,
) -> Option<Spec> {
    let top = reader.section(
        "",
        Some(table),
        with_formats(keys::TOURNAMENT, |format| format.keys),
        &flags.values,
    );
    let game = game(&top);
    let seats = seats(reader, &top, game.as_deref());
    let rules = rules_of(reader, &top, flags, game.as_deref(), seats);
    let mut local = local(reader, &top);
    let (seed, seed_drawn) = seed_of(reader, &top)?;
    local.seed_drawn = seed_drawn;
    let seed_files = flags
        .values
        .iter()
        .filter_map(|flag| flag.text.strip_prefix(SEED_FILE));
    local.hidden.extend(seed_files.map(PathBuf::from));
    let is_strict = top.get("strict").unwrap_or(false);
    reader.keep_going = local.keep_going;
    let conditions = conditions(reader, &top, flags);
    let test = test(reader, &top);
    let tune = tune::parameters(reader, &top).unwrap_or_default();
    let format = format_named(&top);
    let (mut drafts, left_out) = drafts(reader, &top, flags, (dir, format)).unzip();
    let mut left_out = left_out.unwrap_or_default();
    let named = |draft: &Draft| Some((draft.name.clone()?, draft.number));
    let numbers = drafts.iter().flatten().filter_map(named).collect();
    if is_strict {
        reader.keep_going = false;
        for broken in left_out.drain(..) {
            let help = "fix it, or leave out strict to play without it";
            reader.add(Diagnostic::new(&At::Nowhere, broken.to_string(), help));
        }
    }
    local.keep_going = reader.keep_going;
    tune::check_bots(reader, &tune, drafts.as_deref().unwrap_or_default());
    let described = if let Purpose::Tournament(described) = purpose {
        described
    } else {
        None
    };
    if let (Some(described), Some(drafts)) = (described, &mut drafts) {
        let from = drafts.len();
        drafts.extend(
            (from..)
                .zip(&described.bots)
                .map(|(number, bot)| Draft::of(bot, number)),
        );
    }
    let called = called
        .or(described.map(|described| described.name.clone()))
        .or(game.clone());
    let names_are_known = drafts
        .as_ref()
        .is_some_and(|drafts| drafts.iter().all(|draft| draft.name.is_some()));
    let outline: Vec<Entrant> = drafts.iter().flatten().map(Draft::outline).collect();
    if purpose != Purpose::Match {
        entrants::refuse_people(reader, drafts.as_deref().unwrap_or_default());
    }
    let leaving_out = local.keep_going.then_some(&mut left_out);
    let bots = entrants::check(
        reader,
        game.as_deref(),
        drafts.unwrap_or_default(),
        leaving_out,
    );
    // Each has a page under its name.
    let mut names: HashSet<String> = bots.iter().map(|bot| bot.name.clone()).collect();
    for broken in left_out.iter_mut().filter(|broken| !broken.name.is_empty()) {
        while !names.insert(broken.name.clone()) {
            broken.name += " (again)";
        }
    }
    let (rules, rules_version) = rules.unwrap_or_default();
    let deals = if tune.is_empty() {
        DEALS
    } else {
        arena_tournament::tune::DEALS
    };
    let mut spec = Spec {
        name: top.get("name").or(called).unwrap_or_default(),
        anchor: top.get("anchor"),
        plan: Plan {
            game: game.unwrap_or_default(),
            rules_version,
            rules,
            format: Choice::default(),
            test,
            seats: seats.unwrap_or(SEATS),
            seatings: top.get("seatings").unwrap_or_default(),
            deals: top
                .get("deals")
                .unwrap_or(described.map_or(deals, |described| described.plan.deals)),
            seed,
        },
        conditions,
        local,
        tune,
        // The format is checked for all bots, even those that cannot be started.
        bots: outline,
        departures: Vec::new(),
        left_out,
        pseudonyms: reader.pseudonyms,
        first_plan: None,
        earlier_seeds: Vec::new(),
        closed: false,
    };
    let is_tournament = matches!(purpose, Purpose::Tournament(_));
    if is_tournament && names_are_known {
        spec.check_anchor()
            .into_iter()
            .for_each(|complaint| reader.complain(complaint));
    }
    if is_tournament && let Some(format) = format {
        refuse_keys_of_others(reader, format, &top.given(), str::to_owned);
    }
    if is_tournament && seats.is_some() && names_are_known {
        spec.plan.format = choose(reader, &top, format, &spec)?;
    }
    spec.bots = bots;
    if !flags.trust {
        refuse_requests(reader, &spec, &numbers, dir);
    }
    if is_tournament {
        check_jobs(reader, &spec);
    }
    Some(spec)
}

/// The game, if it is known.
fn game(top: &Section<'_>) -> Option<String> {
    (!top.is_wrong("game")).then(|| {
        top.get("game")
            .unwrap_or_else(|| games::NAMES[0].to_owned())
    })
}

/// The seats at a table, if the game allows that number.
fn seats(reader: &mut Reader, top: &Section<'_>, game: Option<&str>) -> Option<usize> {
    if top.is_wrong("seats") {
        return None;
    }
    let given = top.get("seats");
    let Some((name, range)) = game.and_then(|game| by_name!(game, G => (G::NAME, G::SEATS))) else {
        return Some(given.unwrap_or(SEATS));
    };
    let (least, most) = (*range.start(), *range.end());
    let count = given.unwrap_or(SEATS.clamp(least, most));
    if range.contains(&count) {
        return Some(count);
    }
    let many = if least == most {
        format!("{least}")
    } else {
        format!("{least} to {most}")
    };
    let what = format!("{name} is for {many} seats, not {count}");
    reader.add(Diagnostic::new(
        &reader.place("seats"),
        what,
        format!("write {many}"),
    ));
    None
}

/// The rules, complete, and their version.
fn rules_of(
    reader: &mut Reader,
    top: &Section<'_>,
    flags: &Flags,
    game: Option<&str>,
    seats: Option<usize>,
) -> Option<(Value, u32)> {
    let file = reader.table(top, "rules");
    let given = rules::read(reader, file, &flags.texts("rules"));
    let checked = game.and_then(|game| by_name!(game, G => rules::check::<G>(&given, seats)))?;
    checked
        .map_err(|wrong| {
            wrong
                .into_iter()
                .for_each(|diagnostic| reader.add(diagnostic));
        })
        .ok()
}

/// The seed, and true if it was drawn because none is named.
fn seed_of(reader: &mut Reader, top: &Section<'_>) -> Option<(Seed, bool)> {
    if let Some(seed) = top.get("seed") {
        return Some((seed, false));
    }
    let refused = |why| {
        Diagnostic::new(
            &At::Nowhere,
            format!("cannot draw a random seed: {why}"),
            "give one with --seed",
        )
    };
    seed::draw()
        .map(|seed| (seed, true))
        .map_err(|why| reader.add(refused(why)))
        .ok()
}

/// The format that is named, if there is such a format.
fn format_named(top: &Section<'_>) -> Option<&'static Listed> {
    let name = top.get::<String>("format");
    formats::find(name.as_deref().unwrap_or(formats::NAMES[0])).filter(|_| !top.is_wrong("format"))
}

/// The bots of the file, of which flags may replace some, then those of the flags; and those of folders that are left out.
fn drafts(
    reader: &mut Reader,
    top: &Section<'_>,
    flags: &Flags,
    (dir, format): (&Path, Option<&'static Listed>),
) -> Option<(Vec<Draft>, Vec<LeftOut>)> {
    let tables = reader.tables(top, "bots")?;
    let from = tables.len();
    let flagged = (from..).zip(flags.bots());
    let mut added: Vec<Draft> = flagged
        .map(|(number, (bot, flag))| entrants::of_flag(reader, number, bot, &At::Flag(flag)))
        .collect();
    let keys = with_formats(keys::BOT, |format| format.bot_keys);
    let mut drafts = Vec::new();
    let mut left_out = Vec::new();
    for (number, (table, at)) in tables.iter().enumerate() {
        if let Some(pattern) = table.get("from").or(table.get("roster")) {
            let at = At::File(pattern.span());
            let text = |key| {
                table
                    .get(key)
                    .map(|value| value.get_ref().as_str().unwrap_or_default())
            };
            let roster = text("roster").map(|file| dir.join(file));
            if table.len() > 1 + usize::from(roster.is_some()) || text("from").is_none() {
                let what = "`from` can be combined only with `roster`: all other keys belong in each folder's bot.toml";
                reader.add(Diagnostic::new(
                    &at,
                    what,
                    "write from = \"students/*\", and move the other keys there",
                ));
            }
            reader.pseudonyms |= roster.is_some();
            let class = class::Class {
                pattern: text("from").unwrap_or_default(),
                roster: roster.as_deref(),
            };
            let (found, others) = class.drafts(reader, &at, (number, dir));
            drafts.extend(found);
            left_out.extend(others);
            reader.keep_going = true;
            continue;
        }
        let name = table.get("name").and_then(|name| name.get_ref().as_str());
        // A bot of the flags takes the place of the one with its name.
        match added
            .iter()
            .position(|draft| draft.name.is_some() && draft.name.as_deref() == name)
        {
            Some(replacing) => drafts.push(added.remove(replacing)),
            None => {
                let draft = entrants::of_table(reader, (number, table, at), &keys, dir);
                if let Some(format) = format {
                    refuse_keys_of_others(reader, format, &draft.keys, |key| {
                        entrants::path(number, key)
                    });
                }
                drafts.push(draft);
            }
        }
    }
    drafts.extend(added);
    Some((drafts, left_out))
}

/// Notes what the file asks for below the default protection.
fn refuse_requests(
    reader: &mut Reader,
    spec: &Spec,
    numbers: &BTreeMap<String, usize>,
    dir: &Path,
) {
    for (bot, key, what) in trust::requests(spec, |_| dir) {
        let number = bot.and_then(|bot| numbers.get(bot));
        // What is typed on the command line is the word of whoever runs it.
        if let at @ At::File(_) =
            reader.place(&number.map_or(key.clone(), |number| entrants::path(*number, &key)))
        {
            reader.add(Diagnostic::new(&at, what, trust::HELP));
        }
    }
}

/// Notes the keys that are there but for other formats. Those of a file are passed over where a flag has chosen another format than
/// the file's.
fn refuse_keys_of_others(
    reader: &mut Reader,
    format: &Listed,
    keys: &[String],
    path: impl Fn(&str) -> String,
) {
    for key in keys {
        let at = reader.key_place(&path(key));
        let passed_over = matches!((reader.place("format"), &at), (At::Flag(_), At::File(_)));
        if let Some(complaint) =
            formats::not_for(key, format.name, &path(key)).filter(|_| !passed_over)
        {
            reader.add(Diagnostic::new(&at, complaint.what, complaint.help));
        }
    }
}

/// The format with its options, the defaults filled in for these bots; notes what is wrong with it.
fn choose(
    reader: &mut Reader,
    top: &Section<'_>,
    format: Option<&Listed>,
    spec: &Spec,
) -> Option<Choice> {
    let format = format?;
    if format.keys.iter().any(|key| top.is_wrong(key.name)) {
        return None;
    }
    let mut options = top.values.clone();
    options.retain(|key, _| format.keys.iter().any(|known| known.name == key));
    (format.fill)(&mut options, spec.field());
    let chosen = Choice::read(format.name, options)
        .map_err(|complaint| reader.complain(complaint))
        .ok()?;
    chosen
        .check(spec.field())
        .into_iter()
        .for_each(|complaint| reader.complain(complaint));
    Some(chosen)
}
