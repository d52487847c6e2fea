//! Tests of turns, points, the piles, and failing seats.

use std::collections::BTreeSet;

use crate::fault::Cause;
use crate::game::{Game, View as _};
use crate::games::code_777::card::{Card, Cards, Rack};
use crate::games::code_777::question::Question;
use crate::games::code_777::types::{Action, Claim, Event, Rules};
use crate::games::code_777::view::View;
use crate::outcome::Ended;
use crate::record::Reply;
use crate::seat::Seat;
use crate::set::Set;

use super::{PASS, answerers, declare, failed, points, racks, right, seed, table, window, wrong};

#[test]
fn answers_are_what_the_asked_seat_sees_without_its_own_rack() {
    for (seats, dummy_racks) in [
        (2, false),
        (2, true),
        (3, false),
        (3, true),
        (4, false),
        (4, true),
    ] {
        for number in 0..20 {
            let rules = Rules {
                dummy_racks,
                questions: 40,
                ..Rules::default()
            };
            let mut table = table(&rules, seats, number);
            let mut chance = seed(number).stream("moves", 0);
            while !table.is_over() {
                let standing = racks(&table);
                let dummies = table.events().iter().filter_map(|event| match event {
                    Event::Dummy { rack } => Some(*rack),
                    _ => None,
                });
                let mut seen: Vec<Rack> = dummies.collect();
                assert_eq!(seen.len(), if dummy_racks { 4 - seats } else { 0 });
                let Some(Event::Answered {
                    seat,
                    question,
                    answer,
                }) = table.events().last().copied()
                else {
                    panic!("a question comes before every window");
                };
                seen.extend(
                    (0..seats)
                        .filter(|other| *other != seat.index())
                        .filter_map(|other| standing[other]),
                );
                assert!(
                    !dummy_racks || seen.len() == 3,
                    "everybody sees three racks"
                );
                assert_eq!(question.answer(&seen), answer);
                window(&mut table, |table, seat| {
                    Reply::Act(table.game().sample(seat, &mut chance))
                });
            }
        }
    }
}

#[test]
fn seats_are_asked_in_turn_beginning_with_seat_0_whoever_declares() {
    let mut table = table(
        &Rules {
            points: 20,
            ..Rules::default()
        },
        3,
        1,
    );
    for declaring in [&[][..], &[1], &[0, 2], &[], &[0, 1, 2], &[]] {
        declare(&mut table, declaring);
    }
    assert_eq!(answerers(&table), [0, 1, 2, 0, 1, 2, 0]);
}

#[test]
fn all_seats_are_asked_after_every_question() {
    let mut table = table(&Rules::default(), 4, 1);
    for _ in 0..5 {
        assert_eq!(table.to_act(), Seat::all(4));
        declare(&mut table, &[]);
    }
}

#[test]
fn each_question_comes_once_before_they_are_shuffled_again() {
    let mut table = table(
        &Rules {
            questions: 60,
            ..Rules::default()
        },
        2,
        3,
    );
    while !table.is_over() {
        declare(&mut table, &[]);
    }
    let mut passes = vec![Vec::new()];
    for event in table.events() {
        match event {
            Event::Answered { question, .. } => passes.last_mut().unwrap().push(*question),
            Event::QuestionsReshuffled {} => passes.push(Vec::new()),
            _ => {}
        }
    }
    let lengths: Vec<usize> = passes.iter().map(Vec::len).collect();
    assert_eq!(lengths, [23, 23, 14]);
    for pass in &passes[..2] {
        assert_eq!(
            pass.iter().copied().collect::<BTreeSet<_>>(),
            Question::all().collect()
        );
    }
    assert_ne!(passes[0], passes[1]);
    assert_eq!(
        points(&table),
        [(1, 0), (1, 0)],
        "nobody ever declared: a draw"
    );
}

#[test]
fn questions_do_not_depend_on_what_the_seats_do() {
    let questions = |declaring: &[u8]| {
        let mut table = table(
            &Rules {
                points: 20,
                questions: 19,
                ..Rules::default()
            },
            3,
            5,
        );
        while !table.is_over() {
            declare(&mut table, declaring);
        }
        let questions = table.events().iter().filter_map(|event| match event {
            Event::Answered { question, .. } => Some(*question),
            _ => None,
        });
        questions.collect::<Vec<_>>()
    };
    assert_eq!(questions(&[]), questions(&[0]));
    assert_eq!(questions(&[]), questions(&[1, 2]));
}

#[test]
fn right_or_wrong_the_rack_is_shown_to_all_and_replaced_by_other_cards() {
    for number in 0..200 {
        let mut table = table(
            &Rules {
                points: 20,
                ..Rules::default()
            },
            2,
            number,
        );
        let old = racks(&table)[0].unwrap();
        let declares_right = number % 2 == 0;
        let action = if declares_right {
            right(&table, Seat(0))
        } else {
            wrong()
        };
        table.new_events(Seat(0)).for_each(drop);
        window(&mut table, |_, seat| {
            Reply::Act(if seat.0 == 0 { action } else { PASS })
        });
        let new = racks(&table)[0].unwrap();
        assert!(
            Cards::full().without(&old).unwrap().without(&new).is_some(),
            "{old} then {new}"
        );
        let events: Vec<Event> = table.new_events(Seat(0)).collect();
        let Action::Declare(claim) = action else {
            panic!()
        };
        assert_eq!(
            events[0],
            Event::Declared {
                seat: Seat(0),
                said: claim,
                rack: old,
                right: declares_right
            }
        );
        assert_eq!(
            events[1],
            Event::Dealt {
                seat: Seat(0),
                rack: None
            }
        );
        assert!(
            matches!(events[2], Event::Answered { seat: Seat(1), .. }),
            "play goes on with whose turn it is"
        );
    }
}

/// Follows the pile through the events: dealt cards leave it, and discards are kept apart.
#[test]
fn discards_are_shuffled_in_when_seven_cards_are_left() {
    for (seats, dummy_racks) in [(2, false), (2, true), (3, false), (3, true), (4, false)] {
        for number in 0..20 {
            let rules = Rules {
                points: 20,
                questions: 60,
                dummy_racks,
                ..Rules::default()
            };
            let mut table = table(&rules, seats, number);
            let mut view = View::new(&rules, seats, Seat(0));
            let mut chance = seed(number).stream("moves", 0);
            while !table.is_over() {
                window(&mut table, |table, seat| {
                    Reply::Act(table.game().sample(seat, &mut chance))
                });
            }
            let (mut pile, mut discards) = (Cards::full(), Vec::new());
            let mut reshuffles = 0;
            for (at, event) in table.events().iter().enumerate() {
                view.see(event);
                match event {
                    Event::Dealt {
                        rack: Some(rack), ..
                    }
                    | Event::Dummy { rack } => {
                        pile = pile
                            .without(rack)
                            .expect("cards are dealt from the pile only");
                    }
                    Event::Declared { rack, .. } => discards.push(*rack),
                    Event::Reshuffled { pile: now } => {
                        reshuffles += 1;
                        discards.drain(..).for_each(|rack| pile.add(&rack));
                        assert_eq!(left(&pile), *now);
                        assert_eq!(usize::from(*now), 28 - 3 * (seats + view.dummies.len()));
                    }
                    _ => {}
                }
                assert_eq!(view.pile, left(&pile));
                assert_eq!(view.discards.len(), discards.len() * 3);
                let next = table.events().get(at + 1);
                let dealt = matches!(event, Event::Dealt { .. });
                let reshuffled = matches!(next, Some(Event::Reshuffled { .. }));
                assert_eq!(dealt && left(&pile) == 7, reshuffled, "exactly then");
                assert!(left(&pile) > 7 || reshuffled);
            }
            assert!(reshuffles > 0);
        }
    }
}

fn left(pile: &Cards) -> u8 {
    Card::all().into_iter().map(|card| pile.count(card)).sum()
}

#[test]
fn three_points_win_even_out_of_turn() {
    let mut table = table(&Rules::default(), 3, 2);
    declare(&mut table, &[2]);
    declare(&mut table, &[2, 0]);
    assert!(!table.is_over());
    declare(&mut table, &[2]);
    assert_eq!(points(&table), [(2, 1), (3, 0), (1, 3)]);
    assert_eq!(table.verdict().unwrap().ended, Ended::Played);
    assert_eq!(
        table.events().last(),
        Some(&Event::Ended {
            best: Set::one(Seat(2))
        })
    );
    let deals = table
        .events()
        .iter()
        .filter(|event| matches!(event, Event::Dealt { .. }))
        .count();
    assert_eq!(deals, 3 + 3, "once it is over nobody gets new cards");
}

#[test]
fn who_reach_three_together_play_on_until_one_leads() {
    let mut table = table(&Rules::default(), 3, 2);
    for _ in 0..3 {
        declare(&mut table, &[0, 1]);
    }
    assert!(!table.is_over(), "3, 3, 0");
    declare(&mut table, &[2]);
    declare(&mut table, &[2]);
    declare(&mut table, &[2]);
    assert!(
        !table.is_over(),
        "3, 3, 3: three points are no longer enough"
    );
    declare(&mut table, &[1, 2]);
    assert!(!table.is_over(), "3, 4, 4");
    declare(&mut table, &[0, 1]);
    assert_eq!(points(&table), [(2, 4), (1, 5), (2, 4)]);
}

#[test]
fn declarations_of_one_window_are_judged_together_and_racks_renewed_by_seat() {
    let mut table = table(&Rules::default(), 4, 6);
    table.new_events(Seat(3)).for_each(drop);
    window(&mut table, |table, seat| {
        Reply::Act(match seat.0 {
            0 => wrong(),
            1 => PASS,
            _ => right(table, seat),
        })
    });
    let kinds: Vec<(char, u8)> = table
        .new_events(Seat(3))
        .filter_map(|event| match event {
            Event::Declared { seat, right, .. } => Some((if right { 'r' } else { 'w' }, seat.0)),
            Event::Dealt { seat, .. } => Some(('d', seat.0)),
            Event::Reshuffled { .. } => Some(('s', 0)),
            _ => None,
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ('w', 0),
            ('d', 0),
            ('r', 2),
            ('d', 2),
            ('r', 3),
            ('d', 3),
            ('s', 0)
        ]
    );
}

#[test]
fn the_most_points_win_when_the_questions_are_used_up() {
    let mut table = table(
        &Rules {
            questions: 3,
            ..Rules::default()
        },
        3,
        2,
    );
    declare(&mut table, &[1]);
    declare(&mut table, &[]);
    declare(&mut table, &[2, 1]);
    assert_eq!(answerers(&table), [0, 1, 2]);
    assert_eq!(points(&table), [(3, 0), (1, 2), (2, 1)]);
}

#[test]
fn who_is_late_forfeits_and_the_others_play_on() {
    let mut table = table(&Rules::default(), 3, 7);
    let before = racks(&table);
    // Seat 1 would answer next. The declaration of seat 0 in the same window still counts.
    window(&mut table, |table, seat| match seat.0 {
        0 => Reply::Act(right(table, seat)),
        1 => Reply::Late,
        _ => Reply::Act(PASS),
    });
    let at = |wanted: &Event| table.events().iter().position(|event| event == wanted);
    assert!(
        at(&Event::Withdrew {
            seat: Seat(1),
            rack: before[1].unwrap()
        })
        .is_some()
    );
    assert_eq!(answerers(&table), [0, 2]);
    assert_eq!(table.to_act(), [Seat(0), Seat(2)].into_iter().collect());
    let Some(Event::Answered {
        question, answer, ..
    }) = table.events().last().copied()
    else {
        panic!()
    };
    assert_eq!(
        question.answer(&[racks(&table)[0].unwrap()]),
        answer,
        "the rack of a forfeit is not seen any more"
    );
    declare(&mut table, &[0]);
    declare(&mut table, &[0]);
    assert_eq!(points(&table), [(1, 3), (3, 0), (2, 0)]);
    assert_eq!(table.fault(Seat(1)).unwrap().cause(), Cause::Time);
}

#[test]
fn who_forfeits_beside_the_winner_does_not_change_how_it_ended() {
    let mut table = table(
        &Rules {
            points: 1,
            ..Rules::default()
        },
        3,
        7,
    );
    window(&mut table, |table, seat| {
        if seat.0 == 0 {
            failed()
        } else {
            Reply::Act([right(table, seat), PASS][seat.index() - 1])
        }
    });
    assert_eq!(points(&table), [(3, 0), (1, 1), (2, 0)]);
    assert_eq!(table.verdict().unwrap().ended, Ended::Played);
}

#[test]
fn the_last_seat_that_plays_wins_whatever_the_points() {
    let mut table = table(&Rules::default(), 2, 7);
    declare(&mut table, &[0]);
    window(&mut table, |_, seat| {
        if seat.0 == 0 {
            failed()
        } else {
            Reply::Act(PASS)
        }
    });
    assert_eq!(points(&table), [(2, 1), (1, 0)]);
    assert_eq!(table.verdict().unwrap().ended, Ended::Forfeit);
    assert_eq!(
        table.events().last(),
        Some(&Event::Ended {
            best: Set::one(Seat(1))
        })
    );
}

#[test]
fn when_all_fail_at_once_they_share_the_last_place() {
    let mut table = table(&Rules::default(), 3, 7);
    window(&mut table, |_, _| failed());
    assert_eq!(points(&table), [(1, 0), (1, 0), (1, 0)]);
    assert_eq!(
        table.events().last(),
        Some(&Event::Ended { best: Set::EMPTY })
    );
}

#[test]
fn if_one_of_two_leaders_with_three_points_forfeits_the_other_has_won() {
    let mut table = table(&Rules::default(), 3, 2);
    for _ in 0..3 {
        declare(&mut table, &[0, 1]);
    }
    window(&mut table, |_, seat| {
        if seat.0 == 0 {
            failed()
        } else {
            Reply::Act(PASS)
        }
    });
    assert_eq!(points(&table), [(3, 3), (1, 3), (2, 0)]);
}

#[test]
fn an_illegal_declaration_forfeits() {
    let mut table = table(&Rules::default(), 2, 7);
    window(&mut table, |_, seat| {
        Reply::Act(if seat.0 == 0 {
            Action::Declare(Claim::Numbers([0, 1, 2]))
        } else {
            PASS
        })
    });
    assert_eq!(
        table.fault(Seat(0)).unwrap().to_string(),
        "number = 0 is not legal here; choose one of 1, 2, 3, 4, 5, 6, 7"
    );
    assert_eq!(points(&table), [(2, 0), (1, 0)]);
}
