//! Limits the number of open turns to the number of cores, first come, first served, so that bots do not compete for cores.

use std::sync::Arc;

use arena_tournament::entrant::{Cores, Program};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use arena_sandbox::{Lock, cores, hold};

/// Gates of a run: one for each core that workers are pinned to, or a single gate for all workers.
#[derive(Debug)]
pub struct Gates {
    gates: Vec<Gate>,
    _locks: Option<CoreLocks>,
}

/// A gate for the turns of a worker's bots.
#[derive(Clone, Debug)]
pub struct Gate {
    room: Arc<Semaphore>,
    /// Core to which the workers are pinned, if any.
    pub core: Option<usize>,
}

/// Permission to compute, until it is dropped.
pub type Permit = OwnedSemaphorePermit;

impl Gates {
    /// Creates gates for this many workers, each pinned to a core.
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

    /// Creates a single gate for workers that share all cores.
    pub fn shared() -> Self {
        Self {
            gates: vec![Gate::shared()],
            _locks: None,
        }
    }

    /// Returns the gate of a worker.
    pub fn gate(&self, worker: usize) -> Gate {
        self.gates[worker % self.gates.len()].clone()
    }
}

impl Gate {
    /// Creates a gate for all bots that share all cores.
    pub fn shared() -> Self {
        Self {
            room: Arc::new(Semaphore::new(cores::count())),
            core: None,
        }
    }

    /// Waits until a core is free for a program, if it needs one.
    pub async fn enter(&self, program: Cores) -> Option<Permit> {
        if program == Cores::None {
            return None;
        }
        match Arc::clone(&self.room).try_acquire_owned() {
            Ok(permit) => Some(permit),
            Err(_) => Arc::clone(&self.room).acquire_owned().await.ok(),
        }
    }

    /// Returns the number of cores a program may use at the same time.
    pub fn cores(&self, program: &Program) -> u32 {
        if self.core.is_some() && program.cores == Cores::One {
            1
        } else {
            cores::allowed().len().max(1) as u32
        }
    }
}

/// Locks on cores. While they are held, other arenas on this machine pin their jobs to other cores.
#[derive(Debug)]
struct CoreLocks {
    /// Numbers of the locked cores.
    cores: Vec<usize>,
    _locks: Vec<Lock>,
}

/// Locks some of the cores that this process may use, preferring those with the fewest pinned jobs.
fn lock(most: usize) -> CoreLocks {
    let (cores, _locks) = spread(&cores::allowed(), most, hold).unzip();
    CoreLocks { cores, _locks }
}

/// Chooses every core once before any core twice, taking into account locks that others hold.
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
