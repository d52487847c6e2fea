//! Judgements of matches, stored next to the ledger so that no match is judged twice.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use arena_bots::decision::{Decision, Judged};
use arena_bots::judge::{self, Judge};
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_runner::short_hash::short_hash;
use arena_tournament::played::Played;
use arena_tournament::schedule::match_id;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Line<J = Judged> {
    key: String,
    judged: J,
}

/// The name of the file in a tournament's folder.
pub const FILE: &str = "judged.jsonl";

/// Returns the stored judgement of a match, if any.
pub fn find(dir: &Path, game: &str, played: &Played) -> Option<Judged> {
    let key = key(&judge::find(game)?, played);
    let text = fs::read_to_string(dir.join(FILE)).ok()?;
    let start = format!("{{\"key\":{},", serde_json::to_string(&key).ok()?);
    let line = text.lines().find(|line| line.starts_with(&start))?;
    serde_json::from_str(line)
        .ok()
        .map(|line: Line| line.judged)
}

/// Returns `true` if a match can be judged but has no stored judgement.
pub fn is_missing(dir: &Path, game: &str, played: &Played) -> bool {
    judge::find(game).is_some() && find(dir, game, played).is_none()
}

/// Judges a match, and stores the judgement.
pub fn judged(dir: &Path, game: &str, played: &Played) -> anyhow::Result<Option<Judged>> {
    let Some(judge) = judge::find(game) else {
        return Ok(None);
    };
    let judged = judge.judge(played.record.as_str())?;
    // Append to the file, to keep lines that other processes add meanwhile. Only `JudgementFile::read` removes lines.
    let (path, all) = (dir.join(FILE), BTreeMap::new());
    JudgementFile { path, judge, all }.add(&[(played, &judged)])?;
    Ok(Some(judged))
}

/// Returns the most costly mistake of a bot in the judged matches, with the id of the match.
pub fn worst(
    dir: &Path,
    ledger: &Ledger,
    bot: usize,
) -> Result<Option<(String, Decision)>, LedgerError> {
    let spec = ledger.spec();
    let text = fs::read_to_string(dir.join(FILE)).unwrap_or_default();
    let Some(judge) = judge::find(&spec.plan.game).filter(|_| !text.is_empty()) else {
        return Ok(None);
    };
    let (names, version) = (spec.names(), judge.version.to_string());
    let mut seats = HashMap::new();
    ledger.scores(|scored| {
        let bots: Vec<&str> = scored.bots.iter().map(|bot| names[*bot].as_str()).collect();
        if let Some(seat) = scored.bots.iter().position(|one| *one == bot) {
            seats.insert(match_id(scored.deal, &bots), seat);
        }
        Ok::<_, LedgerError>(())
    })?;
    let mut worst: Option<(String, Decision)> = None;
    for line in text.lines() {
        let Ok(Line { key, judged }) = serde_json::from_str::<Line>(line) else {
            continue;
        };
        let parts: Vec<&str> = key.splitn(3, ' ').collect();
        let [of, _, id] = parts[..] else { continue };
        let Some(seat) = seats.get(id).filter(|_| of == version) else {
            continue;
        };
        for decision in judged.decisions {
            let is_worse = worst
                .as_ref()
                .is_none_or(|(_, worst)| decision.lost > worst.lost);
            if decision.listed && decision.seat.index() == *seat && is_worse {
                worst = Some((id.to_owned(), decision));
            }
        }
    }
    Ok(worst)
}

/// The stored judgements of a folder.
pub struct JudgementFile {
    path: PathBuf,
    judge: Judge,
    all: BTreeMap<String, Judged>,
}

impl JudgementFile {
    /// Reads the judgements made by this version of the judge. Unreadable judgements and those of other versions are removed from the file.
    pub fn read(dir: &Path, judge: Judge) -> Self {
        let (path, version) = (dir.join(FILE), format!("{} ", judge.version));
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
        let read = |line: &str| {
            serde_json::from_str(line)
                .ok()
                .filter(|line: &Line| line.key.starts_with(&version))
        };
        let lines: Vec<(&str, Option<Line>)> =
            text.lines().map(|line| (line, read(line))).collect();
        if lines.iter().any(|(_, read)| read.is_none()) {
            let whole = lines
                .iter()
                .filter(|(_, read)| read.is_some())
                .map(|(line, _)| format!("{line}\n"));
            let _ = fs::write(&path, whole.collect::<String>());
        }
        let all = lines
            .into_iter()
            .filter_map(|(_, line)| line)
            .map(|line| (line.key, line.judged))
            .collect();
        Self { path, judge, all }
    }

    /// Returns the judgement of this match; `None` if the match has changed since.
    pub fn get(&self, played: &Played) -> Option<&Judged> {
        self.all.get(&key(&self.judge, played))
    }

    /// Stores judgements if the folder is writable.
    pub fn add(&self, new: &[(&Played, &Judged)]) -> anyhow::Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let mut text = Vec::new();
        for (played, judged) in new {
            serde_json::to_writer(
                &mut text,
                &Line {
                    key: key(&self.judge, played),
                    judged,
                },
            )?;
            text.push(b'\n');
        }
        if let Ok(mut file) = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)
        {
            let _ = file.write_all(&text);
        }
        Ok(())
    }
}

fn key(judge: &Judge, played: &Played) -> String {
    format!(
        "{} {} {}",
        judge.version,
        short_hash(played.record.as_str()),
        played.id()
    )
}
