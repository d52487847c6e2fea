//! Laws of extensions: plans depend only on the field and the results, valid extensions keep the old plan, and invalid ones are refused.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    adaptive, at_random, balanced, entrant, field, fields, gauntlet, ids, is_static, knockout,
    ladder, play, round_robin, seed_of, swiss, wrong,
};
use crate::field::{Seatings, choices, combinations};
use crate::formats::{Choice, Options, find};
use crate::spec::Spec;

/// Returns the ids of all matches of a two-seat field, in which results follow from the bots' names.
fn all_ids(field: &Spec) -> BTreeSet<String> {
    if is_static(field) {
        return ids(field, &field.meetings(1, &[]));
    }
    play(field, at_random)
        .0
        .iter()
        .flat_map(|meetings| ids(field, meetings))
        .collect()
}

/// A change of a field, which adds to every part. The format may refuse some of it.
#[derive(Clone, Debug)]
struct Change {
    deals: u32,
    rounds: u32,
    bots: usize,
    challenge: bool,
    joins: u32,
    leaves: Option<(usize, u32)>,
}

fn changes() -> impl Strategy<Value = Change> {
    let leaves = proptest::option::of((0..8_usize, 1..12_u32));
    (
        0..3_u32,
        0..4_u32,
        0..3_usize,
        any::<bool>(),
        1..12_u32,
        leaves,
    )
        .prop_map(|(deals, rounds, bots, challenge, joins, leaves)| Change {
            deals,
            rounds,
            bots,
            challenge,
            joins,
            leaves,
        })
}

fn changed(old: &Spec, change: &Change) -> Spec {
    let mut new = old.clone();
    let first = old.bots.len();
    new.plan.deals += change.deals;
    new.bots.extend(
        (0..change.bots).map(|number| entrant(&format!("new-{number}"), change.joins, None)),
    );
    if let Some((bot, left)) = change.leaves.filter(|(bot, _)| *bot < first) {
        new.bots[bot].withdrawn = Some(left);
    }
    match &mut new.plan.format {
        Choice::Gauntlet(gauntlet) if change.challenge => {
            gauntlet
                .challengers
                .extend((0..change.bots).map(|number| format!("new-{number}")));
        }
        Choice::Swiss(swiss) => swiss.rounds += change.rounds,
        Choice::Ladder(ladder) => ladder.rounds += change.rounds,
        _ => {}
    }
    new
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_an_extension_takes_over_stays_planned(old in fields(), change in changes()) {
        let new = changed(&old, &change);
        if new.check().is_empty() && new.extends(&old, old.rounds()).is_ok() {
            prop_assert!(all_ids(&old).is_subset(&all_ids(&new)));
        }
    }

    #[test]
    fn a_field_extends_itself(field in fields()) {
        prop_assert_eq!(field.extends(&field, field.rounds()), Ok(()));
    }

    #[test]
    fn what_may_be_extended_is(old in fields(), more in 1..4_u32) {
        let with = |change: Change| changed(&old, &change);
        let none = Change { deals: 0, rounds: 0, bots: 0, challenge: false, joins: 1, leaves: None };
        let late = old.rounds() + 1;
        let new = match &old.plan.format {
            Choice::RoundRobin(_) => with(Change { deals: more, bots: 2, ..none }),
            Choice::Gauntlet(_) => with(Change { deals: more, bots: 1, challenge: more % 2 == 0, ..none }),
            Choice::Balanced(_) => with(Change { deals: more, ..none }),
            Choice::Swiss(_) => with(Change { rounds: more, ..none }),
            Choice::Knockout(_) => with(none),
            Choice::Ladder(_) => {
                with(Change { rounds: more, bots: 1, joins: late, leaves: Some((0, late - 1)), ..none })
            }
        };
        prop_assert_eq!(new.extends(&old, old.rounds()), Ok(()));
        prop_assert!(all_ids(&old).is_subset(&all_ids(&new)));
    }

    #[test]
    fn the_same_field_and_results_make_the_same_plan(field in adaptive()) {
        prop_assert_eq!(play(&field, at_random), play(&field, at_random));
    }

    /// Checks that a round does not depend on bots that join or leave later.
    #[test]
    fn rounds_of_a_ladder_do_not_depend_on_who_joins_later(bots in 2..9_usize, joins in 2..6_u32, seed in 0..100_u64) {
        let format = ladder(joins - 1, 3);
        let old = field(format, bots, 2, 2, seed);
        let mut new = old.clone();
        new.plan.format = ladder(joins + 2, 3);
        new.bots.push(entrant("aaa", joins, None));
        new.bots[0].withdrawn = Some(joins - 1);
        prop_assert_eq!(new.extends(&old, old.rounds()), Ok(()));
        prop_assert_eq!(play(&old, at_random).0, play(&new, at_random).0[..joins as usize - 1].to_vec());
    }

    #[test]
    fn choices_are_counted_as_they_are_listed(count in 0..10_usize, size in 0..6_usize) {
        let list: Vec<usize> = (0..count).map(|one| 3 * one).collect();
        let listed = combinations(&list, size);
        prop_assert_eq!(listed.len() as u64, choices(count, size));
        prop_assert!(listed.is_sorted_by(|one, next| one < next));
    }
}

#[test]
fn many_choices_do_not_overflow() {
    assert_eq!(choices(64, 32), 1_832_624_140_942_590_534);
    assert_eq!(choices(200, 100), u64::MAX);
}

#[test]
fn what_cannot_be_extended_is_refused_with_a_reason() {
    let check = |old: &Spec, change: &dyn Fn(&mut Spec), reason: &str| {
        let mut new = old.clone();
        change(&mut new);
        let refusal = new.extends(old, old.rounds()).expect_err(reason);
        assert!(
            refusal.what.contains(reason),
            "{refusal:?} does not say {reason:?}"
        );
    };
    let into = |format: Choice| move |new: &mut Spec| new.plan.format = format.clone();
    let robin = field(round_robin(), 4, 2, 10, 1);
    check(&robin, &|new| new.plan.deals = 9, "reduced to 9");
    check(
        &robin,
        &|new| new.plan.seed = seed_of(2),
        "the seed from 1 to 2",
    );
    check(&robin, &|new| new.plan.seats = 3, "seats");
    check(
        &robin,
        &|new| new.plan.seatings = Seatings::Rotations,
        "order of seats",
    );
    check(&robin, &|new| drop(new.bots.remove(1)), "bot 2 was bot-1");
    check(
        &robin,
        &into(knockout()),
        "the format from round-robin to knockout",
    );
    let challenged = field(gauntlet(&[0]), 4, 2, 10, 1);
    check(
        &challenged,
        &into(gauntlet(&[0, 2])),
        "bot-2 was not a challenger",
    );
    check(&challenged, &into(gauntlet(&[])), "bot-0 was a challenger");
    let late = |new: &mut Spec| new.bots.push(entrant("late", 1, None));
    for (format, seats) in [(balanced(1), 3), (knockout(), 2)] {
        check(&field(format, 4, seats, 10, 1), &late, "late cannot join");
    }
    check(
        &field(swiss(3), 4, 2, 10, 1),
        &late,
        "late can only join or leave",
    );
    check(
        &field(balanced(1), 4, 3, 10, 1),
        &into(balanced(2)),
        "tables",
    );
    check(
        &field(swiss(3), 4, 2, 10, 1),
        &into(swiss(2)),
        "reduced to 2",
    );
    check(
        &field(swiss(3), 4, 2, 10, 1),
        &|new| new.plan.deals = 11,
        "deals a round",
    );
    check(
        &field(knockout(), 4, 2, 10, 1),
        &|new| new.plan.deals = 11,
        "deals a round",
    );
    let rungs = field(ladder(3, 2), 4, 2, 10, 1);
    check(&rungs, &late, "late can only join or leave");
    check(
        &rungs,
        &|new| new.bots[2].withdrawn = Some(2),
        "bot-2 can only join or leave",
    );
    check(
        &rungs,
        &|new| new.bots[2].joined = 2,
        "bot-2 can only join or leave",
    );
    check(&rungs, &into(ladder(3, 3)), "pairs a round");
}

#[test]
fn bots_may_join_in_the_next_round_that_has_not_begun() {
    for format in [ladder(9, 2), swiss(9)] {
        let old = field(format, 4, 2, 10, 1);
        assert_eq!(old.rounds_begun(31), 4);
        let mut new = old.clone();
        new.bots.push(entrant("late", 5, None));
        assert_eq!(new.extends(&old, 4), Ok(()));
        assert!(new.extends(&old, 5).is_err());
    }
}

#[test]
fn what_cannot_be_played_is_refused_with_a_reason() {
    let check = |field: &Spec, reason: &str| {
        let wrong = wrong(field);
        assert!(
            wrong.iter().any(|wrong| wrong.contains(reason)),
            "{wrong:?} does not say {reason:?}"
        );
    };
    check(
        &field(round_robin(), 2, 3, 1, 1),
        "3 seats need at least 3 bots, there are 2",
    );
    check(&field(round_robin(), 2, 1, 1, 1), "at least 2 seats");
    check(
        &field(round_robin(), 2, 2, 0, 1),
        "`deals` must be at least 1",
    );
    check(
        &field(round_robin(), 200, 4, 1, 1),
        "more than the maximum of 1000000",
    );
    let challenged = |challengers: &[usize]| field(gauntlet(challengers), 4, 3, 1, 1);
    check(&challenged(&[]), "at least one challenger");
    check(&challenged(&[1, 1]), "\"bot-1\" is named twice");
    check(&challenged(&[4]), "no bot is named \"bot-4\"");
    check(
        &challenged(&[0, 1, 2]),
        "a challenger needs 2 opponents at a table, but only 1 bots",
    );
    check(
        &field(balanced(1), 4, 2, 1, 1),
        "balanced is for 3 or more seats, not 2",
    );
    check(
        &field(balanced(0), 4, 3, 1, 1),
        "`tables` must be at least 1",
    );
    check(
        &field(balanced(5), 4, 3, 1, 1),
        "make only 4 different tables",
    );
    check(&field(balanced(4), 4, 3, u32::MAX, 1), "exceed the maximum");
    for format in [swiss(2), knockout(), ladder(2, 1)] {
        check(&field(format.clone(), 4, 3, 1, 1), "is for 2 seats, not 3");
        check(&field(format, 4, 2, u32::MAX, 1), "exceed the maximum");
    }
    check(&field(swiss(0), 4, 2, 1, 1), "`rounds` must be at least 1");
    check(
        &field(ladder(1, 0), 4, 2, 1, 1),
        "`pairs` must be at least 1",
    );
    check(
        &field(ladder(1, 4), 3, 2, 1, 1),
        "3 bots make only 3 pairs, not 4",
    );
    let mut rungs = field(ladder(3, 1), 4, 2, 1, 1);
    rungs.bots[0].withdrawn = Some(1);
    rungs.bots[1].withdrawn = Some(1);
    rungs.bots[2].withdrawn = Some(1);
    check(&rungs, "needs at least 2 bots, not 1");
    rungs.bots[3].joined = 4;
    check(&rungs, "bot-3 cannot join, since all rounds have begun");
}

#[test]
fn what_is_left_out_fits_the_bots() {
    let filled = |name: &str, bots: usize| {
        let mut options = Options::new();
        let format = find(name).unwrap();
        let field = field(round_robin(), bots, format.min_seats, 10, 1);
        (format.fill)(&mut options, field.field());
        Choice::read(name, options).unwrap()
    };
    for (bots, rounds) in [(2, 2), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5)] {
        assert_eq!(filled("swiss", bots), swiss(rounds), "{bots}");
    }
    assert_eq!(filled("ladder", 5), ladder(20, 2));
    assert_eq!(filled("balanced", 5), balanced(2));
    assert_eq!(filled("gauntlet", 5), gauntlet(&[0]));
    assert_eq!(filled("knockout", 5), knockout());
}
