//! People at the terminal of the arena: they read on standard error, and type on standard input.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use arena_engine::form::Players;
use arena_engine::seat::{BySeat, Seat};
use arena_tournament::clock::TimeControl;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use serde_json::Value;
use tokio::sync::mpsc::{self, Receiver};
use tokio::sync::{Mutex as AsyncMutex, MutexGuard as AsyncMutexGuard};

use super::options::{Options, Step};
use super::view;
use arena_runner::lock;
use arena_runner::people::{Answer, AnswerFuture, News, People, Question};
use arena_runner::status::status;

/// The lines that are read ahead.
const AHEAD: usize = 64;
/// Clears the screen and what has been scrolled out of it.
const CLEAR: &str = "\x1b[2J\x1b[3J\x1b[H";

/// The people at the terminal, who share its keyboard.
pub struct Terminal {
    table: view::Table,
    /// True if there are several, who must not see each other's secrets.
    is_shared: bool,
    clock: Option<TimeControl>,
    keyboard: AsyncMutex<()>,
    lines: AsyncMutex<Receiver<String>>,
    screen: Mutex<Screen>,
}

/// The screen, and what is still to be shown.
struct Screen {
    /// Events that each seat has not seen on the screen.
    unread: BySeat<Vec<String>>,
    views: BySeat<Value>,
    /// The seat that has the keyboard.
    reader: Option<Seat>,
    is_unanswered: bool,
}

impl Terminal {
    /// The people of a match, with the clock that binds them; none if there are only bots.
    pub fn new(spec: &Spec, players: Players, clock: Option<TimeControl>) -> Option<Self> {
        let people = spec.bots.iter().filter(|bot| bot.is_person()).count();
        let seats = spec.plan.seats;
        (people > 0).then(|| Self {
            table: view::Table {
                names: BySeat::new(seats, |seat| clean(&spec.bots[seat.index()].name)),
                players,
            },
            is_shared: people > 1,
            clock,
            keyboard: AsyncMutex::new(()),
            lines: AsyncMutex::new(typed()),
            screen: Mutex::new(Screen {
                unread: BySeat::new(seats, |_| Vec::new()),
                views: BySeat::new(seats, |_| Value::Null),
                reader: None,
                is_unanswered: false,
            }),
        })
    }

    /// One question, from the table to an action; none if the person leaves.
    async fn converse(&self, seat: Seat, question: Question) -> Option<Answer> {
        let mut lines = self.lines.lock().await;
        if std::mem::replace(&mut lock(&self.screen).is_unanswered, true)
            && io::stdin().is_terminal()
        {
            // What was typed too late answers another question.
            while lines.try_recv().is_ok() {}
        }
        self.pass_keyboard(seat, &mut lines).await?;
        let action = self.choose(seat, &question, &mut lines).await?;
        lock(&self.screen).is_unanswered = false;
        Some(Answer {
            action: action.to_string(),
            note: None,
        })
    }

    /// Waits until the seat has the keyboard, if another one had it.
    async fn pass_keyboard(&self, seat: Seat, lines: &mut Lines<'_>) -> Option<()> {
        if !self.is_shared || lock(&self.screen).reader.replace(seat) == Some(seat) {
            return Some(());
        }
        if io::stderr().is_terminal() {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
        let question = format!(
            "pass the keyboard to {}, who presses Enter",
            self.table.names[seat]
        );
        next(&question, lines)
            .await
            .filter(|typed| typed.trim() != "quit")
            .map(drop)
    }

    /// Shows the table and the options, and reads words until they make an action.
    async fn choose(
        &self,
        seat: Seat,
        question: &Question,
        lines: &mut Lines<'_>,
    ) -> Option<Value> {
        let options = Options(&question.offers);
        match &question.problem {
            Some(problem) => status(format_args!("not possible: {}", clean(problem))),
            None => self.show_table(seat, question.limit),
        }
        options.lines().iter().for_each(status);
        let mut words: Vec<String> = Vec::new();
        loop {
            let missing = match options.step(&words) {
                Step::Action(action) => return Some(action),
                Step::Wrong(why) => {
                    status(clean(&why));
                    words.clear();
                    continue;
                }
                Step::Ask(missing) => missing,
            };
            match next(&missing, lines).await?.trim() {
                "quit" => return None,
                "?" => options.lines().iter().for_each(status),
                "hint" => match &question.hint {
                    Some(hint) => status(format_args!("hint: {}", hint.words)),
                    None => status("there is no hint"),
                },
                line => words.extend(line.split_whitespace().map(str::to_owned)),
            }
        }
    }

    fn show_table(&self, seat: Seat, limit: Option<Duration>) {
        let mut screen = lock(&self.screen);
        screen.unread[seat].drain(..).for_each(status);
        status("");
        view::lines(&screen.views[seat], &self.table)
            .into_iter()
            .for_each(status);
        let limit = limit
            .map(|limit| format!(" within {:.1} s", limit.as_secs_f64()))
            .unwrap_or_default();
        status(format_args!(
            "\n{}, choose{limit} (? shows the options again, hint, quit):",
            self.table.names[seat]
        ));
    }
}

impl People for Terminal {
    /// Keeps the news for the seat's next question. What happens after that is printed with the whole match.
    fn show(&self, seat: Seat, news: News) {
        let mut screen = lock(&self.screen);
        screen.views[seat] = news.view;
        screen.unread[seat].extend(news.events.into_iter().map(|event| event.sentence));
    }

    fn ask(&self, seat: Seat, question: Question) -> AnswerFuture<'_> {
        Box::pin(self.converse(seat, question))
    }

    fn clock(&self, _: Seat) -> Option<TimeControl> {
        self.clock
    }

    fn wants_hints(&self, _: Seat) -> bool {
        true
    }

    fn keyboard(&self) -> Option<&AsyncMutex<()>> {
        Some(&self.keyboard)
    }
}

type Lines<'a> = AsyncMutexGuard<'a, Receiver<String>>;

/// Prints a question and reads a line; none at the end of the input.
async fn next(question: &str, lines: &mut Lines<'_>) -> Option<String> {
    let end = if io::stdin().is_terminal() { " " } else { "\n" };
    // Without the question, people can still answer.
    let _ = write!(io::stderr(), "{question}{end}");
    lines.recv().await
}

/// The lines of standard input, read by a detached thread.
fn typed() -> Receiver<String> {
    let (sender, lines) = mpsc::channel(AHEAD);
    thread::spawn(move || {
        for line in io::stdin().lock().split(b'\n').map_while(Result::ok) {
            if sender
                .blocking_send(String::from_utf8_lossy(&line).into_owned())
                .is_err()
            {
                break;
            }
        }
    });
    lines
}
