//! Generates ids of turns.

use std::hash::{BuildHasher, Hasher, RandomState};

use arena_engine::chance::{Chance, Seed};

/// Maximum step between two ids. With it, the ids of ten million turns stay below 2^53.
const MAX_STEP: u32 = 1 << 30;

/// Ids of the turns of a process. They grow by random steps that are too large for a bot to guess an id and answer in advance.
pub struct Ids {
    /// Last id given out.
    pub last: u64,
    steps: Chance,
}

impl Ids {
    /// Creates a generator that starts at 0.
    pub fn new() -> Self {
        // The steps are unpredictable to bots, and no result depends on them.
        let random = RandomState::new().build_hasher().finish();
        let seed = Seed::try_from(random & Seed::MAX).expect("it was cut to the greatest seed");
        Self {
            last: 0,
            steps: seed.stream("ids", 0),
        }
    }

    /// Returns the next id.
    pub fn next(&mut self) -> u64 {
        self.last += 1 + u64::from(self.steps.below(MAX_STEP));
        self.last
    }
}
