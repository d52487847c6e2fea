//! Inputs that all matches of a run share, and the outcome of a match.

use std::sync::atomic::{AtomicBool, Ordering};

use arena_engine::table::{self, Dealer};
use arena_tournament::entrant::{Bot, Entrant, Program};
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use arena_tournament::schedule::{Planned, match_id};
use arena_tournament::spec::{Limits, Spec};

use super::begun::Begun;
use super::clock::Void;
use super::logs::Logs;
use super::people::People;
use super::seat_clock::SeatClock;
use super::starts::{GivenUp, Starts};
use arena_sandbox::Sandbox;

/// A flag that prevents further matches from starting.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// Lets running matches finish, and prevents further ones from starting.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns true once no further match may start.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A program to start, with its limits, sandbox and logs.
#[derive(Clone, Copy)]
pub struct Startup<'a> {
    /// Name of the bot.
    pub name: &'a str,
    /// Program to start.
    pub program: &'a Program,
    /// Resource limits.
    pub limits: Limits,
    /// Sandbox of the program.
    pub sandbox: &'a Sandbox,
    /// Destination of its logs.
    pub logs: Logs<'a>,
}

/// Inputs that all matches of a run share.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Games, bots and conditions.
    pub spec: &'a Spec,
    /// Destination of bots' logs.
    pub logs: Logs<'a>,
    /// Number of matches that share the log of each bot.
    pub matches: &'a [u64],
    /// Flag that stops the run.
    pub stop: &'a Stop,
    /// Start and crash counts of the programs.
    pub starts: &'a Starts,
    /// Sandbox of the programs.
    pub sandbox: &'a Sandbox,
    /// Interface to human players; `None` if only bots play.
    pub people: Option<&'a dyn People>,
    /// Saved state of the match to resume, if any.
    pub begun: Option<&'a Begun>,
}

impl<'a> Run<'a> {
    /// Creates a run of bots only, without logs.
    pub fn new(spec: &'a Spec, stop: &'a Stop, starts: &'a Starts, sandbox: &'a Sandbox) -> Self {
        Self {
            spec,
            logs: Logs::default(),
            matches: &[],
            stop,
            starts,
            sandbox,
            people: None,
            begun: None,
        }
    }

    /// Returns the dealer of the matches, by the rules of the tournament.
    pub(crate) fn dealer(&self) -> anyhow::Result<Box<dyn Dealer>> {
        let plan = &self.spec.plan;
        let game = table::get(&plan.game).map_err(anyhow::Error::msg)?;
        Ok(game.rulebook.dealer(&plan.rules, plan.seats)?)
    }

    /// Returns the startup of a bot's program; `None` for built-in bots.
    pub fn startup(&self, bot: usize) -> Option<Startup<'a>> {
        let Entrant {
            name,
            bot: Bot::Program(program),
            ..
        } = &self.spec.bots[bot]
        else {
            return None;
        };
        Some(Startup {
            name,
            program,
            limits: self.spec.conditions.limits,
            sandbox: self.sandbox,
            logs: Logs {
                matches: self.matches.get(bot).copied().unwrap_or_default(),
                ..self.logs
            },
        })
    }

    /// Returns a bot's time limit per answer in milliseconds, as sent in its `start` message.
    pub fn move_ms(&self, bot: usize) -> Option<u64> {
        SeatClock::new(self.spec.clock(bot)).message().per_answer()
    }

    /// Returns `true` if the bot is a built-in one and has not been withdrawn.
    pub fn is_builtin(&self, bot: usize) -> bool {
        let entrant = &self.spec.bots[bot];
        matches!(entrant.bot, Bot::Builtin(_)) && entrant.withdrawn.is_none()
    }

    /// Returns the names of the bots of a match, by seat.
    pub fn names(&self, planned: &Planned) -> Vec<String> {
        planned
            .seats
            .iter()
            .map(|bot| self.spec.bots[*bot].name.clone())
            .collect()
    }

    /// Returns the description of a match in error messages.
    pub fn title(&self, planned: &Planned) -> String {
        format!("match {}", match_id(planned.deal, &self.names(planned)))
    }

    /// Creates the outcome of a match without a result.
    pub fn unplayed(&self, planned: &Planned, why: String) -> Finished {
        Finished::Unplayed {
            id: match_id(planned.deal, &self.names(planned)),
            why,
        }
    }
}

/// Outcome of a planned match, or news about a bot.
pub enum Finished {
    /// A match with a result.
    Played(Box<Played>),
    /// A bot that is not restarted in this run.
    GivenUp(GivenUp),
    /// A match that was aborted because a bot requested a pause. The run stops.
    Paused(Paused),
    /// A match without a result, through no fault of a bot.
    Unplayed {
        /// Id of the match in the schedule.
        id: String,
        /// Reason in words.
        why: String,
    },
}

/// A bot's request for a pause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} asks for a pause: {}", clean(.bot), clean(.why))]
pub struct Paused {
    /// Name of the bot.
    pub bot: String,
    /// Reason, in the bot's words.
    pub why: String,
}

/// Reason why a match has no result.
#[derive(Debug, thiserror::Error)]
pub enum Unplayed {
    /// Void, and no bot is to blame. The match is played again.
    #[error("the match is void: {0}")]
    Void(#[from] Void),
    /// A bot requested a pause.
    #[error(transparent)]
    Paused(#[from] Paused),
    /// The arena cannot continue.
    #[error(transparent)]
    Arena(#[from] anyhow::Error),
}
