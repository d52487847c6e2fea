//! Checks that no seat sees what it must not know.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::seat::Seat;
use serde_json::{Map, Value};

use super::{Law, Order, check, play, sampled, unruly};

#[test]
fn a_seat_sees_nothing_that_it_must_not_know() {
    struct Curtain;
    impl Law for Curtain {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let played = play::<G>(rules, seats, seed, Order::Forward, unruly(seed));
            for event in &played.events {
                let all = || Seat::all(seats).into_iter();
                let public = all().fold(event.clone(), |event, seat| G::seen_by(&event, seat));
                for seat in all() {
                    assert_eq!(
                        G::seen_by(&public, seat),
                        public,
                        "onlookers see nothing that is hidden from a seat"
                    );
                    let seen = G::seen_by(event, seat);
                    assert_eq!(
                        G::seen_by(&seen, seat),
                        seen,
                        "what is seen hides nothing more"
                    );
                }
            }
        }
    }
    check(&Curtain);
}

/// Visibility of event fields, by kind of event and field. For the seat concerned and for the others: `true` if the field was ever shown,
/// `false` if it was ever hidden.
type Sights = BTreeMap<(String, String), [BTreeSet<bool>; 2]>;

/// Adds each seat's view of an event.
fn add_sights<G: Game>(event: &G::Event, seats: usize, sights: &mut Sights) {
    let fields = |event: &G::Event| -> (String, Map<String, Value>) {
        let Ok(Value::Object(event)) = serde_json::to_value(event) else {
            panic!("an event is an object")
        };
        let (kind, fields) = event.into_iter().next().unwrap();
        (kind, fields.as_object().cloned().unwrap_or_default())
    };
    let (kind, all) = fields(event);
    for seat in Seat::all(seats) {
        let (_, seen) = fields(&G::seen_by(event, seat));
        let is_other = usize::from(all.get("seat") != Some(&seat.0.into()));
        for (name, value) in all.iter().filter(|(_, value)| !value.is_null()) {
            let of_field = sights.entry((kind.clone(), name.clone())).or_default();
            of_field[is_other].insert(seen.get(name) == Some(value));
        }
    }
}

/// Returns a line for each field of each kind of event, with its visibility for the seat concerned and for the others.
fn in_lines(sights: &Sights) -> String {
    let word = |shown: &BTreeSet<bool>| match (shown.contains(&true), shown.contains(&false)) {
        (true, true) => "sometimes",
        (true, false) => "shown",
        (false, true) => "hidden",
        (false, false) => "nobody",
    };
    let line = |((kind, field), [own, others]): (&(String, String), &[BTreeSet<bool>; 2])| {
        format!(
            "{kind}.{field}: own {}, others {}\n",
            word(own),
            word(others)
        )
    };
    sights.iter().map(line).collect()
}

#[test]
fn each_field_of_each_event_is_shown_to_whom_the_game_says() {
    #[derive(Default)]
    struct Seen(RefCell<BTreeMap<&'static str, Sights>>);
    impl Law for Seen {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let mut all = self.0.borrow_mut();
            let sights = all.entry(G::NAME).or_default();
            for played in [
                play::<G>(rules, seats, seed, Order::Forward, sampled(seed)),
                play::<G>(rules, seats, seed, Order::Forward, unruly(seed)),
            ] {
                played
                    .events
                    .iter()
                    .for_each(|event| add_sights::<G>(event, seats, sights));
            }
        }
    }
    let seen = Seen::default();
    check(&seen);
    let mut wrong = Vec::new();
    for (name, sights) in seen.0.into_inner() {
        let folder = name.replace('-', "_");
        let file: PathBuf = [
            env!("CARGO_MANIFEST_DIR"),
            "src/games",
            &folder,
            "golden/secrecy.txt",
        ]
        .iter()
        .collect();
        let now = in_lines(&sights);
        if arena_golden::is_blessing() {
            std::fs::write(&file, &now).unwrap();
        }
        let golden = std::fs::read_to_string(&file).unwrap_or_default();
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
        let (now, golden) = (lines(&now), lines(&golden));
        wrong.extend(
            now.difference(&golden)
                .map(|line| format!("{name}: {line}, which its golden file does not say")),
        );
        wrong.extend(
            golden
                .difference(&now)
                .map(|line| format!("{name}: {line} is what its golden file says")),
        );
    }
    assert!(
        wrong.is_empty(),
        "{wrong:#?}; ARENA_BLESS=1 writes the golden files anew, for you to read"
    );
}
