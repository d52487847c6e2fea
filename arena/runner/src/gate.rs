//! Lets no more turns be open at a time than there are cores, in the order in which they come, so that bots do not wait for
//! each other within their time.

use std::sync::Arc;

use arena_tournament::entrant::{Cores, Program};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use arena_sandbox::cores::{self, CoreLocks};

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
        let locks = cores::lock(workers.min(cores::count()));
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
