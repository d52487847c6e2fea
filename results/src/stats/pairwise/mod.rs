//! Every two bots against each other, from matches as they come.

use std::collections::BTreeMap;

use crate::scored::{Scored, Seated};
use crate::stats::cluster::{Cluster, OnDeal};
use crate::stats::elo::Estimate;
use crate::stats::pair::{self, Pair};
use crate::wdl::{self, Wdl};

/// The results of every two bots against each other so far. Keeps sums, and the blocks of the deal that is being played.
#[derive(Clone, Debug)]
pub struct Pairwise {
    bots: usize,
    seats: usize,
    seatings: u32,
    pairs: Vec<Sums>,
    open: BTreeMap<u32, OpenDeal>,
}

/// The sums of one pair.
#[derive(Clone, Debug, Default)]
struct Sums {
    wins: u64,
    draws: u64,
    losses: u64,
    both_forfeited: u64,
    /// Half points of whoever sat in the earlier seat, over all matches.
    earlier: u64,
    blocks: u64,
    unfinished: u64,
    pentanomial: [u64; 5],
    half_points: Cluster,
    points: Cluster,
}

/// A deal of which more matches may come.
#[derive(Clone, Debug, Default)]
struct OpenDeal {
    /// Blocks that lack a match, by their bots in order.
    blocks: BTreeMap<Vec<usize>, Block>,
    /// The results of each pair in the finished blocks.
    finished: BTreeMap<usize, Meetings>,
}

/// A block that lacks a match.
#[derive(Clone, Debug, Default)]
struct Block {
    matches: u32,
    pairs: BTreeMap<usize, Meetings>,
}

/// The results of the first of two bots on a deal.
#[derive(Clone, Copy, Debug, Default)]
struct Meetings {
    half_points: OnDeal,
    points: OnDeal,
}

impl Pairwise {
    /// No match yet, of this many bots at tables of so many seats; a block has so many seatings (at least 1 is taken).
    pub fn new(bots: usize, seats: usize, seatings: u32) -> Self {
        let pairs = vec![Sums::default(); bots * bots.saturating_sub(1) / 2];
        Self { bots, seats, seatings: seatings.max(1), pairs, open: BTreeMap::new() }
    }

    /// Takes in a match. They must come in order of deals, within a deal in any order, and each must come once.
    ///
    /// # Panics
    /// If a bot's index is not below the number of bots.
    pub fn add(&mut self, scored: &Scored) {
        let later = self.open.split_off(&scored.deal);
        for (_, deal) in std::mem::replace(&mut self.open, later) {
            close(deal, &mut self.pairs);
        }
        let mut bots = scored.bots.clone();
        bots.sort_unstable();
        let deal = self.open.entry(scored.deal).or_default();
        let block = deal.blocks.entry(bots.clone()).or_default();
        block.matches += 1;
        for (earlier, seat) in scored.seats.iter().enumerate() {
            for (later, other) in scored.seats.iter().enumerate().skip(earlier + 1) {
                let (mine, theirs) = (scored.bots[earlier], scored.bots[later]);
                if mine == theirs {
                    continue;
                }
                let index = index(self.bots, mine.min(theirs), mine.max(theirs));
                let meeting = if mine < theirs { Meeting::of(seat, other) } else { Meeting::of(other, seat) };
                let sums = &mut self.pairs[index];
                sums.count(meeting);
                sums.earlier += if mine < theirs { meeting.half_points() } else { 2 - meeting.half_points() } as u64;
                block.pairs.entry(index).or_default().add(meeting);
            }
        }
        if block.matches == self.seatings
            && let Some(block) = deal.blocks.remove(&bots)
        {
            self.finish(scored.deal, block);
        }
    }

    /// All pairs, in order of the first and then the second bot, by the matches so far.
    pub fn table(&self) -> Vec<Pair> {
        let mut sums = self.pairs.clone();
        self.open.values().for_each(|deal| close(deal.clone(), &mut sums));
        let pairs = (0..self.bots).flat_map(|first| (first + 1..self.bots).map(move |second| (first, second)));
        let mut table: Vec<Pair> = pairs.zip(&sums).map(|((first, second), sums)| sums.pair(first, second)).collect();
        for pair in &mut table {
            pair.pentanomial = pair.pentanomial.filter(|_| (self.seats, self.seatings) == (2, 2));
            pair.estimate = pair.estimate.map(|estimate| match &pair.pentanomial {
                Some(counts) => pair::widened(estimate, counts),
                // It is a measure of pairs of games between two.
                None => Estimate { normalised: None, normalised_interval: [None, None], ..estimate },
            });
        }
        pair::adjust(&mut table);
        table
    }

    fn finish(&mut self, deal: u32, block: Block) {
        let finished = &mut self.open.entry(deal).or_default().finished;
        for (index, meetings) in block.pairs {
            let sums = &mut self.pairs[index];
            sums.blocks += 1;
            if let Some(count) = sums.pentanomial.get_mut(meetings.half_points.total as usize) {
                *count += 1;
            }
            finished.entry(index).or_default().join(&meetings);
        }
    }
}

/// The place of a pair in the list of all pairs.
fn index(bots: usize, first: usize, second: usize) -> usize {
    assert!(second < bots, "there are {bots} bots, so there is no bot {second}");
    first * (2 * bots - first - 1) / 2 + second - first - 1
}

fn close(deal: OpenDeal, pairs: &mut [Sums]) {
    for index in deal.blocks.values().flat_map(|block| block.pairs.keys()) {
        pairs[*index].unfinished += 1;
    }
    for (index, meetings) in deal.finished {
        pairs[index].half_points.add(&meetings.half_points);
        pairs[index].points.add(&meetings.points);
    }
}

/// The result of a match for the first of two bots.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    result: Option<Wdl>,
    points: i64,
}

impl Meeting {
    fn of(first: &Seated, second: &Seated) -> Self {
        let result = wdl::against(first, second);
        let both = result == Wdl::Loss && wdl::against(second, first) == Wdl::Loss;
        let points = i64::from(first.points) - i64::from(second.points);
        Self { result: (!both).then_some(result), points }
    }

    fn half_points(self) -> i64 {
        match self.result {
            Some(Wdl::Win) => 2,
            Some(Wdl::Draw) | None => 1,
            Some(Wdl::Loss) => 0,
        }
    }
}

impl Meetings {
    fn add(&mut self, meeting: Meeting) {
        self.half_points.add(meeting.half_points());
        self.points.add(meeting.points);
    }

    fn join(&mut self, other: &Meetings) {
        self.half_points.join(&other.half_points);
        self.points.join(&other.points);
    }
}

impl Sums {
    fn count(&mut self, meeting: Meeting) {
        match meeting.result {
            Some(Wdl::Win) => self.wins += 1,
            Some(Wdl::Draw) => self.draws += 1,
            Some(Wdl::Loss) => self.losses += 1,
            None => self.both_forfeited += 1,
        }
    }

    fn pair(&self, first: usize, second: usize) -> Pair {
        let matches = self.wins + self.draws + self.losses + self.both_forfeited;
        Pair {
            first,
            second,
            matches,
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            both_forfeited: self.both_forfeited,
            blocks: self.blocks,
            unfinished_blocks: self.unfinished,
            deals: self.half_points.deals(),
            pentanomial: Some(self.pentanomial),
            estimate: pair::estimate(&self.half_points),
            points: pair::points(&self.points),
            variance_ratio: self.half_points.variance_ratio(),
            points_variance_ratio: self.points.variance_ratio(),
            first_seat: (matches > 0).then(|| self.earlier as f64 / (2 * matches) as f64),
            needed: pair::needed(&self.half_points),
        }
    }
}

#[cfg(test)]
mod tests;
