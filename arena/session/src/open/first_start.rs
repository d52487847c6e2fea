//! Starts each new version once, isolated as in a match, before it may replace a working version.

use std::path::Path;
use std::time::Duration;

use arena_config::diagnostic::UsageError;
use arena_results::faults::log;
use arena_runner::conversation::Conversation;
use arena_runner::conversation::greeting::Unready;
use arena_runner::gate::Gate;
use arena_runner::{Run, Starts, Startup, Stop, worker};
use arena_tournament::printable::clean;
use arena_tournament::spec::{LeftOut, Spec};

use crate::sandbox;

/// Starts these bots once, and returns those that do not become ready.
///
/// # Errors
/// If a bot does not become ready, unless such bots may be left out.
pub fn broken(spec: &Spec, names: &[&str], folders: &[&Path]) -> anyhow::Result<Vec<LeftOut>> {
    let is_new = |bot: &usize| {
        let bot = &spec.bots[*bot];
        bot.is_program() && names.contains(&bot.name.as_str())
    };
    let new: Vec<usize> = (0..spec.bots.len()).filter(is_new).collect();
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let sandbox = sandbox::for_programs(spec, folders)?;
    sandbox::announce(spec, &sandbox, false);
    let (stop, starts) = (Stop::default(), Starts::default());
    let mut broken = Vec::new();
    for bot in new {
        let startup = Run::new(spec, &stop, &starts, &sandbox).startup(bot);
        let start_ms = spec.clock(bot).start_ms;
        let why = startup.and_then(|startup| why_unready(&startup, start_ms).transpose());
        let Some(why) = why.transpose()? else {
            continue;
        };
        let name = spec.bots[bot].name.clone();
        if !spec.local.keep_going {
            return Err(UsageError::one(format!("bot {} {why}", clean(&name))).into());
        }
        broken.push(LeftOut {
            name,
            why,
            ..LeftOut::default()
        });
    }
    Ok(broken)
}

/// Starts a program. Returns the reason why it did not become ready, if the program is to blame.
fn why_unready(startup: &Startup<'_>, start_ms: u64) -> anyhow::Result<Option<String>> {
    let limit = Duration::from_millis(start_ms);
    worker::runtime()?.block_on(async {
        match Conversation::start(startup, &Gate::shared(), limit).await {
            Ok(conversation) => {
                conversation.quit().await;
                Ok(None)
            }
            Err(Unready::Failed(fault, evidence)) => {
                let reason = log::reason(&evidence.stderr);
                let reason = reason.map(|line| format!("; its log says: {line}"));
                let reason = reason.unwrap_or_default();
                Ok(Some(format!("does not start: {fault}{reason}")))
            }
            Err(Unready::Ours(_) | Unready::Paused(_)) => Ok(None),
        }
    })
}
