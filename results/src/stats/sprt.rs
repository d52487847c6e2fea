//! The sequential test of "no stronger than elo0" against "at least as strong as elo1", checked after every block.
//!
//! The generalised sequential probability ratio test: LLR = N Σ p̂ᵢ ln(p¹ᵢ / p⁰ᵢ), where p̂ are the shares of the results of a
//! block and p⁰, p¹ the most likely distributions under either hypothesis (Van den Bergh 2020, "Comments on the generalized
//! SPRT for multinomial distributions"; Li, Liu and Ying 2014, "Generalized sequential probability ratio test for separate
//! families of hypotheses"). It stops at ln(β / (1 − α)) or ln((1 − β) / α) (Wald 1945). The likelihood is exact: the usual
//! second-order approximation has several times the error rates it claims when blocks are few.

use arena_tournament::test::{Model, Sprt};
use serde::Serialize;

use crate::stats::elo::{self, NORMALISED};
use crate::stats::multinomial::Multinomial;

/// The state of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Not decided.
    Continue,
    /// The strength is elo0 or less; wrong with a chance of about beta at elo1.
    AcceptElo0,
    /// The strength is elo1 or more; wrong with a chance of about alpha at elo0.
    AcceptElo1,
}

/// The log-likelihood ratio of elo1 against elo0. The counts are those of blocks with each sum of half points, worst
/// first: 3 cells for single games, 5 for pairs, 13 for blocks of six. 0 without blocks.
pub fn llr(sprt: &Sprt, counts: &[u64]) -> f64 {
    let Some(seen) = Multinomial::of_counts(counts) else { return 0.0 };
    let [none, some] = sprt.elo().map(|elo| most_likely(sprt.model(), &seen, elo));
    let ratios = none.chances().iter().zip(some.chances());
    let sum: f64 = seen.chances().iter().zip(ratios).map(|(seen, (none, some))| seen * (some / none).ln()).sum();
    seen.total() * sum
}

/// The decision by these counts.
pub fn decision(sprt: &Sprt, counts: &[u64]) -> Decision {
    let [lower, upper] = sprt.bounds();
    match llr(sprt, counts) {
        llr if llr <= lower => Decision::AcceptElo0,
        llr if llr >= upper => Decision::AcceptElo1,
        _ => Decision::Continue,
    }
}

/// The scores of both hypotheses; for normalised Elo with the spread of what was seen.
pub(crate) fn scores(sprt: &Sprt, seen: &Multinomial) -> [f64; 2] {
    sprt.elo().map(|elo| match sprt.model() {
        Model::Logistic => elo::score(elo),
        Model::Normalised => 0.5 + t_value(seen, elo) * seen.variance().sqrt(),
    })
}

fn most_likely(model: Model, seen: &Multinomial, elo: f64) -> Multinomial {
    match model {
        Model::Logistic => seen.with_mean(elo::score(elo)),
        Model::Normalised => seen.with_t_value(t_value(seen, elo)),
    }
}

/// The t value of a block's mean score at this normalised Elo: that of a game times √(games of the block).
fn t_value(seen: &Multinomial, elo: f64) -> f64 {
    let games = (seen.chances().len() - 1) as f64 / 2.0;
    elo / NORMALISED * games.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: [u64; 5] = [365, 16618, 36229, 16974, 390];
    const SMALL: [u64; 5] = [2, 5, 20, 40, 33];
    const SIXES: [u64; 13] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9];

    fn check(counts: &[u64], [elo0, elo1]: [f64; 2], model: Model, expected: f64) {
        let llr = super::llr(&Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap(), counts);
        assert!((llr - expected).abs() < 2e-6, "{llr}, not {expected}, for {counts:?}");
    }

    /// The first of each are those that independent public implementations agree on; the others were computed with
    /// scipy's general maximisers, which know nothing of the closed form.
    #[test]
    fn ratios_are_those_of_the_field() {
        use Model::{Logistic, Normalised};
        check(&[223, 9863, 21279, 10037, 246], [0.5, 2.5], Logistic, -3.074_126);
        check(&SMALL, [0.0, 10.0], Logistic, 2.611_369);
        check(&[0, 0, 10, 0, 0], [0.0, 20.0], Logistic, -0.585_434);
        check(&[96, 111, 136], [0.0, 20.0], Logistic, 2.569_448);
        check(&[0, 0, 0, 0, 10], [0.0, 20.0], Logistic, 0.559_195);
        check(&SIXES, [0.0, 10.0], Logistic, 0.880_527);
        check(&LARGE, [0.0, 2.0], Normalised, 2.250_368);
        check(&SMALL, [0.0, 10.0], Normalised, 2.647_283);
        check(&[96, 111, 136], [0.0, 20.0], Normalised, 2.232_362);
        check(&[0, 0, 0, 0, 10], [0.0, 20.0], Normalised, 0.780_193);
        check(&[0, 0, 10, 0, 0], [0.0, 20.0], Normalised, -0.061_723);
        check(&[12, 0, 7, 0, 30], [0.0, 30.0], Normalised, 2.008_378);
        check(&[34, 54, 63, 64, 75], [40.0, 80.0], Normalised, -0.338_356);
        check(&SIXES, [0.0, 10.0], Normalised, 1.303_713);
    }

    #[test]
    fn a_mirrored_test_has_the_opposite_ratio() {
        for model in [Model::Logistic, Model::Normalised] {
            let mut mirrored = SMALL;
            mirrored.reverse();
            let llr =
                |counts: &[u64], elo0, elo1| super::llr(&Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap(), counts);
            assert!((llr(&SMALL, -3.0, 17.0) + llr(&mirrored, -17.0, 3.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn decisions_are_taken_at_the_bounds_of_wald() {
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.1, Model::Logistic).unwrap();
        assert_eq!(decision(&sprt, &[0; 5]), Decision::Continue);
        assert_eq!(decision(&sprt, &SMALL), Decision::Continue);
        assert_eq!(decision(&sprt, &SMALL.map(|count| count * 2)), Decision::AcceptElo1);
        assert_eq!(decision(&sprt, &[33, 40, 20, 5, 2]), Decision::AcceptElo0);
    }

    #[test]
    fn ratios_are_finite_for_the_oddest_counts() {
        for model in [Model::Logistic, Model::Normalised] {
            for (elo0, elo1) in [(0.0, 20.0), (-1000.0, 1000.0), (900.0, 1000.0)] {
                let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap();
                for counts in [vec![], vec![4], vec![0, 1], vec![0, 0, 0, 0, 100_000], vec![1, 0, 0], vec![0; 13]] {
                    assert!(llr(&sprt, &counts).is_finite(), "{counts:?} {elo0} {elo1} {model:?}");
                }
            }
        }
    }
}
