//! Fits of resamples, which start from the fit of the whole, against fits of the same sums from nothing; intervals and ranks.

use super::super::deal_counts::DealCounts;
use super::super::sums::Sets;
use super::*;

/// The greatest difference of a strength, a tie parameter or the first-seat term, in logits, over resamples of so many
/// deals; on each, some of the bots play at tables of so many seats, the strongest being the last.
fn check(bots: usize, seats: usize, deals: u32, prior: Prior) -> f64 {
    let cells = Cells::new(bots, seats);
    let (mut sets, mut all) = (Sets::default(), DealCounts::default());
    let seed = Seed::try_from(41).unwrap();
    for deal in 0..deals {
        let mut chance = seed.stream("deal", deal.into());
        let mut counts = Vec::new();
        (0..6).for_each(|_| play(cells, seats, &mut chance, &mut sets, &mut counts));
        all.add(deal, counts);
    }
    let (sets, places) = sets.in_order();
    let base = cells.sets() as u32;
    let place = |cell: u32| if cell < base { cell } else { base + places[(cell - base) as usize] };
    let layout = all.lay_out(cells.sets() + sets.len(), place);
    let groups = Groups::new(bots, |i, j| i != j);
    let first = seats == 2;
    let question = Question { cells, sets: &sets, layout: &layout, first, prior, groups: &groups };
    let full = question.answer(&layout.sums(), None).fit;
    let mut buffer = ResampleBuffer::default();
    let differences = question.resamples(&full, seed, 40).into_iter().zip(0..).map(|(resample, index)| {
        layout.resample(seed.stream("bootstrap", index), &mut buffer);
        let fresh = question.answer(&buffer.sums, None).fit;
        difference(&resample.fit, &fresh)
    });
    differences.fold(0.0, f64::max)
}

/// Plays one match, by points, so that there are ties.
fn play(
    cells: Cells,
    seats: usize,
    chance: &mut arena_engine::chance::Chance,
    sets: &mut Sets,
    counts: &mut Vec<super::super::deal_counts::Count>,
) {
    let mut table: Vec<usize> = (0..cells.bots()).collect();
    chance.shuffle(&mut table);
    table.truncate(seats);
    let points: Vec<u32> = table.iter().map(|bot| chance.below(8) + *bot as u32 / 2).collect();
    if let Cells::Pairs { bots } = cells {
        let outcome = [1, 0, 2][usize::from(points[0] > points[1]) + 2 * usize::from(points[0] < points[1])];
        counts.push((((table[0] * bots + table[1]) * 3) as u32 + outcome, 1));
        return;
    }
    let mut values = points.clone();
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.dedup();
    let at = |value: &u32| (0..seats).filter(|seat| points[*seat] == *value).map(|seat| table[seat]).collect();
    let places: Vec<Vec<usize>> = values.iter().map(at).collect();
    let places: Vec<&[usize]> = places.iter().map(Vec::as_slice).collect();
    cells.choices(&places, sets, counts);
}

fn difference(one: &Fit, other: &Fit) -> f64 {
    let ties = one.ties.iter().zip(&other.ties).filter(|(a, b)| **a > 0.0 || **b > 0.0);
    let strengths = one.strengths.iter().zip(&other.strengths).map(|(a, b)| (a - b).abs());
    let first = (one.first.unwrap_or(0.0) - other.first.unwrap_or(0.0)).abs();
    strengths.chain(ties.map(|(a, b)| (a.ln() - b.ln()).abs())).fold(first, f64::max)
}

#[test]
fn fits_of_resamples_are_those_from_nothing() {
    for (bots, seats) in [(4, 2), (9, 2), (5, 3), (9, 4), (8, 8)] {
        for deals in [10, 40, 400] {
            for prior in [Prior::DEFAULT, Prior::None] {
                let found = check(bots, seats, deals, prior);
                assert!(found < 5e-6, "{found} logits at {bots} bots, {seats} seats, {deals} deals, {prior:?}");
            }
        }
    }
}

#[test]
fn tails_widen_for_few_deals() {
    assert_eq!(tail(9, 1000), None);
    assert_eq!(tail(50, 99), None);
    // Hesterberg 2015, table 5: for n = 10, a nominal 95 % takes the percentiles 0.9 % and 99.1 %.
    assert!((tail(10, 1000).unwrap() - 0.009).abs() < 0.0005);
    assert!((tail(1_000_000, 1000).unwrap() - 0.025).abs() < 1e-6);
}

#[test]
fn intervals_leave_out_their_tails() {
    let values: Vec<f64> = (0..=1000).rev().map(f64::from).collect();
    assert_eq!(interval(500.0, values, 0.025), [25.0, 975.0]);
    // What lies far above the estimate says that the estimate may be far too high.
    assert_eq!(interval(1.5, vec![4.0, 1.0], 0.0), [-1.0, 2.0]);
    assert_eq!(rank_interval((0..1000).map(|i| 1 + i / 250).collect(), 0.3), [2, 3]);
    assert_eq!(ranks(&[0.5, 1.0, 0.5, -2.0], &Groups::new(4, |_, _| true)), [2, 1, 2, 4]);
    assert!((deviation(&[1.0, 2.0, 3.0]) - 1.0).abs() < 1e-15);
}
