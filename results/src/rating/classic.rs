//! Ratings that many are used to, updated match by match: Glicko-2, TrueSkill and Weng and Lin's.
//!
//! They depend on the order of the matches: the same matches in another order give other numbers, and late matches count
//! for more. The leaderboard's batch fit has neither flaw. They are fed in the order of the schedule, and each seat of a
//! match plays each other one, by [`deals::versus`], or by places where the system knows tables.
//!
//! Glickman 2012, "Example of the Glicko-2 system"; Herbrich, Minka and Graepel 2006, "TrueSkill: a Bayesian skill rating
//! system"; Weng and Lin 2011, "A Bayesian approximation method for online ranking". The crate `skillratings` computes
//! them, with its defaults.

use std::cmp::Reverse;

use serde::Serialize;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};
use skillratings::trueskill::{TrueSkillConfig, TrueSkillRating, trueskill_multi_team};
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};
use skillratings::{MultiTeamOutcome, Outcomes};

use arena_tournament::deals::{self, Scored};

/// A bot's ratings after the matches so far. All depend on the order of the matches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Classic {
    /// Glicko-2; each match is a rating period of its own.
    pub glicko_2: Online,
    /// TrueSkill.
    pub true_skill: Online,
    /// Weng and Lin's Bradley-Terry model with full pairs.
    pub weng_lin: Online,
}

/// A rating and its deviation, in the system's own units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Online {
    /// The rating.
    pub rating: f64,
    /// Its uncertainty by the system: one standard deviation.
    pub deviation: f64,
}

/// The ratings of all bots, as matches come in.
#[derive(Clone, Debug)]
pub struct Classics {
    glicko_2: Vec<Glicko2Rating>,
    true_skill: Vec<TrueSkillRating>,
    weng_lin: Vec<WengLinRating>,
}

impl Classics {
    /// For this many bots, before the first match.
    pub fn new(bots: usize) -> Self {
        Self {
            glicko_2: vec![Glicko2Rating::default(); bots],
            true_skill: vec![TrueSkillRating::default(); bots],
            weng_lin: vec![WengLinRating::default(); bots],
        }
    }

    /// Takes in the next match in order of the schedule. A match in which a bot sits twice is left out.
    pub fn add(&mut self, scored: &Scored) {
        if scored.bots.iter().enumerate().any(|(seat, bot)| scored.bots[..seat].contains(bot)) {
            return;
        }
        self.add_glicko_2(scored);
        let ranks: Vec<MultiTeamOutcome> =
            (0..scored.bots.len()).map(|seat| MultiTeamOutcome::new(rank(scored, seat))).collect();
        self.add_true_skill(scored, &ranks);
        self.add_weng_lin(scored, &ranks);
    }

    /// The ratings of a bot.
    pub fn of(&self, bot: usize) -> Classic {
        let (glicko_2, true_skill, weng_lin) = (self.glicko_2[bot], self.true_skill[bot], self.weng_lin[bot]);
        Classic {
            glicko_2: Online { rating: glicko_2.rating, deviation: glicko_2.deviation },
            true_skill: Online { rating: true_skill.rating, deviation: true_skill.uncertainty },
            weng_lin: Online { rating: weng_lin.rating, deviation: weng_lin.uncertainty },
        }
    }

    fn add_glicko_2(&mut self, scored: &Scored) {
        let before: Vec<Glicko2Rating> = scored.bots.iter().map(|bot| self.glicko_2[*bot]).collect();
        for (seat, bot) in scored.bots.iter().enumerate() {
            let others = (0..before.len()).filter(|other| *other != seat);
            let results: Vec<_> = others.map(|other| (before[other], outcome(scored, seat, other))).collect();
            let after = glicko2_rating_period(&before[seat], &results, &Glicko2Config::default());
            if after.rating.is_finite() && after.deviation.is_finite() && after.volatility.is_finite() {
                self.glicko_2[*bot] = after;
            }
        }
    }

    fn add_true_skill(&mut self, scored: &Scored, ranks: &[MultiTeamOutcome]) {
        let teams: Vec<[TrueSkillRating; 1]> = scored.bots.iter().map(|bot| [self.true_skill[*bot]]).collect();
        let table: Vec<_> = teams.iter().map(|team| &team[..]).zip(ranks.iter().copied()).collect();
        let Ok(after) = trueskill_multi_team(&table, &TrueSkillConfig::default(), None) else { return };
        for (bot, after) in scored.bots.iter().zip(after.iter().flatten()) {
            if after.rating.is_finite() && after.uncertainty.is_finite() {
                self.true_skill[*bot] = *after;
            }
        }
    }

    fn add_weng_lin(&mut self, scored: &Scored, ranks: &[MultiTeamOutcome]) {
        let teams: Vec<[WengLinRating; 1]> = scored.bots.iter().map(|bot| [self.weng_lin[*bot]]).collect();
        let table: Vec<_> = teams.iter().map(|team| &team[..]).zip(ranks.iter().copied()).collect();
        let after = weng_lin_multi_team(&table, &WengLinConfig::default());
        for (bot, after) in scored.bots.iter().zip(after.iter().flatten()) {
            if after.rating.is_finite() && after.uncertainty.is_finite() {
                self.weng_lin[*bot] = *after;
            }
        }
    }
}

/// The rank of a seat, 1 for the best: those who forfeited come after all others.
fn rank(scored: &Scored, seat: usize) -> usize {
    let key = |seat: usize| Reverse((scored.seats[seat].fault.is_some(), scored.seats[seat].place));
    1 + (0..scored.seats.len()).filter(|other| key(*other) > key(seat)).count()
}

fn outcome(scored: &Scored, seat: usize, other: usize) -> Outcomes {
    let outcomes = [Outcomes::LOSS, Outcomes::DRAW, Outcomes::WIN];
    outcomes[deals::versus(&scored.seats[seat], &scored.seats[other]).halves() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::verdict;
    use arena_tournament::deals::Seated;

    /// The bots by seat, places and points, and who forfeited.
    type Match<'a> = (&'a [usize], &'a [(u8, i32)], &'a [u8]);

    fn rated(matches: &[Match<'_>]) -> Vec<Classic> {
        let mut classics = Classics::new(3);
        for (bots, scores, faults) in matches {
            let seats = Seated::all(&verdict(scores, faults));
            classics.add(&Scored { deal: 1, bots: bots.to_vec(), seats, transcript: 0 });
        }
        (0..3).map(|bot| classics.of(bot)).collect()
    }

    #[test]
    fn a_win_moves_ratings_as_published() {
        let rated = rated(&[(&[0, 1], &[(1, 9), (2, 4)], &[])]);
        // Two new players, 1500 and 350 each: the winner comes to 1662.3 with 290.3 (Glickman's formulas).
        assert!((rated[0].glicko_2.rating - 1662.31).abs() < 0.01, "{rated:?}");
        assert!((rated[0].glicko_2.deviation - 290.32).abs() < 0.01, "{rated:?}");
        // TrueSkill's published first win with a draw probability of 10 %: 29.396 and 20.604, both with 7.171.
        assert!((rated[0].true_skill.rating - 29.396).abs() < 0.002, "{rated:?}");
        assert!((rated[1].true_skill.rating - 20.604).abs() < 0.002, "{rated:?}");
        assert!((rated[1].true_skill.deviation - 7.171).abs() < 0.002, "{rated:?}");
        assert!(rated[0].weng_lin.rating > 25.0 && rated[1].weng_lin.rating < 25.0, "{rated:?}");
        assert_eq!(rated[2], Classics::new(1).of(0));
    }

    #[test]
    fn the_order_of_matches_counts_and_forfeits_lose() {
        let won: Match<'_> = (&[0, 1, 2], &[(1, 9), (2, 4), (3, 1)], &[]);
        let forfeited: Match<'_> = (&[0, 1, 2], &[(1, 9), (2, 4), (3, 1)], &[0]);
        let [one, other] = [rated(&[won, forfeited]), rated(&[forfeited, won])];
        assert_ne!(one, other);
        let lost = rated(&[forfeited]);
        assert!(lost[0].true_skill.rating < lost[2].true_skill.rating, "{lost:?}");
        assert!(lost[0].glicko_2.rating < 1500.0 && lost[1].glicko_2.rating > 1500.0, "{lost:?}");
        assert_eq!(rated(&[(&[1, 1], &[(1, 9), (2, 4)], &[])]), rated(&[]));
    }
}
