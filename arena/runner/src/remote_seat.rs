//! The seat of a program in one match: the messages that the program is sent, and its clock.

use std::io::Write;
use std::time::Duration;

use arena_engine::player;
use arena_engine::seat::Seat;
use arena_engine::table::{self, Json, Table, Wants};
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
    /// Id and line of the current turn.
    turn: (u64, Vec<u8>),
    /// Remaining time.
    pub clock: SeatClock,
}

impl RemoteSeat {
    /// Creates a seat in the match with this number on the wire, without sending anything yet.
    pub fn new(table: &dyn Table, seat: Seat, number: u64, clock: SeatClock) -> Self {
        let record = table.record();
        let start = Start {
            r#match: number,
            game: table::plain_name(&record.game).to_owned(),
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

    /// Sends the start of the match.
    pub fn begin(&self, conversation: &Conversation) {
        conversation.pipes().begin_match();
        conversation.send(&ToBot::<Json, (), (), ()>::Start(self.start.clone()));
    }

    /// Writes the current turn of the seat, with the events since its last turn if the bot wants them. Returns the id of the turn.
    pub fn turn(&mut self, conversation: &Conversation, table: &mut dyn Table) -> u64 {
        let ready = conversation.ready();
        let wants = Wants {
            events: ready.wants(Want::Events),
            view: ready.wants(Want::View),
        };
        let (id, line) = &mut self.turn;
        *id = conversation.next_id();
        line.clear();
        // Must match the serialisation of `ToBot::Turn`, because only the table knows the types of the fields in between.
        line.extend(beginning(*id));
        write!(line, "\"match\":{},", self.start.r#match).expect("memory can be written to");
        table.write_turn(self.start.seat, wants, line);
        line.extend_from_slice(b"\"clock\":");
        serde_json::to_writer(&mut *line, &self.clock.message()).expect("numbers can be written");
        line.extend_from_slice(b"}}");
        *id
    }

    /// Gives the turn a new id, for another process.
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

    /// Returns the id of the current turn.
    pub fn id(&self) -> u64 {
        self.turn.0
    }

    /// Sends the result of the finished match.
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

/// Returns the beginning of the line of a turn with this id.
fn beginning(id: u64) -> Vec<u8> {
    format!("{{\"turn\":{{\"id\":{id},").into_bytes()
}
