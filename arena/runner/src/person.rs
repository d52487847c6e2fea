//! The seat of a person: sees what the seat sees, and gets each question again until the answer is legal.

use std::time::Duration;

use arena_engine::fault::Fault;
use arena_engine::game::{Game, Prompt as _, View as _};
use arena_engine::machine::Match;
use arena_engine::record::Reply;
use arena_engine::seat::{BySeat, Seat};
use arena_protocol::message;
use serde::Serialize;
use serde_json::Value;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout};

use super::adviser::Adviser;
use super::conversation::asking::Elapsed;
use super::counting::possible;
use super::offer::{in_words, offers};
use super::people::{Ending, Happening, Hint, News, People, Question};
use super::seat_clock::SeatClock;
use super::seat_view::SeatView;
use super::turns::Response;

/// The most guesses that a hint lists.
const GUESSES: usize = 5;

/// A person's seat in a match.
pub struct PersonSeat<'a, G: Game> {
    people: &'a dyn People,
    names: BySeat<String>,
    table: SeatView<G>,
    clock: Option<SeatClock>,
    adviser: Adviser<G>,
}

/// A question with the legal actions as the game has them.
pub struct Pending<G: Game> {
    prompt: G::Prompt,
    question: Question,
}

impl<'a, G: Game> PersonSeat<'a, G> {
    /// A seat at a table of these names; nothing is shown yet.
    pub fn new(people: &'a dyn People, game: &Match<G>, seat: Seat, names: BySeat<String>) -> Self {
        let clock = people.clock(seat).map(SeatClock::new);
        Self {
            people,
            names,
            table: SeatView::new(game, seat),
            clock,
            adviser: Adviser::default(),
        }
    }

    /// Shows what happened since this was last called.
    pub fn show(&mut self, game: &mut Match<G>) {
        let events: Vec<G::Event> = game.new_events(self.table.seat).collect();
        let mut happening = |event: &G::Event| {
            self.table.view.see(event);
            let (sentence, view) = (G::describe(event, &self.names), value(&self.table.view));
            Happening {
                event: value(event),
                sentence,
                view,
            }
        };
        let happened = events.iter().map(&mut happening).collect();
        self.adviser.see(events);
        let ending = game.verdict().map(|verdict| Ending {
            outcome: verdict.outcome.clone(),
            ended: verdict.ended,
        });
        self.people.show(
            self.table.seat,
            News {
                events: happened,
                view: value(&self.table.view),
                verdict: ending,
            },
        );
    }

    /// The question that the seat has to answer now.
    pub fn question(&mut self, game: &Match<G>, turn: u32) -> Pending<G> {
        let seat = self.table.seat;
        let prompt = game.prompt(seat);
        let hint = if self.people.wants_hints(seat) {
            self.adviser.advise(game, seat, &prompt)
        } else {
            None
        };
        let shown = value(&prompt);
        let offers = offers(&shown, G::FORMS, &self.names);
        let hint = hint.map(|action| self.hint(game, &action));
        Pending {
            prompt,
            question: Question {
                turn,
                prompt: shown,
                offers,
                problem: None,
                hint,
                limit: None,
            },
        }
    }

    fn hint(&self, game: &Match<G>, action: &G::Action) -> Hint {
        let (record, seat) = (game.record(), self.table.seat);
        let words = |action: &G::Action| in_words(&value(action), G::FORMS, &self.names);
        let mut hint = Hint {
            action: value(action),
            words: words(action),
            worlds: None,
            likeliest: Vec::new(),
            possible: Vec::new(),
        };
        if let Some(mut known) = G::deduction(&record.rules, record.seats, seat) {
            game.events()
                .iter()
                .for_each(|event| known.see(&G::seen_by(event, seat)));
            hint.worlds = known.worlds();
            hint.likeliest = known
                .guesses(GUESSES)
                .iter()
                .map(|(guess, chance)| (words(guess), *chance))
                .collect();
            hint.possible = possible(known.as_mut(), G::FORMS);
        }
        hint
    }

    /// Asks until there is a legal answer, the time is over, or the person has left.
    pub async fn ask(&mut self, pending: Pending<G>) -> (Response<G::Action>, Elapsed) {
        let (began, limit) = (Instant::now(), self.clock.and_then(|clock| clock.limit()));
        let answer = self.ask_until_legal(pending, limit);
        let response = match limit {
            None => answer.await,
            Some(limit) => timeout(limit, answer)
                .await
                .unwrap_or_else(|_| Response::of(Reply::Late)),
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
        pending: Pending<G>,
        limit: Option<Duration>,
    ) -> Response<G::Action> {
        let Pending {
            prompt,
            mut question,
        } = pending;
        let began = Instant::now();
        loop {
            question.limit = limit.map(|limit| limit.saturating_sub(began.elapsed()));
            let Some(answer) = self.people.ask(self.table.seat, question.clone()).await else {
                return Response::of(Reply::Failed(Fault::Left));
            };
            match legal::<G>(&answer.action, &prompt) {
                Ok(action) => {
                    let note = answer.note.map(message::cut);
                    return Response {
                        note,
                        ..Response::of(Reply::Act(action))
                    };
                }
                Err(why) => question.problem = Some(why),
            }
            // A person who answers at once must not starve the clock.
            yield_now().await;
        }
    }
}

/// Reads an action that the prompt permits; games refuse no other than those that it does not.
fn legal<G: Game>(text: &str, prompt: &G::Prompt) -> Result<G::Action, String> {
    let action = message::parse_action::<G::Action>(text)?;
    prompt.permits(&action).map_err(|illegal| illegal.0)?;
    Ok(action)
}

fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).expect("what leaves the engine can be written as JSON")
}
