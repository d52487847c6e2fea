//! A bot that plays like `rollouts`, but also considers the information that an action would reveal about its own code.

use arena_engine::games::coda::Coda;
use arena_engine::games::coda::prompt::Prompt;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::player::Start;

use super::continuations::at_stake;
use super::onlooker::Onlooker;
use super::opponents::ANY_ATTACKS;
use super::rollouts::Rollouts;
use crate::bot::MatchBot;

/// Maximum number of attacks and stops that are tried.
const MAX_TRIED: usize = 6;
/// Penalty, in win probability, for an action that only the bot's own code explains, if the others read its actions.
const PRICE: f64 = 0.15;

/// A bot that conceals its code. An attack reveals that its owner does not hold the named panel, and which attacks seemed likely to the
/// owner. So each action has a penalty, which grows with the certainty that the others read such signs.
pub struct Concealing {
    search: Rollouts,
    onlooker: Onlooker,
}

impl MatchBot<Coda> for Concealing {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self {
            search: Rollouts::against(start, ANY_ATTACKS),
            onlooker: Onlooker::new(start),
        }
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let Self { search, onlooker } = self;
        search
            .knowledge
            .learn(&mut events.inspect(|event| onlooker.learn(event)));
        search.choose(prompt, MAX_TRIED, |view, actions| {
            let price = PRICE * at_stake(view) * onlooker.reads();
            onlooker
                .revealed_by(view, actions)
                .into_iter()
                .map(|revealed| price * revealed)
                .collect()
        })
    }
}
