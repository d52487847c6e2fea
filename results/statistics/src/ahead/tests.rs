//! Tests of the deals on which bots are compared, and of the conditions under which one is ahead.

use arena_engine::chance::{Chance, Seed};
use arena_engine::fault::Cause;
use arena_tournament::deals::{Deals, SeatResult};
use arena_tournament::formats::Choice;
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::sample::{gathered, tournament};

use super::*;

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Returns a match with these points by seat.
fn scored(deal: u32, bots: &[usize], points: &[i32]) -> Scored {
    let place = |mine: &i32| 1 + points.iter().filter(|other| *other > mine).count() as u8;
    let seat = |points: &i32| SeatResult {
        place: place(points),
        points: *points,
        fault: None,
        counts: Vec::new(),
    };
    Scored {
        deal,
        bots: bots.to_vec(),
        seats: points.iter().map(seat).collect(),
        transcript: 0,
    }
}

/// Returns both matches of two bots on a deal, with their points.
fn block(deal: u32, bots: [usize; 2], points: [i32; 2]) -> [Scored; 2] {
    let turned = scored(deal, &[bots[1], bots[0]], &[points[1], points[0]]);
    [scored(deal, &bots, &points), turned]
}

/// Returns the relation that results from these matches of a tournament.
fn judged(spec: &Spec, matches: impl IntoIterator<Item = Scored>) -> Ahead {
    let mut collector = Collector::new(spec);
    let deals = Deals::new(2, spec.matches_per_deal());
    gathered(deals, matches)
        .iter()
        .for_each(|deal| collector.add(deal));
    collector.ahead()
}

/// Creates a gauntlet of these bots, of which the first few are the challengers.
fn gauntlet(bots: usize, challengers: usize, deals: u32) -> Spec {
    let mut spec = tournament(&NAMES[..bots], 2, deals);
    let challengers = NAMES[..challengers]
        .iter()
        .map(|name| (*name).into())
        .collect();
    spec.plan.format = Choice::Gauntlet(Gauntlet { challengers });
    spec
}

/// Returns all blocks of a gauntlet's challengers on a deal. `points` returns the points of the first bot.
fn challenge(
    (bots, challengers): (usize, usize),
    deal: u32,
    points: impl Fn(usize, usize) -> [i32; 2],
) -> Vec<Scored> {
    let pairs = (0..challengers).flat_map(|one| (challengers..bots).map(move |other| [one, other]));
    pairs
        .flat_map(|[one, other]| block(deal, [one, other], points(one, other)))
        .collect()
}

#[test]
fn all_opponents_count_where_all_meet() {
    // The first and the second bot draw, and the first scores 6 points more against the third.
    let matches = (1..=8).flat_map(|deal| {
        let ab = block(deal, [0, 1], [5, 5]);
        let ac = block(deal, [0, 2], [9, 1]);
        ab.into_iter().chain(ac).chain(block(deal, [1, 2], [3, 1]))
    });
    let ahead = judged(&tournament(&NAMES[..3], 2, 8), matches);
    let lead = ahead.lead(0, 1).unwrap();
    assert_eq!((lead.deals, lead.points, lead.interval), (8, 3.0, None));
    // With 8 equal differences, the minimum p-value is 2^-8. The adjusted p-value is 3 times as large, for three pairs.
    assert!((lead.p * 256.0 - 1.0).abs() < 1e-6 && (lead.p_adjusted * 256.0 - 3.0).abs() < 1e-6);
    assert!(ahead.is(0, 1) && ahead.is(0, 2) && ahead.is(1, 2) && !ahead.is(2, 0));
    assert_eq!(ahead.ranks(), [[1, 1], [2, 2], [3, 3]]);
    assert_eq!(ahead.lead(1, 0).map(Lead::turned), Some(lead));
}

#[test]
fn in_a_gauntlet_each_side_is_compared_by_the_other() {
    let spec = gauntlet(4, 1, 10);
    let points = |deal: u32| move |_: usize, other: usize| [4, [0, 9, 1, (deal % 3) as i32][other]];
    let ahead = judged(
        &spec,
        (1..=10).flat_map(|deal| challenge((4, 1), deal, points(deal))),
    );
    // The challenger is compared by its matches with each other bot, the other bots by their matches with the challenger.
    assert_eq!(ahead.lead(0, 1).unwrap().points, -5.0);
    assert_eq!(ahead.lead(1, 2).unwrap().points, 8.0);
    assert!(ahead.is(1, 0) && ahead.is(0, 2) && ahead.is(1, 2) && !ahead.is(2, 3));
}

/// Checks that a cycle puts no bot ahead of its equal. Rocks challenge papers and scissors. The results of the two rocks do not tell them
/// apart, and papers are ahead of scissors only by their results against the rocks.
#[test]
fn a_circle_makes_no_bot_ahead_of_its_equal() {
    for deals in [7, 40] {
        let spec = gauntlet(6, 2, deals);
        let matches = (1..=deals).flat_map(|deal| {
            let paper = |_: usize, other: usize| if other < 4 { [0, 3] } else { [3, 0] };
            challenge((6, 2), deal, paper)
        });
        let ahead = judged(&spec, matches);
        assert!(
            [(0, 1), (2, 3), (4, 5)]
                .iter()
                .all(|(one, other)| { !ahead.is(*one, *other) && !ahead.is(*other, *one) })
        );
        assert_eq!(ahead.lead(2, 4).unwrap().points, 3.0);
        assert_eq!(
            ahead.is(2, 0) && ahead.is(0, 4) && ahead.is(2, 4),
            deals == 40
        );
    }
}

#[test]
fn bots_with_other_opponents_are_not_compared() {
    let mut spec = tournament(&NAMES[..4], 2, 12);
    spec.plan.format = Choice::Swiss(arena_tournament::formats::swiss::Swiss { rounds: 1 });
    let matches = (1..=12).flat_map(|deal| {
        let first = block(deal, [0, 1], [8, 0]);
        first.into_iter().chain(block(deal, [2, 3], [5, 4]))
    });
    let ahead = judged(&spec, matches);
    let pairs: Vec<_> = ahead.leads().keys().copied().collect();
    assert_eq!(pairs, [[0, 1], [2, 3]]);
    assert!(ahead.is(0, 1) && ahead.is(2, 3));
    assert_eq!(ahead.ranks(), [[1, 3], [2, 4], [1, 3], [2, 4]]);
}

/// Returns both matches of two bots on each deal. Results include luck, and the first bot has the small advantage `more`.
fn duel(deals: u32, chance: &mut Chance, more: i32) -> Vec<Scored> {
    let points = |chance: &mut Chance| chance.below(7) as i32 + chance.below(7) as i32;
    let block = |deal| block(deal, [0, 1], [points(chance) + more, points(chance)]);
    (1..=deals).flat_map(block).collect()
}

/// Returns a tournament of two bots that was planned with each of these numbers of deals in turn.
fn extended(sizes: &[u32]) -> Spec {
    let size = |deals: &u32| tournament(&NAMES[..2], 2, *deals).size();
    let (last, earlier) = sizes.split_last().unwrap();
    let mut spec = tournament(&NAMES[..2], 2, *last);
    spec.earlier_sizes = earlier.iter().map(size).collect();
    spec
}

#[test]
fn what_was_said_stays_said() {
    // The first bot leads by 3 on each of 12 deals, then the second by 5.
    let matches = |deals: u32| {
        let more = |deal| if deal <= 12 { 3 } else { -5 };
        (1..=deals).flat_map(move |deal| block(deal, [0, 1], [more(deal) + deal as i32 % 3, 0]))
    };
    let judged_at = |sizes: &[u32], deals: u32| {
        let ahead = judged(&extended(sizes), matches(deals));
        (ahead.judged, ahead.lead(0, 1).unwrap().ahead)
    };
    let first = Some(Side::First);
    assert_eq!(judged_at(&[12], 11), (None, None), "before the first look");
    assert_eq!(judged_at(&[12], 12), (Some(12), first));
    assert_eq!(judged_at(&[12, 30], 12), (Some(12), first), "extended");
    assert_eq!(judged_at(&[12, 30], 29), (Some(12), first), "half played");
    let ahead = judged(&extended(&[12, 30, 60]), matches(60));
    assert!(ahead.is(0, 1) && ahead.judged == Some(60));
    assert!(ahead.lead(0, 1).unwrap().points < 0.0);
    assert_eq!(ahead.order(|one, _| one == 1), [1, 2]);
    assert_eq!(judged_at(&[30], 12), (None, None), "not at another size");
    let gap = matches(12).filter(|scored| scored.deal != 3 || scored.bots[0] != 0);
    assert!(!judged(&extended(&[12]), gap).is(0, 1));
}

#[test]
fn a_second_look_finds_more() {
    let mut chance = Seed::try_from(4).unwrap().stream("duel", 0);
    let matches = duel(400, &mut chance, 1);
    let found = |sizes: &[u32]| judged(&extended(sizes), matches.clone()).is(0, 1);
    assert_eq!([found(&[10, 401]), found(&[10, 400])], [false, true]);
}

/// Checks the error rate for any way in which results decide when, and by how much, a tournament is extended.
#[test]
fn equal_bots_are_seldom_ahead_at_any_look() {
    let ever = |index: &u64| {
        let mut chance = Seed::try_from(9).unwrap().stream("equal", *index);
        let mut spec = tournament(&NAMES[..4], 2, 12);
        let mut all: Vec<Scored> = Vec::new();
        for _ in 0..5 {
            let begun = all.last().map_or(0, |scored| scored.deal);
            for deal in begun + 1..=spec.plan.deals {
                let pairs = (0..4).flat_map(|one| (one + 1..4).map(move |other| [one, other]));
                let mut points = || chance.below(20) as i32;
                all.extend(pairs.flat_map(|pair| block(deal, pair, [points(), points()])));
            }
            let mut collector = Collector::new(&spec);
            gathered(spec.gather(), all.clone())
                .iter()
                .for_each(|deal| collector.add(deal));
            let ahead = collector.ahead();
            if ahead.leads().values().any(|lead| lead.ahead.is_some()) {
                return true;
            }
            let least = ahead
                .leads()
                .values()
                .map(|lead| lead.p)
                .fold(1.0, f64::min);
            spec.earlier_sizes.push(spec.size());
            spec.plan.deals += if least < 0.03 {
                spec.plan.deals / 2
            } else {
                40
            };
        }
        false
    };
    let wrong = (0..100).filter(ever).count();
    assert!(wrong <= 7, "{wrong} of 100");
}

/// Returns the matches of a tournament and the relation of its bots. Bots that are named earlier are stronger.
fn simulated(spec: &Spec, seed: u64, step: u32) -> (Vec<Scored>, Ahead) {
    let mut chance = Seed::try_from(seed).unwrap().stream("strengths", 0);
    let (mut all, mut blocks) = (Vec::new(), Vec::new());
    for round in 1..=spec.rounds() {
        for meeting in spec.meetings(round, &blocks) {
            let [one, other] = meeting.bots[..] else {
                unreachable!("tables have two seats")
            };
            for deal in meeting.deals {
                let mut points = |bot: usize| (chance.below(20) + step * (9 - bot as u32)) as i32;
                all.extend(block(deal, [one, other], [points(one), points(other)]));
            }
        }
        let gathered = gathered(spec.gather(), all.clone());
        blocks = gathered
            .iter()
            .flat_map(|deal| deal.blocks.clone())
            .collect();
    }
    let ahead = judged(spec, all.clone());
    (all, ahead)
}

#[test]
fn ranks_lie_within_their_range_and_agree_with_who_is_ahead() {
    for seed in 1..=60 {
        let mut spec = if seed % 2 == 0 {
            gauntlet(6, 1 + seed as usize % 3, 15)
        } else {
            tournament(&NAMES, 2, 15)
        };
        spec.earlier_sizes = vec![spec.size()];
        spec.earlier_sizes[0].deals = 5;
        spec.earlier_sizes[0].matches /= 3;
        let (_, ahead) = simulated(&spec, seed, seed as u32 % 4);
        let mut chance = Seed::try_from(seed).unwrap().stream("order", 0);
        let liking: Vec<u32> = (0..6).map(|_| chance.below(4)).collect();
        let ranks = ahead.order(|one, other| liking[one] > liking[other]);
        for (bot, ends) in ahead.ranks().into_iter().enumerate() {
            assert!(
                (ends[0]..=ends[1]).contains(&ranks[bot]),
                "{seed} {ranks:?}"
            );
            let below = (0..6).filter(|other| ahead.is(bot, *other));
            assert!(below.into_iter().all(|other| ranks[other] > ranks[bot]));
        }
    }
}

#[test]
fn a_long_swiss_is_not_mute() {
    let mut spec = tournament(&NAMES, 2, 8);
    let swiss = |rounds| Choice::Swiss(arena_tournament::formats::swiss::Swiss { rounds });
    spec.plan.format = swiss(20);
    let (_, ahead) = simulated(&spec, 5, 2);
    assert!(ahead.is(0, 5) && !ahead.is(5, 0));
    // In a single round, 4 deals cannot separate any of the 15 pairs.
    (spec.plan.format, spec.plan.deals) = (swiss(1), 4);
    let (_, ahead) = simulated(&spec, 5, 2);
    assert!(
        ahead
            .leads()
            .values()
            .all(|lead| lead.too_few && lead.ahead.is_none())
    );
}

#[test]
fn withdrawal_is_not_weakness() {
    let spec = |withdrawn| {
        let mut spec = tournament(&NAMES[..3], 2, 40);
        spec.bots[1].withdrawn = withdrawn;
        spec
    };
    let matches = |last: u32| {
        let pairs = [[0, 1], [0, 2], [1, 2]];
        let all = (1..=40).flat_map(move |deal| {
            pairs.into_iter().flat_map(move |pair| {
                let points = |bot: usize| [30, 20, 10][bot] + (deal * (bot as u32 + 3) % 5) as i32;
                block(deal, pair, pair.map(points))
            })
        });
        all.map(move |mut scored| {
            for (seat, bot) in scored.seats.iter_mut().zip(&scored.bots) {
                if scored.deal > last && *bot == 1 {
                    (seat.fault, seat.points) = (Some(Cause::Withdrawn), 0);
                }
            }
            scored
        })
    };
    let ahead = judged(&spec(Some(1)), matches(14));
    let lead = ahead.lead(1, 2).unwrap();
    assert!(lead.deals == 14 && lead.points > 0.0 && !ahead.is(2, 1));
    // The other bots are compared on all deals.
    assert!(ahead.is(0, 2) && ahead.lead(0, 2).unwrap().deals == 40);
}
