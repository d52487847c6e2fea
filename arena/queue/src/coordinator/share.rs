//! Workers are shared with the other tournaments of a queue: a coordinator that has more of them than another that wants some lets some go.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::admission::MOST_REFUSED;
use super::{Coordinator, OpenRound};
use crate::message::Pulse;

/// The time after which a coordinator without a sign of life is gone.
const GONE: Duration = Duration::from_secs(10);
/// How long a worker stays at least: to change costs a rehearsal.
const STAY: Duration = Duration::from_secs(60);
/// How long a worker is left to the others, which may not admit it: each of its offers goes to any one coordinator.
const LEFT: Duration = Duration::from_secs(15);
/// The most other tournaments that are noted.
const MOST: usize = 1_000;

/// Other tournaments that want workers, and workers that are left to them.
#[derive(Default)]
pub struct Share {
    /// By their plans: when they last said so, and how many workers they have.
    others: BTreeMap<String, (Instant, usize)>,
    /// By their names: since when.
    left: BTreeMap<String, Instant>,
}

impl Share {
    /// Another tournament gives a sign of life.
    pub fn note(&mut self, plan: &str, pulse: &Pulse) {
        self.others
            .retain(|other, (seen, _)| other != plan && seen.elapsed() < GONE);
        if pulse.wants_more && !pulse.ends && self.others.len() < MOST {
            self.others
                .insert(plan.to_owned(), (Instant::now(), pulse.workers));
        }
    }

    /// The fewest workers of another tournament that wants more.
    fn fewest(&self) -> Option<usize> {
        let here = self
            .others
            .values()
            .filter(|(seen, _)| seen.elapsed() < GONE);
        here.map(|(_, workers)| *workers).min()
    }
}

impl Coordinator {
    /// Notes how many workers there are, and whether more could play.
    pub(super) fn count_workers(&mut self, round: &OpenRound<'_, '_>) {
        let staying = self
            .workers
            .here()
            .filter(|(name, _)| !self.pulse.released.contains(*name));
        (self.pulse.workers, self.pulse.wants_more) = (staying.count(), round.units.wants_more());
    }

    /// True for a worker that another tournament needs more.
    pub(super) fn is_for_others(&mut self, name: &str) -> bool {
        let fewest = self.share.fewest();
        let is_needed = fewest.is_some_and(|fewest| fewest < self.pulse.workers);
        self.share
            .left
            .retain(|_, since| since.elapsed() < 2 * LEFT);
        if (self.pulse.released.remove(name) || is_needed) && self.share.left.len() < MOST_REFUSED {
            self.share
                .left
                .entry(name.to_owned())
                .or_insert_with(Instant::now);
        }
        fewest.is_some()
            && self
                .share
                .left
                .get(name)
                .is_some_and(|since| since.elapsed() < LEFT)
    }

    /// Lets half of the workers go that are here beyond those of a tournament with fewer, and the only one from time to time.
    pub(super) fn let_go(&mut self) {
        let Some(fewest) = self.share.fewest() else {
            return;
        };
        let (released, here) = (&mut self.pulse.released, self.workers.here());
        let (going, staying): (Vec<_>, Vec<_>) =
            here.partition(|(name, _)| released.contains(*name));
        let surplus = surplus(staying.len(), fewest + going.len()).min(MOST_REFUSED);
        let ripe = staying
            .into_iter()
            .filter(|(_, worker)| worker.joined.elapsed() >= STAY);
        released.extend(ripe.take(surplus).map(|(name, _)| name.clone()));
    }
}

/// How many of our workers another tournament gets that has fewer.
fn surplus(ours: usize, theirs: usize) -> usize {
    if (ours, theirs) == (1, 0) {
        1
    } else {
        ours.saturating_sub(theirs) / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_shared_in_halves_and_a_single_one_in_turn() {
        for ours in 0..20 {
            for theirs in 0..20 {
                let surplus = surplus(ours, theirs);
                let [less, more] = [ours - surplus, theirs + surplus];
                assert!(
                    surplus == 0 || (ours, theirs) == (1, 0) || less >= more,
                    "{ours} {theirs}"
                );
                assert!(
                    ours <= theirs || less.abs_diff(more) <= 1,
                    "{ours} {theirs}"
                );
                assert!(
                    ours + theirs == 0 || theirs > 0 || more > 0,
                    "{ours} {theirs}"
                );
            }
        }
    }

    #[test]
    fn tournaments_that_want_no_workers_or_have_ended_get_none() {
        let mut share = Share::default();
        let pulse = |workers, wants_more, ends| Pulse {
            workers,
            wants_more,
            ends,
            ..Pulse::default()
        };
        for (plan, pulse, fewest) in [
            ("a", pulse(3, true, false), Some(3)),
            ("b", pulse(1, true, false), Some(1)),
            ("c", pulse(0, false, false), Some(1)),
            ("b", pulse(1, true, true), Some(3)),
            ("a", pulse(3, false, false), None),
        ] {
            share.note(plan, &pulse);
            assert_eq!(share.fewest(), fewest, "{plan}");
        }
    }
}
