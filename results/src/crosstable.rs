//! The crosstable: how each bot did against each other one.

use serde::{Deserialize, Serialize};

use crate::scored::Scored;
use crate::wdl::{self, Wdl};

/// How each bot did against each other one, the bots in order of the standings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crosstable {
    /// The bots, best first.
    pub bots: Vec<String>,
    /// For each bot, its cell against each bot; null against itself.
    pub cells: Vec<Vec<Option<Cell>>>,
}

/// How a bot did against another one. At tables of more than two, every two seats of a match meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// How often they met.
    pub matches: u64,
    /// How often the bot did better.
    pub wins: u64,
    /// How often they were equal.
    pub draws: u64,
    /// How often the bot did worse, or forfeited.
    pub losses: u64,
    /// (wins + draws / 2) / matches; null if they never met.
    pub score: Option<f64>,
    /// The mean of the bot's points less the other's, per match; null if they never met.
    pub points: Option<f64>,
}

/// The meetings of all bots so far.
#[derive(Clone, Debug)]
pub(crate) struct Meetings {
    bots: usize,
    pairs: Vec<Pair>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    wins: u64,
    draws: u64,
    losses: u64,
    points: i64,
}

impl Meetings {
    pub(crate) fn new(bots: usize) -> Self {
        Self { bots, pairs: vec![Pair::default(); bots * bots] }
    }

    /// Takes in a match.
    pub(crate) fn add(&mut self, scored: &Scored) {
        for (seat, mine) in scored.seats.iter().zip(&scored.bots) {
            for (other, theirs) in scored.seats.iter().zip(&scored.bots).filter(|(_, theirs)| *theirs != mine) {
                let pair = &mut self.pairs[mine * self.bots + theirs];
                pair.count(wdl::against(seat, other));
                pair.points += i64::from(seat.points) - i64::from(other.points);
            }
        }
    }

    /// The table, with the bots in this order.
    pub(crate) fn table(&self, order: &[usize], name: impl Fn(usize) -> String) -> Crosstable {
        let cell = |row: usize, column: usize| (row != column).then(|| self.pairs[row * self.bots + column].cell());
        Crosstable {
            bots: order.iter().map(|bot| name(*bot)).collect(),
            cells: order.iter().map(|row| order.iter().map(|column| cell(*row, *column)).collect()).collect(),
        }
    }
}

impl Pair {
    fn count(&mut self, wdl: Wdl) {
        match wdl {
            Wdl::Win => self.wins += 1,
            Wdl::Draw => self.draws += 1,
            Wdl::Loss => self.losses += 1,
        }
    }

    fn cell(&self) -> Cell {
        let matches = self.wins + self.draws + self.losses;
        let mean = |total: f64| (matches > 0).then(|| total / matches as f64);
        Cell {
            matches,
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            score: mean(self.wins as f64 + self.draws as f64 / 2.0),
            points: mean(self.points as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::verdict;
    use crate::scored::Seated;

    #[test]
    fn every_two_seats_of_a_match_meet() {
        let mut meetings = Meetings::new(3);
        let mut add = |bots: [usize; 3], verdict| {
            meetings.add(&Scored { deal: 1, bots: bots.into(), seats: Seated::all(&verdict), transcript: 0 });
        };
        add([0, 1, 2], verdict(&[(1, 20), (2, 14), (2, 14)], &[]));
        add([2, 0, 1], verdict(&[(3, 18), (1, 7), (2, 2)], &[0]));
        let table = meetings.table(&[0, 2, 1], |bot| format!("bot {bot}"));
        assert_eq!(table.bots, ["bot 0", "bot 2", "bot 1"]);
        assert_eq!(table.cells[1][1], None);
        let against = |row: usize, column: usize| table.cells[row][column].clone().unwrap();
        assert_eq!((against(0, 1).wins, against(0, 1).score, against(0, 1).points), (2, Some(1.0), Some(-2.5)));
        let last = against(1, 2);
        assert_eq!((last.draws, last.losses, last.score, last.points), (1, 1, Some(0.25), Some(8.0)));
    }
}
