//! Compares a seat's knowledge with a full enumeration of every reachable position in small games.

use crate::chance::Seed;
use crate::deduction::Deduction as _;
use crate::game::{Game, Turn};
use crate::games::coda::Coda;
use crate::games::coda::known::Known;
use crate::games::coda::odds::{Counted, odds};
use crate::games::coda::panel::Panel;
use crate::games::coda::prompt::Choice;
use crate::games::coda::types::{Action, Event, Rules};
use crate::seat::Seat;

const ME: Seat = Seat(0);

/// A position as a seat sees it: all possible tables, each with its probability.
struct Position {
    tables: Vec<(Coda, f64)>,
    known: Known,
    /// True to explore all attacks; false to skip attacks that are publicly known to miss.
    all_attacks: bool,
}

/// Compares the count with the possible tables at this position, and at all positions that can follow. Returns the number of positions.
fn explore(position: &Position) -> u32 {
    let Turn::Act(seats) = position.tables[0].0.turn() else {
        return 0;
    };
    let seat = seats.first().unwrap();
    let prompt = position.tables[0].0.prompt(seat);
    let mut compared = 0;
    if seat == ME && matches!(prompt.0[0], Choice::Attack { .. }) {
        compare(position);
        compared += 1;
    }
    let actions = prompt.0.iter().flat_map(|choice| actions(choice, position));
    for action in actions {
        let next = position.tables.iter().flat_map(|(table, chance)| {
            let found = after(table, &[(seat, action)]);
            let share = chance / found.len() as f64;
            found
                .into_iter()
                .map(move |(table, events)| (table, events, share))
        });
        compared += parted(position, next).iter().map(explore).sum::<u32>();
    }
    compared
}

fn actions(
    choice: &Choice,
    Position {
        known,
        all_attacks,
        tables,
    }: &Position,
) -> Vec<Action> {
    match *choice {
        Choice::Draw { colour } => colour
            .into_iter()
            .map(|colour| Action::Draw { colour })
            .collect(),
        Choice::Expose { position } => position
            .into_iter()
            .map(|position| Action::Expose { position })
            .collect(),
        Choice::Stop {} => vec![Action::Stop {}],
        Choice::Attack {
            seat,
            position,
            face,
        } => {
            let seat = seat.first().unwrap();
            let attack = |(position, face)| Action::Attack {
                seat,
                position,
                face,
            };
            let rows = tables[0].0.codes.iter().flat_map(|code| {
                (0..)
                    .zip(&code.panels)
                    .map(move |(at, panel)| (code, at, panel))
            });
            let exposed = rows
                .filter(|(code, at, _)| !code.standing.contains(*at))
                .map(|(_, _, panel)| *panel)
                .collect();
            let open = |position| {
                known
                    .open(exposed, (seat, position))
                    .into_iter()
                    .map(Panel::face)
                    .collect()
            };
            let faces = |position| if *all_attacks { face } else { open(position) };
            let at = |position| {
                faces(position)
                    .into_iter()
                    .map(move |face| (position, face))
            };
            position.into_iter().flat_map(at).map(attack).collect()
        }
        Choice::SetUp { .. } | Choice::PlaceDashes { .. } | Choice::Place { .. } => {
            unreachable!("without dashes")
        }
    }
}

/// Returns all equally likely results of these actions.
fn after(table: &Coda, actions: &[(Seat, Action)]) -> Vec<(Coda, Vec<Event>)> {
    let play = |preferred: &[(Seat, Panel)]| {
        let (mut table, mut events) = (table.clone(), Vec::new());
        preferred
            .iter()
            .for_each(|(seat, panel)| table.prefer(*seat, *panel));
        actions
            .iter()
            .for_each(|(seat, action)| table.play(*seat, action, &mut events).unwrap());
        (table, events)
    };
    let draws = play(&[]).1.into_iter().flat_map(|event| match event {
        Event::SetUp { seat, code } => vec![seat; code.len()],
        Event::Drew { seat, .. } => vec![seat],
        _ => vec![],
    });
    let mut preferences = vec![vec![]];
    for seat in draws {
        let with = |list: &Vec<_>, panel| [list.as_slice(), &[(seat, panel)]].concat();
        let each = |list| {
            Panel::all(table.rules.deck())
                .into_iter()
                .map(move |panel| with(list, panel))
        };
        preferences = preferences.iter().flat_map(each).collect();
    }
    let mut found: Vec<(Coda, Vec<Event>)> = Vec::new();
    for next in preferences.iter().map(|preferred| play(preferred)) {
        if found.iter().all(|(_, events)| *events != next.1) {
            found.push(next);
        }
    }
    found
}

/// Groups the following tables into positions by the events that the seat sees.
fn parted(before: &Position, next: impl Iterator<Item = (Coda, Vec<Event>, f64)>) -> Vec<Position> {
    let mut parts: Vec<(Vec<Event>, Position)> = Vec::new();
    for (table, events, chance) in next {
        let seen: Vec<Event> = events
            .iter()
            .map(|event| Coda::seen_by(event, ME))
            .collect();
        let index = parts
            .iter()
            .position(|(other, _)| *other == seen)
            .unwrap_or_else(|| {
                let mut known = before.known.clone();
                seen.iter().for_each(|event| known.see(event));
                parts.push((
                    seen,
                    Position {
                        tables: vec![],
                        known,
                        all_attacks: before.all_attacks,
                    },
                ));
                parts.len() - 1
            });
        parts[index].1.tables.push((table, chance));
    }
    parts.into_iter().map(|(_, position)| position).collect()
}

fn compare(position: &Position) {
    let known = &position.known;
    assert_eq!(
        Counted {
            known: known.clone(),
            count: None
        }
        .worlds(),
        Some(position.tables.len() as f64)
    );
    let all: f64 = position.tables.iter().map(|(_, chance)| chance).sum();
    let other = Seat(1);
    let mut sum = 0.0;
    for odds in odds(known) {
        let right = |(table, _): &&(Coda, f64)| {
            table.codes[other].panels[usize::from(odds.position)] == odds.panel
        };
        let chance: f64 = position
            .tables
            .iter()
            .filter(right)
            .map(|(_, chance)| chance)
            .sum();
        assert!(
            (odds.chance - chance / all).abs() < 1e-12,
            "{odds:?}, not {}",
            chance / all
        );
        sum += odds.chance;
    }
    let standing = known.view.codes[other].standing.len() as f64;
    assert!(
        (sum - standing).abs() < 1e-9,
        "every hidden place holds a panel: {sum} of {standing}"
    );
}

fn positions(numbers: u8, panels: u8, all_attacks: bool) -> u32 {
    let rules = Rules {
        rounds: 1,
        numbers,
        panels,
        ..Rules::default()
    };
    let seed = Seed::try_from(0).unwrap();
    let mut events = Vec::new();
    let table = Coda::deal(&rules, 2, seed.into(), &mut events);
    let mut known = Known::new(&rules, 2, ME);
    events.iter().for_each(|event| known.see(event));
    let start = Position {
        tables: vec![],
        known,
        all_attacks,
    };
    let hands = (0..=panels).flat_map(|mine| (0..=panels).map(move |other| [mine, other]));
    let each = hands.map(|dark| {
        let choices = [0, 1].map(|seat| (Seat(seat as u8), Action::SetUp { dark: dark[seat] }));
        let next = after(&table, &choices)
            .into_iter()
            .map(|(table, events)| (table, events, 1.0));
        parted(&start, next).iter().map(explore).sum::<u32>()
    });
    each.sum()
}

#[test]
fn the_count_agrees_with_all_that_can_have_happened() {
    assert_eq!(positions(3, 1, true), 14_292);
    assert_eq!(positions(3, 2, true), 298_192);
    assert_eq!(positions(4, 1, false), 93_340);
}
