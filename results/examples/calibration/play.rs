//! Plays real matches between bots of graded strength, deal by deal, as in a round robin with all seatings.

use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::machine::Match;
use arena_engine::player::{self, Player};
use arena_tournament::deals::{Deal, Deals, Scored, SeatResult};
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::field::Seatings;
use arena_tournament::formats::Choice;
use arena_tournament::spec::{Conditions, Local, Plan, Spec};
use rayon::prelude::*;
use serde_json::json;

use super::graded::Graded;

/// A field of bots and their game.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Name of the game.
    pub game: &'static str,
    /// Number of seats.
    pub seats: usize,
    /// Each bot: a built-in bot, and the percentage of turns in which it makes that bot's move instead of a random one.
    pub bots: &'static [(&'static str, u32)],
    /// Percentage of deals on which bots below 100 percent deviate to random moves. On other deals, they play like the good bot.
    pub deviates: u32,
}

impl Setting {
    /// Plays all matches of these deals in parallel, and returns them deal by deal.
    pub fn play(&self, seed: Seed, deals: u32) -> Vec<Vec<Scored>> {
        (1..=deals)
            .into_par_iter()
            .map(|deal| self.deal(seed, deal))
            .collect()
    }

    /// Returns the name of each bot; equal names are numbered.
    pub fn names(&self) -> Vec<String> {
        let name = |(number, bot): (usize, &(&str, u32))| {
            let (kind, percent) = bot;
            let grade = if *percent == 100 {
                String::new()
            } else {
                format!("-{percent}")
            };
            let before = self.bots[..number]
                .iter()
                .filter(|other| *other == bot)
                .count();
            let copy = if before > 0 {
                format!("-copy{before}")
            } else {
                String::new()
            };
            format!("{kind}{grade}{copy}")
        };
        self.bots.iter().enumerate().map(name).collect()
    }

    /// Plays all matches of one deal: every table in all orders of its bots.
    pub fn deal(&self, seed: Seed, deal: u32) -> Vec<Scored> {
        let seed = self.tournament(seed, deal).deal_seed(deal);
        match self.game {
            Coda::NAME => self.one_deal::<Coda>(seed, deal),
            Code777::NAME => self.one_deal::<Code777>(seed, deal),
            CrackTheCode::NAME => self.one_deal::<CrackTheCode>(seed, deal),
            DigitCode::NAME => self.one_deal::<DigitCode>(seed, deal),
            other => panic!("there is no game {other}"),
        }
    }

    fn one_deal<G: Game>(&self, seed: Seed, deal: u32) -> Vec<Scored> {
        let Setting {
            seats, bots: all, ..
        } = *self;
        let deviates = |bot: usize| {
            let mut chance = seed.stream("deviates", bot as u64);
            chance.below(100) < self.deviates
        };
        let play = |bots: Vec<usize>| {
            let graded = |bot: &usize| {
                let (good, percent) = all[*bot];
                Graded::<G>::new(good, if deviates(*bot) { percent } else { 100 }, *bot)
                    .expect("the settings name bots that there are")
            };
            let mut players: Vec<Box<dyn Player<G>>> = Vec::new();
            players.extend(
                bots.iter()
                    .map(|bot| Box::new(graded(bot)) as Box<dyn Player<G>>),
            );
            let mut table = Match::<G>::new(&G::Rules::default(), seats, seed)
                .expect("the settings fit the standard rules");
            player::play(&mut table, &mut players, |_| None);
            let verdict = table.verdict().expect("the match was played to its end");
            Scored {
                deal,
                bots,
                seats: SeatResult::all(verdict),
                transcript: 0,
            }
        };
        self.tables().into_iter().map(play).collect()
    }

    /// Returns the tournament that these bots play.
    pub fn tournament(&self, seed: Seed, deals: u32) -> Spec {
        let entrant = |(name, (bot, _)): (String, &(&str, u32))| {
            Entrant::new(name, Bot::Builtin((*bot).into()))
        };
        let plan = Plan {
            game: self.game.into(),
            rules_version: 0,
            rules: json!({}),
            format: Choice::default(),
            test: None,
            seats: self.seats,
            seatings: Seatings::All,
            deals,
            seed,
        };
        let bots = self
            .names()
            .into_iter()
            .zip(self.bots)
            .map(entrant)
            .collect();
        let (conditions, local) = (Conditions::default(), Local::default());
        Spec {
            name: "calibration".into(),
            anchor: None,
            plan,
            conditions,
            local,
            tune: Vec::new(),
            bots,
            left_out: Vec::new(),
            pseudonyms: false,
            earlier_sizes: Vec::new(),
            earlier_seeds: Vec::new(),
            closed: false,
        }
    }

    /// Calls `take` with each deal, numbered from 1 in order.
    pub fn gather<'a>(
        &self,
        matches: impl IntoIterator<Item = &'a Vec<Scored>>,
        mut take: impl FnMut(&Deal),
    ) {
        let mut deals = Deals::new((1..=self.seats).product(), Some(self.tables().len() as u64));
        for (deal, number) in matches.into_iter().zip(1..) {
            for scored in deal {
                deals
                    .add(Scored {
                        deal: number,
                        ..scored.clone()
                    })
                    .iter()
                    .for_each(&mut take);
            }
        }
        deals.end().iter().for_each(take);
    }

    /// Returns the bots of each match of a deal, by seat.
    fn tables(&self) -> Vec<Vec<usize>> {
        let mut tables = vec![Vec::new()];
        for _ in 0..self.seats {
            let longer = |table: &Vec<usize>| {
                let others = (0..self.bots.len()).filter(|bot| !table.contains(bot));
                others
                    .map(|bot| [table.as_slice(), &[bot]].concat())
                    .collect::<Vec<_>>()
            };
            tables = tables.iter().flat_map(longer).collect();
        }
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_played_in_all_seatings() {
        let setting = Setting {
            game: "coda",
            seats: 3,
            bots: &[
                ("excluding", 0),
                ("excluding", 50),
                ("exact", 100),
                ("exact", 90),
            ],
            deviates: 100,
        };
        let tables = setting.tables();
        assert_eq!((tables.len(), &tables[0]), (24, &vec![0, 1, 2]));
        let sets: std::collections::BTreeSet<_> = tables.iter().collect();
        assert_eq!(sets.len(), 24);
    }
}
