//! A rehearsal: bots are started once on this machine, so that what is missing here costs no bot a match.

use std::thread;
use std::time::Duration;

use arena_engine::fault::{Cause, Fault};
use arena_engine::record::{Record, Reply};
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use serde::de::IgnoredAny;
use tokio::sync::oneshot;

use arena_runner::conversation::{Conversation, Unready};
use arena_runner::gate::Gate;
use arena_runner::worker::runtime;
use arena_runner::{Run, Starts, Stop};
use arena_session::sandbox;

/// How often a bot is started before it counts as one that does not start: the machine may have been busy.
const ATTEMPTS: usize = 2;

/// Why one of these bots does not start here, if one does not.
pub async fn failure(spec: &Spec, is_meant: impl Fn(&str) -> bool) -> Option<String> {
    let programs = spec.bots.iter().enumerate().filter(|(_, bot)| bot.is_program() && is_meant(&bot.name));
    let bots: Vec<usize> = programs.map(|(number, _)| number).collect();
    if bots.is_empty() {
        return None;
    }
    let (sender, receiver) = oneshot::channel();
    let spec = spec.clone();
    // A conversation stays on its thread.
    thread::spawn(move || sender.send(start_all(&spec, &bots).unwrap_or_else(|error| Some(format!("{error:#}")))));
    receiver.await.unwrap_or_else(|_| Some("the arena failed while it started the bots".into()))
}

fn start_all(spec: &Spec, bots: &[usize]) -> anyhow::Result<Option<String>> {
    let (stop, starts, sandbox) = (Stop::default(), Starts::default(), sandbox::for_programs(spec, &[])?);
    let run = Run::new(spec, &stop, &starts, &sandbox);
    runtime()?.block_on(async {
        for bot in bots {
            let mut failed = None;
            for _ in 0..ATTEMPTS {
                failed = start(run, *bot).await;
                if failed.is_none() {
                    break;
                }
            }
            if let Some(why) = failed {
                return Ok(Some(format!("bot {} does not start here: {why}", clean(&spec.bots[*bot].name))));
            }
        }
        Ok(None)
    })
}

/// Starts a bot and waits until it is ready. Returns why it is not.
async fn start(run: Run<'_>, bot: usize) -> Option<String> {
    let startup = run.startup(bot)?;
    let limit = Duration::from_millis(run.spec.clock(bot).start_ms);
    match Conversation::start(&startup, &Gate::shared(), limit).await {
        Ok(conversation) => {
            conversation.quit().await;
            None
        }
        Err(Unready::Failed(fault, evidence)) => {
            let log = evidence.last_lines().next().map(|line| format!(" ({})", clean(line)));
            Some(format!("it {fault}{}", log.unwrap_or_default()))
        }
        Err(Unready::Ours(why) | Unready::Paused(why)) => Some(why),
    }
}

/// The bots of a match that crashed or never got ready, which may be the machine's fault.
pub fn crashed(played: &Played) -> Vec<String> {
    let Ok(record) = serde_json::from_str::<Record<IgnoredAny, IgnoredAny>>(&played.record) else { return Vec::new() };
    let is_crash = |reply: &Reply<IgnoredAny>| match reply {
        Reply::Failed(fault) => fault.cause() == Cause::Crash || matches!(fault, Fault::NotReady { .. }),
        Reply::Act(_) | Reply::Late => false,
    };
    let crashed = record.replies.iter().filter(|replied| is_crash(&replied.1));
    crashed.filter_map(|replied| played.bots.get(replied.0.index()).cloned()).collect()
}
