//! A rehearsal: bots are started once on this machine and play their first turn, so that what is missing or other here costs no bot a match.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use arena_bots::roster;
use arena_engine::fault::{Cause, Fault};
use arena_engine::record::{Record, Reply};
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use arena_tournament::reply_text::ReplyText;
use arena_tournament::spec::Spec;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::sync::oneshot;

use crate::message::{Openings, shortened};
use arena_runner::rerun::{Rerun, Setup, rerun};
use arena_runner::{Run, Starts, Stop, play_one};
use arena_sandbox::{Sandbox, cores};
use arena_session::sandbox;

/// How often a bot is started before it counts as one that does not start or answers otherwise: the machine may have been busy, and the
/// answers of a bot that does not follow its seed differ among themselves.
const ATTEMPTS: usize = 3;

/// Why a worker cannot play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The reason.
    pub why: String,
    /// The number of the bot, if it starts and does not answer as is expected.
    pub otherwise: Option<usize>,
}

/// What a bot that is ready answers: an action as JSON, or why there is none.
type Answer = Result<String, String>;

/// What each bot answers here, as far as it does so twice.
pub fn openings(spec: &Spec, stop: &Stop) -> anyhow::Result<Openings> {
    let (sandbox, opening) = (sandbox::for_programs(spec, &[])?, opening(spec)?);
    sandbox::announce(spec, &sandbox, true);
    let answer = |bot| first_turn(spec, &sandbox, &opening, bot, stop).ok()?.ok();
    let all = programs(spec);
    let found = at_once(&all, |bot| {
        answer(bot).filter(|first| answer(bot).as_ref() == Some(first))
    });
    let mut openings = vec![None; spec.bots.len()];
    all.into_iter()
        .zip(found)
        .for_each(|(bot, answer)| openings[bot] = answer);
    Ok(openings)
}

/// The bots that are started.
pub fn programs(spec: &Spec) -> Vec<usize> {
    let is_started =
        |bot: &usize| spec.bots[*bot].is_program() && spec.bots[*bot].withdrawn.is_none();
    (0..spec.bots.len()).filter(is_started).collect()
}

/// Does something for each bot, for one on each core at the same time.
fn at_once<T: Send>(bots: &[usize], play: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let play_all = |bots: &[usize]| {
        thread::scope(|scope| {
            let playing: Vec<_> = bots.iter().map(|bot| scope.spawn(|| play(*bot))).collect();
            let played = playing
                .into_iter()
                .map(|one| one.join().unwrap_or_else(|panic| resume_unwind(panic)));
            played.collect::<Vec<_>>()
        })
    };
    bots.chunks(cores::count()).flat_map(play_all).collect()
}

/// Why one of these bots does not start here, or does not answer as is expected, if there is one.
pub async fn failure(
    spec: &Spec,
    openings: &Openings,
    stop: &Arc<Stop>,
    bots: Vec<usize>,
) -> Option<Failure> {
    if bots.is_empty() {
        return None;
    }
    let (sender, receiver) = oneshot::channel();
    let (spec, openings, stop) = (spec.clone(), openings.clone(), Arc::clone(stop));
    // A conversation stays on its thread.
    thread::spawn(move || {
        let failed = first_failure(&spec, &openings, &stop, &bots);
        sender.send(failed.unwrap_or_else(|error| {
            Some(Failure {
                why: format!("{error:#}"),
                otherwise: None,
            })
        }))
    });
    let why = || Failure {
        why: "the arena failed while it started the bots".into(),
        otherwise: None,
    };
    receiver.await.unwrap_or_else(|_| Some(why()))
}

fn first_failure(
    spec: &Spec,
    openings: &Openings,
    stop: &Stop,
    bots: &[usize],
) -> anyhow::Result<Option<Failure>> {
    let (sandbox, opening) = (sandbox::for_programs(spec, &[])?, opening(spec)?);
    let failures = at_once(bots, |bot| {
        let expected = openings.get(bot).and_then(Option::as_ref);
        let (is_ready, why) = judge(expected, || first_turn(spec, &sandbox, &opening, bot, stop))?;
        let why = format!("bot {} does not {why}", clean(&spec.bots[bot].name));
        Some(Failure {
            why,
            otherwise: is_ready.then_some(bot),
        })
    });
    Ok(failures
        .into_iter()
        .flatten()
        .next()
        .filter(|_| !stop.is_set()))
}

/// Why a bot does not start here, or answer as is expected, and which of the two it is.
fn judge(
    expected: Option<&String>,
    mut play: impl FnMut() -> Result<Answer, String>,
) -> Option<(bool, String)> {
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let answer = play();
        match (&answer, expected, &last) {
            // Whether it fails at its turn everywhere is for matches to show.
            (Ok(_), None, _) => return None,
            (Ok(Ok(answer)), Some(expected), _) if answer == expected => return None,
            // It does not follow its seed.
            (Ok(Ok(answer)), _, Some(Ok(Ok(before)))) if answer != before => return None,
            _ => last = Some(answer),
        }
    }
    Some(match last? {
        Err(why) => (false, format!("start here: {why}")),
        Ok(answer) => {
            let answer = shortened(&answer.unwrap_or_else(|why| why));
            let expected = shortened(expected.map_or("", String::as_str));
            (
                true,
                format!(
                    "answer its first turn here as on the coordinator's machine: {answer}, not {expected}"
                ),
            )
        }
    })
}

/// A match of built-in bots, which is the same everywhere.
fn opening(spec: &Spec) -> anyhow::Result<Played> {
    let mut plain = spec.clone();
    // No deal of the tournament.
    plain.plan.seed = spec.plan.seed.child("rehearsal", 0);
    let random = |seat| Entrant::new(format!("{seat}"), Bot::Builtin(roster::RANDOM.into()));
    plain.bots = (0..spec.plan.seats).map(random).collect();
    play_one(Run::new(
        &plain,
        &Stop::default(),
        &Starts::default(),
        &Sandbox::default(),
    ))
}

/// Starts a bot, and lets it play the first turn of a match. Fails with the reason if it is not ready.
fn first_turn(
    spec: &Spec,
    sandbox: &Sandbox,
    opening: &Played,
    bot: usize,
    stop: &Stop,
) -> Result<Answer, String> {
    let done = play(spec, sandbox, opening, bot, stop).map_err(|error| format!("{error:#}"))?;
    let last = done.log.lines().rev().find(|line| !line.trim().is_empty());
    let log = last
        .map(|line| format!(" ({})", clean(line)))
        .unwrap_or_default();
    if let Some(fault) = done.ended {
        return Err(format!("{}{log}", fault.detail));
    }
    Ok(
        match done
            .steps
            .into_iter()
            .next()
            .map(|step| (step.now, step.illegal))
        {
            Some((ReplyText::Act(action), None)) => Ok(json!(action).to_string()),
            Some((ReplyText::Failed(fault), _)) => Err(format!("{}{log}", fault.detail)),
            Some((_, Some(illegal))) => Err(illegal),
            _ => Err("no answer".into()),
        },
    )
}

fn play(
    spec: &Spec,
    sandbox: &Sandbox,
    opening: &Played,
    bot: usize,
    stop: &Stop,
) -> anyhow::Result<Rerun> {
    let starts = Starts::default();
    let startup = Run::new(spec, stop, &starts, sandbox)
        .startup(bot)
        .context("no program")?;
    let record: Record<IgnoredAny, IgnoredAny> = serde_json::from_str(&opening.record)?;
    let seat = record.replies.first().context("a match without a turn")?.0;
    let setup = Setup {
        played: opening,
        seat,
        until: Some(0),
        startup,
        clock: spec.clock(bot),
        stop,
    };
    Ok(rerun(&spec.plan.game, &setup)?.unwrap_or_default())
}

/// The bots of a match that crashed or never got ready, which may be the machine's fault.
pub fn crashed(played: &Played) -> Vec<String> {
    let Ok(record) = serde_json::from_str::<Record<IgnoredAny, IgnoredAny>>(&played.record) else {
        return Vec::new();
    };
    let is_crash = |reply: &Reply<IgnoredAny>| match reply {
        Reply::Failed(fault) => {
            fault.cause() == Cause::Crash || matches!(fault, Fault::NotReady { .. })
        }
        Reply::Act(_) | Reply::Late => false,
    };
    let crashed = record.replies.iter().filter(|replied| is_crash(&replied.1));
    crashed
        .filter_map(|replied| played.bots.get(replied.0.index()).cloned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found of a bot that answers like this, again and again.
    fn judged(expected: Option<&str>, answers: &[Result<Answer, &str>]) -> Option<(bool, String)> {
        let mut answers = answers.iter().cycle();
        judge(expected.map(String::from).as_ref(), || {
            answers.next().unwrap().clone().map_err(String::from)
        })
    }

    #[test]
    fn only_a_bot_that_follows_its_seed_may_answer_otherwise() {
        let [a, b] = ["a", "b"].map(|action| Ok(Ok(action.to_owned())));
        let (fails, unready) = (Ok(Err("exited".to_owned())), Err("no such file"));
        for (expected, answers) in [
            (Some("a"), vec![a.clone()]),
            (None, vec![a.clone()]),
            (None, vec![fails.clone()]),
            // The machine was busy.
            (Some("a"), vec![unready.clone(), a.clone()]),
            (Some("c"), vec![a, b.clone()]),
        ] {
            assert_eq!(judged(expected, &answers), None, "{answers:?}");
        }
        for (expected, answer, is_ready, why) in [
            (Some("a"), b, true, "b, not a"),
            (Some("a"), fails, true, "exited, not a"),
            (Some("a"), unready.clone(), false, "no such file"),
            (None, unready, false, "no such file"),
        ] {
            let (found, text) = judged(expected, &[answer]).unwrap();
            assert!(found == is_ready && text.ends_with(why), "{text}");
        }
    }
}
