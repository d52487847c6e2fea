//! A finished match step by step, as each seat saw it: what a replay shows.

use crate::game::{Game, View};
use crate::machine::Match;
use crate::record::{RecordOf, Replied, Reply};
use crate::replay::{BadRecord, table};
use crate::seat::{BySeat, Seat};

/// One step of a match, with the table as it stands after it.
pub struct Frame<G: Game> {
    /// The prompts and replies of this turn, if this is its first event.
    pub moves: Vec<Move<G>>,
    /// The event, nothing hidden; none at the beginning, and where replies had no consequence.
    pub event: Option<G::Event>,
    /// The same for each seat.
    pub seats: BySeat<Seen<G>>,
}

/// A prompt of a seat, and its reply.
pub struct Move<G: Game> {
    /// The number of the reply in the record, counted from 0.
    pub turn: usize,
    /// The seat that replied.
    pub seat: Seat,
    /// Its options.
    pub prompt: G::Prompt,
    /// Its reply.
    pub reply: Reply<G::Action>,
}

/// The table as a seat saw it.
pub struct Seen<G: Game> {
    /// The event as it sees it.
    pub event: Option<G::Event>,
    /// The table, as it is sent to it if it has the next turn.
    pub view: G::View,
}

/// The steps of a record, the first of which is the table before anything has happened.
pub fn frames<G: Game>(record: &RecordOf<G>) -> Result<Vec<Frame<G>>, BadRecord> {
    let mut table = table::<G>(record)?;
    let mut views = SeatViews::new(record);
    let mut frames = vec![views.frame(Vec::new(), None)];
    views.follow(&table, Vec::new(), &mut frames);
    let mut replies = record.replies.iter().enumerate();
    while !table.is_over() {
        let due = table.to_act().len();
        let moves: Vec<Move<G>> = replies
            .by_ref()
            .take(due)
            .map(|reply| question(&table, reply))
            .collect();
        if moves.len() < due {
            return Err(BadRecord::unfinished());
        }
        for Move {
            turn, seat, reply, ..
        } in &moves
        {
            table
                .reply(*seat, reply.clone())
                .map_err(|error| BadRecord::reply(*turn, error))?;
        }
        views.follow(&table, moves, &mut frames);
    }
    Ok(frames)
}

fn question<G: Game>(
    table: &Match<G>,
    (turn, Replied(seat, reply)): (usize, &Replied<G::Action>),
) -> Move<G> {
    Move {
        turn,
        seat: *seat,
        prompt: table.prompt(*seat),
        reply: reply.clone(),
    }
}

/// The views of all seats, and the number of events that they have seen.
struct SeatViews<G: Game> {
    views: BySeat<G::View>,
    seen: usize,
}

impl<G: Game> SeatViews<G> {
    fn new(record: &RecordOf<G>) -> Self {
        Self {
            views: BySeat::new(record.seats, |seat| {
                G::View::new(&record.rules, record.seats, seat)
            }),
            seen: 0,
        }
    }

    /// Adds a frame for each new event, the first with the moves; if there is none, one for the moves alone.
    fn follow(&mut self, table: &Match<G>, mut moves: Vec<Move<G>>, frames: &mut Vec<Frame<G>>) {
        let new = &table.events()[self.seen..];
        self.seen += new.len();
        for event in new {
            frames.push(self.frame(std::mem::take(&mut moves), Some(event)));
        }
        if !moves.is_empty() {
            frames.push(self.frame(moves, None));
        }
    }

    fn frame(&mut self, moves: Vec<Move<G>>, event: Option<&G::Event>) -> Frame<G> {
        let seats = BySeat::new(self.views.len(), |seat| {
            let event = event.map(|event| G::seen_by(event, seat));
            event.iter().for_each(|event| self.views[seat].see(event));
            Seen {
                event,
                view: self.views[seat].clone(),
            }
        });
        Frame {
            moves,
            event: event.cloned(),
            seats,
        }
    }
}
