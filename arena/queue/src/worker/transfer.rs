//! What travels between a worker and the queue: a unit comes, its result goes.

use std::time::Duration;

use arena_sandbox::files;
use async_nats::jetstream;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::stream::StreamExt;
use tokio::time::sleep;

use crate::connection;
use crate::key::Key;
use crate::message::{self, Report};
use crate::queue::{self, Queue};

/// How long the server may keep a request for a unit.
const WAIT: Duration = Duration::from_secs(4);

/// Where units come from, and one of them if there was one.
pub type Fetched = anyhow::Result<(PullConsumer, Option<jetstream::Message>)>;

/// Waits for a unit.
pub async fn fetch(queue: Queue, units: Option<PullConsumer>) -> Fetched {
    let units = match units {
        Some(units) => units,
        None => queue.units().await?,
    };
    let mut batch = units
        .batch()
        .max_messages(1)
        .expires(WAIT)
        .messages()
        .await?;
    let unit = batch
        .next()
        .await
        .transpose()
        .map_err(|error| anyhow::anyhow!(error))?;
    Ok((units, unit))
}

/// Sends a result until it is acknowledged. Returns its unit.
pub async fn send(queue: Queue, worker: String, mut report: Report, packed: Vec<u8>) -> Key {
    let mut attempts = 0;
    while try_to_send(&queue, &worker, &mut report, &packed)
        .await
        .is_err()
    {
        attempts += 1;
        sleep(connection::pause(attempts)).await;
    }
    report.key
}

async fn try_to_send(
    queue: &Queue,
    worker: &str,
    report: &mut Report,
    packed: &[u8],
) -> anyhow::Result<()> {
    let message = message::with_matches(report, packed);
    if message.len() <= queue.room() {
        return queue.report(worker, report.key, message).await;
    }
    let sha256 = files::hash_of(packed)?;
    queue.put(&queue::object(&sha256), packed).await?;
    report.object = Some(sha256);
    queue
        .report(worker, report.key, message::with_matches(report, &[]))
        .await
}
