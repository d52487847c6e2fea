//! The crosstable: results of each bot against each other bot.

use serde::Serialize;

/// The results of all bots against each other, in the order of the standings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Crosstable {
    /// The bots, best first.
    pub bots: Vec<String>,
    /// The results of each bot against each bot; null for a bot against itself, and for two bots that never met.
    pub cells: Vec<Vec<Option<Cell>>>,
}

/// The results of a bot against another one. At larger tables, every two seats of a match count as a meeting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Number of meetings.
    pub matches: u64,
    /// Number of meetings in which the bot did better.
    pub wins: u64,
    /// Number of meetings in which both bots did equally well.
    pub draws: u64,
    /// Number of meetings in which the bot did worse or forfeited.
    pub losses: u64,
    /// Half-points as a fraction of those available: 2 for a win, and 1 each for a draw. Meetings that both bots forfeited do not count;
    /// null if there are no others.
    pub score: Option<f64>,
    /// Mean difference between the points per match of the bot and the other one. Meetings that both bots forfeited do not count; null if
    /// there are no others.
    pub points: Option<f64>,
}

#[cfg(test)]
mod tests {
    use arena_tournament::deals::{Scored, SeatResult};

    use crate::pairwise::Pairwise;
    use arena_tournament::sample::{gathered, tournament, verdict};

    #[test]
    fn every_two_seats_of_a_match_meet() {
        let scored = |bots: [usize; 3], verdict| Scored {
            deal: 1,
            bots: bots.into(),
            seats: SeatResult::all(&verdict),
            transcript: 0,
        };
        let matches = [
            scored([0, 1, 2], verdict(&[(1, 20), (2, 14), (2, 14)], &[])),
            scored([2, 0, 1], verdict(&[(3, 18), (1, 7), (2, 2)], &[0])),
        ];
        let spec = tournament(&["a", "b", "c"], 3, 1);
        let mut pairs = Pairwise::new(&spec);
        gathered(spec.gather(), matches)
            .iter()
            .for_each(|deal| pairs.add(deal));
        let table = pairs.crosstable(&[0, 2, 1], &spec.names());
        assert_eq!(table.bots, ["a", "c", "b"]);
        assert_eq!(table.cells[1][1], None);
        let against = |row: usize, column: usize| table.cells[row][column].clone().unwrap();
        assert_eq!(
            (
                against(0, 1).wins,
                against(0, 1).score,
                against(0, 1).points
            ),
            (2, Some(1.0), Some(-2.5))
        );
        let last = against(1, 2);
        assert_eq!(
            (last.draws, last.losses, last.score, last.points),
            (1, 1, Some(0.25), Some(8.0))
        );
    }
}
