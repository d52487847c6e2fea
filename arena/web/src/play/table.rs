//! A table at which people play: what each of them has seen, the open questions, and the answers.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use arena_bots::decision::{Decision, Judged};
use arena_engine::seat::{BySeat, Seat};
use arena_tournament::clock::TimeControl;
use arena_tournament::spec::Spec;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use super::saved::Saved;
use arena_runner::people::{Answer, AnswerFuture, Ending, Happening, Hint, News, People, Question};
use arena_runner::status::status;
use arena_runner::{Begun, lock, units};

/// The answers that may wait to be read; more are refused.
const WAITING: usize = 4;
/// The most mistakes that a person is shown.
const MOMENTS: usize = 3;
/// The number of last events that pages are sent with the view after each.
const STEPS: usize = 32;
/// The most streams of news of a seat.
const STREAMS: usize = 4;

/// A table at which people play.
pub struct Table {
    /// What is played, and by whom.
    pub spec: Spec,
    /// What is saved of it, and where.
    saved: Mutex<Saved>,
    pub file: PathBuf,
    /// The time for a move of a person; none if it may take as long as it takes.
    move_ms: Option<u64>,
    /// True if people may have hints.
    pub has_hints: bool,
    /// The people, by seat.
    people: BySeat<Option<Person>>,
    /// What has become of the match.
    state: Mutex<State>,
    /// When it was set up.
    pub begun: Instant,
}

/// What has become of a match.
#[derive(Clone, Debug)]
pub enum State {
    /// It is being played.
    Playing,
    /// It is in the ledger of this tournament, under this id; judged, if there is a judge of the game.
    Kept { key: String, id: String, judged: Option<Arc<Judged>> },
    /// It could not be played to its end, or not be kept.
    Failed(String),
}

/// A person at the table.
struct Person {
    /// The key that lets the person in.
    key: String,
    seen: Mutex<Seen>,
    /// Counts what is new.
    changes: watch::Sender<u64>,
    /// The numbers of the open streams of news, and that of the next.
    streams: Mutex<(BTreeSet<u64>, u64)>,
    replies: mpsc::Sender<Reply>,
    answers: tokio::sync::Mutex<mpsc::Receiver<Reply>>,
}

/// All that a person has seen.
#[derive(Default)]
struct Seen {
    happened: Vec<Happening>,
    view: Value,
    question: Option<OpenQuestion>,
    ending: Option<Ending>,
}

/// An open question.
struct OpenQuestion {
    question: Question,
    since: Instant,
    /// True once the hint was shown.
    is_hinted: bool,
}

/// The news of a seat for one page.
pub struct Stream {
    table: Arc<Table>,
    seat: Seat,
    number: u64,
    changes: watch::Receiver<u64>,
    /// The number of events that it has brought.
    from: usize,
}

/// What a person replies.
pub enum Reply {
    /// An action, to the question of this turn.
    Act { turn: u32, action: String },
    /// The person leaves.
    Leave,
}

impl Table {
    /// A table for this match, which is saved in a file.
    pub fn new(spec: Spec, saved: Saved, file: PathBuf) -> Self {
        let key = |seat: Seat| saved.keys.get(seat.index()).filter(|_| spec.bots[seat.index()].is_person());
        let people = BySeat::new(spec.plan.seats, |seat| key(seat).cloned().map(Person::new));
        let (has_hints, move_ms) = (saved.wanted.hints, saved.wanted.move_s.map(|seconds| u64::from(seconds) * 1_000));
        let (saved, state) = (Mutex::new(saved), Mutex::new(State::Playing));
        Self { spec, saved, file, move_ms, has_hints, people, state, begun: Instant::now() }
    }

    /// Its name in requests to end it.
    pub fn id(&self) -> String {
        self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The people with what lets each of them in.
    pub fn people(&self) -> impl Iterator<Item = (Seat, &str)> {
        self.people.seats().filter_map(|(seat, person)| Some((seat, person.as_ref()?.key.as_str())))
    }

    /// What has become of the match.
    pub fn state(&self) -> State {
        lock(&self.state).clone()
    }

    /// The match has come to its end.
    pub fn end(&self, state: State) {
        *lock(&self.state) = state;
        self.people.iter().flatten().for_each(Person::change);
    }

    /// True if no person has its page open.
    pub fn is_empty(&self) -> bool {
        self.people.iter().flatten().all(|person| person.changes.receiver_count() == 0)
    }

    /// All people leave.
    pub fn give_up(&self) {
        // A person with answers waiting has no open question.
        self.people.iter().flatten().for_each(|person| drop(person.replies.try_send(Reply::Leave)));
    }

    /// The people that have no page open.
    fn away(&self) -> Vec<Seat> {
        let is_away = |person: &Person| lock(&person.streams).0.is_empty();
        self.people.seats().filter(|(_, person)| person.as_ref().is_some_and(is_away)).map(|(seat, _)| seat).collect()
    }

    fn person(&self, seat: Seat) -> &Person {
        self.people[seat].as_ref().expect("a person sits there")
    }

    /// The news of a person's seat from now on; the first is there at once. If there are too many streams of it, the oldest ends.
    pub fn watch(self: Arc<Self>, seat: Seat) -> Stream {
        let person = self.person(seat);
        let mut changes = person.changes.subscribe();
        changes.mark_changed();
        let number = {
            let (open, next) = &mut *lock(&person.streams);
            open.insert(*next);
            *next += 1;
            *next - 1
        };
        self.people.iter().flatten().for_each(Person::change);
        Stream { table: self, seat, number, changes, from: 0 }
    }

    /// What is new to a person after the first `from` events, as the script of the page reads it, and the number of all events.
    fn update(&self, seat: Seat, from: usize) -> (Value, usize) {
        let (seen, state) = (lock(&self.person(seat).seen), self.state());
        let update = json!({
            "from": from,
            "away": self.away(),
            "happened": seen.happened.get(from..).unwrap_or_default(),
            "view": seen.view,
            "question": seen.question.as_ref().map(OpenQuestion::shown),
            "ending": seen.ending,
            "kept": matches!(state, State::Kept { .. }),
            "moments": if let State::Kept { judged: Some(judged), .. } = &state { Some(moments(judged, seat)) } else { None },
            "failure": if let State::Failed(why) = state { Some(why) } else { None },
        });
        (update, seen.happened.len())
    }

    /// Takes the reply of a person, if its question is open.
    pub fn reply(&self, seat: Seat, reply: Reply) -> Result<(), &'static str> {
        let person = self.person(seat);
        let open = lock(&person.seen).question.as_ref().map(|asking| asking.question.turn);
        match (&reply, open) {
            (Reply::Act { turn, .. }, Some(open)) if *turn == open => {}
            (Reply::Leave, _) => {}
            _ => return Err("That question is no longer open."),
        }
        person.replies.try_send(reply).map_err(|_| "Too many answers at once.")
    }

    /// The action of the strongest bot; the request for it is noted with the move.
    pub fn hint(&self, seat: Seat) -> Option<Hint> {
        let mut seen = lock(&self.person(seat).seen);
        let asking = seen.question.as_mut()?;
        let hint = asking.question.hint.clone()?;
        asking.is_hinted = true;
        Some(hint)
    }
}

/// The clear mistakes of a seat that cost most.
fn moments(judged: &Judged, seat: Seat) -> Vec<&Decision> {
    let mut own: Vec<&Decision> =
        judged.decisions.iter().filter(|decision| decision.listed && decision.seat == seat).collect();
    own.sort_by(|one, other| other.lost.total_cmp(&one.lost));
    own.truncate(MOMENTS);
    own
}

impl Stream {
    /// What is new, when there is something; none once newer streams have taken its place.
    pub async fn next(&mut self) -> Option<Value> {
        self.changes.changed().await.ok()?;
        let newer = lock(&self.table.person(self.seat).streams).0.range(self.number + 1..).count();
        if newer >= STREAMS {
            return None;
        }
        let (update, from) = self.table.update(self.seat, self.from);
        self.from = from;
        Some(update)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        lock(&self.table.person(self.seat).streams).0.remove(&self.number);
        self.table.people.iter().flatten().for_each(Person::change);
    }
}

impl Person {
    fn new(key: String) -> Self {
        let (replies, answers) = mpsc::channel(WAITING);
        Self {
            key,
            seen: Mutex::default(),
            changes: watch::Sender::new(0),
            streams: Mutex::default(),
            replies,
            answers: tokio::sync::Mutex::new(answers),
        }
    }

    fn change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Asks until there is an answer to this question.
    async fn ask(&self, question: Question) -> Option<Answer> {
        let mut answers = self.answers.lock().await;
        let (turn, hint) = (question.turn, question.hint.clone());
        // A question that is repeated keeps its hint.
        let was_hinted =
            lock(&self.seen).question.take().is_some_and(|asking| asking.question.turn == turn && asking.is_hinted);
        lock(&self.seen).question = Some(OpenQuestion { question, since: Instant::now(), is_hinted: was_hinted });
        self.change();
        loop {
            match answers.recv().await? {
                Reply::Leave => return None,
                Reply::Act { turn: of, action } if of == turn => {
                    let is_hinted = lock(&self.seen).question.as_ref().is_some_and(|asking| asking.is_hinted);
                    let note = hint.filter(|_| is_hinted).map(|hint| format!("had a hint: {}", hint.action));
                    return Some(Answer { action, note });
                }
                Reply::Act { .. } => {}
            }
        }
    }
}

impl OpenQuestion {
    /// The question without the hint, with what may be right by counting, and with the time that is left.
    fn shown(&self) -> Value {
        let Question { turn, prompt, offers, problem, limit, hint } = &self.question;
        let possible = hint.as_ref().map(|hint| &hint.possible);
        let left_ms = limit.map(|limit| units::millis(limit.saturating_sub(self.since.elapsed())));
        json!({"turn": turn, "prompt": prompt, "offers": offers, "problem": problem, "possible": possible, "left_ms": left_ms})
    }
}

impl People for Table {
    fn show(&self, seat: Seat, news: News) {
        let person = self.person(seat);
        let mut seen = lock(&person.seen);
        seen.happened.extend(news.events);
        seen.happened.iter_mut().rev().skip(STEPS).for_each(|happening| happening.view = Value::Null);
        seen.view = news.view;
        seen.ending = news.verdict;
        // What is shown after a question is what came of it.
        seen.question = None;
        drop(seen);
        person.change();
    }

    fn ask(&self, seat: Seat, question: Question) -> AnswerFuture<'_> {
        Box::pin(self.person(seat).ask(question))
    }

    fn clock(&self, _: Seat) -> Option<TimeControl> {
        let move_ms = Some(self.move_ms?);
        Some(TimeControl { move_ms, bank_ms: None, increment_ms: 0, ..TimeControl::default() })
    }

    fn wants_hints(&self, _: Seat) -> bool {
        self.has_hints
    }

    fn save(&self, begun: Begun) {
        let mut saved = lock(&self.saved);
        saved.begun = Some(begun);
        if let Err(error) = saved.write(&self.file) {
            status(format_args!("cannot save a match in {}: {error:#}", self.file.display()));
        }
    }
}
