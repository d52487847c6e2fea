//! The reserve of memory: when less than a part of what the machine had at the start is left, all bots are ended one by one,
//! and it shows which of them held more than they may.
//!
//! Nobody counts all memory: what a bot hides shows in what the machine has more when the bot is gone. Meanwhile all others are
//! stopped, and what programs that are no bots give back is not charged to it.

use std::fs;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use arena_engine::fault::Excess;

use super::cgroup;
use super::idle::Watchlist;
use super::meter::Meter;
use super::process_tree::{self, field};
use super::shortages::Shortages;
use crate::lock;

/// Why a match is void whose bots were ended for memory.
pub const NEARLY_OUT: &str = "the memory of this machine was nearly used up";
/// The part of the memory at the start that is kept.
const PART: u64 = 10;
/// The least and the longest time from one check to the next.
const PACE: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(500)];
/// The power of two that is more than all bots can take in a millisecond, in bytes.
const FASTEST: u32 = 23;
/// The longest time that a bot may take to end.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time after which it is looked whether it has given back more, and how much more, in bytes.
const SETTLING: (Duration, u64) = (Duration::from_millis(10), 1 << 20);
/// The stack of the thread that checks.
const STACK: usize = 256 << 10;

/// The memory at a moment, in bytes: what is left, and what others hold.
#[derive(Clone, Copy, Debug)]
struct Memory {
    left: u64,
    others: u64,
}

/// Watches the memory until the bots of the run are gone; not where nothing shows how much is left.
pub fn watch(bots: &Arc<Watchlist>, shortages: &Arc<Shortages>) {
    let Some(start) = available() else { return };
    let (bots, shortages) = (Arc::downgrade(bots), Arc::clone(shortages));
    let check = move || {
        while let (Some(now), Some(bots)) = (available(), Weak::upgrade(&bots)) {
            if is_short(start, now) {
                end_all(&bots, &shortages);
            }
            drop(bots);
            thread::sleep(pace(start, now));
        }
    };
    // Without the thread, the kernel decides.
    let _ = thread::Builder::new().stack_size(STACK).spawn(check);
}

/// The one rule by which memory is short.
fn is_short(start: u64, available: u64) -> bool {
    available < start / PART
}

/// The time in which bots cannot use up what is left beyond the reserve.
fn pace(start: u64, available: u64) -> Duration {
    Duration::from_millis(available.saturating_sub(start / PART) >> FASTEST).clamp(PACE[0], PACE[1])
}

/// The one rule by which a bot has held too much: there is more memory by more than it may give back, and others gave none.
fn judge(
    may_give_back: Option<(u64, Excess)>,
    before: Option<Memory>,
    after: Option<Memory>,
) -> Result<(), Excess> {
    let (Some((most, excess)), Some(before), Some(after)) = (may_give_back, before, after) else {
        return Ok(());
    };
    let by_others = before.others.saturating_sub(after.others);
    let given_back = after
        .left
        .saturating_sub(before.left)
        .saturating_sub(by_others);
    if given_back > most {
        Err(excess)
    } else {
        Ok(())
    }
}

/// Ends all bots, each while the others are stopped, and judges them by what they give back.
fn end_all(bots: &Watchlist, shortages: &Shortages) {
    let meters = bots.meters();
    if meters.is_empty() {
        return;
    }
    shortages.note(NEARLY_OUT, bots);
    // Nobody asks for a verdict before all are known.
    let mut verdicts: Vec<_> = meters
        .iter()
        .map(|meter| (meter, lock(&meter.reclaimed)))
        .collect();
    meters.iter().for_each(|meter| meter.freeze());
    for (meter, verdict) in &mut verdicts {
        let before = without(meter);
        end(meter, verdict);
        **verdict = Some(judge(meter.may_give_back, before, without(meter)));
    }
}

/// Ends all bots that wait for a match.
pub fn end_waiting(bots: &Watchlist) {
    bots.meters()
        .iter()
        .for_each(|meter| end(meter, &mut lock(&meter.reclaimed)));
}

/// Ends a bot, and waits until nothing is left of it and it gives back no more memory.
fn end(meter: &Meter, verdict: &mut Option<Result<(), Excess>>) {
    *verdict = Some(Ok(()));
    meter.kill();
    let (began, mut last) = (Instant::now(), 0);
    while began.elapsed() < PATIENCE {
        thread::sleep(SETTLING.0);
        let now = available().unwrap_or(0);
        if meter.is_gone() && now < last + SETTLING.1 {
            break;
        }
        last = now;
    }
}

/// The memory now, and what processes hold that are not this bot's.
fn without(meter: &Meter) -> Option<Memory> {
    let own = meter.processes();
    let pages = |pid| {
        fs::read_to_string(format!("/proc/{pid}/statm"))
            .ok()?
            .split(' ')
            .nth(1)?
            .parse::<u64>()
            .ok()
    };
    let others = process_tree::numbers("/proc")
        .into_iter()
        .filter(|pid| !own.contains_key(pid));
    let others = others.filter_map(pages).map(|pages| pages << 12).sum();
    Some(Memory {
        left: available()?,
        others,
    })
}

/// What is left of the memory of this machine, or of the container of the arena, in bytes.
fn available() -> Option<u64> {
    let machine = field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")? << 10;
    Some(cgroup::memory_left().map_or(machine, |left| left.min(machine)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn memory_is_short_below_a_tenth_of_that_at_the_start_and_watched_closely_before() {
        assert!(
            !is_short(20 * GIB, 20 * GIB)
                && !is_short(20 * GIB, 2 * GIB)
                && is_short(20 * GIB, 2 * GIB - 1)
        );
        let paces = [20 * GIB, 3 * GIB, 2 * GIB].map(|left| pace(20 * GIB, left));
        assert_eq!(paces, [PACE[1], Duration::from_millis(128), PACE[0]]);
    }

    #[test]
    fn a_bot_has_held_too_much_if_it_gives_back_more_than_it_may() {
        let memory = |left, others| {
            Some(Memory {
                left: left * GIB,
                others: others * GIB,
            })
        };
        let limit = |most| Some((most, Excess::Memory(1)));
        let exceeds = |most, after| judge(most, memory(3, 9), after).is_err();
        assert!(exceeds(limit(GIB), memory(5, 9)) && !exceeds(limit(2 * GIB), memory(5, 9)));
        assert!(!exceeds(limit(GIB), memory(5, 8)), "others gave back half");
        assert!(
            !exceeds(limit(GIB), memory(4, 12)),
            "others elsewhere hold more"
        );
        assert!(
            !exceeds(limit(0), memory(1, 11)),
            "others took more than it gave back"
        );
        assert!(
            !exceeds(None, memory(9, 9)),
            "the kernel holds it to its limit"
        );
        assert!(!exceeds(limit(0), None), "what is not known is no proof");
    }
}
