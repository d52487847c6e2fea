//! Plays a round: publishes units and collects results.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::ensure;
use arena_ledger::verify::check_records;
use arena_session::{Ongoing, crash};
use arena_tournament::field::Meeting;
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use async_nats::{Message, jetstream};
use futures_util::StreamExt;
use futures_util::future::OptionFuture;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::Coordinator;
use super::units::Units;
use crate::message::{self, Heartbeat, Order, UnitReport};

const TICK: Duration = Duration::from_millis(500);
/// Number of ticks between heartbeats.
const PULSE_TICKS: u32 = 4;
/// Number of ticks between comparisons with the streams.
const RECONCILE_TICKS: u32 = 8;
/// Number of consecutive comparisons in which all workers are idle, after which the stream of units is created again.
const MAX_IDLE: u32 = 5;
/// Number of units that are published in addition to those that can be played at the same time.
const UNITS_AHEAD: usize = 4;
/// Number of invalid results of a unit after which it is given up.
const MAX_REFUSED: u32 = 3;

/// A round in progress.
pub struct OpenRound<'a, 's> {
    units: Units<'a>,
    ongoing: &'a mut Ongoing<'s>,
}

impl OpenRound<'_, '_> {
    /// Records a match without a result, and stops the round if it must end.
    fn note_unplayed(&mut self, why: String) {
        if self.ongoing.note_unplayed(why).is_break() {
            self.ongoing.session.stop.stop();
        }
    }

    /// Counts a result that violates the rules. Its unit is played again, up to a limit.
    fn refuse(&mut self, deals: &[u32]) {
        let Some(open) = self.units.open_mut(deals) else {
            return;
        };
        open.refused += 1;
        if open.refused == MAX_REFUSED {
            self.units.open.remove(&deals[0]);
            let deals = message::describe(deals);
            self.note_unplayed(format!(
                "{deals}: workers sent moves that the rules do not allow"
            ));
        }
    }

    /// Closes a unit if it is complete. An incomplete unit will be missing in the stream, and is then published again.
    fn close(&mut self, deals: &[u32], unplayed: Vec<String>) -> anyhow::Result<()> {
        if self.units.open_mut(deals).is_none() {
            return Ok(());
        }
        if !unplayed.is_empty() || self.units.is_done(deals, self.ongoing.ledger)? {
            self.units.open.remove(&deals[0]);
        }
        for why in unplayed {
            self.note_unplayed(clean(&why));
        }
        Ok(())
    }

    /// Checks that these matches are planned, and that each record yields its result under the rules.
    fn check(&self, matches: &[Played]) -> anyhow::Result<()> {
        let spec = self.ongoing.ledger.spec();
        let deals: BTreeSet<u32> = matches.iter().map(|played| played.deal).collect();
        let names = spec.names();
        let planned = self.units.matches(&deals.into_iter().collect::<Vec<_>>());
        let mut due: BTreeSet<String> = planned.iter().map(|planned| planned.id(&names)).collect();
        for played in matches {
            let id = played.id();
            ensure!(due.remove(&id), "the match {} is not planned", clean(&id));
        }
        let records: Vec<&Played> = matches.iter().collect();
        for checked in check_records(spec, &records)? {
            checked.map_err(anyhow::Error::msg)?;
        }
        Ok(())
    }
}

impl Coordinator {
    /// Plays a round.
    pub(super) async fn play(
        &mut self,
        ongoing: &mut Ongoing<'_>,
        meetings: &[Meeting],
    ) -> anyhow::Result<()> {
        let session = ongoing.session;
        let mut round = OpenRound {
            units: Units::new(session.spec, meetings),
            ongoing,
        };
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if session.stop.is_set() {
                return Ok(());
            }
            self.fill(&mut round).await?;
            if round.units.open.is_empty() && round.units.left() == 0 {
                return Ok(());
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
                Some(status) = self.statuses.next() => self.update(&status, &mut round),
                _ = tick.tick() => {
                    if let Err(error) = self.check_all(&mut round).await {
                        self.trouble(&mut round, &error).await;
                    }
                }
            }
        }
    }

    /// Reports a failure of the queue, and waits briefly.
    async fn trouble(&mut self, round: &mut OpenRound<'_, '_>, error: &anyhow::Error) {
        self.once(round, &format!("queue: {error:#}; trying again"));
        sleep(TICK).await;
    }

    /// Shows a line, unless it was shown before.
    fn once(&mut self, round: &mut OpenRound<'_, '_>, line: &str) {
        if self.shown.insert(line.to_owned()) {
            round.ongoing.observer.news(line);
        }
    }

    /// Publishes units while there is room.
    async fn fill(&mut self, round: &mut OpenRound<'_, '_>) -> anyhow::Result<()> {
        let jobs = self.workers.jobs();
        let room = match round.ongoing.session.spec.plan.test {
            // Wait for the duration of matches to be known, because later units can then be longer.
            _ if !self.pace.is_known() => jobs + 1,
            // A comparison may be decided at any time, which makes further matches useless.
            Some(_) => jobs + UNITS_AHEAD,
            None => 2 * jobs + UNITS_AHEAD,
        };
        while round.units.open.len() < room {
            let size = self.pace.deals(round.units.left(), jobs);
            let Some(deals) = round.units.next(size, round.ongoing.ledger)? else {
                break;
            };
            if !self.publish(&mut round.units, &deals).await? {
                round.units.put_back(&deals);
                break;
            }
        }
        Ok(())
    }

    /// Publishes a unit. Returns `false` if the queue is unreachable.
    async fn publish(&self, units: &mut Units<'_>, deals: &[u32]) -> anyhow::Result<bool> {
        let order = message::encode(&Order {
            deals: deals.to_vec(),
            meetings: units.meetings(deals),
        });
        self.queue
            .ensure_fits("the description of a unit", order.len())?;
        let subject = format!("unit.{}", deals[0]);
        if self.queue.publish(&subject, order).await.is_err() {
            return Ok(false);
        }
        units.published(deals.to_vec());
        Ok(true)
    }

    /// Records the status of a worker.
    fn update(&mut self, status: &Message, round: &mut OpenRound<'_, '_>) {
        let Ok(status) = serde_json::from_slice::<Heartbeat>(&status.payload) else {
            return;
        };
        let line = format!("worker     {}: {} jobs", clean(&status.worker), status.jobs);
        if self.workers.update(status) {
            round.ongoing.observer.news(&line);
        }
    }

    /// Performs the periodic tasks.
    async fn check_all(&mut self, round: &mut OpenRound<'_, '_>) -> anyhow::Result<()> {
        self.ticks += 1;
        if self.ticks % PULSE_TICKS == 1 {
            self.pulse().await;
        }
        let count = self.workers.count();
        let workers = if count == 1 { "worker" } else { "workers" };
        let open = round.units.open.len();
        let machines = format!("{count} {workers}, {open} units open");
        round.ongoing.observer.machines(machines);
        if count == 0 {
            let line =
                "waiting for workers: arena work --nats URL, on any machine that reaches the queue";
            self.once(round, line);
        }
        if self.ticks.is_multiple_of(RECONCILE_TICKS) {
            self.reconcile(&mut round.units).await?;
        }
        Ok(())
    }

    /// Publishes units again that are missing in the stream, such as after data loss on a server.
    async fn reconcile(&mut self, units: &mut Units<'_>) -> anyhow::Result<()> {
        self.queue.prepare().await?;
        self.put_objects().await?;
        // Units whose results are not saved yet would appear to be lost.
        if self.queue.unsaved().await? > 0 {
            return Ok(());
        }
        for deals in units.missing(&self.queue.published().await?) {
            self.publish(units, &deals).await?;
        }
        // A workaround: the server sometimes never delivers a unit.
        self.idle = if self.workers.are_idle() && !units.open.is_empty() {
            self.idle + 1
        } else {
            0
        };
        if self.idle >= MAX_IDLE {
            self.idle = 0;
            self.queue.recreate().await?;
        }
        Ok(())
    }

    /// Processes a result, and acknowledges it once it is saved or found to be useless.
    async fn take(
        &mut self,
        result: &jetstream::Message,
        round: &mut OpenRound<'_, '_>,
    ) -> anyhow::Result<()> {
        match UnitReport::parse(&result.payload) {
            Ok(report) => self.process(report, round)?,
            Err(error) => self.once(
                round,
                &format!("warning: a result that cannot be read was dropped: {error:#}"),
            ),
        }
        crash::point("before-ack");
        // If the acknowledgement is lost, the result is delivered again and changes nothing.
        let _ = result.ack().await;
        Ok(())
    }

    fn process(&mut self, report: UnitReport, round: &mut OpenRound<'_, '_>) -> anyhow::Result<()> {
        let UnitReport {
            worker,
            deals,
            mut matches,
            unplayed,
            news,
            is_last,
        } = report;
        let all = round.units.all();
        matches.retain(|played| all.contains(&played.deal));
        for line in news {
            self.once(round, &clean(&line));
        }
        if let Err(why) = round.check(&matches) {
            let worker = clean(&worker);
            let why = clean(&format!("{why:#}"));
            let line = format!("warning: a result of worker {worker} was dropped: {why}");
            self.once(round, &line);
            round.refuse(&deals);
            return Ok(());
        }
        let mut new = Vec::new();
        for played in matches {
            self.pace.took(played.times.wall_us);
            if !round.ongoing.ledger.holds(&played)? {
                new.push(played);
            }
        }
        if round.ongoing.save(&new)?.is_break() {
            round.ongoing.session.stop.stop();
        }
        if is_last {
            round.close(&deals, unplayed)?;
        }
        Ok(())
    }
}
