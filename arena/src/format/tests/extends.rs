//! What is planned depends on nothing but field and results; what can be extended stays valid; what cannot be played
//! is refused.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{adaptive, at_random, entrant, field, fields, ids, is_static, play, seed_of};
use crate::format::field::{Field, choices, combinations};
use crate::format::{Format, NAMES, Seatings, plan};

/// The ids of all matches, in a field of two seats with results by name.
fn all_ids(field: &Field) -> BTreeSet<String> {
    if is_static(field) {
        return ids(field, &plan::meetings(field, 1, &[]));
    }
    play(field, at_random).0.iter().flat_map(|meetings| ids(field, meetings)).collect()
}

/// A change of a field: more of everything, some of which its format may not take.
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
    (0..3_u32, 0..4_u32, 0..3_usize, any::<bool>(), 1..12_u32, leaves).prop_map(
        |(deals, rounds, bots, challenge, joins, leaves)| Change { deals, rounds, bots, challenge, joins, leaves },
    )
}

fn changed(old: &Field, change: &Change) -> Field {
    let mut new = old.clone();
    let first = old.entrants.len();
    new.deals += change.deals;
    new.entrants.extend((0..change.bots).map(|number| entrant(&format!("new-{number}"), change.joins, None)));
    if let Some((bot, left)) = change.leaves.filter(|(bot, _)| *bot < first) {
        new.entrants[bot].left = Some(left);
    }
    match &mut new.format {
        Format::Gauntlet { challengers } if change.challenge => challengers.extend(first..first + change.bots),
        Format::Swiss { rounds } | Format::Ladder { rounds, .. } => *rounds += change.rounds,
        _ => {}
    }
    new
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_an_extension_takes_over_stays_planned(old in fields(), change in changes()) {
        let new = changed(&old, &change);
        if plan::check(&new).is_empty() && plan::extends(&old, &new).is_ok() {
            prop_assert!(all_ids(&old).is_subset(&all_ids(&new)));
        }
    }

    #[test]
    fn a_field_extends_itself(field in fields()) {
        prop_assert_eq!(plan::extends(&field, &field), Ok(()));
    }

    #[test]
    fn what_may_be_extended_is(old in fields(), more in 1..4_u32) {
        let with = |change: Change| changed(&old, &change);
        let none = Change { deals: 0, rounds: 0, bots: 0, challenge: false, joins: 1, leaves: None };
        let late = plan::rounds(&old) + 1;
        let new = match &old.format {
            Format::RoundRobin => with(Change { deals: more, bots: 2, ..none }),
            Format::Gauntlet { .. } => with(Change { deals: more, bots: 1, challenge: more % 2 == 0, ..none }),
            Format::Balanced { .. } => with(Change { deals: more, ..none }),
            Format::Swiss { .. } => with(Change { rounds: more, ..none }),
            Format::Knockout => with(none),
            Format::Ladder { .. } => {
                with(Change { rounds: more, bots: 1, joins: late, leaves: Some((0, late - 1)), ..none })
            }
        };
        prop_assert_eq!(plan::extends(&old, &new), Ok(()));
        prop_assert!(all_ids(&old).is_subset(&all_ids(&new)));
    }

    #[test]
    fn the_same_field_and_results_make_the_same_plan(field in adaptive()) {
        prop_assert_eq!(play(&field, at_random), play(&field, at_random));
    }

    /// Whoever joins or leaves after a round has no part in it.
    #[test]
    fn rounds_of_a_ladder_do_not_depend_on_who_joins_later(bots in 2..9_usize, joins in 2..6_u32, seed in 0..100_u64) {
        let format = Format::Ladder { rounds: joins - 1, pairs: 3 };
        let old = field(format, bots, 2, 2, seed);
        let mut new = Field { format: Format::Ladder { rounds: joins + 2, pairs: 3 }, ..old.clone() };
        new.entrants.push(entrant("aaa", joins, None));
        new.entrants[0].left = Some(joins - 1);
        prop_assert_eq!(plan::extends(&old, &new), Ok(()));
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
    let check = |old: &Field, change: &dyn Fn(&mut Field), reason: &str| {
        let mut new = old.clone();
        change(&mut new);
        let refusal = plan::extends(old, &new).expect_err(reason);
        assert!(refusal.contains(reason), "{refusal:?} does not say {reason:?}");
    };
    let robin = field(Format::RoundRobin, 4, 2, 10, 1);
    check(&robin, &|new| new.deals = 9, "fewer: 9");
    check(&robin, &|new| new.seed = seed_of(2), "the seed was 1");
    check(&robin, &|new| new.seats = 3, "seats");
    check(&robin, &|new| new.seatings = Seatings::Rotations, "seatings");
    check(&robin, &|new| drop(new.entrants.remove(1)), "bot 2 was bot-1");
    check(&robin, &|new| new.format = Format::Knockout, "the format was round-robin");
    let gauntlet = field(Format::Gauntlet { challengers: vec![0] }, 4, 2, 10, 1);
    check(&gauntlet, &|new| new.format = Format::Gauntlet { challengers: vec![0, 2] }, "bot-2 was no challenger");
    check(&gauntlet, &|new| new.format = Format::Gauntlet { challengers: vec![] }, "bot-0 was a challenger");
    let late = |new: &mut Field| new.entrants.push(entrant("late", 1, None));
    for format in [Format::Balanced { tables: 1 }, Format::Swiss { rounds: 3 }, Format::Knockout] {
        check(&field(format, 4, 2, 10, 1), &late, "late cannot join");
    }
    check(
        &field(Format::Balanced { tables: 1 }, 4, 2, 10, 1),
        &|new| new.format = Format::Balanced { tables: 2 },
        "tables",
    );
    check(
        &field(Format::Swiss { rounds: 3 }, 4, 2, 10, 1),
        &|new| new.format = Format::Swiss { rounds: 2 },
        "fewer: 2",
    );
    check(&field(Format::Swiss { rounds: 3 }, 4, 2, 10, 1), &|new| new.deals = 11, "deals a round");
    check(&field(Format::Knockout, 4, 2, 10, 1), &|new| new.deals = 11, "deals a round");
    let ladder = field(Format::Ladder { rounds: 3, pairs: 2 }, 4, 2, 10, 1);
    check(&ladder, &late, "late can only join after");
    check(&ladder, &|new| new.entrants[2].left = Some(2), "bot-2 can only leave after");
    check(&ladder, &|new| new.entrants[2].joined = 2, "bot-2 joined in round 1");
    check(&ladder, &|new| new.format = Format::Ladder { rounds: 3, pairs: 3 }, "pairs a round");
}

#[test]
fn what_cannot_be_played_is_refused_with_a_reason() {
    let check = |field: &Field, reason: &str| {
        let wrong = plan::check(field);
        assert!(wrong.iter().any(|wrong| wrong.contains(reason)), "{wrong:?} does not say {reason:?}");
    };
    check(&field(Format::RoundRobin, 2, 3, 1, 1), "3 seats need at least 3 bots, there are 2");
    check(&field(Format::RoundRobin, 2, 1, 1, 1), "at least 2 seats");
    check(&field(Format::RoundRobin, 2, 2, 0, 1), "at least 1 deal");
    check(&field(Format::RoundRobin, 200, 4, 1, 1), "choose the format balanced");
    let gauntlet = |challengers: &[usize]| field(Format::Gauntlet { challengers: challengers.to_vec() }, 4, 3, 1, 1);
    check(&gauntlet(&[]), "at least one challenger");
    check(&gauntlet(&[1, 1]), "bot-1 is a challenger twice");
    check(&gauntlet(&[4]), "none of the 4 bots");
    check(&gauntlet(&[0, 1, 2]), "needs 2 bots that are no challengers, there are 1");
    check(&field(Format::Balanced { tables: 0 }, 4, 2, 1, 1), "at least 1 table");
    check(&field(Format::Balanced { tables: 7 }, 4, 2, 1, 1), "make 6 tables");
    check(&field(Format::Balanced { tables: 6 }, 4, 2, u32::MAX, 1), "can be listed");
    for format in [Format::Swiss { rounds: 2 }, Format::Knockout, Format::Ladder { rounds: 2, pairs: 1 }] {
        check(&field(format.clone(), 4, 3, 1, 1), "cannot have 3 seats");
        check(&field(format, 4, 2, u32::MAX, 1), "can be numbered");
    }
    check(&field(Format::Swiss { rounds: 0 }, 4, 2, 1, 1), "at least 1 round");
    check(&field(Format::Ladder { rounds: 1, pairs: 0 }, 4, 2, 1, 1), "at least 1 pair");
    let mut ladder = field(Format::Ladder { rounds: 3, pairs: 1 }, 3, 2, 1, 1);
    ladder.entrants[0].joined = 0;
    ladder.entrants[1] = entrant("gone", 3, Some(2));
    ladder.entrants[2].left = Some(1);
    check(&ladder, "bot-0 joined in round 0");
    check(&ladder, "gone left after round 2, before it joined in round 3");
    check(&ladder, "in round 2 there are 1");
}

#[test]
fn every_format_has_its_name() {
    for name in NAMES {
        let format = [
            Format::RoundRobin,
            Format::Gauntlet { challengers: vec![0] },
            Format::Balanced { tables: 1 },
            Format::Swiss { rounds: 1 },
            Format::Knockout,
            Format::Ladder { rounds: 1, pairs: 1 },
        ];
        assert_eq!(format.iter().filter(|format| plan::name(format) == *name).count(), 1);
    }
}
