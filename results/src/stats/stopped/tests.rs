//! The sequential test keeps its errors, and what it tells afterwards is true as often as it says; by simulation.

use arena_engine::chance::{Chance, Seed};

use super::*;
use crate::stats::sprt;
use arena_tournament::test::Model;

/// Chances of 0 … 4 half points in millionths.
type Pairs = [u32; 5];

/// Pairs with many draws and a true score of this much, in millionths, by the most likely tilting of a symmetric one.
fn pairs(score: f64) -> Pairs {
    let level = Multinomial::of_counts(&[60, 220, 440, 220, 60]).unwrap();
    let mut left = 1_000_000;
    let mut pairs = [0; 5];
    for (pair, chance) in pairs.iter_mut().zip(level.with_mean(score).chances()) {
        *pair = ((chance * 1e6).round() as u32).min(left);
        left -= *pair;
    }
    pairs[2] += left;
    pairs
}

fn draw(pairs: &Pairs, chance: &mut Chance) -> usize {
    let mut left = chance.below(1_000_000);
    for (cell, part) in pairs.iter().enumerate() {
        match left.checked_sub(*part) {
            Some(rest) => left = rest,
            None => return cell,
        }
    }
    unreachable!("the parts add up to a million")
}

/// Plays one test, checked after every block, until it stops or has taken so many blocks.
fn play(sprt: &Sprt, pairs: &Pairs, most: u64, chance: &mut Chance) -> [u64; 5] {
    let mut counts = [0; 5];
    for _ in 0..most {
        counts[draw(pairs, chance)] += 1;
        if sprt::decision(sprt, &counts) != Decision::Continue {
            break;
        }
    }
    counts
}

/// Many tests at one true Elo: the shares of accepted elo1, of intervals that cover, of estimates above the truth, and the
/// mean of the plain estimate less the truth.
fn check(sprt: &Sprt, elo: f64, most: u64, tests: u64) -> [f64; 4] {
    let pairs = pairs(elo::score(elo));
    let mut sums = [0.0; 4];
    for index in 0..tests {
        let mut chance = Seed::try_from(29).unwrap().stream("test", index * 10_007 + elo.to_bits() % 10_007);
        let counts = play(sprt, &pairs, most, &mut chance);
        let found = stopped(sprt, &counts).unwrap();
        let [low, high] = found.interval;
        let covers = low.is_none_or(|low| low <= elo) && high.is_none_or(|high| elo <= high);
        sums[0] += f64::from(u8::from(found.decision == Decision::AcceptElo1));
        sums[1] += f64::from(u8::from(covers));
        sums[2] += f64::from(u8::from(found.elo.is_some_and(|found| found > elo)));
        sums[3] += found.biased.number() - elo;
        assert!(!format!("{found:?}").contains("NaN"));
    }
    sums.map(|sum| sum / tests as f64)
}

#[test]
fn estimates_after_the_stop_are_true_as_often_as_they_say() {
    let sprt = Sprt::new(0.0, 30.0, 0.05, 0.05, Model::Logistic).unwrap();
    for elo in [-20.0, 0.0, 15.0, 30.0, 60.0] {
        let [accepted, covers, above, bias] = check(&sprt, elo, 100_000, 400);
        println!("{elo}: accepted {accepted}, covers {covers}, above {above}, bias of the plain estimate {bias}");
        assert!(covers >= 0.93, "{covers} at {elo}");
        // Far beyond the bounds the test stops after few blocks, and the motion is a rougher picture of it.
        let near = if (0.0..=30.0).contains(&elo) { 0.06 } else { 0.13 };
        assert!((above - 0.5).abs() < near, "{above} at {elo}");
        match elo {
            0.0 => assert!(accepted <= 0.065, "{accepted}"),
            30.0 => assert!(accepted >= 0.935, "{accepted}"),
            60.0 => assert!(bias > 4.0, "the plain estimate is biased: {bias}"),
            -20.0 => assert!(bias < -2.0, "the plain estimate is biased: {bias}"),
            _ => {}
        }
    }
}

#[test]
fn tests_in_normalised_elo_keep_their_errors() {
    let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, Model::Normalised).unwrap();
    let [accepted, covers, above, _] = check(&sprt, 0.0, 100_000, 400);
    println!("accepted {accepted}, covers {covers}, above {above}");
    assert!(accepted <= 0.065 && covers >= 0.925 && (0.44..=0.56).contains(&above), "{accepted} {covers} {above}");
}

#[test]
fn tests_given_up_early_have_an_estimate_as_well() {
    let sprt = Sprt::new(0.0, 30.0, 0.05, 0.05, Model::Logistic).unwrap();
    let [_, covers, above, _] = check(&sprt, 10.0, 60, 400);
    println!("covers {covers}, above {above}");
    assert!(covers >= 0.925 && (0.44..=0.56).contains(&above), "{covers} {above}");
}

#[test]
fn better_counts_tell_of_more_strength() {
    let sprt = Sprt::new(0.0, 20.0, 0.05, 0.05, Model::Logistic).unwrap();
    let strengths: Vec<f64> = [[9, 9, 9, 2, 1], [5, 8, 20, 8, 6], [2, 6, 20, 40, 33], [0, 1, 5, 40, 90]]
        .iter()
        .map(|counts| stopped(&sprt, counts).unwrap().elo.unwrap())
        .collect();
    assert!(strengths.is_sorted(), "{strengths:?}");
    for counts in [[0, 0, 0, 0, 9], [30, 0, 0, 0, 0], [0, 0, 50, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 4000, 4000]] {
        let text = format!("{:?}", stopped(&sprt, &counts).unwrap());
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
    assert_eq!(stopped(&sprt, &[0; 5]), None);
}

/// By hand: variance 0.055, s₁ − s₀ = 0.028751 for 20 Elo, (2 · 1.644854)² · 0.055 / 0.000827 = 720.1.
#[test]
fn a_test_of_fixed_size_is_told_for_comparison() {
    let sprt = Sprt::new(0.0, 20.0, 0.05, 0.05, Model::Logistic).unwrap();
    let found = stopped(&sprt, &[60, 220, 440, 220, 60]).unwrap();
    assert!((found.fixed as f64 - 10.822_17 * 0.0575 / 0.028_750_5_f64.powi(2)).abs() < 3.0, "{}", found.fixed);
}
