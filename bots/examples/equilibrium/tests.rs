//! The small game against the arena's own Coda, its solution, and the policies of the bots.

use std::collections::VecDeque;

use arena_bots::bot::Renewed;
use arena_bots::random::Random;
use arena_engine::chance::Seed;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::panel::Panel;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::machine::Match;
use arena_engine::player::{Player, play};
use arena_engine::record::Reply;

use super::BOTS;
use super::bots;
use super::game::{Next, Table};
use super::solve::{Policy, best_response, even, solve};
use super::tree::Tree;

/// The panels that chance gave in a match: the first ones of each seat, then those that were drawn.
fn taken(events: &[Event]) -> VecDeque<Vec<Panel>> {
    let taken = events.iter().filter_map(|event| match event {
        Event::SetUp { code, .. } => Some(code.iter().map(|shown| shown.panel().unwrap()).collect()),
        Event::Drew { panel, .. } => Some(vec![panel.panel().unwrap()]),
        _ => None,
    });
    taken.collect()
}

#[test]
fn the_arena_plays_it_alike() {
    for (numbers, panels) in [(2, 1), (3, 1), (3, 2), (4, 2), (6, 4)] {
        for seed in 0..200 {
            let rules = Rules { rounds: 1, numbers, panels, ..Rules::default() };
            let mut table = Match::<Coda>::new(&rules, 2, Seed::try_from(seed).unwrap()).unwrap();
            let mut players: Vec<Box<dyn Player<Coda>>> =
                (0..2).map(|_| Box::new(Renewed::<Random>::default()) as _).collect();
            play(&mut table, &mut players, |_| None);

            let (mut small, mut events) = (Table::new(&rules), Vec::new());
            let mut taken = taken(table.events());
            let mut replies = table.record().replies.iter();
            let points = loop {
                match small.next() {
                    Next::Over(points) => break points,
                    Next::Chance(options) => {
                        let of = taken.front_mut().unwrap();
                        let at = of.iter().position(|panel| options.contains(panel)).unwrap();
                        let panel = of.remove(at);
                        if of.is_empty() {
                            taken.pop_front();
                        }
                        small.take(panel, &mut events);
                    }
                    Next::Act(seat, options) => {
                        let replied = replies.next().unwrap();
                        let Reply::Act(action) = &replied.1 else { panic!("{replied:?}") };
                        assert_eq!(replied.0.index(), seat);
                        // Any number may be named in the arena, also one that everybody knows to be wrong.
                        assert!(options.contains(action) || matches!(action, Action::Attack { .. }));
                        small.act(*action, &mut events);
                    }
                }
            };
            assert_eq!(events, table.events(), "{rules:?}, seed {seed}");
            let scores = &table.verdict().unwrap().outcome.seats;
            assert!(scores.iter().map(|score| score.points).eq(points));
        }
    }
}

#[test]
fn of_two_numbers_the_first_seat_always_wins() {
    let tree = Tree::new(2, 1);
    let policy = solve(&tree, 500);
    let [first, second] = [0, 1].map(|seat| best_response(&tree, &policy, seat));
    assert!(first > 0.999 && second < 0.002, "{first} {second}");
}

#[test]
fn nobody_gains_much_by_leaving_the_equilibrium() {
    let tree = Tree::new(3, 1);
    assert_eq!(tree.sets.len(), 2890);
    let value = |policy: &Policy| [0, 1].map(|seat| best_response(&tree, policy, seat));
    let [first, second] = value(&solve(&tree, 200));
    assert!((0.815..0.825).contains(&first) && first + second < 1.005, "{first} {second}");
    let [first, second] = value(&even(&tree));
    assert!(first + second > 1.4, "{first} {second}");
}

#[test]
fn where_bots_leave_something_to_chance_they_choose_evenly() {
    const ASKED: u64 = 600;
    let tree = Tree::new(3, 1);
    for name in BOTS {
        let mut compared = 0;
        for set in tree.sets.iter().take(60) {
            let asked: Vec<Action> = (0..ASKED).map(|seed| bots::decide(&tree, name, set, seed)).collect();
            let taken = bots::taken(&tree, name, set);
            for action in &set.actions {
                let often = asked.iter().filter(|other| *other == action).count() as f32 / ASKED as f32;
                let chance = bots::chance(*action, &taken);
                assert!((often - chance).abs() < 0.1, "{name}: {action:?} {often} {chance}");
                compared += usize::from((0.01..0.99).contains(&chance));
            }
        }
        assert!(compared > 0, "{name}");
    }
}
