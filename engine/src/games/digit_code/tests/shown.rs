//! Tests of hidden information, whole games in sentences, and the rules page.

use crate::chance::Chance;
use crate::game::{Game, Prompt as _, Rules as _};
use crate::games::digit_code::types::{Choice, Master};
use crate::games::digit_code::view::View;
use crate::games::file;
use crate::seat::BySeat;

use super::*;

/// Returns all events and prompts that are sent to a seat in a match.
fn lines(mut table: Match<DigitCode>, seat: Seat, actions: &[(u8, Action)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (who, action) in actions {
        lines.extend(
            table
                .new_events(seat)
                .map(|event| serde_json::to_string(&event).unwrap()),
        );
        if table.to_act().contains(seat) {
            lines.push(serde_json::to_string(&table.prompt(seat)).unwrap());
        }
        act(&mut table, *who, *action);
    }
    lines.extend(
        table
            .new_events(seat)
            .map(|event| serde_json::to_string(&event).unwrap()),
    );
    lines
}

#[test]
fn codes_with_equal_answers_look_the_same() {
    let play = |hidden: &str, seat| {
        let mut actions = vec![
            (
                0,
                Action::Hide {
                    code: code("012345"),
                },
            ),
            (1, Action::Hide { code: code(hidden) }),
        ];
        actions.extend([LINE, PARITY, LARGER, PLACE].map(|question| (0, question)));
        actions.extend([LINE, PARITY, LARGER, PLACE].map(|question| (1, question)));
        actions.extend([
            (0, LINE),
            (1, PLACE),
            (
                0,
                Action::Declare {
                    code: code("987654"),
                },
            ),
        ]);
        lines(table(&Rules::default(), 2), Seat(seat), &actions)
    };
    // Both codes have four filled places on row P, an even W, V larger than U, and a U other than 2.
    assert_eq!(play("204817", 0), play("614871", 0));
    assert_ne!(play("204817", 1), play("614871", 1));
}

#[test]
fn hidden_codes_do_not_show_in_what_others_are_told() {
    let other = |code: Code, chance: &mut Chance| {
        std::iter::repeat_with(|| Code::random(chance))
            .find(|found| *found != code)
            .unwrap()
    };
    for (rules, seats) in (2..=5).flat_map(|seats| {
        Rules::variants()
            .into_iter()
            .map(move |rules| (rules, seats))
    }) {
        if rules.check(seats).is_err() {
            continue;
        }
        for number in 0..20 {
            let mut chance = seed(number).stream("moves", 0);
            let mut table = Match::<DigitCode>::new(&rules, seats, seed(number)).unwrap();
            play_on(&mut table, |table, seat| {
                table.game().sample(seat, &mut chance)
            });
            for event in table.events() {
                let Event::Hid {
                    seat: owner,
                    code: Some(code),
                } = event
                else {
                    continue;
                };
                let scrambled = Event::Hid {
                    seat: *owner,
                    code: Some(other(*code, &mut chance)),
                };
                for seat in Seat::all(seats)
                    .into_iter()
                    .filter(|seat| Some(*seat) != *owner)
                {
                    assert_eq!(
                        DigitCode::seen_by(event, seat),
                        DigitCode::seen_by(&scrambled, seat)
                    );
                }
                let own = owner.map(|owner| DigitCode::seen_by(event, owner));
                assert!(own.is_none_or(|own| own == *event), "its owner sees it");
            }
        }
    }
}

#[test]
fn a_referee_can_check_every_answer_from_the_true_events() {
    for seats in 2..=5 {
        for number in 0..20 {
            let mut table =
                Match::<DigitCode>::new(&Rules::default(), seats, seed(number)).unwrap();
            let mut chance = seed(number).stream("moves", 0);
            play_on(&mut table, |table, seat| {
                table.game().sample(seat, &mut chance)
            });
            let mut codes = Vec::new();
            for event in table.events() {
                match *event {
                    Event::GameStarted { .. } => codes.clear(),
                    Event::Hid { seat, code } => codes.push((seat, code.unwrap())),
                    Event::Revealed { seat, code } => assert!(codes.contains(&(seat, code))),
                    Event::Declared { seat, code, right } => {
                        let (_, secret) = codes
                            .iter()
                            .find(|(owner, _)| *owner != Some(seat))
                            .unwrap();
                        assert_eq!(right, code == *secret);
                    }
                    event => {
                        let Some((seat, question, answer)) = event.question() else {
                            continue;
                        };
                        let (_, secret) = codes
                            .iter()
                            .find(|(owner, _)| *owner != Some(seat))
                            .unwrap();
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
    let [Choice::Hide { code: samples }] = prompt.0.as_slice() else {
        panic!()
    };
    assert_eq!(samples.len(), 8);
    assert_eq!(
        prompt.permits(&Action::Hide {
            code: code("012345")
        }),
        Ok(())
    );
    assert!(serde_json::from_str::<Action>(r#"{"hide":{"code":"012344"}}"#).is_err());
}

#[test]
fn samples_tell_nothing_of_the_code_that_the_engine_hides() {
    let short = Rules {
        turn_limit: 3,
        ..Rules::default()
    };
    let mut secrets = 0;
    for number in 0..2_000 {
        let mut table = Match::<DigitCode>::new(&short, 3, seed(number)).unwrap();
        play_on(&mut table, |table, seat| {
            let prompt = table.prompt(seat);
            let samples = prompt.0.iter().find_map(|choice| match choice {
                Choice::Declare { code } => Some(code.clone()),
                _ => None,
            });
            secrets += samples.map_or(0, |samples| {
                samples
                    .iter()
                    .filter(|code| **code == secret(table, seat))
                    .count()
            });
            LINE
        });
    }
    // Each match has six prompts with eight sample codes each, out of several hundred thousand codes.
    assert!(secrets <= 3, "{secrets}");
}

#[test]
fn the_view_is_the_solution_sheet() {
    use crate::game::View as _;
    let mut table = two(&Rules::default(), ["012345", "204817"]);
    first_turns(&mut table);
    declare(&mut table, 0, "987654");
    let mut view = View::new(&Rules::default(), 2, Seat(1));
    table.new_events(Seat(1)).for_each(|event| view.see(&event));
    assert_eq!(
        (view.game, view.code, view.sheet.len()),
        (1, Some(code("204817")), 9)
    );
    assert_eq!(view.wrong, BySeat::new(2, |seat| u8::from(seat.0 == 0)));
    act(&mut table, 1, LINE);
    declare(&mut table, 0, "204817");
    table.new_events(Seat(1)).for_each(|event| view.see(&event));
    assert!(view.last_chance);
    declare(&mut table, 1, "012345");
    table.new_events(Seat(1)).for_each(|event| view.see(&event));
    assert_eq!(
        (view.game, view.first, view.code, view.last_chance),
        (2, Seat(1), None, false)
    );
    assert!(view.sheet.is_empty());
}

/// Compares whole games, told in sentences, with golden files; `ARENA_BLESS=1 cargo test -p arena-engine digit_code` rewrites them.
#[test]
fn golden_playthroughs() {
    let default = Rules::default();
    let masters = Rules {
        master: Master::Seats,
        ..Rules::default()
    };
    // The two-seat games: one has a draw with its replay and a second wrong declaration, the other a wrong last declaration.
    let two = [("", &default, 2, 46), ("", &default, 2, 9)].into_iter();
    let tables =
        two.chain((3..=5).flat_map(|seats| [("", &default, seats, 1), ("", &default, seats, 2)]));
    for (variant, rules, seats, number) in
        tables.chain([("masters-", &masters, 3, 1), ("masters-", &masters, 4, 2)])
    {
        let mut table = Match::<DigitCode>::new(rules, seats, seed(number)).unwrap();
        let mut chance = seed(number).stream("moves", 0);
        play_on(&mut table, |table, seat| {
            let prompt = table.prompt(seat);
            let may_declare = prompt
                .0
                .iter()
                .any(|choice| matches!(choice, Choice::Declare { .. }));
            // Declare now and then, half of the time correctly, so that every kind of event occurs.
            match chance.below(10) {
                0 | 1 if may_declare => Action::Declare {
                    code: secret(table, seat),
                },
                2 | 3 if may_declare => Action::Declare {
                    code: Code::random(&mut chance),
                },
                _ => prompt.pick(&mut chance),
            }
        });
        let names = BySeat::new(seats, |seat| {
            ["Ada", "Bob", "Cleo", "Dan", "Eve"][seat.index()].to_owned()
        });
        let mut text: Vec<String> = table
            .events()
            .iter()
            .map(|event| DigitCode::describe(event, &names))
            .collect();
        let result = names.iter().zip(scores(&table));
        text.extend(
            result.map(|(name, (place, points))| format!("{name}: place {place}, {points} points")),
        );
        let text = text.join("\n") + "\n";
        let file = file(
            "digit_code",
            &format!("golden/{variant}{seats}-{number}.txt"),
        );
        arena_golden::check(file, &text);
    }
}

/// Returns the rules page for people and bot authors.
fn page() -> String {
    std::fs::read_to_string(file("digit_code", "rules.md")).unwrap()
}

#[test]
fn the_short_match_on_the_page_of_the_rules_is_played_like_that() {
    use crate::game::View as _;
    let page = page();
    let mut blocks = page
        .split("\n```json\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap());
    let replies = blocks.next().unwrap();
    let mut table = table(&Rules::default(), 2);
    let mut seen = String::new();
    for line in replies.lines() {
        if table.to_act().only() == Some(Seat(1)) {
            let mut view = View::new(&Rules::default(), 2, Seat(1));
            table
                .events()
                .iter()
                .for_each(|event| view.see(&DigitCode::seen_by(event, Seat(1))));
            seen = serde_json::to_string(&view).unwrap() + "\n";
        }
        let (seat, action): (u8, Action) = serde_json::from_str(line).unwrap();
        act(&mut table, seat, action);
    }
    assert!(table.is_over());
    let lines = table
        .events()
        .iter()
        .map(|event| serde_json::to_string(event).unwrap() + "\n");
    assert_eq!(blocks.next().unwrap(), lines.collect::<String>());
    assert_eq!(blocks.next().unwrap(), seen);
}

#[test]
fn the_examples_on_the_page_of_the_rules_are_understood() {
    fn reads<T: serde::de::DeserializeOwned + serde::Serialize>(text: &str) -> bool {
        serde_json::from_str::<T>(text)
            .is_ok_and(|value| serde_json::to_string(&value).unwrap() == text)
    }
    let page = page();
    let shown: Vec<&str> = page
        .split('`')
        .filter(|part| part.starts_with("{\""))
        .collect();
    assert_eq!(shown.len(), 25);
    for text in shown {
        let understood = reads::<Choice>(text)
            || reads::<Action>(text)
            || reads::<Event>(text)
            || reads::<Rules>(text);
        assert!(understood, "{text}");
    }
}

#[test]
fn the_digits_on_the_page_of_the_rules_are_drawn_like_that() {
    let page = page();
    let blocks: Vec<&str> = page
        .split("\n```text\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    let squeezed = |line: &str| {
        line.chars()
            .filter(|c| ['.', '#'].contains(c))
            .collect::<String>()
    };
    let rows: Vec<String> = blocks[0].lines().skip(1).map(squeezed).collect();
    assert_eq!(rows, drawing(code("012345")));
    let rows: Vec<String> = blocks[1].lines().map(squeezed).collect();
    let [first, second] = ["678012", "901234"].map(|text| drawing(code(text)));
    assert_eq!(
        rows,
        (0..5)
            .map(|row| first[row].clone() + &second[row][..3])
            .collect::<Vec<_>>()
    );
}
