//! Tests of clocks and meters. They run one at a time, because they need the complete machine.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod load;
mod siege;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits until no other test of this program is running, and blocks others until the result is dropped.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
