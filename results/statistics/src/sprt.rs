//! Sequential test of "no stronger than elo0" against "at least as strong as elo1", evaluated after every block.
//!
//! The generalised sequential probability ratio test has LLR = N Σ p̂ᵢ ln(p¹ᵢ / p⁰ᵢ), where p̂ are the frequencies of the results of a
//! block, and p⁰ and p¹ are the most likely distributions under each hypothesis (Van den Bergh 2020, "Comments on the generalized SPRT for
//! multinomial distributions"; Li, Liu and Ying 2014, "Generalized sequential probability ratio test for separate families of hypotheses").
//! It stops at ln(β / (1 − α)) or ln((1 − β) / α) (Wald 1945). The likelihood is exact, because the error rates of the usual second-order
//! approximation are several times the nominal ones when there are few blocks.

use arena_tournament::test::Sprt;
use serde::Serialize;

use crate::elo;
use crate::multinomial::Multinomial;
use crate::normal;

/// The verdict of a test. A ratio test accepts a hypothesis; other tests name a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestVerdict {
    /// Undecided so far. More deals will be played.
    Running,
    /// Undecided after all deals.
    Undecided,
    /// The first bot is not stronger by elo1 or more; at elo1 this is wrong with a probability of about beta.
    AcceptElo0,
    /// The first bot is stronger by more than elo0; at elo0 this is wrong with a probability of about alpha.
    AcceptElo1,
    /// The first bot does better.
    First,
    /// The second bot does better.
    Second,
    /// Neither bot does better by more than the margin, or both play exactly alike.
    Equal,
}

/// Returns the log-likelihood ratio of elo1 against elo0; 0 without blocks. The counts are the numbers of blocks with each sum of
/// half-points, worst first: 3 cells for single games, 5 for pairs, 13 for blocks of six.
pub fn llr(sprt: &Sprt, counts: &[u64]) -> f64 {
    let Some(seen) = Multinomial::of_counts(counts) else {
        return 0.0;
    };
    let [none, some] = sprt.elo().map(|elo| seen.with_mean(elo::score(elo)));
    let ratios = none.chances.iter().zip(&some.chances);
    let terms = seen.chances.iter().zip(ratios);
    let sum: f64 = terms
        .map(|(seen, (none, some))| seen * (some / none).ln())
        .sum();
    seen.total * sum
}

/// Returns the verdict for these counts.
pub fn verdict(sprt: &Sprt, counts: &[u64]) -> TestVerdict {
    let [lower, upper] = sprt.bounds();
    match llr(sprt, counts) {
        llr if llr <= lower => TestVerdict::AcceptElo0,
        llr if llr >= upper => TestVerdict::AcceptElo1,
        _ => TestVerdict::Running,
    }
}

/// Returns the number of blocks of a fixed-size test between the same hypotheses with the same error rates, given the variance of these
/// blocks: ((z₁₋α + z₁₋β) σ / (s₁ − s₀))². `None` if all blocks are equal, because their variance is then unknown.
pub fn fixed_size(sprt: &Sprt, counts: &[u64]) -> Option<u64> {
    let seen = Multinomial::of_counts(counts)?;
    if counts.iter().filter(|count| **count > 0).count() < 2 {
        return None;
    }
    let [low, high] = sprt.elo().map(elo::score);
    let [one, other] = sprt.errors().map(|rate| normal::quantile(1.0 - rate));
    let blocks = seen.variance() * ((one + other) / (high - low)).powi(2);
    Some(blocks.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;

    use super::*;
    use crate::elo::Sample;

    const SMALL: [u64; 5] = [2, 5, 20, 40, 33];
    const SIXES: [u64; 13] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9];

    fn ratio(counts: &[u64], [elo0, elo1]: [f64; 2]) -> f64 {
        llr(&Sprt::new(elo0, elo1, 0.05, 0.05).unwrap(), counts)
    }

    /// Compares the first values with those on which independent public implementations agree. The others were computed with scipy's
    /// general-purpose optimisers, independently of the closed form.
    #[test]
    fn ratios_are_those_of_the_field() {
        let check = |counts: &[u64], elo: [f64; 2], expected: f64| {
            let found = ratio(counts, elo);
            assert!((found - expected).abs() < 2e-6, "{found} for {counts:?}");
        };
        check(&[223, 9863, 21279, 10037, 246], [0.5, 2.5], -3.074_126);
        check(&SMALL, [0.0, 10.0], 2.611_369);
        check(&[0, 0, 10, 0, 0], [0.0, 20.0], -0.585_434);
        check(&[96, 111, 136], [0.0, 20.0], 2.569_448);
        check(&[0, 0, 0, 0, 10], [0.0, 20.0], 0.559_195);
        check(&SIXES, [0.0, 10.0], 0.880_527);
    }

    #[test]
    fn a_mirrored_test_has_the_opposite_ratio() {
        let mut mirrored = SMALL;
        mirrored.reverse();
        let sum = ratio(&SMALL, [-3.0, 17.0]) + ratio(&mirrored, [-17.0, 3.0]);
        assert!(sum.abs() < 1e-9);
    }

    #[test]
    fn decisions_are_taken_at_the_bounds_of_wald() {
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.1).unwrap();
        assert_eq!(verdict(&sprt, &[0; 5]), TestVerdict::Running);
        assert_eq!(verdict(&sprt, &SMALL), TestVerdict::Running);
        let twice = SMALL.map(|count| count * 2);
        assert_eq!(verdict(&sprt, &twice), TestVerdict::AcceptElo1);
        assert_eq!(verdict(&sprt, &[33, 40, 20, 5, 2]), TestVerdict::AcceptElo0);
    }

    /// Returns means over simulated tests: the fraction that accepts elo1, the number of blocks, and the naive estimate of Elo.
    fn simulated(sprt: &Sprt, shares: &[f64]) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for index in 0..TESTS {
            let mut chance = Seed::try_from(29).unwrap().stream("test", index);
            let mut counts = [0; 5];
            while verdict(sprt, &counts) == TestVerdict::Running {
                let mut left = f64::from(chance.below(1 << 30)) / f64::from(1 << 30);
                let drawn = shares.iter().position(|share| {
                    left -= share;
                    left < 0.0
                });
                counts[drawn.unwrap_or(2)] += 1;
            }
            sums[0] += f64::from(u8::from(verdict(sprt, &counts) == TestVerdict::AcceptElo1));
            sums[1] += counts.iter().sum::<u64>() as f64;
            let sample = Sample::of_counts(&counts).unwrap();
            sums[2] += sample.estimate().elo.unwrap().number();
        }
        sums.map(|sum| sum / TESTS as f64)
    }

    const TESTS: u64 = 400;

    /// Pairs with many draws.
    const DRAWN: [u64; 5] = [60, 220, 440, 220, 60];

    #[test]
    fn tests_keep_their_errors_and_their_estimates_are_biased() {
        let level = Multinomial::of_counts(&DRAWN).unwrap();
        let elo1 = 30.0;
        let sprt = Sprt::new(0.0, elo1, 0.05, 0.05).unwrap();
        let strong = level.with_mean(elo::score(elo1));
        let [low, high] = [&level, &strong].map(|truth| simulated(&sprt, &truth.chances));
        assert!(low[0] <= 0.07 && high[0] >= 0.93, "{low:?} {high:?}");
        let truth = elo::of_score(strong.mean()).unwrap();
        assert!(low[2] < -2.0 && high[2] > truth + 2.0, "{low:?} {high:?}");
        // This saving is the purpose of the test.
        let fixed = 0.75 * fixed_size(&sprt, &DRAWN).unwrap() as f64;
        assert!(low[1] < fixed && high[1] < fixed, "{low:?} {high:?}");
    }

    /// Checks a value computed by hand: variance 0.0575, s₁ − s₀ = 0.028751 for 20 Elo, (2 · 1.644854)² · 0.0575 / 0.000827 = 752.8.
    #[test]
    fn a_test_of_fixed_size_goes_by_the_spread() {
        let sprt = Sprt::new(0.0, 20.0, 0.05, 0.05).unwrap();
        assert_eq!(fixed_size(&sprt, &DRAWN), Some(753));
        for counts in [[0; 5], [0, 0, 7, 0, 0], [0, 0, 0, 0, 900]] {
            assert_eq!(fixed_size(&sprt, &counts), None);
        }
    }

    #[test]
    fn ratios_are_finite_for_the_oddest_counts() {
        for elo in [[0.0, 20.0], [-1000.0, 1000.0], [900.0, 1000.0]] {
            let odd: [&[u64]; 6] = [
                &[],
                &[4],
                &[0, 1],
                &[0, 0, 0, 0, 100_000],
                &[1, 0, 0],
                &[0; 13],
            ];
            for counts in odd {
                assert!(ratio(counts, elo).is_finite(), "{counts:?} {elo:?}");
            }
        }
    }
}
