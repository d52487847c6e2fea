//! Tests of the Code 777 bots: each beats those listed before it.

use arena_bots::roster;
use arena_engine::chance::Seed;
use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::types::{Event, Rules};
use arena_engine::machine::Match;
use arena_engine::player::play;
use arena_engine::seat::Seat;

/// Plays every deal once for each seat of the hero, against copies of the other bot. Returns the hero's fraction of wins.
fn share(hero: &str, other: &str, seats: usize, rules: &Rules, deals: u64) -> f64 {
    let mut share = 0.0;
    for seed in 0..deals {
        for place in 0..seats {
            let table = play_one(
                rules,
                seats,
                seed,
                |seat| if seat == place { hero } else { other },
            );
            assert!(table.verdict().unwrap().faults.iter().all(Option::is_none));
            let scores = &table.verdict().unwrap().outcome.seats;
            let first = scores.iter().filter(|score| score.place == 1).count();
            if scores[Seat(place as u8)].place == 1 {
                share += 1.0 / first as f64;
            }
        }
    }
    let share = share / (deals as f64 * seats as f64);
    println!(
        "{hero} against {other}, {seats} seats: wins {share:.3}, equal would be {:.3}",
        1.0 / seats as f64
    );
    share
}

fn play_one<'a>(
    rules: &Rules,
    seats: usize,
    seed: u64,
    name: impl Fn(usize) -> &'a str,
) -> Match<Code777> {
    let mut table = Match::<Code777>::new(rules, seats, Seed::try_from(seed).unwrap()).unwrap();
    let mut players: Vec<_> = (0..seats)
        .map(|seat| roster::make(name(seat)).unwrap())
        .collect();
    play(&mut table, &mut players, |_| None);
    table
}

#[test]
fn each_bot_beats_the_weaker_ones() {
    let rules = Rules::default();
    assert!(share("consistent", "random", 2, &rules, 100) > 0.9);
    assert!(share("guessing", "random", 2, &rules, 100) > 0.9);
    assert!(share("inference", "random", 2, &rules, 100) > 0.9);
    assert!(share("guessing", "consistent", 2, &rules, 100) > 0.65);
    assert!(share("inference", "consistent", 2, &rules, 100) > 0.55);
    assert!(share("inference", "guessing", 2, &rules, 100) > 0.65);
    assert!(share("adaptive", "consistent", 2, &rules, 100) > 0.55);
    assert!(share("adaptive", "guessing", 2, &rules, 100) > 0.65);
    assert!(share("adaptive", "inference", 2, &rules, 150) > 0.5);
}

#[test]
fn they_do_so_at_larger_tables() {
    let rules = Rules::default();
    for seats in [3, 4] {
        let fair = 1.0 / seats as f64;
        assert!(share("consistent", "random", seats, &rules, 20) > 2.0 * fair);
        assert!(share("guessing", "consistent", seats, &rules, 20) > 1.4 * fair);
        assert!(share("inference", "consistent", seats, &rules, 20) > 1.4 * fair);
        assert!(share("inference", "guessing", seats, &rules, 20) > 1.8 * fair);
    }
}

#[test]
fn they_play_every_variant() {
    for seats in 2..=4 {
        for (colours, dummy_racks) in [(true, false), (false, true), (true, true)] {
            let rules = Rules {
                colours,
                dummy_racks,
                ..Rules::default()
            };
            share("inference", "consistent", seats, &rules, 3);
            share("guessing", "inference", seats, &rules, 3);
            share("adaptive", "guessing", seats, &rules, 3);
        }
    }
}

#[test]
fn what_is_consistent_is_never_wrong() {
    for (colours, dummy_racks) in [(false, false), (true, true)] {
        for seed in 0..50 {
            let rules = Rules {
                colours,
                dummy_racks,
                ..Rules::default()
            };
            let table = play_one(&rules, 3, seed, |seat| {
                ["consistent", "guessing", "consistent"][seat]
            });
            for event in table.events() {
                assert!(
                    !matches!(
                        event,
                        Event::Declared {
                            seat: Seat(0 | 2),
                            right: false,
                            ..
                        }
                    ),
                    "{event:?}"
                );
            }
        }
    }
}
