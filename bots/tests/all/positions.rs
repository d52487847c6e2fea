//! Positions to train on: what is in them, and the suite that comes with the arena.

use arena_bots::judge;
use arena_bots::position::Position;
use arena_bots::roster;
use arena_engine::chance::Seed;
use arena_engine::game::{Game, Prompt as _, View as _};
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::prompt::Prompt;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::games::coda::view::View;
use arena_engine::machine::Match;
use arena_engine::player::{Start, bot_seed, play};
use serde_json::{Value, from_value, to_value};

const SUITE: &str = include_str!("../../positions/coda.jsonl");

fn suite() -> Vec<Position> {
    SUITE
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn events(position: &Position) -> Vec<Event> {
    position
        .turn
        .events
        .iter()
        .map(|event| from_value(event.clone()).unwrap())
        .collect()
}

fn prompt(position: &Position) -> Prompt {
    from_value(position.turn.prompt.clone()).unwrap()
}

/// What a built-in bot answers.
fn answer(bot: &str, position: &Position) -> Value {
    let (mut player, start) = (roster::make::<Coda>(bot).unwrap(), &position.start);
    let rules: Rules = from_value(start.rules.clone()).unwrap();
    let (seat, seats, seed) = (start.seat, start.seats, start.seed);
    player.start(&Start {
        rules: &rules,
        seat,
        seats,
        seed,
        move_ms: None,
    });
    to_value(player.act(&mut events(position).into_iter(), &prompt(position))).unwrap()
}

#[test]
fn a_position_holds_what_its_seat_was_sent_and_nothing_else() {
    let rules = Rules {
        dashes: true,
        rounds: 1,
        ..Rules::default()
    };
    let mut found = 0;
    for seed in 1..4 {
        let mut bots = ["rollouts", "exact", "random", "bayesian"]
            .map(|bot| roster::make::<Coda>(bot).unwrap());
        let mut table = Match::<Coda>::new(&rules, 4, Seed::try_from(seed).unwrap()).unwrap();
        play(&mut table, &mut bots, |_| None);
        let (judge, record) = (
            judge::of("coda").unwrap(),
            serde_json::to_string(table.record()).unwrap(),
        );
        let positions = judge
            .positions(&record, &judge.judge(&record).unwrap())
            .unwrap();
        assert!(positions.len() <= 2);
        for position in positions {
            found += 1;
            let (start, seen) = (&position.start, events(&position));
            assert_eq!(start.seed, bot_seed(table.record().seed, start.seat));
            let as_seen = table
                .events()
                .iter()
                .map(|event| Coda::seen_by(event, start.seat));
            assert_eq!(seen, as_seen.take(seen.len()).collect::<Vec<_>>());
            // All that stands in the line is one of these, or follows from them.
            let known: Vec<String> = to_value(&position)
                .unwrap()
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect();
            assert_eq!(known, ["kind", "options", "start", "turn"]);
            check(&position);
        }
    }
    assert!(found > 2, "{found}");
}

/// The view is a fold over the events, each option is legal, and the first is clearly the best.
fn check(position: &Position) {
    let start = &position.start;
    let mut view = View::new(
        &from_value(start.rules.clone()).unwrap(),
        start.seats,
        start.seat,
    );
    events(position).iter().for_each(|event| view.see(event));
    assert_eq!(
        to_value(view).unwrap(),
        *position.turn.view.as_ref().unwrap()
    );
    let actions = position
        .options
        .iter()
        .map(|option| from_value::<Action>(option.action.clone()).unwrap());
    actions.for_each(|action| prompt(position).permits(&action).unwrap());
    let [best, others @ ..] = &position.options[..] else {
        panic!("{position:?}")
    };
    assert!(
        !others.is_empty() && others.is_sorted_by(|one, other| one.wins >= other.wins),
        "{position:?}"
    );
    assert!(
        others.iter().all(|other| best.wins - other.wins >= 0.099
            && 3.0 * other.error <= best.wins - other.wins + 0.001),
        "{position:?}"
    );
}

#[test]
fn the_suite_is_sound_and_orders_bots() {
    let suite = suite();
    assert_eq!(suite.len(), 200);
    assert!(SUITE.len() < 1 << 20, "{}", SUITE.len());
    suite.iter().for_each(check);
    let kinds = |kind: &str| {
        suite
            .iter()
            .filter(|position| position.kind == kind)
            .count()
    };
    assert!(
        ["attack", "stop", "draw"]
            .iter()
            .all(|kind| kinds(kind) > 0)
    );
    let lost = ["random", "excluding", "exact", "inferring"].map(|bot| {
        let lost = |position: &Position| {
            let (answer, options) = (answer(bot, position), &position.options);
            let found = options
                .iter()
                .find(|option| option.action == answer)
                .or(options.last())
                .unwrap();
            options[0].wins - found.wins
        };
        suite.iter().map(lost).sum::<f64>()
    });
    assert!(lost.is_sorted_by(|one, other| one > other), "{lost:?}");
}
