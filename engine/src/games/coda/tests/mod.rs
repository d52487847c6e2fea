//! Tests of Coda's rules: hand-computed scores, corner cases, and whole games in sentences.

mod known;
mod pool;
mod small;

use crate::chance::Seed;
use crate::fault::{Cause, Fault};
use crate::game::{Game, View as _};
use crate::games::coda::Coda;
use crate::games::coda::panel::{Colour, Deck, Face, Panel, Shown};
use crate::games::coda::prompt::{Choice, Prompt};
use crate::games::coda::types::{Action, Event, Rules};
use crate::games::coda::view::{Row, View};
use crate::games::file;
use crate::machine::Match;
use crate::outcome::Ended;
use crate::record::Reply;
use crate::seat::{BySeat, Seat};
use crate::set::Set;

fn seed(seed: u64) -> Seed {
    Seed::try_from(seed).unwrap()
}

fn table(seats: usize, rounds: u8, number: u64) -> Match<Coda> {
    Match::new(
        &Rules {
            rounds,
            ..Rules::default()
        },
        seats,
        seed(number),
    )
    .unwrap()
}

/// Returns a match of one round, played with dashes.
fn advanced(seats: usize, number: u64) -> Match<Coda> {
    Match::new(
        &Rules {
            rounds: 1,
            dashes: true,
            ..Rules::default()
        },
        seats,
        seed(number),
    )
    .unwrap()
}

/// Returns the true code of a seat, and for each panel `true` if it stands, from the events alone.
fn code(table: &Match<Coda>, of: Seat) -> Vec<(Panel, bool)> {
    let mut code = Vec::new();
    for event in table.events() {
        match event {
            Event::RoundStarted { .. } => code.clear(),
            Event::SetUp { seat, code: first } if *seat == of => {
                code = first
                    .iter()
                    .map(|shown| (shown.panel().unwrap(), true))
                    .collect();
            }
            Event::Inserted {
                seat,
                position,
                panel,
                standing,
            } if *seat == of => {
                code.insert(usize::from(*position), (panel.panel().unwrap(), *standing));
            }
            Event::Attacked {
                target,
                position,
                hit: true,
                ..
            } if *target == of => {
                code[usize::from(*position)].1 = false;
            }
            Event::Exposed { seat, position, .. } if *seat == of => {
                code[usize::from(*position)].1 = false;
            }
            _ => {}
        }
    }
    code
}

fn attack(prompt: &Prompt) -> Option<(Seat, Set<u8>)> {
    prompt.0.iter().find_map(|choice| match choice {
        Choice::Attack { seat, position, .. } => Some((seat.first().unwrap(), *position)),
        _ => None,
    })
}

/// Attacks the first opponent's lowest standing panel, naming its true face or a wrong one.
fn attacks(table: &Match<Coda>, prompt: &Prompt, right: bool) -> Action {
    let (target, positions) = attack(prompt).unwrap();
    let position = positions.first().unwrap();
    let truth = code(table, target)[usize::from(position)].0.face();
    let wrong = Face::all(Deck::STANDARD)
        .into_iter()
        .find(|face| *face != truth)
        .unwrap();
    Action::Attack {
        seat: target,
        position,
        face: if right { truth } else { wrong },
    }
}

/// Plays to the end: answers with `choose` when attacks are offered, and with the first legal value otherwise.
fn play_on(table: &mut Match<Coda>, mut choose: impl FnMut(&Match<Coda>, Seat, &Prompt) -> Action) {
    while !table.is_over() {
        for seat in table.to_act() {
            let prompt = table.prompt(seat);
            let action = match &prompt.0[0] {
                Choice::SetUp { .. } => Action::SetUp { dark: 2 },
                Choice::PlaceDashes { dark, light } => {
                    let last = |places: &Set<u8>| places.into_iter().last().unwrap();
                    Action::PlaceDashes {
                        dark: dark.as_ref().map(last),
                        light: light.as_ref().map(last),
                    }
                }
                Choice::Place { position } => Action::Place {
                    position: position.first().unwrap(),
                },
                Choice::Draw { colour } => Action::Draw {
                    colour: colour.first().unwrap(),
                },
                Choice::Expose { position } => Action::Expose {
                    position: position.first().unwrap(),
                },
                _ => choose(table, seat, &prompt),
            };
            table.reply(seat, Reply::Act(action)).unwrap();
        }
    }
}

/// Returns each seat's place, points, and counts of the sources of points.
fn scores(table: &Match<Coda>) -> Vec<(u8, i32, [i32; 4])> {
    let count = |seat: &crate::outcome::Score| {
        ["hits", "exposures", "round_wins", "bonus"].map(|source| seat.breakdown.get(source))
    };
    let seats = &table.verdict().unwrap().outcome.seats;
    seats
        .iter()
        .map(|score| (score.place, score.points, count(score)))
        .collect()
}

#[test]
fn a_seat_that_knows_everything_wins_on_its_first_turn() {
    let mut table = table(2, 1, 7);
    play_on(&mut table, |table, _, prompt| attacks(table, prompt, true));
    let own: i32 = code(&table, Seat(0))
        .iter()
        .map(|(panel, _)| panel.face().value())
        .sum();
    // Seat 0 has four hits, one eliminated code, the round, and all five panels still standing, the drawn one included.
    assert_eq!(code(&table, Seat(0)).len(), 5);
    assert!(code(&table, Seat(0)).iter().all(|(_, standing)| *standing));
    assert_eq!(
        scores(&table),
        [(1, 4 + 3 + 5 + own, [4, 1, 1, own]), (2, 0, [0, 0, 0, 0])]
    );
}

#[test]
fn the_seat_that_plays_first_rotates() {
    let mut table = table(3, 3, 1);
    play_on(&mut table, |table, _, prompt| attacks(table, prompt, true));
    let firsts: Vec<(u8, u8)> = table
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::RoundStarted { round, first } => Some((*round, first.0)),
            _ => None,
        })
        .collect();
    assert_eq!(firsts, [(1, 0), (2, 1), (3, 2)]);
    // Each seat wins the round in which it plays first: 8 hits, 2 eliminated codes, and the round.
    assert!(
        scores(&table)
            .iter()
            .all(|(_, _, counts)| counts[..3] == [8, 2, 1])
    );
}

#[test]
fn equal_points_share_the_first_place() {
    let mut table = table(2, 1, 3);
    // Nobody ever hits. The last seat with panels wins, with 5 points and the bonus.
    play_on(&mut table, |table, _, prompt| attacks(table, prompt, false));
    let score = scores(&table);
    assert_eq!(
        score
            .iter()
            .map(|(_, _, counts)| counts[0] + counts[1])
            .sum::<i32>(),
        0
    );
    assert_eq!(score.iter().map(|(_, _, counts)| counts[2]).sum::<i32>(), 1);

    let outcome = crate::outcome::Outcome::by_points(
        Coda::SCORING,
        &BySeat::new(3, |seat| {
            crate::outcome::Breakdown::new(
                Coda::SCORING,
                if seat.0 == 1 {
                    &[1, 0, 0, 0]
                } else {
                    &[2, 1, 0, 0]
                },
            )
        }),
    );
    assert_eq!(
        outcome
            .seats
            .iter()
            .map(|score| score.place)
            .collect::<Vec<_>>(),
        [1, 3, 1]
    );
}

#[test]
fn a_miss_exposes_the_drawn_panel_and_without_a_pool_one_of_ones_own() {
    let mut table = table(2, 1, 3);
    play_on(&mut table, |table, _, prompt| attacks(table, prompt, false));
    let events = table.events();
    let draws = events
        .iter()
        .filter(|event| matches!(event, Event::Drew { .. }))
        .count();
    let inserted = events
        .iter()
        .filter(|event| {
            matches!(
                event,
                Event::Inserted {
                    standing: false,
                    ..
                }
            )
        })
        .count();
    // All 24 panels except the first 4 of each seat are drawn, and every miss exposes the drawn panel.
    assert_eq!((draws, inserted), (16, 16));
    // After that, the seats expose their own panels in turn: the first seat all four, the second seat three.
    let exposed: Vec<u8> = events
        .iter()
        .filter_map(|event| match event {
            Event::Exposed { seat, .. } => Some(seat.0),
            _ => None,
        })
        .collect();
    assert_eq!(exposed, [0, 1, 0, 1, 0, 1, 0]);
    assert!(events.contains(&Event::Eliminated {
        seat: Seat(0),
        by: None
    }));
    let bonus = code(&table, Seat(1))
        .iter()
        .filter(|(_, standing)| *standing)
        .map(|(panel, _)| panel.face().value())
        .sum();
    assert_eq!(
        scores(&table),
        [(2, 0, [0; 4]), (1, 5 + bonus, [0, 0, 1, bonus])]
    );
}

#[test]
fn after_a_hit_one_may_stop_and_the_drawn_panel_stands() {
    let mut table = table(2, 1, 5);
    let mut stopped = false;
    play_on(&mut table, |table, seat, prompt| {
        let may_stop = prompt.0.contains(&Choice::Stop {});
        let hits = table
            .events()
            .iter()
            .rev()
            .take_while(|event| matches!(event, Event::Attacked { hit: true, .. }))
            .count();
        assert_eq!(
            may_stop,
            hits > 0,
            "stopping is offered exactly after a hit"
        );
        if may_stop && !stopped && seat == Seat(0) {
            stopped = true;
            return Action::Stop {};
        }
        attacks(table, prompt, true)
    });
    let at = table
        .events()
        .iter()
        .position(|event| *event == Event::Stopped { seat: Seat(0) })
        .unwrap();
    assert!(matches!(
        table.events()[at + 1],
        Event::Inserted {
            seat: Seat(0),
            standing: true,
            ..
        }
    ));
    assert!(matches!(
        table.events()[at + 2],
        Event::Attacked { seat: Seat(1), .. } | Event::Drew { seat: Seat(1), .. }
    ));
}

#[test]
fn four_seats_take_three_panels_each_and_codes_ascend() {
    for (seats, hand) in [(2, 4), (3, 4), (4, 3)] {
        let mut table = table(seats, 1, 11);
        play_on(&mut table, |table, _, prompt| attacks(table, prompt, false));
        for event in table.events() {
            if let Event::SetUp { code, .. } = event {
                assert_eq!(code.len(), hand);
                assert_eq!(
                    code.iter()
                        .filter(|shown| shown.colour == Colour::Dark)
                        .count(),
                    2
                );
            }
        }
        for seat in Seat::all(seats) {
            assert!(code(&table, seat).is_sorted_by(|(low, _), (high, _)| low < high));
        }
    }
}

#[test]
fn each_seat_draws_its_own_luck() {
    // The draws of seat 0 at the set-up do not depend on the colours that seat 1 chooses.
    let first = |other: u8| {
        let mut table = table(2, 1, 9);
        table
            .reply(Seat(1), Reply::Act(Action::SetUp { dark: other }))
            .unwrap();
        table
            .reply(Seat(0), Reply::Act(Action::SetUp { dark: 2 }))
            .unwrap();
        code(&table, Seat(0))
    };
    assert_eq!(first(0), first(4));
}

#[test]
fn illegal_actions_forfeit_and_say_why() {
    let why = |action: Action| {
        let mut table = table(2, 1, 7);
        table
            .reply(Seat(0), Reply::Act(Action::SetUp { dark: 2 }))
            .unwrap();
        table
            .reply(Seat(1), Reply::Act(Action::SetUp { dark: 2 }))
            .unwrap();
        table
            .reply(
                Seat(0),
                Reply::Act(Action::Draw {
                    colour: Colour::Dark,
                }),
            )
            .unwrap();
        table.reply(Seat(0), Reply::Act(action)).unwrap();
        let verdict = table.verdict().unwrap().clone();
        assert_eq!(verdict.ended, Ended::Forfeit);
        // The other seat has the last standing code. It wins the round, and the exposure scores for nobody.
        assert_eq!(
            verdict.outcome.seats[Seat(1)].breakdown.get("round_wins"),
            1
        );
        assert_eq!(verdict.outcome.seats[Seat(1)].breakdown.get("exposures"), 0);
        let fault = verdict.faults[Seat(0)].clone().unwrap();
        assert_eq!(fault.cause(), Cause::Illegal);
        fault.to_string()
    };
    let face = Face::number(3).unwrap();
    assert_eq!(why(Action::Stop {}), "stop is not legal now: choose attack");
    assert_eq!(
        why(Action::Attack {
            seat: Seat(1),
            position: 4,
            face
        }),
        "position = 4 is not legal here; choose one of 0, 1, 2, 3"
    );
    assert_eq!(
        why(Action::Attack {
            seat: Seat(0),
            position: 0,
            face
        }),
        "seat 0 is not an opponent with a standing panel"
    );
    assert_eq!(
        why(Action::Attack {
            seat: Seat(9),
            position: 0,
            face
        }),
        "seat 9 is not an opponent with a standing panel"
    );
    assert_eq!(
        why(Action::SetUp { dark: 1 }),
        "set_up is not legal now: choose attack"
    );
}

#[test]
fn a_late_move_costs_the_drawn_panel_and_the_limit_costs_the_match() {
    let mut table = table(2, 1, 7);
    for seat in table.to_act() {
        table.reply(seat, Reply::Late).unwrap();
    }
    assert_eq!(
        code(&table, Seat(0)).len(),
        4,
        "the engine chose the colours"
    );
    table
        .reply(
            Seat(0),
            Reply::Act(Action::Draw {
                colour: Colour::Light,
            }),
        )
        .unwrap();
    table.reply(Seat(0), Reply::Late).unwrap();
    let tail = &table.events()[table.events().len() - 2..];
    assert_eq!(tail[0], Event::Late { seat: Seat(0) });
    assert!(matches!(
        tail[1],
        Event::Inserted {
            seat: Seat(0),
            standing: false,
            ..
        }
    ));
    assert_eq!(table.to_act().only(), Some(Seat(1)), "the turn is over");
    table.reply(Seat(1), Reply::Late).unwrap();
    assert!(
        matches!(
            table.events().last(),
            Some(Event::Drew { seat: Seat(1), .. })
        ),
        "the engine chose the colour"
    );
    table.reply(Seat(1), Reply::Late).unwrap();
    let verdict = table.verdict().unwrap();
    assert_eq!(
        verdict.faults[Seat(1)].as_ref().unwrap().cause(),
        Cause::Time
    );
    assert_eq!(verdict.outcome.seats[Seat(0)].place, 1);
}

#[test]
fn the_others_play_on_when_one_of_three_forfeits() {
    let mut table = table(3, 2, 4);
    let mut left = false;
    while !table.is_over() {
        for seat in table.to_act() {
            let prompt = table.prompt(seat);
            let reply = if seat == Seat(0) && attack(&prompt).is_some() && !left {
                left = true;
                Reply::Failed(Fault::left())
            } else if attack(&prompt).is_some() {
                Reply::Act(attacks(&table, &prompt, true))
            } else {
                Reply::Act(table.game().sample(seat, &mut seed(1).stream("rest", 0)))
            };
            table.reply(seat, reply).unwrap();
        }
    }
    let verdict = table.verdict().unwrap();
    assert_eq!(verdict.ended, Ended::Played);
    let places: Vec<u8> = verdict
        .outcome
        .seats
        .iter()
        .map(|score| score.place)
        .collect();
    assert_eq!(places[0], 3);
    // Seat 1 wins round 1 and attacks next. It also begins round 2, which is played by two seats.
    let wins: Vec<i32> = verdict
        .outcome
        .seats
        .iter()
        .map(|score| score.breakdown.get("round_wins"))
        .collect();
    assert_eq!(wins, [0, 2, 0]);
    assert_eq!(
        verdict.outcome.seats[Seat(1)].breakdown.get("exposures"),
        2,
        "nobody scores for the code of a forfeit"
    );
}

#[test]
fn dashes_stand_where_their_owner_wants_them_and_stay() {
    let mut placing = 0;
    for number in 0..200 {
        let mut table = advanced(2, number);
        for seat in table.to_act() {
            table
                .reply(seat, Reply::Act(Action::SetUp { dark: 2 }))
                .unwrap();
        }
        for seat in table.to_act() {
            let Choice::PlaceDashes { dark, light } = table.prompt(seat).0[0].clone() else {
                break;
            };
            placing += 1;
            // The first dash has 3 places around two numbers and the second has 4, so all 12 arrangements occur. A single dash has 4
            // places.
            match (dark, light) {
                (Some(dark), Some(light)) => assert_eq!((dark.len(), light.len()), (3, 4)),
                (Some(one), None) | (None, Some(one)) => assert_eq!(one.len(), 4),
                (None, None) => panic!("nothing to place"),
            }
            let action = Action::PlaceDashes {
                dark: dark.map(|_| 1),
                light: light.map(|_| 0),
            };
            table.reply(seat, Reply::Act(action)).unwrap();
            let first = table.events().iter().find_map(|event| match event {
                Event::SetUp { seat: owner, code } if *owner == seat => Some(code.clone()),
                _ => None,
            });
            let Some(first) = first else { continue };
            let at = |colour| {
                first.iter().position(|panel| {
                    *panel
                        == Shown {
                            colour,
                            face: Some(Face::DASH),
                        }
                })
            };
            assert_eq!(at(Colour::Light), light.map(|_| 0));
            assert_eq!(
                at(Colour::Dark),
                dark.map(|_| if light.is_some() { 2 } else { 1 })
            );
        }
    }
    assert!(placing > 50, "{placing} seats took dashes");
}

#[test]
fn a_number_beside_a_dash_may_stand_on_either_side_of_it() {
    let panel = |text: &str| text.parse::<Panel>().unwrap();
    let row = |panels: &[&str]| Row::standing(panels.iter().map(|text| panel(text)).collect());
    let places = |panels: &[&str], drawn: &str| {
        row(panels)
            .places(panel(drawn))
            .into_iter()
            .collect::<Vec<u8>>()
    };
    assert_eq!(places(&["D1", "L4", "D7"], "D4"), [1]);
    assert_eq!(places(&["D1", "L4", "D7"], "L7"), [3]);
    assert_eq!(places(&["D1", "D-", "L4"], "D3"), [1, 2]);
    assert_eq!(places(&["D-", "L-", "L4"], "D3"), [0, 1, 2]);
    assert_eq!(places(&["D1", "L4", "L-"], "D3"), [1]);
    assert_eq!(places(&["D1", "L4", "L-"], "D9"), [2, 3]);
    assert_eq!(places(&["D1", "L4"], "D-"), [0, 1, 2]);
}

#[test]
fn only_dash_hits_a_dash_and_it_is_worth_nothing() {
    let mut named = 0;
    for number in 0..100 {
        let mut table = advanced(2, number);
        // Every attack names a dash.
        play_on(&mut table, |_, _, prompt| {
            let (seat, positions) = attack(prompt).unwrap();
            Action::Attack {
                seat,
                position: positions.first().unwrap(),
                face: Face::DASH,
            }
        });
        for event in table.events() {
            if let Event::Attacked {
                target, panel, hit, ..
            } = event
            {
                assert!(panel.is_dash());
                assert!(
                    !hit || code(&table, *target)
                        .iter()
                        .any(|(other, standing)| other == panel && !standing)
                );
                named += usize::from(*hit);
            }
        }
        let winner = table
            .verdict()
            .unwrap()
            .outcome
            .seats
            .seats()
            .find(|(_, score)| score.place == 1)
            .unwrap()
            .0;
        let numbers = code(&table, winner)
            .into_iter()
            .filter(|(panel, standing)| *standing && !panel.is_dash());
        let bonus: i32 = numbers
            .map(|(panel, _)| panel.to_string()[1..].parse::<i32>().unwrap())
            .sum();
        assert_eq!(
            table.verdict().unwrap().outcome.seats[winner]
                .breakdown
                .get("bonus"),
            bonus
        );
    }
    assert!(named > 20, "{named} dashes were hit");
}

#[test]
fn a_late_owner_places_nothing_but_shows_the_panel() {
    let placing = |choice: &Choice| matches!(choice, Choice::Place { .. });
    for number in 0..300 {
        let mut table = advanced(2, number);
        let mut chance = seed(number).stream("moves", 0);
        while !table.is_over() {
            let seat = table.to_act().first().unwrap();
            let prompt = table.prompt(seat);
            if prompt.0.iter().any(placing)
                && matches!(table.events().last(), Some(Event::Stopped { .. }))
            {
                table.reply(seat, Reply::Late).unwrap();
                let last = table
                    .events()
                    .iter()
                    .rev()
                    .find(|event| matches!(event, Event::Inserted { .. }))
                    .unwrap();
                assert!(
                    matches!(
                        last,
                        Event::Inserted {
                            standing: false,
                            ..
                        }
                    ),
                    "{last:?}"
                );
                return;
            }
            let action = table.game().sample(seat, &mut chance);
            table.reply(seat, Reply::Act(action)).unwrap();
        }
    }
    panic!("nobody had to place a standing panel");
}

#[test]
fn two_that_fail_at_once_share_the_last_place() {
    let mut table = table(2, 1, 4);
    for seat in table.to_act() {
        let fault = Fault::left();
        table.reply(seat, Reply::Failed(fault)).unwrap();
    }
    assert_eq!(scores(&table), [(1, 0, [0; 4]), (1, 0, [0; 4])]);
    assert!(table.verdict().unwrap().faults.iter().all(Option::is_some));
}

/// Replaces every face in the event that is hidden from the seat.
fn scrambled(event: &Event, hidden_from: Seat) -> Event {
    let rotated = |face: Face| {
        if face == Face::DASH {
            3
        } else {
            ((face.value() + 5) % 12) as u8
        }
    };
    let other = |shown: &Shown| Shown {
        face: shown.face.map(|face| Face::number(rotated(face)).unwrap()),
        ..*shown
    };
    match event.clone() {
        Event::Took { seat, panels } if seat != hidden_from => Event::Took {
            seat,
            panels: panels.iter().map(other).collect(),
        },
        Event::SetUp { seat, code } if seat != hidden_from => Event::SetUp {
            seat,
            code: code.iter().map(other).collect(),
        },
        Event::Drew { seat, panel } if seat != hidden_from => Event::Drew {
            seat,
            panel: other(&panel),
        },
        Event::Inserted {
            seat,
            position,
            panel,
            standing: true,
        } if seat != hidden_from => Event::Inserted {
            seat,
            position,
            panel: other(&panel),
            standing: true,
        },
        event => event,
    }
}

#[test]
fn hidden_faces_do_not_show_in_what_others_are_told() {
    for number in 0..50 {
        let mut table = if number % 2 == 0 {
            table(4, 1, number)
        } else {
            advanced(4, number)
        };
        let mut chance = seed(number).stream("moves", 0);
        play_on(&mut table, |table, seat, _| {
            table.game().sample(seat, &mut chance)
        });
        for seat in Seat::all(4) {
            for event in table.events() {
                let line =
                    |event: &Event| serde_json::to_string(&Coda::seen_by(event, seat)).unwrap();
                assert_eq!(line(event), line(&scrambled(event, seat)));
            }
        }
    }
}

/// Compares the example with the view of a seat; `ARENA_BLESS=1 cargo test -p arena-engine coda` rewrites it.
#[test]
fn the_view_on_the_rules_page_is_what_a_seat_sees() {
    let mut table = table(2, 1, 29);
    for seat in table.to_act() {
        table
            .reply(seat, Reply::Act(Action::SetUp { dark: 2 }))
            .unwrap();
    }
    table
        .reply(
            Seat(0),
            Reply::Act(Action::Draw {
                colour: Colour::Dark,
            }),
        )
        .unwrap();
    let mut view = View::new(&table.record().rules.clone(), 2, Seat(0));
    table.new_events(Seat(0)).for_each(|event| view.see(&event));
    let json = serde_json::to_string(&view).unwrap();
    let file = file("coda", "rules.md");
    arena_golden::check_part(file, ["```json\n", "\n```"], &json);
}

/// Compares whole games, told in sentences, with golden files; `ARENA_BLESS=1 cargo test -p arena-engine coda` rewrites them.
#[test]
fn the_table_is_drawn_when_a_round_ends() {
    let mut table = table(2, 1, 3);
    play_on(&mut table, |table, _, prompt| attacks(table, prompt, true));
    let names = BySeat::new(2, |seat| ["ann", "bo"][seat.index()].to_owned());
    let mut view = View::new(&Rules::default(), 2, Seat(1));
    table.events().iter().for_each(|event| view.see(event));
    let drawn = Coda::drawn(table.events().last().unwrap(), &view, &names).unwrap();
    assert_eq!(
        drawn,
        "    ann  |D1|  |D3|  |D5|  |L7| |L11|\n    bo    L0    D2    L4    D6\n    (panels in bars still stand)\n"
    );
    assert_eq!(Coda::drawn(&table.events()[0], &view, &names), None);
}

#[test]
fn golden_playthroughs() {
    let standard = [(2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2)].map(|game| (game, ""));
    let with_dashes = [(2, 3), (3, 3), (4, 3)].map(|game| (game, "dashes-"));
    for ((seats, number), variant) in standard.into_iter().chain(with_dashes) {
        let mut table = if variant.is_empty() {
            table(seats, 1, number)
        } else {
            advanced(seats, number)
        };
        let mut chance = seed(number).stream("moves", 0);
        play_on(&mut table, |table, seat, prompt| {
            // Half the attacks hit, so that every kind of event occurs.
            match chance.below(4) {
                0 | 1 if attack(prompt).is_some() => attacks(table, prompt, true),
                _ => table.game().sample(seat, &mut chance),
            }
        });
        let names = BySeat::new(seats, |seat| {
            ["Ada", "Bob", "Cleo", "Dan"][seat.index()].to_owned()
        });
        let mut text: Vec<String> = table
            .events()
            .iter()
            .map(|event| Coda::describe(event, &names))
            .collect();
        let result =
            scores(&table)
                .into_iter()
                .enumerate()
                .map(|(seat, (place, points, counts))| {
                    format!(
                        "{}: place {place}, {points} points {counts:?}",
                        names[Seat(seat as u8)]
                    )
                });
        text.extend(result);
        let text = text.join("\n") + "\n";
        let file = file("coda", &format!("golden/{variant}{seats}-{number}.txt"));
        arena_golden::check(file, &text);
    }
}
