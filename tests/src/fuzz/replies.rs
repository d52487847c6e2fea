//! Fuzzes a match: bytes choose its table and the replies of its seats, both in and out of turn.

use arena_engine::chance::{Chance, Seed};
use arena_engine::fault::{Cause, Fault};
use arena_engine::game::{Game, Prompt as _, Rules, View};
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::machine::{Finished, Match};
use arena_engine::outcome::Verdict;
use arena_engine::record::{RecordOf, Reply};
use arena_engine::replay::replay;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::set::Set;
use arena_engine::table;
use arena_protocol::fault::{BotFault, Hint, Violation};
use arena_protocol::frame::MAX_ARENA_LINE_BYTES;
use arena_protocol::message::{self, Clock, End, Routed, ToBotOf, Turn};
use serde_json::Value;

use super::Bytes;
use super::wire::SENTENCE;

/// Maximum number of replies after which a match with a variant's rules must be over.
const MAX_REPLIES: usize = 50_000;
/// Number of replies after which the seats of a match with other rules give up.
const MAX_REPLIES_OTHER_RULES: usize = 200;

/// Words of the games, used in wrong places.
const WORDS: [&str; 40] = [
    "set_up",
    "dark",
    "light",
    "place_dashes",
    "place",
    "position",
    "draw",
    "colour",
    "attack",
    "seat",
    "face",
    "stop",
    "expose",
    "pass",
    "declare",
    "numbers",
    "cards",
    "hide",
    "guess",
    "code",
    "ask_line",
    "line",
    "ask_parity",
    "digit",
    "ask_larger",
    "pair",
    "ask_place",
    "column",
    "row",
    "11",
    "-",
    "G1",
    "B7",
    "K5",
    "204817",
    "012344",
    "T",
    "TU",
    "A",
    "S",
];

/// Plays a match that is determined by the bytes.
///
/// # Panics
/// Panics if an invariant is violated.
pub fn replies(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.below(4) {
        0 => play::<Coda>(bytes),
        1 => play::<Code777>(bytes),
        2 => play::<CrackTheCode>(bytes),
        _ => play::<DigitCode>(bytes),
    }
}

fn play<G: Game>(mut bytes: Bytes<'_>) {
    let seats = match bytes.byte() {
        odd @ 240.. => usize::from(odd - 240),
        seats => G::SEATS.start() + usize::from(seats) % G::SEATS.count(),
    };
    let variants = G::Rules::variants();
    let (rules, most) = match variants.get(bytes.below(variants.len() + 1)) {
        Some(rules) => (
            rules.clone(),
            if bytes.below(8) == 7 { MAX_REPLIES } else { 0 },
        ),
        None => (other_rules(&mut bytes), MAX_REPLIES_OTHER_RULES),
    };
    let seed = Seed::try_from(bytes.below(256) as u64).expect("it is small");
    match Match::new(&rules, seats, seed) {
        Ok(table) => Playing::<G>::new(table).play(&mut bytes, most),
        Err(_) => assert!(!G::SEATS.contains(&seats) || rules.check(seats).is_err()),
    }
}

fn read<G: Game>(line: &str, id: u64, last: u64) -> Result<G::Action, Fault> {
    let game = table::find(G::NAME).expect("it is known");
    let action = message::read_action(game, line, id, last)?;
    Ok(action.read().expect("it was just written"))
}

/// Generates rules with some values changed.
fn other_rules<R: Rules>(bytes: &mut Bytes<'_>) -> R {
    let mut rules = serde_json::to_value(R::default()).expect("it can be written");
    for value in rules
        .as_object_mut()
        .expect("rules are an object")
        .values_mut()
    {
        *value = match bytes.below(8) {
            0 => bytes.byte().into(),
            1 => 1.into(),
            2 => (u64::from(bytes.byte()) << bytes.below(16)).into(),
            3 => (bytes.below(2) == 0).into(),
            4 => "seats".into(),
            _ => value.clone(),
        };
    }
    serde_json::from_value(rules).unwrap_or_default()
}

/// A match, with a log of the actions performed on it.
struct Playing<G: Game> {
    table: Match<G>,
    seats: usize,
    views: BySeat<G::View>,
    chance: Chance,
    /// Seats that have done something illegal.
    doomed: Set<Seat>,
    lines: u64,
}

impl<G: Game> Playing<G> {
    fn new(table: Match<G>) -> Self {
        let (seats, seed) = (table.record().seats, table.record().seed);
        let views = BySeat::new(seats, |seat| {
            G::View::new(&table.record().rules, seats, seat)
        });
        Self {
            table,
            seats,
            views,
            chance: seed.stream("fuzz", 0),
            doomed: Set::EMPTY,
            lines: 0,
        }
    }

    fn play(mut self, bytes: &mut Bytes<'_>, most: usize) {
        while !self.table.is_over() && !bytes.is_empty() {
            self.step(bytes);
            self.is_sound();
        }
        for _ in 0..most {
            let Some(seat) = self.table.to_act().first() else {
                break;
            };
            let action = self.sampled(seat);
            self.reply(seat, Reply::Act(action));
        }
        assert!(
            most < MAX_REPLIES || self.table.is_over(),
            "it does not end"
        );
        for _ in 0..self.seats {
            self.table
                .to_act()
                .into_iter()
                .for_each(|seat| self.reply(seat, Reply::Failed(Fault::left())));
        }
        assert!(self.table.is_over(), "it does not end though all have left");
        self.finish(bytes);
    }

    /// Performs one action of some seat.
    fn step(&mut self, bytes: &mut Bytes<'_>) {
        let to_act: Vec<Seat> = self.table.to_act().into_iter().collect();
        let seat = *bytes.pick(&to_act);
        match bytes.below(64) {
            0..=1 => self.reply(seat, Reply::Late),
            2 => {
                let game = Violation::WrongGame(G::NAME.into()).into();
                let late = BotFault::Late(Some(Hint::Nothing));
                let faults = [BotFault::ClosedOutput, late, game];
                self.reply(seat, Reply::Failed(bytes.pick(&faults).into()));
            }
            3..=4 => self.out_of_turn(Seat(bytes.byte()), seat),
            5..=12 => {
                let line = self.line(seat, bytes);
                match message::route(&line, &[self.lines], self.lines) {
                    Ok(Routed::Open(id)) => match read::<G>(&line, id, self.lines) {
                        Ok(action) => self.reply(seat, Reply::Act(action)),
                        Err(fault) => {
                            assert!(fault.to_string().len() <= SENTENCE, "{fault}");
                            if fault.cause() == Cause::Illegal {
                                self.doomed.insert(seat);
                            }
                            self.reply(seat, Reply::Failed(fault));
                        }
                    },
                    Ok(Routed::Stale(_) | Routed::Pause(_)) => {}
                    Err(why) => self.reply(seat, Reply::Failed(BotFault::from(why).into())),
                }
            }
            13..=19 => self.is_sent(seat),
            _ => {
                let action = self.sampled(seat);
                self.reply(seat, Reply::Act(action));
            }
        }
    }

    fn sampled(&mut self, seat: Seat) -> G::Action {
        let action = self.table.game().sample(seat, &mut self.chance);
        assert_eq!(self.table.prompt(seat).permits(&action), Ok(()));
        action
    }

    fn reply(&mut self, seat: Seat, reply: Reply<G::Action>) {
        if let Reply::Act(action) = &reply
            && let Err(why) = self.table.prompt(seat).permits(action)
        {
            assert!(why.to_string().len() <= SENTENCE, "{why}");
            self.doomed.insert(seat);
        }
        self.table.reply(seat, reply).expect("it must act");
    }

    /// Checks that a reply out of turn changes nothing.
    fn out_of_turn(&mut self, seat: Seat, acting: Seat) {
        if self.table.to_act().contains(seat) {
            return;
        }
        let before = (
            self.table.to_act(),
            self.table.events().len(),
            self.table.record().clone(),
        );
        let action = self.sampled(acting);
        assert!(self.table.reply(seat, Reply::Act(action)).is_err());
        assert!(self.table.reply(seat, Reply::Late).is_err());
        assert_eq!(
            (
                self.table.to_act(),
                self.table.events().len(),
                self.table.record().clone()
            ),
            before
        );
    }

    /// Generates a line that may be an answer of the seat.
    fn line(&mut self, seat: Seat, bytes: &mut Bytes<'_>) -> String {
        self.lines += 1;
        let id = self.lines + *bytes.pick(&[0, 0, 0, 0, 0, 0, 1]) - u64::from(bytes.below(8) == 0);
        let action = if bytes.below(4) == 0 {
            let length = bytes.below(64);
            String::from_utf8_lossy(bytes.take(length)).into_owned()
        } else {
            let mut action = serde_json::to_value(self.sampled(seat)).expect("it can be written");
            (0..=bytes.below(3)).for_each(|_| alter(&mut action, bytes));
            action.to_string()
        };
        format!("{{\"id\":{id},\"action\":{action}}}")
    }

    /// Checks that the line sent to the seat is readable and not too long.
    fn is_sent(&mut self, seat: Seat) {
        self.lines += 1;
        let prompt = self.table.prompt(seat);
        let events = self.see(seat);
        let view = Some(self.views[seat].clone());
        let clock = Clock::default();
        is_read(&ToBotOf::<G>::Turn(Turn {
            id: self.lines,
            r#match: 1,
            events,
            prompt,
            view,
            clock,
        }));
    }

    fn see(&mut self, seat: Seat) -> Vec<G::Event> {
        let events: Vec<G::Event> = self.table.new_events(seat).collect();
        events.iter().for_each(|event| self.views[seat].see(event));
        events
    }

    /// Checks the invariants that hold at every moment.
    fn is_sound(&mut self) {
        let to_act = self.table.to_act();
        assert_eq!(to_act.is_empty(), self.table.is_over());
        assert!(
            to_act.without(Seat::all(self.seats)).is_empty(),
            "who must act has a seat"
        );
        for seat in to_act {
            assert_eq!(
                self.table.fault(seat),
                None,
                "who has forfeited need not act"
            );
            self.sampled(seat);
        }
    }

    /// Checks the invariants that hold at the end.
    fn finish(mut self, bytes: &mut Bytes<'_>) {
        let verdict = self.table.verdict().expect("it is over").clone();
        for seat in Seat::all(self.seats) {
            let (events, outcome) = (self.see(seat), verdict.outcome.clone());
            is_read(&ToBotOf::<G>::End(End {
                r#match: 1,
                events,
                outcome,
                ended: verdict.ended,
            }));
            let cause = verdict.faults[seat].as_ref().map(Fault::cause);
            assert_eq!(
                cause == Some(Cause::Illegal),
                self.doomed.contains(seat),
                "{cause:?}"
            );
        }
        adds_up::<G>(&verdict);
        let names = BySeat::new(self.seats, |seat| format!("bot {seat}"));
        assert!(
            self.table
                .events()
                .iter()
                .all(|event| !G::describe(event, &names).is_empty())
        );
        let played = self.table.finish().expect("it is over");
        replays(&played);
        damaged(played, bytes);
    }
}

/// Changes a random part of a value.
fn alter(value: &mut Value, bytes: &mut Bytes<'_>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let name = fields
                .keys()
                .nth(bytes.below(fields.len()))
                .expect("there are so many")
                .clone();
            match bytes.below(8) {
                0 => drop(fields.remove(&name)),
                1 => {
                    let value = fields.remove(&name).expect("it is there");
                    fields.insert((*bytes.pick(&WORDS)).to_owned(), value);
                }
                2 => drop(fields.insert((*bytes.pick(&WORDS)).to_owned(), bytes.byte().into())),
                _ => alter(&mut fields[&name], bytes),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = bytes.below(items.len());
            match bytes.below(4) {
                0 => drop(items.remove(at)),
                1 => items.insert(at, items[at].clone()),
                _ => alter(&mut items[at], bytes),
            }
        }
        leaf => {
            *leaf = match bytes.below(8) {
                0 => Value::Null,
                1 => (-1).into(),
                2 => u64::MAX.into(),
                3 => (*bytes.pick(&WORDS)).into(),
                4 => bytes.below(16).to_string().into(),
                5 => Value::Array(vec![bytes.byte().into(); bytes.below(10)]),
                6 => bytes.below(16).into(),
                _ => bytes.byte().into(),
            }
        }
    }
}

fn is_read<G>(message: &G)
where
    G: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let line = serde_json::to_string(message).expect("it can be written");
    assert!(
        line.len() < MAX_ARENA_LINE_BYTES,
        "a line of {} bytes",
        line.len()
    );
    assert_eq!(
        &serde_json::from_str::<G>(&line).expect("it can be read"),
        message
    );
}

/// Checks that points match the breakdown, that places have no gaps except for ties, and that forfeits come last.
fn adds_up<G: Game>(verdict: &Verdict) {
    let scores = &verdict.outcome.seats;
    for (seat, score) in scores.seats() {
        assert_eq!(score.points, score.breakdown.points(G::SCORING));
        let better = scores
            .iter()
            .filter(|other| other.place < score.place)
            .count();
        assert_eq!(usize::from(score.place), better + 1);
        let out = |seat: Seat| verdict.faults[seat].is_some();
        assert!(
            scores
                .seats()
                .all(|(other, theirs)| out(other) <= out(seat) || theirs.place > score.place)
        );
    }
}

fn replays<G: Game>(played: &Finished<G>) {
    let text = serde_json::to_string(&played.record).expect("it can be written");
    let record: RecordOf<G> = serde_json::from_str(&text).expect("it can be read");
    let again = replay::<G>(&record).expect("it can be replayed");
    assert_eq!(again.events, played.events);
    assert_eq!(again.verdict, played.verdict);
    assert_eq!(again.record, played.record);
}

/// Checks that a damaged record is either refused or replays to itself, and is never taken for another record.
fn damaged<G: Game>(played: Finished<G>, bytes: &mut Bytes<'_>) {
    let mut record = played.record;
    let last = record.replies.pop().expect("a match takes a reply");
    assert!(
        replay::<G>(&record)
            .is_err_and(|error| error.to_string().contains("before the match is over"))
    );
    let at = bytes.below(record.replies.len() + 1);
    record.replies.insert(at, last);
    if let Ok(other) = replay::<G>(&record) {
        assert_eq!(other.record, record);
    }
}
