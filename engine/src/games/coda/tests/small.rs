//! Small games of Coda: fewer numbers and fewer first panels.

use crate::chance::Seed;
use crate::game::{Game, Rules as _};
use crate::games::coda::Coda;
use crate::games::coda::panel::{Colour, Panel, Shown};
use crate::games::coda::types::{Action, Event, Rules};
use crate::machine::Match;
use crate::record::Reply;
use crate::seat::Seat;
use crate::set::Set;

#[test]
fn in_a_small_game_a_seat_takes_the_colour_that_is_left() {
    let rules = Rules {
        rounds: 1,
        numbers: 3,
        panels: 2,
        ..Rules::default()
    };
    for number in 0..20 {
        let seed = Seed::try_from(number).unwrap();
        let mut table = Match::<Coda>::new(&rules, 2, seed).unwrap();
        // Both seats choose two dark panels, but only three exist.
        for seat in table.to_act() {
            table
                .reply(seat, Reply::Act(Action::SetUp { dark: 2 }))
                .unwrap();
        }
        let mut chance = seed.stream("moves", 0);
        while !table.is_over() {
            for seat in table.to_act() {
                let action = table.game().sample(seat, &mut chance);
                table.reply(seat, Reply::Act(action)).unwrap();
            }
        }
        let codes = table.events().iter().filter_map(|event| match event {
            Event::SetUp { seat, code } => Some((*seat, code)),
            _ => None,
        });
        let dark = codes.map(|(seat, code)| {
            (
                seat,
                code.iter()
                    .filter(|panel| panel.colour == Colour::Dark)
                    .count(),
            )
        });
        assert_eq!(dark.collect::<Vec<_>>(), [(Seat(0), 2), (Seat(1), 1)]);
        let panels = table.events().iter().flat_map(|event| match event {
            Event::SetUp { code, .. } => code.iter().copied().collect(),
            Event::Drew { panel, .. } => vec![*panel],
            _ => vec![],
        });
        let panels: Set<Panel> = panels.filter_map(Shown::panel).collect();
        assert_eq!(panels.without(Panel::all(rules.deck())), Set::EMPTY);
    }
}

#[test]
fn small_games_have_panels_for_all_seats() {
    let rules = |numbers, panels| Rules {
        numbers,
        panels,
        ..Rules::default()
    };
    for (numbers, panels, seats) in [(2, 1, 4), (2, 2, 2), (4, 4, 2), (6, 4, 4), (12, 4, 4)] {
        assert_eq!(
            rules(numbers, panels).check(seats),
            Ok(()),
            "{numbers} {panels} {seats}"
        );
    }
    for (numbers, panels, seats, why) in [
        (1, 4, 2, "numbers must be 2 to 12, not 1"),
        (13, 4, 2, "numbers must be 2 to 12, not 13"),
        (12, 0, 2, "panels must be 1 to 4, not 0"),
        (12, 5, 2, "panels must be 1 to 4, not 5"),
        (
            3,
            4,
            2,
            "2 seats with 4 panels each need more than the 6 there are",
        ),
    ] {
        assert_eq!(rules(numbers, panels).check(seats).unwrap_err(), why);
    }
    let written = |rules: Rules| serde_json::to_string(&rules).unwrap();
    assert_eq!(
        written(rules(12, 4)),
        r#"{"rounds":3,"dashes":false,"late_moves":2}"#
    );
    assert_eq!(
        written(rules(3, 1)),
        r#"{"rounds":3,"dashes":false,"numbers":3,"panels":1,"late_moves":2}"#
    );
}
