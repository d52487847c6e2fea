//! Checks that the pool a seat sees is the true one at every turn, with dashes and after forfeits.

use crate::chance::Seed;
use crate::fault::{Cause, Fault};
use crate::game::{Game, View as _};
use crate::games::coda::Coda;
use crate::games::coda::types::{Event, Rules};
use crate::games::coda::view::View;
use crate::machine::Match;
use crate::record::Reply;
use crate::seat::Seat;

/// Returns the number of panels left in the pool, computed from the true events of this round.
fn left(events: &[Event], dashes: bool) -> usize {
    let start = events
        .iter()
        .rposition(|event| matches!(event, Event::RoundStarted { .. }))
        .unwrap();
    let taken = events[start..].iter().map(|event| match event {
        Event::Took { panels, .. } => panels.len(),
        Event::SetUp { code, .. } if !dashes => code.len(),
        Event::Drew { .. } => 1,
        _ => 0,
    });
    (if dashes { 26 } else { 24 }) - taken.sum::<usize>()
}

#[test]
fn a_seat_sees_the_pool_that_is_on_the_table() {
    for (dashes, seats, number) in (0..60).map(|n| (n % 2 == 0, 2 + n as usize % 3, n)) {
        let (rules, seed) = (
            Rules {
                dashes,
                ..Rules::default()
            },
            Seed::try_from(number).unwrap(),
        );
        let mut table = Match::<Coda>::new(&rules, seats, seed).unwrap();
        let mut chance = seed.stream("test", 0);
        let mut turn = 0;
        while !table.is_over() {
            for seat in table.to_act() {
                let mut view = View::new(&rules, seats, seat);
                table
                    .events()
                    .iter()
                    .for_each(|event| view.see(&Coda::seen_by(event, seat)));
                let seen = usize::from(view.pool.dark) + usize::from(view.pool.light);
                assert_eq!(
                    seen,
                    left(table.events(), dashes),
                    "seed {number}, turn {turn}"
                );
            }
            for seat in table.to_act() {
                turn += 1;
                let fails = seats > 2 && turn == 2 + number as usize % 9;
                let fault = || Fault::left();
                let reply = if fails {
                    Reply::Failed(fault())
                } else {
                    Reply::Act(table.game().sample(seat, &mut chance))
                };
                table.reply(seat, reply).unwrap();
            }
        }
    }
}

#[test]
fn late_moves_are_counted_to_the_last() {
    let rules = Rules {
        rounds: 99,
        late_moves: 255,
        ..Rules::default()
    };
    let mut table = Match::<Coda>::new(&rules, 2, Seed::try_from(1).unwrap()).unwrap();
    while !table.is_over() {
        for seat in table.to_act() {
            table.reply(seat, Reply::Late).unwrap();
        }
    }
    let late = |of| {
        table
            .events()
            .iter()
            .filter(|event| **event == Event::Late { seat: Seat(of) })
            .count()
    };
    assert_eq!(late(0).max(late(1)), 255);
    assert!((0..2).any(|seat| {
        table
            .fault(Seat(seat))
            .is_some_and(|fault| fault.cause() == Cause::Time)
    }));
}
