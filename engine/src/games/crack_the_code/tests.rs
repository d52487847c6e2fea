//! Tests of Crack the code's rules: pins, the race and its endings, and whole games in sentences.

use std::collections::HashSet;

use crate::chance::{Chance, Seed};
use crate::fault::{Cause, Fault};
use crate::game::{Game, Prompt as _, Rules as _, View as _};
use crate::games::crack_the_code::CrackTheCode;
use crate::games::crack_the_code::code::{Code, Pins};
use crate::games::crack_the_code::types::{Action, Choice, Event, Prompt, Rules};
use crate::games::crack_the_code::view::View;
use crate::games::file;
use crate::machine::Match;
use crate::outcome::Ended;
use crate::record::Reply;
use crate::seat::{BySeat, Seat};

const ADA: Seat = Seat(0);
const BOB: Seat = Seat(1);

fn seed(seed: u64) -> Seed {
    Seed::try_from(seed).unwrap()
}

/// Parses a code written as digits.
fn code(digits: &str) -> Code {
    digits.bytes().map(|digit| digit - b'0').collect()
}

fn pins(guess: &str, hidden: &str) -> (u8, u8) {
    let Pins { black, white } = code(guess).pins(&code(hidden));
    (black, white)
}

/// Returns all codes of a size, in lexicographic order.
fn all_codes(positions: u8, colours: u8) -> Vec<Code> {
    let mut codes = vec![Code::default()];
    for _ in 0..positions {
        let longer = |code: &Code, colour: u8| code.0.iter().copied().chain([colour]).collect();
        codes = codes
            .iter()
            .flat_map(|code| (1..=colours).map(move |colour| longer(code, colour)))
            .collect();
    }
    codes
}

/// Returns a match with these rules and these hidden codes.
fn table(rules: Rules, codes: [&str; 2]) -> Match<CrackTheCode> {
    let mut table = Match::new(&rules, 2, seed(1)).unwrap();
    for (seat, hidden) in [ADA, BOB].into_iter().zip(codes) {
        table
            .reply(seat, Reply::Act(Action::Hide { code: code(hidden) }))
            .unwrap();
    }
    table
}

/// Makes the seat to act guess this code.
fn guess(table: &mut Match<CrackTheCode>, digits: &str) {
    let seat = table.to_act().only().unwrap();
    table
        .reply(seat, Reply::Act(Action::Guess { code: code(digits) }))
        .unwrap();
}

/// Returns the place and the points of both seats.
fn scores(table: &Match<CrackTheCode>) -> [(u8, i32); 2] {
    let seats = &table.verdict().unwrap().outcome.seats;
    [ADA, BOB].map(|seat| (seats[seat].place, seats[seat].points))
}

fn failed() -> Reply<Action> {
    Reply::Failed(Fault::left())
}

const WIN: [(u8, i32); 2] = [(1, 1), (2, 0)];
const LOSS: [(u8, i32); 2] = [(2, 0), (1, 1)];

#[test]
fn pins_count_every_peg_once() {
    assert_eq!(pins("12345", "12345"), (5, 0));
    assert_eq!(pins("11223", "44556"), (0, 0));
    // Two colours in the right position and one misplaced, as in the picture in the rules.
    assert_eq!(pins("12344", "12435"), (2, 2));
    assert_eq!(pins("12635", "12463"), (2, 2));
    assert_eq!(pins("12366", "12433"), (2, 1));
    // A colour that occurs more often in the guess than in the hidden code earns only as many pins as the hidden code has pegs of it.
    assert_eq!(pins("11111", "12345"), (1, 0));
    assert_eq!(pins("21111", "12345"), (0, 2));
    assert_eq!(pins("11222", "22111"), (0, 4));
    assert_eq!(pins("12121", "21212"), (0, 4));
}

#[test]
fn there_are_7776_codes_and_20_answers() {
    let codes = all_codes(5, 6);
    assert_eq!(codes.len(), 7_776);
    let mut seen = HashSet::new();
    for guess in codes.iter().step_by(11) {
        for hidden in codes.iter().step_by(3) {
            let pins = guess.pins(hidden);
            assert_eq!(
                pins,
                hidden.pins(guess),
                "pins do not tell the guess from the code"
            );
            assert!(pins.black + pins.white <= 5);
            assert_eq!(pins.black == 5, guess == hidden);
            seen.insert(pins);
        }
    }
    // All combinations of up to five pins, except four black and one white: the last peg alone cannot be misplaced.
    assert_eq!(seen.len(), 20);
    assert!(!seen.contains(&Pins { black: 4, white: 1 }));
}

#[test]
fn only_one_cracked_wins() {
    let mut table = table(Rules::default(), ["12345", "65432"]);
    guess(&mut table, "65432");
    assert_eq!(
        table.to_act().only(),
        Some(BOB),
        "the second seat has its equalizing guess"
    );
    guess(&mut table, "11111");
    assert_eq!(scores(&table), WIN);
    assert_eq!(table.verdict().unwrap().ended, Ended::Played);
}

#[test]
fn the_second_seat_wins_at_once_as_guesses_are_equal() {
    let mut table = table(Rules::default(), ["12345", "65432"]);
    guess(&mut table, "11111");
    guess(&mut table, "12345");
    assert_eq!(scores(&table), LOSS);
    assert_eq!(
        table.verdict().unwrap().outcome.seats[BOB]
            .breakdown
            .get("cracked"),
        1
    );
}

#[test]
fn both_cracked_in_one_round_is_a_draw() {
    let mut table = table(Rules::default(), ["12345", "65432"]);
    for digits in ["11111", "11111", "65432", "12345"] {
        guess(&mut table, digits);
    }
    assert_eq!(scores(&table), [(1, 1), (1, 1)]);
}

#[test]
fn nobody_after_the_last_attempt_is_a_draw() {
    let mut table = table(Rules::default(), ["12345", "65432"]);
    for _ in 0..24 {
        guess(&mut table, "11111");
    }
    assert_eq!(scores(&table), [(1, 0), (1, 0)]);
    assert_eq!(table.verdict().unwrap().ended, Ended::Played);
}

#[test]
fn the_last_attempt_may_still_win() {
    for (last, expected) in [(["65432", "11111"], WIN), (["11111", "12345"], LOSS)] {
        let mut table = table(
            Rules {
                attempts: 3,
                ..Rules::default()
            },
            ["12345", "65432"],
        );
        for digits in ["11111"; 4].into_iter().chain(last) {
            guess(&mut table, digits);
        }
        assert_eq!(scores(&table), expected);
    }
}

#[test]
fn both_hide_at_once_and_both_codes_are_shown_at_the_end_only() {
    let mut table = Match::<CrackTheCode>::new(&Rules::default(), 2, seed(1)).unwrap();
    assert_eq!(table.to_act(), Seat::all(2));
    table
        .reply(
            BOB,
            Reply::Act(Action::Hide {
                code: code("65432"),
            }),
        )
        .unwrap();
    assert!(
        table.events().is_empty(),
        "nothing is shown before both have hidden"
    );
    table
        .reply(
            ADA,
            Reply::Act(Action::Hide {
                code: code("12345"),
            }),
        )
        .unwrap();
    let own = Event::Hid {
        seat: ADA,
        code: Some(code("12345")),
    };
    let others = Event::Hid {
        seat: BOB,
        code: None,
    };
    assert_eq!(table.new_events(ADA).collect::<Vec<_>>(), [own, others]);
    guess(&mut table, "12345");
    assert!(
        !table
            .events()
            .iter()
            .any(|event| matches!(event, Event::Revealed { .. }))
    );
    guess(&mut table, "12345");
    let tail = [
        Event::Guessed {
            seat: BOB,
            code: code("12345"),
            pins: Pins { black: 5, white: 0 },
        },
        Event::Revealed {
            seat: ADA,
            code: code("12345"),
        },
        Event::Revealed {
            seat: BOB,
            code: code("65432"),
        },
    ];
    assert_eq!(table.new_events(ADA).skip(1).collect::<Vec<_>>(), tail);
    assert_eq!(table.new_events(BOB).skip(3).collect::<Vec<_>>(), tail);
}

#[test]
fn a_late_seat_forfeits_whenever_it_is_late() {
    let mut hiding = Match::<CrackTheCode>::new(&Rules::default(), 2, seed(1)).unwrap();
    hiding.reply(BOB, Reply::Late).unwrap();
    hiding
        .reply(
            ADA,
            Reply::Act(Action::Hide {
                code: code("12345"),
            }),
        )
        .unwrap();
    assert_eq!(scores(&hiding), WIN);
    let verdict = hiding.verdict().unwrap();
    assert_eq!(
        (verdict.ended, verdict.faults[BOB].as_ref().unwrap().cause()),
        (Ended::Forfeit, Cause::Time)
    );
    assert_eq!(verdict.outcome.seats[ADA].breakdown.get("walkover"), 1);
    assert_eq!(
        hiding.events(),
        [
            Event::Hid {
                seat: ADA,
                code: Some(code("12345"))
            },
            Event::Withdrew { seat: BOB },
            Event::Revealed {
                seat: ADA,
                code: code("12345")
            },
        ]
    );

    let mut guessing = table(Rules::default(), ["12345", "65432"]);
    guessing.reply(ADA, Reply::Late).unwrap();
    assert_eq!(scores(&guessing), LOSS);
}

#[test]
fn who_forfeits_the_equalizing_guess_has_lost_to_the_cracked_code_alone() {
    let mut table = table(Rules::default(), ["12345", "65432"]);
    guess(&mut table, "65432");
    table.reply(BOB, failed()).unwrap();
    assert_eq!(
        scores(&table),
        WIN,
        "one point, not one more for the walkover"
    );
}

#[test]
fn two_that_fail_at_once_share_the_place() {
    let mut table = Match::<CrackTheCode>::new(&Rules::default(), 2, seed(1)).unwrap();
    table.reply(ADA, failed()).unwrap();
    table.reply(BOB, Reply::Late).unwrap();
    assert_eq!(scores(&table), [(1, 0), (1, 0)]);
}

#[test]
fn illegal_actions_forfeit_and_say_why() {
    let why = |action: Action| {
        let mut table = table(Rules::default(), ["12345", "65432"]);
        table.reply(ADA, Reply::Act(action)).unwrap();
        assert_eq!(scores(&table), LOSS);
        table.fault(ADA).unwrap().to_string()
    };
    assert_eq!(
        why(Action::Guess { code: code("1234") }),
        "a code has 5 positions, this one has 4"
    );
    assert_eq!(
        why(Action::Guess {
            code: code("123456")
        }),
        "a code has 5 positions, this one has 6"
    );
    let colours = "is not legal here; choose one of 1, 2, 3, 4, 5, 6";
    assert_eq!(
        why(Action::Guess {
            code: code("12347")
        }),
        format!("colour = 7 {colours}")
    );
    assert_eq!(
        why(Action::Guess {
            code: code("02345")
        }),
        format!("colour = 0 {colours}")
    );
    assert_eq!(
        why(Action::Hide {
            code: code("12345")
        }),
        "hide is not legal now: choose guess"
    );
    let mut table = Match::<CrackTheCode>::new(&Rules::default(), 2, seed(1)).unwrap();
    table
        .reply(
            ADA,
            Reply::Act(Action::Guess {
                code: code("12345"),
            }),
        )
        .unwrap();
    table
        .reply(
            BOB,
            Reply::Act(Action::Hide {
                code: code("12345"),
            }),
        )
        .unwrap();
    assert_eq!(
        table.fault(ADA).unwrap().to_string(),
        "guess is not legal now: choose hide"
    );
    assert!(serde_json::from_str::<Action>(r#"{"guess":{"code":[1,2,3,4,5,6,1,2,3]}}"#).is_err());
}

#[test]
fn rules_have_limits_and_defaults() {
    let check = |text: &str| {
        let rules: Rules = serde_json::from_str(text).map_err(|error| error.to_string())?;
        rules.check(2).map(|()| rules)
    };
    assert_eq!(
        check("{}"),
        Ok(Rules {
            positions: 5,
            colours: 6,
            attempts: 12
        })
    );
    assert!(check(r#"{"positions":8,"colours":10,"attempts":100}"#).is_ok());
    assert!(check(r#"{"positions":1,"colours":2,"attempts":1}"#).is_ok());
    assert_eq!(
        check(r#"{"positions":9}"#),
        Err("positions must be 1 to 8, not 9".into())
    );
    assert_eq!(
        check(r#"{"positions":0}"#),
        Err("positions must be 1 to 8, not 0".into())
    );
    assert_eq!(
        check(r#"{"colours":1}"#),
        Err("colours must be 2 to 10, not 1".into())
    );
    assert_eq!(
        check(r#"{"colours":11}"#),
        Err("colours must be 2 to 10, not 11".into())
    );
    assert_eq!(
        check(r#"{"attempts":0}"#),
        Err("attempts must be 1 to 100, not 0".into())
    );
    assert_eq!(
        check(r#"{"attempts":101}"#),
        Err("attempts must be 1 to 100, not 101".into())
    );
    assert!(
        check(r#"{"columns":4}"#)
            .unwrap_err()
            .contains("unknown field")
    );
}

#[test]
fn every_size_is_played_to_its_end_by_chance() {
    let mut chance = seed(3).stream("sizes", 0);
    for positions in 1..=8 {
        for colours in [2, 6, 10] {
            for attempts in [1, 12, 100] {
                let rules = Rules {
                    positions,
                    colours,
                    attempts,
                };
                let mut table = Match::<CrackTheCode>::new(&rules, 2, seed(1)).unwrap();
                let mut made = 0;
                while !table.is_over() {
                    for seat in table.to_act() {
                        let prompt = table.prompt(seat);
                        let (Choice::Hide { code } | Choice::Guess { code }) = &prompt.0[0];
                        assert_eq!(code.len(), usize::from(positions));
                        assert!(code.iter().all(|legal| legal.into_iter().eq(1..=colours)));
                        made += usize::from(matches!(prompt.0[0], Choice::Guess { .. }));
                        table
                            .reply(seat, Reply::Act(prompt.pick(&mut chance)))
                            .unwrap();
                    }
                }
                assert!(made <= 2 * usize::from(attempts));
                assert!(table.verdict().unwrap().faults.iter().all(Option::is_none));
            }
        }
    }
}

/// Returns the events that a seat has seen so far, and its prompt.
fn lines(table: &Match<CrackTheCode>, seat: Seat) -> Vec<String> {
    let seen = table
        .events()
        .iter()
        .map(|event| CrackTheCode::seen_by(event, seat));
    let mut lines: Vec<String> = seen
        .map(|event| serde_json::to_string(&event).unwrap())
        .collect();
    lines.push(serde_json::to_string(&table.prompt(seat)).unwrap());
    lines
}

#[test]
fn a_seat_cannot_tell_the_hidden_code_from_others_that_fit_its_pins() {
    let codes = all_codes(5, 6);
    for number in 0..30 {
        let mut chance = seed(number).stream("codes", 0);
        let random = |chance: &mut Chance| chance.pick(&codes).clone();
        let (own, hidden) = (random(&mut chance), random(&mut chance));
        let guesses: Vec<Code> = (0..6).map(|_| random(&mut chance)).collect();
        // Six guesses, three of each seat, none of which cracks a code.
        let mine = || guesses.iter().step_by(2);
        let fits = |other: &&Code| mine().all(|guess| guess.pins(other) == guess.pins(&hidden));
        let others: Vec<&Code> = codes.iter().filter(fits).collect();
        let seen = |hidden: &Code| {
            let mut table = Match::<CrackTheCode>::new(&Rules::default(), 2, seed(number)).unwrap();
            table
                .reply(ADA, Reply::Act(Action::Hide { code: own.clone() }))
                .unwrap();
            table
                .reply(
                    BOB,
                    Reply::Act(Action::Hide {
                        code: hidden.clone(),
                    }),
                )
                .unwrap();
            let mut seen = vec![lines(&table, ADA)];
            for code in &guesses {
                let seat = table.to_act().only().unwrap();
                table
                    .reply(seat, Reply::Act(Action::Guess { code: code.clone() }))
                    .unwrap();
                seen.push(lines(&table, ADA));
            }
            assert!(!table.is_over());
            seen
        };
        let truth = seen(&hidden);
        others
            .iter()
            .step_by(7)
            .for_each(|other| assert_eq!(seen(other), truth));
    }
}

/// Chooses an action with some skill: after the first guess, mostly a code that fits everything the seat has seen.
fn skilled(table: &Match<CrackTheCode>, seat: Seat, codes: &[Code], chance: &mut Chance) -> Action {
    let prompt: Prompt = table.prompt(seat);
    let guessed = |event: &Event| match event {
        Event::Guessed {
            seat: by,
            code,
            pins,
        } if *by == seat => Some((code.clone(), *pins)),
        _ => None,
    };
    let made: Vec<(Code, Pins)> = table.events().iter().filter_map(guessed).collect();
    if matches!(prompt.0[0], Choice::Hide { .. }) || chance.below(5) == 0 {
        return prompt.pick(chance);
    }
    let fits = |code: &&Code| made.iter().all(|(guess, pins)| guess.pins(code) == *pins);
    let fitting: Vec<&Code> = codes.iter().filter(fits).collect();
    Action::Guess {
        code: (*chance.pick(&fitting)).clone(),
    }
}

/// Compares whole games, told in sentences, with golden files; `ARENA_BLESS=1 cargo test -p arena-engine crack_the_code` rewrites them.
#[test]
fn golden_playthroughs() {
    let codes = all_codes(5, 6);
    for (number, attempts) in [(1, 12), (2, 12), (3, 4)] {
        let rules = Rules {
            attempts,
            ..Rules::default()
        };
        let mut table = Match::<CrackTheCode>::new(&rules, 2, seed(number)).unwrap();
        let mut chance = seed(number).stream("moves", 0);
        while !table.is_over() {
            for seat in table.to_act() {
                let action = skilled(&table, seat, &codes, &mut chance);
                table.reply(seat, Reply::Act(action)).unwrap();
            }
        }
        let names = BySeat::new(2, |seat| ["Ada", "Bob"][seat.index()].to_owned());
        let mut text: Vec<String> = table
            .events()
            .iter()
            .map(|event| CrackTheCode::describe(event, &names))
            .collect();
        for (name, (place, points)) in names.iter().zip(scores(&table)) {
            text.push(format!("{name}: place {place}, {points} points"));
        }
        let text = text.join("\n") + "\n";
        let file = file("crack_the_code", &format!("golden/2-{number}.txt"));
        arena_golden::check(file, &text);
    }
}

/// Returns the lines of the first fenced block after this heading of the rules page.
fn block(heading: &str) -> Vec<String> {
    let page = std::fs::read_to_string(file("crack_the_code", "rules.md")).unwrap();
    let (_, section) = page
        .split_once(&format!("\n## {heading}\n"))
        .expect(heading);
    section
        .split("```")
        .nth(1)
        .unwrap()
        .lines()
        .skip(1)
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_worked_example_of_the_rules_page_is_true() {
    let json = |value: &Event| serde_json::to_string(value).unwrap();
    let mut table = table(
        Rules {
            attempts: 3,
            ..Rules::default()
        },
        ["36612", "44651"],
    );
    for digits in ["11223", "12345", "41165", "36216"] {
        guess(&mut table, digits);
    }
    let prompt = serde_json::to_string(&table.prompt(ADA)).unwrap();
    let mut view = View::new(
        &Rules {
            attempts: 3,
            ..Rules::default()
        },
        2,
        ADA,
    );
    table.new_events(ADA).for_each(|event| view.see(&event));
    let seen = serde_json::to_string(&view).unwrap();
    for digits in ["44651", "36126"] {
        guess(&mut table, digits);
    }
    let events: Vec<String> = table
        .events()
        .iter()
        .map(|event| json(&CrackTheCode::seen_by(event, ADA)))
        .collect();
    assert_eq!(block("A match as seat 0 sees it"), events);
    assert_eq!(
        block("What seat 0 sees before its third guess"),
        [seen, prompt]
    );
    assert_eq!(scores(&table), WIN);
}
