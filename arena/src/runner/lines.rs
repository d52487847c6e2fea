//! The lines that a program in a seat is sent in a match, whether it is played, tried again, or a check.

use arena_engine::game::{Game, View};
use arena_engine::machine::Match;
use arena_engine::player;
use arena_engine::seat::Seat;
use arena_protocol::message::{Clock, End, Ready, Start, ToBot, Turn, Want};

/// A turn of a game.
pub type TurnOf<G> = Turn<Vec<<G as Game>::Event>, <G as Game>::Prompt, <G as Game>::View>;
/// A line of a game that is answered.
pub type Line<G> = ToBot<(), Vec<<G as Game>::Event>, <G as Game>::Prompt, <G as Game>::View>;
/// The end of a match of a game.
pub type LastLine<G> = ToBot<(), Vec<<G as Game>::Event>, (), ()>;

/// How the match begins for a seat.
pub fn start<G: Game>(game: &Match<G>, seat: Seat, number: u64, clock: Clock) -> Start<G::Rules> {
    let record = game.record();
    let seed = player::bot_seed(record.seed, seat);
    Start {
        r#match: number,
        game: G::NAME.to_owned(),
        rules: record.rules.clone(),
        seat,
        seats: record.seats,
        seed,
        clock,
    }
}

/// What a seat is asked now, with the news since its last turn as far as the bot wants them.
pub fn turn<G: Game>(
    game: &mut Match<G>,
    seat: Seat,
    number: u64,
    id: u64,
    view: &mut G::View,
    ready: &Ready,
    clock: Clock,
) -> TurnOf<G> {
    let prompt = game.prompt(seat);
    let mut events = Vec::new();
    for event in game.new_events(seat) {
        view.see(&event);
        events.push(event);
    }
    if !ready.wants(Want::Events) {
        events.clear();
    }
    let view = ready.wants(Want::View).then(|| view.clone());
    Turn { id, r#match: number, events, prompt, view, clock }
}

/// How a match that is over ended for a seat.
pub fn end<G: Game>(game: &mut Match<G>, seat: Seat, number: u64) -> Option<LastLine<G>> {
    let verdict = game.verdict().cloned()?;
    let events: Vec<G::Event> = game.new_events(seat).collect();
    Some(ToBot::End(End { r#match: number, events, outcome: verdict.outcome, ended: verdict.ended }))
}
