//! Checks that no line leaks hidden information: as long as two matches look the same to a seat, its lines are identical, byte for byte.
//!
//! For every game, many matches are played that differ only in their seed, or in one reply of another seat. The check knows nothing of the
//! game: it finds matches that look the same by comparing the events that a seat has seen and the seat's own replies. The tests of each
//! game check which parts of an event are hidden.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use arena_engine::chance::Seed;
use arena_engine::fault::Fault;
use arena_engine::game::{Game, Rules, View};
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::machine::Match;
use arena_engine::record::Reply;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::set::Set;
use arena_protocol::message::{Clock, End, ToBot, Turn};
use serde::Serialize;
use serde_json::Value;

/// Number of matches with different seeds compared for each variant, number of seats and seat.
const SEEDS: u64 = 2_000;
/// Number of matches with the same seed and one altered reply.
const TWISTS: u64 = 150;
/// Number of moments observed in a match with its own seed. Such a match soon looks unlike any other.
const FIRST_MOMENTS: usize = 5;
/// Maximum number of moments observed in a match with an altered reply.
const MAX_MOMENTS: usize = 20;
/// Minimum number of moments per game that look the same to a seat despite different hidden events.
const MIN_ALIKE: u32 = 1_000;

/// Options whose lists hold a few samples drawn from the seed instead of all legal values. The samples vary with the seed, whatever is
/// hidden. So they are compared only between matches with the same seed.
const SAMPLED: [(&str, &[&str]); 1] = [("digit-code", &["hide", "declare"])];

type Line<G> = ToBot<(), Vec<<G as Game>::Event>, <G as Game>::Prompt, <G as Game>::View>;

/// A moment at which a seat can observe whether it must act.
struct Moment {
    /// Hash of everything that the seat has seen and replied.
    seen: u64,
    /// Hash of everything that actually happened.
    truth: u64,
    /// The line sent to the seat, if any.
    line: Option<String>,
}

/// A function that writes a line without looking at the match.
type Write<G> = fn(&Match<G>, &Line<G>) -> String;

fn honest<G: Game>(_: &Match<G>, line: &Line<G>) -> String {
    serde_json::to_string(line).unwrap()
}

fn without_samples<G: Game>(_: &Match<G>, line: &Line<G>) -> String {
    let mut line = serde_json::to_value(line).unwrap();
    let sampled = SAMPLED
        .iter()
        .find(|(game, _)| *game == G::NAME)
        .map_or(&[][..], |(_, options)| *options);
    let options = line
        .pointer_mut("/turn/prompt")
        .and_then(Value::as_array_mut);
    for option in options.into_iter().flatten() {
        for name in sampled {
            option
                .get_mut(name)
                .into_iter()
                .for_each(|values| *values = Value::Null);
        }
    }
    line.to_string()
}

fn leaky<G: Game>(table: &Match<G>, line: &Line<G>) -> String {
    format!("{}{:?}", without_samples(table, line), table.events())
}

/// The observations of one seat in a match.
struct Observer<G: Game> {
    seat: Seat,
    view: G::View,
    unsent: Vec<G::Event>,
    seen: DefaultHasher,
    truth: DefaultHasher,
    events: usize,
    lines: u64,
}

impl<G: Game> Observer<G> {
    fn new(table: &Match<G>, seat: Seat) -> Self {
        let view = G::View::new(&table.record().rules, table.record().seats, seat);
        let (seen, truth) = (DefaultHasher::new(), DefaultHasher::new());
        Self {
            seat,
            view,
            unsent: Vec::new(),
            seen,
            truth,
            events: 0,
            lines: 0,
        }
    }

    fn update(&mut self, table: &mut Match<G>) {
        for event in table.new_events(self.seat) {
            note(&mut self.seen, &event);
            self.view.see(&event);
            self.unsent.push(event);
        }
        table.events()[self.events..]
            .iter()
            .for_each(|event| note(&mut self.truth, event));
        self.events = table.events().len();
    }

    fn moment(&self, line: Option<String>) -> Moment {
        Moment {
            seen: self.seen.finish(),
            truth: self.truth.finish(),
            line,
        }
    }

    fn turn(&mut self, table: &Match<G>) -> Line<G> {
        self.lines += 1;
        let (prompt, view) = (table.prompt(self.seat), Some(self.view.clone()));
        let (events, clock) = (std::mem::take(&mut self.unsent), Clock::default());
        ToBot::Turn(Turn {
            id: self.lines,
            r#match: 1,
            events,
            prompt,
            view,
            clock,
        })
    }

    fn end(&mut self, table: &Match<G>) -> Line<G> {
        let (events, verdict) = (std::mem::take(&mut self.unsent), table.verdict().unwrap());
        ToBot::End(End {
            r#match: 1,
            events,
            outcome: verdict.outcome.clone(),
            ended: verdict.ended,
        })
    }
}

fn note(hasher: &mut DefaultHasher, what: &impl Serialize) {
    hasher.write(&serde_json::to_vec(what).unwrap());
    hasher.write_u8(b'\n');
}

/// A change of a match: one reply of another seat is drawn again.
#[derive(Clone, Copy)]
struct Twist {
    seat: Seat,
    nth: u64,
    again: u64,
}

/// Plays a match, and records everything that one seat observes. Each reply is drawn from its own stream, so that it depends only on the
/// seat and the number of its earlier replies. In a simultaneous turn, the observed seat acts last.
fn observe<G: Game>(
    mut table: Match<G>,
    seat: Seat,
    policy: Seed,
    twist: Option<Twist>,
    write: Write<G>,
) -> Vec<Moment> {
    let most = if twist.is_some() {
        MAX_MOMENTS
    } else {
        FIRST_MOMENTS
    };
    let mut observer = Observer::<G>::new(&table, seat);
    let mut moments: Vec<Moment> = Vec::new();
    let mut replies = BySeat::new(table.record().seats, |_| 0);
    let mut reply = |table: &mut Match<G>, from: Seat| {
        let nth = replies[from];
        replies[from] += 1;
        let again = twist
            .filter(|twist| (twist.seat, twist.nth) == (from, nth))
            .map_or(0, |twist| twist.again);
        let reply = drawn(
            table,
            from,
            policy.child("reply", again << 32 | nth << 8 | u64::from(from.0)),
        );
        table.reply(from, reply.clone()).unwrap();
        reply
    };
    while moments.len() < most && table.fault(seat).is_none() {
        observer.update(&mut table);
        let to_act = table.to_act();
        to_act
            .without(Set::one(seat))
            .into_iter()
            .for_each(|other| drop(reply(&mut table, other)));
        let line = if to_act.is_empty() {
            Some(observer.end(&table))
        } else {
            to_act.contains(seat).then(|| observer.turn(&table))
        };
        let moment = observer.moment(line.map(|line| write(&table, &line)));
        // While other seats act unseen, nothing changes for the seat until it must act itself.
        moments.pop_if(|last| last.seen == moment.seen);
        moments.push(moment);
        if to_act.is_empty() {
            break;
        }
        if to_act.contains(seat) {
            note(&mut observer.seen, &reply(&mut table, seat));
        }
    }
    // The match is cut off here, and the seat might still have been asked to act.
    moments.pop_if(|last| last.line.is_none());
    moments
}

/// Returns a random reply: usually a legal action, and sometimes a timeout or a failure.
fn drawn<G: Game>(table: &Match<G>, seat: Seat, seed: Seed) -> Reply<G::Action> {
    let mut chance = seed.stream("reply", 0);
    match chance.below(100) {
        0 => Reply::Failed(Fault::left()),
        1..=3 => Reply::Late,
        _ => Reply::Act(table.game().sample(seat, &mut chance)),
    }
}

/// The result of a comparison.
#[derive(Default)]
struct Found {
    /// Number of moments that looked the same despite different hidden events.
    alike: u32,
    /// Two different lines sent at moments that looked the same.
    leak: Option<[Option<String>; 2]>,
}

impl Found {
    fn compare(&mut self, matches: impl Iterator<Item = Vec<Moment>>) {
        let mut known: HashMap<u64, Moment> = HashMap::new();
        for moment in matches.flatten() {
            let first = known.entry(moment.seen).or_insert_with(|| Moment {
                line: moment.line.clone(),
                ..moment
            });
            self.alike += u32::from(first.truth != moment.truth);
            if first.line != moment.line {
                self.leak.get_or_insert([first.line.clone(), moment.line]);
            }
        }
    }
}

/// A comparison of matches with different seeds.
struct OtherSeeds;
/// A comparison of matches with one altered reply of another seat.
struct OtherReplies;
/// A comparison of matches whose lines leak hidden information, which the check must detect.
struct Leaky;

trait Comparison {
    fn compare<G: Game>(rules: &G::Rules, seats: usize, seat: Seat, found: &mut Found);
}

impl Comparison for OtherSeeds {
    fn compare<G: Game>(rules: &G::Rules, seats: usize, seat: Seat, found: &mut Found) {
        found.compare(dealt(rules, seats, seat, SEEDS, without_samples::<G>));
    }
}

impl Comparison for Leaky {
    fn compare<G: Game>(rules: &G::Rules, seats: usize, seat: Seat, found: &mut Found) {
        found.compare(twisted(rules, seats, seat, 7, leaky::<G>));
        found.compare(dealt(rules, seats, seat, SEEDS / 4, leaky::<G>));
    }
}

impl Comparison for OtherReplies {
    fn compare<G: Game>(rules: &G::Rules, seats: usize, seat: Seat, found: &mut Found) {
        (0..6).for_each(|number| found.compare(twisted(rules, seats, seat, number, honest::<G>)));
    }
}

/// Returns the moments of matches with the first `seeds` seeds.
fn dealt<G: Game>(
    rules: &G::Rules,
    seats: usize,
    seat: Seat,
    seeds: u64,
    write: Write<G>,
) -> impl Iterator<Item = Vec<Moment>> {
    (0..seeds).map(move |number| {
        observe(
            Match::new(rules, seats, seed(number)).unwrap(),
            seat,
            seed(7),
            None,
            write,
        )
    })
}

/// Returns the moments of matches of one seed in which one reply of another seat is drawn again.
fn twisted<G: Game>(
    rules: &G::Rules,
    seats: usize,
    seat: Seat,
    number: u64,
    write: Write<G>,
) -> impl Iterator<Item = Vec<Moment>> {
    let others: Vec<Seat> = Seat::all(seats)
        .without(Set::one(seat))
        .into_iter()
        .collect();
    (0..TWISTS).map(move |again| {
        let mut chance = seed(number).stream("twist", again);
        let twist = Twist {
            seat: *chance.pick(&others),
            nth: chance.below(8).into(),
            again,
        };
        let table = Match::<G>::new(rules, seats, seed(number)).unwrap();
        observe(table, seat, seed(number), Some(twist), write)
    })
}

fn seed(number: u64) -> Seed {
    Seed::try_from(number).unwrap()
}

/// Compares the matches of a game for all variants, table sizes and seats.
fn everywhere<C: Comparison, G: Game>() -> Found {
    let mut found = Found::default();
    for seats in G::SEATS {
        for rules in G::Rules::variants()
            .iter()
            .filter(|rules| rules.check(seats).is_ok())
        {
            Seat::all(seats)
                .into_iter()
                .for_each(|seat| C::compare::<G>(rules, seats, seat, &mut found));
        }
    }
    found
}

fn a_line_depends_on_nothing_that_the_seat_has_not_seen<G: Game>() {
    let seeds = everywhere::<OtherSeeds, G>();
    let replies = everywhere::<OtherReplies, G>();
    assert_eq!(seeds.leak.or(replies.leak), None);
    let alike = seeds.alike + replies.alike;
    assert!(
        alike >= MIN_ALIKE,
        "only {alike} moments were alike, too few to tell"
    );
}

fn lines_that_tell_too_much_are_found<G: Game>() {
    assert!(everywhere::<Leaky, G>().leak.is_some());
}

/// Declares separate tests for each game, so that they run in parallel.
macro_rules! games {
    ($($name:ident: $game:ty,)+) => {
        $(mod $name {
            #[test]
            fn a_line_depends_on_nothing_that_the_seat_has_not_seen() {
                super::a_line_depends_on_nothing_that_the_seat_has_not_seen::<$game>();
            }

            #[test]
            fn lines_that_tell_too_much_are_found() {
                super::lines_that_tell_too_much_are_found::<$game>();
            }
        })+
    };
}

games! {
    coda: super::Coda,
    code_777: super::Code777,
    crack_the_code: super::CrackTheCode,
    digit_code: super::DigitCode,
}
