//! Browsers in which a page of a table is open.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;

use arena_runner::lock;

use super::{AWAY_AFTER, MAX_BROWSERS};

/// The time of each browser's last request for news.
#[derive(Default)]
pub(super) struct Browsers(Mutex<HashMap<String, Instant>>);

impl Browsers {
    /// Records a request from a browser, and removes browsers that are gone.
    pub(super) fn note(&self, browser: &str) {
        let mut all = lock(&self.0);
        all.retain(|_, looked| looked.elapsed() <= AWAY_AFTER);
        let name: String = browser.chars().take(16).collect();
        if all.len() < MAX_BROWSERS || all.contains_key(&name) {
            all.insert(name, Instant::now());
        }
    }

    /// Returns the time of the latest request.
    pub(super) fn last_request(&self) -> Option<Instant> {
        lock(&self.0).values().max().copied()
    }

    /// Returns the number of browsers still present.
    pub(super) fn count(&self) -> usize {
        let all = lock(&self.0);
        all.values()
            .filter(|looked| looked.elapsed() <= AWAY_AFTER)
            .count()
    }
}
