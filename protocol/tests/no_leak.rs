//! The law that no line tells a seat what it must not know: while two matches look the same to a seat, so do its lines,
//! to the byte.
//!
//! For every game, many matches are played that differ only in their seed, or in one reply of another seat. Those that a
//! seat cannot tell apart by the events it has seen and by what it replied are found by search, so the law knows no game.
//! The parts of an event that are hidden are held by the tests of each game.
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

/// The number of matches with seeds of their own that are compared, for each variant, number of seats and seat.
const SEEDS: u64 = 2_000;
/// The number of matches with the same seed and one other reply.
const TWISTS: u64 = 150;
/// The number of moments that are seen of a match with a seed of its own: it soon looks like no other.
const FIRST: usize = 5;
/// The number of moments that are seen of a match with another reply.
const MOST: usize = 20;
/// The number of times that each game must have shown the same to a seat, though something else had happened.
const ENOUGH: u32 = 1_000;

/// The options whose lists hold a few samples, drawn from the seed, in place of all legal values: these differ from seed
/// to seed whatever is hidden, and are compared in matches of the same seed only.
const SAMPLED: [(&str, &[&str]); 1] = [("digit-code", &["hide", "declare"])];

type Line<G> = ToBot<(), Vec<<G as Game>::Event>, <G as Game>::Prompt, <G as Game>::View>;

/// A moment in which a seat could notice that it must act, or that it must not.
struct Moment {
    /// All that the seat has seen and replied.
    seen: u64,
    /// All that has truly happened.
    truth: u64,
    /// The line that the seat is sent, if any.
    line: Option<String>,
}

/// The way a line is written; it must not look at the match.
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

/// One reply of another seat that is drawn anew.
#[derive(Clone, Copy)]
struct Twist {
    seat: Seat,
    nth: u64,
    again: u64,
}

/// Plays a match and writes down what a seat sees of it. Each reply is drawn from a stream of its own, so that it depends
/// on nothing but who replies for which time; in a simultaneous turn the seat acts when all others have replied.
fn observe<G: Game>(
    mut table: Match<G>,
    seat: Seat,
    policy: Seed,
    twist: Option<Twist>,
    write: Write<G>,
) -> Vec<Moment> {
    let most = if twist.is_some() { MOST } else { FIRST };
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
        // While others act unseen nothing changes for the seat, until it must act.
        moments.pop_if(|last| last.seen == moment.seen);
        moments.push(moment);
        if to_act.is_empty() {
            break;
        }
        if to_act.contains(seat) {
            note(&mut observer.seen, &reply(&mut table, seat));
        }
    }
    // Where the match is left it may yet have come to the seat.
    moments.pop_if(|last| last.line.is_none());
    moments
}

/// Mostly a legal action, sometimes lateness or a failure.
fn drawn<G: Game>(table: &Match<G>, seat: Seat, seed: Seed) -> Reply<G::Action> {
    let mut chance = seed.stream("reply", 0);
    match chance.below(100) {
        0 => Reply::Failed(Fault::left()),
        1..=3 => Reply::Late,
        _ => Reply::Act(table.game().sample(seat, &mut chance)),
    }
}

/// The findings of a comparison.
#[derive(Default)]
struct Found {
    /// Moments that looked the same, though something else had happened.
    alike: u32,
    /// Two lines that differ in moments that looked the same.
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

/// Compares matches that differ in their seed.
struct OtherSeeds;
/// Compares matches that differ in one reply of another seat.
struct OtherReplies;
/// Compares matches with lines that tell too much.
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

/// Matches of the first so many seeds.
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

/// Matches of one seed in which one reply of another seat is drawn anew.
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

/// The findings of a comparison in a game, in all variants, tables and seats.
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

#[test]
fn a_line_depends_on_nothing_that_the_seat_has_not_seen() {
    fn holds<G: Game>() {
        let name = G::NAME;
        let seeds = everywhere::<OtherSeeds, G>();
        let replies = everywhere::<OtherReplies, G>();
        assert_eq!(seeds.leak.or(replies.leak), None, "{name}");
        let alike = seeds.alike + replies.alike;
        assert!(
            alike >= ENOUGH,
            "{name}: only {alike} moments were alike, too few to tell"
        );
    }
    holds::<Coda>();
    holds::<Code777>();
    holds::<CrackTheCode>();
    holds::<DigitCode>();
}

#[test]
fn lines_that_tell_too_much_are_found() {
    fn holds<G: Game>() {
        let found = everywhere::<Leaky, G>();
        assert!(found.leak.is_some(), "{}", G::NAME);
    }
    holds::<Coda>();
    holds::<Code777>();
    holds::<CrackTheCode>();
    holds::<DigitCode>();
}
