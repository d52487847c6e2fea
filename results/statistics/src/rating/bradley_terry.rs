//! The strengths of bots at tables of two: Bradley and Terry's model with Davidson's ties and a first-seat term.
//!
//! Bradley and Terry 1952, "Rank analysis of incomplete block designs I"; Davidson 1970, "On extending the
//! Bradley-Terry model to accommodate ties in paired comparison experiments"; Davidson and Beaver 1977, "On extending
//! the Bradley-Terry model to incorporate within-pair order effects". With πᵢ = exp(strength of i), times exp(first)
//! for who has the first seat:
//!
//! ```text
//! P(i wins) : P(tie) : P(j wins)  =  πᵢ : ν √(πᵢ πⱼ) : πⱼ
//! ```
//!
//! The logarithm of the likelihood is Σ ln P over matches, without the numbers of orders in which they could have come.

use super::newton::Local;

/// The counts of outcomes of each pairing in each seating.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairs<'a> {
    /// The number of bots.
    pub(crate) bots: usize,
    /// True if there is a term for sitting first.
    pub(crate) first: bool,
    /// True if there is a term for ties.
    pub(crate) tie: bool,
    /// At `(first · bots + second) · 3`: how often the first seat won, tied, lost.
    pub(crate) counts: &'a [u64],
}

/// The first seat wins.
pub(crate) const WIN: usize = 0;
/// A tie.
pub(crate) const TIE: usize = 1;
/// The second seat wins.
pub(crate) const LOSS: usize = 2;

impl Pairs<'_> {
    /// Adds the logarithm of the likelihood at a point, with its derivatives.
    pub(crate) fn add(&self, at: &[f64], local: &mut Local) {
        let bots = self.bots;
        let tie = self.tie.then_some(bots);
        let first = self.first.then(|| at.len() - 1);
        let (nu, advantage) = (tie.map_or(0.0, |tie| at[tie].exp()), first.map_or(0.0, |first| at[first]));
        for (pair, counts) in self.counts.chunks_exact(3).enumerate() {
            let [wins, ties, losses] = [counts[WIN], counts[TIE], counts[LOSS]].map(|count| count as f64);
            let matches = wins + ties + losses;
            if matches == 0.0 {
                continue;
            }
            let (i, j) = (pair / bots, pair % bots);
            let lead = at[i] - at[j] + advantage;
            let root = (lead / 2.0).exp();
            let total = root + 1.0 / root + nu;
            let (win, lose, draw) = (root / total, 1.0 / (root * total), nu / total);
            local.value += (wins - losses) * lead / 2.0 - matches * total.ln();
            let slope = (wins - losses - matches * (win - lose)) / 2.0;
            let bend = matches * (win + lose - (win - lose).powi(2)) / 4.0;
            local.gradient[i] += slope;
            local.gradient[j] -= slope;
            local.curvature.add(i, i, bend);
            local.curvature.add(j, j, bend);
            local.curvature.add(i, j, -bend);
            if let Some(first) = first {
                local.gradient[first] += slope;
                local.curvature.add(first, first, bend);
                local.curvature.add(first, i, bend);
                local.curvature.add(first, j, -bend);
            }
            if let Some(tie) = tie {
                let cross = -matches * draw * (win - lose) / 2.0;
                local.value += ties * at[tie];
                local.gradient[tie] += ties - matches * draw;
                local.curvature.add(tie, tie, matches * draw * (1.0 - draw));
                local.curvature.add(tie, i, cross);
                local.curvature.add(tie, j, -cross);
                if let Some(first) = first {
                    local.curvature.add(tie, first, cross);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fit::{ELO, Fit, PRIOR, Posterior, Prior};
    use super::super::sums::{Cells, Likelihood};
    use super::*;

    /// A prior so weak that it does not show.
    const NONE: Prior = Prior { strengths: 1e4, ties: 1e4 };

    /// Who met, with wins of the first, wins of the second, ties.
    type Row = (usize, usize, u64, u64, u64);

    fn fitted(bots: usize, rows: &[Row], first: bool, prior: Prior) -> Fit {
        let mut counts = vec![0; bots * bots * 3];
        for (i, j, wins, losses, ties) in rows {
            let cell = (i * bots + j) * 3;
            counts[cell + WIN] += wins;
            counts[cell + TIE] += ties;
            counts[cell + LOSS] += losses;
        }
        let likelihood = Likelihood::new(Cells::Pairs { bots }, &[], &counts, first);
        Posterior { likelihood: &likelihood, prior }.fit()
    }

    fn check(fit: &Fit, elo: &[f64]) {
        let found: Vec<f64> = fit.strengths.iter().map(|strength| strength * ELO).collect();
        let close = found.iter().zip(elo).all(|(found, expected)| (found - expected).abs() < 6e-5);
        assert!(close && found.len() == elo.len(), "{found:?}, not {elo:?}");
    }

    const FOUR: [Row; 6] =
        [(0, 1, 30, 8, 2), (0, 2, 33, 4, 3), (0, 3, 40, 0, 0), (1, 2, 22, 14, 4), (1, 3, 36, 3, 1), (2, 3, 31, 7, 2)];

    #[test]
    fn strengths_and_ties_are_those_of_other_implementations() {
        let fit = fitted(4, &FOUR, false, NONE);
        check(&fit, &[325.2799, 66.3840, -37.0808, -354.5831]);
        assert!((fit.ties[0] - 0.163_903).abs() < 5e-7, "{fit:?}");
        assert!((fit.log_likelihood + 132.085_709).abs() < 5e-7, "{fit:?}");
    }

    #[test]
    fn a_prior_holds_bots_who_lost_everything() {
        let rows = [(0, 1, 10, 0, 0), (0, 2, 6, 4, 0), (1, 2, 0, 10, 0)];
        let fit = fitted(3, &rows, false, Prior { strengths: 2.0, ..PRIOR });
        check(&fit, &[235.3188, -407.1991, 171.8803]);
    }

    #[test]
    fn the_default_prior_moves_a_hundred_matches_by_less_than_a_tenth_of_their_error() {
        let rows = [(0, 1, 60, 40, 0)];
        let [plain, held] = [NONE, PRIOR].map(|prior| fitted(2, &rows, false, prior));
        let error = (1.0f64 / 60.0 + 1.0 / 40.0).sqrt();
        assert!(2.0 * (plain.strengths[0] - held.strengths[0]).abs() < error / 10.0, "{plain:?} {held:?}");
    }

    #[test]
    fn the_first_seat_has_a_strength_of_its_own() {
        // Odds of 3 for equal bots in either order; ν = 2 · 20 / (60 + 20) · …: the equations have a closed form.
        let fit = fitted(2, &[(0, 1, 60, 20, 20), (1, 0, 60, 20, 20)], true, NONE);
        check(&fit, &[0.0, 0.0]);
        assert!((fit.at[fit.at.len() - 1] - 3f64.ln()).abs() < 1e-9, "{fit:?}");
        // P(tie) / √(P(win) P(loss)) = ν.
        assert!((fit.ties[0] - 20.0 / (60.0f64 * 20.0).sqrt()).abs() < 1e-9, "{fit:?}");
    }

    #[test]
    fn each_group_has_its_own_mean() {
        let rows = [(0, 2, 30, 10, 0), (1, 3, 10, 30, 0)];
        let fit = fitted(4, &rows, false, PRIOR);
        let sums = [fit.strengths[0] + fit.strengths[2], fit.strengths[1] + fit.strengths[3]];
        assert!(sums.iter().all(|sum| sum.abs() < 1e-9), "{fit:?}");
        assert!((fit.strengths[0] - fit.strengths[3]).abs() < 1e-9, "{fit:?}");
    }

    #[test]
    fn nothing_but_ties_or_no_match_at_all_stays_finite() {
        for rows in [&[(0, 1, 0, 0, 1000)][..], &[]] {
            let fit = fitted(2, rows, true, PRIOR);
            check(&fit, &[0.0, 0.0]);
            assert!(fit.ties[0].is_finite() && fit.log_likelihood <= 0.0, "{fit:?}");
        }
    }
}
