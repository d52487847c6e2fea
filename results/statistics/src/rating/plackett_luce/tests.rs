//! Plackett-Luce fits against a maximum that was found by brute force, and against Davidson's model.

use super::super::fit::{Fit, PRIOR, Posterior, Prior};
use super::super::sums::{Cells, Likelihood, Sets};
use super::*;

/// A prior so weak that it does not show.
const NONE: Prior = Prior { strengths: 1e4, ties: 1e4 };

/// Places of a match, best first, and how often it went so.
type Row<'a> = (&'a [&'a [usize]], u32);

fn fitted(bots: usize, seats: usize, rows: &[Row<'_>], prior: Prior) -> Fit {
    let cells = Cells::Tables { bots, seats };
    let mut sets = Sets::default();
    let mut sums = vec![0; 1000];
    for (places, times) in rows {
        let mut counts = Vec::new();
        cells.choices(places, &mut sets, &mut counts);
        counts.iter().for_each(|(cell, count)| sums[*cell as usize] += count * u64::from(*times));
    }
    let (sets, places) = sets.in_order();
    let base = cells.sets();
    let unordered = sums[base..base + sets.len()].to_vec();
    unordered.iter().zip(places).for_each(|(sum, place)| sums[base + place as usize] = *sum);
    let likelihood = Likelihood::new(cells, &sets, &sums, false);
    Posterior { likelihood: &likelihood, prior }.fit()
}

const ROWS: [Row<'static>; 11] = [
    (&[&[0], &[1], &[2]], 7),
    (&[&[0, 1], &[2]], 3),
    (&[&[1], &[0], &[3]], 4),
    (&[&[2], &[1, 3], &[0]], 2),
    (&[&[3], &[2], &[1]], 3),
    (&[&[0], &[2], &[1], &[3]], 5),
    (&[&[1, 2, 3], &[0]], 2),
    (&[&[0], &[1, 2, 3]], 1),
    (&[&[2], &[0, 1], &[3]], 3),
    (&[&[3], &[0]], 2),
    (&[&[0, 2]], 1),
];

/// The expected numbers come of the likelihood written out over all subsets (itertools.combinations), maximised by
/// scipy.optimize.minimize, BFGS and then Nelder-Mead to 1e-11.
fn check(prior: Prior, strengths: [f64; 4], ties: [f64; 2], log_likelihood: f64) {
    let fit = fitted(4, 4, &ROWS, prior);
    let close = |found: &[f64], expected: &[f64], within: f64| {
        found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < within)
    };
    assert!(close(&fit.strengths, &strengths, 2e-6), "{fit:?}");
    assert!(close(&fit.ties, &[ties[0], ties[1], 0.0], 1e-6), "{fit:?}");
    assert!((fit.log_likelihood - log_likelihood).abs() < 1e-6, "{fit:?}");
}

#[test]
fn fits_are_the_maximum_found_by_brute_force() {
    let ties = [0.218_674_71, 0.211_729_5];
    check(NONE, [0.771_259, 0.094_982, 0.054_078, -0.920_319], ties, -91.287_887_33);
    let ties = [0.219_012_73, 0.212_768_51];
    check(PRIOR, [0.767_996, 0.093_964, 0.052_730, -0.914_691], ties, -91.288_093_23);
    let ties = [0.214_809_79, 0.207_148_55];
    check(Prior { strengths: 1.0, ..PRIOR }, [0.690_447, 0.074_560, 0.028_019, -0.793_026], ties, -91.365_893_35);
}

#[test]
fn two_seats_make_it_davidsons_model() {
    let rows = [(0, 1, [30, 2, 8]), (0, 2, [33, 3, 4]), (1, 2, [22, 4, 14])];
    let mut counts = vec![0; 27];
    let mut places: Vec<(Vec<Vec<usize>>, u32)> = Vec::new();
    for (i, j, [wins, ties, losses]) in rows {
        let cell = (i * 3 + j) * 3;
        counts[cell..cell + 3].copy_from_slice(&[wins, ties, losses].map(u64::from));
        places.extend([(vec![vec![i], vec![j]], wins), (vec![vec![i, j]], ties), (vec![vec![j], vec![i]], losses)]);
    }
    let slices: Vec<(Vec<&[usize]>, u32)> =
        places.iter().map(|(places, times)| (places.iter().map(Vec::as_slice).collect(), *times)).collect();
    let rows: Vec<Row<'_>> = slices.iter().map(|(places, times)| (places.as_slice(), *times)).collect();
    for prior in [PRIOR, Prior { strengths: 0.5, ..PRIOR }] {
        let luce = fitted(3, 2, &rows, prior);
        let pairs = Likelihood::new(Cells::Pairs { bots: 3 }, &[], &counts, false);
        let davidson = Posterior { likelihood: &pairs, prior }.fit();
        let same = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(luce.strengths.iter().zip(&davidson.strengths).all(|(a, b)| same(*a, *b)), "{luce:?} {davidson:?}");
        assert!(same(luce.ties[0], davidson.ties[0]), "{luce:?} {davidson:?}");
        assert!((luce.log_likelihood - davidson.log_likelihood).abs() < 1e-8, "{luce:?} {davidson:?}");
    }
}

#[test]
fn the_slope_alone_is_the_slope_that_comes_with_the_curvature() {
    let sets = (2..=MOST_SEATS as u16).map(|seats| (0..seats).map(|bot| bot + bot % 2).collect::<Box<[u16]>>());
    let sets: Vec<Box<[u16]>> = sets.collect();
    let counts: Vec<u64> = (1..).take(sets.len()).collect();
    for ties in [[0; 7], [3, 0, 0, 0, 0, 0, 0], [5, 4, 0, 2, 0, 1, 3]] {
        let tied = ties.map(|ties| ties > 0);
        let choices = Choices { credits: &[CREDIT; 9], ties: &ties, tied: &tied, sets: &sets, counts: &counts };
        let size = 9 + ties.iter().filter(|ties| **ties > 0).count();
        // Strengths that differ so much that subtracting would lose all digits.
        let at: Vec<f64> = (0..size).map(|parameter| (parameter * parameter % 13) as f64 * 3.0 - 20.0).collect();
        let [slope, whole] = [Parts::Slope, Parts::All].map(|parts| {
            let mut local = Local::zero(size, parts);
            choices.add(&at, &mut local);
            local.gradient
        });
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12 * (1.0 + a.abs());
        assert!(slope.iter().zip(&whole).all(close), "{slope:?} {whole:?}");
    }
}
