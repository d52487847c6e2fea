//! Tests of the course of play: turns, declarations, replays, masters, forfeits.

use crate::fault::{Cause, Fault};
use crate::game::{Game, Rules as _};
use crate::games::digit_code::question::{Kind, Parity};
use crate::games::digit_code::types::{Choice, Master, Prompt};
use crate::outcome::Ended;

use super::*;

fn games(table: &Match<DigitCode>) -> Vec<(u8, u8, Option<u8>)> {
    let started = table.events().iter().filter_map(|event| match event {
        Event::GameStarted {
            game,
            first,
            master,
        } => Some((*game, first.0, master.map(|seat| seat.0))),
        _ => None,
    });
    started.collect()
}

#[test]
fn two_hide_a_code_each_at_once() {
    let mut table = table(&Rules::default(), 2);
    assert_eq!(table.to_act(), Seat::all(2));
    act(
        &mut table,
        1,
        Action::Hide {
            code: code("204817"),
        },
    );
    assert_eq!(
        table.events().len(),
        1,
        "nothing is shown before both have hidden a code"
    );
    act(
        &mut table,
        0,
        Action::Hide {
            code: code("012345"),
        },
    );
    let hid = |seat, text| Event::Hid {
        seat: Some(Seat(seat)),
        code: Some(code(text)),
    };
    assert_eq!(table.events()[1..], [hid(0, "012345"), hid(1, "204817")]);
    assert_eq!(acting(&table), 0);
}

fn kinds(prompt: &Prompt) -> Vec<Option<Kind>> {
    prompt.0.iter().map(Choice::kind).collect()
}

#[test]
fn the_first_turn_of_two_takes_all_four_kinds_in_any_order() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    let all = Kind::ALL.map(Some);
    assert_eq!(
        kinds(&table.prompt(Seat(0))),
        all,
        "no declaration in the first turn"
    );
    for (question, left) in [
        (PLACE, &all[..3]),
        (PARITY, &[all[0], all[2]]),
        (LINE, &[all[2]]),
    ] {
        act(&mut table, 0, question);
        assert_eq!(kinds(&table.prompt(Seat(0))), left);
    }
    act(&mut table, 0, LARGER);
    // The questions were about the code 204817: row P crosses the digits 8 1 7, digit W is 8, U and V are 0 and 4, and the place F M lies
    // in the 0.
    let expected = [
        Event::AskedPlace {
            seat: Seat(0),
            column: Line::F,
            row: Line::M,
            filled: true,
        },
        Event::AskedParity {
            seat: Seat(0),
            digit: Digit::W,
            parity: Parity::Even,
        },
        Event::AskedLine {
            seat: Seat(0),
            line: Line::P,
            filled: 4,
        },
        Event::AskedLarger {
            seat: Seat(0),
            pair: Pair::UV,
            larger: Digit::V,
        },
    ];
    assert_eq!(table.events()[3..], expected);
    assert_eq!(acting(&table), 1);
    assert_eq!(kinds(&table.prompt(Seat(1))), all);
    [LARGER, PLACE, LINE, PARITY]
        .into_iter()
        .for_each(|question| act(&mut table, 1, question));
    // After its first turn, a seat asks one question of any kind or declares.
    assert_eq!(kinds(&table.prompt(Seat(0))), [&all[..], &[None]].concat());
    act(&mut table, 0, LINE);
    assert_eq!(acting(&table), 1);
    declare(&mut table, 1, "987654");
    assert_eq!(acting(&table), 0);
}

#[test]
fn a_kind_that_was_asked_in_the_first_turn_is_illegal() {
    let why = |actions: &[Action]| {
        let mut table = two(&Rules::default(), ["012345", "204817"]);
        actions
            .iter()
            .for_each(|action| act(&mut table, 0, *action));
        let verdict = table.verdict().unwrap();
        assert_eq!(
            (verdict.ended, scores(&table)),
            (Ended::Forfeit, vec![(2, 0), (1, 1)])
        );
        let fault = verdict.faults[Seat(0)].clone().unwrap();
        assert_eq!(fault.cause(), Cause::Illegal);
        fault.to_string()
    };
    assert_eq!(
        why(&[LINE, LINE]),
        "ask_line is not legal now: choose ask_parity or ask_larger or ask_place"
    );
    assert_eq!(
        why(&[Action::Declare {
            code: code("204817")
        }]),
        "declare is not legal now: choose ask_line or ask_parity or ask_larger or ask_place"
    );
    assert_eq!(
        why(&[Action::AskPlace {
            column: Line::M,
            row: Line::F
        }]),
        "column = M is not legal here; choose one of A, B, C, D, E, F, G, H, I"
    );
    assert_eq!(
        why(&[Action::AskPlace {
            column: Line::F,
            row: Line::F
        }]),
        "row = F is not legal here; choose one of J, K, L, M, N, O, P, Q, R, S"
    );
}

#[test]
fn the_second_seat_wins_at_once() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    first_turns(&mut table);
    act(&mut table, 0, LINE);
    declare(&mut table, 1, "012345");
    assert_eq!(scores(&table), [(2, 0), (1, 1)]);
    let end = [
        Event::Revealed {
            seat: Some(Seat(0)),
            code: code("012345"),
        },
        Event::Revealed {
            seat: Some(Seat(1)),
            code: code("204817"),
        },
        Event::GameEnded {
            winner: Some(Seat(1)),
        },
    ];
    assert!(table.events().ends_with(&end));
}

#[test]
fn when_the_first_seat_is_right_the_second_has_one_last_declaration() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    first_turns(&mut table);
    declare(&mut table, 0, "204817");
    assert_eq!(
        (acting(&table), kinds(&table.prompt(Seat(1)))),
        (1, vec![None]),
        "it may not ask any more"
    );
    declare(&mut table, 1, "987654");
    assert_eq!(scores(&table), [(1, 1), (2, 0)]);
}

#[test]
fn when_both_are_right_the_game_is_played_again_with_new_codes() {
    let both_solve = |table: &mut Match<DigitCode>| {
        first_turns(table);
        for _ in 0..2 {
            let seat = acting(table);
            let code = secret(table, Seat(seat));
            act(table, seat, Action::Declare { code });
        }
    };
    let mut table = two(
        &Rules {
            replays: 2,
            ..Rules::default()
        },
        ["012345", "204817"],
    );
    both_solve(&mut table);
    hide(&mut table, ["543210", "987654"]);
    assert_eq!(acting(&table), 1, "the other seat begins");
    both_solve(&mut table);
    hide(&mut table, ["123456", "654321"]);
    assert_eq!(acting(&table), 0);
    both_solve(&mut table);
    assert_eq!(games(&table), [(1, 0, None), (2, 1, None), (3, 0, None)]);
    assert_eq!(
        scores(&table),
        [(1, 0), (1, 0)],
        "after two replays it is a draw"
    );

    let mut table = two(
        &Rules {
            replays: 1,
            ..Rules::default()
        },
        ["012345", "204817"],
    );
    both_solve(&mut table);
    hide(&mut table, ["543210", "987654"]);
    first_turns(&mut table);
    declare(&mut table, 1, "102938");
    declare(&mut table, 0, "987654");
    assert_eq!(
        scores(&table),
        [(1, 1), (2, 0)],
        "seat 0 has the second turn of game 2 and wins at once"
    );
}

#[test]
fn the_second_wrong_declaration_of_two_loses_at_once() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    first_turns(&mut table);
    declare(&mut table, 0, "987654");
    act(&mut table, 1, LINE);
    declare(&mut table, 0, "987654");
    assert!(
        table
            .events()
            .contains(&Event::Eliminated { seat: Seat(0) })
    );
    assert_eq!(scores(&table), [(2, 0), (1, 1)]);
    assert_eq!(table.verdict().unwrap().ended, Ended::Played);
}

#[test]
fn a_last_chance_can_be_the_second_wrong_declaration() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    first_turns(&mut table);
    act(&mut table, 0, LINE);
    declare(&mut table, 1, "987654");
    declare(&mut table, 0, "204817");
    declare(&mut table, 1, "987654");
    assert!(
        table
            .events()
            .contains(&Event::Eliminated { seat: Seat(1) }),
        "it is shown as any other"
    );
    assert_eq!(scores(&table), [(1, 1), (2, 0)]);
}

#[test]
fn wrong_declarations_are_forgotten_in_a_replay() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    first_turns(&mut table);
    declare(&mut table, 0, "987654");
    act(&mut table, 1, LINE);
    declare(&mut table, 0, "204817");
    declare(&mut table, 1, "012345");
    hide(&mut table, ["012345", "204817"]);
    first_turns(&mut table);
    act(&mut table, 1, LINE);
    declare(&mut table, 0, "987654");
    assert!(!table.is_over());
}

#[test]
fn nobody_wins_when_the_turns_are_used_up() {
    let mut table = two(
        &Rules {
            turn_limit: 3,
            ..Rules::default()
        },
        ["012345", "204817"],
    );
    first_turns(&mut table);
    for seat in [0, 1, 0, 1] {
        assert!(!table.is_over());
        act(&mut table, seat, LINE);
    }
    assert_eq!(scores(&table), [(1, 0), (1, 0)]);
    assert_eq!(
        games(&table).len(),
        1,
        "only a game that both have solved is played again"
    );

    let mut table = two(
        &Rules {
            turn_limit: 2,
            ..Rules::default()
        },
        ["012345", "204817"],
    );
    first_turns(&mut table);
    declare(&mut table, 0, "204817");
    assert_eq!(acting(&table), 1);
    declare(&mut table, 1, "987654");
    assert_eq!(scores(&table), [(1, 1), (2, 0)]);
}

#[test]
fn three_ask_one_question_each_in_the_first_round() {
    let mut table = table(&Rules::default(), 3);
    let all = Kind::ALL.map(Some);
    for seat in 0..3 {
        assert_eq!(
            (acting(&table), kinds(&table.prompt(Seat(seat)))),
            (seat, all.to_vec())
        );
        act(&mut table, seat, LARGER);
    }
    assert_eq!(kinds(&table.prompt(Seat(0))), [&all[..], &[None]].concat());
    // All seats see every answer and every declaration.
    declare(&mut table, 0, "987654");
    for event in &table.events()[2..] {
        assert!(
            Seat::all(3)
                .into_iter()
                .all(|seat| DigitCode::seen_by(event, seat) == *event)
        );
    }
    let right = secret(&table, Seat(1));
    act(&mut table, 1, Action::Declare { code: right });
    assert_eq!(
        scores(&table),
        [(2, 0), (1, 1), (2, 0)],
        "the first who is right wins, without a last chance"
    );
}

#[test]
fn two_wrong_declarations_put_a_seat_of_three_out() {
    let mut table = table(&Rules::default(), 3);
    (0..3).for_each(|seat| act(&mut table, seat, LINE));
    let wrong = if secret(&table, Seat(0)) == code("987654") {
        "123456"
    } else {
        "987654"
    };
    declare(&mut table, 0, wrong);
    act(&mut table, 1, LINE);
    act(&mut table, 2, LINE);
    declare(&mut table, 0, wrong);
    assert_eq!(
        *table.events().last().unwrap(),
        Event::Eliminated { seat: Seat(0) }
    );
    for seat in [1, 2, 1] {
        declare(&mut table, seat, wrong);
    }
    assert_eq!(acting(&table), 2, "the last seat goes on alone");
    act(&mut table, 2, LINE);
    declare(&mut table, 2, wrong);
    assert_eq!(
        scores(&table),
        [(1, 0), (1, 0), (1, 0)],
        "all are out: nobody wins"
    );
    assert!(table.events().ends_with(&[
        Event::Eliminated { seat: Seat(2) },
        Event::Revealed {
            seat: None,
            code: secret(&table, Seat(0))
        },
        Event::GameEnded { winner: None },
    ]));
}

#[test]
fn each_seat_is_the_master_once_if_the_rules_say_so() {
    let rules = Rules {
        master: Master::Seats,
        ..Rules::default()
    };
    let mut table = table(&rules, 4);
    for game in 0..4 {
        assert_eq!(acting(&table), game, "the master hides a code");
        assert_eq!(kinds(&table.prompt(Seat(game))), [None]);
        act(
            &mut table,
            game,
            Action::Hide {
                code: code("204817"),
            },
        );
        for _ in 0..3 {
            let seat = acting(&table);
            assert_ne!(seat, game, "the master does not solve");
            act(&mut table, seat, LINE);
        }
        // Seat 0 wins every game, except the first, in which it is the master and seat 3 wins.
        let winner = if game == 0 { 3 } else { 0 };
        while acting(&table) != winner {
            let seat = acting(&table);
            act(&mut table, seat, LINE);
        }
        declare(&mut table, winner, "204817");
    }
    assert_eq!(
        games(&table),
        [
            (1, 1, Some(0)),
            (2, 2, Some(1)),
            (3, 3, Some(2)),
            (4, 0, Some(3))
        ]
    );
    assert_eq!(scores(&table), [(1, 3), (3, 0), (3, 0), (2, 1)]);
}

fn left() -> Reply<Action> {
    Reply::Failed(Fault::left())
}

#[test]
fn a_late_seat_of_two_forfeits_and_the_other_wins() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    table.reply(Seat(0), Reply::Late).unwrap();
    assert_eq!(scores(&table), [(2, 0), (1, 1)]);
    let verdict = table.verdict().unwrap();
    assert_eq!(
        (
            verdict.ended,
            verdict.faults[Seat(0)].as_ref().unwrap().cause()
        ),
        (Ended::Forfeit, Cause::Time)
    );

    // A second wrong declaration in the last chance has the same result: the first seat's declaration stands.
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    first_turns(&mut table);
    declare(&mut table, 0, "204817");
    table.reply(Seat(1), Reply::Late).unwrap();
    assert_eq!(scores(&table), [(1, 1), (2, 0)]);
}

#[test]
fn seats_that_fail_to_hide_a_code_forfeit() {
    let mut table = table(&Rules::default(), 2);
    table.reply(Seat(1), left()).unwrap();
    act(
        &mut table,
        0,
        Action::Hide {
            code: code("012345"),
        },
    );
    assert_eq!(scores(&table), [(1, 1), (2, 0)]);

    let mut table = self::table(&Rules::default(), 2);
    Seat::all(2)
        .into_iter()
        .for_each(|seat| table.reply(seat, left()).unwrap());
    assert_eq!(scores(&table), [(1, 0), (1, 0)]);

    // The current master's game is dropped, and the next master's game begins.
    let mut table = self::table(
        &Rules {
            master: Master::Seats,
            ..Rules::default()
        },
        3,
    );
    table.reply(Seat(0), left()).unwrap();
    assert_eq!(games(&table), [(1, 1, Some(0)), (2, 2, Some(1))]);
    act(
        &mut table,
        1,
        Action::Hide {
            code: code("012345"),
        },
    );
    // Two seats are left: one hides and one solves.
    act(&mut table, 2, LINE);
    declare(&mut table, 2, "012345");
    act(
        &mut table,
        2,
        Action::Hide {
            code: code("204817"),
        },
    );
    act(&mut table, 1, LINE);
    table.reply(Seat(1), left()).unwrap();
    // Only seat 2 is left, but it was the master, so it has not won that game.
    assert_eq!(scores(&table), [(3, 0), (2, 0), (1, 1)]);
}

#[test]
fn the_others_play_on_when_one_of_three_forfeits() {
    let mut table = table(&Rules::default(), 3);
    act(&mut table, 0, LINE);
    table.reply(Seat(1), Reply::Late).unwrap();
    assert_eq!(acting(&table), 2);
    act(&mut table, 2, LINE);
    assert_eq!(acting(&table), 0);
    act(&mut table, 0, LINE);
    table.reply(Seat(2), Reply::Late).unwrap();
    // The last remaining seat wins. Seats that forfeit later are placed higher.
    assert_eq!(scores(&table), [(1, 1), (3, 0), (2, 0)]);
}

#[test]
fn a_seat_that_is_out_does_not_win_by_the_forfeits_of_the_others() {
    let mut table = table(&Rules::default(), 3);
    (0..3).for_each(|seat| act(&mut table, seat, LINE));
    let wrong = if secret(&table, Seat(0)) == code("987654") {
        "123456"
    } else {
        "987654"
    };
    declare(&mut table, 0, wrong);
    act(&mut table, 1, LINE);
    act(&mut table, 2, LINE);
    declare(&mut table, 0, wrong);
    table.reply(Seat(1), left()).unwrap();
    assert_eq!(
        acting(&table),
        2,
        "seat 0 is out but has not forfeited, so seat 2 plays on"
    );
    table.reply(Seat(2), left()).unwrap();
    assert_eq!(scores(&table), [(1, 0), (3, 0), (2, 0)]);
    assert_eq!(
        *table.events().last().unwrap(),
        Event::GameEnded { winner: None }
    );
}

#[test]
fn rules_out_of_range_are_refused() {
    let why = |rules: &str, seats| {
        serde_json::from_str::<Rules>(rules)
            .unwrap()
            .check(seats)
            .unwrap_err()
    };
    assert_eq!(
        why(r#"{"turn_limit":1}"#, 2),
        "turn_limit must be 2 to 1000, not 1"
    );
    assert_eq!(
        why(r#"{"replays":21}"#, 2),
        "replays must be 0 to 20, not 21"
    );
    assert!(why(r#"{"master":"seats"}"#, 2).contains("needs three seats"));
    assert_eq!(
        serde_json::from_str::<Rules>(r#"{"master":"seats"}"#)
            .unwrap()
            .check(3),
        Ok(())
    );
    assert!(serde_json::from_str::<Rules>(r#"{"rounds":3}"#).is_err());
}
