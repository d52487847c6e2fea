//! Plays random matches at full speed through the same loop as tournaments, for benchmarks.

use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::machine::{BadTable, Match};
use arena_engine::player::{Player, Random, play};

/// Numbers of matches and replies played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Number of complete matches.
    pub matches: u64,
    /// Number of replies of all seats.
    pub replies: u64,
}

/// Plays random matches with seeds from `from` on. Calls `go_on` after each, and stops once it returns `false`.
pub fn matches<G: Game>(
    rules: &G::Rules,
    seats: usize,
    from: u64,
    mut go_on: impl FnMut(Amount) -> bool,
) -> Result<Amount, BadTable> {
    let mut players: Vec<Box<dyn Player<G>>> = (0..seats)
        .map(|_| Box::new(Random::default()) as _)
        .collect();
    let mut amount = Amount::default();
    loop {
        let seed = Seed::try_from((from + amount.matches) & Seed::MAX)
            .expect("it was cut to the greatest seed");
        let mut table = Match::<G>::new(rules, seats, seed)?;
        play(&mut table, &mut players, |_| None);
        amount.matches += 1;
        amount.replies += table.record().replies.len() as u64;
        if !go_on(amount) {
            return Ok(amount);
        }
    }
}
