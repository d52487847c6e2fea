//! Weighs whole hands by all that their owners did.

use arena_engine::chance::Chance;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::prompt::Prompt;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::player::{Player, Start};

use super::exact::attack_or_stop;
use super::hands::Hands;
use super::inferring::prepare;
use super::knowledge::Knowledge;
use super::opponents::Opponents;

/// Attacks the panel that is likeliest over all hands, or a sample of them, each weighed by how likely its owner was to make the
/// attacks and stops that it made; sets up and draws as `inferring` does.
#[derive(Default)]
pub struct Bayesian(Option<Seated>);

/// What it has at a table.
struct Seated {
    knowledge: Knowledge,
    opponents: Opponents,
    chance: Chance,
}

impl Player<Coda> for Bayesian {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.0 = Some(Seated {
            knowledge: Knowledge::new(start),
            opponents: Opponents::new(start.seats),
            chance: start.seed.stream("bayesian", 0),
        });
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let Seated { knowledge, opponents, chance } = self.0.as_mut().expect("a match starts before its first turn");
        knowledge.learn(events);
        match prompt {
            Prompt::Attack(attacks) => {
                let mut hands = Hands::of(knowledge, chance);
                opponents.weigh(knowledge, &mut hands);
                attack_or_stop(&hands.odds(), attacks.may_stop)
            }
            Prompt::One(choice) => prepare(knowledge, choice, chance),
        }
    }
}
