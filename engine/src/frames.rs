//! A finished match step by step, as each seat saw it: what a replay shows.

use crate::game::{Game, View};
use crate::machine::Match;
use crate::record::{RecordOf, Replied, Reply};
use crate::replay::{BadRecord, table};
use crate::seat::{BySeat, Seat};

/// One step of a match, with the table as it stands after it.
pub struct Frame<G: Game> {
    /// What was asked and replied all at once, if this is the first thing that followed.
    pub moves: Vec<Move<G>>,
    /// What happened, nothing hidden; none at the beginning, and where replies had no consequence.
    pub event: Option<G::Event>,
    /// The same for each seat.
    pub seats: BySeat<Seen<G>>,
}

/// A question to a seat, and its reply.
pub struct Move<G: Game> {
    /// Which reply of the record this is, counted from 0.
    pub turn: usize,
    /// Whose it is.
    pub seat: Seat,
    /// What it could choose from.
    pub prompt: G::Prompt,
    /// What it replied.
    pub reply: Reply<G::Action>,
}

/// What a seat saw.
pub struct Seen<G: Game> {
    /// What happened, as far as it may know.
    pub event: Option<G::Event>,
    /// The table, as it is sent to it if it has the next turn.
    pub view: G::View,
}

/// The steps of a record, the first of which is the table before anything has happened.
pub fn frames<G: Game>(record: &RecordOf<G>) -> Result<Vec<Frame<G>>, BadRecord> {
    let mut table = table::<G>(record)?;
    let mut eyes = Eyes::new(record);
    let mut frames = vec![eyes.frame(Vec::new(), None)];
    eyes.follow(&table, Vec::new(), &mut frames);
    let mut replies = record.replies.iter().enumerate();
    while !table.is_over() {
        let due = table.to_act().len();
        let moves: Vec<Move<G>> = replies.by_ref().take(due).map(|reply| question(&table, reply)).collect();
        if moves.len() < due {
            return Err(BadRecord::Unfinished);
        }
        for Move { turn, seat, reply, .. } in &moves {
            table.reply(*seat, reply.clone()).map_err(|error| BadRecord::Reply { index: *turn, error })?;
        }
        eyes.follow(&table, moves, &mut frames);
    }
    Ok(frames)
}

fn question<G: Game>(table: &Match<G>, (turn, Replied(seat, reply)): (usize, &Replied<G::Action>)) -> Move<G> {
    Move { turn, seat: *seat, prompt: table.prompt(*seat), reply: reply.clone() }
}

/// What all seats see, and how much of what happened they have seen.
struct Eyes<G: Game> {
    views: BySeat<G::View>,
    seen: usize,
}

impl<G: Game> Eyes<G> {
    fn new(record: &RecordOf<G>) -> Self {
        Self { views: BySeat::new(record.seats, |seat| G::View::new(&record.rules, record.seats, seat)), seen: 0 }
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
            Seen { event, view: self.views[seat].clone() }
        });
        Frame { moves, event: event.cloned(), seats }
    }
}
