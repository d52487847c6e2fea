//! Starts a program and waits until it is ready.

use std::time::Duration;

use arena_protocol::fault::BotFault;
use arena_protocol::message::{self, FromBot, Hello, Ready};
use arena_sandbox::StartError;
use arena_tournament::played::Evidence;
use arena_tournament::printable::clean;

use super::{Conversation, Plain};
use crate::clock::{Expired, Void, within};
use crate::gate::Gate;
use crate::observer::{Observer, Passed};
use crate::pipes::{Ended, Volume};
use crate::run::Startup;
use crate::units::millis;

/// The reason why a bot did not get ready.
pub enum Unready {
    /// The bot failed; includes the evidence.
    Failed(BotFault, Box<Evidence>),
    /// The arena or the machine could not start the bot.
    Ours(String),
    /// The bot requests a pause, for this reason.
    Paused(String),
}

impl Conversation {
    /// Starts the program and waits until it is ready.
    pub async fn start(
        startup: &Startup<'_>,
        gate: &Gate,
        limit: Duration,
    ) -> Result<Self, Unready> {
        let _permit = gate.enter(startup.program.cores).await;
        let conversation = Self::open(startup, gate, None)
            .await
            .map_err(|why| match why {
                StartError::Arena(why) => Unready::Ours(why),
                StartError::Bot(why) => Unready::Failed(BotFault::StartFailed(why), Box::default()),
            })?;
        let failed = match conversation.greet(limit).await {
            Ok(Ok(())) => return Ok(conversation),
            Ok(Err(fault)) => Ok(fault),
            Err(void) => Err(void.why),
        };
        let paused = conversation.pause().map(clean);
        let Ended { exit, evidence } = conversation.kill().await;
        Err(match (exit.ours, failed) {
            _ if paused.is_some() => Unready::Paused(paused.unwrap_or_default()),
            (Some(why), _) => Unready::Ours(with_last_line(&why, &evidence)),
            (None, Ok(fault)) => Unready::Failed(fault, Box::new(evidence)),
            (None, Err(why)) => Unready::Ours(why),
        })
    }

    /// Sends `hello`, and waits until the bot is ready.
    pub async fn greet(&self, limit: Duration) -> Result<Result<(), BotFault>, Void> {
        let hello = Hello {
            protocol: message::VERSION,
            arena: env!("CARGO_PKG_VERSION").into(),
        };
        self.pipes.borrow_mut().push(&Plain::Hello(hello));
        let line = match within(self.begin_turn(), Some(limit), self.line()).await {
            Ok((line, _)) => line,
            // The bot is not slow: its process has ended, and the supervisor knows why.
            Err(Expired::Late { .. }) if self.pipes.borrow().is_ending() => self.line().await,
            Err(Expired::Late { computing, .. }) => {
                let hint = self.pipes.borrow().hint(Volume::default(), computing);
                Err(BotFault::NotReady {
                    limit_ms: millis(limit),
                    hint,
                })
            }
            Err(Expired::Void(void)) => return Err(void),
        };
        let ready = line.and_then(|line| {
            let violation = match message::parse_first(&line) {
                Ok(FromBot::Ready(ready)) => return Ok(ready),
                Ok(FromBot::Pause(pause)) if self.may_pause => {
                    self.note_pause(pause);
                    return Ok(Ready::default());
                }
                refused => refused
                    .err()
                    .unwrap_or_else(|| message::refused_pause(&line)),
            };
            self.pipes
                .borrow_mut()
                .observers
                .observe(Passed::Violated, line.as_bytes());
            Err(violation.into())
        });
        self.paused()?;
        match self.pipes.borrow().ended_by_machine() {
            Some(why) if ready.is_err() => Err(Void::new(why)),
            _ => Ok(ready.map(|ready| _ = self.ready.set(ready))),
        }
    }
}

/// Appends the last line of the log to a reason, unless it repeats the reason.
fn with_last_line(why: &str, evidence: &Evidence) -> String {
    let last = evidence.last_lines().find(|line| !line.contains(why));
    last.map_or(why.to_owned(), |line| format!("{why}: {}", clean(line)))
}
