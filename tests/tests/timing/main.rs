//! Tests of clocks and meters, which need the machine for themselves: one at a time.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod load;
mod siege;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits until no other test of this program runs; none does as long as the result lives.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
