//! Named crash points, at which tests make the arena die as if by `kill -9`. Disabled in release builds.

use std::env;
use std::sync::atomic::{AtomicU64, Ordering};

static PASSED: AtomicU64 = AtomicU64::new(0);

/// Ends the process immediately if `ARENA_CRASH` names this point: as `PLACE`, or as `PLACE:N` at the Nth time the point is passed.
pub fn point(place: &str) {
    if !cfg!(debug_assertions) {
        return;
    }
    let Ok(wanted) = env::var("ARENA_CRASH") else {
        return;
    };
    let (name, time) = wanted.split_once(':').unwrap_or((&wanted, "1"));
    if name == place && PASSED.fetch_add(1, Ordering::SeqCst) + 1 == time.parse().unwrap_or(1) {
        std::process::abort();
    }
}
