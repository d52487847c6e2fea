//! A tournament's description read from its file and the flags together, with everything that is wrong with it.

use std::path::{Path, PathBuf};

use arena_engine::by_name;
use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::games;
use arena_tournament::entrant::Entrant;
use arena_tournament::formats::{self, Choice, Listed};
use arena_tournament::key::Key;
use arena_tournament::keys;
use arena_tournament::spec::{Plan, Spec};
use serde_json::Value;
use toml::de::DeTable;

use super::conditions::{check_jobs, conditions, local, test};
use super::diagnostic::{At, Diagnostic, Source, UsageError};
use super::entrants::{self, Draft};
use super::rules;
use super::section::{FlagValue, Reader, Section};
use crate::seed;

/// The number of deals, if nothing else is said.
pub const DEALS: u32 = 100;
/// The path of the keys of a bot that is described by flags alone.
pub const BOT: &str = "bots.0";
/// The seats at a table, if nothing else is said.
const SEATS: usize = 2;

/// How the words of a flag begin that reads the seed from a file, which no bot may read.
pub const SEED_FILE: &str = "--seed-file ";

/// The flags that change a description.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// The keys that they give; bots as NAME=COMMAND, rules as NAME=VALUE.
    pub values: Vec<FlagValue>,
    /// True if there is no limit to the time for an answer.
    pub no_clock: bool,
}

impl Flags {
    /// The values of a flag that may be repeated.
    pub fn texts(&self, path: &str) -> Vec<&str> {
        let values = self.values.iter().filter(|value| value.path == path);
        values.filter_map(|value| value.value.as_array()).flatten().filter_map(Value::as_str).collect()
    }

    /// The bots, each with its place on the command line: behind the flag, if there is one.
    fn bots(&self) -> impl Iterator<Item = (&str, At)> {
        let value = self.values.iter().find(|value| value.path == "bots");
        let flag = value.and_then(|value| value.text.split_once(' ')).map_or("", |(flag, _)| flag);
        let flag = if flag.starts_with("--") { flag } else { "" };
        self.texts("bots").into_iter().map(move |bot| (bot, At::Flag(format!("{flag} {bot}").trim().to_owned())))
    }
}

/// The purpose of reading a description.
#[derive(Clone, Copy, PartialEq)]
enum Purpose<'a> {
    /// A tournament.
    Tournament,
    /// One table for all bots of the flags, or a tournament whose bots are yet to be chosen.
    Table,
    /// One table for all players of the flags, people among them.
    Match,
    /// A table for this program alone, which is called so.
    Program(&'a str, &'a [String]),
    /// The one bot of the file with this name, if any, whether or not the others can be started here.
    OneBot(Option<&'a str>),
}

/// The tournament of a file with the flags.
pub fn of_file(path: &Path, flags: &Flags) -> Result<Spec, UsageError> {
    let unread = |error: std::io::Error| UsageError::one(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(unread)?;
    of_text(&text, path, &std::path::absolute(path).map_err(unread)?, flags)
}

/// The tournament of a text with the flags, as if it were the file `path`, which messages call `path` too.
pub fn of_kept(text: &str, path: &Path, flags: &Flags) -> Result<Spec, UsageError> {
    of_text(text, path, path, flags)
}

fn of_text(text: &str, shown: &Path, path: &Path, flags: &Flags) -> Result<Spec, UsageError> {
    let source = Source { path: shown.display().to_string(), text: text.to_owned() };
    let spec = read(Some(source), flags, parent(path), Purpose::Tournament)?;
    Ok(hiding(spec, path))
}

/// The tournament of flags alone. Without bots its format is a round-robin, until the bots are chosen.
pub fn of_flags(flags: &Flags) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, if flags.texts("bots").is_empty() { Purpose::Table } else { Purpose::Tournament })
}

/// One table for all bots of the flags.
pub fn table(flags: &Flags) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, Purpose::Table)
}

/// One table for all players of the flags, people among them.
pub fn single_match(flags: &Flags) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, Purpose::Match)
}

/// A table for a program of these words alone, which is called so. Whether it can be started is not looked at.
pub fn program(name: &str, command: &[String], flags: &Flags) -> Result<Spec, UsageError> {
    read(None, flags, &here()?, Purpose::Program(name, command))
}

/// The tournament of such a text with only the bot of this name, or another program in its place, whether or not the others can
/// be started here.
pub fn with_one_bot(text: &str, path: &Path, name: &str, command: Option<&str>) -> Result<Spec, UsageError> {
    let source = Source { path: path.display().to_string(), text: text.to_owned() };
    let kept = if command.is_none() { Some(name) } else { None };
    let mut spec = hiding(read(Some(source), &Flags::default(), parent(path), Purpose::OneBot(kept))?, path);
    if let Some(command) = command {
        let mut reader = Reader::default();
        let at = At::Flag(format!("--program {command}"));
        let drafts = vec![entrants::of_flag(&mut reader, 0, &format!("{name}={command}"), &at)];
        entrants::refuse_people(&mut reader, &drafts);
        spec.bots = entrants::check(&mut reader, Some(&spec.plan.game), drafts);
        let wrong = reader.finish();
        return if wrong.is_empty() { Ok(spec) } else { Err(UsageError::all(None, wrong)) };
    }
    if spec.bots.is_empty() {
        let shown = path.display();
        return Err(UsageError::one(format!("{shown} has no bot {name:?}; name a program with --program")));
    }
    Ok(spec)
}

/// Chooses the format of a tournament whose bots were chosen after its flags were read, and checks its anchor.
pub fn choose_format(spec: &mut Spec, flags: &Flags) -> Result<(), UsageError> {
    let empty = DeTable::new();
    let mut reader = Reader::default();
    let top = reader.section("", &empty, &top_keys(), &flags.values);
    if let Some(deals) = number(&top, "deals") {
        spec.plan.deals = deals;
    }
    let format = format_named(&top).and_then(|format| {
        refuse_keys_of_others(&mut reader, format, &top.given(), str::to_owned);
        choose(&mut reader, &top, format, spec)
    });
    spec.check_anchor().into_iter().for_each(|complaint| reader.complain(complaint));
    let wrong = reader.finish();
    match format {
        Some(format) if wrong.is_empty() => {
            spec.plan.format = format;
            Ok(())
        }
        _ => Err(UsageError::all(None, wrong)),
    }
}

fn here() -> Result<PathBuf, UsageError> {
    std::env::current_dir().map_err(|e| UsageError::one(format!("the current folder cannot be used: {e}")))
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

fn hiding(mut spec: Spec, path: &Path) -> Spec {
    spec.local.hidden.push(path.to_path_buf());
    spec
}

/// The keys of a file beside its tables: those of all tournaments, then those of the formats.
fn top_keys() -> Vec<&'static Key> {
    let mut all: Vec<&'static Key> = keys::TOURNAMENT.iter().collect();
    for key in formats::LISTED.iter().flat_map(|format| format.keys) {
        if all.iter().all(|known| known.name != key.name) {
            all.push(key);
        }
    }
    all
}

/// The keys of a bot: those of all tournaments, then those of the formats.
fn bot_keys() -> Vec<&'static Key> {
    let of_formats = formats::LISTED.iter().flat_map(|format| format.bot_keys);
    keys::BOT.iter().chain(of_formats).collect()
}

fn read(source: Option<Source>, flags: &Flags, dir: &Path, purpose: Purpose<'_>) -> Result<Spec, UsageError> {
    let text = source.as_ref().map_or("", |source| source.text.as_str());
    let (table, unreadable) = DeTable::parse_recoverable(text);
    if !unreadable.is_empty() {
        // What else is found in a file that is no TOML may be there only since it was misread.
        let wrong = syntax(text, &unreadable);
        return Err(UsageError::all(source, wrong));
    }
    let called = source.as_ref().and_then(|source| Path::new(&source.path).file_stem());
    let called = called.map(|stem| stem.to_string_lossy().into_owned());
    let mut reader = Reader::default();
    let spec = description(&mut reader, table.get_ref(), flags, (dir, called), purpose);
    let mut wrong = reader.finish();
    match spec {
        Some(spec) if wrong.is_empty() => Ok(spec),
        _ => {
            // Whatever cannot be read has said so.
            if wrong.is_empty() {
                wrong.push(Diagnostic::new(&At::Nowhere, "this is no tournament", ""));
            }
            Err(UsageError::all(source, wrong))
        }
    }
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
            let (what, help) = error.message().split_once(", expected ").unwrap_or((error.message(), ""));
            let help = if help.is_empty() || help == "nothing" { String::new() } else { format!("expected {help}") };
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
    let top = reader.section("", table, &top_keys(), &flags.values);
    let game = game(&top);
    let seats = seats(reader, &top, game.as_deref());
    let rules = rules_of(reader, &top, &flags.texts("rules"), game.as_deref(), seats);
    let mut local = local(&top);
    let (seed, seed_drawn) = seed_of(reader, &top)?;
    local.seed_drawn = seed_drawn;
    let seed_files = flags.values.iter().filter_map(|flag| flag.text.strip_prefix(SEED_FILE));
    local.hidden.extend(seed_files.map(PathBuf::from));
    let conditions = conditions(reader, &top, flags);
    let test = test(reader, &top);
    let format = format_named(&top);
    let drafts = drafts(reader, &top, flags, (dir, format), purpose);
    let names_are_known = drafts.as_ref().is_some_and(|drafts| drafts.iter().all(|draft| draft.name.is_some()));
    let outline: Vec<Entrant> = drafts.iter().flatten().map(Draft::outline).collect();
    if purpose != Purpose::Match {
        entrants::refuse_people(reader, drafts.as_deref().unwrap_or_default());
    }
    let bots = entrants::check(reader, game.as_deref(), drafts.unwrap_or_default());
    let (rules, rules_version) = rules.unwrap_or_default();
    let mut spec = Spec {
        name: top.text("name").map(str::to_owned).or(called).or_else(|| game.clone()).unwrap_or_default(),
        anchor: top.text("anchor").map(str::to_owned),
        plan: Plan {
            game: game.unwrap_or_default(),
            rules_version,
            rules,
            format: Choice::default(),
            test,
            seats: seats.unwrap_or(SEATS),
            seatings: top.word("seatings"),
            deals: number(&top, "deals").unwrap_or(DEALS),
            seed,
        },
        conditions,
        local,
        // Who there is, whether or not it can be started, decides what the format says.
        bots: outline,
        departures: Vec::new(),
    };
    if let (Some(format), Purpose::Tournament) = (format, purpose) {
        refuse_keys_of_others(reader, format, &top.given(), str::to_owned);
    }
    if purpose == Purpose::Tournament && names_are_known {
        spec.check_anchor().into_iter().for_each(|complaint| reader.complain(complaint));
    }
    if purpose == Purpose::Tournament && seats.is_some() {
        let enough = enough_bots(reader, &top, &spec);
        if let (Some(format), true) = (format, names_are_known && enough) {
            spec.plan.format = choose(reader, &top, format, &spec)?;
        }
    }
    spec.bots = match purpose {
        Purpose::Program(name, command) => vec![entrants::of_words_and_flags(reader, name, command, (flags, dir))],
        _ => bots,
    };
    if purpose == Purpose::Tournament {
        check_jobs(reader, &spec);
    }
    Some(spec)
}

fn number(top: &Section<'_>, key: &str) -> Option<u32> {
    top.number(key).and_then(|number| u32::try_from(number).ok())
}

/// The game, if it is known.
fn game(top: &Section<'_>) -> Option<String> {
    (!top.is_wrong("game")).then(|| top.text("game").unwrap_or(games::NAMES[0]).to_owned())
}

/// The seats at a table, if the game has a place for so many.
fn seats(reader: &mut Reader, top: &Section<'_>, game: Option<&str>) -> Option<usize> {
    if top.is_wrong("seats") {
        return None;
    }
    let given = top.number("seats").map(|seats| seats as usize);
    let Some((name, range)) = game.and_then(|game| by_name!(game, G => (G::NAME, G::SEATS))) else {
        return Some(given.unwrap_or(SEATS));
    };
    let (least, most) = (*range.start(), *range.end());
    let count = given.unwrap_or(SEATS.clamp(least, most));
    if range.contains(&count) {
        return Some(count);
    }
    let many = if least == most { format!("{least}") } else { format!("{least} to {most}") };
    let what = format!("{name} is for {many} seats, not {count}");
    reader.add(Diagnostic::new(&reader.place("seats"), what, format!("write {many}")));
    None
}

/// The rules, complete, and their version.
fn rules_of(
    reader: &mut Reader,
    top: &Section<'_>,
    flags: &[&str],
    game: Option<&str>,
    seats: Option<usize>,
) -> Option<(Value, u32)> {
    let mut wrong = Vec::new();
    let given = rules::read(reader.table(top, "rules"), flags, &mut wrong);
    let checked = game.and_then(|game| by_name!(game, G => rules::check::<G>(&given, seats)));
    let (rules, more) = match checked {
        Some(Ok(rules)) => (Some(rules), Vec::new()),
        Some(Err(wrong)) => (None, wrong),
        None => (None, Vec::new()),
    };
    wrong.into_iter().chain(more).for_each(|diagnostic| reader.add(diagnostic));
    rules
}

/// The seed that is named, or one that is drawn, which is said beside it.
fn seed_of(reader: &mut Reader, top: &Section<'_>) -> Option<(Seed, bool)> {
    if let Some(seed) = top.number("seed") {
        return Some((Seed::try_from(seed).ok()?, false));
    }
    let refused = |why| Diagnostic::new(&At::Nowhere, format!("no seed can be drawn: {why}"), "name one with --seed");
    seed::draw().map(|seed| (seed, true)).map_err(|why| reader.add(refused(why))).ok()
}

/// The format that is named, if there is such a format.
fn format_named(top: &Section<'_>) -> Option<&'static Listed> {
    formats::find(top.text("format").unwrap_or(formats::NAMES[0])).filter(|_| !top.is_wrong("format"))
}

/// The bots of the file, of which flags may replace some, then those of the flags.
fn drafts(
    reader: &mut Reader,
    top: &Section<'_>,
    flags: &Flags,
    (dir, format): (&Path, Option<&'static Listed>),
    purpose: Purpose<'_>,
) -> Option<Vec<Draft>> {
    let tables = reader.tables(top, "bots")?;
    let from = tables.len();
    let mut added: Vec<Draft> =
        (from..).zip(flags.bots()).map(|(number, (flag, at))| entrants::of_flag(reader, number, flag, &at)).collect();
    let keys = bot_keys();
    let mut drafts = Vec::new();
    for (number, (table, at)) in tables.iter().enumerate() {
        let name = table.get("name").and_then(|name| name.get_ref().as_str());
        if matches!(purpose, Purpose::OneBot(kept) if kept != name) {
            continue;
        }
        // A bot of the flags takes the place of the one with its name.
        match added.iter().position(|draft| draft.name.is_some() && draft.name.as_deref() == name) {
            Some(replacing) => drafts.push(added.remove(replacing)),
            None => {
                let draft = entrants::of_table(reader, (number, table, at), &keys, dir);
                if let Some(format) = format {
                    refuse_keys_of_others(reader, format, &draft.keys, |key| entrants::path(number, key));
                }
                drafts.push(draft);
            }
        }
    }
    drafts.extend(added);
    Some(drafts)
}

/// Notes the keys that are there but for other formats. Those of a file are passed over where a flag has chosen another format than
/// the file's.
fn refuse_keys_of_others(reader: &mut Reader, format: &Listed, keys: &[String], path: impl Fn(&str) -> String) {
    for key in keys {
        let at = reader.key_place(&path(key));
        let passed_over = matches!((reader.place("format"), &at), (At::Flag(_), At::File(_)));
        if let Some(complaint) = formats::not_for(key, format.name, &path(key)).filter(|_| !passed_over) {
            reader.add(Diagnostic::new(&at, complaint.what, complaint.help));
        }
    }
}

fn enough_bots(reader: &mut Reader, top: &Section<'_>, spec: &Spec) -> bool {
    let (needed, count) = (spec.plan.seats, spec.bots.len());
    if count < needed {
        let at = reader.place(&top.at("seats"));
        let what = format!("{needed} seats need at least {needed} bots, there are {count}");
        reader.add(Diagnostic::new(&at, what, "add a [[bots]] table for each, or --bot NAME=COMMAND"));
    }
    count >= needed
}

/// The format with its options, the defaults filled in for these bots; notes what is wrong with it.
fn choose(reader: &mut Reader, top: &Section<'_>, format: &'static Listed, spec: &Spec) -> Option<Choice> {
    if format.keys.iter().any(|key| top.is_wrong(key.name)) {
        return None;
    }
    let mut options = top.values.clone();
    options.retain(|key, _| format.keys.iter().any(|known| known.name == key));
    (format.fill)(&mut options, spec.field());
    let chosen = Choice::read(format.name, options).map_err(|complaint| reader.complain(complaint)).ok()?;
    chosen.check(spec.field()).into_iter().for_each(|complaint| reader.complain(complaint));
    Some(chosen)
}

impl Draft {
    /// The entrant, with some bot where its own cannot be read.
    fn outline(&self) -> Entrant {
        Entrant { name: self.name.clone().unwrap_or_default(), ..self.entrant.clone() }
    }
}
