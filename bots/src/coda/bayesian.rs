//! A bot that weighs complete hands by all actions of their owners.

use arena_engine::chance::Chance;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::player::Start;

use super::exact::attack_or_stop;
use super::hands::{Hands, affordable};
use super::inferring::prepare;
use super::knowledge::Knowledge;
use super::opponents::{Opponents, SURE_ATTACKS};
use crate::bot::MatchBot;

/// A bot that attacks the likeliest panel, by all hands or a sample of them. Each hand is weighed by the likelihood of its owner's attacks
/// and stops. The bot sets up and draws like `inferring`.
pub struct Bayesian {
    knowledge: Knowledge,
    opponents: Opponents,
    chance: Chance,
    move_ms: Option<u64>,
}

impl MatchBot<Coda> for Bayesian {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self {
            knowledge: Knowledge::new(start),
            opponents: Opponents::new(start.seats, SURE_ATTACKS),
            chance: start.seed.stream("bayesian", 0),
            move_ms: start.move_ms,
        }
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let Self {
            knowledge,
            opponents,
            chance,
            move_ms,
        } = self;
        knowledge.learn(events);
        let Some(Choice::Attack { .. }) = prompt.0.first() else {
            return prepare(knowledge, prompt, chance);
        };
        let mut hands = Hands::new(knowledge, affordable(*move_ms, knowledge), chance);
        opponents.weigh(knowledge, &mut hands);
        attack_or_stop(&hands.odds(), prompt.may_stop())
    }
}
