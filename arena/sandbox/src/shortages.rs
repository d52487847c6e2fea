//! What the machine ran short of, and which bots held most then.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::idle::Watchlist;
use crate::lock;

/// What a machine can be short of, in words, with the words by which reasons show that.
const SHORTAGES: [(&str, &[&str]); 4] = [
    (
        "processes",
        &["Resource temporarily unavailable", "are running already"],
    ),
    ("open files", &["Too many open files"]),
    ("memory", &["emory"]),
    (
        "disk space, files or namespaces",
        &["No space left", "quota", "no room"],
    ),
];
/// What it is called if no words show it.
const ANYTHING: &str = "what starting a bot takes";
/// What a bot holds, in words.
const HELD: [&str; 3] = ["processes", "open files", "MiB of memory"];

/// The shortages so far: how often, and who held most.
#[derive(Debug, Default)]
pub struct Shortages(Mutex<BTreeMap<&'static str, (u64, String)>>);

impl Shortages {
    /// Notes that something failed for want of something, with those of the bots that hold most.
    pub fn note(&self, why: &str, bots: &Watchlist) {
        let is_shown = |(_, words): &&(_, &[&str])| words.iter().any(|word| why.contains(word));
        let what = SHORTAGES
            .iter()
            .find(is_shown)
            .map_or(ANYTHING, |(what, _)| what);
        let held = most(&bots.held());
        let mut all = lock(&self.0);
        let (count, last) = all.remove(what).unwrap_or_default();
        let last = if held.is_empty() && count > 0 {
            last
        } else {
            format!("{held}; what failed: {why}")
        };
        all.insert(what, (count + 1, last));
    }

    /// Each in a sentence: what, how often, and who held most the last time that bots were running.
    pub fn describe(&self) -> Vec<String> {
        let line = |(what, (count, last)): (_, &(u64, String))| {
            format!("ran short of {what} ({count} ×){last}")
        };
        lock(&self.0).iter().map(line).collect()
    }
}

/// The bots that hold most of something; nothing if none is running.
fn most(held: &BTreeMap<String, [u64; 3]>) -> String {
    let most = HELD.iter().enumerate().filter_map(|(kind, what)| {
        let (bot, amounts) = held.iter().max_by_key(|(_, amounts)| amounts[kind])?;
        Some(format!(", while {bot} held {} {what}", amounts[kind]))
    });
    most.collect()
}
