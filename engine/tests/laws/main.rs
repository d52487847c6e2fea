//! The laws that every game must keep; `check` lists the games.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod forms;
mod knowledge;
mod resamples;
mod secrecy;

use arena_engine::chance::Seed;
use arena_engine::fault::{Cause, Fault};
use arena_engine::frames::{Event, Move, frames};
use arena_engine::game::{Game, Prompt as _, Rules, View};
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::machine::{Finished, Match};
use arena_engine::outcome::Ended;
use arena_engine::record::{RecordOf, Replied, Reply};
use arena_engine::replay::replay;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::Json;

/// Number of seeds per law, variant and number of seats.
const SEEDS: u64 = 60;

/// Runs a check on every game, every variant, every number of seats and many seeds.
fn check(law: &impl Law) {
    on_game::<Coda>(law);
    on_game::<Code777>(law);
    on_game::<CrackTheCode>(law);
    on_game::<DigitCode>(law);
}

trait Law {
    fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed);
}

fn on_game<G: Game>(law: &impl Law) {
    for seats in G::SEATS {
        for rules in G::Rules::variants()
            .iter()
            .filter(|rules| rules.check(seats).is_ok())
        {
            for seed in 0..SEEDS {
                law.check::<G>(rules, seats, Seed::try_from(seed).unwrap());
            }
        }
    }
}

/// The order in which the seats of a turn reply.
#[derive(Clone, Copy)]
enum Order {
    Forward,
    Backward,
}

/// Plays a match. `reply` decides each seat's reply, given the number of the turn.
fn play<G: Game>(
    rules: &G::Rules,
    seats: usize,
    seed: Seed,
    order: Order,
    mut reply: impl FnMut(&Match<G>, Seat, usize) -> Reply<G::Action>,
) -> Finished<G> {
    let mut table = Match::<G>::new(rules, seats, seed).unwrap();
    for turn in 0.. {
        assert!(turn < 10_000, "{} does not end", G::NAME);
        let mut to_act: Vec<Seat> = table.to_act().into_iter().collect();
        if to_act.is_empty() {
            break;
        }
        if let Order::Backward = order {
            to_act.reverse();
        }
        for seat in to_act {
            let reply = reply(&table, seat, turn);
            table.reply(seat, reply).unwrap();
        }
    }
    table.finish().unwrap()
}

/// Returns a source of sampled actions that do not depend on the order in which the seats of a turn reply.
fn sampled<G: Game>(seed: Seed) -> impl FnMut(&Match<G>, Seat, usize) -> Reply<G::Action> {
    move |table, seat, turn| {
        let mut chance = seed.stream("sampled", (turn as u64) << 8 | u64::from(seat.0));
        Reply::Act(table.game().sample(seat, &mut chance))
    }
}

/// Returns a source of random replies: actions, timeouts and failures.
fn unruly<G: Game>(seed: Seed) -> impl FnMut(&Match<G>, Seat, usize) -> Reply<G::Action> {
    move |table, seat, turn| {
        let mut chance = seed.stream("unruly", (turn as u64) << 8 | u64::from(seat.0));
        match chance.below(60) {
            0 => Reply::Failed(Fault::left()),
            1..=4 => Reply::Late,
            _ => Reply::Act(table.game().sample(seat, &mut chance)),
        }
    }
}

fn assert_same<G: Game>(left: &Finished<G>, right: &Finished<G>) {
    assert_eq!(left.events, right.events);
    assert_eq!(left.verdict, right.verdict);
    assert_eq!(left.record, right.record);
}

#[test]
fn sampled_actions_are_legal_and_lead_to_an_end() {
    struct Legal;
    impl Law for Legal {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let mut sample = sampled::<G>(seed);
            let played = play::<G>(rules, seats, seed, Order::Forward, |table, seat, turn| {
                let reply = sample(table, seat, turn);
                let Reply::Act(action) = &reply else {
                    unreachable!()
                };
                assert_eq!(table.prompt(seat).permits(action), Ok(()));
                reply
            });
            assert_eq!(played.verdict.ended, Ended::Played);
            assert!(played.verdict.faults.iter().all(Option::is_none));
        }
    }
    check(&Legal);
}

#[test]
fn same_seed_and_replies_give_the_same_match() {
    struct Same;
    impl Law for Same {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let once = play::<G>(rules, seats, seed, Order::Forward, unruly(seed));
            let again = play::<G>(rules, seats, seed, Order::Forward, unruly(seed));
            assert_same(&once, &again);
        }
    }
    check(&Same);
}

#[test]
fn the_order_of_simultaneous_replies_changes_nothing() {
    struct Simultaneous;
    impl Law for Simultaneous {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let forward = play::<G>(rules, seats, seed, Order::Forward, unruly(seed));
            let backward = play::<G>(rules, seats, seed, Order::Backward, unruly(seed));
            assert_same(&forward, &backward);
        }
    }
    check(&Simultaneous);
}

#[test]
fn a_record_replays_to_the_same_match() {
    struct Replays;
    impl Law for Replays {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let played = play::<G>(rules, seats, seed, Order::Forward, unruly(seed));
            let text = serde_json::to_string(&played.record).unwrap();
            let record: RecordOf<G> = serde_json::from_str(&text).unwrap();
            assert_same(&played, &replay::<G>(&record).unwrap());
        }
    }
    check(&Replays);
}

#[test]
fn a_replay_shows_each_seat_what_it_was_sent() {
    struct Sent;
    impl Law for Sent {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let played = play::<G>(rules, seats, seed, Order::Forward, unruly(seed));
            let names = BySeat::new(seats, |seat| format!("p{seat}"));
            let frames = frames::<G>(&played.record, &names, None).unwrap();
            let shown = |event: &Option<Event>| event.as_ref().map(|event| event.event.clone());
            let events = frames.iter().filter_map(|frame| shown(&frame.event));
            assert!(events.eq(played.events.iter().map(Json::new)));
            let mut table = Match::<G>::new(rules, seats, seed).unwrap();
            let mut views = BySeat::new(seats, |seat| G::View::new(rules, seats, seat));
            let mut sent = Vec::new();
            for (turn, Replied(seat, reply)) in played.record.replies.iter().enumerate() {
                for seat in table.to_act() {
                    table
                        .new_events(seat)
                        .for_each(|event| views[seat].see(&event));
                }
                let view = Json::new(&views[*seat]);
                sent.push((turn, *seat, view, Json::new(&table.prompt(*seat))));
                table.reply(*seat, reply.clone()).unwrap();
            }
            let replayed = frames.iter().zip(&frames[1..]).flat_map(|(before, frame)| {
                let shown = |of: &Move| {
                    let view = before.seats[of.seat].view.clone();
                    (of.turn, of.seat, view, of.prompt.clone())
                };
                frame.moves.iter().map(shown).collect::<Vec<_>>()
            });
            assert!(replayed.eq(sent));
            let mut events = played.events.iter();
            for frame in &frames {
                let event = frame.event.as_ref().and_then(|_| events.next());
                for (seat, seen) in frame.seats.seats() {
                    let seen_by = event.map(|event| Json::new(&G::seen_by(event, seat)));
                    assert_eq!(shown(&seen.event), seen_by);
                }
            }
        }
    }
    check(&Sent);
}

#[test]
fn points_are_what_the_breakdown_is_worth_and_places_follow() {
    struct AddsUp;
    impl Law for AddsUp {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let verdict = play::<G>(rules, seats, seed, Order::Forward, unruly(seed)).verdict;
            let scores = &verdict.outcome.seats;
            for score in scores {
                assert_eq!(score.points, score.breakdown.points(G::SCORING));
            }
            let place = |seat: Seat| scores[seat].place;
            for (seat, fault) in verdict.faults.seats() {
                let better = scores
                    .iter()
                    .filter(|score| score.place < place(seat))
                    .count();
                assert_eq!(
                    usize::from(place(seat)),
                    better + 1,
                    "places have no gaps but ties"
                );
                for (other, none) in verdict.faults.seats().filter(|(_, other)| other.is_none()) {
                    assert!(
                        none.is_some() || fault.is_none() || place(other) < place(seat),
                        "forfeits come last"
                    );
                }
            }
        }
    }
    check(&AddsUp);
}

#[test]
fn points_stay_within_what_the_rules_allow() {
    struct Within;
    impl Law for Within {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let (points, lead) = (rules.points(seats), rules.lead(seats));
            for played in [
                play::<G>(rules, seats, seed, Order::Forward, unruly(seed)),
                play::<G>(rules, seats, seed, Order::Forward, sampled(seed)),
            ] {
                let all: Vec<i32> = played
                    .verdict
                    .outcome
                    .seats
                    .iter()
                    .map(|score| score.points)
                    .collect();
                assert!(
                    all.iter().all(|one| points.contains(one)),
                    "{all:?} in {points:?} of {}",
                    G::NAME
                );
                let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
                assert!(
                    most - least <= lead,
                    "{all:?} with a lead of {lead} in {}",
                    G::NAME
                );
            }
        }
    }
    check(&Within);
}

#[test]
fn events_come_once_and_in_order_and_views_fold_them() {
    struct Once;
    impl Law for Once {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let mut table = Match::<G>::new(rules, seats, seed).unwrap();
            let mut seen = BySeat::new(seats, |_| Vec::new());
            let mut reply = unruly::<G>(seed);
            for turn in 0.. {
                let to_act = table.to_act();
                if to_act.is_empty() {
                    break;
                }
                for seat in to_act {
                    seen[seat].extend(table.new_events(seat));
                    let reply = reply(&table, seat, turn);
                    table.reply(seat, reply).unwrap();
                }
            }
            for seat in Seat::all(seats) {
                seen[seat].extend(table.new_events(seat));
                let all: Vec<G::Event> = table
                    .events()
                    .iter()
                    .map(|event| G::seen_by(event, seat))
                    .collect();
                assert_eq!(seen[seat], all);
                let mut view = G::View::new(rules, seats, seat);
                all.iter().for_each(|event| view.see(event));
                let text = serde_json::to_string(&view).unwrap();
                assert_eq!(serde_json::from_str::<G::View>(&text).unwrap(), view);
                for event in &all {
                    let text = serde_json::to_string(event).unwrap();
                    assert_eq!(&serde_json::from_str::<G::Event>(&text).unwrap(), event);
                }
            }
        }
    }
    check(&Once);
}

#[test]
fn seats_that_need_not_act_are_refused() {
    struct OutOfTurn;
    impl Law for OutOfTurn {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let mut table = Match::<G>::new(rules, seats, seed).unwrap();
            let mut chance = seed.stream("first", 0);
            let first = table.to_act().first().unwrap();
            let action = table.game().sample(first, &mut chance);
            let elsewhere = Seat::all(seats + 1).without(table.to_act()).into_iter();
            for seat in elsewhere {
                assert!(table.reply(seat, Reply::Act(action.clone())).is_err());
            }
        }
    }
    check(&OutOfTurn);
}

#[test]
fn what_is_not_offered_is_illegal_and_harms_nothing_else() {
    struct Arbitrary;
    impl Law for Arbitrary {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let pool: Vec<G::Action> = (0..3)
                .flat_map(|other| {
                    let elsewhere = seed.child("elsewhere", other);
                    play::<G>(rules, seats, elsewhere, Order::Forward, sampled(elsewhere))
                        .record
                        .replies
                })
                .filter_map(|Replied(_, reply)| {
                    if let Reply::Act(action) = reply {
                        Some(action)
                    } else {
                        None
                    }
                })
                .collect();
            let mut chance = seed.stream("arbitrary", 0);
            let mut doomed = Vec::new();
            let played = play::<G>(rules, seats, seed, Order::Forward, |table, seat, _| {
                if chance.below(8) > 0 {
                    return Reply::Act(table.game().sample(seat, &mut chance));
                }
                let action = chance.pick(&pool).clone();
                if table.prompt(seat).permits(&action).is_err() {
                    doomed.push(seat);
                }
                Reply::Act(action)
            });
            for (seat, fault) in played.verdict.faults.seats() {
                assert_eq!(
                    fault.as_ref().map(|fault| fault.cause()),
                    doomed.contains(&seat).then_some(Cause::Illegal)
                );
            }
        }
    }
    check(&Arbitrary);
}
