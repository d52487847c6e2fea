//! `arena audit`: plays a sample of the finished matches again with the same bots, and lists bots that act differently.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_engine::record::{Record, Replied};
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_results::json;
use arena_tournament::deals::Scored;
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use arena_tournament::reply_text::ReplyText;
use arena_tournament::schedule::Planned;
use arena_tournament::spec::Spec;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{first_difference, print, wrong_use};
use crate::cli::{self, Audit};
use arena_config::read::Flags;
use arena_runner::status::status;
use arena_runner::{Finished, Run, Starts};
use arena_session::{folder, sandbox, stopping};

/// The most matches that are listed one by one.
const SHOWN: usize = 10;

/// Audits the tournament of a folder.
pub fn run(args: &Audit) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    if let Some(person) = ledger.spec().bots.iter().find(|bot| bot.is_person()) {
        return wrong_use(format!(
            "{} is a person and cannot play again; `arena verify {}` checks every match by its record",
            person.name,
            args.dir.display()
        ));
    }
    let mut spec = folder::spec(
        &args.dir,
        &Flags {
            trust: args.trust.trust,
            ..Flags::default()
        },
    )?;
    spec.local.as_root = args.as_root;
    spec.local.jobs = args.jobs.unwrap_or(spec.local.jobs);
    for (bot, entry) in spec.bots.iter().zip(&ledger.spec().bots) {
        if bot.files != entry.files {
            status(format_args!(
                "warning: the files of {} have changed since it played",
                clean(&bot.name)
            ));
        }
    }
    let sample = sample(&ledger, args.sample)?;
    let dir = std::path::absolute(&*args.dir)?;
    let audited = audit(&spec, &dir, &ledger, &sample)?;
    let text = if args.json {
        json::document(&audited)?
    } else {
        audited.in_words()
    };
    let done = print(&text)?;
    Ok(if audited.differing.is_empty() {
        done
    } else {
        ExitCode::from(cli::FAILURE)
    })
}

/// Finished matches from all over the tournament.
fn sample(ledger: &Ledger, size: u64) -> Result<Vec<Planned>, LedgerError> {
    let step = ledger.count()?.div_ceil(size.max(1)).max(1);
    let (mut number, mut sample) = (0, Vec::new());
    ledger.scores(|scored| {
        // Another place in each step, so that a tournament that repeats itself is not always met at the same table.
        if number % step == (number / step) % step && plays_again(ledger, &scored) {
            sample.push(Planned {
                deal: scored.deal,
                seats: scored.bots,
            });
        }
        number += 1;
        Ok::<_, LedgerError>(())
    })?;
    Ok(sample)
}

/// True if the same bots would play a match again: none was withdrawn since.
fn plays_again(ledger: &Ledger, scored: &Scored) -> bool {
    let bots = &ledger.spec().bots;
    scored.bots.iter().all(|bot| bots[*bot].withdrawn.is_none())
}

/// What an audit found.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Audited {
    /// The number of matches that were played again.
    matches: u64,
    /// The result of each bot, by its name.
    bots: BTreeMap<String, Bot>,
    /// The matches that differ.
    differing: Vec<Difference>,
    /// The matches without a result in this run, each with the reason.
    unplayed: Vec<String>,
}

/// How a bot did.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Bot {
    /// The number of its matches.
    matches: u64,
    /// The number of those in which it was the first to act differently.
    differing: u64,
}

/// A match that differs.
#[derive(Debug, Serialize, JsonSchema)]
struct Difference {
    /// The match.
    r#match: String,
    /// The number of the first reply that differs, counted from 0 over all seats.
    turn: usize,
    /// The bot that replied.
    bot: String,
    /// The recorded reply as JSON, or `nothing`.
    then: String,
    /// The reply of this run as JSON, or `nothing`.
    now: String,
}

/// Plays these matches again.
fn audit(spec: &Spec, dir: &Path, ledger: &Ledger, sample: &[Planned]) -> anyhow::Result<Audited> {
    let sandbox = sandbox::for_programs(spec, &[dir])?;
    sandbox::announce(spec, &sandbox, false);
    let stop = stopping::on_ctrl_c(stopping::FINISHED)?;
    let starts = Starts::default();
    let run = Run::new(spec, &stop, &starts, &sandbox);
    let mut audited = Audited::default();
    arena_runner::play_all(run, sample.iter().cloned(), |all| {
        for finished in all {
            match finished {
                Finished::Unplayed { id, why } => audited.unplayed.push(format!("{id}: {why}")),
                Finished::GivenUp(_) => {}
                Finished::Paused(paused) => audited.unplayed.push(paused.to_string()),
                Finished::Played(now) => {
                    let then = ledger
                        .find(&now.id())?
                        .context("the match was there before")?;
                    audited.compare(&then, &now)?;
                }
            }
        }
        Ok(())
    })?;
    audited.differing.sort_by(|a, b| a.r#match.cmp(&b.r#match));
    Ok(audited)
}

impl Audited {
    fn compare(&mut self, then: &Played, now: &Played) -> anyhow::Result<()> {
        self.matches += 1;
        for bot in &then.bots {
            self.bots.entry(bot.clone()).or_default().matches += 1;
        }
        if then.record == now.record {
            return Ok(());
        }
        let read =
            |played: &Played| serde_json::from_str::<Record<IgnoredAny, Value>>(&played.record);
        let (old, new) = (read(then)?, read(now)?);
        let Some(turn) = first_difference(&old.replies, &new.replies) else {
            return Ok(());
        };
        let [first, second] = [&old, &new].map(|record| record.replies.get(turn));
        let text = |reply: Option<&Replied<Value>>| match reply {
            Some(Replied(_, reply)) => serde_json::to_string(&ReplyText::of(reply)?),
            None => Ok("nothing".to_owned()),
        };
        if let Some(Replied(seat, _)) = first.or(second) {
            let bot = then.bots[seat.index()].clone();
            self.bots.entry(bot.clone()).or_default().differing += 1;
            self.differing.push(Difference {
                r#match: then.id(),
                turn,
                bot,
                then: text(first)?,
                now: text(second)?,
            });
        }
        Ok(())
    }

    fn in_words(&self) -> String {
        let differing = self.differing.len();
        let mut text = format!(
            "{} matches played again, {differing} of them differ\n",
            self.matches
        );
        for (name, bot) in &self.bots {
            let result = match bot.differing {
                0 => "acts the same".to_owned(),
                count => {
                    format!("does not reproduce: it was the first to act differently in {count}")
                }
            };
            text += &format!("\n{}: {result} ({} matches)", clean(name), bot.matches);
        }
        text += "\n";
        for Difference {
            r#match: id,
            turn,
            bot,
            then,
            now,
        } in self.differing.iter().take(SHOWN)
        {
            text += "\n";
            text += &clean(&format!(
                "{id} at turn {turn}, {bot}: {then} then, {now} now"
            ));
        }
        if differing > 0 {
            text += "\n\na bot reproduces if it takes all its randomness from the seed in its `start` line, and ignores the clock\n";
        }
        text.extend(
            self.unplayed
                .iter()
                .map(|one| format!("no result: {}\n", clean(one))),
        );
        text
    }
}
