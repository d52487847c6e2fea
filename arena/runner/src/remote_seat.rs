//! The seat of a program in one match: what it is sent, and how much time it has.

use std::time::Duration;

use arena_engine::game::Game;
use arena_engine::machine::Match;
use arena_engine::player;
use arena_engine::seat::Seat;
use arena_protocol::message::{End, Start, ToBot, Turn, Want};

use super::clock::Void;
use super::conversation::Conversation;
use super::conversation::asking::Elapsed;
use super::seat_clock::SeatClock;
use super::seat_view::SeatView;
use super::turns::Response;

/// A program's seat in a match.
pub struct RemoteSeat<G: Game> {
    start: Start<G::Rules>,
    table: SeatView<G>,
    /// The id and the line of its turn.
    turn: (u64, Vec<u8>),
    /// The time that it has left.
    pub clock: SeatClock,
}

impl<G: Game> RemoteSeat<G> {
    /// A seat in a match of this number on the wire; nothing is sent yet.
    pub fn new(game: &Match<G>, seat: Seat, number: u64, clock: SeatClock) -> Self {
        let record = game.record();
        let (rules, seats) = (record.rules.clone(), record.seats);
        let seed = player::bot_seed(record.seed, seat);
        let start = Start {
            r#match: number,
            game: G::NAME.into(),
            rules,
            seat,
            seats,
            seed,
            clock: clock.message(),
        };
        Self {
            start,
            table: SeatView::new(game, seat),
            turn: (0, Vec::new()),
            clock,
        }
    }

    /// Sends that the match begins.
    pub fn begin(&self, conversation: &Conversation) {
        conversation.pipes().begin_match();
        conversation.send(&ToBot::<G::Rules, (), (), ()>::Start(self.start.clone()));
    }

    /// Writes the turn that the seat has now, with the news since its last one as far as the bot wants them. Returns its id.
    pub fn turn(&mut self, conversation: &Conversation, game: &mut Match<G>) -> u64 {
        let (seat, ready) = (self.start.seat, conversation.ready());
        let prompt = game.prompt(seat);
        let mut events = self.table.update(game);
        if !ready.wants(Want::Events) {
            events.clear();
        }
        let view = ready.wants(Want::View).then_some(&self.table.view);
        let (id, r#match) = (conversation.next_id(), self.start.r#match);
        let turn = Turn {
            id,
            r#match,
            events,
            prompt,
            view,
            clock: self.clock.message(),
        };
        self.turn.0 = id;
        self.turn.1.clear();
        let written = serde_json::to_writer(&mut self.turn.1, &ToBot::<(), _, _, _>::Turn(turn));
        written.expect("a turn can be written as JSON");
        id
    }

    /// Gives the turn another id, for another process.
    pub fn renumber(&mut self, conversation: &Conversation) {
        let (id, line) = &mut self.turn;
        let old = format!("{{\"turn\":{{\"id\":{id},");
        *id = conversation.next_id();
        line.splice(
            ..old.len(),
            format!("{{\"turn\":{{\"id\":{id},").into_bytes(),
        );
    }

    /// Sends the turn, and waits for the answer until the limit.
    pub async fn ask(
        &self,
        conversation: &Conversation,
        limit: Option<Duration>,
    ) -> Result<(Response<G::Action>, Elapsed), Void> {
        let (id, line) = &self.turn;
        let (response, elapsed) = conversation.ask_line(*id, line, limit).await?;
        Ok((conversation.read(*id, response), elapsed))
    }

    /// Sends how the match, which is over, has ended.
    pub fn end(&self, conversation: &Conversation, game: &mut Match<G>) {
        let Some(verdict) = game.verdict().cloned() else {
            return;
        };
        let events: Vec<G::Event> = game.new_events(self.start.seat).collect();
        let (r#match, outcome, ended) = (self.start.r#match, verdict.outcome, verdict.ended);
        conversation.send(&ToBot::<(), Vec<G::Event>, (), ()>::End(End {
            r#match,
            events,
            outcome,
            ended,
        }));
    }
}
