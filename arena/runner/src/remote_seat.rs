//! The seat of a program in one match: what it is sent, and how much time it has.

use std::io::Write;
use std::time::Duration;

use arena_engine::player;
use arena_engine::seat::Seat;
use arena_engine::table::{Json, Table, Wants};
use arena_protocol::message::{End, Start, ToBot, Want};
use serde_json::value::RawValue;

use super::clock::Void;
use super::conversation::Conversation;
use super::conversation::asking::Elapsed;
use super::seat_clock::SeatClock;
use super::turns::Response;

/// A program's seat in a match.
pub struct RemoteSeat {
    start: Start<Json>,
    /// The id and the line of its turn.
    turn: (u64, Vec<u8>),
    /// The time that it has left.
    pub clock: SeatClock,
}

impl RemoteSeat {
    /// A seat in a match of this number on the wire; nothing is sent yet.
    pub fn new(table: &dyn Table, seat: Seat, number: u64, clock: SeatClock) -> Self {
        let record = table.record();
        let start = Start {
            r#match: number,
            game: record.game.into_owned(),
            rules: record.rules,
            seat,
            seats: record.seats,
            seed: player::bot_seed(record.seed, seat),
            clock: clock.message(),
        };
        Self {
            start,
            turn: (0, Vec::new()),
            clock,
        }
    }

    /// Sends that the match begins.
    pub fn begin(&self, conversation: &Conversation) {
        conversation.pipes().begin_match();
        conversation.send(&ToBot::<Json, (), (), ()>::Start(self.start.clone()));
    }

    /// Writes the turn that the seat has now, with the news since its last one as far as the bot wants them. Returns its id.
    pub fn turn(&mut self, conversation: &Conversation, table: &mut dyn Table) -> u64 {
        let ready = conversation.ready();
        let wants = Wants {
            events: ready.wants(Want::Events),
            view: ready.wants(Want::View),
        };
        let (id, line) = &mut self.turn;
        *id = conversation.next_id();
        line.clear();
        // As `ToBot::Turn` is written: the table holds the types of what is in between.
        line.extend(beginning(*id));
        write!(line, "\"match\":{},", self.start.r#match).expect("memory can be written to");
        table.write_turn(self.start.seat, wants, line);
        line.extend_from_slice(b"\"clock\":");
        serde_json::to_writer(&mut *line, &self.clock.message()).expect("numbers can be written");
        line.extend_from_slice(b"}}");
        *id
    }

    /// Gives the turn another id, for another process.
    pub fn renumber(&mut self, conversation: &Conversation) {
        let (id, line) = &mut self.turn;
        let old = beginning(*id).len();
        *id = conversation.next_id();
        line.splice(..old, beginning(*id));
    }

    /// Sends the turn, and waits for the answer until the limit.
    pub async fn ask(
        &self,
        conversation: &Conversation,
        limit: Option<Duration>,
    ) -> Result<(Response, Elapsed), Void> {
        let (id, line) = &self.turn;
        conversation.ask_line(*id, line, limit).await
    }

    /// The id of its turn.
    pub fn id(&self) -> u64 {
        self.turn.0
    }

    /// Sends how the match, which is over, has ended.
    pub fn end(&self, conversation: &Conversation, table: &mut dyn Table) {
        let Some(verdict) = table.verdict().cloned() else {
            return;
        };
        let mut events = Vec::new();
        table.write_events(self.start.seat, &mut events);
        let events: &RawValue = serde_json::from_slice(&events).expect("the table writes JSON");
        conversation.send(&ToBot::<(), &RawValue, (), ()>::End(End {
            r#match: self.start.r#match,
            events,
            outcome: verdict.outcome,
            ended: verdict.ended,
        }));
    }
}

/// The beginning of the line of a turn of this id.
fn beginning(id: u64) -> Vec<u8> {
    format!("{{\"turn\":{{\"id\":{id},").into_bytes()
}
