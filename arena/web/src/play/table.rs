//! A table at which people play: what each of them has seen, the open questions, and the answers.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use anyhow::ensure;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::{Happening, Json};
use arena_tournament::clock::TimeControl;
use arena_tournament::spec::Spec;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::saved::Saved;
use super::setup::NewTable;
use arena_runner::people::{Answer, AnswerFuture, Ending, Hint, News, People, Question};
use arena_runner::status::status;
use arena_runner::{Begun, lock, units};

/// The answers that may wait to be read.
const WAITING: usize = 4;
/// The most mistakes that a person is shown.
const MOMENTS: usize = 3;
/// The number of last events that pages are sent with the view after each.
const STEPS: usize = 32;
/// A seat whose pages have not asked for news for this long is away: hidden pages ask every three seconds.
const AWAY: Duration = Duration::from_secs(8);
/// The most browsers that are told apart at a seat, or among those that watch.
const BROWSERS: usize = 100;

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
    /// What is shown to those who only watch.
    public: Public,
    /// The table of the rematch, once it is open.
    rematch: Mutex<Option<Arc<Table>>>,
    /// What has become of the match.
    state: Mutex<State>,
    /// When it was set up.
    pub begun: Instant,
    /// Tells the news of this server from those before a restart.
    epoch: u128,
}

/// What has become of a match.
#[derive(Clone, Debug)]
pub enum State {
    /// It is being played.
    Playing,
    /// It is in the ledger of this tournament, under this id; with the mistakes of all seats, where the game is judged or counted.
    Kept {
        key: String,
        id: String,
        moments: Option<Arc<Vec<Moment>>>,
    },
    /// It could not be played to its end, or not be kept.
    Failed(String),
}

/// A mistake.
#[derive(Debug)]
pub struct Moment {
    pub seat: Seat,
    /// The number of the reply in the match.
    pub turn: usize,
    /// What was wrong.
    pub words: String,
}

/// A person at the table.
struct Person {
    /// The key that lets the person in.
    key: String,
    seen: Mutex<Seen>,
    browsers: Browsers,
    replies: mpsc::Sender<Reply>,
    answers: tokio::sync::Mutex<mpsc::Receiver<Reply>>,
}

/// What everybody may see who has the key.
struct Public {
    key: String,
    seen: Mutex<Seen>,
    browsers: Browsers,
}

/// When a page of each browser last asked for news.
#[derive(Default)]
struct Browsers(Mutex<HashMap<String, Instant>>);

impl Browsers {
    /// A page of this browser asks. Those that ask no more are forgotten.
    fn note(&self, browser: &str) {
        let mut all = lock(&self.0);
        all.retain(|_, looked| looked.elapsed() <= AWAY);
        let name: String = browser.chars().take(16).collect();
        if all.len() < BROWSERS || all.contains_key(&name) {
            all.insert(name, Instant::now());
        }
    }

    /// When one of them last asked.
    fn looked(&self) -> Option<Instant> {
        lock(&self.0).values().max().copied()
    }

    /// The number of those that still ask.
    fn count(&self) -> usize {
        let all = lock(&self.0);
        all.values()
            .filter(|looked| looked.elapsed() <= AWAY)
            .count()
    }
}

/// All that a person has seen.
#[derive(Default)]
struct Seen {
    happened: Vec<Happening>,
    view: Option<Json>,
    question: Option<OpenQuestion>,
    ending: Option<Ending>,
    /// Counts the changes.
    changes: u64,
    /// True once there was a question, or the match is over.
    has_asked: bool,
}

/// An open question.
struct OpenQuestion {
    question: Question,
    since: Instant,
    /// The action that has arrived.
    sent: Option<String>,
    /// True once the hint was shown.
    is_hinted: bool,
}

/// What a person replies.
pub enum Reply {
    /// An action, to the question of this turn.
    Act { turn: u32, action: String },
    /// The person leaves.
    Leave,
}

/// Why a reply is not taken while a match is being resumed: it is to be tried again.
pub const EARLY: &str = "The match has not come to that question yet.";
const CLOSED: &str = "That question is no longer open.";

impl Table {
    /// A table for this match, which is saved in a file.
    pub fn new(spec: Spec, saved: Saved, file: PathBuf) -> Self {
        let person = |seat: Seat| {
            let is_person = spec.bots[seat.index()].is_person();
            let key = saved.keys.get(seat.index()).filter(|_| is_person)?;
            Some(Person::new(key.clone()))
        };
        let move_s = saved.wanted.move_s.map(u64::from);
        let epoch = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        Self {
            people: BySeat::new(spec.plan.seats, person),
            public: Public {
                key: saved.watch.clone(),
                seen: Mutex::default(),
                browsers: Browsers::default(),
            },
            rematch: Mutex::default(),
            move_ms: move_s.map(|seconds| seconds * 1_000),
            has_hints: saved.wanted.hints,
            spec,
            saved: Mutex::new(saved),
            file,
            state: Mutex::new(State::Playing),
            begun: Instant::now(),
            epoch: epoch.as_nanos(),
        }
    }

    /// Its name in requests to end it.
    pub fn id(&self) -> String {
        let stem = self.file.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// The people with what lets each of them in.
    pub fn people(&self) -> impl Iterator<Item = (Seat, &str)> {
        self.people
            .seats()
            .filter_map(|(seat, person)| Some((seat, person.as_ref()?.key.as_str())))
    }

    /// What has become of the match.
    pub fn state(&self) -> State {
        lock(&self.state).clone()
    }

    /// The match has come to its end.
    pub fn end(&self, state: State) {
        *lock(&self.state) = state;
        self.change();
    }

    /// Something has become of the match that all pages are to be told.
    fn change(&self) {
        let people = self.people.iter().flatten();
        let all = people.map(|person| &person.seen).chain([&self.public.seen]);
        all.for_each(|seen| {
            let mut seen = lock(seen);
            (seen.has_asked, seen.changes) = (true, seen.changes + 1);
        });
    }

    /// What lets somebody watch.
    pub fn watch_key(&self) -> &str {
        &self.public.key
    }

    /// Opens the table of the rematch, at which all have moved on by one seat. From then on, all news lead to it.
    pub fn rematch(
        &self,
        open: impl FnOnce(NewTable) -> anyhow::Result<Arc<Table>>,
    ) -> anyhow::Result<()> {
        ensure!(
            matches!(self.state(), State::Kept { .. }),
            "the match is not over yet"
        );
        {
            let mut rematch = lock(&self.rematch);
            if rematch.is_none() {
                let mut wanted = lock(&self.saved).wanted.clone();
                wanted.seats.rotate_right(1);
                *rematch = Some(open(wanted)?);
            }
        }
        self.change();
        Ok(())
    }

    /// The address of the rematch for whoever sits here, or only watches.
    fn next_address(&self, seat: Option<Seat>) -> Option<String> {
        let rematch = lock(&self.rematch);
        let next = rematch.as_ref()?;
        let Some(seat) = seat else {
            return Some(next.watch_address());
        };
        let moved = Seat::all(self.people.len())
            .into_iter()
            .nth((seat.index() + 1) % self.people.len())?;
        Some(format!("/seat/{}", next.people[moved].as_ref()?.key))
    }

    /// The address for those who only watch.
    pub fn watch_address(&self) -> String {
        format!("/watch/{}", self.public.key)
    }

    /// How the match stands for a person, in a few words.
    pub fn standing(&self, seat: Seat) -> &'static str {
        let seen = lock(&self.person(seat).seen);
        let is_asked = |open: &OpenQuestion| open.sent.is_none();
        match self.state() {
            State::Playing if seen.question.as_ref().is_some_and(is_asked) => "your move",
            State::Playing => "the others' move",
            State::Kept { .. } => "over",
            State::Failed(_) => "not kept",
        }
    }

    /// The time since a person's page last asked for news.
    pub fn idle(&self) -> Duration {
        let people = self.people.iter().flatten();
        let looked = people.filter_map(|person| person.browsers.looked());
        looked.max().unwrap_or(self.begun).elapsed()
    }

    /// True if no person has its page open.
    pub fn is_empty(&self) -> bool {
        self.away().len() == self.people().count()
    }

    /// All people leave.
    pub fn give_up(&self) {
        for person in self.people.iter().flatten() {
            // A person with answers waiting has no open question.
            let _ = person.replies.try_send(Reply::Leave);
        }
    }

    /// The people that have no page open.
    fn away(&self) -> Vec<Seat> {
        let is_away = |seat: &Seat| self.person(*seat).browsers.count() == 0;
        let people = self.people().map(|(seat, _)| seat);
        people.filter(is_away).collect()
    }

    /// The other people with an open question that they have not answered, each with the milliseconds left for it, if that is limited.
    fn waiting(&self, seat: Option<Seat>) -> Vec<(Seat, Option<u64>)> {
        let others = self.people().filter(|(other, _)| Some(*other) != seat);
        let waiting = others.filter_map(|(other, _)| {
            let seen = lock(&self.person(other).seen);
            let open = seen.question.as_ref().filter(|open| open.sent.is_none())?;
            Some((other, open.left().map(units::millis)))
        });
        waiting.collect()
    }

    fn person(&self, seat: Seat) -> &Person {
        self.people[seat].as_ref().expect("a person sits there")
    }

    /// What is new to a page of a person's seat, or of somebody who only watches, as its script reads it. `after` is the token of the news
    /// that it has, if any. None if nothing is new, or nothing has been shown yet.
    pub fn news(&self, seat: Option<Seat>, after: &str, browser: &str) -> Option<Value> {
        let person = seat.map(|seat| self.person(seat));
        let (seen, browsers) = person
            .map_or((&self.public.seen, &self.public.browsers), |person| {
                (&person.seen, &person.browsers)
            });
        browsers.note(browser);
        let (away, waiting, epoch) = (self.away(), self.waiting(seat), self.epoch);
        let (seen, state) = (lock(seen), self.state());
        let watching = self.public.browsers.count();
        let is_elsewhere = seat.is_some() && browsers.count() > 1;
        let who = away.iter().chain(waiting.iter().map(|(seat, _)| seat));
        let bits: Vec<String> = who.map(Seat::to_string).collect();
        let bits = format!("{}.{}", away.len(), bits.concat());
        let token = format!(
            "{}-{}-{bits}-{watching}-{is_elsewhere}-{epoch}",
            seen.happened.len(),
            seen.changes
        );
        if token == after || (seen.changes == 0 && seat.is_some()) {
            return None;
        }
        let is_of_now = after.ends_with(&format!("-{epoch}"));
        let from = after.split('-').next().filter(|_| is_of_now);
        let from = from.and_then(|from| from.parse().ok()).unwrap_or(0);
        Some(json!({
            "token": token,
            "from": from,
            "away": away,
            "watching": watching,
            "elsewhere": is_elsewhere,
            "rematch": self.next_address(seat),
            "waiting": waiting,
            "happened": seen.happened.get(from..).unwrap_or_default(),
            "view": seen.view,
            "question": seen.question.as_ref().map(OpenQuestion::shown),
            "ending": seen.ending,
            "kept": matches!(state, State::Kept { .. }),
            "moments": if let (State::Kept { moments: Some(all), .. }, Some(seat)) = (&state, seat) { Some(of_seat(all, seat)) } else { None },
            "failure": if let State::Failed(why) = state { Some(why) } else { None },
        }))
    }

    /// Takes the reply of a person, if its question is open. The same action for the same turn counts once, however often it comes.
    pub fn reply(&self, seat: Seat, reply: Reply) -> Result<(), &'static str> {
        let person = self.person(seat);
        let mut seen = lock(&person.seen);
        if let Reply::Act { turn, action } = &reply {
            let closed = if seen.has_asked { CLOSED } else { EARLY };
            let open = seen.question.as_mut();
            let open = open.filter(|asking| asking.question.turn == *turn);
            match &mut open.ok_or(closed)?.sent {
                Some(sent) if sent == action => return Ok(()),
                Some(_) => return Err("Another answer to that question has arrived first."),
                sent => *sent = Some(action.clone()),
            }
            seen.changes += 1;
        }
        // If there is no room, it waits to be read that the person leaves.
        let _ = person.replies.try_send(reply);
        Ok(())
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

/// The first mistakes of a seat.
fn of_seat(moments: &[Moment], seat: Seat) -> Vec<Value> {
    let own = moments.iter().filter(|moment| moment.seat == seat);
    own.take(MOMENTS)
        .map(|Moment { turn, words, .. }| json!({"turn": turn, "words": words}))
        .collect()
}

impl Seen {
    fn add(&mut self, news: News) {
        self.happened.extend(news.events);
        for happening in self.happened.iter_mut().rev().skip(STEPS) {
            happening.view = Json::new(&());
        }
        self.view = Some(news.view);
        self.ending = news.verdict;
        // What is shown after a question is what came of it.
        self.question = None;
        self.changes += 1;
    }
}

impl Person {
    fn new(key: String) -> Self {
        let (replies, answers) = mpsc::channel(WAITING);
        Self {
            key,
            seen: Mutex::default(),
            browsers: Browsers::default(),
            replies,
            answers: tokio::sync::Mutex::new(answers),
        }
    }

    /// Asks until there is an answer to this question.
    async fn ask(&self, question: Question) -> Option<Answer> {
        let mut answers = self.answers.lock().await;
        let (turn, hint) = (question.turn, question.hint.clone());
        {
            let mut seen = lock(&self.seen);
            // A question that is repeated keeps its hint.
            let before = seen.question.take();
            let is_hinted =
                before.is_some_and(|asking| asking.question.turn == turn && asking.is_hinted);
            seen.question = Some(OpenQuestion {
                question,
                since: Instant::now(),
                sent: None,
                is_hinted,
            });
            (seen.has_asked, seen.changes) = (true, seen.changes + 1);
        }
        loop {
            match answers.recv().await? {
                Reply::Leave => return None,
                Reply::Act { turn: of, action } if of == turn => {
                    let seen = lock(&self.seen);
                    let is_hinted = seen
                        .question
                        .as_ref()
                        .is_some_and(|asking| asking.is_hinted);
                    let hint = hint.filter(|_| is_hinted);
                    let note = hint.map(|hint| format!("had a hint: {}", hint.action));
                    return Some(Answer { action, note });
                }
                Reply::Act { .. } => {}
            }
        }
    }
}

impl OpenQuestion {
    /// The time that is left, if it is limited.
    fn left(&self) -> Option<Duration> {
        let limit = self.question.limit?;
        Some(limit.saturating_sub(self.since.elapsed()))
    }

    /// The question without the hint, with what may be right by counting, and with the time that is left.
    fn shown(&self) -> Value {
        let of = &self.question;
        let left = self.left();
        json!({
            "turn": of.turn,
            "prompt": of.prompt,
            "offers": of.offers,
            "problem": of.problem,
            "possible": of.hint.as_ref().map(|hint| &hint.possible),
            "left_ms": left.map(units::millis),
            "is_sent": self.sent.is_some(),
        })
    }
}

impl People for Table {
    fn show(&self, seat: Seat, news: News) {
        lock(&self.person(seat).seen).add(news);
    }

    fn show_onlookers(&self, news: News) {
        lock(&self.public.seen).add(news);
    }

    fn ask(&self, seat: Seat, question: Question) -> AnswerFuture<'_> {
        Box::pin(self.person(seat).ask(question))
    }

    fn clock(&self, _: Seat) -> Option<TimeControl> {
        Some(TimeControl {
            move_ms: Some(self.move_ms?),
            bank_ms: None,
            increment_ms: 0,
            ..TimeControl::default()
        })
    }

    fn wants_hints(&self, _: Seat) -> bool {
        self.has_hints
    }

    fn save(&self, begun: Begun) {
        let mut saved = lock(&self.saved);
        saved.begun = Some(begun);
        if let Err(error) = saved.write(&self.file) {
            status(format_args!(
                "cannot save a match in {}: {error:#}",
                self.file.display()
            ));
        }
    }
}
