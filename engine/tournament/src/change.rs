//! Changes to a tournament that has begun. The tournament adopts what the new file leaves open, or starts over.

use arena_engine::chance::Seed;

use crate::entrant::Entrant;
use crate::spec::{LeftOut, Spec};

impl Spec {
    /// Adopts from the tournament played so far the facts that a file does not state: when bots joined, and which are withdrawn. A bot that
    /// was withdrawn before it entered does not take part.
    pub fn adopt(&mut self, before: &Self) {
        let kept = |name: &str| before.bots.iter().find(|bot| bot.name == name);
        self.drop_withdrawn(|name| kept(name).is_some());
        for bot in &mut self.bots {
            if let Some(kept) = kept(&bot.name) {
                bot.joined = kept.joined;
                bot.withdrawn = bot.withdrawn.and(kept.withdrawn).or(bot.withdrawn);
            }
        }
        for (place, bot) in before.bots.iter().enumerate() {
            if bot.withdrawn.is_some() && self.bots.iter().all(|other| other.name != bot.name) {
                self.bots.insert(place.min(self.bots.len()), bot.clone());
            }
        }
        self.earlier_seeds.clone_from(&before.earlier_seeds);
        self.earlier_sizes.clone_from(&before.earlier_sizes);
        self.closed = before.closed;
    }

    /// Removes withdrawn bots, except those for which `stays` returns `true`.
    pub fn drop_withdrawn(&mut self, stays: impl Fn(&str) -> bool) {
        self.bots
            .retain(|bot| bot.withdrawn.is_none() || stays(&bot.name));
    }

    /// Returns the tournament without these bots, and lists them as left out.
    pub fn without(mut self, broken: Vec<LeftOut>) -> Self {
        let stays = |bot: &Entrant| broken.iter().all(|broken| broken.name != bot.name);
        self.bots.retain(stays);
        self.left_out.extend(broken);
        self
    }

    /// Returns the tournament as it starts over with a new seed.
    pub fn restarted(&self, seed: Seed) -> Self {
        let mut spec = self.clone();
        spec.earlier_seeds.push(self.plan.seed);
        spec.plan.seed = seed;
        // No result is known yet, so there is no earlier plan to report.
        spec.earlier_sizes.clear();
        spec
    }

    /// Returns `true` if changed bots replay deals that their earlier versions may have seen.
    pub fn has_same_deals(&self) -> bool {
        self.earlier_seeds.contains(&self.plan.seed)
    }
}
