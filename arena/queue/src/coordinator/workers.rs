//! Workers of a coordinator, tracked by their heartbeats.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::message::Heartbeat;

/// Time without a heartbeat after which a worker counts as gone.
const WORKER_TIMEOUT: Duration = Duration::from_secs(15);

/// Last status of each worker, by name.
#[derive(Default)]
pub struct Workers(BTreeMap<String, (Instant, Heartbeat)>);

impl Workers {
    /// Records a status. Returns true if the worker is new.
    pub fn update(&mut self, status: Heartbeat) -> bool {
        self.0
            .retain(|_, (seen, _)| seen.elapsed() < WORKER_TIMEOUT);
        if status.leaves {
            self.0.remove(&status.worker);
            return false;
        }
        let entry = (Instant::now(), status);
        self.0.insert(entry.1.worker.clone(), entry).is_none()
    }

    fn here(&self) -> impl Iterator<Item = &Heartbeat> {
        let here = self
            .0
            .values()
            .filter(|(seen, _)| seen.elapsed() < WORKER_TIMEOUT);
        here.map(|(_, status)| status)
    }

    /// Returns the number of workers.
    pub fn count(&self) -> usize {
        self.here().count()
    }

    /// Returns the total number of concurrent matches.
    pub fn jobs(&self) -> usize {
        self.here().map(|status| status.jobs).sum()
    }

    /// Returns true if there are workers and none of them has a unit.
    pub fn are_idle(&self) -> bool {
        self.count() > 0 && self.here().all(|status| status.units == 0)
    }
}
