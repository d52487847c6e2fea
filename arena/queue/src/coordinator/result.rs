//! What becomes of a result: it is examined, saved, and perhaps compared with that of another worker.

use std::borrow::Cow;

use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use async_nats::jetstream;

use super::checks::Comparison;
use super::{Coordinator, OpenRound, examine};
use crate::message::{self, Report};
use crate::queue::Key;
use arena_session::{Observer, crash};

/// The most lines of a result that are shown.
const MOST_NEWS: usize = 20;

impl Coordinator {
    /// Processes a result, and acknowledges it once it is saved or of no use.
    pub(super) async fn take(
        &mut self,
        result: &jetstream::Message,
        round: &mut OpenRound<'_, '_, impl Observer>,
    ) -> anyhow::Result<()> {
        match message::without_matches(&result.payload) {
            Ok((report, packed)) => {
                self.process(&report, packed, round).await?;
                let own = report.key().object(&report.worker);
                if report.object.as_ref() == Some(&own) {
                    self.queue.delete(&own).await;
                }
            }
            Err(error) => {
                let why = message::shortened(&error.to_string());
                self.once(round, format!("warning: a result that cannot be read was dropped: {why}"));
            }
        }
        crash::point("before-ack");
        // If that is lost it comes again, and changes nothing.
        let _ = result.ack().await;
        Ok(())
    }

    async fn process(
        &mut self,
        report: &Report,
        packed: &[u8],
        round: &mut OpenRound<'_, '_, impl Observer>,
    ) -> anyhow::Result<()> {
        let (worker, unit, key) = (&report.worker, report.unit, report.key());
        let is_due = report.plan == self.welcome.plan && round.units.has(unit);
        if !is_due || self.excluded.contains(worker) || !message::is_name(worker) {
            return Ok(());
        }
        self.redelivered += report.delivered.max(1) as u64 - 1;
        let planned = round.units.matches(unit);
        let packed = match &report.object {
            None => Cow::from(packed),
            Some(object) if *object != key.object(worker) => {
                return self.reject(worker, "it names what is not its own", round);
            }
            Some(object) => match self.queue.get(object).await {
                Ok(packed) => packed.into(),
                Err(error) => {
                    let why = message::shortened(&format!("{error:#}"));
                    self.once(round, format!("the result of worker {worker} for {unit} is lost on the way: {why}"));
                    return self.lost(key, round).await;
                }
            },
        };
        let matches = match message::unpack(&packed, planned.len()) {
            Ok(matches) => matches,
            Err(error) => return self.reject(worker, &format!("a result that cannot be read: {error:#}"), round),
        };
        if let Err(why) = examine::check(round.ongoing.ledger.spec(), &planned, &matches, report.unplayed.len()) {
            // Of an earlier start, other matches may have been planned.
            if report.epoch != self.epoch {
                return self.lost(key, round).await;
            }
            return self.reject(worker, &why, round);
        }
        matches.iter().for_each(|played| self.pace.took(played.times.wall_us));
        self.workers.finished(worker, key);
        report.news.iter().take(MOST_NEWS).for_each(|news| self.once(round, message::shortened_lines(news)));
        if !report.checks.is_empty() {
            return self.compare(report, matches, round);
        }
        let new = self.save(worker, matches, round)?;
        round.units.close(key);
        // Others may have played what this worker could not.
        if !round.units.is_done(unit, round.ongoing.ledger)? {
            report.unplayed.iter().for_each(|why| round.note_unplayed(message::shortened(why)));
        }
        // What was there before may be another worker's.
        if new == planned.len() {
            self.checks.played(unit, worker);
        }
        Ok(())
    }

    /// A unit was played and nothing came of it; unless that happened too often, it is found missing, and played again.
    async fn lost(&mut self, key: Key, round: &mut OpenRound<'_, '_, impl Observer>) -> anyhow::Result<()> {
        if let (_, Some(losers)) = round.units.take_from(key) {
            // What stays in the stream is played for nothing.
            let _ = self.give_up(key, &losers, round).await;
        }
        Ok(())
    }

    /// Saves what is new, in one transaction. Returns how many matches that were.
    fn save(
        &mut self,
        worker: &str,
        mut matches: Vec<Played>,
        round: &mut OpenRound<'_, '_, impl Observer>,
    ) -> anyhow::Result<usize> {
        let ledger = &round.ongoing.ledger;
        let is_new = matches.iter().map(|played| ledger.holds(played).map(|holds| !holds));
        let mut is_new = is_new.collect::<Result<Vec<bool>, _>>()?.into_iter();
        matches.retain(|_| is_new.next().unwrap_or_default());
        matches.iter_mut().for_each(|played| played.worker = Some(worker.to_owned()));
        if round.ongoing.save(&matches)?.is_break() {
            round.ongoing.session.stop.stop();
        }
        self.workers.saved(worker, matches.len());
        Ok(matches.len())
    }

    /// Compares a further play of a unit with the first.
    fn compare(
        &mut self,
        report: &Report,
        matches: Vec<Played>,
        round: &mut OpenRound<'_, '_, impl Observer>,
    ) -> anyhow::Result<()> {
        let Report { unit, worker, checks, .. } = report;
        let by = self.checks.by(report.key());
        // A check by one that played it before proves nothing.
        let is_due = !by.is_empty() && by == checks && !by.contains(worker);
        round.units.close(report.key());
        if !is_due || !report.unplayed.is_empty() {
            return Ok(());
        }
        let mut kept = Vec::new();
        for planned in round.units.matches(*unit) {
            kept.extend(round.ongoing.ledger.get(planned.deal, &planned.seats)?);
        }
        match self.checks.again(round.ongoing.ledger.spec(), *unit, worker, matches, &kept) {
            Comparison::Agreed | Comparison::Undecided => {}
            Comparison::Differ(id) => round.news(&format!(
                "workers {} and {worker} played match {} differently: a third one decides which is wrong",
                clean(&checks[0]),
                clean(&id)
            )),
            Comparison::Wrong(worker, why) => self.exclude(&worker, &why, round)?,
            Comparison::Unsteady(bots) if bots.is_empty() => round.news(&format!(
                "warning: no two workers get the same from the arena's own bots on {unit}: at least two of {}, {worker} are wrong",
                checks.join(", ")
            )),
            Comparison::Unsteady(bots) => round.news(&format!(
                "warning: no two workers get the same from {}: these bots do not play by their seed, so nothing more is compared",
                bots.iter().map(|name| clean(name)).collect::<Vec<_>>().join(", ")
            )),
        }
        Ok(())
    }

    /// A result is wrong in itself. A worker that is not known did not play here either.
    fn reject(&mut self, worker: &str, why: &str, round: &mut OpenRound<'_, '_, impl Observer>) -> anyhow::Result<()> {
        if self.workers.knows(worker) {
            return self.exclude(worker, why, round);
        }
        let why = message::shortened(why);
        self.once(round, format!("warning: a result of {worker}, which is no worker here, was dropped: {why}"));
        Ok(())
    }

    /// Excludes a worker, and takes back all that it played.
    fn exclude(&mut self, worker: &str, why: &str, round: &mut OpenRound<'_, '_, impl Observer>) -> anyhow::Result<()> {
        let why = message::shortened(why);
        let entry = round.ongoing.ledger.exclude_worker(worker, &why)?;
        self.excluded.insert(worker.to_owned());
        self.checks.exclude(worker);
        self.workers.leave(worker);
        round.is_taken_back = true;
        round.news(&format!(
            "warning: worker {} is excluded: its results failed verification ({why}). {} matches are played again",
            clean(worker),
            entry.matches
        ));
        Ok(())
    }
}
