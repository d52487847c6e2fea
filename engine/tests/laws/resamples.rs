//! Checks that resampled deals look the same to the seat, and depend on nothing else.

use std::cell::RefCell;
use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use arena_engine::fault::Fault;
use arena_engine::game::Game;
use arena_engine::machine::Match;
use arena_engine::record::Reply;
use arena_engine::resample::{resample, seen};

use super::{Law, check};

/// Number of resampled positions by game, and the number of those in which something changed.
type Counts = BTreeMap<&'static str, [usize; 2]>;

#[derive(Default)]
struct Resampled(RefCell<Counts>);

impl Resampled {
    fn check_position<G: Game>(&self, table: &Match<G>, seed: Seed) {
        let Some(seat) = table.to_act().first() else {
            return;
        };
        let deal = |table: &Match<G>, name| {
            let index = table.events().len() as u64;
            resample(table, seat, seed.child(name, index)).expect("the true deal fits")
        };
        let (_, other) = deal(table, "one");
        assert!(seen(&other, seat).eq(seen(table, seat)));
        assert_eq!(other.to_act().first(), Some(seat));
        // These tables look the same to the seat, so hidden differences must not matter now or later.
        let (draws, again) = deal(table, "two");
        let (same_draws, same) = deal(&other, "two");
        assert_eq!(draws, same_draws);
        assert_ne!(draws.seed(), table.record().seed);
        assert_eq!(again.events(), same.events());
        assert_eq!(again.to_act(), same.to_act());
        assert!(again.sealed().eq(same.sealed()));
        let mut all = self.0.borrow_mut();
        let [positions, differ] = all.entry(G::NAME).or_default();
        *positions += 1;
        *differ += usize::from(other.events() != table.events());
    }
}

impl Law for Resampled {
    fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
        let number = u64::from(seed);
        if number % 10 > 0 {
            return;
        }
        let mut table = Match::<G>::new(rules, seats, seed).unwrap();
        let mut chance = seed.stream("resamples", 0);
        for turn in 0.. {
            let Some(seat) = table.to_act().first() else {
                return;
            };
            if turn % 5 == number / 10 % 5 && turn < 200 {
                self.check_position(&table, seed);
            }
            let leaves = number % 20 == 0 && chance.below(30) == 0;
            let reply = if leaves {
                Reply::Failed(Fault::left())
            } else {
                Reply::Act(table.game().sample(seat, &mut chance))
            };
            table.reply(seat, reply).unwrap();
        }
    }
}

#[test]
fn another_deal_looks_the_same_and_depends_on_nothing_unseen() {
    let law = Resampled::default();
    check(&law);
    let counts = law.0.into_inner();
    assert_eq!(counts.len(), 4);
    for (game, [positions, differ]) in counts {
        assert!(differ * 3 > positions, "{game}: {differ} of {positions}");
    }
}

#[test]
fn a_resampled_match_plays_to_its_end() {
    struct Ends;
    impl Law for Ends {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            if u64::from(seed) % 10 > 0 {
                return;
            }
            let mut table = Match::<G>::new(rules, seats, seed).unwrap();
            let mut chance = seed.stream("resamples", 1);
            while let Some(seat) = table.to_act().first() {
                if chance.below(10) == 0
                    && let Some((_, other)) = resample(&table, seat, seed)
                {
                    table = other;
                }
                let action = table.game().sample(seat, &mut chance);
                table.reply(seat, Reply::Act(action)).unwrap();
            }
            assert!(table.verdict().unwrap().faults.iter().all(Option::is_none));
        }
    }
    check(&Ends);
}
