//! Checks that a seat's exact knowledge is true, and that its expected information is unbiased.

use std::cell::RefCell;
use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use arena_engine::deduction::Deduction;
use arena_engine::game::Game;
use arena_engine::machine::Match;
use arena_engine::seat::Seat;

use super::{Law, check, sampled};

/// For each game: the sum of the differences between gained and expected information, and the sum of their squares.
#[derive(Default)]
struct Information(RefCell<BTreeMap<&'static str, [f64; 2]>>);

impl Law for Information {
    fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
        // Counting all codes for every seat is slow, so check only some seeds.
        if u64::from(seed) % 6 > 0 {
            return;
        }
        let deductions = Seat::all(seats)
            .into_iter()
            .filter_map(|seat| Some((seat, G::deduction(rules, seats, seat)?)));
        let mut deductions: Vec<_> = deductions.collect();
        let (mut table, mut reply) = (
            Match::<G>::new(rules, seats, seed).unwrap(),
            sampled::<G>(seed),
        );
        for turn in 0.. {
            for (seat, known) in &mut deductions {
                for event in table.new_events(*seat) {
                    if let Some(learned) = known.learned(&event) {
                        let beyond = learned.gained - learned.expected;
                        assert!(
                            learned.gained > -1e-9 && beyond.is_finite(),
                            "{seat} {event:?}: {learned:?}"
                        );
                        let mut sums = self.0.borrow_mut();
                        let [sum, squares] = sums.entry(G::NAME).or_default();
                        (*sum, *squares) = (*sum + beyond, *squares + beyond * beyond);
                    }
                    known.see(&event);
                }
                if turn % 16 == 3 && !table.is_over() {
                    consistent::<G>(known.as_mut());
                }
            }
            if table.is_over() {
                break;
            }
            for seat in table.to_act() {
                let action = reply(&table, seat, turn);
                table.reply(seat, action).unwrap();
            }
        }
    }
}

/// Checks that the listed guesses are the likeliest, and that each has the same probability when queried alone.
fn consistent<G: Game>(known: &mut dyn Deduction<G::Event, G::Action>) {
    let listed = known.guesses(3);
    assert!(
        listed.len() <= 3 && listed.is_sorted_by(|one, other| one.1 >= other.1),
        "{listed:?}"
    );
    for (action, chance) in listed {
        assert!(chance > 0.0 && chance < 1.0 + 1e-9, "{action:?} {chance}");
        assert!(
            (known.chance(&action).unwrap() - chance).abs() < 1e-9,
            "{action:?} {chance}"
        );
        assert!(
            known.worlds().unwrap() >= (1.0 / chance - 1e-6).min(2.0).floor(),
            "{action:?} {chance}"
        );
    }
}

#[test]
fn what_is_known_is_true_and_worth_what_was_expected() {
    let information = Information::default();
    check(&information);
    let sums = information.0.into_inner();
    assert!(sums.len() >= 4, "{sums:?}");
    for (game, [sum, squares]) in sums {
        assert!(
            squares > 100.0 && sum.abs() < 4.0 * squares.sqrt(),
            "{game}: {sum} ± {}",
            squares.sqrt()
        );
    }
}
