//! Laws of tuning, and simulated responses whose best setting is known.

use std::ops::Range;

use arena_engine::chance::{Chance, Seed};
use arena_engine::fault::Cause;
use arena_tournament::deals::{Deals, Scored, SeatResult};
use arena_tournament::tune::{Parameter, Scale};
use serde_json::Number;

use super::process::normal;
use super::report::{End, Gained, values};
use super::search::{Search, budget, scores};
use crate::elo;

fn seed(number: u64) -> Seed {
    Seed::try_from(number).unwrap()
}

fn real(name: &str, start: f64) -> Parameter {
    let [from, to, start] = [0.0, 1.0, start].map(|number| Number::from_f64(number).unwrap());
    Parameter {
        name: name.into(),
        from,
        to,
        start,
        scale: Scale::Linear,
    }
}

fn whole(name: &str, [from, to, start]: [i64; 3]) -> Parameter {
    Parameter {
        name: name.into(),
        from: from.into(),
        to: to.into(),
        start: start.into(),
        scale: Scale::Linear,
    }
}

/// Simulates the scores of settings with these win probabilities on the same deals, in quarters. The settings share part of the luck of
/// each deal.
fn play(chances: &[f64], deals: usize, chance: &mut Chance) -> Vec<Vec<f64>> {
    let common: Vec<f64> = (0..deals).map(|_| 0.15 * normal(chance)).collect();
    let mut score = |p: f64, common: f64| {
        let luck = (p + common + 0.25 * normal(chance)).clamp(0.0, 1.0);
        (4.0 * luck + chance.share()).floor().clamp(0.0, 4.0) / 4.0
    };
    chances
        .iter()
        .map(|p| common.iter().map(|common| score(*p, *common)).collect())
        .collect()
}

/// Tunes with a response in Elo to parameter values. Returns the first and the tuned setting, and their test.
fn tuned(
    parameters: &[Parameter],
    run: u64,
    [generations, deals, fresh]: [u32; 3],
    response: impl Fn(&[f64]) -> f64,
) -> ([Vec<f64>; 2], End) {
    let mut search = Search::new(parameters, seed(run));
    let mut chance = seed(run).stream("response", 0);
    let first = search.best.clone();
    let elo_of = |point: &Vec<f64>| response(&values(parameters, point));
    let p = |point: &Vec<f64>| elo::score(elo_of(point) - elo_of(&first));
    for _ in 0..generations {
        let settings = search.next();
        let chances: Vec<f64> = settings.iter().map(p).collect();
        search.add(&settings, &play(&chances, deals as usize, &mut chance));
    }
    let both = [first.clone(), search.best.clone()];
    let fresh = play(&both.each_ref().map(p), fresh as usize, &mut chance);
    (both.clone(), End::new(parameters, &both, &fresh))
}

/// Tunes on hills with a known peak. Returns the mean distances of the first and the tuned settings below the peak, and the number of gains
/// shown.
fn climbed(runs: Range<u64>, deals: u32) -> ([f64; 2], usize) {
    let mut below = [0.0; 2];
    let mut gains = 0;
    let count = runs.end as f64 - runs.start as f64;
    for run in runs {
        let mut chance = seed(run).stream("hill", 0);
        let mut between = |low: f64, high: f64| low + (high - low) * chance.share();
        let peak = [between(0.15, 0.85), between(0.15, 0.85)];
        let start = [between(0.1, 0.9), between(0.1, 0.9)];
        let hill = |at: &[f64]| {
            let squares: f64 = at
                .iter()
                .zip(peak)
                .map(|(a, b)| ((a - b) / 0.4).powi(2))
                .sum();
            -150.0 * (1.0 - (-squares / 2.0).exp())
        };
        let (both, end) = tuned(
            &[real("x", start[0]), real("y", start[1])],
            run,
            budget(deals),
            hill,
        );
        (0..2).for_each(|side| below[side] -= hill(&both[side]) / count);
        gains += usize::from(end.verdict == Gained::Gained);
    }
    (below, gains)
}

#[test]
fn a_budget_is_spent_on_twelve_generations_or_on_fewer_that_are_large_enough() {
    assert_eq!(budget(1), [1, 10, 500]);
    assert_eq!(budget(1_000), [6, 10, 500]);
    assert_eq!(budget(5_000), [12, 26, 1_250]);
    assert_eq!(budget(20_000), [12, 104, 5_000]);
}

#[test]
fn hills_are_climbed() {
    let ([first, tuned], gains) = climbed(0..10, 1_000);
    assert!(
        first > 40.0 && tuned < 0.4 * first && gains >= 5,
        "{first} {tuned} {gains}"
    );
}

#[test]
fn where_nothing_matters_a_gain_is_claimed_in_at_most_a_twentieth() {
    let gains = (0..200).filter(|run| {
        let (_, end) = tuned(&[real("x", 0.3)], *run, [3, 10, 100], |_| 0.0);
        assert!(end.elo[1] < end.elo[0] && end.unseen.is_some_and(|unseen| unseen > 0.0));
        end.verdict == Gained::Gained
    });
    let gains = gains.count();
    assert!((3..=16).contains(&gains), "{gains} of 200");
}

#[test]
fn the_same_seed_draws_the_same_settings_and_none_twice_in_a_generation() {
    let parameters = [whole("x", [1, 4, 2]), whole("y", [-1, 1, 0])];
    let course = |run| {
        let mut search = Search::new(&parameters, seed(run));
        let mut course = Vec::new();
        for _ in 0..3 {
            let settings = search.next();
            assert_eq!(settings, search.next(), "nothing but results moves it on");
            let settings: Vec<Vec<f64>> = settings
                .iter()
                .map(|point| values(&parameters, point))
                .collect();
            assert!(
                (0..settings.len()).all(|at| !settings[..at].contains(&settings[at])),
                "{settings:?}"
            );
            assert!(
                (9..=12).contains(&settings.len()),
                "there are 12: {settings:?}"
            );
            let chances: Vec<f64> = settings.iter().map(|setting| 0.2 * setting[0]).collect();
            search.add(
                &search.next(),
                &play(&chances, 10, &mut seed(9).stream("play", 0)),
            );
            course.push(settings);
        }
        assert_eq!(values(&parameters, &search.best)[0], 4.0);
        course
    };
    assert_eq!(course(1), course(1));
    assert_ne!(course(1)[0], course(2)[0]);
}

#[test]
fn settings_that_all_play_alike_can_be_fitted() {
    let parameters = [real("x", 0.5)];
    let mut search = Search::new(&parameters, seed(3));
    for _ in 0..4 {
        let settings = search.next();
        assert_eq!(settings.len(), 16);
        search.add(&settings, &vec![vec![0.25; 10]; 16]);
    }
    let end = End::new(
        &parameters,
        &[vec![0.5], vec![0.99]],
        &[vec![0.1; 20], vec![0.1; 20]],
    );
    assert_eq!(
        (end.verdict, end.difference, end.elo),
        (Gained::Alike, [0.0; 3], [Some(0.0); 3])
    );
    assert!(end.is_far && end.at_border == ["x"]);
}

#[test]
fn an_end_is_students_test_of_the_differences() {
    let scores = [
        vec![0.5, 0.25, 0.5, 0.0, 0.75],
        vec![0.75, 0.5, 0.5, 0.5, 0.5],
    ];
    let end = End::new(&[real("x", 0.1)], &[vec![0.1], vec![0.9]], &scores);
    // Differences 0.25, 0.25, 0, 0.5, −0.25: mean 0.15, deviation √0.08125, and the 0.95 quantile of t with 4 degrees is 2.131847.
    let width = 2.131_847 * (0.081_25_f64 / 5.0).sqrt();
    let expected = [0.15, 0.15 - width, 0.15 + width];
    assert!(
        end.difference
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-6),
        "{end:?}"
    );
    assert_eq!(
        (end.verdict, end.settings[0].score, end.settings[1].score),
        (Gained::NotShown, 0.4, 0.55)
    );
    let [Some(elo), Some(low), Some(high)] = end.elo else {
        panic!("{end:?}")
    };
    assert!(low < 0.0 && 0.0 < elo && elo < high);
    assert!((elo - (elo::of_score(0.55).unwrap() - elo::of_score(0.4).unwrap())).abs() < 1e-9);
}

#[test]
fn a_score_is_the_mean_over_all_that_a_bot_met_and_forfeits_are_losses() {
    let seat = |place: u8, fault: Option<Cause>| SeatResult {
        place,
        points: 0,
        fault,
        counts: Vec::new(),
    };
    let mut deals = Deals::new(1, Some(3));
    // Bots 0 and 1 are settings, and 2 and 3 the field. At a table of three, each setting meets two bots.
    let mut add = |bots: [usize; 3], seats: [SeatResult; 3]| {
        deals.add_in_any_order(Scored {
            deal: 1,
            bots: bots.to_vec(),
            seats: seats.to_vec(),
            transcript: 0,
        })
    };
    let forfeit = Some(Cause::Crash);
    assert!(add([0, 2, 3], [seat(1, None), seat(1, None), seat(3, None)]).is_none());
    assert!(
        add(
            [2, 1, 3],
            [seat(1, forfeit), seat(1, forfeit), seat(3, None)]
        )
        .is_none(),
        "of two that both forfeit, neither"
    );
    let deal = add([3, 2, 1], [seat(1, None), seat(2, None), seat(3, None)]).unwrap();
    assert_eq!(scores(&deal, 2), [0.75, 0.0]);
}
