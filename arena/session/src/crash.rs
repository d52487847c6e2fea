//! Named crash points, at which tests let the arena die as by `kill -9`. Disabled in release builds.

use std::env;
use std::sync::atomic::{AtomicU64, Ordering};

static PASSED: AtomicU64 = AtomicU64::new(0);

/// Ends the process immediately if `ARENA_CRASH` names this point, as `PLACE` or `PLACE:N` for the Nth time it is passed.
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
