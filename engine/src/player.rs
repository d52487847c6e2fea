//! In-process players, and the loop that plays a match between them.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::chance::{Chance, Seed};
use crate::fault::{Cause, Fault};
use crate::game::{Game, Prompt as _};
use crate::machine::Match;
use crate::outcome::Outcome;
use crate::record::Reply;
use crate::seat::Seat;

/// The table that a player joins before the first turn.
#[derive(Clone, Debug)]
pub struct Start<'a, Rules: ?Sized> {
    /// The variant played.
    pub rules: &'a Rules,
    /// The player's own seat.
    pub seat: Seat,
    /// The number of seats at the table.
    pub seats: usize,
    /// The seed of the player's own randomness.
    pub seed: Seed,
    /// The announced time limit per answer, in milliseconds; `None` if unlimited. Players scale their work by it instead of reading a
    /// clock, so that their answers are reproducible.
    pub move_ms: Option<u64>,
}

/// An in-process player that answers for a seat.
pub trait Player<G: Game>: Send {
    /// Starts a match.
    fn start(&mut self, start: &Start<'_, G::Rules>);
    /// Chooses one of the legal actions, given the events since the player's last turn.
    fn act(&mut self, events: &mut dyn Iterator<Item = G::Event>, prompt: &G::Prompt) -> G::Action;
    /// Ends the match.
    fn end(&mut self, events: &mut dyn Iterator<Item = G::Event>, outcome: &Outcome) {
        let _ = (events, outcome);
    }
}

/// A player for any game, which picks a random option, then a random value for each field.
#[derive(Debug, Default)]
pub struct Random(Option<Chance>);

impl Random {
    /// The name of the random player.
    pub const NAME: &str = "random";
    /// A one-line description of the random player's strategy.
    pub const ABOUT: &str = "chooses at random among the legal actions";
}

impl<G: Game> Player<G> for Random {
    fn start(&mut self, start: &Start<'_, G::Rules>) {
        self.0 = Some(start.seed.stream("random", 0));
    }

    fn act(&mut self, _: &mut dyn Iterator<Item = G::Event>, prompt: &G::Prompt) -> G::Action {
        let chance = self.0.as_mut();
        prompt.pick(chance.expect("a match starts before its first turn"))
    }
}

/// Returns the seed for the bot in a seat. It is the same on every machine and for every bot.
pub fn bot_seed(seed: Seed, seat: Seat) -> Seed {
    seed.child("bot", seat.0.into())
}

/// Plays a match to its end. The players are told this time limit per answer. A player that panics forfeits.
///
/// # Panics
/// If there are fewer players than seats.
pub fn play<G: Game>(
    table: &mut Match<G>,
    players: &mut [Box<dyn Player<G>>],
    move_ms: impl Fn(Seat) -> Option<u64>,
) {
    let (seed, seats) = (table.record().seed, table.record().seats);
    for seat in Seat::all(seats) {
        let rules = table.record().rules.clone();
        let seed = bot_seed(seed, seat);
        let move_ms = move_ms(seat);
        players[seat.index()].start(&Start {
            rules: &rules,
            seat,
            seats,
            seed,
            move_ms,
        });
    }
    while !table.is_over() {
        for seat in table.to_act() {
            let reply = act(table, seat, players[seat.index()].as_mut());
            table.reply(seat, reply).expect("the seat had to act");
        }
    }
    let outcome = table.verdict().expect("the match is over").outcome.clone();
    for seat in Seat::all(seats) {
        if table.fault(seat).is_none() {
            players[seat.index()].end(&mut table.new_events(seat), &outcome);
        }
    }
}

/// Asks one in-process player for its action. A panic is returned as the player's fault.
pub fn act<G: Game>(
    table: &mut Match<G>,
    seat: Seat,
    player: &mut dyn Player<G>,
) -> Reply<G::Action> {
    let prompt = table.prompt(seat);
    let mut events = table.new_events(seat);
    match catch_unwind(AssertUnwindSafe(|| player.act(&mut events, &prompt))) {
        Ok(action) => Reply::Act(action),
        Err(panic) => Reply::Failed(Fault::new(
            Cause::Crash,
            format!("panicked: {}", panic_message(&*panic)),
        )),
    }
}

/// Returns the message of a panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)")
}
