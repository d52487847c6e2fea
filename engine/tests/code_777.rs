//! Code 777 to the letter: the cards, the questions, declarations, the corners of the rules, and whole games in words.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use arena_engine::chance::{Chance, Seed};
use arena_engine::game::{Ask, Game, Rules as _, View as _};
use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::card::{CARDS, Card, Cards, Rack};
use arena_engine::games::code_777::question::{Answer, Question};
use arena_engine::games::code_777::view::View;
use arena_engine::games::code_777::words::{Action, Claim, Event, Rules};
use arena_engine::machine::{Match, Reply};
use arena_engine::outcome::{Cause, Ended, Fault};
use arena_engine::seat::{BySeat, Seat};
use arena_engine::set::Set;

const PASS: Action = Action::Pass {};

fn seed(seed: u64) -> Seed {
    Seed::try_from(seed).unwrap()
}

fn table(rules: &Rules, seats: usize, number: u64) -> Match<Code777> {
    Match::new(rules, seats, seed(number)).unwrap()
}

fn rack(text: &str) -> Rack {
    let cards: Vec<Card> = text.split(' ').map(|card| card.parse().unwrap()).collect();
    Rack::from(<[Card; 3]>::try_from(cards).unwrap())
}

/// The rack that stands before each seat, from the events alone.
fn racks(table: &Match<Code777>) -> Vec<Option<Rack>> {
    let mut racks = vec![None; table.record().seats];
    for event in table.events() {
        match *event {
            Event::Dealt { seat, rack } => racks[seat.index()] = rack,
            Event::Declared { seat, .. } | Event::Withdrew { seat, .. } => racks[seat.index()] = None,
            _ => {}
        }
    }
    racks
}

fn right(table: &Match<Code777>, seat: Seat) -> Action {
    Action::Declare(Claim::Numbers(racks(table)[seat.index()].unwrap().numbers()))
}

fn wrong() -> Action {
    Action::Declare(Claim::Numbers([1, 1, 1]))
}

fn failed() -> Reply<Action> {
    Reply::Failed(Fault { cause: Cause::Crash, detail: "exited".into() })
}

/// One window: every seat that is asked replies as `reply` says.
fn window(table: &mut Match<Code777>, mut reply: impl FnMut(&Match<Code777>, Seat) -> Reply<Action>) {
    for seat in table.asked() {
        let reply = reply(table, seat);
        table.reply(seat, reply).unwrap();
    }
}

/// One window in which these seats declare rightly and the others pass.
fn declare(table: &mut Match<Code777>, seats: &[u8]) {
    window(table, |table, seat| Reply::Act(if seats.contains(&seat.0) { right(table, seat) } else { PASS }));
}

fn points(table: &Match<Code777>) -> Vec<(u8, i32)> {
    table.verdict().unwrap().outcome.seats.iter().map(|score| (score.place, score.points)).collect()
}

/// The seats that were asked questions, in order.
fn askers(table: &Match<Code777>) -> Vec<u8> {
    let asked = table.events().iter().filter_map(|event| match event {
        Event::Answered { seat, .. } => Some(seat.0),
        _ => None,
    });
    asked.collect()
}

#[test]
fn there_are_28_cards_76_possible_codes_and_251_with_colours() {
    assert_eq!(Card::all().into_iter().map(Card::copies).sum::<u8>(), 28);
    assert_eq!(CARDS, 28);
    for number in 1..=7 {
        let same = Card::all().into_iter().filter(|card| card.number() == number);
        assert_eq!(same.map(Card::copies).sum::<u8>(), number, "there are as many cards of a number as it says");
    }
    let kinds: Vec<String> = Card::all().into_iter().map(|card| format!("{} {card}", card.copies())).collect();
    let listed = ["1 G1", "2 Y2", "3 K3", "4 N4", "4 R5", "1 K5", "3 G6", "3 P6", "1 P7", "2 Y7", "4 B7"];
    assert_eq!(kinds, listed);
    let numbers: BTreeSet<[u8; 3]> = Rack::all().map(|rack| rack.numbers()).collect();
    assert_eq!((numbers.len(), Rack::all().count()), (76, 251));
    let ways: u32 = Rack::all().map(|rack| Cards::full().ways(&rack)).sum();
    assert_eq!(ways, 28 * 27 * 26 / 6);
}

#[test]
fn every_question_is_answered_as_a_person_would() {
    use Answer::{Count, First, Same, Second};
    // Beside a line: what is counted, by rack or as first : second.
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
        (8, [Count(6), Count(6), Count(4)]),  // R G B K N Y | K R P G B Y | G Y K R
        (9, [Count(1), Count(1), Count(2)]),  // K3 K5 K3 | P6 P6 P6 P7 | Y2 Y2 Y7 Y7, K3 K3 K5
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
    let same = [12, 15, 16, 17, 18, 21, 22].map(|number| Question::try_from(number).unwrap().answer(&seen));
    assert_eq!(same, [Answer::Same; 7]);
}

#[test]
fn a_rack_counts_once_however_many_pairs_match() {
    let ask = |number, seen: &[Rack]| Question::try_from(number).unwrap().answer(seen);
    assert_eq!(ask(3, &[rack("P7 Y7 B7")]), Answer::Count(1));
    assert_eq!(ask(6, &[rack("B7 B7 B7"), rack("B7 Y7 Y7")]), Answer::Count(2));
    assert_eq!(ask(3, &[rack("B7 B7 B7"), rack("B7 Y7 Y7")]), Answer::Count(1));
}

#[test]
fn answers_are_what_the_asked_seat_sees_without_its_own_rack() {
    for (seats, dummy_racks) in [(2, false), (2, true), (3, false), (3, true), (4, false), (4, true)] {
        for number in 0..20 {
            let rules = Rules { dummy_racks, questions: 40, ..Rules::default() };
            let mut table = table(&rules, seats, number);
            let mut chance = seed(number).stream("moves", 0);
            while !table.over() {
                let standing = racks(&table);
                let dummies = table.events().iter().filter_map(|event| match event {
                    Event::Dummy { rack } => Some(*rack),
                    _ => None,
                });
                let mut seen: Vec<Rack> = dummies.collect();
                assert_eq!(seen.len(), if dummy_racks { 4 - seats } else { 0 });
                let Some(Event::Answered { seat, question, answer }) = table.events().last().copied() else {
                    panic!("a question comes before every window");
                };
                seen.extend((0..seats).filter(|other| *other != seat.index()).filter_map(|other| standing[other]));
                assert!(!dummy_racks || seen.len() == 3, "everybody sees three racks");
                assert_eq!(question.answer(&seen), answer);
                window(&mut table, |table, seat| Reply::Act(table.game().sample(seat, &mut chance)));
            }
        }
    }
}

#[test]
fn seats_are_asked_in_turn_beginning_with_seat_0_whoever_declares() {
    let mut table = table(&Rules { points: 20, ..Rules::default() }, 3, 1);
    for declaring in [&[][..], &[1], &[0, 2], &[], &[0, 1, 2], &[]] {
        declare(&mut table, declaring);
    }
    assert_eq!(askers(&table), [0, 1, 2, 0, 1, 2, 0]);
}

#[test]
fn all_seats_are_asked_after_every_question() {
    let mut table = table(&Rules::default(), 4, 1);
    for _ in 0..5 {
        assert_eq!(table.asked(), Seat::all(4));
        declare(&mut table, &[]);
    }
}

#[test]
fn each_question_comes_once_before_they_are_shuffled_again() {
    let mut table = table(&Rules { questions: 60, ..Rules::default() }, 2, 3);
    while !table.over() {
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
        assert_eq!(pass.iter().copied().collect::<BTreeSet<_>>(), Question::all().collect());
    }
    assert_ne!(passes[0], passes[1]);
    assert_eq!(points(&table), [(1, 0), (1, 0)], "nobody ever declared: a draw");
}

#[test]
fn questions_do_not_depend_on_what_the_seats_do() {
    let questions = |declaring: &[u8]| {
        let mut table = table(&Rules { points: 20, questions: 19, ..Rules::default() }, 3, 5);
        while !table.over() {
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
fn a_declaration_counts_in_any_order_and_without_colours() {
    for (order, number) in [([0, 1, 2], 1), ([2, 0, 1], 1), ([1, 2, 0], 2), ([2, 1, 0], 3)] {
        let mut table = table(&Rules { points: 1, ..Rules::default() }, 2, number);
        let numbers = racks(&table)[1].unwrap().numbers();
        let action = Action::Declare(Claim::Numbers(order.map(|i| numbers[i])));
        window(&mut table, |_, seat| Reply::Act(if seat.0 == 1 { action } else { PASS }));
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

    let rules = Rules { colours: true, points: 1, ..Rules::default() };
    let mut table = table(&rules, 2, 4);
    let prompt = serde_json::to_string(&table.prompt(Seat(0))).unwrap();
    let cards = r#"["G1","Y2","K3","N4","R5","K5","G6","P6","P7","Y7","B7"]"#;
    assert_eq!(prompt, format!(r#"[{{"pass":{{}}}},{{"declare":{{"cards":[{cards},{cards},{cards}]}}}}]"#));
    assert!(table.prompt(Seat(0)).permits(&wrong()).is_err(), "numbers are not enough");
    let mut cards = racks(&table)[0].unwrap().cards();
    cards.reverse();
    window(&mut table, |_, seat| Reply::Act(if seat.0 == 0 { Action::Declare(Claim::Cards(cards)) } else { PASS }));
    assert_eq!(points(&table), [(1, 1), (2, 0)]);
}

#[test]
fn the_prompt_offers_passing_and_three_numbers() {
    let table = table(&Rules::default(), 2, 1);
    let prompt = table.prompt(Seat(1));
    let numbers = "[1,2,3,4,5,6,7]";
    let json = format!(r#"[{{"pass":{{}}}},{{"declare":{{"numbers":[{numbers},{numbers},{numbers}]}}}}]"#);
    assert_eq!(serde_json::to_string(&prompt).unwrap(), json);
    let permits = |text: &str| prompt.permits(&serde_json::from_str(text).unwrap()).map_err(|illegal| illegal.0);
    assert_eq!(permits(r#"{"pass":{}}"#), Ok(()));
    assert_eq!(permits(r#"{"declare":{"numbers":[7,1,1]}}"#), Ok(()), "what cannot be is allowed, and wrong");
    let why = "number 8 is not among the legal ones: 1, 2, 3, 4, 5, 6, 7";
    assert_eq!(permits(r#"{"declare":{"numbers":[7,8,0]}}"#), Err(why.into()));
    let why = "declare numbers here, not cards: colours do not count";
    assert_eq!(permits(r#"{"declare":{"cards":["G1","Y2","K3"]}}"#), Err(why.into()));
    assert!(serde_json::from_str::<Action>(r#"{"declare":{"numbers":[7,6]}}"#).is_err());
    assert!(serde_json::from_str::<Action>(r#"{"declare":{"numbers":[7,6,5,4]}}"#).is_err());
    assert!(serde_json::from_str::<Action>(r#"{"declare":{"cards":["G1","Y2","R3"]}}"#).is_err());
}

#[test]
fn right_or_wrong_the_rack_is_shown_to_all_and_replaced_by_other_cards() {
    for number in 0..200 {
        let mut table = table(&Rules { points: 20, ..Rules::default() }, 2, number);
        let old = racks(&table)[0].unwrap();
        let declares_right = number % 2 == 0;
        let action = if declares_right { right(&table, Seat(0)) } else { wrong() };
        table.news(Seat(0)).for_each(drop);
        window(&mut table, |_, seat| Reply::Act(if seat.0 == 0 { action } else { PASS }));
        let new = racks(&table)[0].unwrap();
        assert!(Cards::full().without(&old).unwrap().without(&new).is_some(), "{old} then {new}");
        let news: Vec<Event> = table.news(Seat(0)).collect();
        let Action::Declare(said) = action else { panic!() };
        assert_eq!(news[0], Event::Declared { seat: Seat(0), said, rack: old, right: declares_right });
        assert_eq!(news[1], Event::Dealt { seat: Seat(0), rack: None });
        assert!(matches!(news[2], Event::Answered { seat: Seat(1), .. }), "play goes on with whose turn it is");
    }
}

/// Follows the pile through the events: what is dealt comes out of it, and what is discarded lies beside it.
#[test]
fn discards_are_shuffled_in_when_seven_cards_are_left() {
    for (seats, dummy_racks) in [(2, false), (2, true), (3, false), (3, true), (4, false)] {
        for number in 0..20 {
            let rules = Rules { points: 20, questions: 60, dummy_racks, ..Rules::default() };
            let mut table = table(&rules, seats, number);
            let mut view = View::new(&rules, seats, Seat(0));
            let mut chance = seed(number).stream("moves", 0);
            while !table.over() {
                window(&mut table, |table, seat| Reply::Act(table.game().sample(seat, &mut chance)));
            }
            let (mut pile, mut discards) = (Cards::full(), Vec::new());
            let mut reshuffles = 0;
            for (at, event) in table.events().iter().enumerate() {
                view.see(event);
                match event {
                    Event::Dealt { rack: Some(rack), .. } | Event::Dummy { rack } => {
                        pile = pile.without(rack).expect("cards are dealt from the pile only");
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
    assert!(!table.over());
    declare(&mut table, &[2]);
    assert_eq!(points(&table), [(2, 1), (3, 0), (1, 3)]);
    assert_eq!(table.verdict().unwrap().ended, Ended::Played);
    assert_eq!(table.events().last(), Some(&Event::Ended { best: Set::one(Seat(2)) }));
    let deals = table.events().iter().filter(|event| matches!(event, Event::Dealt { .. })).count();
    assert_eq!(deals, 3 + 3, "once it is over nobody gets new cards");
}

#[test]
fn who_reach_three_together_play_on_until_one_leads() {
    let mut table = table(&Rules::default(), 3, 2);
    for _ in 0..3 {
        declare(&mut table, &[0, 1]);
    }
    assert!(!table.over(), "3, 3, 0");
    declare(&mut table, &[2]);
    declare(&mut table, &[2]);
    declare(&mut table, &[2]);
    assert!(!table.over(), "3, 3, 3: three points are no longer enough");
    declare(&mut table, &[1, 2]);
    assert!(!table.over(), "3, 4, 4");
    declare(&mut table, &[0, 1]);
    assert_eq!(points(&table), [(2, 4), (1, 5), (2, 4)]);
}

#[test]
fn declarations_of_one_window_are_judged_together_and_racks_renewed_by_seat() {
    let mut table = table(&Rules::default(), 4, 6);
    table.news(Seat(3)).for_each(drop);
    window(&mut table, |table, seat| {
        Reply::Act(match seat.0 {
            0 => wrong(),
            1 => PASS,
            _ => right(table, seat),
        })
    });
    let kinds: Vec<(char, u8)> = table
        .news(Seat(3))
        .filter_map(|event| match event {
            Event::Declared { seat, right, .. } => Some((if right { 'r' } else { 'w' }, seat.0)),
            Event::Dealt { seat, .. } => Some(('d', seat.0)),
            Event::Reshuffled { .. } => Some(('s', 0)),
            _ => None,
        })
        .collect();
    // 16 cards are left after the deal, so the third new rack leaves seven.
    assert_eq!(kinds, [('w', 0), ('d', 0), ('r', 2), ('d', 2), ('r', 3), ('d', 3), ('s', 0)]);
}

#[test]
fn the_most_points_win_when_the_questions_are_used_up() {
    let mut table = table(&Rules { questions: 3, ..Rules::default() }, 3, 2);
    declare(&mut table, &[1]);
    declare(&mut table, &[]);
    declare(&mut table, &[2, 1]);
    assert_eq!(askers(&table), [0, 1, 2]);
    assert_eq!(points(&table), [(3, 0), (1, 2), (2, 1)]);
}

#[test]
fn who_is_late_forfeits_and_the_others_play_on() {
    let mut table = table(&Rules::default(), 3, 7);
    let before = racks(&table);
    // Seat 1 would be asked next; what seat 0 declares in the same window counts.
    window(&mut table, |table, seat| match seat.0 {
        0 => Reply::Act(right(table, seat)),
        1 => Reply::Late,
        _ => Reply::Act(PASS),
    });
    let at = |wanted: &Event| table.events().iter().position(|event| event == wanted);
    assert!(at(&Event::Withdrew { seat: Seat(1), rack: before[1].unwrap() }).is_some());
    assert_eq!(askers(&table), [0, 2]);
    assert_eq!(table.asked(), [Seat(0), Seat(2)].into_iter().collect());
    let Some(Event::Answered { question, answer, .. }) = table.events().last().copied() else { panic!() };
    assert_eq!(question.answer(&[racks(&table)[0].unwrap()]), answer, "the rack of a forfeit is not seen any more");
    declare(&mut table, &[0]);
    declare(&mut table, &[0]);
    assert_eq!(points(&table), [(1, 3), (3, 0), (2, 0)]);
    assert_eq!(table.fault(Seat(1)).unwrap().cause, Cause::Time);
}

#[test]
fn the_last_seat_that_plays_wins_whatever_the_points() {
    let mut table = table(&Rules::default(), 2, 7);
    declare(&mut table, &[0]);
    window(&mut table, |_, seat| if seat.0 == 0 { failed() } else { Reply::Act(PASS) });
    assert_eq!(points(&table), [(2, 1), (1, 0)]);
    assert_eq!(table.verdict().unwrap().ended, Ended::Forfeit);
    assert_eq!(table.events().last(), Some(&Event::Ended { best: Set::one(Seat(1)) }));
}

#[test]
fn when_all_fail_at_once_they_share_the_last_place() {
    let mut table = table(&Rules::default(), 3, 7);
    window(&mut table, |_, _| failed());
    assert_eq!(points(&table), [(1, 0), (1, 0), (1, 0)]);
    assert_eq!(table.events().last(), Some(&Event::Ended { best: Set::EMPTY }));
}

#[test]
fn if_one_of_two_leaders_with_three_points_forfeits_the_other_has_won() {
    let mut table = table(&Rules::default(), 3, 2);
    for _ in 0..3 {
        declare(&mut table, &[0, 1]);
    }
    window(&mut table, |_, seat| if seat.0 == 0 { failed() } else { Reply::Act(PASS) });
    assert_eq!(points(&table), [(3, 3), (1, 3), (2, 0)]);
}

#[test]
fn an_illegal_declaration_forfeits() {
    let mut table = table(&Rules::default(), 2, 7);
    window(&mut table, |_, seat| {
        Reply::Act(if seat.0 == 0 { Action::Declare(Claim::Numbers([0, 1, 2])) } else { PASS })
    });
    assert_eq!(table.fault(Seat(0)).unwrap().detail, "number 0 is not among the legal ones: 1, 2, 3, 4, 5, 6, 7");
    assert_eq!(points(&table), [(2, 0), (1, 0)]);
}

#[test]
fn rules_are_checked() {
    let rules = |text: &str| serde_json::from_str::<Rules>(text).map_err(|error| error.to_string());
    assert_eq!(rules("{}"), Ok(Rules::default()));
    assert_eq!(rules(r#"{"colours":true,"points":5}"#).unwrap().check(4), Ok(()));
    assert_eq!(rules(r#"{"points":0}"#).unwrap().check(2), Err("points is 1 to 20, not 0".into()));
    assert_eq!(rules(r#"{"questions":0}"#).unwrap().check(2), Err("questions is 1 to 10000, not 0".into()));
    assert!(rules(r#"{"colour":true}"#).is_err());
}

/// Every variant, played at random with failures: it ends, and views fold to what the events say.
#[test]
fn variants_end_and_keep_the_books() {
    for (seats, colours, dummy_racks) in [(2, true, true), (3, true, true), (4, true, false), (3, false, true)] {
        for number in 0..30 {
            let rules = Rules { colours, dummy_racks, questions: 100, points: 2 };
            let mut table = table(&rules, seats, number);
            let mut chance = seed(number).stream("moves", 0);
            while !table.over() {
                window(&mut table, |table, seat| match chance.below(100) {
                    0 => failed(),
                    _ => Reply::Act(table.game().sample(seat, &mut chance)),
                });
            }
            let mut view = View::new(&rules, seats, Seat(0));
            table.news(Seat(0)).for_each(|event| view.see(&event));
            assert_eq!(view.racks[Seat(0)], None);
            for (seat, score) in table.verdict().unwrap().outcome.seats.seats() {
                assert_eq!(i32::from(view.points[seat]), score.points);
            }
        }
    }
}

/// Gives the seat other cards in every event that it must not see them in.
fn scrambled(event: &Event, of: Seat, chance: &mut Chance) -> Event {
    match *event {
        Event::Dealt { seat, .. } if seat == of => {
            let all: Vec<Rack> = Rack::all().collect();
            Event::Dealt { seat, rack: Some(*chance.pick(&all)) }
        }
        event => event,
    }
}

#[test]
fn a_seat_is_never_told_its_own_cards() {
    for number in 0..50 {
        let mut table = table(&Rules { questions: 60, points: 20, ..Rules::default() }, 4, number);
        let mut chance = seed(number).stream("moves", 0);
        while !table.over() {
            window(&mut table, |table, seat| Reply::Act(table.game().sample(seat, &mut chance)));
        }
        for seat in Seat::all(4) {
            for event in table.events() {
                let line = |event: &Event| serde_json::to_string(&Code777::seen_by(event, seat)).unwrap();
                assert_eq!(line(event), line(&scrambled(event, seat, &mut chance)));
            }
        }
    }
}

/// Deals in which a seat's own rack differs and all it is told is equal exist, and go on equally: what comes after
/// tells nothing of the rack but what the answers and the pile tell everybody at the table.
#[test]
fn two_tables_that_differ_only_in_the_own_rack_look_the_same() {
    let look = |table: &mut Match<Code777>| {
        let news: Vec<Event> = table.news(Seat(0)).collect();
        (serde_json::to_string(&news).unwrap(), serde_json::to_string(&table.prompt(Seat(0))).unwrap())
    };
    let rules = Rules::default();
    let mut found = std::collections::BTreeMap::new();
    let mut pairs = 0;
    for number in 0..30_000 {
        let mut table = table(&rules, 2, number);
        let own = racks(&table)[0].unwrap();
        // Seat 0 was asked first: its answer tells nothing of its own rack, so what it has seen is the same for any.
        if let Some(other) = found.insert(look(&mut table), own) {
            pairs += u32::from(other != own);
        }
    }
    assert!(pairs > 1000, "{pairs}");
}

/// Puts the text into the fenced block of the rules page, or compares it with what stands there.
fn shown_on_the_page(fence: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/code-777.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = page.split_once(&format!("```{fence}\n")).unwrap();
    let (shown, after) = rest.split_once("```").unwrap();
    if std::env::var_os("ARENA_BLESS").is_some() {
        std::fs::write(&file, format!("{before}```{fence}\n{text}```{after}")).unwrap();
    } else {
        assert_eq!(shown, text);
    }
}

/// `ARENA_BLESS=1 cargo test -p arena-engine --test code_777` writes the example anew.
#[test]
fn the_match_on_the_rules_page_is_what_happens() {
    let rules = Rules { points: 1, ..Rules::default() };
    let mut table = table(&rules, 3, 7);
    let mut view = View::new(&rules, 3, Seat(0));
    let mut lines = String::new();
    let mut hear = |table: &mut Match<Code777>| {
        for event in table.news(Seat(0)) {
            view.see(&event);
            lines += &(serde_json::to_string(&event).unwrap() + "\n");
        }
        serde_json::to_string(&view).unwrap() + "\n"
    };
    declare(&mut table, &[]);
    window(&mut table, |_, seat| {
        Reply::Act(if seat.0 == 1 { Action::Declare(Claim::Numbers([5, 6, 7])) } else { PASS })
    });
    declare(&mut table, &[]);
    let view = hear(&mut table);
    declare(&mut table, &[0]);
    hear(&mut table);
    assert!(table.over());
    shown_on_the_page("jsonl", &lines);
    shown_on_the_page("json", &view);
}

#[test]
fn the_rules_page_tells_all_cards_questions_and_rules() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/code-777.md")).unwrap();
    for card in Card::all() {
        assert!(page.contains(&format!("| `{card}` | {} ", card.number())), "{card}");
        assert!(page.contains(&format!(" | {} |", card.copies())), "{card}");
    }
    for question in Question::all() {
        let text = question.to_string();
        let asks: Vec<&str> = match text.strip_prefix("Do you see more ").and_then(|rest| rest.strip_suffix('?')) {
            Some(kinds) => kinds.split(" or more ").collect(),
            None => vec![text.trim_start_matches("On how many racks is it so that ").trim_start_matches("How many ")],
        };
        assert!(page.contains(&format!("| {} | {}", question.number(), asks.join(", "))), "{question}");
    }
    let rules = serde_json::to_value(Rules::default()).unwrap();
    for (rule, default) in rules.as_object().unwrap() {
        assert!(page.contains(&format!("| `{rule}` | {default} |")), "{rule}");
    }
}

/// Half of what happens is chance, half is right: so all that can happen does.
fn lively(table: &mut Match<Code777>, number: u64) {
    let mut chance = seed(number).stream("moves", 0);
    while !table.over() {
        window(table, |table, seat| {
            Reply::Act(match chance.below(12) {
                0 => right(table, seat),
                1 => wrong(),
                _ => PASS,
            })
        });
    }
}

/// Whole games in words; `ARENA_BLESS=1 cargo test -p arena-engine --test code_777` writes them anew.
#[test]
fn golden_playthroughs() {
    for (seats, number) in [(2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2)] {
        let rules = Rules { dummy_racks: number == 2, ..Rules::default() };
        let mut table = table(&rules, seats, number);
        lively(&mut table, number);
        let names = BySeat::new(seats, |seat| ["Ada", "Bob", "Cleo", "Dan"][seat.index()].to_owned());
        let mut told: Vec<String> = table.events().iter().map(|event| Code777::told(event, &names)).collect();
        let result = points(&table).into_iter().enumerate();
        told.extend(
            result
                .map(|(seat, (place, points))| format!("{}: place {place}, {points} points", names[Seat(seat as u8)])),
        );
        let text = told.join("\n") + "\n";
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/code-777-{seats}-{number}.txt"));
        if std::env::var_os("ARENA_BLESS").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(&file).unwrap_or_default(), "{}", file.display());
    }
}
