//! The report of a tournament's folder. It is free of private data: bots' environment variables, and paths of the machine.

mod marks;
mod publish;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arena_engine::seat::Seat;
use arena_ledger::ledger::Ledger;
use arena_results::analysis::Analysis;
use arena_results::chart::Drawn;
use arena_results::faults::{Failure, Words, first_forfeits};
use arena_results::report::Candidate;
use arena_results::status::Status;
use arena_results::viewer::Replay;
use arena_results::{report, viewer};
use arena_tournament::entrant::{Bot, Entrant, Program, SOURCES};
use arena_tournament::played::Played;
use arena_tournament::spec::Spec;

use crate::judgements;
use arena_config::file::to_toml;
use arena_runner::logs::{self, OfMatch};

pub use self::publish::publish;

/// The name of the page in a tournament's folder.
pub const FILE: &str = "report.html";

/// Maximum number of forfeits shown on the page of a bot.
const MAX_FORFEITS_PER_BOT: usize = 200;

/// The text that replaces values of environment variables in a published tournament file, because they may be secrets.
const NOT_SHOWN: &str = "(not shown)";

/// Writes the page about the tournament in a folder.
pub fn write(
    file: &Path,
    dir: &Path,
    ledger: &Ledger,
    analysis: &Analysis,
    charts: &[Drawn],
) -> anyhow::Result<()> {
    fs::write(file, page(dir, ledger, analysis, charts)?)
        .with_context(|| file.display().to_string())
}

/// Returns the page about the tournament in a folder.
pub fn page(
    dir: &Path,
    ledger: &Ledger,
    analysis: &Analysis,
    charts: &[Drawn],
) -> anyhow::Result<String> {
    render(dir, ledger, analysis, charts, report::html)
}

/// Returns the forfeits of a tournament in publishable form.
pub fn forfeits(dir: &Path, ledger: &Ledger) -> anyhow::Result<Vec<Failure>> {
    let home = home(dir);
    let (forfeits, spec) = (
        first_forfeits(ledger, report::MAX_FORFEITS, None)?,
        ledger.spec(),
    );
    Ok(forfeits
        .into_iter()
        .map(|forfeit| public(forfeit, spec, &home, Words::public(spec)))
        .collect())
}

/// Returns a forfeit, described in these words, without paths that reveal something about the machine.
fn public(forfeit: Failure, spec: &Spec, home: &Path, words: Words<'_>) -> Failure {
    let log = near_in(&forfeit.log, spec, home);
    words.within(Failure { log, ..forfeit })
}

/// Renders a report in one format.
pub fn render(
    dir: &Path,
    ledger: &Ledger,
    analysis: &Analysis,
    charts: &[Drawn],
    form: impl Fn(&report::Contents<'_>) -> String,
) -> anyhow::Result<String> {
    let (tournament, home) = (&without_people(ledger.spec()), home(dir));
    let days = ledger.days();
    let forfeits = &forfeits(dir, ledger)?;
    let candidates = report::candidates(ledger, analysis)?;
    let matches = &report::instructive(
        ledger,
        &candidates,
        None,
        forfeits,
        Words::public(tournament),
    )?;
    let status = &Status::from_ledger(ledger)?.public(tournament.pseudonyms);
    let file = &for_everybody(tournament, &home)?;
    Ok(form(&report::Contents {
        tournament,
        analysis,
        forfeits,
        matches,
        charts,
        days,
        status,
        file,
    }))
}

/// Renders a match of the tournament in a folder move by move, in publishable form: with full information, or as one seat sees it. Each
/// decision lists up to `guesses` of the likeliest guesses.
pub fn replay(
    dir: &Path,
    ledger: &Ledger,
    played: &Played,
    seat: Option<Seat>,
    guesses: usize,
) -> anyhow::Result<Replay> {
    let (spec, home) = (ledger.spec(), home(dir));
    let near = |log: &mut String| *log = near_in(log, spec, &home);
    let mut logs = logs(dir, played);
    logs.values_mut().for_each(near);
    let mut replay = viewer::replay(played, spec, &logs, seat, Words::public(spec), guesses)?;
    replay
        .forfeits
        .iter_mut()
        .for_each(|forfeit| near(&mut forfeit.log));
    let Some(judged) = judgements::find(dir, &spec.plan.game, played) else {
        return Ok(replay);
    };
    for reaction in replay.frames.iter_mut().flat_map(|frame| &mut frame.moves) {
        let mut decisions = judged.decisions.iter();
        let decision = decisions.find(|decision| decision.turn == reaction.turn);
        reaction.judged = decision.map(serde_json::to_value).transpose()?;
        reaction.lesson = decision
            .filter(|decision| decision.listed)
            .map(ToString::to_string);
    }
    Ok(replay)
}

/// Functions that return the addresses on a server to which the pages of bots link.
pub struct Ways {
    /// Returns the address of the list of matches that a bot lost to another one.
    pub lost: fn(&str, &str) -> String,
    /// Returns the address of a turn of a match.
    pub turn: fn(&str, usize) -> String,
}

/// Returns the publishable page of a bot, with a link to the page that lists all bots.
pub fn public_bot(
    dir: &Path,
    ledger: &Ledger,
    analysis: &Analysis,
    bot: usize,
    all: &str,
    ways: &Ways,
) -> anyhow::Result<String> {
    let spec = ledger.spec();
    of_bot(
        dir,
        ledger,
        (analysis, &report::candidates(ledger, analysis)?),
        bot,
        (Words::public(spec), None, Some(all)),
        Some(ways),
    )
}

/// Returns the page of a bot, in these words.
fn of_bot(
    dir: &Path,
    ledger: &Ledger,
    (analysis, candidates): (&Analysis, &[Candidate]),
    bot: usize,
    (words, log, all): (Words<'_>, Option<&str>, Option<&str>),
    ways: Option<&Ways>,
) -> anyhow::Result<String> {
    let (spec, home) = (ledger.spec(), home(dir));
    let name = &spec.bots[bot].name;
    let forfeits = first_forfeits(ledger, MAX_FORFEITS_PER_BOT, Some(bot))?.into_iter();
    let forfeits: Vec<Failure> = forfeits
        .map(|forfeit| public(forfeit, spec, &home, words))
        .collect();
    let matches = report::instructive(ledger, candidates, Some(name), &forfeits, words)?;
    let worst = judgements::worst(dir, ledger, bot)?;
    let page = report::OfBot {
        name,
        forfeits: &forfeits,
        matches: &matches,
        log,
        refused: if words.include(name) && all.is_none() {
            spec.bots[bot].refused.as_deref()
        } else {
            None
        },
        all,
        lost: ways.map(|ways| ways.lost),
        worst: worst.map(|(id, decision)| report::Worst {
            address: ways.map(|ways| (ways.turn)(&id, decision.turn)),
            turn: decision.turn,
            words: decision.to_string(),
            id,
        }),
    };
    Ok(report::of_bot(spec, analysis, &page))
}

/// Returns the log output of the bots of a match, by turn. Empty if the logs cannot be read.
fn logs(dir: &Path, played: &Played) -> viewer::Logs {
    let (id, folder) = (played.id(), logs::folder(dir));
    let mut found = viewer::Logs::new();
    for (seat, name) in played.bots.iter().enumerate() {
        let mut turn = None;
        let Ok(OfMatch::Lines(lines)) = logs::of_match(&folder, name, &id, seat) else {
            continue;
        };
        for line in lines {
            match (logs::turn(&line), turn) {
                (Some(named), _) => turn = Some(named),
                (None, Some(turn)) => {
                    *found.entry((turn, Seat(seat as u8))).or_default() += &(line + "\n");
                }
                (None, None) => {}
            }
        }
    }
    found
}

/// Returns the parent of a tournament's folder. Paths of bots are shown relative to it.
fn home(dir: &Path) -> PathBuf {
    fs::canonicalize(dir)
        .ok()
        .and_then(|dir| Some(dir.parent()?.to_owned()))
        .unwrap_or_default()
}

/// Returns the tournament without the names of the people behind pseudonyms.
fn without_people(spec: &Spec) -> Spec {
    let mut spec = spec.clone();
    for bot in spec.bots.iter_mut().filter(|_| spec.pseudonyms) {
        if let Bot::Program(program) = &mut bot.bot {
            *program = Program {
                command: vec![NOT_SHOWN.into()],
                cores: program.cores,
                ..Program::default()
            };
        }
        bot.files
            .iter_mut()
            .for_each(|file| file.file = SOURCES.into());
    }
    spec
}

/// Returns the tournament file in publishable form: without values of environment variables, without paths that reveal something about the
/// machine, and without the seed unless the tournament is closed.
fn for_everybody(spec: &Spec, home: &Path) -> anyhow::Result<String> {
    let mut spec = spec.clone();
    for bot in &mut spec.bots {
        if let Bot::Program(program) = &mut bot.bot {
            let values = program.env.values_mut();
            values.for_each(|value| *value = NOT_SHOWN.into());
            let paths = program.read.iter_mut().chain([&mut program.dir]);
            paths.for_each(|path| *path = near(path, home));
        }
    }
    let file = to_toml(&spec)?;
    let is_shown = |line: &&str| spec.closed || !line.starts_with("seed = ");
    Ok(file.split_inclusive('\n').filter(is_shown).collect())
}

/// Returns a path relative to `home`; for a path outside it, only the last component.
fn near(path: &Path, home: &Path) -> PathBuf {
    if !path.is_absolute() {
        return path.to_path_buf();
    }
    match path.strip_prefix(home) {
        Ok(inside) => Path::new(".").join(inside).components().collect(),
        Err(_) => Path::new("…").join(path.file_name().unwrap_or_default()),
    }
}

/// Replaces paths in a bot's output that reveal something about the machine. Paths in a bot's folder are shown relative to that folder.
fn near_in(log: &str, spec: &Spec, home: &Path) -> String {
    let of_bot = |entrant: &Entrant| match &entrant.bot {
        Bot::Program(program) => Some((program.dir.clone(), "")),
        Bot::Builtin(_) | Bot::Person => None,
    };
    let user = std::env::home_dir().map(|user| (user, "~/"));
    let mut folders: Vec<(PathBuf, &str)> = spec
        .bots
        .iter()
        .filter_map(of_bot)
        .chain([(home.into(), "./")])
        .chain(user)
        .collect();
    // Replace deeper paths first.
    folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.components().count()));
    let long = |folder: &Path| folder.components().count() > 1;
    let replace = |log: String, (folder, near): (PathBuf, &str)| match folder
        .to_str()
        .filter(|_| long(&folder))
    {
        Some(folder) => log.replace(&format!("{}/", folder.trim_end_matches('/')), near),
        None => log,
    };
    folders.into_iter().fold(log.to_owned(), replace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_config::read::{Flags, of_kept};

    fn spec(closed: bool) -> Spec {
        let bot = |name: &str| format!("[[bots]]\nname = '{name}'\nbuiltin = 'random'\n");
        let text = format!("seed = 77\n{}{}", bot("x"), bot("y"));
        let mut spec = of_kept(&text, Path::new("/t.toml"), &Flags::default()).unwrap();
        spec.bots = vec![Entrant::new(
            "a",
            Bot::Program(Program {
                command: vec!["sh".into()],
                dir: "/home/ann/cup".into(),
                read: vec!["/home/ann/cup/data".into(), "/opt/tables".into()],
                env: [("KEY".into(), "s3cret".into())].into(),
                ..Program::default()
            }),
        )];
        spec.closed = closed;
        spec
    }

    #[test]
    fn secrets_stay_at_home() {
        let open = for_everybody(&spec(false), Path::new("/home/ann")).unwrap();
        assert!(
            open.contains("KEY = \"(not shown)\"") && !open.contains("s3cret"),
            "{open}"
        );
        assert!(!open.contains("77"), "{open}");
        let closed = for_everybody(&spec(true), Path::new("/home/ann")).unwrap();
        assert!(closed.contains("\nseed = 77\n"), "{closed}");
    }

    #[test]
    fn paths_tell_nothing_of_the_machine() {
        let home = Path::new("/home/ann");
        for (path, shown) in [
            ("/home/ann/cup/data", "./cup/data"),
            ("/home/ann", "."),
            ("/opt/tables", "…/tables"),
            ("near", "near"),
        ] {
            assert_eq!(near(Path::new(path), home), Path::new(shown));
        }
        let shown = for_everybody(&spec(false), home).unwrap();
        assert!(!shown.contains("/home/ann"), "{shown}");
    }
}
