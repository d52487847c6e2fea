//! Digit Code to the letter: the lattice, the corners of the rules, and whole games told in words.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use arena_engine::chance::{Chance, Seed};
use arena_engine::game::{Ask, Game, Rules as _};
use arena_engine::games::digit_code::DigitCode;
use arena_engine::games::digit_code::code::{Code, Digit, Line, Pair};
use arena_engine::games::digit_code::question::{Kind, Parity, Question};
use arena_engine::games::digit_code::view::View;
use arena_engine::games::digit_code::words::{Action, Choice, Event, Master, Prompt, Rules};
use arena_engine::machine::{Match, Reply};
use arena_engine::outcome::{Cause, Ended, Fault};
use arena_engine::seat::{BySeat, Seat};

fn seed(seed: u64) -> Seed {
    Seed::try_from(seed).unwrap()
}

fn code(text: &str) -> Code {
    text.parse().unwrap()
}

fn table(rules: &Rules, seats: usize) -> Match<DigitCode> {
    Match::new(rules, seats, seed(1)).unwrap()
}

/// Two seats that have hidden these codes.
fn two(rules: &Rules, codes: [&str; 2]) -> Match<DigitCode> {
    let mut table = table(rules, 2);
    hide(&mut table, codes);
    table
}

fn hide(table: &mut Match<DigitCode>, codes: [&str; 2]) {
    for (seat, hidden) in codes.into_iter().enumerate() {
        act(table, seat as u8, Action::Hide { code: code(hidden) });
    }
}

fn act(table: &mut Match<DigitCode>, seat: u8, action: Action) {
    table.reply(Seat(seat), Reply::Act(action)).unwrap();
}

/// The only seat that is asked now.
fn asked(table: &Match<DigitCode>) -> u8 {
    table.asked().only().unwrap().0
}

const LINE: Action = Action::AskLine { line: Line::P };
const PARITY: Action = Action::AskParity { digit: Digit::W };
const LARGER: Action = Action::AskLarger { pair: Pair::UV };
const PLACE: Action = Action::AskPlace { column: Line::F, row: Line::M };

/// The first turns: four questions from each of two seats.
fn first_turns(table: &mut Match<DigitCode>) {
    for _ in 0..2 {
        let seat = asked(table);
        [LINE, PARITY, LARGER, PLACE].into_iter().for_each(|question| act(table, seat, question));
    }
}

fn declare(table: &mut Match<DigitCode>, seat: u8, text: &str) {
    act(table, seat, Action::Declare { code: code(text) });
}

/// The place and the wins of every seat.
fn scores(table: &Match<DigitCode>) -> Vec<(u8, i32)> {
    let seats = &table.verdict().unwrap().outcome.seats;
    assert!(seats.iter().all(|score| score.points == score.breakdown.get("wins")));
    seats.iter().map(|score| (score.place, score.points)).collect()
}

/// The code that a seat has to solve in the game being played, from the true events.
fn secret(table: &Match<DigitCode>, solver: Seat) -> Code {
    let hidden = table.events().iter().rev().find_map(|event| match event {
        Event::Hid { seat, code } if *seat != Some(solver) => *code,
        _ => None,
    });
    hidden.unwrap()
}

fn games(table: &Match<DigitCode>) -> Vec<(u8, u8, Option<u8>)> {
    let started = table.events().iter().filter_map(|event| match event {
        Event::GameStarted { game, first, master } => Some((*game, first.0, master.map(|seat| seat.0))),
        _ => None,
    });
    started.collect()
}

/// The lattice of a code as text, row by row.
fn drawing(code: Code) -> Vec<String> {
    let rows = Line::rows().into_iter();
    let mark = |row| move |column| if code.is_filled(column, row) { '#' } else { '.' };
    rows.map(|row| Line::columns().into_iter().map(mark(row)).collect()).collect()
}

#[test]
fn the_digits_are_drawn_with_seven_segments() {
    let (above, below) = (
        [".#.....#.", "#.#..#..#", ".......#.", "#.#..##..", ".#.....#."],
        [".#.....#.", "..##.##..", ".#..#..#.", "..#..#..#", ".#.....#."],
    );
    assert_eq!(drawing(code("012345")), [above, below].concat());
    let below = [".#..#..#.", "#....##.#", ".#.....#.", "#.#..##.#", ".#.....#."];
    assert_eq!(drawing(code("678123"))[..5], below);
    assert_eq!(drawing(code("904123"))[..5], [".#..#....", "#.##.##.#", ".#.....#.", "..##.#..#", ".#..#...."]);
}

#[test]
fn a_line_counts_what_is_drawn_on_it() {
    for hidden in Code::all().step_by(997) {
        let drawn = drawing(hidden);
        for (at, row) in Line::rows().into_iter().enumerate() {
            assert_eq!(usize::from(hidden.filled(row)), drawn[at].matches('#').count());
        }
        for (at, column) in Line::columns().into_iter().enumerate() {
            let count = drawn.iter().filter(|row| row.as_bytes()[at] == b'#').count();
            assert_eq!(usize::from(hidden.filled(column)), count);
        }
    }
}

#[test]
fn there_are_465_120_legal_codes() {
    assert_eq!(Code::all().count(), 465_120);
    assert!(Code::all().is_sorted_by(|low, high| low < high));
    let why = |text: &str| text.parse::<Code>().unwrap_err().to_string();
    assert_eq!(why("11223"), "\"11223\" is not a code: that is a text of six digits, such as \"204817\"");
    assert_eq!(why("12345x"), "\"12345x\" is not a code: that is a text of six digits, such as \"204817\"");
    assert_eq!(why("112345"), "112345 is not a legal code: the neighbours TU are equal");
    assert_eq!(why("123156"), "123156 is not a legal code: the neighbours TW are equal");
    assert_eq!(why("121216"), "121216 is not a legal code: the digit 1 stands in it 3 times, twice is the most");
    // Equal digits that touch only at a corner, or not at all, are no neighbours.
    assert_eq!(code("123415").to_string(), "123415");
    assert_eq!(code("121434").to_string(), "121434");
}

#[test]
fn random_codes_are_legal_and_even() {
    let mut chance = seed(3).stream("codes", 0);
    let codes: Vec<Code> = (0..10_000).map(|_| Code::random(&mut chance)).collect();
    for digit in Digit::ALL {
        for value in 0..10 {
            let count = codes.iter().filter(|code| code.value(digit) == value).count();
            assert!((900..1100).contains(&count), "{digit} is {value} {count} times");
        }
    }
}

#[test]
fn the_lines_hold_at_most_so_many() {
    let most = |line: Line| Code::all().map(|code| code.filled(line)).max().unwrap();
    let expected = "A4 B6 C4 D4 E6 F4 G4 H6 I4 J3 K6 L3 M6 N3 O3 P6 Q3 R6 S3";
    let found: Vec<String> = Line::ALL.map(|line| format!("{line}{}", most(line))).into();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn the_example_of_the_box_leaves_6_232_codes() {
    let answers = [
        (Question::Line(Line::P), 6),
        (Question::Parity(Digit::W), 0),
        (Question::Larger(Pair::UV), 1),
        (Question::Place(Line::F, Line::M), 1),
    ];
    let fits = |code: &Code| answers.iter().all(|(question, answer)| question.answer(*code) == *answer);
    let left: Vec<Code> = Code::all().filter(fits).collect();
    assert_eq!(left.len(), 6_232);
    for code in left {
        assert!([Digit::W, Digit::X, Digit::Y].iter().all(|digit| [0, 4, 8, 9].contains(&code.value(*digit))));
        assert!(code.value(Digit::W) % 2 == 0 && code.value(Digit::V) > code.value(Digit::U));
        assert_ne!(code.value(Digit::U), 2, "only the 2 has no segment there");
    }
}

#[test]
fn there_are_122_questions_and_48_places_are_never_filled() {
    assert_eq!(Question::all().count(), 19 + 6 + 7 + 90);
    let sample: Vec<Code> = Code::all().step_by(101).collect();
    let never =
        |question: &Question| question.kind() == Kind::Place && sample.iter().all(|code| question.answer(*code) == 0);
    assert_eq!(Question::all().filter(never).count(), 6 * 8);
    // To ask for such a place is legal all the same.
    let mut table = two(&Rules::default(), ["012345", "012345"]);
    act(&mut table, 0, Action::AskPlace { column: Line::A, row: Line::J });
    let last = *table.events().last().unwrap();
    assert_eq!(last, Event::AskedPlace { seat: Seat(0), column: Line::A, row: Line::J, filled: false });
}

#[test]
fn two_hide_a_code_each_at_once() {
    let mut table = table(&Rules::default(), 2);
    assert_eq!(table.asked(), Seat::all(2));
    act(&mut table, 1, Action::Hide { code: code("204817") });
    assert_eq!(table.events().len(), 1, "nothing is told before both have hidden a code");
    act(&mut table, 0, Action::Hide { code: code("012345") });
    let hid = |seat, text| Event::Hid { seat: Some(Seat(seat)), code: Some(code(text)) };
    assert_eq!(table.events()[1..], [hid(0, "012345"), hid(1, "204817")]);
    assert_eq!(asked(&table), 0);
}

fn kinds(prompt: &Prompt) -> Vec<Option<Kind>> {
    prompt.0.iter().map(Choice::kind).collect()
}

#[test]
fn the_first_turn_of_two_takes_all_four_kinds_in_any_order() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    let all = Kind::ALL.map(Some);
    assert_eq!(kinds(&table.prompt(Seat(0))), all, "no declaration in the first turn");
    for (question, left) in [(PLACE, &all[..3]), (PARITY, &[all[0], all[2]]), (LINE, &[all[2]])] {
        act(&mut table, 0, question);
        assert_eq!(kinds(&table.prompt(Seat(0))), left);
    }
    act(&mut table, 0, LARGER);
    // The questions were about the code 204817: row P crosses 8 1 7, digit W is 8, U V are 0 4, place F M is in the 0.
    let told = [
        Event::AskedPlace { seat: Seat(0), column: Line::F, row: Line::M, filled: true },
        Event::AskedParity { seat: Seat(0), digit: Digit::W, parity: Parity::Even },
        Event::AskedLine { seat: Seat(0), line: Line::P, filled: 4 },
        Event::AskedLarger { seat: Seat(0), pair: Pair::UV, larger: Digit::V },
    ];
    assert_eq!(table.events()[3..], told);
    assert_eq!(asked(&table), 1);
    assert_eq!(kinds(&table.prompt(Seat(1))), all);
    [LARGER, PLACE, LINE, PARITY].into_iter().for_each(|question| act(&mut table, 1, question));
    // From now on a turn is one question of any kind, or a declaration.
    assert_eq!(kinds(&table.prompt(Seat(0))), [&all[..], &[None]].concat());
    act(&mut table, 0, LINE);
    assert_eq!(asked(&table), 1);
    declare(&mut table, 1, "987654");
    assert_eq!(asked(&table), 0);
}

#[test]
fn a_kind_that_was_asked_in_the_first_turn_is_illegal() {
    let why = |actions: &[Action]| {
        let mut table = two(&Rules::default(), ["012345", "204817"]);
        actions.iter().for_each(|action| act(&mut table, 0, *action));
        let verdict = table.verdict().unwrap();
        assert_eq!((verdict.ended, scores(&table)), (Ended::Forfeit, vec![(2, 0), (1, 1)]));
        let fault = verdict.faults[Seat(0)].clone().unwrap();
        assert_eq!(fault.cause, Cause::Illegal);
        fault.detail
    };
    assert_eq!(why(&[LINE, LINE]), "ask_line is not asked now: the choice is ask_parity or ask_larger or ask_place");
    assert_eq!(
        why(&[Action::Declare { code: code("204817") }]),
        "declare is not asked now: the choice is ask_line or ask_parity or ask_larger or ask_place"
    );
    assert_eq!(
        why(&[Action::AskPlace { column: Line::M, row: Line::F }]),
        "column M is not among the legal ones: A, B, C, D, E, F, G, H, I"
    );
    assert_eq!(
        why(&[Action::AskPlace { column: Line::F, row: Line::F }]),
        "row F is not among the legal ones: J, K, L, M, N, O, P, Q, R, S"
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
        Event::Revealed { seat: Some(Seat(0)), code: code("012345") },
        Event::Revealed { seat: Some(Seat(1)), code: code("204817") },
        Event::GameEnded { winner: Some(Seat(1)) },
    ];
    assert!(table.events().ends_with(&end));
}

#[test]
fn when_the_first_seat_is_right_the_second_has_one_last_declaration() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    first_turns(&mut table);
    declare(&mut table, 0, "204817");
    assert_eq!((asked(&table), kinds(&table.prompt(Seat(1)))), (1, vec![None]), "it may not ask any more");
    declare(&mut table, 1, "987654");
    assert_eq!(scores(&table), [(1, 1), (2, 0)]);
}

#[test]
fn when_both_are_right_the_game_is_played_again_with_new_codes() {
    let both_solve = |table: &mut Match<DigitCode>| {
        first_turns(table);
        for _ in 0..2 {
            let seat = asked(table);
            let code = secret(table, Seat(seat));
            act(table, seat, Action::Declare { code });
        }
    };
    let mut table = two(&Rules { replays: 2, ..Rules::default() }, ["012345", "204817"]);
    both_solve(&mut table);
    hide(&mut table, ["543210", "987654"]);
    assert_eq!(asked(&table), 1, "the other seat begins");
    both_solve(&mut table);
    hide(&mut table, ["123456", "654321"]);
    assert_eq!(asked(&table), 0);
    both_solve(&mut table);
    assert_eq!(games(&table), [(1, 0, None), (2, 1, None), (3, 0, None)]);
    assert_eq!(scores(&table), [(1, 0), (1, 0)], "after two replays it is a draw");

    let mut table = two(&Rules { replays: 1, ..Rules::default() }, ["012345", "204817"]);
    both_solve(&mut table);
    hide(&mut table, ["543210", "987654"]);
    first_turns(&mut table);
    declare(&mut table, 1, "102938");
    declare(&mut table, 0, "987654");
    assert_eq!(scores(&table), [(1, 1), (2, 0)], "seat 0 has the second turn of game 2 and wins at once");
}

#[test]
fn the_second_wrong_declaration_of_two_loses_at_once() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    first_turns(&mut table);
    declare(&mut table, 0, "987654");
    act(&mut table, 1, LINE);
    declare(&mut table, 0, "987654");
    assert!(table.events().contains(&Event::Eliminated { seat: Seat(0) }));
    assert_eq!(scores(&table), [(2, 0), (1, 1)]);
    assert_eq!(table.verdict().unwrap().ended, Ended::Played);
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
    assert!(!table.over());
}

#[test]
fn nobody_wins_when_the_turns_are_used_up() {
    let mut table = two(&Rules { turn_limit: 3, ..Rules::default() }, ["012345", "204817"]);
    first_turns(&mut table);
    for seat in [0, 1, 0, 1] {
        assert!(!table.over());
        act(&mut table, seat, LINE);
    }
    assert_eq!(scores(&table), [(1, 0), (1, 0)]);
    assert_eq!(games(&table).len(), 1, "only a game that both have solved is played again");

    let mut table = two(&Rules { turn_limit: 2, ..Rules::default() }, ["012345", "204817"]);
    first_turns(&mut table);
    declare(&mut table, 0, "204817");
    assert_eq!(asked(&table), 1);
    declare(&mut table, 1, "987654");
    assert_eq!(scores(&table), [(1, 1), (2, 0)]);
}

#[test]
fn three_ask_one_question_each_in_the_first_round() {
    let mut table = table(&Rules::default(), 3);
    let all = Kind::ALL.map(Some);
    for seat in 0..3 {
        assert_eq!((asked(&table), kinds(&table.prompt(Seat(seat)))), (seat, all.to_vec()));
        act(&mut table, seat, LARGER);
    }
    assert_eq!(kinds(&table.prompt(Seat(0))), [&all[..], &[None]].concat());
    // All hear every answer and every declaration.
    declare(&mut table, 0, "987654");
    for event in &table.events()[2..] {
        assert!(Seat::all(3).into_iter().all(|seat| DigitCode::seen_by(event, seat) == *event));
    }
    let right = secret(&table, Seat(1));
    act(&mut table, 1, Action::Declare { code: right });
    assert_eq!(scores(&table), [(2, 0), (1, 1), (2, 0)], "the first who is right wins, without a last chance");
}

#[test]
fn two_wrong_declarations_put_a_seat_of_three_out() {
    let mut table = table(&Rules::default(), 3);
    (0..3).for_each(|seat| act(&mut table, seat, LINE));
    let wrong = if secret(&table, Seat(0)) == code("987654") { "123456" } else { "987654" };
    declare(&mut table, 0, wrong);
    act(&mut table, 1, LINE);
    act(&mut table, 2, LINE);
    declare(&mut table, 0, wrong);
    assert_eq!(*table.events().last().unwrap(), Event::Eliminated { seat: Seat(0) });
    for seat in [1, 2, 1] {
        declare(&mut table, seat, wrong);
    }
    assert_eq!(asked(&table), 2, "the last seat goes on alone");
    act(&mut table, 2, LINE);
    declare(&mut table, 2, wrong);
    assert_eq!(scores(&table), [(1, 0), (1, 0), (1, 0)], "all are out: nobody wins");
    assert!(table.events().ends_with(&[
        Event::Eliminated { seat: Seat(2) },
        Event::Revealed { seat: None, code: secret(&table, Seat(0)) },
        Event::GameEnded { winner: None },
    ]));
}

#[test]
fn each_seat_is_the_master_once_if_the_rules_say_so() {
    let rules = Rules { master: Master::Seats, ..Rules::default() };
    let mut table = table(&rules, 4);
    for game in 0..4 {
        assert_eq!(asked(&table), game, "the master hides a code");
        assert_eq!(kinds(&table.prompt(Seat(game))), [None]);
        act(&mut table, game, Action::Hide { code: code("204817") });
        for _ in 0..3 {
            let seat = asked(&table);
            assert_ne!(seat, game, "the master does not solve");
            act(&mut table, seat, LINE);
        }
        // Seat 0 wins whenever it can, and seat 3 when seat 0 is the master.
        let winner = if game == 0 { 3 } else { 0 };
        while asked(&table) != winner {
            let seat = asked(&table);
            act(&mut table, seat, LINE);
        }
        declare(&mut table, winner, "204817");
    }
    assert_eq!(games(&table), [(1, 1, Some(0)), (2, 2, Some(1)), (3, 3, Some(2)), (4, 0, Some(3))]);
    assert_eq!(scores(&table), [(1, 3), (3, 0), (3, 0), (2, 1)]);
}

fn left() -> Reply<Action> {
    Reply::Failed(Fault { cause: Cause::Crash, detail: "exited".into() })
}

#[test]
fn a_late_seat_of_two_forfeits_and_the_other_wins() {
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    table.reply(Seat(0), Reply::Late).unwrap();
    assert_eq!(scores(&table), [(2, 0), (1, 1)]);
    let verdict = table.verdict().unwrap();
    assert_eq!((verdict.ended, verdict.faults[Seat(0)].as_ref().unwrap().cause), (Ended::Forfeit, Cause::Time));

    // In its last chance too: the first seat's declaration stands.
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
    act(&mut table, 0, Action::Hide { code: code("012345") });
    assert_eq!(scores(&table), [(1, 1), (2, 0)]);

    let mut table = self::table(&Rules::default(), 2);
    Seat::all(2).into_iter().for_each(|seat| table.reply(seat, left()).unwrap());
    assert_eq!(scores(&table), [(1, 0), (1, 0)]);

    // A master's game falls out, and the next one's begins.
    let mut table = self::table(&Rules { master: Master::Seats, ..Rules::default() }, 3);
    table.reply(Seat(0), left()).unwrap();
    assert_eq!(games(&table), [(1, 1, Some(0)), (2, 2, Some(1))]);
    act(&mut table, 1, Action::Hide { code: code("012345") });
    // Two are left: one hides, one solves.
    act(&mut table, 2, LINE);
    declare(&mut table, 2, "012345");
    act(&mut table, 2, Action::Hide { code: code("204817") });
    act(&mut table, 1, LINE);
    table.reply(Seat(1), left()).unwrap();
    // Seat 2 is left, but as the master it has not won that game.
    assert_eq!(scores(&table), [(3, 0), (2, 0), (1, 1)]);
}

#[test]
fn the_others_play_on_when_one_of_three_forfeits() {
    let mut table = table(&Rules::default(), 3);
    act(&mut table, 0, LINE);
    table.reply(Seat(1), Reply::Late).unwrap();
    assert_eq!(asked(&table), 2);
    act(&mut table, 2, LINE);
    assert_eq!(asked(&table), 0);
    act(&mut table, 0, LINE);
    table.reply(Seat(2), Reply::Late).unwrap();
    // The last one that is left wins; who forfeited later is placed higher.
    assert_eq!(scores(&table), [(1, 1), (3, 0), (2, 0)]);
}

#[test]
fn a_seat_that_is_out_does_not_win_by_the_forfeits_of_the_others() {
    let mut table = table(&Rules::default(), 3);
    (0..3).for_each(|seat| act(&mut table, seat, LINE));
    let wrong = if secret(&table, Seat(0)) == code("987654") { "123456" } else { "987654" };
    declare(&mut table, 0, wrong);
    act(&mut table, 1, LINE);
    act(&mut table, 2, LINE);
    declare(&mut table, 0, wrong);
    table.reply(Seat(1), left()).unwrap();
    assert_eq!(asked(&table), 2, "seat 0 is out but has not forfeited, so seat 2 plays on");
    table.reply(Seat(2), left()).unwrap();
    assert_eq!(scores(&table), [(1, 0), (3, 0), (2, 0)]);
    assert_eq!(*table.events().last().unwrap(), Event::GameEnded { winner: None });
}

#[test]
fn rules_out_of_range_are_refused() {
    let why = |rules: &str, seats| serde_json::from_str::<Rules>(rules).unwrap().check(seats).unwrap_err();
    assert_eq!(why(r#"{"turn_limit":1}"#, 2), "turn_limit is 2 to 1000, not 1");
    assert_eq!(why(r#"{"replays":21}"#, 2), "replays is 0 to 20, not 21");
    assert!(why(r#"{"master":"seats"}"#, 2).contains("it takes three"));
    assert_eq!(serde_json::from_str::<Rules>(r#"{"master":"seats"}"#).unwrap().check(3), Ok(()));
    assert!(serde_json::from_str::<Rules>(r#"{"rounds":3}"#).is_err());
}

/// All lines that a seat is sent in a match: what it is told and what it is asked.
fn lines(mut table: Match<DigitCode>, seat: Seat, actions: &[(u8, Action)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (who, action) in actions {
        lines.extend(table.news(seat).map(|event| serde_json::to_string(&event).unwrap()));
        if table.asked().contains(seat) {
            lines.push(serde_json::to_string(&table.prompt(seat)).unwrap());
        }
        act(&mut table, *who, *action);
    }
    lines.extend(table.news(seat).map(|event| serde_json::to_string(&event).unwrap()));
    lines
}

#[test]
fn codes_with_equal_answers_look_the_same() {
    let play = |hidden: &str, seat| {
        let mut actions = vec![(0, Action::Hide { code: code("012345") }), (1, Action::Hide { code: code(hidden) })];
        actions.extend([LINE, PARITY, LARGER, PLACE].map(|question| (0, question)));
        actions.extend([LINE, PARITY, LARGER, PLACE].map(|question| (1, question)));
        actions.extend([(0, LINE), (1, PLACE), (0, Action::Declare { code: code("987654") })]);
        lines(table(&Rules::default(), 2), Seat(seat), &actions)
    };
    // Both have 4 on row P, an even W, V above U, and a U that is no 2.
    assert_eq!(play("204817", 0), play("614871", 0));
    assert_ne!(play("204817", 1), play("614871", 1));
}

#[test]
fn hidden_codes_do_not_show_in_what_others_are_told() {
    let other = |code: Code, chance: &mut Chance| {
        std::iter::repeat_with(|| Code::random(chance)).find(|found| *found != code).unwrap()
    };
    for (rules, seats) in (2..=5).flat_map(|seats| Rules::variants().into_iter().map(move |rules| (rules, seats))) {
        if rules.check(seats).is_err() {
            continue;
        }
        for number in 0..20 {
            let mut chance = seed(number).stream("moves", 0);
            let mut table = Match::<DigitCode>::new(&rules, seats, seed(number)).unwrap();
            play_on(&mut table, |table, seat| table.game().sample(seat, &mut chance));
            for event in table.events() {
                let Event::Hid { seat: owner, code: Some(code) } = event else { continue };
                let scrambled = Event::Hid { seat: *owner, code: Some(other(*code, &mut chance)) };
                for seat in Seat::all(seats).into_iter().filter(|seat| Some(*seat) != *owner) {
                    assert_eq!(DigitCode::seen_by(event, seat), DigitCode::seen_by(&scrambled, seat));
                }
                let own = owner.map(|owner| DigitCode::seen_by(event, owner));
                assert!(own.is_none_or(|own| own == *event), "its owner sees it");
            }
        }
    }
}

fn play_on(table: &mut Match<DigitCode>, mut choose: impl FnMut(&Match<DigitCode>, Seat) -> Action) {
    while !table.over() {
        for seat in table.asked() {
            let action = choose(table, seat);
            table.reply(seat, Reply::Act(action)).unwrap();
        }
    }
}

#[test]
fn a_referee_can_check_every_answer_from_the_true_events() {
    for seats in 2..=5 {
        for number in 0..20 {
            let mut table = Match::<DigitCode>::new(&Rules::default(), seats, seed(number)).unwrap();
            let mut chance = seed(number).stream("moves", 0);
            play_on(&mut table, |table, seat| table.game().sample(seat, &mut chance));
            let mut codes = Vec::new();
            for event in table.events() {
                match *event {
                    Event::GameStarted { .. } => codes.clear(),
                    Event::Hid { seat, code } => codes.push((seat, code.unwrap())),
                    Event::Revealed { seat, code } => assert!(codes.contains(&(seat, code))),
                    Event::Declared { seat, code, right } => {
                        let (_, secret) = codes.iter().find(|(owner, _)| *owner != Some(seat)).unwrap();
                        assert_eq!(right, code == *secret);
                    }
                    event => {
                        let Some((seat, question, answer)) = event.question() else { continue };
                        let (_, secret) = codes.iter().find(|(owner, _)| *owner != Some(seat)).unwrap();
                        assert_eq!(question.answer(*secret), answer);
                    }
                }
            }
        }
    }
}

#[test]
fn samples_of_codes_are_legal_values_and_not_the_only_ones() {
    let table = table(&Rules::default(), 2);
    let prompt = table.prompt(Seat(0));
    assert_eq!(prompt, table.prompt(Seat(0)), "asking again asks the same");
    assert_ne!(prompt, table.prompt(Seat(1)));
    let [Choice::Hide { code: samples }] = prompt.0.as_slice() else { panic!() };
    assert_eq!(samples.len(), 8);
    assert_eq!(prompt.permits(&Action::Hide { code: code("012345") }), Ok(()));
    assert!(serde_json::from_str::<Action>(r#"{"hide":{"code":"012344"}}"#).is_err());
}

#[test]
fn the_view_is_the_solution_sheet() {
    use arena_engine::game::View as _;
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    first_turns(&mut table);
    declare(&mut table, 0, "987654");
    let mut view = View::new(&Rules::default(), 2, Seat(1));
    table.news(Seat(1)).for_each(|event| view.see(&event));
    assert_eq!((view.game, view.code, view.sheet.len()), (1, Some(code("204817")), 9));
    assert_eq!(view.wrong, BySeat::new(2, |seat| u8::from(seat.0 == 0)));
    act(&mut table, 1, LINE);
    declare(&mut table, 0, "204817");
    table.news(Seat(1)).for_each(|event| view.see(&event));
    assert!(view.last_chance);
    declare(&mut table, 1, "012345");
    table.news(Seat(1)).for_each(|event| view.see(&event));
    assert_eq!((view.game, view.first, view.code, view.last_chance), (2, Seat(1), None, false));
    assert!(view.sheet.is_empty());
}

/// Whole games with every event in words; `ARENA_BLESS=1 cargo test -p arena-engine --test digit_code` writes them anew.
#[test]
fn golden_playthroughs() {
    let default = Rules::default();
    let masters = Rules { master: Master::Seats, ..Rules::default() };
    // Between two: a draw with its replay and a second wrong declaration; a last declaration that is wrong.
    let two = [("", &default, 2, 46), ("", &default, 2, 9)].into_iter();
    let tables = two.chain((3..=5).flat_map(|seats| [("", &default, seats, 1), ("", &default, seats, 2)]));
    for (variant, rules, seats, number) in tables.chain([("-masters", &masters, 3, 1), ("-masters", &masters, 4, 2)]) {
        let mut table = Match::<DigitCode>::new(rules, seats, seed(number)).unwrap();
        let mut chance = seed(number).stream("moves", 0);
        play_on(&mut table, |table, seat| {
            let prompt = table.prompt(seat);
            let may_declare = prompt.0.iter().any(|choice| matches!(choice, Choice::Declare { .. }));
            // A declaration now and then, half of them right, so that all that can happen does.
            match chance.below(10) {
                0 | 1 if may_declare => Action::Declare { code: secret(table, seat) },
                2 | 3 if may_declare => Action::Declare { code: Code::random(&mut chance) },
                _ => prompt.pick(&mut chance),
            }
        });
        let names = BySeat::new(seats, |seat| ["Ada", "Bob", "Cleo", "Dan", "Eve"][seat.index()].to_owned());
        let mut told: Vec<String> = table.events().iter().map(|event| DigitCode::told(event, &names)).collect();
        let result = names.iter().zip(scores(&table));
        told.extend(result.map(|(name, (place, points))| format!("{name}: place {place}, {points} points")));
        let text = told.join("\n") + "\n";
        let file = format!("tests/golden/digit-code{variant}-{seats}-{number}.txt");
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        if std::env::var_os("ARENA_BLESS").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(&file).unwrap_or_default(), "{}", file.display());
    }
}

/// The page of the rules, for people and authors of bots.
fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/digit-code.md")).unwrap()
}

#[test]
fn the_short_match_on_the_page_of_the_rules_is_played_like_that() {
    use arena_engine::game::View as _;
    let page = page();
    let mut blocks = page.split("\n```json\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let replies = blocks.next().unwrap();
    let mut table = table(&Rules::default(), 2);
    let mut seen = String::new();
    for line in replies.lines() {
        if table.asked().only() == Some(Seat(1)) {
            let mut view = View::new(&Rules::default(), 2, Seat(1));
            table.events().iter().for_each(|event| view.see(&DigitCode::seen_by(event, Seat(1))));
            seen = serde_json::to_string(&view).unwrap() + "\n";
        }
        let (seat, action): (u8, Action) = serde_json::from_str(line).unwrap();
        act(&mut table, seat, action);
    }
    assert!(table.over());
    let lines = table.events().iter().map(|event| serde_json::to_string(event).unwrap() + "\n");
    assert_eq!(blocks.next().unwrap(), lines.collect::<String>());
    assert_eq!(blocks.next().unwrap(), seen);
}

#[test]
fn the_examples_on_the_page_of_the_rules_are_understood() {
    fn reads<T: serde::de::DeserializeOwned + serde::Serialize>(text: &str) -> bool {
        serde_json::from_str::<T>(text).is_ok_and(|value| serde_json::to_string(&value).unwrap() == text)
    }
    let page = page();
    let shown: Vec<&str> = page.split('`').filter(|part| part.starts_with("{\"")).collect();
    assert_eq!(shown.len(), 25);
    for text in shown {
        let understood = reads::<Choice>(text) || reads::<Action>(text) || reads::<Event>(text) || reads::<Rules>(text);
        assert!(understood, "{text}");
    }
}

#[test]
fn the_digits_on_the_page_of_the_rules_are_drawn_like_that() {
    let page = page();
    let blocks: Vec<&str> = page.split("\n```text\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let squeezed = |line: &str| line.chars().filter(|c| ['.', '#'].contains(c)).collect::<String>();
    let rows: Vec<String> = blocks[0].lines().skip(1).map(squeezed).collect();
    assert_eq!(rows, drawing(code("012345")));
    let rows: Vec<String> = blocks[1].lines().map(squeezed).collect();
    let [first, second] = ["678012", "901234"].map(|text| drawing(code(text)));
    assert_eq!(rows, (0..5).map(|row| first[row].clone() + &second[row][..3]).collect::<Vec<_>>());
}
