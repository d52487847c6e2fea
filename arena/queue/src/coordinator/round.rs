//! A round, as its coordinator sees it: units go out, results come in, and everything is looked after meanwhile.

use std::ops::ControlFlow;
use std::time::Duration;

use anyhow::bail;
use arena_ledger::ledger::Ledger;
use arena_tournament::field::Meeting;
use arena_tournament::printable::clean;
use arena_tournament::unit::Unit;
use futures_util::StreamExt;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::stage::{Lost, Stage};
use super::workers::Worker;
use super::{Desk, Next};
use crate::message::{self, Order, Pulse};
use crate::queue::Key;
use arena_session::{Observer, Ongoing, Round};

/// The time from one look at how things are to the next.
const TICK: Duration = Duration::from_millis(500);
/// The number of looks from one sign of life to the next.
const PULSE: u32 = 4;
/// The number of looks from one comparison with the streams to the next.
const RECONCILE: u32 = 8;
/// The number of looks from one question what was given out to the next.
const GIVEN_OUT: u32 = 2;
/// How long a check waits for somebody who may play it.
const CHECK_PATIENCE: Duration = Duration::from_secs(10);
/// The most lines that are said once.
const MOST_SAID: usize = 500;
/// The number of units that are published beside those that can be played at once.
const AHEAD: usize = 4;

impl Desk {
    /// Plays a round.
    pub(super) async fn play_round(
        &mut self,
        ongoing: &mut Ongoing<'_, impl Observer>,
        meetings: &[Meeting],
    ) -> anyhow::Result<Round> {
        let session = ongoing.session;
        let mut stage = Stage::new(session.spec, meetings);
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if session.stop.is_set() {
                self.doubt_what_is_unsettled(ongoing.ledger)?;
                return Ok(Round::Ended);
            }
            self.fill(&mut stage, ongoing.ledger).await?;
            if stage.open() == 0 && stage.is_all_published(ongoing.ledger)? {
                return Ok(Round::Ended);
            }
            if self.results.is_none() {
                match self.queue.results().await {
                    Ok(results) => self.results = Some(results),
                    Err(error) => self.trouble(ongoing.observer, &error).await,
                }
            }
            let next = async {
                match &mut self.results {
                    Some(results) => results.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                result = next => match result {
                    Some(Ok(result)) => match self.take(&result, &mut stage, ongoing).await? {
                        Next::GoOn => {}
                        Next::Enough => session.stop.stop(),
                        Next::BeginAgain => {
                            self.begin_again().await;
                            return Ok(Round::TakenBack);
                        }
                    },
                    Some(Err(_)) | None => self.results = None,
                },
                Some(offer) = self.joins.next() => self.admit(offer, ongoing.observer).await,
                Some(status) = self.statuses.next() => self.take_status(&status, &mut stage, ongoing).await,
                Some(pulse) = self.pulses.next() => self.beware_of_others(&pulse.payload)?,
                _ = tick.tick() => {
                    if let Err(error) = self.look(&mut stage, ongoing).await {
                        self.trouble(ongoing.observer, &error).await;
                    }
                }
            }
        }
    }

    /// Says once that something went wrong with the queue, and waits a moment.
    async fn trouble(&mut self, observer: &mut impl Observer, error: &anyhow::Error) {
        self.once(observer, format!("queue: {error:#}; trying again"));
        sleep(TICK).await;
    }

    /// Says something, unless it was said before, or strangers have had too much said.
    pub(super) fn once(&mut self, observer: &mut impl Observer, line: String) {
        if self.said.len() < MOST_SAID && !self.said.contains(&line) {
            observer.news(&line);
            self.said.insert(line);
            if self.said.len() == MOST_SAID {
                observer.news("more of that kind is not shown");
            }
        }
    }

    /// Publishes units as long as there is room.
    async fn fill(&mut self, stage: &mut Stage<'_>, ledger: &Ledger) -> anyhow::Result<()> {
        let jobs = self.workers.jobs();
        let room = match self.welcome.spec.plan.test {
            // Units may be longer once it is known how long matches take.
            _ if !self.pace.is_known() => jobs + 1,
            // A comparison ends when it is decided, and what is played beyond that is for nothing.
            Some(_) => jobs + AHEAD,
            None => 2 * jobs + AHEAD,
        };
        while stage.open() < room
            && let Some(unit) = stage.next(self.pace.deals(stage.left(), jobs), ledger)?
        {
            if !self.publish(stage, Key { unit, check: 0 }).await? {
                return Ok(());
            }
        }
        let checks = self.checks.open().filter(|(unit, _)| stage.has(*unit));
        let checks: Vec<Key> = checks.map(|(unit, check)| Key { unit, check: check.by.len() }).collect();
        for key in checks {
            let unit = key.unit;
            let somebody_can = key.check > 1 || self.somebody_else(self.checks.by(key));
            if stage.is_open(key) {
                continue;
            } else if !stage.is_done(unit, ledger)? {
                self.checks.forget(unit);
            } else if somebody_can {
                if !self.publish(stage, key).await? {
                    return Ok(());
                }
            } else if self.is_last(stage, ledger)? {
                self.checks.skip(unit);
            }
        }
        Ok(())
    }

    /// True if a worker is here who is not one of these.
    fn somebody_else(&self, by: &[String]) -> bool {
        self.workers.here().any(|(name, _)| !by.contains(name))
    }

    /// True if nothing but checks is left.
    fn is_last(&self, stage: &mut Stage<'_>, ledger: &Ledger) -> anyhow::Result<bool> {
        Ok(stage.open() == stage.checks().len() && stage.is_all_published(ledger)?)
    }

    /// Publishes a unit. False if the queue cannot be reached now.
    async fn publish(&self, stage: &mut Stage<'_>, key: Key) -> anyhow::Result<bool> {
        let checks = self.checks.by(key).to_vec();
        let (plan, meetings) = (self.welcome.plan.clone(), stage.meetings(key.unit));
        let order = message::encode(&Order { plan, epoch: self.epoch, unit: key.unit, meetings, checks });
        self.queue.ensure_fits("what a worker must be told of a unit", order.len())?;
        let place = self.queue.publish(key, order).await;
        place.as_ref().into_iter().for_each(|place| stage.published(key, *place));
        Ok(place.is_ok())
    }

    /// How long a worker may have a unit of so many matches.
    fn limit(&self, matches: usize) -> Duration {
        self.unit_timeout.unwrap_or_else(|| self.pace.limit(matches))
    }

    /// Looks after everything that does not come by itself.
    async fn look(&mut self, stage: &mut Stage<'_>, ongoing: &mut Ongoing<'_, impl Observer>) -> anyhow::Result<()> {
        self.looks += 1;
        if self.looks.is_multiple_of(PULSE) {
            self.pulse(false).await;
        }
        let redelivered =
            if self.redelivered > 0 { format!(", {} given out again", self.redelivered) } else { String::new() };
        ongoing.observer.machines(format!("{}, {} units open{redelivered}", self.workers.describe(), stage.open()));
        if self.workers.here().next().is_none() {
            self.once(
                ongoing.observer,
                "waiting for workers: arena work --nats URL, on any machine that reaches the queue".into(),
            );
        }
        self.mind_overdue(stage, ongoing).await?;
        self.mind_checks(stage, ongoing).await?;
        if self.looks.is_multiple_of(RECONCILE) {
            self.reconcile(stage).await?;
        }
        Ok(())
    }

    /// Takes units from workers that have had them for too long.
    async fn mind_overdue(
        &mut self,
        stage: &mut Stage<'_>,
        ongoing: &mut Ongoing<'_, impl Observer>,
    ) -> anyhow::Result<()> {
        if self.looks.is_multiple_of(GIVEN_OUT) {
            // Without the stream, nothing was.
            stage.given_out(self.queue.given_out().await.unwrap_or_default());
        }
        for key in stage.overdue(|matches| self.limit(matches)) {
            let limit = self.limit(stage.size(key));
            self.queue.withdraw(key).await?;
            let (worker, lost) = stage.take_from(key);
            let who = worker.map_or("a worker that does not say so".into(), |name| format!("worker {}", clean(&name)));
            let (unit, limit) = (key.unit, limit.as_secs_f64());
            ongoing.observer.news(&format!("{who} has had {unit} for more than {limit:.0} s: others play them"));
            match lost {
                Lost::Again => {
                    self.publish(stage, key).await?;
                }
                Lost::GivenUp(by) => self.give_up(key, &by, stage, ongoing).await?,
            }
        }
        Ok(())
    }

    /// A unit that nobody finishes.
    pub(super) async fn give_up(
        &mut self,
        key: Key,
        by: &[String],
        stage: &mut Stage<'_>,
        ongoing: &mut Ongoing<'_, impl Observer>,
    ) -> anyhow::Result<()> {
        stage.close(key);
        self.queue.withdraw(key).await?;
        if key.check > 0 {
            self.checks.skip(key.unit);
            return Ok(());
        }
        let names: Vec<String> = by.iter().map(|name| clean(name)).collect();
        let why = format!("{}: {} workers had them and finished none: {}", key.unit, by.len(), names.join(", "));
        // Whoever plays goes on with what is left.
        if let ControlFlow::Break(()) = ongoing.note_unplayed(why) {
            ongoing.observer.news("no more is played, since a deal is missing");
        }
        Ok(())
    }

    /// Lets checks go for which nobody is left who could play them.
    async fn mind_checks(
        &mut self,
        stage: &mut Stage<'_>,
        ongoing: &mut Ongoing<'_, impl Observer>,
    ) -> anyhow::Result<()> {
        for key in stage.checks() {
            let by = self.checks.by(key);
            if by.is_empty() {
                stage.close(key);
                self.queue.withdraw(key).await?;
                continue;
            }
            // Others who are here may take nothing.
            let others = self.somebody_else(by);
            let patience = if others { self.limit(stage.size(key)).max(CHECK_PATIENCE) } else { CHECK_PATIENCE };
            if stage.age(key) < patience {
                continue;
            }
            if by.len() == 1 && self.is_last(stage, ongoing.ledger)? {
                self.checks.skip(key.unit);
                stage.close(key);
                self.queue.withdraw(key).await?;
            } else if by.len() > 1 {
                let by = by.iter().map(|name| clean(name)).collect::<Vec<_>>().join(" and ");
                self.once(
                    ongoing.observer,
                    format!("workers {by} disagree about {}: start a third one, to tell who is wrong", key.unit),
                );
            }
        }
        Ok(())
    }

    /// Publishes again what should be in the streams and is not, such as after a server has lost it.
    async fn reconcile(&mut self, stage: &mut Stage<'_>) -> anyhow::Result<()> {
        self.queue.prepare().await?;
        for (name, archive) in &self.archives {
            self.queue.put(name, archive).await?;
        }
        // Results that wait to be saved would look as if they were lost.
        if self.queue.unsaved().await? > 0 {
            return Ok(());
        }
        let published = self.queue.published().await?;
        for key in stage.missing(|key| published.contains(key)) {
            self.redelivered += 1;
            self.publish(stage, key).await?;
        }
        // Servers have been seen to keep a unit from everybody for good.
        let neglected = stage.neglected(|key| self.is_neglected(key));
        if !neglected.is_empty() && self.workers.here().all(|(_, worker)| worker.holding.is_empty()) {
            self.queue.begin_anew().await?;
        }
        for key in neglected {
            self.redelivered += 1;
            self.queue.withdraw(key).await?;
            self.publish(stage, key).await?;
        }
        Ok(())
    }

    /// True if nobody plays a unit, though somebody could.
    fn is_neglected(&self, key: &Key) -> bool {
        let by = self.checks.by(*key);
        let is_idle = |(name, worker): (&String, &Worker)| worker.holding.is_empty() && !by.contains(name);
        self.workers.here().any(is_idle) && !self.workers.here().any(|(_, worker)| worker.holding.contains(key))
    }

    /// Takes back what is published, since what follows may be something else.
    async fn begin_again(&mut self) {
        self.epoch += 1;
        self.workers.put_all_down();
        // What stays is played for nothing.
        let _ = self.queue.clear().await;
        self.pulse(false).await;
    }

    /// Where two workers disagreed and nobody could tell who is wrong, neither is believed.
    pub(super) fn doubt_what_is_unsettled(&mut self, ledger: &mut Ledger) -> anyhow::Result<()> {
        let unsettled: Vec<Unit> =
            self.checks.open().filter(|(_, check)| check.by.len() > 1).map(|(unit, _)| unit).collect();
        for unit in unsettled {
            ledger.take_back(unit.first, unit.last)?;
            self.checks.forget(unit);
        }
        Ok(())
    }

    /// Ends if another coordinator plays the same; of two that began at once, one.
    fn beware_of_others(&self, pulse: &[u8]) -> anyhow::Result<()> {
        match serde_json::from_slice::<Pulse>(pulse) {
            Ok(pulse) if pulse.epoch > self.epoch && !pulse.ends && pulse.coordinator != self.name => {
                bail!("another coordinator plays this tournament, {}: this one ends", clean(&pulse.coordinator))
            }
            _ => Ok(()),
        }
    }

    /// Gives a sign of life.
    pub(super) async fn pulse(&self, ends: bool) {
        let (shut_out, refused) = (self.shut_out.iter().cloned().collect(), self.refused.iter().cloned().collect());
        let pulse = Pulse { coordinator: self.name.clone(), epoch: self.epoch, shut_out, refused, ends };
        // Who does not hear it hears the next one.
        let _ = self.client.publish(self.queue.subject("pulse"), message::encode(&pulse).into()).await;
    }
}
