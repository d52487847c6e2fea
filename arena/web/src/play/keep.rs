//! Plays the match of a table, and keeps it in a ledger of its own.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use arena_tournament::played::Played;

use super::table::{State, Table};
use arena_runner::{Begun, Run, Starts, Stop};
use arena_session::{folder, judgements, sandbox};

/// The folder for matches of people, in the one that is served.
const FOLDER: &str = "played";

/// Plays the match to its end from where it had come, and keeps it. What became of it is what is returned.
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
    let (name, dir) = new_folder(root, &table.spec.plan.game)?;
    let mut ledger = folder::open(&table.spec, &dir)?;
    ledger.append(std::slice::from_ref(played))?;
    ledger.close()?;
    fs::remove_file(&table.file)?;
    // A match that cannot be judged is kept all the same.
    let judged = judgements::judged(&dir, &table.spec.plan.game, played)
        .ok()
        .flatten()
        .map(Arc::new);
    Ok(State::Kept {
        key: format!("{FOLDER}/{name}"),
        id: played.id(),
        judged,
    })
}

/// A new folder for a match of this game.
fn new_folder(root: &Path, game: &str) -> anyhow::Result<(String, PathBuf)> {
    let all = root.join(FOLDER);
    fs::create_dir_all(&all).with_context(|| format!("cannot make {}", all.display()))?;
    for number in 1.. {
        let name = format!("{game}-{number}");
        let dir = all.join(&name);
        match fs::create_dir(&dir) {
            Ok(()) => return Ok((name, dir)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot make {}", dir.display()));
            }
        }
    }
    unreachable!("some number is free")
}
