//! Results of two bots on one deal, and on all deals that count.

use arena_tournament::deals::{Deal, SeatResult, Versus, versus};
use serde::Serialize;

/// Indices of the compared bots among the tournament's bots.
pub const BOTH: [usize; 2] = [0, 1];

/// Results of a bot on the deals that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Results {
    /// Number of the bot's matches, except those that all bots forfeited.
    pub matches: u64,
    /// Number of wins against single opponents. Every two bots at a table count as opponents.
    pub wins: u64,
    /// Number of draws against single opponents.
    pub draws: u64,
    /// Number of losses against single opponents.
    pub losses: u64,
    /// Number of duels that both bots forfeited, which count as no result for either.
    pub both_forfeited: u64,
    /// Number of matches that the bot forfeited.
    pub forfeits: u64,
    /// Half-points of the bot: 2 for a win and 1 for a draw.
    pub half_points: u64,
    /// Points of the bot by the official scoring.
    pub points: i64,
}

impl Results {
    /// Returns the mean score, in 0 … 1; `None` before the first match.
    pub fn score(&self) -> Option<f64> {
        let most = 2 * (self.wins + self.draws + self.losses);
        (most > 0).then(|| self.half_points as f64 / most as f64)
    }

    /// Returns the fraction of drawn results; 0 before the first match.
    pub fn drawn(&self) -> f64 {
        let matches = self.wins + self.draws + self.losses;
        self.draws as f64 / matches.max(1) as f64
    }

    /// Returns the mean points per match; `None` before the first match.
    pub fn mean_points(&self) -> Option<f64> {
        (self.matches > 0).then(|| self.points as f64 / self.matches as f64)
    }

    fn meet(&mut self, mine: &SeatResult, other: &SeatResult) {
        let versus = versus(mine, other);
        *match versus {
            Versus::Win => &mut self.wins,
            Versus::Draw => &mut self.draws,
            Versus::Loss => &mut self.losses,
            Versus::BothForfeited => &mut self.both_forfeited,
        } += 1;
        self.half_points += u64::from(versus.halves().unwrap_or_default());
    }
}

/// Adds a deal to the results of the first `bots.len()` bots.
pub(crate) fn add_deal(deal: &Deal, bots: &mut [Results]) {
    for scored in &deal.matches {
        for (seat, mine) in scored.seats.iter().enumerate() {
            let Some(results) = bots.get_mut(scored.bots[seat]) else {
                continue;
            };
            results.forfeits += u64::from(mine.fault.is_some());
            if scored.seats.iter().any(|seat| seat.fault.is_none()) {
                results.matches += 1;
                results.points += i64::from(mine.points);
            }
            let others = scored.seats.iter().enumerate();
            let others = others.filter(|(other, _)| *other != seat);
            others.for_each(|(_, other)| results.meet(mine, other));
        }
    }
}

/// Returns the lead of the first bot in mean score and in mean points per match; `None` if either bot has no match.
pub(super) fn differences([first, second]: &[Results; 2]) -> Option<[f64; 2]> {
    Some([
        first.score()? - second.score()?,
        first.mean_points()? - second.mean_points()?,
    ])
}
