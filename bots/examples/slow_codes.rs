//! Computes `bots/src/digit_code/slow_codes.txt`, the codes that the Digit Code bot `hiding` hides.
//!
//! `cargo run --release -p arena-bots --example slow_codes -- FILE` takes about three minutes on two cores. The weights of the codes come
//! from multiplicative weights (Freund and Schapire 1999): in each round, an opponent that knows the current weights asks the questions
//! with the most information, and the weight of each code grows with the number of turns until it is found. Codes drawn by the average
//! weights are hard to find for every opponent. The average is then tilted towards the codes that `hiding` and `entropy` take long to find.
#![expect(clippy::unwrap_used, reason = "an example")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

use arena_bots::digit_code::hiding::{PRIORS, prior};
use arena_engine::games::digit_code::candidates::ANSWERS;
use arena_engine::games::digit_code::code::Code;
use arena_engine::games::digit_code::question::{Kind, Question};
use rayon::prelude::*;

/// Number of rounds of multiplicative weights. The first third is not part of the average.
const ROUNDS: usize = 100;
/// Growth of the logarithm of a weight per turn in the first rounds.
const RATE: f32 = 0.3;
/// Round from which the growth decreases.
const FALL: f32 = 30.0;
/// Difference in remaining entropy, in nats, below which questions count as equal.
const SLACK: f32 = 0.03;
/// Growth of the logarithm of a weight per turn that `hiding` takes.
const HIDING_TILT: f32 = 4.0;
/// Growth of the logarithm of a weight per turn that `entropy` takes.
const ENTROPY_TILT: f32 = 0.5;
/// Sum of the weights in the file.
const TOTAL_WEIGHT: u32 = 16_384;
/// Size of a set above which it is counted on all cores.
const LARGE_SET: usize = 3_000;

/// A question with the answers of all codes.
struct Split {
    kind: Kind,
    answers: Vec<u8>,
}

/// An opponent that expects codes with these weights.
struct Opponent<'a> {
    splits: &'a [Split],
    weights: &'a [f32],
    slack: f32,
    seed: u64,
    /// Number of half turns until each code is found.
    half_turns: Vec<AtomicU32>,
}

/// Mixes the bits of a number (the finaliser of MurmurHash3).
fn mix(mut number: u64) -> u64 {
    number ^= number >> 33;
    number = number.wrapping_mul(0xff51_afd7_ed55_8ccd);
    number ^= number >> 33;
    number = number.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    number ^ number >> 33
}

impl Opponent<'_> {
    fn found(&self, code: u32, half_turns: usize) {
        self.half_turns[code as usize].store(half_turns as u32, Ordering::Relaxed);
    }

    /// Returns the expected remaining entropy after a question, in nats; `None` if all these codes answer alike.
    fn remaining(&self, codes: &[u32], split: &Split) -> Option<f32> {
        let mut weights = [0.0; ANSWERS];
        for code in codes {
            weights[usize::from(split.answers[*code as usize])] += self.weights[*code as usize];
        }
        let total: f32 = weights.iter().sum();
        let given = || weights.iter().filter(|weight| **weight > 0.0);
        let spread: f32 = given().map(|weight| weight * weight.ln()).sum();
        (given().count() > 1).then_some(spread / total)
    }

    /// Asks questions until each of these codes is found. In the first turn, one question of each kind is asked.
    fn ask(&self, codes: Vec<u32>, kinds: &[Kind], path: u64) {
        let asked = kinds.len();
        let in_first_turn = asked < Kind::ALL.len();
        if !in_first_turn && codes.len() <= 2 {
            let weight = |code: &u32| self.weights[*code as usize];
            let declared_at = 2 * asked + 2;
            match codes[..] {
                [first, second] if weight(&first) == weight(&second) => {
                    codes
                        .iter()
                        .for_each(|code| self.found(*code, declared_at + 1));
                }
                [first, second] => {
                    let later = 2 * usize::from(weight(&first) < weight(&second));
                    self.found(first, declared_at + later);
                    self.found(second, declared_at + 2 - later);
                }
                _ => codes.iter().for_each(|code| self.found(*code, declared_at)),
            }
            return;
        }
        let value = |split: &Split| {
            let is_open = !in_first_turn || !kinds.contains(&split.kind);
            is_open.then(|| self.remaining(&codes, split)).flatten()
        };
        let values: Vec<Option<f32>> = if codes.len() > LARGE_SET {
            self.splits.par_iter().map(value).collect()
        } else {
            self.splits.iter().map(value).collect()
        };
        let best = values.iter().flatten().copied().fold(f32::MAX, f32::min);
        let good = |value: &Option<f32>| value.is_some_and(|value| value <= best + self.slack);
        let good: Vec<usize> = (0..values.len()).filter(|at| good(&values[*at])).collect();
        // If no question distinguishes these codes, the rest of the first turn has no use.
        let Some(chosen) = good.get((mix(path ^ self.seed) % good.len().max(1) as u64) as usize)
        else {
            return self.ask(codes, &Kind::ALL, path);
        };
        let split = &self.splits[*chosen];
        let kinds: Vec<Kind> = kinds.iter().copied().chain([split.kind]).collect();
        let mut parts = vec![Vec::new(); ANSWERS];
        for code in codes {
            parts[usize::from(split.answers[code as usize])].push(code);
        }
        let parts = parts.into_par_iter().enumerate();
        let parts = parts.filter(|(_, part)| !part.is_empty());
        parts.for_each(|(answer, part)| {
            self.ask(
                part,
                &kinds,
                mix(path ^ (chosen * ANSWERS + answer + 1) as u64),
            );
        });
    }
}

/// Returns the number of turns until each code is found.
fn turns(splits: &[Split], weights: &[f32], slack: f32, seed: u64) -> Vec<f32> {
    let half_turns = weights.iter().map(|_| AtomicU32::new(0)).collect();
    let opponent = Opponent {
        splits,
        weights,
        slack,
        seed,
        half_turns,
    };
    opponent.ask((0..weights.len() as u32).collect(), &[], 0);
    let turns = opponent.half_turns.into_iter();
    turns.map(|half| half.into_inner() as f32 / 2.0).collect()
}

/// Returns the exponential of each number, scaled so that the largest result is 1.
fn exponentials(logs: &[f32]) -> Vec<f32> {
    let largest = logs.iter().copied().fold(f32::MIN, f32::max);
    logs.iter()
        .map(|log| (log - largest).exp().max(1e-6))
        .collect()
}

fn add(sums: &mut [f32], values: &[f32], factor: f32) {
    let pairs = sums.iter_mut().zip(values);
    pairs.for_each(|(sum, value)| *sum += factor * value);
}

fn main() {
    let file = env::args().nth(1).expect("name the file to write");
    let codes: Vec<Code> = Code::all().collect();
    let splits: Vec<Split> = Question::all()
        .map(|question| Split {
            kind: question.kind(),
            answers: codes.iter().map(|code| question.answer(*code)).collect(),
        })
        .collect();
    let (mut logs, mut average) = (vec![0.0; codes.len()], vec![0.0; codes.len()]);
    for round in 0..ROUNDS {
        let weights = exponentials(&logs);
        if round >= ROUNDS / 3 {
            add(&mut average, &weights, 1.0 / weights.iter().sum::<f32>());
        }
        let rate = RATE / (1.0 + round as f32 / FALL).sqrt();
        add(
            &mut logs,
            &turns(&splits, &weights, SLACK, round as u64),
            rate,
        );
    }
    let mut logs: Vec<f32> = average.iter().map(|weight| weight.ln()).collect();
    let entropy = turns(&splits, &vec![1.0; codes.len()], 0.0, 0);
    add(&mut logs, &entropy, ENTROPY_TILT);
    for number in 0..PRIORS {
        let mut weights = vec![0.0; codes.len()];
        for (code, weight) in prior(number).heaviest_first() {
            weights[codes.binary_search(&code).unwrap()] = weight as f32;
        }
        let turns = turns(&splits, &weights, SLACK, number as u64);
        add(&mut logs, &turns, HIDING_TILT / PRIORS as f32);
    }
    // Systematic sampling rounds the weights to integers with the given sum.
    let weights = exponentials(&logs);
    let unit =
        weights.iter().map(|weight| f64::from(*weight)).sum::<f64>() / f64::from(TOTAL_WEIGHT);
    let mut sum = unit / 2.0;
    let mut text = String::new();
    for (code, weight) in codes.iter().zip(&weights) {
        let before = (sum / unit).floor();
        sum += f64::from(*weight);
        let drawn = (sum / unit).floor() - before;
        if drawn > 0.0 {
            text.push_str(&format!("{code} {drawn}\n"));
        }
    }
    fs::write(file, text).unwrap();
}
