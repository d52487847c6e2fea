//! Laws of the knockout format: each bot loses at most once, and the bracket keeps the best seeds apart.

use proptest::prelude::*;

use super::{at_random, block, blocks, by_name, field, knockout, pair, play};
use crate::deals::Block;
use crate::formats::Choice;
use crate::formats::knockout::{Knockout, survivors, winner as winner_of};
use crate::spec::Spec;

fn winner(field: &Spec, before: &[Block]) -> usize {
    let left = survivors(field.field(), field.rounds() + 1, before);
    assert_eq!(left.len(), 1);
    left[0].unwrap()
}

proptest! {
    #[test]
    fn each_but_the_winner_loses_one_pairing(bots in 2..70_usize, deals in 1..4_u32, seed in 0..1_000_u64) {
        let field = field(knockout(), bots, 2, deals, seed);
        let (rounds, before) = play(&field, at_random);
        prop_assert_eq!(rounds.iter().map(Vec::len).sum::<usize>(), bots - 1);
        let mut left: Vec<usize> = (0..bots).collect();
        for (round, meetings) in (1..).zip(&rounds) {
            let through: Vec<usize> = survivors(field.field(), round + 1, &before).into_iter().flatten().collect();
            for [one, other] in meetings.iter().map(pair) {
                prop_assert!(left.contains(&one) && left.contains(&other));
                prop_assert!(through.contains(&one) != through.contains(&other));
                left.retain(|bot| ![one, other].contains(bot) || through.contains(bot));
            }
        }
        prop_assert_eq!(left, vec![winner(&field, &before)]);
    }

    #[test]
    fn the_strongest_wins_and_meets_the_second_in_the_final(bots in 2..70_usize, seed in 0..100_u64) {
        let field = field(knockout(), bots, 2, 2, seed);
        let (rounds, before) = play(&field, by_name);
        prop_assert_eq!(winner(&field, &before), 0);
        let finals: Vec<_> = rounds.iter().flatten().map(pair).filter(|pair| *pair == [0, 1]).collect();
        prop_assert_eq!(finals.len(), 1);
        prop_assert_eq!(pair(&rounds.last().unwrap()[0]), [0, 1]);
    }

    /// Checks that, whatever the results, two of the best 2^k seeds do not meet while more than 2^k bots are left.
    #[test]
    fn the_best_seeds_stay_apart(bots in 2..70_usize, seed in 0..1_000_u64) {
        let field = field(knockout(), bots, 2, 1, seed);
        let (rounds, _) = play(&field, at_random);
        for (left, meetings) in (1..=rounds.len()).rev().zip(&rounds) {
            for [one, other] in meetings.iter().map(pair) {
                prop_assert!(other >= 1 << (left - 1), "{} and {} with {} rounds left", one, other, left);
            }
        }
    }

    /// Checks that a match for third place is between the losers of the semifinals, decides places 3 and 4, and changes nothing else.
    #[test]
    fn losers_of_the_semifinals_play_for_third_place(bots in 2..70_usize, seed in 0..1_000_u64) {
        let plain = field(knockout(), bots, 2, 2, seed);
        let field = field(Choice::Knockout(Knockout { third_place: true }), bots, 2, 2, seed);
        let ((plain_rounds, plain_before), (mut rounds, before)) = (play(&plain, at_random), play(&field, at_random));
        let placings = field.placings(&before).unwrap();
        prop_assert_eq!(placings.finished, field.rounds());
        prop_assert_eq!(rounds.iter().map(Vec::len).sum::<usize>() as u64 * 4, field.matches());
        let third = if bots < 4 { None } else { rounds.last_mut().unwrap().pop() };
        prop_assert_eq!(&rounds, &plain_rounds);
        let mut plain_placings = plain.placings(&plain_before).unwrap();
        let Some(third) = third else {
            prop_assert_eq!(placings, plain_placings);
            return Ok(());
        };
        let semifinals = rounds[rounds.len() - 2].iter().flat_map(|meeting| &meeting.bots);
        let finalists = &rounds.last().unwrap()[0].bots;
        prop_assert!(third.bots.is_sorted() && third.bots.iter().all(|bot| semifinals.clone().any(|other| other == bot) && !finalists.contains(bot)));
        let scores = field.field().pair_scores(field.rounds() + 1, &before);
        let winner = winner_of(&scores, field.rounds(), pair(&third));
        plain_placings.rows[2..4].sort_by_key(|row| row.bot != winner);
        plain_placings.rows[3].place = 4;
        prop_assert_eq!(placings.rows, plain_placings.rows);
        prop_assert_eq!(&placings.notes[1].bot, &winner);
    }

    #[test]
    fn byes_go_to_the_best_seeds_in_the_first_round(bots in 2..70_usize) {
        let field = field(knockout(), bots, 2, 1, 0);
        let playing: Vec<usize> = field.meetings(1, &[]).into_iter().flat_map(|meeting| meeting.bots).collect();
        let byes = bots.next_power_of_two() - bots;
        let mut resting: Vec<usize> = (0..bots).filter(|bot| !playing.contains(bot)).collect();
        resting.sort_unstable();
        prop_assert_eq!(resting, (0..byes).collect::<Vec<_>>());
    }
}

/// Checks that ties are broken by half-points, then points, then seeds.
#[test]
fn ties_are_broken_in_order() {
    let field = field(knockout(), 2, 2, 2, 0);
    let block = |deal, halves, points| block(deal, [0, 1], halves, points);
    let check =
        |blocks: &[Block], wins: usize| assert_eq!(winner(&field, blocks), wins, "{blocks:?}");
    check(&[block(1, [1, 3], [50, 0]), block(2, [2, 2], [0, 0])], 1);
    check(&[block(1, [1, 3], [0, 5]), block(2, [3, 1], [4, 0])], 1);
    check(&[block(1, [1, 3], [0, 5]), block(2, [3, 1], [5, 0])], 0);
    check(&[], 0);
}

#[test]
fn results_of_later_rounds_are_not_looked_at() {
    let field = field(knockout(), 8, 2, 2, 0);
    let (rounds, before) = play(&field, at_random);
    let first = blocks(&field, &rounds[0], at_random);
    assert_eq!(field.meetings(2, &before), field.meetings(2, &first));
}
