//! The bots that run, and what the machine ran short of while they held what they hold.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::process_tree::{below, numbers};

/// What a machine can be short of, in words, with the words by which reasons show that.
const SHORTAGES: [(&str, &[&str]); 4] = [
    ("processes", &["Resource temporarily unavailable", "are running already"]),
    ("open files", &["Too many open files"]),
    ("memory", &["emory"]),
    ("disk space, files or namespaces", &["No space left", "quota"]),
];
/// What it is called if no words show it.
const ANYTHING: &str = "what starting a bot takes";
/// What a bot holds, in words.
const HELD: [&str; 3] = ["processes", "open files", "MiB of memory"];

/// The bots that run, and the shortages so far.
#[derive(Debug, Default)]
pub struct Holders {
    running: Mutex<Vec<Weak<Holder>>>,
    shortages: Mutex<BTreeMap<&'static str, (u64, String)>>,
}

/// A bot that runs, until it is dropped.
#[derive(Debug)]
pub struct Holder {
    bot: String,
    supervisor: u32,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Holders {
    /// Adds a process of the bot of this name, below its supervisor.
    pub fn add(&self, bot: &str, supervisor: u32) -> Arc<Holder> {
        let holder = Arc::new(Holder { bot: bot.to_owned(), supervisor });
        let mut running = lock(&self.running);
        running.retain(|holder| holder.strong_count() > 0);
        running.push(Arc::downgrade(&holder));
        holder
    }

    /// Notes that something failed for want of something, with the bots that hold most.
    pub fn note_shortage(&self, why: &str) {
        let is_shown = |(_, words): &&(_, &[&str])| words.iter().any(|word| why.contains(word));
        let what = SHORTAGES.iter().find(is_shown).map_or(ANYTHING, |(what, _)| what);
        let held = self.describe();
        let mut shortages = lock(&self.shortages);
        let (count, last) = shortages.remove(what).unwrap_or_default();
        let last = if held.is_empty() && count > 0 { last } else { format!("{held}; what failed: {why}") };
        shortages.insert(what, (count + 1, last));
    }

    /// The bots that hold most of something; nothing if none is running.
    fn describe(&self) -> String {
        let mut held: BTreeMap<String, [u64; 3]> = BTreeMap::new();
        for holder in lock(&self.running).iter().filter_map(Weak::upgrade) {
            let sums = held.entry(holder.bot.clone()).or_default();
            sums.iter_mut().zip(holder.holds()).for_each(|(sum, more)| *sum += more);
        }
        let most = HELD.iter().enumerate().filter_map(|(kind, what)| {
            let (bot, amounts) = held.iter().max_by_key(|(_, amounts)| amounts[kind])?;
            Some(format!(", while {bot} held {} {what}", amounts[kind]))
        });
        most.collect()
    }

    /// What the machine ran short of, how often, and who held most the last time that bots were running.
    pub fn shortages(&self) -> Vec<String> {
        let shortages = lock(&self.shortages);
        let line = |(what, (count, last)): (_, &(u64, String))| format!("ran short of {what} ({count} ×){last}");
        shortages.iter().map(line).collect()
    }
}

impl Holder {
    /// What its processes hold, by what it is.
    fn holds(&self) -> [u64; 3] {
        let tree = below(self.supervisor);
        let open = |pid: u32| numbers(&format!("/proc/{pid}/fd")).len() as u64;
        let resident = |pid: u32| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
            line.split_ascii_whitespace().next()?.parse::<u64>().ok()
        };
        let memory: u64 = tree.iter().filter_map(|stat| resident(stat.pid)).sum();
        [tree.len() as u64, tree.iter().map(|stat| open(stat.pid)).sum(), memory >> 10]
    }
}
