//! A bot that computes the exact probability of every attack and makes the likeliest one.

use arena_engine::chance::Chance;
use arena_engine::game::Prompt as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::odds::{Odds, odds};
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::player::Start;
use arena_engine::set::Set;

use super::knowledge::Knowledge;
use crate::bot::MatchBot;

/// Minimum hit probability at which the bot continues after a hit. Thresholds from 0.2 to 1 were tried against each other. Those below 0.35
/// are the best, and about equal. Another attack is worth more than the panel that it risks.
pub const MIN_CHANCE_TO_GO_ON: f64 = 0.25;

/// A bot that attacks the likeliest panel, and continues after a hit while the next attack is likely enough.
pub struct Exact(Knowledge, Chance);

impl MatchBot<Coda> for Exact {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start), start.seed.stream("exact", 0))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let Self(knowledge, chance) = self;
        knowledge.learn(events);
        match prompt.0.first() {
            Some(Choice::Attack { .. }) => {
                attack_or_stop(&odds(&knowledge.known), prompt.may_stop())
            }
            Some(Choice::Expose { position }) => expose(*position),
            _ => prompt.pick(chance),
        }
    }
}

/// Returns the likeliest attack (the first among equals), or a stop if a stop is allowed and the attack is too unlikely.
pub fn attack_or_stop(odds: &[Odds], may_stop: bool) -> Action {
    let better = |best: Odds, next: &Odds| {
        if next.chance > best.chance {
            *next
        } else {
            best
        }
    };
    let first = *odds.first().expect("the true codes fit what was seen");
    let best = odds.iter().fold(first, better);
    if best.chance < MIN_CHANCE_TO_GO_ON && may_stop {
        Action::Stop {}
    } else {
        best.attack()
    }
}

/// Exposes the lowest panel, which adds least to the bonus.
pub fn expose(positions: Set<u8>) -> Action {
    Action::Expose {
        position: positions.first().expect("a choice has a value"),
    }
}
