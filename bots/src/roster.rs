//! The bots that can be played by name.

use std::any::Any;

use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::player::Player;

use crate::bot::{MatchBot, Renewed};
use crate::random::Random;
use crate::{coda, code_777, crack_the_code, digit_code};

/// A bot for one game.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The game it plays.
    pub game: &'static str,
    /// Its way of playing, in one line.
    pub about: &'static str,
    /// A [`Make`] for that game.
    make: &'static (dyn Any + Send + Sync),
}

/// The name of the bot that plays every game.
pub const RANDOM: &str = "random";

/// That bot's way of playing.
pub const RANDOM_ABOUT: &str = "chooses at random among the legal actions";

/// The bots for one game; [`RANDOM`] plays all.
pub const ROSTER: &[Entry] = &[
    entry::<Coda, coda::excluding::Excluding>(
        "excluding",
        "attacks at random, never with a number it can exclude",
    ),
    entry::<Coda, coda::exact::Exact>(
        "exact",
        "attacks the likeliest panel over all codes that fit what it saw",
    ),
    entry::<Coda, coda::inferring::Inferring>(
        "inferring",
        "attacks as exact does, but learns from what the others name, and chooses colours",
    ),
    entry::<Coda, coda::bayesian::Bayesian>(
        "bayesian",
        "weighs whole hands by every attack and stop that their owners made",
    ),
    entry::<Coda, coda::rollouts::Rollouts>(
        "rollouts",
        "simulates the rest of the round on weighted hands before it decides",
    ),
    entry::<Coda, coda::concealing::Concealing>(
        "concealing",
        "plays as rollouts does, but avoids what would reveal its own code",
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
        "thinks as inference does, waits for better odds, and risks more near the end",
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
        "makes the guess that wins most often, and hides by a mixed strategy",
    ),
    entry::<DigitCode, digit_code::consistent::Consistent>(
        "consistent",
        "asks at random what it does not know, declares what fits all answers",
    ),
    entry::<DigitCode, digit_code::narrowing::Narrowing>(
        "narrowing",
        "compares a few questions, and asks the one that leaves the fewest codes",
    ),
    entry::<DigitCode, digit_code::entropy::Entropy>(
        "entropy",
        "asks the most informative question over all codes that fit, and declares in time",
    ),
    entry::<DigitCode, digit_code::hiding::Hiding>(
        "hiding",
        "asks as entropy does, and hides by a mixed strategy",
    ),
];

/// A bot to play this game in process.
pub fn make<G: Game>(name: &str) -> Option<Box<dyn Player<G>>> {
    if name == RANDOM {
        return Some(new::<G, Random>());
    }
    let entry = ROSTER
        .iter()
        .find(|entry| entry.name == name && entry.game == G::NAME)?;
    let make = entry
        .make
        .downcast_ref::<Make<G>>()
        .expect("an entry makes a player of its game");
    Some(make())
}

/// The bots that play this game, weakest first, each with its way of playing.
pub fn listed(game: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = ROSTER.iter().filter(move |entry| entry.game == game);
    std::iter::once((RANDOM, RANDOM_ABOUT)).chain(own.map(|entry| (entry.name, entry.about)))
}

/// Their names.
pub fn names(game: &str) -> impl Iterator<Item = &'static str> {
    listed(game).map(|(name, _)| name)
}

/// The name of the strongest bot that plays this game, and its way of playing.
pub fn strongest(game: &str) -> (&'static str, &'static str) {
    listed(game).last().expect("there is one for every game")
}

type Make<G> = fn() -> Box<dyn Player<G>>;

const fn entry<G: Game, B: MatchBot<G>>(name: &'static str, about: &'static str) -> Entry {
    Entry {
        name,
        game: G::NAME,
        about,
        make: &(new::<G, B> as Make<G>),
    }
}

fn new<G: Game, B: MatchBot<G>>() -> Box<dyn Player<G>> {
    Box::new(Renewed::<B>::default())
}
