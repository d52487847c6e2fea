//! A table at which people play: events that were seen, open questions, and answers.

mod browsers;
mod news;
mod people;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, ensure};
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::{Happening, Json};
use arena_tournament::spec::Spec;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use self::browsers::Browsers;
use super::saved::{Reply, Saved};
use super::setup::NewTable;
use arena_runner::people::{Answer, Ending, Hint, News, Question};
use arena_runner::status::status;
use arena_runner::{lock, units};
use arena_session::crash;

/// Capacity of a person's queue of answers.
const MAX_WAITING: usize = 4;
/// Maximum number of rematches that a person may open in succession, starting from the table that the host set up.
const MAX_REMATCHES: u32 = 20;
/// Maximum number of mistakes shown to a person.
const MAX_MOMENTS: usize = 3;
/// Number of latest events that pages receive together with the view after each event.
const STEPS: usize = 32;
/// Time since its last request for news after which a browser counts as gone. Hidden pages poll every three seconds.
const AWAY_AFTER: Duration = Duration::from_secs(8);
/// Maximum number of browsers that are distinguished per seat, and among spectators.
const MAX_BROWSERS: usize = 100;

/// Table at which people play.
pub struct Table {
    /// Game, rules and players of the match.
    pub spec: Spec,
    /// Saved state of the match.
    saved: Mutex<Saved>,
    pub file: PathBuf,
    /// Time limit for a person's move, in milliseconds; `None` if unlimited.
    move_ms: Option<u64>,
    /// True if people may ask for hints.
    pub has_hints: bool,
    /// People by seat.
    people: BySeat<Option<Person>>,
    /// The view of the spectators.
    public: Public,
    /// The table of the rematch, once it has been opened.
    rematch: Mutex<Option<Arc<Table>>>,
    /// Current state of the match.
    state: Mutex<State>,
    /// Time at which the table was set up.
    pub begun: Instant,
    /// A number that differs after a restart, so that pages can tell the news of this server from earlier news.
    epoch: u64,
}

/// State of a match.
#[derive(Clone, Debug)]
pub enum State {
    /// In progress.
    Playing,
    /// Stored in the ledger of this tournament under this id. The mistakes of all seats are included if the moves were judged or counted.
    Kept {
        key: String,
        id: String,
        moments: Option<Arc<Vec<Moment>>>,
    },
    /// Could not be played to its end, or could not be stored.
    Failed(String),
}

/// Mistake of a seat.
#[derive(Debug)]
pub struct Moment {
    pub seat: Seat,
    /// Number of the reply in the match.
    pub turn: usize,
    /// A description of the mistake.
    pub words: String,
}

/// Person at the table.
struct Person {
    /// Key of the person's seat.
    key: String,
    seen: Mutex<Seen>,
    browsers: Browsers,
    replies: mpsc::Sender<Reply>,
    answers: tokio::sync::Mutex<mpsc::Receiver<Reply>>,
}

/// The public view of the match, for holders of its key.
struct Public {
    key: String,
    seen: Mutex<Seen>,
    browsers: Browsers,
}

/// Everything that a person has seen.
#[derive(Default)]
struct Seen {
    happened: Vec<Happening>,
    view: Option<Json>,
    question: Option<OpenQuestion>,
    ending: Option<Ending>,
    /// Number of changes so far.
    changes: u64,
    /// True after the first question, or once the match is over.
    has_asked: bool,
}

/// Open question to a person.
struct OpenQuestion {
    question: Question,
    since: Instant,
    /// Action received, if any.
    sent: Option<String>,
}

/// Error for replies that arrive before a resumed match has reached their question. The page tries again.
pub const NOT_YET_ASKED: &str = "The match has not come to that question yet.";
/// Error for replies that would be lost in a restart.
pub const UNSAVED: &str = "The server cannot save that: its disk may be full. Try again.";
const CLOSED: &str = "That question is no longer open.";

impl Table {
    /// Creates the table of a match that is saved in a file.
    pub fn new(spec: Spec, saved: Saved, file: PathBuf) -> Self {
        let person = |seat: Seat| {
            let is_person = spec.bots[seat.index()].is_person();
            let key = saved.keys.get(seat.index()).filter(|_| is_person)?;
            let person = Person::new(key.clone());
            for (other, reply) in &saved.replies {
                if *other == seat {
                    // At most two replies are queued, and the queue has room for more.
                    let _ = person.replies.try_send(reply.clone());
                }
            }
            Some(person)
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
            epoch: units::millis(epoch),
        }
    }

    /// Returns the table's id in requests to end the match.
    pub fn id(&self) -> String {
        let stem = self.file.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// Returns the seats of people, with their keys.
    pub fn people(&self) -> impl Iterator<Item = (Seat, &str)> {
        self.people
            .seats()
            .filter_map(|(seat, person)| Some((seat, person.as_ref()?.key.as_str())))
    }

    /// Returns the state of the match.
    pub fn state(&self) -> State {
        lock(&self.state).clone()
    }

    /// Sets the final state of the match and notifies all pages.
    pub fn end(&self, state: State) {
        *lock(&self.state) = state;
        self.change();
    }

    /// Notifies all pages of a change.
    fn change(&self) {
        let people = self.people.iter().flatten();
        let all = people.map(|person| &person.seen).chain([&self.public.seen]);
        all.for_each(|seen| {
            let mut seen = lock(seen);
            (seen.has_asked, seen.changes) = (true, seen.changes + 1);
        });
    }

    /// Returns the key of the spectators.
    pub fn watch_key(&self) -> &str {
        &self.public.key
    }

    /// Opens the table of the rematch for the person in a seat. All players move on by one seat. All further news link to the new table.
    pub fn rematch(
        &self,
        seat: Seat,
        open: impl FnOnce(NewTable, Vec<u32>) -> anyhow::Result<Arc<Table>>,
    ) -> anyhow::Result<()> {
        ensure!(
            matches!(self.state(), State::Kept { .. }),
            "the match is not over yet"
        );
        {
            let mut rematch = lock(&self.rematch);
            if rematch.is_none() {
                let Saved {
                    mut wanted,
                    rematches: mut opened,
                    ..
                } = self.saved();
                opened.resize(self.people.len(), 0);
                let mine = &mut opened[seat.index()];
                ensure!(
                    *mine < MAX_REMATCHES,
                    "you have opened {MAX_REMATCHES} rematches: ask the host for another table"
                );
                *mine += 1;
                opened.rotate_right(1);
                wanted.seats.rotate_right(1);
                *rematch = Some(open(wanted, opened)?);
            }
        }
        self.change();
        Ok(())
    }

    /// Returns the address of the rematch for the person in a seat, or for spectators.
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

    /// Returns the address for spectators.
    pub fn watch_address(&self) -> String {
        format!("/watch/{}", self.public.key)
    }

    /// Describes the state of the match for a person in a few words.
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

    /// Returns the time since the last request for news from any person's page.
    pub fn idle(&self) -> Duration {
        let people = self.people.iter().flatten();
        let looked = people.filter_map(|person| person.browsers.last_request());
        looked.max().unwrap_or(self.begun).elapsed()
    }

    /// Returns `true` if no person has a page open.
    pub fn is_empty(&self) -> bool {
        self.away().len() == self.people().count()
    }

    /// Makes all people leave.
    pub fn give_up(&self) {
        for (seat, _) in self.people() {
            if let Err(why) = self.reply(seat, Reply::Leave) {
                status(why);
            }
        }
    }

    /// Returns the seats of people without an open page.
    fn away(&self) -> Vec<Seat> {
        let is_away = |seat: &Seat| self.person(*seat).browsers.count() == 0;
        let people = self.people().map(|(seat, _)| seat);
        people.filter(is_away).collect()
    }

    /// Returns the other people who have an unanswered question, each with the milliseconds left if time is limited.
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
        self.people[seat].as_ref().expect("a person has this seat")
    }

    /// Returns the saved state of the match.
    pub fn saved(&self) -> Saved {
        lock(&self.saved).clone()
    }

    /// Saves that the match is over, and the folder in which it is stored. Later replies are not accepted.
    pub fn over(&self, folder: &str) -> anyhow::Result<()> {
        self.change_saved(|saved| saved.folder = Some(folder.to_owned()))
    }

    /// Changes the saved state of the match, if it can be written. Once the match is over, its file must not be created again.
    fn change_saved(&self, change: impl FnOnce(&mut Saved)) -> anyhow::Result<()> {
        let mut saved = lock(&self.saved);
        if saved.folder.is_some() {
            return Ok(());
        }
        let mut changed = saved.clone();
        change(&mut changed);
        let written = changed.write(&self.file);
        written.with_context(|| format!("cannot save a match in {}", self.file.display()))?;
        *saved = changed;
        Ok(())
    }

    /// Saves a reply before it is acknowledged, so that it is not lost if the server dies.
    fn accept(&self, seat: Seat, reply: &Reply) -> Result<(), &'static str> {
        let accept = |saved: &mut Saved| saved.accept(seat, reply.clone());
        self.change_saved(accept).map_err(|error| {
            status(format_args!("{error:#}"));
            UNSAVED
        })?;
        crash::point("accepted");
        Ok(())
    }

    /// Accepts a person's reply if its question is open. Sending an action for the same turn again has no effect.
    pub fn reply(&self, seat: Seat, reply: Reply) -> Result<(), &'static str> {
        let person = self.person(seat);
        let mut seen = lock(&person.seen);
        if let Reply::Act { turn, action } = &reply {
            let closed = if seen.has_asked {
                CLOSED
            } else {
                NOT_YET_ASKED
            };
            let open = seen.question.as_mut();
            let open = open.filter(|asking| asking.question.turn == *turn);
            let open = open.ok_or(closed)?;
            match &open.sent {
                Some(sent) if sent == action => return Ok(()),
                Some(_) => return Err("Another answer to that question has arrived first."),
                None => self.accept(seat, &reply)?,
            }
            open.sent = Some(action.clone());
            seen.changes += 1;
        } else {
            self.accept(seat, &reply)?;
        }
        // The queue is full only if it already holds a reply that the person leaves.
        let _ = person.replies.try_send(reply);
        Ok(())
    }

    /// Returns the action of the strongest bot. The use of the hint is saved, and noted with the move.
    pub fn hint(&self, seat: Seat) -> Option<Hint> {
        let seen = lock(&self.person(seat).seen);
        let question = &seen.question.as_ref()?.question;
        let hint = question.hint.clone()?;
        let shown = (seat, question.turn);
        if !lock(&self.saved).hinted.contains(&shown) {
            let saved = self.change_saved(|saved| saved.hinted.push(shown));
            saved
                .inspect_err(|error| status(format_args!("{error:#}")))
                .ok()?;
        }
        Some(hint)
    }

    /// Waits for the answer to a question; `None` if the person leaves.
    async fn answer(&self, seat: Seat, question: Question) -> Option<Answer> {
        let person = self.person(seat);
        let mut answers = person.answers.lock().await;
        let (turn, hint) = (question.turn, question.hint.clone());
        {
            let mut seen = lock(&person.seen);
            // A server that was killed may have accepted an answer. Ignore it if there is a problem: the answer was then not legal.
            let saved = lock(&self.saved);
            let sent = saved.action(seat, turn);
            let sent = sent.filter(|_| question.problem.is_none());
            seen.question = Some(OpenQuestion {
                question,
                since: Instant::now(),
                sent: sent.map(str::to_owned),
            });
            (seen.has_asked, seen.changes) = (true, seen.changes + 1);
        }
        loop {
            match answers.recv().await? {
                Reply::Leave => return None,
                Reply::Act { turn: of, action } if of == turn => {
                    let is_hinted = lock(&self.saved).hinted.contains(&(seat, turn));
                    let hint = hint.filter(|_| is_hinted);
                    let note = hint.map(|hint| format!("had a hint: {}", hint.action));
                    return Some(Answer { action, note });
                }
                Reply::Act { .. } => {}
            }
        }
    }
}

impl Seen {
    fn add(&mut self, news: News) {
        self.happened.extend(news.events);
        for happening in self.happened.iter_mut().rev().skip(STEPS) {
            happening.view = Json::new(&());
        }
        self.view = Some(news.view);
        self.ending = news.verdict;
        // New events follow from the answer, so the question is closed.
        self.question = None;
        self.changes += 1;
    }
}

impl Person {
    fn new(key: String) -> Self {
        let (replies, answers) = mpsc::channel(MAX_WAITING);
        Self {
            key,
            seen: Mutex::default(),
            browsers: Browsers::default(),
            replies,
            answers: tokio::sync::Mutex::new(answers),
        }
    }
}

impl OpenQuestion {
    /// Returns the time left, if limited.
    fn left(&self) -> Option<Duration> {
        let limit = self.question.limit?;
        Some(limit.saturating_sub(self.since.elapsed()))
    }

    /// Returns the question for the page: without the hint, but with the values that are possible by counting, and the time left.
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
