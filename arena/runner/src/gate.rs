//! Lets no more turns be open at a time than there are cores, in the order in which they come, so that bots do not wait for
//! each other within their time.

use std::sync::Arc;

use arena_tournament::entrant::{Cores, Program};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use arena_sandbox::{Lock, cores, hold};

/// The gates of a run: one for each core that its workers stay on, or a single one.
#[derive(Debug)]
pub struct Gates {
    gates: Vec<Gate>,
    _locks: Option<CoreLocks>,
}

/// The gate that the turns of a worker's bots pass.
#[derive(Clone, Debug)]
pub struct Gate {
    room: Arc<Semaphore>,
    /// The core that its workers stay on, if they do.
    pub core: Option<usize>,
}

/// The right to compute, until it is dropped.
pub type Permit = OwnedSemaphorePermit;

impl Gates {
    /// Gates for this many workers, which stay on a core each.
    pub fn pinned(workers: usize) -> Self {
        let locks = lock(workers.min(cores::count()));
        let gate = |core: &usize| Gate {
            room: Arc::new(Semaphore::new(1)),
            core: Some(*core),
        };
        let gates: Vec<Gate> = locks.cores.iter().map(gate).collect();
        if gates.is_empty() {
            Self::shared()
        } else {
            Self {
                gates,
                _locks: Some(locks),
            }
        }
    }

    /// A gate for workers that share all cores.
    pub fn shared() -> Self {
        Self {
            gates: vec![Gate::shared()],
            _locks: None,
        }
    }

    /// The gate of a worker.
    pub fn of(&self, worker: usize) -> Gate {
        self.gates[worker % self.gates.len()].clone()
    }
}

impl Gate {
    /// A gate for all who share all cores.
    pub fn shared() -> Self {
        Self {
            room: Arc::new(Semaphore::new(cores::count())),
            core: None,
        }
    }

    /// Waits for a core for a program, if it needs one.
    pub async fn enter(&self, program: Cores) -> Option<Permit> {
        if program == Cores::None {
            return None;
        }
        match Arc::clone(&self.room).try_acquire_owned() {
            Ok(permit) => Some(permit),
            Err(_) => Arc::clone(&self.room).acquire_owned().await.ok(),
        }
    }

    /// The number of cores that a program may use at the same time.
    pub fn cores(&self, program: &Program) -> u32 {
        if self.core.is_some() && program.cores == Cores::One {
            1
        } else {
            cores::allowed().len().max(1) as u32
        }
    }
}

/// Cores that are locked, so that other arenas of this machine pin their jobs to others, as long as this is held.
#[derive(Debug)]
struct CoreLocks {
    /// Their numbers.
    cores: Vec<usize>,
    _locks: Vec<Lock>,
}

/// Locks some of the cores that this process may use: those that the fewest jobs are pinned to.
fn lock(most: usize) -> CoreLocks {
    let (cores, _locks) = spread(&cores::allowed(), most, hold).unzip();
    CoreLocks { cores, _locks }
}

/// Each core once before any comes a second time, except for what others hold already.
fn spread<L>(
    cores: &[usize],
    most: usize,
    hold: impl Fn(&str) -> Option<L>,
) -> impl Iterator<Item = (usize, L)> {
    let places =
        (0..cores::MAX_JOBS).flat_map(|round| cores.iter().map(move |core| (round, *core)));
    places
        .filter_map(move |(round, core)| Some((core, hold(&format!("core-{core}-{round}"))?)))
        .take(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_of_all_arenas_are_spread_over_the_cores() {
        let held = std::cell::RefCell::new(std::collections::BTreeSet::new());
        let take = |most| {
            let hold = |name: &str| held.borrow_mut().insert(name.to_owned()).then_some(());
            spread(&[2, 5, 7], most, hold)
                .map(|(core, ())| core)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            [take(1), take(1), take(3), take(2)],
            [vec![2], vec![5], vec![7, 2, 5], vec![7, 2]]
        );
        held.borrow_mut().remove("core-5-0");
        assert_eq!(take(2), [5, 5]);
    }
}
