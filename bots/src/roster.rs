//! The registry of built-in bots, by name.

use std::sync::OnceLock;

use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::player::{Player, Random};
use arena_engine::table::{self, Builtin};

use crate::bot::entry;
use crate::{coda, code_777, crack_the_code, digit_code};

/// The name of the bot that plays every game.
pub const RANDOM: &str = Random::NAME;

/// The bots of this crate, each for one game, weakest first.
pub static ROSTER: &[Builtin] = &[
    entry::<Coda, coda::excluding::Excluding>(
        "excluding",
        "attacks at random, never with a number it can exclude",
    ),
    entry::<Coda, coda::exact::Exact>(
        "exact",
        "attacks the panel that is likeliest over all codes that fit",
    ),
    entry::<Coda, coda::inferring::Inferring>(
        "inferring",
        "attacks like exact, but learns from what the others name, and chooses colours",
    ),
    entry::<Coda, coda::bayesian::Bayesian>(
        "bayesian",
        "weighs complete hands by all attacks and stops of their owners",
    ),
    entry::<Coda, coda::rollouts::Rollouts>(
        "rollouts",
        "simulates the rest of the round on weighted hands before it decides",
    ),
    entry::<Coda, coda::concealing::Concealing>(
        "concealing",
        "plays like rollouts, but avoids actions that would reveal its own code",
    ),
    entry::<Code777, code_777::counting::Consistent>(
        "consistent",
        "declares once a single code fits the answers",
    ),
    entry::<Code777, code_777::counting::Guessing>(
        "guessing",
        "declares the likeliest code after every answer",
    ),
    entry::<Code777, code_777::inference::Inference>(
        "inference",
        "also learns from what the others declare, and declares what is likely",
    ),
    entry::<Code777, code_777::inference::Adaptive>(
        "adaptive",
        "thinks like inference, but waits for better odds, and risks more near the end",
    ),
    entry::<CrackTheCode, crack_the_code::consistent::Consistent>(
        "consistent",
        "guesses at random among the codes that fit all answers",
    ),
    entry::<CrackTheCode, crack_the_code::strategic::Minimax>(
        "minimax",
        "leaves as few codes as possible in the worst case",
    ),
    entry::<CrackTheCode, crack_the_code::strategic::Entropy>(
        "entropy",
        "makes the guess with the most informative answer",
    ),
    entry::<CrackTheCode, crack_the_code::racer::Racer>(
        "racer",
        "makes the guess that wins most often, and draws the code to hide from a mixed strategy",
    ),
    entry::<DigitCode, digit_code::consistent::Consistent>(
        "consistent",
        "asks random questions, and declares a code that fits all answers",
    ),
    entry::<DigitCode, digit_code::narrowing::Narrowing>(
        "narrowing",
        "compares a few questions, and asks the one that leaves the fewest codes",
    ),
    entry::<DigitCode, digit_code::entropy::Entropy>(
        "entropy",
        "asks the most informative question, and declares when that is best for the race",
    ),
    entry::<DigitCode, digit_code::hiding::Hiding>(
        "hiding",
        "hides codes that are slow to find, and asks like entropy, with other expectations in each match",
    ),
];

static BOTS: OnceLock<&'static [Builtin]> = OnceLock::new();

/// Registers these bots instead of this crate's own. Has no effect after the first call, or after any bot has been looked up.
pub fn make_known(bots: &'static [Builtin]) {
    BOTS.get_or_init(|| bots);
}

/// Returns the bots that play this game, weakest first; empty if the game is unknown.
pub fn listed(game: &str) -> impl Iterator<Item = &'static Builtin> {
    let entry = table::find(game);
    let own = BOTS.get_or_init(|| ROSTER).iter();
    let own = own.filter(move |bot| entry.is_some_and(|entry| entry.name == bot.game));
    entry.map(|entry| &entry.random).into_iter().chain(own)
}

/// Returns the names of the bots that play this game, weakest first.
pub fn names(game: &str) -> impl Iterator<Item = &'static str> {
    listed(game).map(|bot| bot.name)
}

/// Returns the bot with this name that plays this game.
pub fn find(game: &str, name: &str) -> Option<&'static Builtin> {
    listed(game).find(|bot| bot.name == name)
}

/// Returns the strongest bot that plays this game.
///
/// # Panics
/// If the game is unknown.
pub fn strongest(game: &str) -> &'static Builtin {
    listed(game).last().expect("a bot plays every known game")
}

/// Creates a player of this game.
pub fn make<G: Game>(name: &str) -> Option<Box<dyn Player<G>>> {
    if name == RANDOM {
        return Some(Box::new(Random::default()));
    }
    let bot = ROSTER
        .iter()
        .find(|bot| bot.name == name && bot.game == G::NAME)?;
    bot.make()
}
