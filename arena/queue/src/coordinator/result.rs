//! What becomes of a result: it is examined, saved, and perhaps compared with that of another worker.

use std::borrow::Cow;

use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use async_nats::jetstream;

use super::checks::Outcome;
use super::examine;
use super::stage::{Lost, Stage};
use super::{Desk, Next};
use crate::message::{self, Report};
use crate::queue::Key;
use arena_session::{Observer, Ongoing, crash};

/// The most lines of a result that are said.
const MOST_NEWS: usize = 20;

/// Why there are no matches behind a report.
enum Missing {
    /// It names an object that is not its own.
    Foreign,
    /// The object is not there.
    Gone(anyhow::Error),
}

impl Desk {
    /// Takes a result in, and acknowledges it once it is saved or of no use.
    pub(super) async fn take(
        &mut self,
        result: &jetstream::Message,
        stage: &mut Stage<'_>,
        ongoing: &mut Ongoing<'_, impl Observer>,
    ) -> anyhow::Result<Next> {
        let taken = match message::without_matches(&result.payload) {
            Ok((report, packed)) => {
                let taken = self.weigh(&report, packed, stage, ongoing).await?;
                let own = Key { unit: report.unit, check: report.checks.len() }.object(&report.worker);
                if report.object == Some(own.clone()) {
                    self.queue.delete(&own).await;
                }
                taken
            }
            Err(error) => {
                let why = message::shortened(&error.to_string());
                self.once(ongoing.observer, format!("warning: a result that cannot be read was dropped: {why}"));
                Next::GoOn
            }
        };
        crash::point("before-ack");
        // If that is lost it comes again, and changes nothing.
        let _ = result.ack().await;
        Ok(taken)
    }

    async fn weigh(
        &mut self,
        report: &Report,
        packed: &[u8],
        stage: &mut Stage<'_>,
        ongoing: &mut Ongoing<'_, impl Observer>,
    ) -> anyhow::Result<Next> {
        let (worker, unit) = (&report.worker, report.unit);
        let key = Key { unit, check: report.checks.len() };
        let is_due = report.plan == self.welcome.plan && stage.has(unit);
        if !is_due || self.shut_out.contains(worker) || !message::is_name(worker) {
            return Ok(Next::GoOn);
        }
        self.redelivered += report.delivered.max(1) as u64 - 1;
        let planned = stage.matches(unit);
        let packed = match self.packed(report, key, packed).await {
            Ok(packed) => packed,
            Err(Missing::Foreign) => return self.refuse(worker, "it names what is not its own", ongoing),
            Err(Missing::Gone(error)) => {
                let why = message::shortened(&format!("{error:#}"));
                self.once(ongoing.observer, format!("what worker {worker} played of {unit} is lost on the way: {why}"));
                return self.lost(key, stage, ongoing).await;
            }
        };
        let matches = match message::unpack(&packed, planned.len()) {
            Ok(matches) => matches,
            Err(error) => {
                return self.refuse(worker, &format!("a result that cannot be read: {error:#}"), ongoing);
            }
        };
        if let Err(why) = examine::check(ongoing.ledger.spec(), &planned, &matches, report.unplayed.len()) {
            // Of an earlier start, other matches may have been planned.
            if report.epoch != self.epoch {
                return self.lost(key, stage, ongoing).await;
            }
            return self.refuse(worker, &why, ongoing);
        }
        matches.iter().for_each(|played| self.pace.took(played.times.wall_us));
        self.workers.put_down(worker, key);
        report.news.iter().take(MOST_NEWS).for_each(|news| self.once(ongoing.observer, message::shortened_lines(news)));
        if !report.checks.is_empty() {
            return self.compare(report, matches, stage, ongoing);
        }
        let (new, mut enough) = self.save(worker, matches, ongoing)?;
        stage.close(key);
        // Somebody else may have played what this worker could not.
        if !stage.is_done(unit, ongoing.ledger)? {
            for why in &report.unplayed {
                enough |= ongoing.note_unplayed(message::shortened(why)).is_break();
            }
        }
        // What was there before may be another worker's.
        if new == planned.len() {
            self.checks.played(unit, worker);
        }
        Ok(if enough { Next::Enough } else { Next::GoOn })
    }

    /// The matches of a report, packed.
    async fn packed<'a>(&self, report: &Report, key: Key, packed: &'a [u8]) -> Result<Cow<'a, [u8]>, Missing> {
        match &report.object {
            None => Ok(packed.into()),
            Some(object) if *object != key.object(&report.worker) => Err(Missing::Foreign),
            Some(object) => self.queue.get(object).await.map(Cow::from).map_err(Missing::Gone),
        }
    }

    /// A unit was played and nothing came of it; unless that happened too often, it is found missing, and played again.
    async fn lost(
        &mut self,
        key: Key,
        stage: &mut Stage<'_>,
        ongoing: &mut Ongoing<'_, impl Observer>,
    ) -> anyhow::Result<Next> {
        if let (_, Lost::GivenUp(by)) = stage.take_from(key) {
            // What stays in the stream is played for nothing.
            let _ = self.give_up(key, &by, stage, ongoing).await;
        }
        Ok(Next::GoOn)
    }

    /// Saves what is new, in one transaction. Returns how many matches that were, and whether no more are needed.
    fn save(
        &mut self,
        worker: &str,
        mut matches: Vec<Played>,
        ongoing: &mut Ongoing<'_, impl Observer>,
    ) -> anyhow::Result<(usize, bool)> {
        let is_new = matches.iter().map(|played| ongoing.ledger.holds(played).map(|holds| !holds));
        let mut is_new = is_new.collect::<Result<Vec<bool>, _>>()?.into_iter();
        matches.retain(|_| is_new.next().unwrap_or_default());
        matches.iter_mut().for_each(|played| played.worker = Some(worker.to_owned()));
        let enough = ongoing.save(&matches)?.is_break();
        self.workers.saved(worker, matches.len());
        Ok((matches.len(), enough))
    }

    /// Compares a further play of a unit with the first.
    fn compare(
        &mut self,
        report: &Report,
        matches: Vec<Played>,
        stage: &mut Stage<'_>,
        ongoing: &mut Ongoing<'_, impl Observer>,
    ) -> anyhow::Result<Next> {
        let Report { unit, worker, checks, .. } = report;
        let key = Key { unit: *unit, check: checks.len() };
        let by = self.checks.by(key);
        // A check by one that played it before says nothing.
        let is_due = !by.is_empty() && by == checks && !by.contains(worker);
        stage.close(key);
        if !is_due || !report.unplayed.is_empty() {
            return Ok(Next::GoOn);
        }
        let mut kept = Vec::new();
        for planned in stage.matches(*unit) {
            kept.extend(ongoing.ledger.get(planned.deal, &planned.seats)?);
        }
        match self.checks.again(ongoing.ledger.spec(), *unit, worker, matches, &kept) {
            Outcome::Agreed | Outcome::Untold => Ok(Next::GoOn),
            Outcome::Differ(id) => {
                let by = [&checks[0], worker].map(|name| clean(name)).join(" and ");
                ongoing.observer.news(&format!(
                    "workers {by} played match {} differently: a third one is to tell who is wrong",
                    clean(&id)
                ));
                Ok(Next::GoOn)
            }
            Outcome::Wrong(worker, why) => self.shut_out(&worker, &why, ongoing),
            Outcome::Unsteady(bots) if bots.is_empty() => {
                ongoing.observer.news(&format!(
                    "warning: no two workers get the same from the arena's own bots on {unit}: at least two of {}, {} are wrong",
                    checks.join(", "),
                    worker
                ));
                Ok(Next::GoOn)
            }
            Outcome::Unsteady(bots) => {
                let bots = bots.iter().map(|name| clean(name)).collect::<Vec<_>>().join(", ");
                ongoing.observer.news(&format!(
                    "warning: no two workers get the same from {bots}: what these bots do does not follow from the seed, so nothing more is compared"
                ));
                Ok(Next::GoOn)
            }
        }
    }

    /// A result is wrong in itself. Whoever is not known did not play here either.
    fn refuse(&mut self, worker: &str, why: &str, ongoing: &mut Ongoing<'_, impl Observer>) -> anyhow::Result<Next> {
        if self.workers.knows(worker) {
            return self.shut_out(worker, why, ongoing);
        }
        let why = message::shortened(why);
        self.once(
            ongoing.observer,
            format!("warning: a result of {worker}, which is no worker here, was dropped: {why}"),
        );
        Ok(Next::GoOn)
    }

    /// Believes a worker no more, and takes back all that it played.
    fn shut_out(&mut self, worker: &str, why: &str, ongoing: &mut Ongoing<'_, impl Observer>) -> anyhow::Result<Next> {
        let why = message::shortened(why);
        let entry = ongoing.ledger.shut_out_worker(worker, &why)?;
        self.shut_out.insert(worker.to_owned());
        self.checks.distrust(worker);
        self.workers.leave(worker);
        ongoing.observer.news(&format!(
            "warning: worker {} is not believed any more: {why}. {} matches are played again",
            clean(worker),
            entry.matches
        ));
        Ok(Next::BeginAgain)
    }
}
