//! What matches are played with, and what becomes of them.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
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

/// A flag: no further match begins.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// Lets running matches finish, and begins no other.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// True once no other match is to begin.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A program that is to be started, and where what is kept of it goes.
#[derive(Clone, Copy)]
pub struct Startup<'a> {
    /// The bot's name.
    pub name: &'a str,
    /// The program.
    pub program: &'a Program,
    /// What it may use.
    pub limits: Limits,
    /// Its sandbox.
    pub sandbox: &'a Sandbox,
    /// Where its logs go.
    pub logs: Logs<'a>,
}

/// What matches are played with.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// What is played, by whom, and under which conditions.
    pub spec: &'a Spec,
    /// Where bots' logs go.
    pub logs: Logs<'a>,
    /// When to stop.
    pub stop: &'a Stop,
    /// How the starts of its programs went.
    pub starts: &'a Starts,
    /// The sandbox of bots that are programs.
    pub sandbox: &'a Sandbox,
    /// Those who ask people; none where only bots play.
    pub people: Option<&'a dyn People>,
    /// The match as far as it had come before, if it goes on.
    pub begun: Option<&'a Begun>,
}

impl<'a> Run<'a> {
    /// Matches of bots of which no logs are kept.
    pub fn new(spec: &'a Spec, stop: &'a Stop, starts: &'a Starts, sandbox: &'a Sandbox) -> Self {
        Self {
            spec,
            logs: Logs::default(),
            stop,
            starts,
            sandbox,
            people: None,
            begun: None,
        }
    }

    /// Deals the matches, by the rules of the description.
    pub(crate) fn dealer(&self) -> anyhow::Result<Box<dyn Dealer>> {
        let plan = &self.spec.plan;
        let game = table::find(&plan.game).context("no such game")?;
        Ok(game.dealer(&plan.rules, plan.seats)?)
    }

    /// The start of a bot's program, if it is one.
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
            logs: self.logs,
        })
    }

    /// Milliseconds for each answer of a bot, as `start` has them.
    pub fn move_ms(&self, bot: usize) -> Option<u64> {
        SeatClock::new(self.spec.clock(bot)).message().per_answer()
    }

    /// True if a bot is built in and not withdrawn.
    pub fn is_builtin(&self, bot: usize) -> bool {
        let entrant = &self.spec.bots[bot];
        matches!(entrant.bot, Bot::Builtin(_)) && entrant.withdrawn.is_none()
    }

    /// The names of the bots of a match, by seat.
    pub fn names(&self, planned: &Planned) -> Vec<String> {
        planned
            .seats
            .iter()
            .map(|bot| self.spec.bots[*bot].name.clone())
            .collect()
    }

    /// A match that came to no result.
    pub fn unplayed(&self, planned: &Planned, why: String) -> Finished {
        Finished::Unplayed {
            id: match_id(planned.deal, &self.names(planned)),
            why,
        }
    }
}

/// A planned match at its end, or what is to be known of a bot.
pub enum Finished {
    /// It has a result.
    Played(Box<Played>),
    /// A bot is not started again in this run.
    GivenUp(GivenUp),
    /// It was broken off since a bot asked for a pause, and the run stops.
    Paused(Paused),
    /// It has none, and that is not a bot's fault.
    Unplayed {
        /// Its name in the schedule.
        id: String,
        /// What stood in the way.
        why: String,
    },
}

/// A bot's request for a pause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} asks for a pause: {}", clean(.bot), clean(.why))]
pub struct Paused {
    /// The bot's name.
    pub bot: String,
    /// What fails, in its words.
    pub why: String,
}

/// Why a match came to no result.
#[derive(Debug, thiserror::Error)]
pub enum Unplayed {
    /// Nobody is to blame; it is played again.
    #[error("the match is void: {0}")]
    Void(#[from] Void),
    /// A bot asked for a pause.
    #[error(transparent)]
    Paused(#[from] Paused),
    /// The arena cannot go on.
    #[error(transparent)]
    Arena(#[from] anyhow::Error),
}
