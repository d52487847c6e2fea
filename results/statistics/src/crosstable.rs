//! The crosstable: how each bot did against each other one.

use arena_tournament::deals::{Scored, Versus, Wdl};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The cells of all bots against each other, the bots in order of the standings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Crosstable {
    /// The bots, best first.
    pub bots: Vec<String>,
    /// For each bot, its cell against each bot; null against itself.
    pub cells: Vec<Vec<Option<Cell>>>,
}

/// The results of a bot against another one. At tables of more than two, every two seats of a match meet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The number of times that they met.
    pub matches: u64,
    /// The number of times that the bot did better.
    pub wins: u64,
    /// The number of times that they were equal.
    pub draws: u64,
    /// The number of times that the bot did worse, or forfeited.
    pub losses: u64,
    /// Half-points over those that there were: 2 for a win, 1 each for a draw and where both forfeited at the same time; null if
    /// they never met, or forfeited both each time.
    pub score: Option<f64>,
    /// The mean of the bot's points less the other's, per match; null if they never met.
    pub points: Option<f64>,
}

/// The sums of every two bots so far.
#[derive(Clone, Debug)]
pub(crate) struct CrosstableSums {
    bots: usize,
    cells: Vec<CellSums>,
}

#[derive(Clone, Debug, Default)]
struct CellSums {
    counts: Cell,
    halves: u64,
    points: i64,
    /// The number of times that both forfeited, which says nothing of who is better.
    both_forfeited: u64,
}

impl CrosstableSums {
    pub(crate) fn new(bots: usize) -> Self {
        Self { bots, cells: vec![CellSums::default(); bots * bots] }
    }

    /// Takes in a match.
    pub(crate) fn add(&mut self, scored: &Scored) {
        for duel in scored.duels() {
            let ([one, other], versus, lead) = (duel.bots, duel.versus(), duel.lead());
            self.cells[one * self.bots + other].add(versus, lead);
            self.cells[other * self.bots + one].add(versus.reversed(), -lead);
        }
    }

    /// The table, with the bots in this order.
    pub(crate) fn table(&self, order: &[usize], name: impl Fn(usize) -> String) -> Crosstable {
        let cell = |row: usize, column: usize| (row != column).then(|| self.cells[row * self.bots + column].cell());
        Crosstable {
            bots: order.iter().map(|bot| name(*bot)).collect(),
            cells: order.iter().map(|row| order.iter().map(|column| cell(*row, *column)).collect()).collect(),
        }
    }
}

impl CellSums {
    fn add(&mut self, versus: Versus, lead: i64) {
        self.counts.matches += 1;
        match versus.wdl() {
            Wdl::Win => self.counts.wins += 1,
            Wdl::Draw => self.counts.draws += 1,
            Wdl::Loss => self.counts.losses += 1,
        }
        self.halves += u64::from(versus.halves());
        self.both_forfeited += u64::from(versus == Versus::BothForfeited);
        self.points += lead;
    }

    fn cell(&self) -> Cell {
        let matches = self.counts.matches;
        let mean = |total: f64| (matches > 0).then(|| total / matches as f64);
        let score = mean(self.halves as f64 / 2.0).filter(|_| self.both_forfeited < matches);
        Cell { score, points: mean(self.points as f64), ..self.counts.clone() }
    }
}

#[cfg(test)]
mod tests {
    use arena_tournament::deals::Seated;

    use super::*;
    use arena_tournament::sample::verdict;

    #[test]
    fn every_two_seats_of_a_match_meet() {
        let mut sums = CrosstableSums::new(3);
        let mut add = |bots: [usize; 3], verdict| {
            sums.add(&Scored { deal: 1, bots: bots.into(), seats: Seated::all(&verdict), transcript: 0 });
        };
        add([0, 1, 2], verdict(&[(1, 20), (2, 14), (2, 14)], &[]));
        add([2, 0, 1], verdict(&[(3, 18), (1, 7), (2, 2)], &[0]));
        let table = sums.table(&[0, 2, 1], |bot| format!("bot {bot}"));
        assert_eq!(table.bots, ["bot 0", "bot 2", "bot 1"]);
        assert_eq!(table.cells[1][1], None);
        let against = |row: usize, column: usize| table.cells[row][column].clone().unwrap();
        assert_eq!((against(0, 1).wins, against(0, 1).score, against(0, 1).points), (2, Some(1.0), Some(-2.5)));
        let last = against(1, 2);
        assert_eq!((last.draws, last.losses, last.score, last.points), (1, 1, Some(0.25), Some(8.0)));
    }
}
