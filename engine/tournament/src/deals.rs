//! What finished matches come to: scores of seats, blocks, and deals. The only judge of when a deal is finished, and of what a
//! win, a draw and a forfeit are worth.
//!
//! A forfeit is a loss in wins, draws and losses, also if several forfeit. Between two bots that both forfeited a match, it is worth
//! nothing to either, and says nothing about which is better: see [`Versus::halves`].

use std::collections::BTreeMap;

use arena_engine::fault::Cause;
use arena_engine::outcome::Verdict;
use arena_engine::seat::Seat;
use arena_engine::shown;
use serde::{Deserialize, Serialize};

/// A finished match in short: who sat where, and what came of it. All statistics are made of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    /// Its deal, counted from 1.
    pub deal: u32,
    /// The bot in each seat, as its index among the tournament's bots.
    pub bots: Vec<usize>,
    /// The result of each seat.
    pub seats: Vec<Seated>,
    /// The CRC-32 of its record: matches of the same bots on a deal that went alike have the same.
    pub transcript: u32,
}

/// The result of a seat in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seated {
    /// 1 for the best seat; equal seats share a place.
    pub place: u8,
    /// Points by the official scoring of the game.
    pub points: i32,
    /// Why it forfeited, if it did.
    pub fault: Option<Cause>,
    /// The number of times that each of the game's sources of points counted, in the game's order.
    pub counts: Vec<i32>,
}

/// Two bots in one match.
#[derive(Clone, Copy, Debug)]
pub struct Duel<'a> {
    /// The two, ascending, as indices among the tournament's bots.
    pub bots: [usize; 2],
    /// The result of each.
    pub seats: [&'a Seated; 2],
}

impl Scored {
    /// Every two seats of different bots, each two once.
    pub fn duels(&self) -> impl Iterator<Item = Duel<'_>> {
        let seats = self.bots.iter().zip(&self.seats).enumerate();
        seats.flat_map(move |(earlier, (bot, seat))| {
            let later = self.bots[earlier + 1..]
                .iter()
                .zip(&self.seats[earlier + 1..]);
            later
                .filter(move |(other, _)| *other != bot)
                .map(move |(other, their)| {
                    let (bots, seats) = if bot < other {
                        ([*bot, *other], [seat, their])
                    } else {
                        ([*other, *bot], [their, seat])
                    };
                    Duel { bots, seats }
                })
        })
    }
}

impl Duel<'_> {
    /// The result of the first of the two against the other.
    pub fn versus(&self) -> Versus {
        versus(self.seats[0], self.seats[1])
    }

    /// By how many points the first is ahead.
    pub fn lead(&self) -> i64 {
        i64::from(self.seats[0].points) - i64::from(self.seats[1].points)
    }
}

impl Seated {
    /// The results of all seats by a verdict.
    pub fn all(verdict: &Verdict) -> Vec<Self> {
        let one = |seat: Seat| {
            let score = &verdict.outcome.seats[seat];
            Self {
                place: score.place,
                points: score.points,
                fault: verdict.faults[seat].as_ref().map(|fault| fault.cause),
                counts: score.breakdown.iter().map(|(_, count)| count).collect(),
            }
        };
        Seat::all(verdict.outcome.seats.len())
            .into_iter()
            .map(one)
            .collect()
    }
}

/// Won, drawn or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wdl {
    /// Won.
    Win,
    /// Drawn.
    Draw,
    /// Lost.
    Loss,
}

shown!(
    Wdl,
    |result| "{}",
    ["win", "draw", "loss"][*result as usize]
);

/// The result of a seat in its match: the only best seat wins, several best seats draw, all others lose, and so does
/// every seat that forfeited.
pub fn in_match(seats: &[Seated], seat: usize) -> Wdl {
    let best = seats.iter().filter(|other| other.place == 1).count();
    match seats[seat].place {
        1 if seats[seat].fault.is_some() => Wdl::Loss,
        1 if best == 1 => Wdl::Win,
        1 => Wdl::Draw,
        _ => Wdl::Loss,
    }
}

/// The result of a seat against another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versus {
    /// It did better.
    Win,
    /// Both did equally well.
    Draw,
    /// It did worse.
    Loss,
    /// Both forfeited, whichever was the first to do so.
    BothForfeited,
}

impl Versus {
    /// The same for the other seat.
    pub fn reversed(self) -> Self {
        match self {
            Versus::Win => Versus::Loss,
            Versus::Loss => Versus::Win,
            same => same,
        }
    }

    /// The half-points of the seat, of the 2 that both share: all for a win, half for a draw. None where both forfeited: placings give
    /// neither anything for it, and scores, ratings and tests leave it out.
    pub fn halves(self) -> Option<u32> {
        match self {
            Versus::Win => Some(2),
            Versus::Draw => Some(1),
            Versus::Loss => Some(0),
            Versus::BothForfeited => None,
        }
    }
}

/// The result of a seat against another one: the better place wins and equal places draw, except that a seat
/// that forfeited loses to every seat that did not.
pub fn versus(seat: &Seated, other: &Seated) -> Versus {
    match (seat.fault.is_some(), other.fault.is_some()) {
        (true, false) => Versus::Loss,
        (false, true) => Versus::Win,
        (true, true) => Versus::BothForfeited,
        _ if seat.place < other.place => Versus::Win,
        _ if seat.place == other.place => Versus::Draw,
        _ => Versus::Loss,
    }
}

/// One deal, played by the same bots in every seating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The deal, counted from 1.
    pub deal: u32,
    /// The bots, ascending, as indices into the entrants.
    pub bots: Vec<usize>,
    /// The number of its matches that are there.
    pub matches: usize,
    /// For each of two bots its half-points against the other one, see [`Versus::halves`]. Empty at larger tables.
    pub halves: Vec<u32>,
    /// The game's points of each bot, over the matches that not all forfeited.
    pub points: Vec<i64>,
    /// True if it has been played in every seating.
    pub finished: bool,
}

impl Block {
    /// Its two bots.
    ///
    /// # Panics
    /// If they are not two.
    pub fn pair(&self) -> [usize; 2] {
        self.bots[..]
            .try_into()
            .expect("tables of formats that draw rounds have two seats")
    }

    /// The block of these matches, all of the same bots on a deal; it is finished with `seatings` of them.
    fn new(deal: u32, bots: Vec<usize>, matches: &[Scored], seatings: usize) -> Self {
        let mut points = vec![0; bots.len()];
        let mut halves = vec![0; if bots.len() == 2 { 2 } else { 0 }];
        // A match that all forfeited is worth nothing to any of them.
        for scored in matches
            .iter()
            .filter(|scored| scored.seats.iter().any(|seat| seat.fault.is_none()))
        {
            for (bot, seat) in scored.bots.iter().zip(&scored.seats) {
                points[bots.binary_search(bot).expect("it is one of the block's")] +=
                    i64::from(seat.points);
            }
            for (duel, halves) in scored.duels().zip(halves.chunks_mut(2)) {
                halves[0] += duel.versus().halves().unwrap_or_default();
                halves[1] += duel.versus().reversed().halves().unwrap_or_default();
            }
        }
        Self {
            deal,
            finished: matches.len() == seatings,
            matches: matches.len(),
            bots,
            halves,
            points,
        }
    }
}

/// All that is there of a deal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// Its number, counted from 1.
    pub number: u32,
    /// Its matches, block by block.
    pub matches: Vec<Scored>,
    /// Its blocks, in order of their bots.
    pub blocks: Vec<Block>,
    /// The number of matches that it is to have; none if that is not the same for all deals.
    pub planned: Option<u64>,
    /// True if all its matches are there; where their number is not known, if all of its blocks are finished.
    pub finished: bool,
}

impl Deal {
    /// The blocks with their matches.
    pub fn tables(&self) -> impl Iterator<Item = (&Block, &[Scored])> {
        let mut rest = self.matches.as_slice();
        self.blocks.iter().map(move |block| {
            let (matches, after) = rest.split_at(block.matches);
            rest = after;
            (block, matches)
        })
    }

    /// The blocks that have been played in every seating.
    pub fn finished_blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.finished)
    }

    /// The blocks, with their matches, that statistics over whole deals count: all of a finished deal; of an unfinished one those
    /// that are finished if it is not known how many there are, and else none.
    pub fn counted(&self) -> impl Iterator<Item = (&Block, &[Scored])> {
        self.tables()
            .filter(|(block, _)| self.finished || (self.planned.is_none() && block.finished))
    }
}

/// The matches of a deal of which more may come.
#[derive(Clone, Debug, Default)]
struct OpenDeal {
    matches: u64,
    /// By the bots of the table, ascending.
    tables: BTreeMap<Vec<usize>, Vec<Scored>>,
}

/// Puts matches together to deals.
#[derive(Clone, Debug)]
pub struct Deals {
    /// In how many orders each table is seated.
    seatings: usize,
    /// The number of matches of each deal, if that is known.
    planned: Option<u64>,
    open: BTreeMap<u32, OpenDeal>,
}

impl Deals {
    /// No match yet, of tables with this number of seatings, and this number of matches on each deal; see
    /// [`Spec::gather`](crate::spec::Spec::gather).
    pub fn new(seatings: usize, planned: Option<u64>) -> Self {
        Self {
            seatings,
            planned,
            open: BTreeMap::new(),
        }
    }

    /// Takes in a match, where they come in order of deals. Returns the deal before, if this match is of another one.
    pub fn add(&mut self, scored: Scored) -> Option<Deal> {
        let before = if self.open.contains_key(&scored.deal) {
            None
        } else {
            self.end()
        };
        self.put(scored);
        before
    }

    /// Takes in a match, where they come in any order. Returns its deal if it is complete.
    pub fn add_in_any_order(&mut self, scored: Scored) -> Option<Deal> {
        let deal = scored.deal;
        let matches = self.put(scored);
        if Some(matches) == self.planned {
            self.open.remove(&deal).map(|open| self.close(deal, open))
        } else {
            None
        }
    }

    /// The first of the deals that have not been returned yet.
    pub fn end(&mut self) -> Option<Deal> {
        self.open
            .pop_first()
            .map(|(number, open)| self.close(number, open))
    }

    /// Takes in a match. Returns how many of its deal are there.
    fn put(&mut self, scored: Scored) -> u64 {
        let open = self.open.entry(scored.deal).or_default();
        let mut bots = scored.bots.clone();
        bots.sort_unstable();
        open.matches += 1;
        open.tables.entry(bots).or_default().push(scored);
        open.matches
    }

    fn close(&self, number: u32, open: OpenDeal) -> Deal {
        let (seatings, planned) = (self.seatings, self.planned);
        let block = |(bots, matches): (&Vec<usize>, &Vec<Scored>)| {
            Block::new(number, bots.clone(), matches, seatings)
        };
        let blocks: Vec<Block> = open.tables.iter().map(block).collect();
        let finished = planned.map_or_else(
            || blocks.iter().all(|block| block.finished),
            |planned| open.matches == planned,
        );
        Deal {
            number,
            matches: open.tables.into_values().flatten().collect(),
            blocks,
            planned,
            finished,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seats with these places and points; those of `faults` forfeited.
    fn seats(scores: &[(u8, i32)], faults: &[usize]) -> Vec<Seated> {
        let fault = |seat| faults.contains(&seat).then_some(Cause::Crash);
        let seated = |(seat, (place, points)): (usize, &(u8, i32))| Seated {
            place: *place,
            points: *points,
            fault: fault(seat),
            counts: vec![],
        };
        scores.iter().enumerate().map(seated).collect()
    }

    fn scored(deal: u32, bots: &[usize], seats: Vec<Seated>) -> Scored {
        Scored {
            deal,
            bots: bots.to_vec(),
            seats,
            transcript: 0,
        }
    }

    #[test]
    fn a_match_is_won_alone_drawn_together_and_lost_by_forfeit() {
        let all = |scores, faults| [0, 1, 2].map(|seat| in_match(&seats(scores, faults), seat));
        assert_eq!(
            all(&[(1, 9), (2, 5), (3, 1)], &[]),
            [Wdl::Win, Wdl::Loss, Wdl::Loss]
        );
        assert_eq!(
            all(&[(1, 9), (1, 9), (3, 1)], &[]),
            [Wdl::Draw, Wdl::Draw, Wdl::Loss]
        );
        assert_eq!(
            all(&[(1, 9), (1, 9), (1, 9)], &[0, 1, 2]),
            [Wdl::Loss, Wdl::Loss, Wdl::Loss]
        );
    }

    #[test]
    fn seats_meet_by_place_and_forfeits_lose() {
        use Versus::{BothForfeited, Draw, Loss, Win};
        let meet = |faults: &[usize]| {
            let seats = seats(&[(1, 9), (2, 5), (2, 5)], faults);
            [(0, 1), (1, 0), (1, 2), (2, 1)].map(|(a, b)| versus(&seats[a], &seats[b]))
        };
        assert_eq!(meet(&[]), [Win, Loss, Draw, Draw]);
        assert_eq!(meet(&[2]), [Win, Loss, Win, Loss]);
        assert_eq!(meet(&[1, 2]), [Win, Loss, BothForfeited, BothForfeited]);
        assert_eq!(
            meet(&[0, 1]),
            [BothForfeited, BothForfeited, Loss, Win],
            "whoever was the first to forfeit"
        );
        assert_eq!(BothForfeited.halves(), None, "nothing for either");
    }

    #[test]
    fn blocks_add_up_what_each_bot_made() {
        let mut deals = Deals::new(2, Some(4));
        assert_eq!(
            deals.add(scored(1, &[2, 0], seats(&[(1, 7), (2, 3)], &[]))),
            None
        );
        assert_eq!(
            deals.add(scored(1, &[0, 2], seats(&[(1, 0), (1, 0)], &[0, 1]))),
            None
        );
        assert_eq!(
            deals.add(scored(1, &[1, 2], seats(&[(2, 1), (1, 4)], &[1]))),
            None
        );
        let deal = deals
            .add(scored(2, &[1, 2], seats(&[(1, 1), (1, 1)], &[])))
            .unwrap();
        assert!(!deal.finished && deal.counted().next().is_none());
        let block = |bots: [usize; 2], matches, halves: [u32; 2], points: [i64; 2]| Block {
            deal: 1,
            bots: bots.to_vec(),
            matches,
            halves: halves.to_vec(),
            points: points.to_vec(),
            finished: matches == 2,
        };
        assert_eq!(
            deal.blocks,
            [
                block([0, 2], 2, [0, 2], [3, 7]),
                block([1, 2], 1, [2, 0], [1, 4])
            ]
        );
        let tables: Vec<Vec<&[usize]>> = deal
            .tables()
            .map(|(_, matches)| matches.iter().map(|scored| &scored.bots[..]).collect())
            .collect();
        assert_eq!(tables, [vec![&[2, 0][..], &[0, 2]], vec![&[1, 2]]]);
        assert_eq!(deals.end().map(|deal| deal.number), Some(2));
        assert_eq!(deals.end(), None);
    }

    #[test]
    fn where_deals_differ_their_finished_blocks_count() {
        let mut deals = Deals::new(2, None);
        let one = |deal, bots: [usize; 2]| scored(deal, &bots, seats(&[(1, 7), (2, 3)], &[]));
        [[0, 1], [1, 0], [2, 3]]
            .into_iter()
            .for_each(|bots| assert_eq!(deals.add(one(1, bots)), None));
        let deal = deals.add(one(2, [0, 1])).unwrap();
        assert!(!deal.finished);
        assert_eq!(
            deal.counted()
                .map(|(block, _)| block.bots.clone())
                .collect::<Vec<_>>(),
            [[0, 1]]
        );
        deals.add(one(2, [1, 0]));
        assert!(deals.end().unwrap().finished);
    }

    #[test]
    fn deals_of_known_size_are_finished_in_any_order() {
        let mut deals = Deals::new(2, Some(2));
        let mut add = |deal, bots: [usize; 2]| {
            let finished =
                deals.add_in_any_order(scored(deal, &bots, seats(&[(1, 7), (2, 3)], &[])));
            finished.map(|deal| (deal.number, deal.finished))
        };
        assert_eq!(
            [add(2, [0, 1]), add(1, [1, 0]), add(2, [1, 0])],
            [None, None, Some((2, true))]
        );
    }
}
