//! A round, as its coordinator sees it: units go out, results come in, and everything is checked meanwhile.

use std::time::Duration;

use anyhow::bail;
use arena_ledger::ledger::Ledger;
use arena_tournament::field::Meeting;
use arena_tournament::printable::clean;
use arena_tournament::schedule::Planned;
use async_nats::Message;
use futures_util::StreamExt;
use futures_util::future::OptionFuture;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::checks::Check;
use super::units::{Open, Units};
use super::workers::Worker;
use super::{Coordinator, OpenRound};
use crate::key::Key;
use crate::message::{self, Order, Pulse};
use arena_session::{Ongoing, Round};

const TICK: Duration = Duration::from_millis(500);
/// The number of ticks from one sign of life to the next.
const PULSE: u32 = 4;
/// The number of ticks from one comparison with the streams to the next.
const RECONCILE: u32 = 8;
/// The number of ticks from one request of what the server has given out to the next.
const GIVEN_OUT: u32 = 2;
/// The number of ticks from one sharing of workers to the next.
const SHARE: u32 = 20;
/// The number of ticks for which a coordinator that goes on with a tournament waits for workers before it skips checks.
const RESUMED: u32 = 20;
/// How long a check waits for a worker that may play it.
const CHECK_PATIENCE: Duration = Duration::from_secs(10);
/// The most lines that are shown once.
const MOST_SHOWN: usize = 500;
/// The number of marks on each unit: the workers of a check are fewer.
const MARKS: usize = 2;
/// The number of units that are published beside those that can be played at once.
const AHEAD: usize = 4;

impl OpenRound<'_, '_> {
    pub fn news(&mut self, line: &str) {
        self.ongoing.observer.news(line);
    }

    /// Notes a match without a result, after which no more may have to be played.
    pub fn note_unplayed(&mut self, why: String) {
        if self.ongoing.note_unplayed(why).is_break() {
            self.ongoing.session.stop.stop();
        }
    }

    /// True if nothing but checks is left.
    fn is_last(&mut self) -> anyhow::Result<bool> {
        let are_checks = self.units.open.values().all(|unit| !unit.by.is_empty());
        Ok(are_checks && self.units.is_all_published(self.ongoing.ledger)?)
    }
}

/// True if the ledger has all matches of some deals by this worker.
fn is_kept(
    units: &Units<'_>,
    deals: &[u32],
    worker: &str,
    ledger: &Ledger,
) -> anyhow::Result<bool> {
    for planned in units.matches(deals) {
        let by = ledger
            .get(planned.deal, &planned.seats)?
            .and_then(|played| played.worker);
        if by.as_deref() != Some(worker) {
            return Ok(false);
        }
    }
    Ok(units.has(deals))
}

impl Coordinator {
    /// Plays a round.
    pub(super) async fn play(
        &mut self,
        ongoing: &mut Ongoing<'_>,
        meetings: &[Meeting],
    ) -> anyhow::Result<Round> {
        let session = ongoing.session;
        let mut round = OpenRound {
            units: Units::new(session.spec, meetings),
            ongoing,
            is_taken_back: false,
        };
        self.reload(&round)?;
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if round.is_taken_back {
                self.restart().await;
                return Ok(Round::TakenBack);
            }
            if session.stop.is_set() {
                self.take_back_unsettled(round.ongoing.ledger)?;
                return Ok(Round::Ended);
            }
            self.fill(&mut round).await?;
            if round.units.open.is_empty()
                && self.checks.is_over()
                && round.units.is_all_published(round.ongoing.ledger)?
            {
                return Ok(Round::Ended);
            }
            if self.results.is_none() {
                match self.queue.results().await {
                    Ok(results) => self.results = Some(results),
                    Err(error) => self.trouble(&mut round, &error).await,
                }
            }
            tokio::select! {
                Some(result) = OptionFuture::from(self.results.as_mut().map(StreamExt::next)) => match result {
                    Some(Ok(result)) => self.take(&result, &mut round).await?,
                    Some(Err(_)) | None => self.results = None,
                },
                Some(offer) = self.joins.next() => self.admit(offer, &mut round).await,
                Some(status) = self.statuses.next() => self.update(&status, &mut round).await,
                Some(pulse) = self.pulses.next() => self.see(&pulse)?,
                _ = tick.tick() => {
                    if let Err(error) = self.check_all(&mut round).await {
                        self.trouble(&mut round, &error).await;
                    }
                }
            }
        }
    }

    /// Shows once that something went wrong with the queue, and waits a moment.
    async fn trouble(&mut self, round: &mut OpenRound<'_, '_>, error: &anyhow::Error) {
        self.once(round, format!("queue: {error:#}; trying again"));
        sleep(TICK).await;
    }

    /// Shows a line, unless it was shown before, or strangers have caused too many.
    pub(super) fn once(&mut self, round: &mut OpenRound<'_, '_>, line: String) {
        if self.shown.len() < MOST_SHOWN && !self.shown.contains(&line) {
            round.news(&line);
            self.shown.insert(line);
            if self.shown.len() == MOST_SHOWN {
                round.news("further messages of this kind are not shown");
            }
        }
    }

    /// Publishes units as long as there is room.
    async fn fill(&mut self, round: &mut OpenRound<'_, '_>) -> anyhow::Result<()> {
        let jobs = self.workers.jobs();
        let room = match self.welcome.spec.plan.test {
            // Units may be longer once it is known how long matches take.
            _ if !self.pace.is_known() => jobs + 1,
            // A comparison ends when it is decided, and what is played beyond that is for nothing.
            Some(_) => jobs + AHEAD,
            None => 2 * jobs + AHEAD,
        };
        let size = self.pace.deals(round.units.left(), jobs);
        while round.units.open.len() < room
            && let Some(deals) = round.units.next(size, round.ongoing.ledger)?
        {
            if !self
                .publish(&mut round.units, Key::draw()?, &deals, &[])
                .await?
            {
                round.units.put_back(&deals);
                return Ok(());
            }
        }
        let is_last = round.is_last()?;
        if is_last {
            self.checks.draw_rest();
        }
        self.checks.open_due(size as usize, is_last)?;
        let due = self
            .checks
            .open
            .iter()
            .filter(|(key, _)| !round.units.open.contains_key(key));
        for (key, Check { deals, by, .. }) in due
            .map(|(key, check)| (*key, check.clone()))
            .collect::<Vec<_>>()
        {
            if by.len() == 1 && !self.has_others(&by) {
                // Workers of an earlier coordinator report within that time.
                if is_last && self.ticks >= self.patience {
                    self.checks.skip(key);
                }
            } else if !is_kept(&round.units, &deals, &by[0], round.ongoing.ledger)? {
                self.checks.open.remove(&key);
            } else if !self.publish(&mut round.units, key, &deals, &by).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Notes who delivered what the ledger has of a round already.
    fn reload(&mut self, round: &OpenRound<'_, '_>) -> anyhow::Result<()> {
        self.checks.begin_round();
        if round.ongoing.ledger.count()? == 0 {
            return Ok(());
        }
        for deal in round.units.all() {
            if let Some(Planned { seats, .. }) = round.units.matches(&[deal]).first()
                && let Some(worker) = round
                    .ongoing
                    .ledger
                    .get(deal, seats)?
                    .and_then(|played| played.worker)
                && is_kept(&round.units, &[deal], &worker, round.ongoing.ledger)?
            {
                self.checks.delivered(deal, &worker);
                self.patience = RESUMED;
            }
        }
        Ok(())
    }

    /// True if a worker is here that is not one of these.
    pub(super) fn has_others(&self, by: &[String]) -> bool {
        self.workers.here().any(|(name, _)| !by.contains(name))
    }

    /// Publishes a unit. False if the queue cannot be reached now.
    async fn publish(
        &self,
        units: &mut Units<'_>,
        key: Key,
        deals: &[u32],
        by: &[String],
    ) -> anyhow::Result<bool> {
        let mut not_for: Vec<String> = by
            .iter()
            .filter_map(|name| Some(message::mark(self.workers.get(name)?.hello.id, key)))
            .collect();
        while not_for.len() < MARKS {
            not_for.push(message::mark(getrandom::u64()?, key));
        }
        // In no order, which would tell how many are real.
        not_for.sort_unstable();
        let (plan, epoch, meetings) = (
            self.welcome.plan.clone(),
            self.pulse.epoch,
            units.meetings(deals),
        );
        let order = Order {
            plan,
            epoch,
            key,
            deals: deals.to_vec(),
            meetings,
            not_for,
        };
        let order = message::encode(&order);
        self.queue
            .ensure_fits("the description of a unit", order.len())?;
        let place = self.queue.publish(key, order).await;
        place
            .as_ref()
            .into_iter()
            .for_each(|place| units.published(key, deals, by, *place));
        Ok(place.is_ok())
    }

    /// Publishes an open unit again.
    async fn publish_again(&self, units: &mut Units<'_>, key: Key) -> anyhow::Result<bool> {
        let Some(Open { deals, by, .. }) = units.open.get(&key) else {
            return Ok(false);
        };
        let (deals, by) = (deals.clone(), by.clone());
        self.publish(units, key, &deals, &by).await
    }

    /// How long a worker may have a unit of this number of matches.
    fn limit(&self, matches: usize) -> Duration {
        self.unit_timeout
            .unwrap_or_else(|| self.pace.limit(matches))
    }

    /// Does what is to be done from time to time.
    async fn check_all(&mut self, round: &mut OpenRound<'_, '_>) -> anyhow::Result<()> {
        self.ticks += 1;
        self.count_workers(round);
        if self.ticks.is_multiple_of(SHARE) {
            self.let_go();
        }
        if self.ticks % PULSE == 1 {
            self.pulse().await;
        }
        let redelivered = if self.redelivered > 0 {
            format!(", {} given out again", self.redelivered)
        } else {
            String::new()
        };
        let machines = format!(
            "{}, {} units open{redelivered}",
            self.workers.describe(),
            round.units.open.len()
        );
        round.ongoing.observer.machines(machines);
        if self.workers.here().next().is_none() {
            let line =
                "waiting for workers: arena work --nats URL, on any machine that reaches the queue";
            self.once(round, line.into());
        }
        self.take_overdue(round).await?;
        self.skip_checks(round).await?;
        if self.ticks.is_multiple_of(RECONCILE) {
            self.reconcile(&mut round.units).await?;
        }
        Ok(())
    }

    /// Takes units from workers that have had them for too long.
    async fn take_overdue(&mut self, round: &mut OpenRound<'_, '_>) -> anyhow::Result<()> {
        if self.ticks.is_multiple_of(GIVEN_OUT) {
            // Without the stream, nothing was.
            round
                .units
                .given_out(self.queue.given_out().await.unwrap_or_default());
        }
        for key in round.units.overdue(|matches| self.limit(matches)) {
            let Some(Open { deals, matches, .. }) = round.units.open.get(&key) else {
                continue;
            };
            let (deals, limit) = (message::describe(deals), self.limit(*matches).as_secs_f64());
            self.queue.withdraw(key).await?;
            let (worker, losers) = round.units.take_from(key);
            let who = worker.map_or("a worker without a name".into(), |name| {
                format!("worker {}", clean(&name))
            });
            round.news(&format!(
                "{who} has had {deals} for more than {limit:.0} s: others play them"
            ));
            if let Some(losers) = losers {
                self.give_up(key, &losers, round).await?;
            } else {
                self.publish_again(&mut round.units, key).await?;
            }
        }
        Ok(())
    }

    /// Gives up a unit that these workers had and did not finish.
    pub(super) async fn give_up(
        &mut self,
        key: Key,
        losers: &[String],
        round: &mut OpenRound<'_, '_>,
    ) -> anyhow::Result<()> {
        let Some(Open { deals, by, .. }) = round.units.open.remove(&key) else {
            return Ok(());
        };
        self.queue.withdraw(key).await?;
        if !by.is_empty() {
            self.checks.skip(key);
            return Ok(());
        }
        let names: Vec<String> = losers.iter().map(|name| clean(name)).collect();
        let (deals, names) = (message::describe(&deals), names.join(", "));
        round.note_unplayed(format!(
            "{deals}: {} workers had them and finished none: {names}",
            losers.len()
        ));
        Ok(())
    }

    /// Skips checks that nobody can play any more.
    async fn skip_checks(&mut self, round: &mut OpenRound<'_, '_>) -> anyhow::Result<()> {
        for key in round.units.checks() {
            let Some(Open {
                deals,
                by,
                matches,
                since,
                ..
            }) = round.units.open.get(&key)
            else {
                continue;
            };
            let is_open = self
                .checks
                .open
                .get(&key)
                .is_some_and(|check| check.by == *by);
            // Others who are here may take nothing.
            let limit = if self.has_others(by) {
                self.limit(*matches)
            } else {
                Duration::ZERO
            };
            if is_open && since.elapsed() < limit.max(CHECK_PATIENCE) {
                continue;
            }
            if is_open && by.len() > 1 {
                let by = by
                    .iter()
                    .map(|name| clean(name))
                    .collect::<Vec<_>>()
                    .join(" and ");
                let deals = message::describe(deals);
                let line = format!(
                    "workers {by} disagree about {deals}: start a third one, to decide which is wrong"
                );
                self.once(round, line);
            } else if !is_open || round.is_last()? {
                self.checks.skip(key);
                round.units.open.remove(&key);
                self.queue.withdraw(key).await?;
            }
        }
        Ok(())
    }

    /// Publishes again what should be in the streams and is not, such as after a server has lost it.
    async fn reconcile(&mut self, units: &mut Units<'_>) -> anyhow::Result<()> {
        self.queue.prepare().await?;
        for bundle in &self.archives {
            self.queue.put(&bundle.sha256, &bundle.archive).await?;
        }
        // Units whose results wait to be saved would be taken for lost.
        if self.queue.unsaved().await? > 0 {
            return Ok(());
        }
        let published = self.queue.published().await?;
        for key in units.missing(|key| published.contains(key)) {
            self.redelivered += 1;
            self.publish_again(units, key).await?;
        }
        // Servers have been seen to keep a unit from everybody for good.
        let neglected = units.neglected(|key, by| self.is_neglected(key, by));
        if !neglected.is_empty()
            && self
                .workers
                .here()
                .all(|(_, worker)| worker.holding.is_empty())
        {
            self.queue.recreate().await?;
        }
        for key in neglected {
            self.redelivered += 1;
            self.queue.withdraw(key).await?;
            self.publish_again(units, key).await?;
        }
        Ok(())
    }

    /// True if nobody plays a unit, though a worker is idle that could.
    fn is_neglected(&self, key: &Key, by: &[String]) -> bool {
        let is_idle =
            |(name, worker): (&String, &Worker)| worker.holding.is_empty() && !by.contains(name);
        self.workers.here().any(is_idle)
            && !self
                .workers
                .here()
                .any(|(_, worker)| worker.holding.contains(key))
    }

    /// Takes back what is published, since what follows may be something else.
    async fn restart(&mut self) {
        self.pulse.epoch += 1;
        self.workers.all_finished();
        // What stays is played for nothing.
        let _ = self.queue.clear().await;
        self.pulse().await;
    }

    /// Takes back what two workers played differently, where nobody could decide which is wrong.
    pub(super) fn take_back_unsettled(&mut self, ledger: &mut Ledger) -> anyhow::Result<()> {
        while let Some((key, check)) = self
            .checks
            .open
            .iter()
            .find(|(_, check)| check.by.len() > 1)
        {
            check
                .deals
                .iter()
                .try_for_each(|deal| ledger.take_back(*deal, *deal).map(drop))?;
            let key = *key;
            self.checks.open.remove(&key);
        }
        Ok(())
    }

    /// Notes the tournament of another coordinator; ends if it plays the same: of two that began at once, one.
    fn see(&mut self, pulse: &Message) -> anyhow::Result<()> {
        let is_same = *pulse.subject == *self.queue.subject("pulse");
        match serde_json::from_slice::<Pulse>(&pulse.payload) {
            Ok(other) if !is_same => {
                self.share.note(&pulse.subject, &other);
                Ok(())
            }
            Ok(pulse)
                if pulse.epoch > self.pulse.epoch
                    && !pulse.ends
                    && pulse.coordinator != self.pulse.coordinator =>
            {
                bail!(
                    "another coordinator plays this tournament, {}: this one ends",
                    clean(&pulse.coordinator)
                )
            }
            _ => Ok(()),
        }
    }

    /// Gives a sign of life.
    pub(super) async fn pulse(&self) {
        self.queue.send("pulse", &self.pulse).await;
    }
}
