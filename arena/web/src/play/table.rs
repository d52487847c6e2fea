//! A table at which people play: what each of them has seen, what is asked, and what they answer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arena_engine::seat::{BySeat, Seat};
use arena_tournament::spec::{Spec, TimeControl};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use arena_runner::offer::Offer;
use arena_runner::people::{Answer, AnswerFuture, Ending, Happening, Hint, News, People, Question};

/// The answers that may wait to be read; more are refused.
const WAITING: usize = 4;

/// A table at which people play.
pub struct Table {
    /// What is played, and by whom.
    pub spec: Spec,
    /// The time for a move of a person; none if it may take as long as it takes.
    move_ms: Option<u64>,
    /// True if people may have hints.
    has_hints: bool,
    /// The people, by seat.
    people: BySeat<Option<Person>>,
    /// What has become of the match.
    state: Mutex<State>,
    begun: Instant,
}

/// What has become of a match.
#[derive(Clone, Debug)]
pub enum State {
    /// It is being played.
    Playing,
    /// It is in the ledger of this tournament, under this id.
    Kept { key: String, id: String },
    /// It could not be played to its end, or not be kept.
    Failed(String),
}

/// A person at the table.
struct Person {
    /// Who has this may sit here.
    key: String,
    sight: Mutex<Sight>,
    /// Counts what is new.
    changes: watch::Sender<u64>,
    replies: mpsc::Sender<Reply>,
    answers: tokio::sync::Mutex<mpsc::Receiver<Reply>>,
}

/// All that a person has seen.
#[derive(Default)]
struct Sight {
    happened: Vec<Happening>,
    view: Value,
    question: Option<OpenQuestion>,
    ending: Option<Ending>,
}

/// An open question.
struct OpenQuestion {
    question: Question,
    since: Instant,
    /// True once the hint was asked for.
    is_hinted: bool,
}

/// What a person replies.
pub enum Reply {
    /// An action, to the question of this turn.
    Act { turn: u32, action: String },
    /// The person leaves.
    Leave,
}

/// What is new to a person.
#[derive(Debug, Serialize)]
pub struct Update {
    /// The number of events that were sent before.
    from: usize,
    /// What happened since.
    happened: Vec<Happening>,
    /// The table as the person sees it.
    view: Value,
    /// What is asked, if anything is.
    question: Option<Shown>,
    /// How it ended, if it has.
    ending: Option<Ending>,
    /// Where the match is kept, once it is.
    kept: bool,
    /// What went wrong with the match, if anything did.
    failure: Option<String>,
}

/// A question, without the hint.
#[derive(Debug, Serialize)]
struct Shown {
    turn: u32,
    prompt: Value,
    offers: Vec<Offer>,
    problem: Option<String>,
    /// The time that is left, in milliseconds.
    left_ms: Option<u64>,
}

impl Update {
    /// The number of events in it.
    pub fn count(&self) -> usize {
        self.happened.len()
    }
}

impl Table {
    /// A table for this match; each person is let in by one of the keys, in order of the seats.
    pub fn new(spec: Spec, move_ms: Option<u64>, has_hints: bool, mut key: impl FnMut() -> String) -> Self {
        let person = |seat: Seat| spec.bots[seat.index()].is_person().then(|| Person::new(key()));
        let people = BySeat::new(spec.plan.seats, person);
        Self { spec, move_ms, has_hints, people, state: Mutex::new(State::Playing), begun: Instant::now() }
    }

    /// The people with what lets each of them in.
    pub fn people(&self) -> impl Iterator<Item = (Seat, &str)> {
        self.people.seats().filter_map(|(seat, person)| Some((seat, person.as_ref()?.key.as_str())))
    }

    /// What has become of the match.
    pub fn state(&self) -> State {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The match has come to its end.
    pub fn end(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        self.people.iter().flatten().for_each(Person::change);
    }

    /// How long ago it was set up.
    pub fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// True if no person has its page open.
    pub fn is_empty(&self) -> bool {
        self.people.iter().flatten().all(|person| person.changes.receiver_count() == 0)
    }

    /// All people leave.
    pub fn give_up(&self) {
        // Who has answers waiting is not asked any more.
        self.people.iter().flatten().for_each(|person| drop(person.replies.try_send(Reply::Leave)));
    }

    /// True if people may have hints.
    pub fn has_hints(&self) -> bool {
        self.has_hints
    }

    fn person(&self, seat: Seat) -> &Person {
        self.people[seat].as_ref().expect("only people are asked")
    }

    /// The news of a person's seat from now on; the first is there at once.
    pub fn watch(&self, seat: Seat) -> watch::Receiver<u64> {
        let mut receiver = self.person(seat).changes.subscribe();
        receiver.mark_changed();
        receiver
    }

    /// What is new to a person who has got so many events.
    pub fn update(&self, seat: Seat, from: usize) -> Update {
        let sight = self.person(seat).sight();
        let state = self.state();
        Update {
            from,
            happened: sight.happened.iter().skip(from).cloned().collect(),
            view: sight.view.clone(),
            question: sight.question.as_ref().map(OpenQuestion::shown),
            ending: sight.ending.clone(),
            kept: matches!(state, State::Kept { .. }),
            failure: if let State::Failed(why) = state { Some(why) } else { None },
        }
    }

    /// Takes what a person replies, if that is what is asked now.
    pub fn reply(&self, seat: Seat, reply: Reply) -> Result<(), &'static str> {
        let person = self.person(seat);
        let open = person.sight().question.as_ref().map(|asking| asking.question.turn);
        match (&reply, open) {
            (Reply::Act { turn, .. }, Some(open)) if *turn == open => {}
            (Reply::Leave, _) => {}
            _ => return Err("That question is not open any more."),
        }
        person.replies.try_send(reply).map_err(|_| "Too many answers at once.")
    }

    /// What the strongest bot would do; that it was asked is noted with the move.
    pub fn hint(&self, seat: Seat) -> Option<Hint> {
        let mut sight = self.person(seat).sight();
        let asking = sight.question.as_mut()?;
        let hint = asking.question.hint.clone()?;
        asking.is_hinted = true;
        Some(hint)
    }
}

impl Person {
    fn new(key: String) -> Self {
        let (replies, answers) = mpsc::channel(WAITING);
        Self {
            key,
            sight: Mutex::default(),
            changes: watch::Sender::new(0),
            replies,
            answers: tokio::sync::Mutex::new(answers),
        }
    }

    fn sight(&self) -> MutexGuard<'_, Sight> {
        self.sight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Asks until somebody answers this very question.
    async fn ask(&self, question: Question) -> Option<Answer> {
        let mut answers = self.answers.lock().await;
        let (turn, hint) = (question.turn, question.hint.clone());
        // Who was told why an answer is not taken had the hint before.
        let was_hinted =
            self.sight().question.take().is_some_and(|asking| asking.question.turn == turn && asking.is_hinted);
        self.sight().question = Some(OpenQuestion { question, since: Instant::now(), is_hinted: was_hinted });
        self.change();
        loop {
            match answers.recv().await? {
                Reply::Leave => return None,
                Reply::Act { turn: of, action } if of == turn => {
                    let is_hinted = self.sight().question.as_ref().is_some_and(|asking| asking.is_hinted);
                    let note = hint.filter(|_| is_hinted).map(|hint| format!("had a hint: {}", hint.action));
                    return Some(Answer { action, note });
                }
                Reply::Act { .. } => {}
            }
        }
    }
}

impl OpenQuestion {
    fn shown(&self) -> Shown {
        let Question { turn, prompt, offers, problem, limit, .. } = &self.question;
        let left = limit.map(|limit| limit.saturating_sub(self.since.elapsed()));
        let left_ms = left.map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        Shown { turn: *turn, prompt: prompt.clone(), offers: offers.clone(), problem: problem.clone(), left_ms }
    }
}

impl People for Table {
    fn show(&self, seat: Seat, news: News) {
        let person = self.person(seat);
        let mut sight = person.sight();
        sight.happened.extend(news.events);
        sight.view = news.view;
        sight.ending = news.verdict;
        // What is shown after a question is what came of it.
        sight.question = None;
        drop(sight);
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
}
