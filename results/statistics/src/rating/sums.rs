//! The sums that the fits are made of: the cells, and in which of them a match is counted.

use std::collections::HashMap;

use arena_tournament::deals::{self, Scored};

use super::batches::Count;
use super::bradley_terry::{LOSS, Pairs, TIE, WIN};
use super::newton::Local;
use super::plackett_luce::{CREDIT, Choices};

/// The cells, each of which counts something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cells {
    /// Tables of two: for each first and second bot, how often the first won, tied, lost.
    Pairs {
        /// The number of bots.
        bots: usize,
    },
    /// Larger tables: the bots' credits; ties by size; for each two bots, how often they met and half points; the sets
    /// that were chosen from.
    Tables {
        /// The number of bots.
        bots: usize,
        /// Seats at each table.
        seats: usize,
    },
}

/// The sets of bots that were chosen from, numbered as they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sets(HashMap<Box<[u16]>, u32>);

impl Cells {
    /// For this many bots and seats.
    pub(crate) fn new(bots: usize, seats: usize) -> Self {
        if seats == 2 { Self::Pairs { bots } } else { Self::Tables { bots, seats } }
    }

    /// Counts a match in which every bot has one seat. Seats that forfeited at the same time are tied.
    pub(crate) fn count(self, scored: &Scored, sets: &mut Sets, counts: &mut Vec<Count>) {
        match self {
            Self::Pairs { bots } => {
                let outcome = [LOSS, TIE, WIN][deals::versus(&scored.seats[0], &scored.seats[1]).halves() as usize];
                counts.push((((scored.bots[0] * bots + scored.bots[1]) * 3 + outcome) as u32, 1));
            }
            Self::Tables { .. } => {
                self.meet(scored, counts);
                let places = places(scored);
                let places: Vec<&[usize]> = places.iter().map(Vec::as_slice).collect();
                self.choices(&places, sets, counts);
            }
        }
    }

    /// Counts the choices of a match, from its places, best first.
    pub(crate) fn choices(self, places: &[&[usize]], sets: &mut Sets, counts: &mut Vec<Count>) {
        let mut left: Vec<u16> = places.iter().copied().flatten().map(|bot| *bot as u16).collect();
        left.sort_unstable();
        for place in places {
            if left.len() < 2 {
                break;
            }
            let size = place.len();
            counts.extend(place.iter().map(|bot| (*bot as u32, CREDIT / size as u64)));
            if size > 1 {
                counts.push(((self.ties() + size - 2) as u32, 1));
            }
            counts.push((self.sets() as u32 + sets.number(&left), 1));
            left.retain(|bot| !place.contains(&usize::from(*bot)));
        }
    }

    /// The half points of a bot against another one.
    pub(crate) fn half_points(self, sums: &[u64], bot: usize, other: usize) -> u64 {
        match self {
            Self::Pairs { bots } => {
                let first = &sums[(bot * bots + other) * 3..][..3];
                let second = &sums[(other * bots + bot) * 3..][..3];
                2 * (first[WIN] + second[LOSS]) + first[TIE] + second[TIE]
            }
            Self::Tables { .. } => {
                let cell = self.pair(bot.min(other), bot.max(other));
                if bot < other { sums[cell + 1] } else { 2 * sums[cell] - sums[cell + 1] }
            }
        }
    }

    /// The number of bots.
    pub(crate) fn bots(self) -> usize {
        match self {
            Self::Pairs { bots } | Self::Tables { bots, .. } => bots,
        }
    }

    /// The number of cells, besides those of sets; the sets follow.
    pub(crate) fn sets(self) -> usize {
        match self {
            Self::Pairs { bots } => bots * bots * 3,
            Self::Tables { bots, .. } => self.pairs() + bots * bots * 2,
        }
    }

    fn ties(self) -> usize {
        self.bots()
    }

    fn pairs(self) -> usize {
        match self {
            Self::Pairs { .. } => 0,
            Self::Tables { bots, seats } => bots + seats.saturating_sub(1),
        }
    }

    fn pair(self, low: usize, high: usize) -> usize {
        self.pairs() + (low * self.bots() + high) * 2
    }

    fn meet(self, scored: &Scored, counts: &mut Vec<Count>) {
        for duel in scored.duels() {
            let (cell, halves) = (self.pair(duel.bots[0], duel.bots[1]) as u32, u64::from(duel.versus().halves()));
            counts.push((cell, 1));
            if halves > 0 {
                counts.push((cell + 1, halves));
            }
        }
    }
}

/// The likelihood of strengths by these sums.
#[derive(Clone, Debug)]
pub(crate) struct Likelihood<'a> {
    pub(crate) cells: Cells,
    sets: &'a [Box<[u16]>],
    sums: &'a [u64],
    /// True if tables of two have a term for sitting first.
    pub(crate) first: bool,
    /// For ties of 2, 3, …: whether there is a term for them.
    pub(crate) tied: Vec<bool>,
}

impl<'a> Likelihood<'a> {
    /// With a term for each size of ties that came.
    pub(crate) fn new(cells: Cells, sets: &'a [Box<[u16]>], sums: &'a [u64], first: bool) -> Self {
        let tied = match cells {
            Cells::Pairs { .. } => vec![sums.iter().skip(TIE).step_by(3).any(|ties| *ties > 0)],
            Cells::Tables { .. } => sums[cells.ties()..cells.pairs()].iter().map(|ties| *ties > 0).collect(),
        };
        Self { cells, sets, sums, first, tied }
    }

    /// The same terms for other sums.
    pub(crate) fn of<'b>(&'b self, sums: &'b [u64]) -> Likelihood<'b> {
        Likelihood { sums, ..self.clone() }
    }

    /// The number of terms for ties.
    pub(crate) fn ties(&self) -> usize {
        self.tied.iter().filter(|tied| **tied).count()
    }

    /// Adds its logarithm at a point, with its derivatives.
    pub(crate) fn add(&self, at: &[f64], local: &mut Local) {
        let Self { cells, sets, sums, first, tied } = self;
        match *cells {
            Cells::Pairs { bots } => Pairs { bots, first: *first, tie: tied[0], counts: sums }.add(at, local),
            Cells::Tables { bots, .. } => {
                let (credits, ties) = (&sums[..bots], &sums[cells.ties()..cells.pairs()]);
                Choices { credits, ties, tied, sets, counts: &sums[cells.sets()..] }.add(at, local);
            }
        }
    }
}

impl Sets {
    fn number(&mut self, set: &[u16]) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(set.into()).or_insert(next)
    }

    /// The sets in rising order, and the place of each number in it: an order that does not depend on which match came
    /// first.
    pub(crate) fn in_order(&self) -> (Vec<Box<[u16]>>, Vec<u32>) {
        let mut sorted: Vec<(&Box<[u16]>, &u32)> = self.0.iter().collect();
        sorted.sort_unstable();
        let mut places = vec![0; sorted.len()];
        sorted.iter().zip(0..).for_each(|((_, number), place)| places[**number as usize] = place);
        (sorted.into_iter().map(|(set, _)| set.clone()).collect(), places)
    }
}

/// The bots of a match by place, best first: those who forfeited come after all others, in the order of their places.
fn places(scored: &Scored) -> Vec<Vec<usize>> {
    let key = |seat: usize| (scored.seats[seat].fault.is_some(), scored.seats[seat].place);
    let mut order: Vec<usize> = (0..scored.bots.len()).collect();
    order.sort_by_key(|seat| (key(*seat), scored.bots[*seat]));
    let places = order.chunk_by(|a, b| key(*a) == key(*b));
    places.map(|place| place.iter().map(|seat| scored.bots[*seat]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use arena_tournament::deals::Seated;

    use super::*;
    use arena_tournament::sample::verdict;

    fn scored(scores: &[(u8, i32)], faults: &[u8]) -> Scored {
        Scored { deal: 1, bots: vec![2, 0, 1], seats: Seated::all(&verdict(scores, faults)), transcript: 0 }
    }

    #[test]
    fn forfeits_come_last_and_share_a_place_if_they_came_together() {
        let check = |scores: &[(u8, i32)], faults: &[u8], expected: Vec<Vec<usize>>| {
            assert_eq!(places(&scored(scores, faults)), expected, "{scores:?} {faults:?}");
        };
        check(&[(1, 9), (2, 5), (2, 5)], &[], vec![vec![2], vec![0, 1]]);
        check(&[(1, 9), (2, 5), (2, 5)], &[0], vec![vec![0, 1], vec![2]]);
        check(&[(1, 9), (2, 5), (2, 5)], &[1, 2], vec![vec![2], vec![0, 1]]);
        check(&[(1, 9), (2, 5), (3, 5)], &[1, 2], vec![vec![2], vec![0], vec![1]]);
    }

    #[test]
    fn two_bots_meet_the_same_in_either_order() {
        let cells = Cells::new(3, 3);
        let (mut sets, mut counts) = (Sets::default(), Vec::new());
        cells.count(&scored(&[(1, 9), (2, 5), (2, 5)], &[]), &mut sets, &mut counts);
        let mut sums = vec![0; cells.sets() + sets.0.len()];
        counts.iter().for_each(|(cell, count)| sums[*cell as usize] += *count);
        let halves = |bot, other| cells.half_points(&sums, bot, other);
        assert_eq!([halves(2, 0), halves(0, 2), halves(0, 1), halves(1, 0), halves(1, 2)], [2, 0, 1, 1, 0]);
        assert_eq!(sets.in_order(), (vec![Box::from([0, 1]), Box::from([0, 1, 2])], vec![1, 0]));
    }
}
