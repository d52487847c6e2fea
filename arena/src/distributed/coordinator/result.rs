//! What becomes of a result: it is examined, saved, and perhaps compared with that of another worker.

use anyhow::ensure;
use arena_engine::game::Game;
use arena_results::ledger::Ledger;
use arena_results::played::Played;
use arena_results::printable::clean;
use async_nats::jetstream;

use super::checks::Outcome;
use super::examine;
use super::stage::Stage;
use super::{Desk, Taken};
use crate::date;
use crate::distributed::message::{self, Report};
use crate::distributed::queue::Key;
use crate::tournament::{Observer, crash};

impl Desk {
    /// Takes a result in, and acknowledges it once it is saved or of no use.
    pub(super) async fn take<G: Game>(
        &mut self,
        result: &jetstream::Message,
        stage: &mut Stage<'_>,
        ledger: &mut Ledger,
        observer: &mut impl Observer,
        unplayed: &mut Vec<String>,
    ) -> anyhow::Result<Taken> {
        let taken = match message::without_matches(&result.payload) {
            Ok((report, packed)) => {
                let taken = self.weigh::<G>(&report, packed, stage, ledger, observer, unplayed).await?;
                if let Some(object) = &report.object {
                    self.queue.delete(object).await;
                }
                taken
            }
            Err(error) => {
                self.once(observer, format!("warning: a result that cannot be read was dropped: {error}"));
                Taken::Saved
            }
        };
        crash::point("before-ack");
        // If that is lost it comes again, and changes nothing.
        let _ = result.ack().await;
        Ok(taken)
    }

    async fn weigh<G: Game>(
        &mut self,
        report: &Report,
        packed: &[u8],
        stage: &mut Stage<'_>,
        ledger: &mut Ledger,
        observer: &mut impl Observer,
        unplayed: &mut Vec<String>,
    ) -> anyhow::Result<Taken> {
        let (worker, unit) = (&report.worker, report.unit);
        let key = Key { unit, check: report.checks.len() };
        if report.plan != self.welcome.plan || self.shut_out.contains(worker) || !stage.has(unit) {
            return Ok(Taken::Saved);
        }
        self.redelivered += report.delivered.max(1) as u64 - 1;
        let planned = stage.matches(unit);
        let matches = match self.unpacked(report, packed).await {
            Ok(matches) => matches,
            Err(error) => {
                return self.shut_out(worker, &format!("a result that cannot be read: {error:#}"), ledger, observer);
            }
        };
        if let Err(why) = examine::check(ledger.spec(), &planned, &matches, report.unplayed.len()) {
            // Of an earlier start, other matches may have been planned.
            if report.epoch != self.epoch {
                return Ok(Taken::Saved);
            }
            return self.shut_out(worker, &why, ledger, observer);
        }
        self.took(self.workers.since(worker, key));
        self.workers.put_down(worker, key);
        report.news.iter().for_each(|news| self.once(observer, clean(news)));
        if !report.checks.is_empty() {
            return self.compare::<G>(report, matches, stage, ledger, observer);
        }
        let taken = self.save(worker, matches, ledger, observer)?;
        stage.close(key);
        let mut enough = matches!(taken, Taken::Enough);
        for why in &report.unplayed {
            unplayed.push(clean(why));
            enough |= observer.match_unplayed().is_break();
        }
        if report.unplayed.is_empty() {
            self.checks.played(unit, worker);
        }
        Ok(if enough { Taken::Enough } else { Taken::Saved })
    }

    async fn unpacked(&self, report: &Report, packed: &[u8]) -> anyhow::Result<Vec<Played>> {
        match &report.object {
            None => message::unpack(packed),
            Some(object) => {
                ensure!(object.starts_with("result-"), "an object of another kind");
                message::unpack(&self.queue.get(object).await?)
            }
        }
    }

    /// Saves what is new, in one transaction.
    fn save(
        &mut self,
        worker: &str,
        mut matches: Vec<Played>,
        ledger: &mut Ledger,
        observer: &mut impl Observer,
    ) -> anyhow::Result<Taken> {
        let names = ledger.spec().names();
        let is_new = |played: &Played| {
            let bots: Option<Vec<usize>> =
                played.bots.iter().map(|bot| names.iter().position(|name| name == bot)).collect();
            bots.map_or(Ok(false), |bots| ledger.has(played.deal, &bots).map(|has| !has))
        };
        let is_new = matches.iter().map(is_new).collect::<Result<Vec<bool>, _>>()?;
        let mut is_new = is_new.into_iter();
        matches.retain(|_| is_new.next().unwrap_or_default());
        matches.iter_mut().for_each(|played| played.worker = Some(worker.to_owned()));
        crash::point("before-append");
        ledger.append(&matches)?;
        if !matches.is_empty() {
            ledger.played_on(&date::today())?;
        }
        crash::point("after-append");
        self.workers.saved(worker, matches.len());
        Ok(if observer.matches_saved(&matches)?.is_break() { Taken::Enough } else { Taken::Saved })
    }

    /// Compares a further play of a unit with the first.
    fn compare<G: Game>(
        &mut self,
        report: &Report,
        matches: Vec<Played>,
        stage: &mut Stage<'_>,
        ledger: &mut Ledger,
        observer: &mut impl Observer,
    ) -> anyhow::Result<Taken> {
        let Report { unit, worker, checks, .. } = report;
        // A check by one that played it before says nothing.
        let is_due = self.checks.of(*unit).is_some_and(|check| check.by == *checks && !check.by.contains(worker));
        stage.close(Key { unit: *unit, check: checks.len() });
        if !is_due || !report.unplayed.is_empty() {
            return Ok(Taken::Saved);
        }
        let mut kept = Vec::new();
        for planned in stage.matches(*unit) {
            kept.extend(ledger.get(planned.deal, &planned.seats)?);
        }
        match self.checks.again::<G>(ledger.spec(), *unit, worker, matches, &kept) {
            Outcome::Agreed => Ok(Taken::Saved),
            Outcome::Differ(id) => {
                let by = [&checks[0], worker].map(|name| clean(name)).join(" and ");
                observer.news(&format!(
                    "workers {by} played match {} differently: a third one is to tell who is wrong",
                    clean(&id)
                ));
                Ok(Taken::Saved)
            }
            Outcome::Wrong(worker, why) => self.shut_out(&worker, &why, ledger, observer),
            Outcome::Unsteady(bots) => {
                let bots = bots.iter().map(|name| clean(name)).collect::<Vec<_>>().join(", ");
                observer.news(&format!(
                    "warning: no two workers get the same from {bots}: what these bots do does not follow from the seed, so nothing more is compared"
                ));
                Ok(Taken::Saved)
            }
        }
    }

    /// Believes a worker no more, and takes back all that it played.
    fn shut_out(
        &mut self,
        worker: &str,
        why: &str,
        ledger: &mut Ledger,
        observer: &mut impl Observer,
    ) -> anyhow::Result<Taken> {
        let why: String = clean(why).chars().take(300).collect();
        let entry = ledger.shut_out_worker(worker, &why)?;
        self.shut_out.insert(worker.to_owned());
        observer.news(&format!(
            "warning: worker {} is not believed any more: {why}. {} matches are played again",
            clean(worker),
            entry.matches
        ));
        Ok(Taken::Revoked)
    }
}
