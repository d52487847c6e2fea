//! The counts of each deal that the fits need: a short list, shared by deals that came out the same.
//!
//! A bootstrap draws deals with replacement, so the counts of a resample are the sum of the counts of each deal times
//! how often it was drawn. Deals with equal counts need not be told apart for that: how often any of them was drawn is
//! the sum over them, which is exactly what drawing the deals themselves gives.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arena_engine::chance::Chance;

/// Draws are shared out among kinds where there are this many times fewer kinds than deals; else they are drawn one by one.
const FEW: usize = 16;
/// The number of random bits that are drawn at once.
const BITS: usize = 31;

/// The number of times that something came on a deal: its cell among the sums, and its count.
pub(crate) type Count = (u32, u32);

/// The counts of deals, as they are finished.
#[derive(Clone, Debug, Default)]
pub(crate) struct DealCounts {
    kinds: HashMap<Arc<[Count]>, u32>,
    counts: Vec<Arc<[Count]>>,
    deals: BTreeMap<u32, u32>,
}

impl DealCounts {
    /// Takes in a finished deal with these counts, in any order.
    pub(crate) fn add(&mut self, deal: u32, counts: Vec<Count>) {
        let merged: Arc<[Count]> = merge(counts).into();
        let next = self.counts.len() as u32;
        let kind = *self.kinds.entry(merged.clone()).or_insert(next);
        if kind == next {
            self.counts.push(merged);
        }
        self.deals.insert(deal, kind);
    }

    /// The number of deals that were taken in.
    pub(crate) fn len(&self) -> usize {
        self.deals.len()
    }

    /// All deals, laid out for fast sums over this many cells, each cell at the place it is given.
    pub(crate) fn lay_out(&self, cells: usize, place: impl Fn(u32) -> u32) -> Layout {
        let moved = |counts: &Arc<[Count]>| merge(counts.iter().map(|(cell, count)| (place(*cell), *count)).collect());
        let mut sorted: Vec<(Vec<Count>, usize)> = self.counts.iter().map(moved).zip(0..).collect();
        // An order that does not depend on which deal was finished first.
        sorted.sort_unstable();
        let mut places = vec![0; sorted.len()];
        sorted.iter().zip(0..).for_each(|((_, kind), place)| places[*kind] = place);
        let kinds: Vec<u32> = self.deals.values().map(|kind| places[*kind as usize]).collect();
        let mut times = vec![0; sorted.len()];
        kinds.iter().for_each(|kind| times[*kind as usize] += 1);
        Layout {
            cells,
            starts: running(sorted.iter().map(|(counts, _)| counts.len())),
            counts: sorted.into_iter().flat_map(|(counts, _)| counts).collect(),
            before: running(times.into_iter()),
            kinds,
        }
    }
}

/// The sums of what comes before each number, and of all.
fn running(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let sum = numbers.scan(0, |sum, number| {
        *sum += number;
        Some(*sum)
    });
    std::iter::once(0).chain(sum).collect()
}

/// Adds up counts of the same cell; the cells rise.
pub(crate) fn merge(mut counts: Vec<Count>) -> Vec<Count> {
    counts.sort_unstable();
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    counts
}

/// All deals, laid out for fast sums.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    cells: usize,
    /// The places where each kind's counts start among `counts`; at the end, where they all end.
    starts: Vec<usize>,
    counts: Vec<Count>,
    /// The number of deals of the kinds before each kind; at the end, of all.
    before: Vec<usize>,
    /// The kind of each deal, in order of deals.
    kinds: Vec<u32>,
}

/// The sums of a resample; the next one uses their memory again.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResampleBuffer {
    weights: Vec<u32>,
    /// The sum of each cell.
    pub(crate) sums: Vec<u64>,
}

impl Layout {
    /// The number of deals.
    pub(crate) fn deals(&self) -> usize {
        self.kinds.len()
    }

    /// The sums over all deals, each once.
    pub(crate) fn sums(&self) -> Vec<u64> {
        let weights = self.before.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect();
        let mut buffer = ResampleBuffer { weights, sums: Vec::new() };
        self.sum(&mut buffer);
        buffer.sums
    }

    /// The sums over as many deals, drawn with replacement.
    pub(crate) fn resample(&self, mut chance: Chance, buffer: &mut ResampleBuffer) {
        let kinds = self.starts.len() - 1;
        buffer.weights.clear();
        buffer.weights.resize(kinds, 0);
        if kinds * FEW <= self.deals() {
            self.share_out(0, kinds, self.deals(), &mut chance, &mut buffer.weights);
        } else {
            let deals = self.deals() as u32;
            for _ in 0..deals {
                buffer.weights[self.kinds[chance.below(deals) as usize] as usize] += 1;
            }
        }
        self.sum(buffer);
    }

    /// Shares out so many draws among these kinds: first between both halves, then in each.
    fn share_out(&self, from: usize, to: usize, draws: usize, chance: &mut Chance, weights: &mut [u32]) {
        if draws == 0 {
            return;
        }
        if to - from == 1 {
            weights[from] = draws as u32;
            return;
        }
        let middle = usize::midpoint(from, to);
        let low = (self.before[middle] - self.before[from]) as u64;
        let all = (self.before[to] - self.before[from]) as u64;
        let below = binomial(draws, low, all, chance);
        self.share_out(from, middle, below, chance, weights);
        self.share_out(middle, to, draws - below, chance, weights);
    }

    /// Each kind of deal: its counts, and how many deals are of it.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&[Count], u64)> {
        let times = self.before.windows(2).map(|ends| (ends[1] - ends[0]) as u64);
        self.starts.windows(2).map(|ends| &self.counts[ends[0]..ends[1]]).zip(times)
    }

    fn sum(&self, buffer: &mut ResampleBuffer) {
        buffer.sums.clear();
        buffer.sums.resize(self.cells, 0);
        for (ends, weight) in self.starts.windows(2).zip(&buffer.weights).filter(|(_, weight)| **weight > 0) {
            for (cell, count) in &self.counts[ends[0]..ends[1]] {
                buffer.sums[*cell as usize] += u64::from(*weight) * u64::from(*count);
            }
        }
    }
}

/// The number of draws, of so many, that have the chance `low / all`, exactly: each draw is a number below 1, written in bits, that
/// is compared to the chance bit by bit until they differ, which half of the draws do at each bit. All draws go at once,
/// so that a draw costs two bits.
fn binomial(draws: usize, low: u64, all: u64, chance: &mut Chance) -> usize {
    let (mut equal, mut below, mut rest) = (draws, 0, low);
    if low == all {
        return draws;
    }
    while equal > 0 && rest > 0 {
        rest *= 2;
        let ones = heads(equal, chance);
        if rest >= all {
            // The chance has a one here: who has a zero is below it.
            rest -= all;
            below += equal - ones;
            equal = ones;
        } else {
            equal -= ones;
        }
    }
    below
}

/// The number of coins, of so many, that show heads.
fn heads(coins: usize, chance: &mut Chance) -> usize {
    let bits = |count: usize, chance: &mut Chance| chance.below(1 << count).count_ones() as usize;
    let whole: usize = (0..coins / BITS).map(|_| bits(BITS, chance)).sum();
    whole + bits(coins % BITS, chance)
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;

    use super::*;

    fn deals(order: impl Iterator<Item = u32>) -> Layout {
        let mut deals = DealCounts::default();
        order.for_each(|deal| deals.add(deal, vec![(2, 1), (deal % 2, 3), (2, 1)]));
        deals.lay_out(3, |cell| cell)
    }

    #[test]
    fn sums_are_those_of_all_deals_in_any_order() {
        let layout = deals(0..9);
        assert_eq!(layout.sums(), [15, 12, 18]);
        assert_eq!(layout.kinds().map(|(counts, deals)| (counts.len(), deals)).collect::<Vec<_>>(), [(2, 5), (2, 4)]);
        let [mut one, mut other] = [ResampleBuffer::default(), ResampleBuffer::default()];
        let chance = seed().stream("bootstrap", 0);
        layout.resample(chance.clone(), &mut one);
        deals((0..9).rev()).resample(chance, &mut other);
        assert_eq!(one.sums, other.sums);
        assert_eq!((one.sums[0] + one.sums[1], one.sums[2]), (27, 18));
    }

    #[test]
    fn resamples_spread_like_draws_with_replacement() {
        // Thirty deals of two kinds are drawn one by one, three hundred are shared out.
        for deals_in_all in [30, 300] {
            let layout = deals(0..deals_in_all);
            let mut buffer = ResampleBuffer::default();
            let draw = |index| {
                layout.resample(seed().stream("bootstrap", index), &mut buffer);
                assert_eq!(buffer.sums[0] + buffer.sums[1], 3 * u64::from(deals_in_all));
                buffer.sums[0] as f64 / 3.0
            };
            check(&(0..2000).map(draw).collect::<Vec<_>>(), f64::from(deals_in_all), 0.5);
        }
        let mut chance = seed().stream("thirds", 0);
        check(&(0..2000).map(|_| binomial(90, 1, 3, &mut chance) as f64).collect::<Vec<_>>(), 90.0, 1.0 / 3.0);
        check(&(0..2000).map(|_| binomial(64, 3, 4, &mut chance) as f64).collect::<Vec<_>>(), 64.0, 0.75);
    }

    fn seed() -> Seed {
        Seed::try_from(3).unwrap()
    }

    /// The mean and the variance of a binomial count.
    fn check(drawn: &[f64], draws: f64, p: f64) {
        let mean = drawn.iter().sum::<f64>() / 2000.0;
        let variance = drawn.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 2000.0;
        let expected = draws * p * (1.0 - p);
        // Four standard errors, of 2000 counts.
        assert!((mean - draws * p).abs() < 4.0 * (expected / 2000.0).sqrt(), "{mean} of {draws} at {p}");
        assert!((variance / expected - 1.0).abs() < 4.0 / 1000f64.sqrt(), "{variance} of {draws} at {p}");
    }
}
