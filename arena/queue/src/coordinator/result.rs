//! What becomes of a result: it is examined, saved, and perhaps compared with that of another worker.

use std::borrow::Cow;

use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use arena_tournament::schedule::Planned;
use async_nats::jetstream;

use super::checks::Comparison;
use super::units::{self, Open};
use super::{Coordinator, OpenRound, examine};
use crate::key::Key;
use crate::message::{self, Report};
use crate::queue;
use arena_sandbox::files;
use arena_session::crash;

/// The most lines of a result that are shown.
const MOST_NEWS: usize = 20;

impl Coordinator {
    /// Processes a result, and acknowledges it once it is saved or of no use.
    pub(super) async fn take(
        &mut self,
        result: &jetstream::Message,
        round: &mut OpenRound<'_, '_>,
    ) -> anyhow::Result<()> {
        let worker = queue::sender(&result.subject)
            .unwrap_or_default()
            .to_owned();
        match message::without_matches(&result.payload) {
            Ok((report, packed)) => {
                self.process(&worker, &report, packed, round).await?;
                if let Some(sha256) = &report.object {
                    self.queue.delete(&queue::object(sha256)).await;
                }
            }
            Err(error) => {
                let why = message::shortened(&error.to_string());
                self.once(
                    round,
                    format!("warning: a result that cannot be read was dropped: {why}"),
                );
            }
        }
        crash::point("before-ack");
        // If that is lost it comes again, and changes nothing.
        let _ = result.ack().await;
        Ok(())
    }

    async fn process(
        &mut self,
        worker: &str,
        report: &Report,
        packed: &[u8],
        round: &mut OpenRound<'_, '_>,
    ) -> anyhow::Result<()> {
        let (deals, key) = (&report.deals, report.key);
        let is_due = report.plan == self.welcome.plan && round.units.has(deals);
        if !is_due || self.pulse.excluded.contains(worker) || worker.is_empty() {
            return Ok(());
        }
        if round
            .units
            .open
            .get(&key)
            .is_some_and(|unit| unit.deals != *deals)
        {
            return self
                .reject(worker, key, "other deals than those of its unit", round)
                .await;
        }
        self.redelivered += report.delivered.max(1) as u64 - 1;
        let planned = round.units.matches(deals);
        let packed = match &report.object {
            None => Cow::from(packed),
            Some(sha256) => {
                match self.fetch(sha256).await {
                    Ok(packed) => packed.into(),
                    Err(error) => {
                        let (why, deals) = (
                            message::shortened(&format!("{error:#}")),
                            message::describe(deals),
                        );
                        self.once(round, format!("the result of worker {worker} for {deals} was lost on the way: {why}"));
                        return self.lost(key, round).await;
                    }
                }
            }
        };
        let matches = match message::unpack(&packed, planned.len()) {
            Ok(matches) => matches,
            Err(error) => {
                return self
                    .reject(
                        worker,
                        key,
                        &format!("a result that cannot be read: {error:#}"),
                        round,
                    )
                    .await;
            }
        };
        if let Err(why) = examine::check(
            round.ongoing.ledger.spec(),
            &planned,
            &matches,
            report.unplayed.len(),
        ) {
            // Of an earlier start, other matches may have been planned.
            if report.epoch != self.pulse.epoch {
                return self.lost(key, round).await;
            }
            return self.reject(worker, key, &why, round).await;
        }
        matches
            .iter()
            .for_each(|played| self.pace.took(played.times.wall_us));
        self.workers
            .get_mut(worker)
            .into_iter()
            .for_each(|worker| _ = worker.holding.remove(&key));
        report
            .news
            .iter()
            .take(MOST_NEWS)
            .for_each(|news| self.once(round, message::shortened_lines(news)));
        let mut unplayed: Vec<String> = report
            .unplayed
            .iter()
            .map(|why| message::shortened(why))
            .collect();
        let mut kept = Vec::new();
        for played in matches {
            match examine::not_started(&played) {
                None => kept.push(played),
                Some(why) => {
                    let why = message::shortened(&why);
                    unplayed.push(format!(
                        "match {}: a bot could not be started: {why}",
                        played.id()
                    ));
                }
            }
        }
        if round
            .units
            .open
            .get(&key)
            .is_some_and(|unit| !unit.by.is_empty())
        {
            return self
                .compare(worker, key, kept, unplayed.is_empty(), round)
                .await;
        }
        let (new, is_open) = (
            self.save(worker, kept, round)?,
            round.units.open.remove(&key).is_some(),
        );
        for deal in deals {
            // What was there before may be another worker's.
            let of_deal = |planned: &&Planned| planned.deal == *deal;
            if new.iter().filter(|new| *new == deal).count()
                == planned.iter().filter(of_deal).count()
            {
                self.checks.delivered(*deal, worker);
            } else if is_open && !round.units.is_done(&[*deal], round.ongoing.ledger)? {
                self.unplayed(worker, *deal, &unplayed, round);
            }
        }
        Ok(())
    }

    /// A deal has no result, by what its worker says: another one plays it, unless two have said so, or there is no other.
    fn unplayed(
        &mut self,
        worker: &str,
        deal: u32,
        unplayed: &[String],
        round: &mut OpenRound<'_, '_>,
    ) {
        let by = round.units.unplayed(deal, worker).to_vec();
        let is_believed = by.iter().any(|other| other != worker)
            || !self.has_others(&by)
            || by.len() >= units::TRIES;
        if !is_believed {
            round.units.put_back(&[deal]);
            return;
        }
        let start = format!("match d{deal}/");
        let reasons: Vec<&String> = unplayed
            .iter()
            .filter(|why| why.starts_with(&start))
            .collect();
        if reasons.is_empty() {
            round.note_unplayed(format!("deal {deal}: no result from {}", by.join(", ")));
        }
        reasons
            .into_iter()
            .for_each(|why| round.note_unplayed(why.clone()));
    }

    /// Matches that were too long for a message.
    async fn fetch(&self, sha256: &str) -> anyhow::Result<Vec<u8>> {
        let packed = self.queue.get(&queue::object(sha256)).await?;
        anyhow::ensure!(
            files::hash_of(packed.as_slice())? == sha256,
            "it is not what the worker sent"
        );
        Ok(packed)
    }

    /// A unit was played and nothing came of it; unless that happened too often, it is found missing, and played again.
    async fn lost(&mut self, key: Key, round: &mut OpenRound<'_, '_>) -> anyhow::Result<()> {
        if let (_, Some(losers)) = round.units.take_from(key) {
            // What stays in the stream is played for nothing.
            let _ = self.give_up(key, &losers, round).await;
        }
        Ok(())
    }

    /// Saves what is new, in one transaction. Returns the deal of each.
    fn save(
        &mut self,
        worker: &str,
        mut matches: Vec<Played>,
        round: &mut OpenRound<'_, '_>,
    ) -> anyhow::Result<Vec<u32>> {
        let ledger = &round.ongoing.ledger;
        let is_new = matches
            .iter()
            .map(|played| ledger.holds(played).map(|holds| !holds));
        let mut is_new = is_new.collect::<Result<Vec<bool>, _>>()?.into_iter();
        matches.retain(|_| is_new.next().unwrap_or_default());
        for played in &mut matches {
            played.worker = Some(worker.to_owned());
            if let Some(why) = self.checks.rates.note(worker, played) {
                let why = format!(
                    "worker {worker} differs from the others, so more of its deals are checked: {why}"
                );
                round.news(&clean(&why));
            }
        }
        if round.ongoing.save(&matches)?.is_break() {
            round.ongoing.session.stop.stop();
        }
        self.workers
            .get_mut(worker)
            .into_iter()
            .for_each(|worker| worker.matches += matches.len() as u64);
        Ok(matches.iter().map(|played| played.deal).collect())
    }

    /// Compares a further play of some deals with the first.
    async fn compare(
        &mut self,
        worker: &str,
        key: Key,
        matches: Vec<Played>,
        is_whole: bool,
        round: &mut OpenRound<'_, '_>,
    ) -> anyhow::Result<()> {
        let Some(Open { deals, by, .. }) = round.units.open.remove(&key) else {
            return Ok(());
        };
        let is_open = self
            .checks
            .open
            .get(&key)
            .is_some_and(|check| check.by == by);
        // A check by one that played it before proves nothing.
        if !is_open || by.iter().any(|by| by == worker) || !is_whole {
            if !self.checks.failed(key) {
                self.checks.skip(key);
            }
            return Ok(());
        }
        let mut kept = Vec::new();
        for planned in round.units.matches(&deals) {
            kept.extend(round.ongoing.ledger.get(planned.deal, &planned.seats)?);
        }
        for found in self
            .checks
            .again(round.ongoing.ledger.spec(), key, worker, matches, &kept)?
        {
            match found {
                Comparison::Differ(id) => round.news(&format!(
                    "workers {} and {worker} played match {} differently: a third one decides which is wrong",
                    clean(&by[0]),
                    clean(&id)
                )),
                Comparison::Wrong(worker, why) => self.exclude(&worker, &why, round)?,
                Comparison::Unsteady(bots) if bots.is_empty() => round.news(&format!(
                    "warning: no two workers get the same results from the arena's own bots on {}: at least two of {}, {worker} are wrong",
                    message::describe(&deals),
                    by.join(", ")
                )),
                Comparison::Unsteady(bots) => round.news(&format!(
                    "warning: no two workers get the same results from {}: these bots do not take all randomness \
                     from their seed, so their matches are not compared any more",
                    bots.iter().map(|name| clean(name)).collect::<Vec<_>>().join(", ")
                )),
            }
        }
        Ok(())
    }

    /// A result is wrong in itself. Where servers prove no names, anybody may have sent it, so only the result is dropped; so is one
    /// of a worker that is not known.
    async fn reject(
        &mut self,
        worker: &str,
        key: Key,
        why: &str,
        round: &mut OpenRound<'_, '_>,
    ) -> anyhow::Result<()> {
        if self.proves_names && self.workers.get(worker).is_some() {
            return self.exclude(worker, why, round);
        }
        let why = message::shortened(why);
        self.once(
            round,
            format!("warning: a result under the name {worker} was dropped: {why}"),
        );
        self.lost(key, round).await
    }

    /// Excludes a worker, and takes back all that it played.
    fn exclude(
        &mut self,
        worker: &str,
        why: &str,
        round: &mut OpenRound<'_, '_>,
    ) -> anyhow::Result<()> {
        let why = message::shortened(why);
        let entry = round.ongoing.ledger.exclude_worker(worker, &why)?;
        self.pulse.excluded.insert(worker.to_owned());
        self.checks.exclude(worker);
        self.workers
            .get_mut(worker)
            .into_iter()
            .for_each(|worker| worker.left = true);
        round.is_taken_back = true;
        round.news(&format!(
            "warning: worker {} is excluded: its results failed verification ({why}). {} matches are played again",
            clean(worker),
            entry.matches
        ));
        Ok(())
    }
}
