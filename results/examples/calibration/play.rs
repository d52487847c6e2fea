//! Real matches between bots of graded strength, deal by deal, as a round robin in all seatings plays them.

use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_engine::machine::Match;
use arena_engine::player::{self, Player};
use arena_tournament::deals::{Deal, Deals, Scored, Seated};
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::field::Seatings;
use arena_tournament::formats::Choice;
use arena_tournament::spec::{Conditions, Local, Plan, Spec};
use serde_json::Value;

use super::graded::Graded;

/// Who plays what.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The game.
    pub game: &'static str,
    /// The good bot whose moves are mixed with random ones.
    pub good: &'static str,
    /// Seats at a table.
    pub seats: usize,
    /// Each bot's share of good moves, in percent.
    pub percents: &'static [u32],
}

impl Setting {
    /// All matches of a tournament of so many deals, by deal.
    pub fn play(&self, seed: Seed, deals: u32) -> Vec<Scored> {
        (1..=deals).flat_map(|deal| self.deal(seed, deal)).collect()
    }

    /// All matches of one deal: every table in all orders of its bots.
    pub fn deal(&self, seed: Seed, deal: u32) -> Vec<Scored> {
        let deal = OneDeal { setting: self, seed: self.tournament(seed, deal).deal_seed(deal), deal };
        games::visit(self.game, deal).expect("the settings name games that there are")
    }

    /// The tournament that they make.
    pub fn tournament(&self, seed: Seed, deals: u32) -> Spec {
        let entrant = |(bot, percent): (usize, &u32)| {
            Entrant::new(format!("{}-{percent}", bot + 1), Bot::Builtin(self.good.into()))
        };
        let plan = Plan {
            game: self.game.into(),
            rules_version: 0,
            rules: Value::Null,
            format: Choice::default(),
            test: None,
            seats: self.seats,
            seatings: Seatings::All,
            deals,
            seed,
        };
        let bots = self.percents.iter().enumerate().map(entrant).collect();
        let (conditions, local) = (Conditions::default(), Local::default());
        Spec { name: "calibration".into(), anchor: None, plan, conditions, local, bots }
    }

    /// Hands over the deals of these matches, which are in their order.
    pub fn gather(&self, matches: &[Scored], mut take: impl FnMut(&Deal)) {
        let tables = self.tables().len() as u64;
        let mut deals = Deals::new((1..=self.seats).product(), Some(tables));
        matches.iter().for_each(|scored| deals.add(scored.clone()).iter().for_each(&mut take));
        deals.end().iter().for_each(take);
    }

    /// The bots of each match of a deal, by seat.
    fn tables(&self) -> Vec<Vec<usize>> {
        let mut tables = vec![Vec::new()];
        for _ in 0..self.seats {
            let longer = |table: &Vec<usize>| {
                let others = (0..self.percents.len()).filter(|bot| !table.contains(bot));
                others.map(|bot| [table.as_slice(), &[bot]].concat()).collect::<Vec<_>>()
            };
            tables = tables.iter().flat_map(longer).collect();
        }
        tables
    }
}

struct OneDeal<'a> {
    setting: &'a Setting,
    seed: Seed,
    deal: u32,
}

impl Visitor for OneDeal<'_> {
    type Out = Vec<Scored>;

    fn visit<G: Game>(self) -> Vec<Scored> {
        let Setting { good, seats, percents, .. } = *self.setting;
        let play = |bots: Vec<usize>| {
            let graded =
                |bot: &usize| Graded::<G>::new(good, percents[*bot], *bot).expect("the settings name good bots");
            let mut players: Vec<Box<dyn Player<G>>> = Vec::new();
            players.extend(bots.iter().map(|bot| Box::new(graded(bot)) as Box<dyn Player<G>>));
            let mut table =
                Match::<G>::new(&G::Rules::default(), seats, self.seed).expect("the settings fit the standard rules");
            player::play(&mut table, &mut players);
            let verdict = table.verdict().expect("the match was played to its end");
            Scored { deal: self.deal, bots, seats: Seated::all(verdict), transcript: 0 }
        };
        self.setting.tables().into_iter().map(play).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_played_in_all_seatings() {
        let setting = Setting { game: "coda", good: "excluding", seats: 3, percents: &[0, 50, 100, 100] };
        let tables = setting.tables();
        assert_eq!((tables.len(), &tables[0]), (24, &vec![0, 1, 2]));
        let sets: std::collections::BTreeSet<_> = tables.iter().collect();
        assert_eq!(sets.len(), 24);
    }
}
