//! What the fits need of each deal: a short list of counts, shared by deals that came out the same.
//!
//! A bootstrap draws deals with replacement, so the counts of a resample are the sum of the counts of each deal times
//! how often it was drawn. Deals with equal counts need not be told apart for that: how often any of them was drawn is
//! the sum over them, which is exactly what drawing the deals themselves gives.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arena_engine::chance::Chance;

/// How often something came on a deal: its cell among the sums, and its count.
pub(crate) type Count = (u32, u32);

/// The counts of deals, as they are finished.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deals {
    kinds: HashMap<Arc<[Count]>, u32>,
    counts: Vec<Arc<[Count]>>,
    deals: BTreeMap<u32, u32>,
}

impl Deals {
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

    /// How many deals were taken in.
    pub(crate) fn len(&self) -> usize {
        self.deals.len()
    }

    /// All deals, laid out for fast sums over this many cells, each cell at the place it is given.
    pub(crate) fn lay_out(&self, cells: usize, place: impl Fn(u32) -> u32) -> Layout {
        let mut starts = vec![0];
        starts.extend(self.counts.iter().scan(0, |end, counts| {
            *end += counts.len();
            Some(*end)
        }));
        Layout {
            cells,
            starts,
            counts: self
                .counts
                .iter()
                .flat_map(|counts| counts.iter())
                .map(|(cell, count)| (place(*cell), *count))
                .collect(),
            kinds: self.deals.values().copied().collect(),
        }
    }
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
    /// Where each kind's counts start among `counts`; at the end, where they all end.
    starts: Vec<usize>,
    counts: Vec<Count>,
    /// The kind of each deal, in order of deals.
    kinds: Vec<u32>,
}

/// Room for a resample, used again by the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    weights: Vec<u32>,
    /// The sum of each cell.
    pub(crate) sums: Vec<u64>,
}

impl Layout {
    /// How many deals there are.
    pub(crate) fn deals(&self) -> usize {
        self.kinds.len()
    }

    /// The sums over all deals, each once.
    pub(crate) fn sums(&self) -> Vec<u64> {
        let mut room = self.room();
        self.kinds.iter().for_each(|kind| room.weights[*kind as usize] += 1);
        self.sum(&mut room);
        room.sums
    }

    /// The sums over as many deals, drawn with replacement.
    pub(crate) fn resample(&self, mut chance: Chance, room: &mut Room) {
        room.weights.clear();
        room.weights.resize(self.starts.len() - 1, 0);
        let deals = self.deals() as u32;
        for _ in 0..deals {
            room.weights[self.kinds[chance.below(deals) as usize] as usize] += 1;
        }
        self.sum(room);
    }

    /// Each kind of deal: its counts, and how many deals are of it.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&[Count], u64)> {
        let mut deals = vec![0; self.starts.len() - 1];
        self.kinds.iter().for_each(|kind| deals[*kind as usize] += 1);
        self.starts.windows(2).map(|ends| &self.counts[ends[0]..ends[1]]).zip(deals)
    }

    fn room(&self) -> Room {
        Room { weights: vec![0; self.starts.len() - 1], sums: Vec::new() }
    }

    fn sum(&self, room: &mut Room) {
        room.sums.clear();
        room.sums.resize(self.cells, 0);
        for (ends, weight) in self.starts.windows(2).zip(&room.weights).filter(|(_, weight)| **weight > 0) {
            for (cell, count) in &self.counts[ends[0]..ends[1]] {
                room.sums[*cell as usize] += u64::from(*weight) * u64::from(*count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;

    use super::*;

    fn deals(order: impl Iterator<Item = u32>) -> Layout {
        let mut deals = Deals::default();
        order.for_each(|deal| deals.add(deal, vec![(2, 1), (deal % 2, 3), (2, 1)]));
        deals.lay_out(3, |cell| cell)
    }

    #[test]
    fn sums_are_those_of_all_deals_in_any_order() {
        let layout = deals(0..9);
        assert_eq!(layout.sums(), [15, 12, 18]);
        assert_eq!(layout.kinds().map(|(counts, deals)| (counts.len(), deals)).collect::<Vec<_>>(), [(2, 5), (2, 4)]);
        let [mut one, mut other] = [Room::default(), Room::default()];
        let chance = Seed::try_from(1).unwrap().stream("bootstrap", 0);
        layout.resample(chance.clone(), &mut one);
        deals((0..9).rev()).resample(chance, &mut other);
        assert_eq!(one.sums, other.sums);
        assert_eq!((one.sums[0] + one.sums[1], one.sums[2]), (27, 18));
    }

    #[test]
    fn resamples_spread_like_draws_with_replacement() {
        let layout = deals(0..40);
        let mut room = Room::default();
        let seed = Seed::try_from(3).unwrap();
        let drawn: Vec<f64> = (0..2000)
            .map(|index| {
                layout.resample(seed.stream("bootstrap", index), &mut room);
                room.sums[0] as f64 / 3.0
            })
            .collect();
        let mean = drawn.iter().sum::<f64>() / 2000.0;
        let variance = drawn.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 2000.0;
        // A binomial count of 40 draws at one half: mean 20, variance 10.
        assert!((mean - 20.0).abs() < 0.3 && (variance - 10.0).abs() < 1.0, "{mean} {variance}");
    }
}
