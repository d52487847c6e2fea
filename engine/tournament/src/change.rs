//! How a tournament that has begun changes: a newer version of a bot comes in its place, or one is disqualified.
//!
//! Where all matches are known from the beginning, those of such a bot are set aside: they count for nobody, and a newer version
//! plays all of them. Where rounds are drawn from results, what was played stands: a newer version goes on in the bot's place, and
//! a disqualified bot forfeits whatever it has not played.
//!
//! The author of a newer version may have seen replays of deals. So the tournament starts over on a new seed, unless its director wants
//! the same deals.

use arena_engine::chance::Seed;

use crate::departure::Departure;
use crate::entrant::{Bot, HashedFile};
use crate::spec::Spec;

/// What becomes of the matches that a bot has played when it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Past {
    /// They are set aside.
    SetAside,
    /// They stand, since later rounds were drawn from them.
    Stands,
}

impl Spec {
    /// The tournament with a newer version of a bot in its place.
    pub fn replaced(&self, bot: usize, newer: Bot, files: Vec<HashedFile>) -> (Self, Past) {
        let mut spec = self.clone();
        let (old, name) = (self.bots[bot].name.clone(), self.next_version(bot));
        let entrant = &mut spec.bots[bot];
        entrant.former.push(old.clone());
        (entrant.name, entrant.bot, entrant.files) = (name.clone(), newer, files);
        spec.rename(&old, Some(&name));
        spec.departures.push(Departure {
            name: old,
            replaced_by: Some(name),
            ..Departure::default()
        });
        (
            spec,
            if self.rounds() > 1 {
                Past::Stands
            } else {
                Past::SetAside
            },
        )
    }

    /// The tournament from its start on another seed, without the bots that were disqualified.
    pub fn restarted(&self, seed: Seed) -> Self {
        let mut spec = self.clone();
        spec.earlier_seeds
            .push(std::mem::replace(&mut spec.plan.seed, seed));
        // No result is known yet.
        spec.first_plan = None;
        for name in self
            .bots
            .iter()
            .filter(|bot| bot.disqualified.is_some())
            .map(|bot| &bot.name)
        {
            spec.bots.retain(|bot| bot.name != *name);
            spec.rename(name, None);
        }
        spec
    }

    /// The tournament without a bot of which nothing was played.
    pub fn removed(&self, bot: usize, why: &str) -> Self {
        let mut spec = self.clone();
        let name = spec.bots.remove(bot).name;
        spec.rename(&name, None);
        spec.departures.push(Departure {
            name,
            why: Some(why.to_owned()),
            ..Departure::default()
        });
        spec
    }

    /// The tournament without a bot.
    pub fn without(&self, bot: usize, why: &str) -> (Self, Past) {
        let (mut spec, rest) = (self.clone(), self.removed(bot, why));
        spec.departures.clone_from(&rest.departures);
        let leaving = self.bots[bot].clone();
        // The others play the same matches without it if it could have come last.
        let mut with = self.clone();
        with.bots = rest.bots.iter().cloned().chain([leaving]).collect();
        if self.rounds() == 1 && with.extends(&rest).is_ok() {
            return (rest, Past::SetAside);
        }
        spec.bots[bot].disqualified = Some(why.to_owned());
        (spec, Past::Stands)
    }

    /// Takes over from the tournament as it was played before what a file does not say: which bots have left, the newer versions of
    /// those that it names, and what was planned at first.
    pub fn adopt(&mut self, before: &Self) {
        let is_out = |name: &str| {
            before
                .departures
                .iter()
                .any(|one| one.name == name && one.replaced_by.is_none())
        };
        let stays = |name: &str| before.bots.iter().any(|bot| bot.name == name);
        self.bots
            .retain(|bot| stays(&bot.name) || !is_out(&bot.name));
        for departure in before
            .departures
            .iter()
            .filter(|one| one.replaced_by.is_none() && !stays(&one.name))
        {
            self.rename(&departure.name, None);
        }
        for number in 0..self.bots.len() {
            let name = self.bots[number].name.clone();
            let Some(now) = before.bots.iter().find(|bot| bot.is_called(&name)) else {
                continue;
            };
            let bot = &mut self.bots[number];
            (bot.name, bot.former, bot.disqualified) = (
                now.name.clone(),
                now.former.clone(),
                now.disqualified.clone(),
            );
            self.rename(&name, Some(&now.name));
        }
        self.departures.clone_from(&before.departures);
        self.earlier_seeds.clone_from(&before.earlier_seeds);
        (self.first_plan, self.closed) = (before.first_plan, before.closed);
    }

    /// Writes another name wherever one names a bot outside the list of bots, or takes it out.
    fn rename(&mut self, name: &str, to: Option<&str>) {
        if self.anchor.as_deref() == Some(name) {
            self.anchor = to.map(str::to_owned);
        }
        self.plan.format.rename(name, to);
    }

    /// A name for the next version of a bot that nobody has or had.
    fn next_version(&self, bot: usize) -> String {
        let first = self.bots[bot].first_name();
        let is_taken = |name: &String| self.bots.iter().any(|bot| bot.is_called(name));
        let names = (self.bots[bot].former.len() + 2..).map(|version| format!("{first}@{version}"));
        names
            .into_iter()
            .find(|name| !is_taken(name))
            .expect("there are more numbers than bots")
    }
}
