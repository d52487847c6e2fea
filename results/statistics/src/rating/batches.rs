//! The counts that the fits need, deal by deal, or in batches of deals where there are many.

use std::collections::{BTreeMap, HashMap};

/// Deals beyond this many share batches: the spread of this many batches is known to some per cent, and that is enough.
const MOST: u32 = 1000;

/// The number of times that something came: its cell among the sums, and its count.
pub(crate) type Count = (u32, u64);

/// The counts of deals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batches {
    /// By batch and cell.
    batches: BTreeMap<u32, HashMap<u32, u64>>,
    /// The number of deals that were taken in.
    pub(crate) deals: usize,
}

impl Batches {
    /// Takes in a deal with these counts, in any order.
    pub(crate) fn add(&mut self, deal: u32, counts: &[Count]) {
        self.deals += 1;
        let batch = self.batches.entry(deal % MOST).or_default();
        counts.iter().for_each(|(cell, count)| *batch.entry(*cell).or_default() += count);
    }

    /// The sums of each batch over this many cells, each cell at the place it is given.
    pub(crate) fn sums(&self, cells: usize, place: impl Fn(u32) -> u32) -> Vec<Vec<u64>> {
        let sums = |batch: &HashMap<u32, u64>| {
            let mut sums = vec![0; cells];
            batch.iter().for_each(|(cell, count)| sums[place(*cell) as usize] += count);
            sums
        };
        self.batches.values().map(sums).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_deals_in_whatever_order() {
        let counts = |deal: u32| vec![(deal % 5, 1), (7, 2), (deal % 3, u64::from(deal))];
        let sums = |deals: &mut dyn Iterator<Item = u32>| {
            let mut batches = Batches::default();
            deals.for_each(|deal| batches.add(deal, &counts(deal)));
            (batches.deals, batches.sums(8, |cell| cell))
        };
        let (deals, batches) = sums(&mut (1..=3000));
        assert_eq!((deals, batches.len()), (3000, 1000));
        assert_eq!((deals, batches.clone()), sums(&mut (1..=3000).rev()));
        assert_eq!(batches.iter().map(|sums| sums[7]).sum::<u64>(), 6000);
        assert_eq!(batches[1][7], 6, "deals 1, 1001 and 2001");
    }
}
