//! Tests of the cards, questions, declarations and rules.

use std::collections::BTreeSet;

use crate::game::{Prompt as _, Rules as _};
use crate::games::code_777::card::{CARDS, Card, Cards, Rack};
use crate::games::code_777::question::{Answer, Question};
use crate::games::code_777::types::{Action, Claim, Rules};
use crate::record::Reply;
use crate::seat::Seat;

use super::{PASS, points, rack, racks, table, window, wrong};

#[test]
fn there_are_28_cards_76_possible_codes_and_251_with_colours() {
    assert_eq!(Card::all().into_iter().map(Card::copies).sum::<u8>(), 28);
    assert_eq!(CARDS, 28);
    for number in 1..=7 {
        let same = Card::all()
            .into_iter()
            .filter(|card| card.number() == number);
        assert_eq!(
            same.map(Card::copies).sum::<u8>(),
            number,
            "there are as many cards of a number as it says"
        );
    }
    let kinds: Vec<String> = Card::all()
        .into_iter()
        .map(|card| format!("{} {card}", card.copies()))
        .collect();
    let listed = [
        "1 G1", "2 Y2", "3 K3", "4 N4", "4 R5", "1 K5", "3 G6", "3 P6", "1 P7", "2 Y7", "4 B7",
    ];
    assert_eq!(kinds, listed);
    let numbers: BTreeSet<[u8; 3]> = Rack::all().map(|rack| rack.numbers()).collect();
    assert_eq!((numbers.len(), Rack::all().count()), (76, 251));
    let ways: u32 = Rack::all().map(|rack| Cards::full().ways(&rack)).sum();
    assert_eq!(ways, 28 * 27 * 26 / 6);
}

#[test]
fn every_question_is_answered_as_a_person_would() {
    use Answer::{Count, First, Same, Second};
    // A comment at the end of a line shows the numbers counted: one per rack, or as first : second.
    let a = [rack("R5 G6 B7"), rack("K3 N4 K5"), rack("Y2 K3 N4")];
    let b = [rack("K5 R5 P6"), rack("G6 P6 P6"), rack("B7 Y7 P7")];
    let c = [rack("G1 Y2 Y2"), rack("K3 K3 K5"), rack("Y7 Y7 R5")];
    let expected: [(u8, [Answer; 3]); 23] = [
        (1, [Count(1), Count(2), Count(1)]), // sums 18 12 9 | 16 18 21 | 5 11 19
        (2, [Count(2), Count(0), Count(2)]),
        (3, [Count(0), Count(3), Count(0)]), // 5 5, 6 6, 7 7; two alike are not two colours
        (4, [Count(2), Count(2), Count(0)]), // R G B, Y K N | K R P, B Y P
        (5, [Count(0), Count(2), Count(2)]), // 6 6 6, 7 7 7 | 3 3 5, 7 7 5
        (6, [Count(0), Count(1), Count(3)]),
        (7, [Count(3), Count(0), Count(0)]),
        (8, [Count(6), Count(6), Count(4)]), // R G B K N Y | K R P G B Y | G Y K R
        (9, [Count(1), Count(1), Count(2)]), // K3 K5 K3 | P6 P6 P6 P7 | Y2 Y2 Y7 Y7, K3 K3 K5
        (10, [Count(1), Count(4), Count(2)]), // 1 | 1 2 3 4 | 4 6
        (11, [Count(1), Count(2), Count(2)]),
        (12, [First, Second, First]),
        (13, [First, Same, Second]), // 1:0 | 1:1 | 0:2
        (14, [First, Second, Same]), // 1:0 | 0:1 | 2:2
        (15, [Second, First, Same]), // 0:1 | 3:1 | 0:0
        (16, [First, Second, Second]),
        (17, [First, Second, Same]),  // 2:1 | 0:1 | 0:0
        (18, [First, Second, First]), // 1:0 | 1:4 | 1:0
        (19, [Same, Same, First]),
        (20, [First, Second, First]),
        (21, [First, First, First]), // 3:2 | 1:0 | 3:0
        (22, [First, Same, First]),  // 3:1 | 1:1 | 3:1
        (23, [Same, Same, Second]),  // 1:1 | 1:1 | 1:4
    ];
    for (number, answers) in expected {
        let question = Question::try_from(number).unwrap();
        let given = [&a, &b, &c].map(|seen| question.answer(seen));
        assert_eq!(given, answers, "{number}: {question}");
    }
    assert!(Question::try_from(0).is_err() && Question::try_from(24).is_err());
}

#[test]
fn a_question_that_sees_nothing_of_either_is_answered_the_same() {
    let seen = [rack("G1 Y2 Y2")];
    let same = [12, 15, 16, 17, 18, 21, 22]
        .map(|number| Question::try_from(number).unwrap().answer(&seen));
    assert_eq!(same, [Answer::Same; 7]);
}

#[test]
fn a_rack_counts_once_however_many_pairs_match() {
    let answer = |number, seen: &[Rack]| Question::try_from(number).unwrap().answer(seen);
    assert_eq!(answer(3, &[rack("P7 Y7 B7")]), Answer::Count(1));
    assert_eq!(
        answer(6, &[rack("B7 B7 B7"), rack("B7 Y7 Y7")]),
        Answer::Count(2)
    );
    assert_eq!(
        answer(3, &[rack("B7 B7 B7"), rack("B7 Y7 Y7")]),
        Answer::Count(1)
    );
}

#[test]
fn a_declaration_counts_in_any_order_and_without_colours() {
    for (order, number) in [
        ([0, 1, 2], 1),
        ([2, 0, 1], 1),
        ([1, 2, 0], 2),
        ([2, 1, 0], 3),
    ] {
        let mut table = table(
            &Rules {
                points: 1,
                ..Rules::default()
            },
            2,
            number,
        );
        let numbers = racks(&table)[1].unwrap().numbers();
        let action = Action::Declare(Claim::Numbers(order.map(|i| numbers[i])));
        window(&mut table, |_, seat| {
            Reply::Act(if seat.0 == 1 { action } else { PASS })
        });
        assert_eq!(points(&table), [(2, 0), (1, 1)]);
    }
    let twice = Claim::Numbers([5, 7, 5]);
    assert!(twice.right(&rack("K5 R5 B7")) && twice.right(&rack("R5 R5 P7")));
    assert!(!twice.right(&rack("R5 B7 B7")) && !twice.right(&rack("R5 P6 B7")));
}

#[test]
fn in_the_advanced_variation_colours_count() {
    let claim = Claim::Cards(["B7", "K5", "R5"].map(|card| card.parse().unwrap()));
    assert!(claim.right(&rack("R5 K5 B7")));
    assert!(!claim.right(&rack("R5 R5 B7")) && !claim.right(&rack("R5 K5 Y7")));

    let rules = Rules {
        colours: true,
        points: 1,
        ..Rules::default()
    };
    let mut table = table(&rules, 2, 4);
    let prompt = serde_json::to_string(&table.prompt(Seat(0))).unwrap();
    let cards = r#"["G1","Y2","K3","N4","R5","K5","G6","P6","P7","Y7","B7"]"#;
    assert_eq!(
        prompt,
        format!(r#"[{{"pass":{{}}}},{{"declare":{{"cards":[{cards},{cards},{cards}]}}}}]"#)
    );
    assert!(
        table.prompt(Seat(0)).permits(&wrong()).is_err(),
        "numbers are not enough"
    );
    let mut cards = racks(&table)[0].unwrap().cards();
    cards.reverse();
    window(&mut table, |_, seat| {
        Reply::Act(if seat.0 == 0 {
            Action::Declare(Claim::Cards(cards))
        } else {
            PASS
        })
    });
    assert_eq!(points(&table), [(1, 1), (2, 0)]);
}

#[test]
fn the_prompt_offers_passing_and_three_numbers() {
    let table = table(&Rules::default(), 2, 1);
    let prompt = table.prompt(Seat(1));
    let numbers = "[1,2,3,4,5,6,7]";
    let json =
        format!(r#"[{{"pass":{{}}}},{{"declare":{{"numbers":[{numbers},{numbers},{numbers}]}}}}]"#);
    assert_eq!(serde_json::to_string(&prompt).unwrap(), json);
    let permits = |text: &str| {
        prompt
            .permits(&serde_json::from_str(text).unwrap())
            .map_err(|illegal| illegal.0)
    };
    assert_eq!(permits(r#"{"pass":{}}"#), Ok(()));
    assert_eq!(
        permits(r#"{"declare":{"numbers":[7,1,1]}}"#),
        Ok(()),
        "what cannot be is allowed, and wrong"
    );
    let why = "number = 8 is not legal here; choose one of 1, 2, 3, 4, 5, 6, 7";
    assert_eq!(
        permits(r#"{"declare":{"numbers":[7,8,0]}}"#),
        Err(why.into())
    );
    let why = "declare numbers here, not cards: colours do not count";
    assert_eq!(
        permits(r#"{"declare":{"cards":["G1","Y2","K3"]}}"#),
        Err(why.into())
    );
    assert!(serde_json::from_str::<Action>(r#"{"declare":{"numbers":[7,6]}}"#).is_err());
    assert!(serde_json::from_str::<Action>(r#"{"declare":{"numbers":[7,6,5,4]}}"#).is_err());
    assert!(serde_json::from_str::<Action>(r#"{"declare":{"cards":["G1","Y2","R3"]}}"#).is_err());
}

#[test]
fn rules_are_checked() {
    let rules = |text: &str| serde_json::from_str::<Rules>(text).map_err(|error| error.to_string());
    assert_eq!(rules("{}"), Ok(Rules::default()));
    assert_eq!(
        rules(r#"{"colours":true,"points":5}"#).unwrap().check(4),
        Ok(())
    );
    assert_eq!(
        rules(r#"{"points":0}"#).unwrap().check(2),
        Err("points must be 1 to 20, not 0".into())
    );
    assert_eq!(
        rules(r#"{"questions":0}"#).unwrap().check(2),
        Err("questions must be 1 to 10000, not 0".into())
    );
    assert!(rules(r#"{"colour":true}"#).is_err());
}
