//! The ids of turns.

use std::hash::{BuildHasher, Hasher, RandomState};

use arena_engine::chance::{Chance, Seed};

/// The widest step between two ids: 2^53 is not reached for ten million turns.
const STEP: u32 = 1 << 30;

/// The ids of a process's turns: they rise by steps that a bot cannot foresee, and too wide to try all ids in between, so
/// that it cannot answer in advance.
pub struct Ids {
    /// The last one given out.
    pub last: u64,
    steps: Chance,
}

impl Ids {
    /// None given out yet.
    pub fn new() -> Self {
        // Nothing that a bot could find out; no result depends on it.
        let random = RandomState::new().build_hasher().finish();
        let seed = Seed::try_from(random & Seed::MAX).expect("it was cut to the greatest seed");
        Self {
            last: 0,
            steps: seed.stream("ids", 0),
        }
    }

    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.last += 1 + u64::from(self.steps.below(STEP));
        self.last
    }
}
