//! Plays the match of a table and saves it in a separate ledger.

use std::cmp::Ordering;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use arena_ledger::ledger::Ledger;
use arena_results::viewer::Reaction;
use arena_tournament::played::Played;

use super::table::{Moment, State, Table};
use arena_runner::{Begun, Run, Starts, Stop};
use arena_session::open::open_same;
use arena_session::{crash, judgements, report, sandbox};

/// Folder for people's matches, within the served folder.
const FOLDER: &str = "played";

/// Plays a match to its end, beginning with its saved moves if there are any, and stores it in a ledger. Returns its final state.
pub fn play(table: &Table, begun: Option<&Begun>, root: &Path) -> State {
    let kept = play_game(table, begun).and_then(|played| keep(table, root, &played));
    kept.unwrap_or_else(|error| {
        State::Failed(format!(
            "{error:#}. It is saved, and resumes after a restart of the server"
        ))
    })
}

fn play_game(table: &Table, begun: Option<&Begun>) -> anyhow::Result<Played> {
    let spec = &table.spec;
    let sandbox = sandbox::for_programs(spec, &[])?;
    sandbox::announce(spec, &sandbox, false);
    let (stop, starts) = (Stop::default(), Starts::default());
    let people = Some(table as _);
    let run = Run {
        people,
        begun,
        ..Run::new(spec, &stop, &starts, &sandbox)
    };
    arena_runner::play_one(run)
}

fn keep(table: &Table, root: &Path, played: &Played) -> anyhow::Result<State> {
    let name = match table.saved().folder {
        Some(name) => name,
        None => new_folder(root, &table.spec.plan.game)?,
    };
    table.over(&name)?;
    let dir = root.join(FOLDER).join(&name);
    let (_, mut ledger) = open_same(table.spec.clone(), &dir)?;
    // If a server was killed, it may already have stored the match.
    if ledger.count()? == 0 {
        ledger.append(std::slice::from_ref(played))?;
    }
    ledger.close()?;
    crash::point("kept");
    fs::remove_file(&table.file)?;
    // The match is stored even if it cannot be judged.
    let _ = judgements::judged(&dir, &table.spec.plan.game, played);
    Ok(State::Kept {
        key: format!("{FOLDER}/{name}"),
        id: played.id(),
        moments: moments(&dir, played).ok().flatten().map(Arc::new),
    })
}

/// Returns the mistakes of a match, costliest first if the match was judged. `None` if its moves were neither judged nor counted.
fn moments(dir: &Path, played: &Played) -> anyhow::Result<Option<Vec<Moment>>> {
    let ledger = Ledger::open_read_only(dir)?;
    let replay = report::replay(dir, &ledger, played, None, 1)?;
    let moves = || replay.frames.iter().flat_map(|step| &step.moves);
    if moves().all(|one| one.known.is_none() && one.judged.is_none()) {
        return Ok(None);
    }
    let lost = |one: &Reaction| one.judged.as_ref().and_then(|one| one["lost"].as_f64());
    let mut wrong: Vec<&Reaction> = moves().filter(|one| one.lesson.is_some()).collect();
    wrong.sort_by(|one, other| {
        lost(other)
            .partial_cmp(&lost(one))
            .unwrap_or(Ordering::Equal)
    });
    let moment = |one: &Reaction| Moment {
        seat: one.seat,
        turn: one.turn,
        words: one.lesson.clone().unwrap_or_default(),
    };
    Ok(Some(wrong.into_iter().map(moment).collect()))
}

/// Creates a folder for a match of this game. Returns its name.
fn new_folder(root: &Path, game: &str) -> anyhow::Result<String> {
    let all = root.join(FOLDER);
    fs::create_dir_all(&all).with_context(|| format!("cannot make {}", all.display()))?;
    for number in 1.. {
        let name = format!("{game}-{number}");
        let dir = all.join(&name);
        match fs::create_dir(&dir) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot make {}", dir.display()));
            }
        }
    }
    unreachable!("some number is free")
}
