//! Streams of a tournament on the server: units to play, results to save, and the store of its bots.
//!
//! The streams only transport messages. A stream may lose everything: the coordinator publishes a planned unit again until its matches are
//! in the ledger.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::object_store::{self, ObjectMetadata, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context};
use futures_util::TryStreamExt;
use serde::Serialize;

use crate::bundle;
use crate::message;

/// Subjects of all coordinators' heartbeats.
pub const PULSES: &str = "arena.*.pulse";
/// Time within which a worker must report progress on a unit.
pub const ACK_WAIT: Duration = Duration::from_secs(12);
/// Time within which the coordinator must save a result. After that, the server delivers the result again.
const RESULT_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of messages in a stream, and of workers waiting for a unit.
const MAX_MESSAGES: i64 = 20_000;
/// Maximum number of bytes of an object per message.
const CHUNK_BYTES: usize = 128 << 10;
/// Timeout for answers of the server.
const SERVER_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a message reserved for headers.
const HEADER_BYTES: usize = 4 << 10;

/// Streams of a tournament.
#[derive(Clone)]
pub struct Queue {
    pub client: Client,
    context: Context,
    plan: String,
}

impl Queue {
    /// Creates a handle for the streams of a plan, without creating them on the server.
    pub fn new(client: Client, plan: &str) -> Self {
        let mut context = jetstream::new(client.clone());
        context.set_timeout(SERVER_TIMEOUT);
        Self {
            client,
            context,
            plan: plan.to_owned(),
        }
    }

    /// Returns the NATS subject with this name, in the plan's namespace.
    pub fn subject(&self, name: &str) -> String {
        format!("arena.{}.{name}", self.plan)
    }

    /// Sends a message that is not stored in a stream. If it is lost, the next one follows soon.
    pub async fn send(&self, name: &str, message: &impl Serialize) {
        let _ = self
            .client
            .publish(self.subject(name), message::encode(message).into())
            .await;
    }

    fn stream_name(&self, of: &str) -> String {
        format!("arena-{}-{of}", self.plan)
    }

    /// Creates the streams if they do not exist.
    pub async fn prepare(&self) -> anyhow::Result<()> {
        for (of, words) in [("unit", "unit.*"), ("result", "result")] {
            let config = Config {
                name: self.stream_name(of),
                subjects: vec![self.subject(words)],
                retention: RetentionPolicy::WorkQueue,
                discard: DiscardPolicy::New,
                max_messages: MAX_MESSAGES,
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
            max_ack_pending: MAX_MESSAGES,
            max_waiting: MAX_MESSAGES,
            ..pull::Config::default()
        };
        Ok(stream.get_or_create_consumer(name, config).await?)
    }

    async fn stream(&self, of: &str) -> anyhow::Result<Stream> {
        Ok(self.context.get_stream(self.stream_name(of)).await?)
    }

    /// Waits briefly for a unit.
    pub async fn take_unit(self, expires: Duration) -> anyhow::Result<Option<jetstream::Message>> {
        let stream = self
            .context
            .get_stream_no_info(self.stream_name("unit"))
            .await?;
        let units: PullConsumer = stream
            .get_consumer("workers")
            .await
            .map_err(anyhow::Error::from_boxed)?;
        let batch = units.batch().max_messages(1).expires(expires);
        let unit = batch.messages().await?.try_next().await;
        unit.map_err(anyhow::Error::from_boxed)
    }

    /// Returns a stream of the results, including results that an earlier coordinator received but did not save.
    pub async fn results(&self) -> anyhow::Result<pull::Stream> {
        let stream = self.stream("result").await?;
        // The consumer may not exist.
        let _ = stream.delete_consumer("coordinator").await;
        let consumer = self
            .consumer(&stream, "coordinator", RESULT_TIMEOUT)
            .await?;
        let messages = consumer
            .stream()
            .max_messages_per_batch(64)
            .expires(SERVER_TIMEOUT * 2)
            .heartbeat(SERVER_TIMEOUT / 2);
        Ok(messages.messages().await?)
    }

    /// Publishes a message to a stream.
    pub async fn publish(&self, name: &str, message: Vec<u8>) -> anyhow::Result<()> {
        self.context
            .publish(self.subject(name), message.into())
            .await?
            .await?;
        Ok(())
    }

    /// Returns the maximum size of a message, in bytes.
    pub fn room(&self) -> usize {
        self.client
            .server_info()
            .max_payload
            .saturating_sub(HEADER_BYTES)
    }

    /// Checks that the server accepts a message of this length.
    pub fn ensure_fits(&self, what: &str, bytes: usize) -> anyhow::Result<()> {
        ensure!(
            bytes <= self.room(),
            "{what} has {bytes} bytes, but the queue's server accepts messages of at most {} bytes: raise its max_payload",
            self.client.server_info().max_payload
        );
        Ok(())
    }

    /// Returns the units in the stream, by their first deal.
    pub async fn published(&self) -> anyhow::Result<BTreeSet<u32>> {
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

    /// Returns the number of results that have not been saved yet.
    pub async fn unsaved(&self) -> anyhow::Result<u64> {
        let mut results = self.stream("result").await?;
        Ok(results.info().await?.state.messages)
    }

    /// Deletes and recreates the stream of units.
    pub async fn recreate(&self) -> anyhow::Result<()> {
        self.context.delete_stream(self.stream_name("unit")).await?;
        self.prepare().await
    }

    /// Removes all units from the stream.
    pub async fn clear(&self) -> anyhow::Result<()> {
        self.stream("unit").await?.purge().await?;
        Ok(())
    }

    /// Removes everything of the plan from the server.
    pub async fn remove(&self) {
        // Leftovers are harmless.
        for of in ["unit", "result"] {
            let _ = self.context.delete_stream(self.stream_name(of)).await;
        }
        let bucket = self.stream_name("files");
        let _ = self.context.delete_object_store(bucket).await;
    }

    /// Returns the store of the tournament and its bots, creating it if necessary.
    async fn store(&self) -> anyhow::Result<ObjectStore> {
        let bucket = self.stream_name("files");
        if let Ok(store) = self.context.get_object_store(&bucket).await {
            return Ok(store);
        }
        let config = object_store::Config {
            bucket,
            ..object_store::Config::default()
        };
        Ok(self.context.create_object_store(config).await?)
    }

    /// Stores an object, unless it exists already.
    pub async fn put(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let store = self.store().await?;
        let is_there = store
            .info(name)
            .await
            .is_ok_and(|info| !info.deleted && info.size == bytes.len());
        if !is_there {
            let about = ObjectMetadata {
                name: name.to_owned(),
                chunk_size: Some(self.room().clamp(1, CHUNK_BYTES)),
                ..ObjectMetadata::default()
            };
            store.put(about, &mut &*bytes).await?;
        }
        Ok(())
    }

    /// Returns an object. Its chunks are requested one by one, because the client library's own method creates a consumer, and the
    /// permission to create consumers would allow reading every stream.
    pub async fn get(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let bucket = self.stream_name("files");
        let info = self
            .context
            .get_object_store(&bucket)
            .await?
            .info(name)
            .await?;
        ensure!(
            info.size <= bundle::MAX_BYTES,
            "the object {name} is longer than {} MiB",
            bundle::MAX_BYTES >> 20
        );
        let stream = self
            .context
            .get_stream_no_info(format!("OBJ_{bucket}"))
            .await?;
        let subject = format!("$O.{bucket}.C.{}", info.nuid);
        let mut bytes = Vec::new();
        let mut next = 1;
        while bytes.len() < info.size {
            let part = stream
                .direct_get_next_for_subject(&subject, Some(next))
                .await
                .context("a part of it is missing")?;
            bytes.extend_from_slice(&part.payload);
            next = part.sequence + 1;
        }
        Ok(bytes)
    }
}
