//! A finished match step by step, as each seat saw it, for replays. All game values are JSON.

use serde::Serialize;

use crate::deduction::Deduction;
use crate::game::{Game, View};
use crate::json::Json;
use crate::machine::Match;
use crate::record::{RecordOf, Replied, Reply};
use crate::replay::{BadRecord, table};
use crate::seat::{BySeat, Seat};

/// One step of a match, with the resulting table.
#[derive(Debug)]
pub struct Frame {
    /// The prompts and replies of this turn; present only on the turn's first frame.
    pub moves: Vec<Move>,
    /// The event with nothing hidden. `None` at the beginning, and if the replies caused no event.
    pub event: Option<Event>,
    /// The step as each seat sees it.
    pub seats: BySeat<Seen>,
}

/// A prompt and the seat's reply to it.
#[derive(Debug)]
pub struct Move {
    /// Index of the reply in the record.
    pub turn: usize,
    /// The seat that replied.
    pub seat: Seat,
    /// The options of the seat.
    pub prompt: Json,
    /// The seat's reply.
    pub reply: Reply<Json>,
}

/// An event with a sentence describing it.
#[derive(Debug)]
pub struct Event {
    /// The event as the game writes it.
    pub event: Json,
    /// A sentence describing the event.
    pub sentence: String,
}

/// A seat's view of one step.
#[derive(Debug)]
pub struct Seen {
    /// The event as the seat sees it.
    pub event: Option<Event>,
    /// The view that would be sent with the seat's next turn.
    pub view: Json,
    /// The seat's exact knowledge, if requested and supported by the game.
    pub known: Option<Known>,
}

/// The exact knowledge of a seat. All hidden worlds that are consistent with the seat's events are equally likely.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Known {
    /// Number of hidden worlds that are consistent with everything the seat has seen. Null if nothing is hidden, or there are too many to
    /// count.
    pub worlds: Option<f64>,
    /// The likeliest guesses with their probabilities.
    pub likeliest: Vec<(Json, f64)>,
}

/// Returns the steps of a record, beginning with the table before the first event. If `most` is given, each seat's step includes its exact
/// knowledge with up to that many guesses.
///
/// # Errors
/// If the record does not replay.
pub fn frames<G: Game>(
    record: &RecordOf<G>,
    names: &BySeat<String>,
    most: Option<usize>,
) -> Result<Vec<Frame>, BadRecord> {
    let mut table = table::<G>(record)?;
    let mut following = Following::<G>::new(record, names, most);
    let mut frames = vec![following.frame(Vec::new(), None)];
    following.follow(&table, Vec::new(), &mut frames);
    let mut replies = record.replies.iter().enumerate();
    while !table.is_over() {
        let due: Vec<(usize, &Replied<G::Action>)> =
            replies.by_ref().take(table.to_act().len()).collect();
        if due.len() < table.to_act().len() {
            return Err(BadRecord::unfinished());
        }
        let asked = |(turn, Replied(seat, reply)): &(usize, &Replied<G::Action>)| Move {
            turn: *turn,
            seat: *seat,
            prompt: Json::new(&table.prompt(*seat)),
            reply: reply.as_ref().map(Json::new),
        };
        let moves = due.iter().map(asked).collect();
        for (turn, Replied(seat, reply)) in due {
            table
                .reply(*seat, reply.clone())
                .map_err(|error| BadRecord::reply(turn, error))?;
        }
        following.follow(&table, moves, &mut frames);
    }
    Ok(frames)
}

type DeductionOf<G> = Box<dyn Deduction<<G as Game>::Event, <G as Game>::Action>>;

/// The views and knowledge of all seats, and the number of events that they have seen.
struct Following<'a, G: Game> {
    names: &'a BySeat<String>,
    views: BySeat<G::View>,
    known: BySeat<Option<DeductionOf<G>>>,
    most: usize,
    seen: usize,
}

impl<'a, G: Game> Following<'a, G> {
    fn new(record: &RecordOf<G>, names: &'a BySeat<String>, most: Option<usize>) -> Self {
        let (rules, seats) = (&record.rules, record.seats);
        Self {
            names,
            views: BySeat::new(seats, |seat| G::View::new(rules, seats, seat)),
            known: BySeat::new(seats, |seat| {
                most.and_then(|_| G::deduction(rules, seats, seat))
            }),
            most: most.unwrap_or_default(),
            seen: 0,
        }
    }

    /// Adds a frame for each new event; the first one holds the moves. If there are no new events, adds one frame for the moves.
    fn follow(&mut self, table: &Match<G>, mut moves: Vec<Move>, frames: &mut Vec<Frame>) {
        let new = &table.events()[self.seen..];
        self.seen += new.len();
        for event in new {
            frames.push(self.frame(std::mem::take(&mut moves), Some(event)));
        }
        if !moves.is_empty() {
            frames.push(self.frame(moves, None));
        }
    }

    fn frame(&mut self, moves: Vec<Move>, event: Option<&G::Event>) -> Frame {
        let names = self.names;
        let shown = |event: &G::Event| Event {
            event: Json::new(event),
            sentence: G::describe(event, names),
        };
        let seats = BySeat::new(self.views.len(), |seat| {
            let event = event.and_then(|event| G::shown_to(event, seat));
            event.iter().for_each(|event| self.views[seat].see(event));
            Seen {
                known: self.known[seat].as_mut().map(|known| {
                    event.iter().for_each(|event| known.see(event));
                    Known {
                        worlds: known.worlds(),
                        likeliest: guesses(known.guesses(self.most)),
                    }
                }),
                event: event.as_ref().map(shown),
                view: Json::new(&self.views[seat]),
            }
        });
        Frame {
            moves,
            event: event.map(shown),
            seats,
        }
    }
}

/// Converts the actions of guesses to JSON.
pub(crate) fn guesses<Action: Serialize>(guesses: Vec<(Action, f64)>) -> Vec<(Json, f64)> {
    let raw = |(action, chance)| (Json::new(&action), chance);
    guesses.into_iter().map(raw).collect()
}
