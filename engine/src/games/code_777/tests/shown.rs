//! Tests of hidden information, the rules page, and whole games in sentences.

use crate::chance::Chance;
use crate::game::{Game, View as _};
use crate::games::code_777::Code777;
use crate::games::code_777::card::{Card, Rack};
use crate::games::code_777::question::Question;
use crate::games::code_777::types::{Action, Claim, Event, Rules};
use crate::games::code_777::view::View;
use crate::games::file;
use crate::machine::Match;
use crate::record::Reply;
use crate::seat::{BySeat, Seat};

use super::{PASS, declare, failed, points, racks, right, seed, table, window, wrong};

/// Plays every variant at random with failures, and checks that each match ends and that views agree with the events.
#[test]
fn variants_end_and_keep_the_books() {
    for (seats, colours, dummy_racks) in [
        (2, true, true),
        (3, true, true),
        (4, true, false),
        (3, false, true),
    ] {
        for number in 0..30 {
            let rules = Rules {
                colours,
                dummy_racks,
                questions: 100,
                points: 2,
            };
            let mut table = table(&rules, seats, number);
            let mut chance = seed(number).stream("moves", 0);
            while !table.is_over() {
                window(&mut table, |table, seat| match chance.below(100) {
                    0 => failed(),
                    _ => Reply::Act(table.game().sample(seat, &mut chance)),
                });
            }
            let mut view = View::new(&rules, seats, Seat(0));
            table.new_events(Seat(0)).for_each(|event| view.see(&event));
            assert_eq!(view.racks[Seat(0)], None);
            for (seat, score) in table.verdict().unwrap().outcome.seats.seats() {
                assert_eq!(i32::from(view.points[seat]), score.points);
            }
        }
    }
}

/// Replaces the seat's cards in every event that must not show them.
fn scrambled(event: &Event, of: Seat, chance: &mut Chance) -> Event {
    match *event {
        Event::Dealt { seat, .. } if seat == of => {
            let all: Vec<Rack> = Rack::all().collect();
            Event::Dealt {
                seat,
                rack: Some(*chance.pick(&all)),
            }
        }
        event => event,
    }
}

#[test]
fn a_seat_is_never_told_its_own_cards() {
    for number in 0..50 {
        let mut table = table(
            &Rules {
                questions: 60,
                points: 20,
                ..Rules::default()
            },
            4,
            number,
        );
        let mut chance = seed(number).stream("moves", 0);
        while !table.is_over() {
            window(&mut table, |table, seat| {
                Reply::Act(table.game().sample(seat, &mut chance))
            });
        }
        for seat in Seat::all(4) {
            for event in table.events() {
                let line =
                    |event: &Event| serde_json::to_string(&Code777::seen_by(event, seat)).unwrap();
                assert_eq!(line(event), line(&scrambled(event, seat, &mut chance)));
            }
        }
    }
}

/// Finds deals that differ only in a seat's own rack, and checks that they look the same to the seat from then on. Later events reveal the
/// rack only through answers and the pile, which everybody sees.
#[test]
fn two_tables_that_differ_only_in_the_own_rack_look_the_same() {
    let look = |table: &mut Match<Code777>| {
        let events: Vec<Event> = table.new_events(Seat(0)).collect();
        (
            serde_json::to_string(&events).unwrap(),
            serde_json::to_string(&table.prompt(Seat(0))).unwrap(),
        )
    };
    let rules = Rules::default();
    let mut found = std::collections::BTreeMap::new();
    let mut pairs = 0;
    for number in 0..30_000 {
        let mut table = table(&rules, 2, number);
        let own = racks(&table)[0].unwrap();
        // Seat 0 answered first without seeing its own rack, so its events so far do not depend on the rack.
        if let Some(other) = found.insert(look(&mut table), own) {
            pairs += u32::from(other != own);
        }
    }
    assert!(pairs > 1000, "{pairs}");
}

/// Compares the text with the fenced block of the rules page, or rewrites the block.
fn shown_on_the_page(fence: &str, text: &str) {
    let file = file("code_777", "rules.md");
    arena_golden::check_part(file, [&format!("```{fence}\n"), "```"], text);
}

/// Compares the example with a real match; `ARENA_BLESS=1 cargo test -p arena-engine code_777` rewrites it.
#[test]
fn the_match_on_the_rules_page_is_what_happens() {
    let rules = Rules {
        points: 1,
        ..Rules::default()
    };
    let mut table = table(&rules, 3, 7);
    let mut view = View::new(&rules, 3, Seat(0));
    let mut lines = String::new();
    let mut watch = |table: &mut Match<Code777>| {
        for event in table.new_events(Seat(0)) {
            view.see(&event);
            lines += &(serde_json::to_string(&event).unwrap() + "\n");
        }
        serde_json::to_string(&view).unwrap() + "\n"
    };
    declare(&mut table, &[]);
    window(&mut table, |_, seat| {
        Reply::Act(if seat.0 == 1 {
            Action::Declare(Claim::Numbers([5, 6, 7]))
        } else {
            PASS
        })
    });
    declare(&mut table, &[]);
    let view = watch(&mut table);
    declare(&mut table, &[0]);
    watch(&mut table);
    assert!(table.is_over());
    shown_on_the_page("jsonl", &lines);
    shown_on_the_page("json", &view);
}

#[test]
fn the_rules_page_tells_all_cards_questions_and_rules() {
    let page = std::fs::read_to_string(file("code_777", "rules.md")).unwrap();
    for card in Card::all() {
        assert!(
            page.contains(&format!("| `{card}` | {} ", card.number())),
            "{card}"
        );
        assert!(page.contains(&format!(" | {} |", card.copies())), "{card}");
    }
    for question in Question::all() {
        let text = question.to_string();
        let asks: Vec<&str> = match text
            .strip_prefix("Do you see more ")
            .and_then(|rest| rest.strip_suffix('?'))
        {
            Some(kinds) => kinds.split(" or more ").collect(),
            None => vec![
                text.trim_start_matches("On how many racks is this true: ")
                    .trim_start_matches("How many "),
            ],
        };
        assert!(
            page.contains(&format!("| {} | {}", question.number(), asks.join(", "))),
            "{question}"
        );
    }
    let rules = serde_json::to_value(Rules::default()).unwrap();
    for (rule, default) in rules.as_object().unwrap() {
        assert!(
            page.contains(&format!("| `{rule}` | {default} |")),
            "{rule}"
        );
    }
}

/// Plays a match in which half the declarations are correct and the rest random, so that every kind of event occurs.
fn lively(table: &mut Match<Code777>, number: u64) {
    let mut chance = seed(number).stream("moves", 0);
    while !table.is_over() {
        window(table, |table, seat| {
            Reply::Act(match chance.below(12) {
                0 => right(table, seat),
                1 => wrong(),
                _ => PASS,
            })
        });
    }
}

/// Compares whole games, told in sentences, with golden files; `ARENA_BLESS=1 cargo test -p arena-engine code_777` rewrites them.
#[test]
fn golden_playthroughs() {
    for (seats, number) in [(2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2)] {
        let rules = Rules {
            dummy_racks: number == 2,
            ..Rules::default()
        };
        let mut table = table(&rules, seats, number);
        lively(&mut table, number);
        let names = BySeat::new(seats, |seat| {
            ["Ada", "Bob", "Cleo", "Dan"][seat.index()].to_owned()
        });
        let mut text: Vec<String> = table
            .events()
            .iter()
            .map(|event| Code777::describe(event, &names))
            .collect();
        let result = points(&table).into_iter().enumerate();
        text.extend(result.map(|(seat, (place, points))| {
            format!(
                "{}: place {place}, {points} points",
                names[Seat(seat as u8)]
            )
        }));
        let text = text.join("\n") + "\n";
        let file = file("code_777", &format!("golden/{seats}-{number}.txt"));
        arena_golden::check(file, &text);
    }
}
