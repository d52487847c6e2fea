//! The entrants of a tournament as a file or a flag gives them, and whether their bots can be started.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use arena_bots::roster;
use arena_tournament::entrant::{Bot, Entrant, Program};
use arena_tournament::key::Key;
use arena_tournament::keys;
use arena_tournament::printable::most_marks;
use arena_tournament::spec::LeftOut;
use arena_tournament::suggest::{self, quoted};
use toml::de::DeTable;

use super::conditions::clock;
use super::diagnostic::{At, Diagnostic};
use super::flags::{BOT, Flags};
use super::section::{Reader, Section, text};
use super::snapshot;
use arena_sandbox::access;
use arena_sandbox::interpreter;
use arena_sandbox::paths::resolved;

/// The longest name that a bot may have, in characters.
const LONGEST_NAME: usize = 64;
/// The word that stands for a person in the place of a command.
pub const HUMAN: &str = "human";
/// Where people play.
pub const PEOPLE: &str =
    "to play yourself, use `arena match --bot me=human`, or `arena serve` for the browser";
/// The most marks that a letter of a name may carry; no language needs more, and a pile of them runs over the lines around it.
const MOST_MARKS: usize = 4;

/// An entrant that is being read.
pub struct Draft {
    /// The name, if it can be read.
    pub name: Option<String>,
    /// The bot, if it can be read.
    pub bot: Option<Bot>,
    /// The entrant, but for its name and bot.
    pub entrant: Entrant,
    /// The keys of its table that are there.
    pub keys: Vec<String>,
    /// The number among the tables, or after them among the flags: its paths begin with it.
    pub number: usize,
}

impl Draft {
    /// The draft of an entrant that is known already.
    pub fn of(entrant: &Entrant, number: usize) -> Self {
        let (name, bot) = (Some(entrant.name.clone()), Some(entrant.bot.clone()));
        Self {
            name,
            bot,
            entrant: entrant.clone(),
            keys: Vec::new(),
            number,
        }
    }

    /// The entrant, with some bot where its own cannot be read.
    pub fn outline(&self) -> Entrant {
        Entrant {
            name: self.name.clone().unwrap_or_default(),
            ..self.entrant.clone()
        }
    }
}

/// The path of an entrant's key.
pub fn path(number: usize, key: &str) -> String {
    format!("bots.{number}.{key}")
}

/// The entrant of a table in a file that lies in this folder.
pub fn of_table(
    reader: &mut Reader,
    (number, table, at): (usize, &DeTable<'_>, &At),
    keys: &[&'static Key],
    dir: &Path,
) -> Draft {
    let section = reader.section(
        &format!("bots.{number}"),
        Some(table),
        keys.iter().copied(),
        &[],
    );
    if !section.has("name") && !section.is_misspelt(&["name"]) {
        reader.add(Diagnostic::new(
            at,
            "this bot has no name",
            "add a line below, such as name = \"mine\"",
        ));
    }
    let bot = bot(reader, &section, at, dir);
    let entrant = Entrant {
        restart: section.get("restart").unwrap_or_default(),
        clock: reader
            .table(&section, "clock")
            .is_some()
            .then(|| clock(reader, &section, reader.clock, &[])),
        joined: section.get("joined").unwrap_or(1),
        left: section.get("left"),
        ..Entrant::new("", Bot::Builtin(String::new()))
    };
    Draft {
        name: section.get("name"),
        bot,
        entrant,
        keys: section.given(),
        number,
    }
}

/// What plays by a table: either a built-in bot or a program.
fn bot(reader: &mut Reader, section: &Section<'_>, at: &At, dir: &Path) -> Option<Bot> {
    let program = program(reader, section, dir);
    match (section.has("builtin"), section.has("command")) {
        (true, true) => {
            let [builtin, command] =
                ["builtin", "command"].map(|key| reader.key_place(&section.at(key)));
            let both = Diagnostic::new(
                &command,
                "this bot has both `builtin` and `command`",
                "remove one of the two",
            );
            reader.add(both.also(&builtin, "the other"));
            None
        }
        (false, false) => {
            if !section.is_misspelt(&["builtin", "command"]) {
                let help = "add a line below: builtin = \"...\" or command = \"...\"";
                reader.add(Diagnostic::new(
                    at,
                    "this bot has neither `builtin` nor `command`",
                    help,
                ));
            }
            None
        }
        (true, false) => section.get("builtin").map(Bot::Builtin),
        (false, true) => {
            let command: String = section.get("command")?;
            if command.trim() == HUMAN {
                return Some(Bot::Person);
            }
            let place = reader.place(&section.at("command"));
            let refused =
                |why| Diagnostic::new(&place, why, "a command is split into words as a shell does");
            let command = split(&command)
                .map_err(|why| reader.add(refused(why)))
                .ok()?;
            Some(Bot::Program(Program { command, ..program }))
        }
    }
}

/// The program of a table, but for its command.
fn program(reader: &mut Reader, section: &Section<'_>, dir: &Path) -> Program {
    let home = section
        .get::<PathBuf>("dir")
        .map_or_else(|| dir.to_path_buf(), |folder| dir.join(folder));
    if section.has("dir") && !home.is_dir() && !reader.keep_going {
        let what = format!("there is no folder {}", home.display());
        let at = reader.place(&section.at("dir"));
        reader.add(Diagnostic::new(
            &at,
            what,
            format!("paths are relative to {}", dir.display()),
        ));
    }
    let read: Vec<PathBuf> = section.get("read").unwrap_or_default();
    let read: Vec<PathBuf> = read.iter().map(|path| resolved(&home.join(path))).collect();
    for (number, path) in read
        .iter()
        .enumerate()
        .filter(|(_, path)| home.is_dir() && !path.exists())
    {
        let place = reader.place(&section.at(&format!("read.{number}")));
        let what = format!("there is nothing at {} to read", path.display());
        reader.add(Diagnostic::new(
            &place,
            what,
            "correct the path, or remove it",
        ));
    }
    let (build, cores) = (
        section.get("build"),
        section.get("cores").unwrap_or_default(),
    );
    let cache = section
        .get::<PathBuf>("cache")
        .map(|folder| resolved(&home.join(folder)));
    let (env, pass_env) = (env(reader, section), passed(reader, section));
    let program = Program {
        dir: home,
        build,
        env,
        pass_env,
        read,
        cores,
        cache,
        ..Program::default()
    };
    let [network, build_network, may_pause] =
        ["network", "build_network", "may_pause"].map(|key| section.get(key).unwrap_or(false));
    Program {
        network,
        build_network,
        may_pause,
        ..program
    }
}

/// The program of these words, run as flags have it; paths begin at a folder.
pub fn of_words_and_flags(
    reader: &mut Reader,
    name: &str,
    words: &[String],
    flags: &Flags,
    dir: &Path,
) -> Entrant {
    let section = reader.section(BOT, None, keys::BOT, &flags.values);
    let mut env = BTreeMap::new();
    for text in flags.texts(&section.at("env")) {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => {
                drop(env.insert(name.to_owned(), value.to_owned()));
            }
            _ => {
                let at = At::Flag(format!("--env {text}"));
                reader.add(Diagnostic::new(
                    &at,
                    "this does not set a variable",
                    "write NAME=VALUE",
                ));
            }
        }
    }
    let program = Program {
        command: words.to_vec(),
        env,
        ..program(reader, &section, dir)
    };
    Entrant::new(name, Bot::Program(program))
}

/// The names of the variables that a program is passed, each of them set here.
fn passed(reader: &mut Reader, section: &Section<'_>) -> Vec<String> {
    let names: Vec<String> = section.get("pass_env").unwrap_or_default();
    for (number, name) in names.iter().enumerate() {
        let at = reader.place(&section.at(&format!("pass_env.{number}")));
        check_variable(
            reader,
            name,
            &at,
            "write only the name of the variable, without =",
        );
    }
    names
}

/// Notes a name that no variable can have.
fn check_variable(reader: &mut Reader, name: &str, at: &At, help: &str) {
    if name.is_empty() || name.contains(['=', '\0']) {
        reader.add(Diagnostic::new(
            at,
            format!("{} is not a valid variable name", quoted(name)),
            help,
        ));
    }
}

fn env(reader: &mut Reader, section: &Section<'_>) -> BTreeMap<String, String> {
    let mut env = BTreeMap::new();
    for (name, value) in reader.table(section, "env").into_iter().flatten() {
        let at = At::File(name.span());
        let name: &str = name.get_ref();
        check_variable(reader, name, &at, "write one without =");
        match text(name, value) {
            Ok(text) if text.contains('\0') => {
                let what = format!("the value of {} contains a NUL character", quoted(name));
                reader.add(Diagnostic::new(
                    &At::File(value.span()),
                    what,
                    "remove that character",
                ));
            }
            Ok(text) => drop(env.insert(name.to_owned(), text)),
            Err(diagnostic) => reader.add(diagnostic),
        }
    }
    env
}

/// The entrant of a flag NAME=COMMAND, NAME=builtin:BOT, NAME=human, or BOT alone for a bot that is built in.
pub fn of_flag(reader: &mut Reader, number: usize, flag: &str, at: &At) -> Draft {
    let (name, bot) = match flag.split_once('=') {
        None if flag.trim() == HUMAN => (flag, Ok(Bot::Person)),
        None => (flag, Ok(Bot::Builtin(flag.trim().to_owned()))),
        Some((name, command)) => (name, of_command(command)),
    };
    let name = Some(name.trim().to_owned());
    for key in ["name", "builtin", "command"] {
        reader.put(&path(number, key), at);
    }
    if let Err(why) = &bot {
        reader.add(Diagnostic::new(
            at,
            why,
            "write it as NAME=COMMAND or NAME=builtin:BOT",
        ));
    }
    let entrant = Entrant::new("", Bot::Builtin(String::new()));
    Draft {
        name,
        bot: bot.ok(),
        entrant,
        keys: Vec::new(),
        number,
    }
}

/// What plays by a flag: a program that is run in the current folder, a built-in bot, or a person.
pub fn of_command(command: &str) -> Result<Bot, String> {
    if command.trim() == HUMAN {
        return Ok(Bot::Person);
    }
    if let Some(builtin) = command.trim().strip_prefix("builtin:") {
        return Ok(Bot::Builtin(builtin.to_owned()));
    }
    let words = split(command)?;
    Ok(Bot::Program(of_words(
        words,
        std::env::current_dir().map_err(|error| error.to_string())?,
    )))
}

/// The program of a command that is split into words already.
pub fn of_words(command: Vec<String>, dir: PathBuf) -> Program {
    Program {
        command,
        dir,
        ..Program::default()
    }
}

/// Splits a command into words as a shell would.
pub fn split(command: &str) -> Result<Vec<String>, String> {
    if command.contains('\0') {
        return Err("a command cannot contain a NUL character".into());
    }
    match shlex::split(command) {
        Some(words) if words.first().is_some_and(|word| !word.is_empty()) => Ok(words),
        Some(_) => Err("the command is empty".into()),
        None => Err(format!(
            "the command {} has an unclosed quote",
            quoted(command)
        )),
    }
}

/// Notes the people among these drafts, who take part in no tournament.
pub fn refuse_people(reader: &mut Reader, drafts: &[Draft]) {
    for draft in drafts.iter().filter(|draft| draft.bot == Some(Bot::Person)) {
        let at = reader.place(&path(draft.number, "command"));
        reader.add(Diagnostic::new(
            &at,
            "a person cannot take part in a tournament, only in single matches",
            PEOPLE,
        ));
    }
}

/// The entrants of these drafts that can play a game, if that is known; notes whatever keeps the others from it. Where programs that
/// cannot be found are to be left out, they are added to those.
pub fn check(
    reader: &mut Reader,
    game: Option<&str>,
    drafts: Vec<Draft>,
    mut left_out: Option<&mut Vec<LeftOut>>,
) -> Vec<Entrant> {
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let mut entrants = Vec::new();
    for mut draft in drafts {
        draft.bot = draft.bot.map(|bot| builtin_if_meant(bot, game));
        if let (Some(left_out), Some(name)) = (&mut left_out, &draft.name)
            && let Some(why) = unfit(name, draft.bot.as_ref(), &first)
        {
            left_out.push(LeftOut {
                name: name.clone(),
                why,
            });
            continue;
        }
        check_name(reader, &draft, &mut first);
        check_bot(reader, &draft, game);
        if let (Some(name), Some(bot)) = (draft.name, draft.bot) {
            entrants.push(Entrant {
                name,
                files: snapshot::files(&bot),
                bot,
                ..draft.entrant
            });
        }
    }
    entrants
}

/// Returns the reason for which a bot is left out, if there is one.
fn unfit(name: &str, bot: Option<&Bot>, taken: &BTreeMap<String, usize>) -> Option<String> {
    if taken.contains_key(name) {
        return Some("another bot has this name".into());
    }
    let Some(Bot::Program(program)) = bot else {
        return None;
    };
    find_all(program).err()
}

/// True for what can name a bot.
pub fn is_name(name: &str) -> bool {
    let is_good =
        !name.contains(|c: char| c == '/' || c.is_control()) && most_marks(name) <= MOST_MARKS;
    is_good && (1..=LONGEST_NAME).contains(&name.chars().count())
}

fn check_name(reader: &mut Reader, draft: &Draft, first: &mut BTreeMap<String, usize>) {
    let Some(name) = &draft.name else { return };
    let at = reader.place(&path(draft.number, "name"));
    if let Some(other) = first.get(name) {
        let twice = Diagnostic::new(
            &at,
            format!("two bots are named {}", quoted(name)),
            "rename one of the two",
        );
        reader.add(twice.also(&reader.place(&path(*other, "name")), "the first is here"));
    } else {
        first.insert(name.clone(), draft.number);
    }
    if is_name(name) {
        return;
    }
    let help = format!(
        "use 1 to {LONGEST_NAME} characters, no / or control characters, and at most {MOST_MARKS} combining marks on a letter"
    );
    reader.add(Diagnostic::new(
        &at,
        format!("{} is not a valid bot name", quoted(name)),
        help,
    ));
}

/// The built-in bot that a command of one word names, if there is no such program.
fn builtin_if_meant(bot: Bot, game: Option<&str>) -> Bot {
    match (&bot, game) {
        (Bot::Program(program), Some(game)) if program.dir.is_dir() && find(program).is_err() => {
            match program.command.as_slice() {
                [word] if roster::names(game).any(|name| name == word) => {
                    Bot::Builtin(word.clone())
                }
                _ => bot,
            }
        }
        _ => bot,
    }
}

fn check_bot(reader: &mut Reader, draft: &Draft, game: Option<&str>) {
    match (&draft.bot, game) {
        (Some(Bot::Builtin(builtin)), Some(game)) => {
            let known: Vec<&str> = roster::names(game).collect();
            if !known.contains(&builtin.as_str()) {
                let what = format!("no bot named {} is built in for {game}", quoted(builtin));
                let at = reader.place(&path(draft.number, "builtin"));
                let program = if let At::Flag(_) = at {
                    "; a program is given as NAME=COMMAND"
                } else {
                    ""
                };
                let help = suggest::value(builtin, &known) + program;
                reader.add(Diagnostic::new(&at, what, help));
            }
        }
        // That its folder is missing has been noted where it is named.
        (Some(Bot::Program(program)), _) if program.dir.is_dir() => {
            if let Err(why) = find_all(program) {
                let help = format!(
                    "programs are looked up on PATH, and paths in {}",
                    program.dir.display()
                );
                let meant = game.and_then(|game| builtin_like(program, game));
                let help = meant.map_or(help.clone(), |name| {
                    format!("did you mean the built-in bot {name:?}? {help}")
                });
                let at = reader.place(&path(draft.number, "command"));
                reader.add(Diagnostic::new(&at, why, help));
            }
        }
        _ => {}
    }
}

/// The built-in bot whose name is nearest to a command of one word.
fn builtin_like(program: &Program, game: &str) -> Option<&'static str> {
    let [word] = program.command.as_slice() else {
        return None;
    };
    suggest::nearest(word, &roster::names(game).collect::<Vec<_>>())
}

/// The file that a program's command starts, if the script is there too that it names for it. What is yet to be built need not be.
pub fn find_all(program: &Program) -> Result<PathBuf, String> {
    if program.build.is_some() && access::is_path(&program.command[0]) {
        return Ok(program.dir.join(&program.command[0]));
    }
    let path = find(program)?;
    match interpreter::script(&program.command) {
        Some(script) if program.build.is_none() && !program.dir.join(script).exists() => {
            Err(format!(
                "there is no file {script} for {} to run",
                program.command[0]
            ))
        }
        _ => Ok(path),
    }
}

/// The file that a program's command starts.
pub fn find(program: &Program) -> Result<PathBuf, String> {
    let name = &program.command[0];
    if !program.dir.is_dir() {
        return Err(format!("there is no folder {}", program.dir.display()));
    }
    if program.dir.to_str().is_none() {
        return Err(format!(
            "the name of its folder {} is not UTF-8: rename it",
            program.dir.display()
        ));
    }
    let in_dir = || Some(program.dir.join(name)).filter(|path| path.is_file());
    match if access::is_path(name) {
        in_dir()
    } else {
        access::on_path(name)
    } {
        Some(path) if is_executable(&path) && is_of_windows(&path) => Err(format!(
            "{name} has Windows line endings; its first line ends in \\r: convert it (dos2unix {name}, or sed -i 's/\\r$//' {name})"
        )),
        Some(path) if is_executable(&path) => Ok(path),
        Some(path) => Err(format!(
            "{} is not executable (chmod +x, or name its interpreter first)",
            path.display()
        )),
        None => Err(format!("there is no program {name}")),
    }
}

/// True for a script whose interpreter the system does not find, since its first line ends as in Windows.
fn is_of_windows(path: &Path) -> bool {
    let mut line = Vec::new();
    let read = File::open(path)
        .and_then(|file| BufReader::new(file.take(256)).read_until(b'\n', &mut line));
    read.is_ok() && line.starts_with(b"#!") && line.ends_with(b"\r\n")
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|about| about.permissions().mode() & 0o111 != 0)
}

/// True if a program of that name is found.
pub fn is_installed(name: &str) -> bool {
    find(&of_words(vec![name.into()], ".".into())).is_ok()
}
