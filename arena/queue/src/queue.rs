//! The streams of a plan on the server: units to be played, results to be saved, and bots that travel.
//!
//! They only carry: what is planned and not in the ledger is published again, so a stream may lose everything.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{self, ObjectMetadata, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context};
use futures_util::TryStreamExt;
use serde::Serialize;

use crate::key::Key;
use crate::message;

/// The subject on which workers offer to play, each with its name behind it.
pub const JOIN: &str = "arena.join";
/// The subjects of all coordinators' signs of life.
pub const PULSES: &str = "arena.*.pulse";
/// The time within which a worker must show that it is still at a unit.
pub const ACK_WAIT: Duration = Duration::from_secs(12);
/// The same for the coordinator and a result.
const RESULT_WAIT: Duration = Duration::from_secs(60);
/// The most units or results in their streams.
const MOST_MESSAGES: i64 = 20_000;
/// The most workers that may wait for a unit at a time.
const MOST_WAITING: i64 = 20_000;
/// The most bytes of an object that are read.
const MOST_BYTES: u64 = 600 << 20;
/// The most bytes of an object that travel in one message.
const CHUNK: usize = 128 << 10;
/// How long an answer of the server may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is left of a message for its head.
const HEAD: usize = 4 << 10;

/// The object that holds matches with this SHA-256.
pub fn object(sha256: &str) -> String {
    format!("result-{sha256}")
}

/// The worker that sent a message: where a server lets each publish under its own name only, nobody can speak for another.
pub fn sender(subject: &str) -> Option<&str> {
    let mut words = subject.split('.').skip(1);
    let name = match words.next()? {
        "join" => words.next(),
        _ => words.nth(1),
    };
    name.filter(|name| message::is_name(name))
}

/// The streams of a plan.
#[derive(Clone)]
pub struct Queue {
    pub client: Client,
    context: Context,
    plan: String,
}

impl Queue {
    /// For a plan; nothing is made yet.
    pub fn new(client: Client, plan: &str) -> Self {
        let mut context = jetstream::new(client.clone());
        context.set_timeout(PATIENCE);
        Self {
            client,
            context,
            plan: plan.to_owned(),
        }
    }

    /// A subject of the plan that is no stream's.
    pub fn subject(&self, name: &str) -> String {
        format!("arena.{}.{name}", self.plan)
    }

    /// Sends a message on one of these. One that is lost costs time at most: the next comes soon.
    pub async fn send(&self, name: &str, message: &impl Serialize) {
        let _ = self
            .client
            .publish(self.subject(name), message::encode(message).into())
            .await;
    }

    fn stream_name(&self, of: &str) -> String {
        format!("arena-{}-{of}", self.plan)
    }

    /// Makes what is not there yet.
    pub async fn prepare(&self) -> anyhow::Result<()> {
        for (of, words) in [("unit", "unit.*"), ("result", "result.*.*")] {
            let config = Config {
                name: self.stream_name(of),
                subjects: vec![self.subject(words)],
                retention: RetentionPolicy::WorkQueue,
                discard: DiscardPolicy::New,
                max_messages: MOST_MESSAGES,
                ..Config::default()
            };
            let stream = self.context.get_or_create_stream(config).await;
            let stream =
                stream.context("the queue has no JetStream, or does not let you use it")?;
            if of == "unit" {
                self.consumer(&stream, "workers", ACK_WAIT).await?;
            }
        }
        Ok(())
    }

    async fn consumer(
        &self,
        stream: &Stream,
        name: &str,
        ack_wait: Duration,
    ) -> anyhow::Result<PullConsumer> {
        let config = pull::Config {
            durable_name: Some(name.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            max_ack_pending: MOST_MESSAGES,
            max_waiting: MOST_WAITING,
            ..pull::Config::default()
        };
        Ok(stream.get_or_create_consumer(name, config).await?)
    }

    async fn stream(&self, of: &str) -> anyhow::Result<Stream> {
        Ok(self.context.get_stream(self.stream_name(of)).await?)
    }

    /// Where workers take units.
    pub async fn units(&self) -> anyhow::Result<PullConsumer> {
        self.stream("unit")
            .await?
            .get_consumer("workers")
            .await
            .map_err(|error| anyhow::anyhow!(error))
    }

    /// The results, as they come. What another coordinator had taken and not saved comes again.
    pub async fn results(&self) -> anyhow::Result<pull::Stream> {
        let stream = self.stream("result").await?;
        // There may be none.
        let _ = stream.delete_consumer("coordinator").await;
        let consumer = self.consumer(&stream, "coordinator", RESULT_WAIT).await?;
        let messages = consumer
            .stream()
            .max_messages_per_batch(64)
            .expires(PATIENCE * 2)
            .heartbeat(PATIENCE / 2);
        Ok(messages.messages().await?)
    }

    /// Publishes a unit, unless it is there already. Returns its place in the stream.
    pub async fn publish(&self, key: Key, order: Vec<u8>) -> anyhow::Result<u64> {
        let subject = self.subject(&format!("unit.{key}"));
        let message = PublishMessage::build()
            .payload(order.into())
            .expected_last_subject_sequence(0);
        let sent = self.context.send_publish(subject.clone(), message).await?;
        match sent.await {
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(self
                .stream("unit")
                .await?
                .get_last_raw_message_by_subject(&subject)
                .await?
                .sequence),
            done => Ok(done?.sequence),
        }
    }

    /// The last place in the stream of units that was given to a worker.
    pub async fn given_out(&self) -> anyhow::Result<u64> {
        Ok(self.units().await?.cached_info().delivered.stream_sequence)
    }

    /// Sends what came of a unit.
    pub async fn report(&self, worker: &str, key: Key, report: Vec<u8>) -> anyhow::Result<()> {
        self.context
            .publish(
                self.subject(&format!("result.{worker}.{key}")),
                report.into(),
            )
            .await?
            .await?;
        Ok(())
    }

    /// The most bytes of matches that fit into a message.
    pub fn room(&self) -> usize {
        self.client.server_info().max_payload.saturating_sub(HEAD)
    }

    /// Checks that a message of this length can be sent.
    ///
    /// # Errors
    /// If the server takes no message that is as long.
    pub fn ensure_fits(&self, what: &str, bytes: usize) -> anyhow::Result<()> {
        let most = self.client.server_info().max_payload;
        let limit = format!(
            "the queue's server takes messages of at most {most} bytes: raise its max_payload"
        );
        ensure!(
            bytes <= self.room(),
            "{what} has {bytes} bytes, and {limit}"
        );
        Ok(())
    }

    /// The units that are in the stream.
    pub async fn published(&self) -> anyhow::Result<BTreeSet<Key>> {
        let subjects = self
            .stream("unit")
            .await?
            .info_with_subjects(self.subject("unit.*"))
            .await?;
        let subjects: Vec<(String, usize)> = subjects.try_collect().await?;
        Ok(subjects
            .iter()
            .filter_map(|(subject, _)| subject.rsplit('.').next()?.parse().ok())
            .collect())
    }

    /// The number of results that are not saved yet.
    pub async fn unsaved(&self) -> anyhow::Result<u64> {
        Ok(self
            .stream("result")
            .await?
            .get_info()
            .await?
            .state
            .messages)
    }

    /// Takes a unit back.
    pub async fn withdraw(&self, key: Key) -> anyhow::Result<()> {
        self.stream("unit")
            .await?
            .purge()
            .filter(self.subject(&format!("unit.{key}")))
            .await?;
        Ok(())
    }

    /// Deletes the stream of units and makes a new one. Units that were in it are found missing.
    pub async fn recreate(&self) -> anyhow::Result<()> {
        self.context.delete_stream(self.stream_name("unit")).await?;
        self.prepare().await
    }

    /// Takes all units back.
    pub async fn clear(&self) -> anyhow::Result<()> {
        self.stream("unit").await?.purge().await?;
        Ok(())
    }

    /// Removes all of the plan from the server.
    pub async fn remove(&self) {
        for of in ["unit", "result"] {
            // What cannot be removed does no harm.
            let _ = self.context.delete_stream(self.stream_name(of)).await;
        }
        let _ = self
            .context
            .delete_object_store(self.stream_name("files"))
            .await;
    }

    /// The store of bots and long results, made if it is not there.
    async fn store(&self) -> anyhow::Result<ObjectStore> {
        let bucket = self.stream_name("files");
        if let Ok(store) = self.context.get_object_store(&bucket).await {
            return Ok(store);
        }
        Ok(self
            .context
            .create_object_store(object_store::Config {
                bucket,
                ..object_store::Config::default()
            })
            .await?)
    }

    /// Puts an object there, unless it is there already.
    pub async fn put(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let store = self.store().await?;
        let is_there = store
            .info(name)
            .await
            .is_ok_and(|info| !info.deleted && info.size == bytes.len());
        if !is_there {
            let chunk_size = Some(self.room().clamp(1, CHUNK));
            let about = ObjectMetadata {
                name: name.to_owned(),
                chunk_size,
                ..ObjectMetadata::default()
            };
            store.put(about, &mut &*bytes).await?;
        }
        Ok(())
    }

    /// An object. Its parts are requested one by one: the client's own way takes a consumer, and who may make consumers may read
    /// every stream.
    pub async fn get(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let bucket = self.stream_name("files");
        let info = self
            .context
            .get_object_store(&bucket)
            .await?
            .info(name)
            .await?;
        let stream = self
            .context
            .get_stream_no_info(format!("OBJ_{bucket}"))
            .await?;
        let subject = format!("$O.{bucket}.C.{}", info.nuid);
        let (mut bytes, mut next) = (Vec::new(), 1);
        while bytes.len() < info.size {
            let part = stream
                .direct_get_next_for_subject(&subject, Some(next))
                .await
                .context("a part of it is missing")?;
            bytes.extend_from_slice(&part.payload);
            next = part.sequence + 1;
            ensure!(
                bytes.len() as u64 <= MOST_BYTES,
                "it is longer than {} MiB",
                MOST_BYTES >> 20
            );
        }
        Ok(bytes)
    }

    /// Deletes an object.
    pub async fn delete(&self, name: &str) {
        if let Ok(store) = self
            .context
            .get_object_store(&self.stream_name("files"))
            .await
        {
            // It is deleted with the store at the latest.
            let _ = store.delete(name).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_names_who_sent_it() {
        for (subject, expected) in [
            ("arena.join.eve", Some("eve")),
            ("arena.0123.status.eve", Some("eve")),
            ("arena.0123.result.eve.00ff", Some("eve")),
            ("arena.join", None),
            ("arena.0123.result", None),
            ("arena.0123.status.a b", None),
        ] {
            assert_eq!(sender(subject), expected, "{subject}");
        }
    }
}
