//! Scores of finished matches: seats, blocks and deals. No other module decides when a deal is finished, or what a win, a draw and a
//! forfeit are worth.
//!
//! In the counts of wins, draws and losses, a forfeit is a loss, even if several seats forfeit. If two bots both forfeited a match, neither
//! scores against the other, and the match says nothing about which bot is better: see [`Versus::halves`].

use std::borrow::Cow;
use std::collections::BTreeMap;

use arena_engine::fault::Cause;
use arena_engine::outcome::Verdict;
use arena_engine::seat::Seat;
use arena_engine::shown;
use serde::{Deserialize, Serialize};

/// A summary of a finished match: its seating and its result. All statistics are computed from these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    /// The deal of the match, counted from 1.
    pub deal: u32,
    /// The bot in each seat, as its index among the tournament's bots.
    pub bots: Vec<usize>,
    /// The result of each seat.
    pub seats: Vec<SeatResult>,
    /// The CRC-32 of the record. Matches of the same bots on the same deal have equal values if all moves were the same.
    pub transcript: u32,
}

/// The result of a seat in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatResult {
    /// 1 for the best seat; equal seats share a place.
    pub place: u8,
    /// Points by the official scoring of the game.
    pub points: i32,
    /// The cause of the seat's forfeit, if it forfeited.
    pub fault: Option<Cause>,
    /// Counts of the game's sources of points, in the game's order.
    pub counts: Vec<i32>,
}

/// The results of two bots in one match.
#[derive(Clone, Copy, Debug)]
pub struct Duel<'a> {
    /// The two bots in ascending order, as indices among the tournament's bots.
    pub bots: [usize; 2],
    /// The results of the two bots.
    pub seats: [&'a SeatResult; 2],
}

impl Scored {
    /// Iterates over all pairs of seats with different bots.
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

impl Scored {
    /// Returns `true` if a bot was withdrawn before the match.
    pub fn is_walkover(&self) -> bool {
        self.seats
            .iter()
            .any(|seat| seat.fault == Some(Cause::Withdrawn))
    }
}

impl Duel<'_> {
    /// Returns the result of the first bot against the second.
    pub fn versus(&self) -> Versus {
        versus(self.seats[0], self.seats[1])
    }

    /// Returns the first bot's lead over the second, in points.
    pub fn lead(&self) -> i64 {
        i64::from(self.seats[0].points) - i64::from(self.seats[1].points)
    }
}

impl SeatResult {
    /// Returns the results of all seats in a verdict.
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

/// A win, draw or loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wdl {
    /// A win.
    Win,
    /// A draw.
    Draw,
    /// A loss.
    Loss,
}

shown!(
    Wdl,
    |result| "{}",
    ["win", "draw", "loss"][*result as usize]
);

/// Returns the result of a seat in its match. A sole best seat wins, and several best seats draw. All others lose, as does every seat that
/// forfeited.
pub fn in_match(seats: &[SeatResult], seat: usize) -> Wdl {
    let best = seats.iter().filter(|other| other.place == 1).count();
    match seats[seat].place {
        1 if seats[seat].fault.is_some() => Wdl::Loss,
        1 if best == 1 => Wdl::Win,
        1 => Wdl::Draw,
        _ => Wdl::Loss,
    }
}

/// The result of one seat against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versus {
    /// The seat did better.
    Win,
    /// Both did equally well.
    Draw,
    /// The seat did worse.
    Loss,
    /// Both seats forfeited, whether or not at the same time.
    BothForfeited,
}

impl Versus {
    /// Returns the result from the other seat's perspective.
    pub fn reversed(self) -> Self {
        match self {
            Versus::Win => Versus::Loss,
            Versus::Loss => Versus::Win,
            same => same,
        }
    }

    /// Returns the seat's half-points, of the 2 that both seats share: 2 for a win, 1 for a draw. `None` if both forfeited: placings count
    /// that as nothing, and scores, ratings and tests leave it out.
    pub fn halves(self) -> Option<u32> {
        match self {
            Versus::Win => Some(2),
            Versus::Draw => Some(1),
            Versus::Loss => Some(0),
            Versus::BothForfeited => None,
        }
    }
}

/// Compares two seats. The better place wins, and equal places draw, except that a seat that forfeited loses to any seat that did not.
pub fn versus(seat: &SeatResult, other: &SeatResult) -> Versus {
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
    /// The bots in ascending order, as indices into the entrants.
    pub bots: Vec<usize>,
    /// Number of matches played so far.
    pub matches: usize,
    /// Half-points of two bots against each other; see [`Versus::halves`]. Empty at tables with more than two seats.
    pub halves: Vec<u32>,
    /// Total points of each bot, without matches that all seats forfeited.
    pub points: Vec<i64>,
    /// True if the block has been played in every seating.
    pub finished: bool,
}

impl Block {
    /// Returns the two bots.
    ///
    /// # Panics
    /// If the block does not have exactly two bots.
    pub fn pair(&self) -> [usize; 2] {
        self.bots[..]
            .try_into()
            .expect("tables of formats that draw rounds have two seats")
    }

    /// Creates the block of these matches, all played by the same bots on the same deal. It is finished once it has `seatings` matches.
    fn new(deal: u32, bots: Vec<usize>, matches: &[Scored], seatings: usize) -> Self {
        let mut points = vec![0; bots.len()];
        let mut halves = vec![0; if bots.len() == 2 { 2 } else { 0 }];
        // A match that all seats forfeited scores for none of them.
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

/// The matches and blocks of a deal so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// The number of the deal, counted from 1.
    pub number: u32,
    /// The matches, block by block.
    pub matches: Vec<Scored>,
    /// The blocks, ordered by their bots.
    pub blocks: Vec<Block>,
    /// Planned number of matches; `None` if the number varies between deals.
    pub planned: Option<u64>,
    /// True if all matches of the deal have been played. If their number is unknown, true if all blocks begun are finished.
    pub finished: bool,
}

impl Deal {
    /// Creates a finished deal from matches that may come from several tournaments.
    pub fn pooled(number: u32, matches: Vec<Scored>) -> Self {
        let mut deals = Deals::new(0, Some(matches.len() as u64));
        let mut deal = None;
        for scored in matches {
            deal = deals.add_in_any_order(Scored {
                deal: number,
                ..scored
            });
        }
        let mut deal = deal.unwrap_or_else(|| deals.close(number, OpenDeal::default()));
        deal.blocks
            .iter_mut()
            .for_each(|block| block.finished = true);
        deal
    }

    /// Iterates over the blocks, each with its matches.
    pub fn tables(&self) -> impl Iterator<Item = (&Block, &[Scored])> {
        let mut rest = self.matches.as_slice();
        self.blocks.iter().map(move |block| {
            let (matches, after) = rest.split_at(block.matches);
            rest = after;
            (block, matches)
        })
    }

    /// Returns the deal without the blocks that a withdrawn bot did not finish, because unplayed matches say nothing about strength.
    pub fn without_walkovers(&self) -> Cow<'_, Self> {
        if !self.matches.iter().any(Scored::is_walkover) {
            return Cow::Borrowed(self);
        }
        let whole = |(_, matches): &(&Block, &[Scored])| !matches.iter().any(Scored::is_walkover);
        let (blocks, matches): (Vec<&Block>, Vec<&[Scored]>) = self.tables().filter(whole).unzip();
        Cow::Owned(Self {
            matches: matches.concat(),
            blocks: blocks.into_iter().cloned().collect(),
            ..self.clone()
        })
    }

    /// Iterates over the blocks that have been played in every seating.
    pub fn finished_blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.finished)
    }

    /// Returns the blocks that count in deal-level statistics, with their matches. All blocks of a finished deal count. Of an unfinished
    /// deal, the finished blocks count if the planned number of matches is unknown, and none otherwise.
    pub fn counted(&self) -> impl Iterator<Item = (&Block, &[Scored])> {
        self.tables()
            .filter(|(block, _)| self.finished || (self.planned.is_none() && block.finished))
    }
}

/// The matches of a deal that may still grow.
#[derive(Clone, Debug, Default)]
struct OpenDeal {
    matches: u64,
    /// Matches by the bots at the table, in ascending order.
    tables: BTreeMap<Vec<usize>, Vec<Scored>>,
}

/// Groups matches into deals.
#[derive(Clone, Debug)]
pub struct Deals {
    /// Number of seatings of each table.
    seatings: usize,
    /// Number of matches per deal, if known.
    planned: Option<u64>,
    open: BTreeMap<u32, OpenDeal>,
}

impl Deals {
    /// Creates an empty collection for tables with this number of seatings and deals with this number of matches; see
    /// [`Spec::gather`](crate::spec::Spec::gather).
    pub fn new(seatings: usize, planned: Option<u64>) -> Self {
        Self {
            seatings,
            planned,
            open: BTreeMap::new(),
        }
    }

    /// Adds a match from a stream that is in deal order. Returns the previous deal if the match belongs to a new one.
    pub fn add(&mut self, scored: Scored) -> Option<Deal> {
        let before = if self.open.contains_key(&scored.deal) {
            None
        } else {
            self.end()
        };
        self.put(scored);
        before
    }

    /// Adds a match. Matches may come in any order. Returns the match's deal if it is now complete.
    pub fn add_in_any_order(&mut self, scored: Scored) -> Option<Deal> {
        let deal = scored.deal;
        let matches = self.put(scored);
        if Some(matches) == self.planned {
            self.open.remove(&deal).map(|open| self.close(deal, open))
        } else {
            None
        }
    }

    /// Returns the first deal that has not been returned yet.
    pub fn end(&mut self) -> Option<Deal> {
        self.open
            .pop_first()
            .map(|(number, open)| self.close(number, open))
    }

    /// Adds a match, and returns the number of matches of its deal so far.
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
mod tests;
