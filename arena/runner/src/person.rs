//! The seat of a person: shows the events that the seat may see, and repeats each question until the answer is legal.

use std::time::Duration;

use anyhow::Context;
use arena_bots::roster;
use arena_engine::record::Reply;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::{self, Entry, Json, Table};
use arena_protocol::fault::BotFault;
use arena_protocol::message;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout};

use super::conversation::asking::Elapsed;
use super::counting::possible;
use super::offer::{in_words, offers};
use super::people::{Ending, Hint, News, People, Question};
use super::seat_clock::SeatClock;
use super::turns::Response;

/// Maximum number of guesses in a hint.
const MAX_GUESSES: usize = 5;

/// A person's seat in a match.
pub struct PersonSeat<'a> {
    people: &'a dyn People,
    game: &'static Entry,
    seat: Seat,
    names: BySeat<String>,
    clock: Option<SeatClock>,
}

impl<'a> PersonSeat<'a> {
    /// Creates a seat at this table, without showing anything yet.
    pub fn new(
        people: &'a dyn People,
        game: &str,
        seat: Seat,
        names: BySeat<String>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            people,
            game: table::find(game).context("no such game")?,
            seat,
            names,
            clock: people.clock(seat).map(SeatClock::new),
        })
    }

    /// Shows the events since the last call.
    pub fn show(&self, table: &mut dyn Table) {
        let events = table.news(self.seat, &self.names);
        let view = table.view(self.seat);
        let verdict = ending(table);
        self.people.show(
            self.seat,
            News {
                events,
                view,
                verdict,
            },
        );
    }

    /// Shows spectators the events since the last call for any seat.
    pub fn show_onlookers(&self, table: &mut dyn Table) {
        let events = table.public_news(&self.names);
        if let Some(last) = events.last() {
            let news = News {
                view: last.view.clone(),
                verdict: ending(table),
                events,
            };
            self.people.show_onlookers(news);
        }
    }

    /// Returns the question for the seat's current turn.
    pub fn question(&self, table: &mut dyn Table, turn: u32) -> Question {
        let prompt = table.prompt(self.seat);
        let advice = if self.people.wants_hints(self.seat) {
            table.advise(self.seat, roster::strongest(self.game.name))
        } else {
            None
        };
        Question {
            turn,
            offers: offers(&prompt.value(), self.game.forms, &self.names),
            prompt,
            problem: None,
            hint: advice.map(|action| self.hint(table, action)),
            limit: None,
        }
    }

    fn hint(&self, table: &dyn Table, action: Json) -> Hint {
        let forms = self.game.forms;
        let words = |action: &Json| in_words(&action.value(), forms, &self.names);
        let mut hint = Hint {
            words: words(&action),
            action,
            worlds: None,
            likeliest: Vec::new(),
            possible: Vec::new(),
        };
        if let Some(mut known) = table.knowledge(self.seat) {
            hint.worlds = known.worlds();
            let guesses = known.guesses(MAX_GUESSES);
            hint.likeliest = guesses
                .iter()
                .map(|(guess, chance)| (words(guess), *chance))
                .collect();
            hint.possible = possible(&mut *known, forms);
        }
        hint
    }

    /// Asks until a legal answer arrives, the time is up, or the person has left.
    pub async fn ask(&mut self, table: &dyn Table, question: Question) -> (Response, Elapsed) {
        let (began, limit) = (Instant::now(), self.clock.and_then(|clock| clock.limit()));
        let answer = self.ask_until_legal(table, question, limit);
        let response = match limit {
            None => answer.await,
            Some(limit) => timeout(limit, answer)
                .await
                .unwrap_or_else(|_| Response::new(Reply::Late)),
        };
        let wall = began.elapsed();
        if let Some(clock) = &mut self.clock {
            clock.spend(wall);
        }
        (
            response,
            Elapsed {
                wall,
                charged: wall,
                cpu: None,
            },
        )
    }

    async fn ask_until_legal(
        &self,
        table: &dyn Table,
        mut question: Question,
        limit: Option<Duration>,
    ) -> Response {
        let began = Instant::now();
        loop {
            question.limit = limit.map(|limit| limit.saturating_sub(began.elapsed()));
            let Some(answer) = self.people.ask(self.seat, question.clone()).await else {
                return Response::new(Reply::Failed(BotFault::Left.into()));
            };
            match table.check(self.seat, &answer.action) {
                Ok(action) => {
                    let note = answer.note.map(message::cut);
                    return Response {
                        note,
                        ..Response::new(Reply::Act(action.to_string()))
                    };
                }
                Err(why) => question.problem = Some(message::short(&why)),
            }
            // Yield, so that a stream of immediate answers cannot starve the clock.
            yield_now().await;
        }
    }
}

fn ending(table: &dyn Table) -> Option<Ending> {
    table.verdict().map(|verdict| Ending {
        outcome: verdict.outcome.clone(),
        ended: verdict.ended,
    })
}
