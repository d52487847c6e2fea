//! Fake workers for tests: they speak the queue protocol like real ones, but can send anything.

use std::collections::BTreeMap;

use async_nats::jetstream::{self, AckKind, consumer::PullConsumer};
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::TEST_TIMEOUT;

/// A listener on one subject of the queue.
pub struct Tap {
    runtime: Runtime,
    messages: Subscriber,
}

/// A worker controlled by the test.
pub struct FakeWorker {
    runtime: Runtime,
    client: Client,
    name: String,
    plan: String,
}

/// A unit of work taken by a fake worker.
pub struct Unit {
    /// The order that describes the unit.
    pub order: Value,
    message: jetstream::Message,
}

/// A JSON object whose values keep their exact text.
pub type Object = BTreeMap<String, Box<RawValue>>;

/// Serialises a value of an `Object`.
pub fn raw(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap()
}

fn packed(message: &impl Serialize) -> Vec<u8> {
    zstd::bulk::compress(&serde_json::to_vec(message).unwrap(), 3).unwrap()
}

/// Waits for a future; fails the test on timeout.
fn wait<T>(runtime: &Runtime, done: impl Future<Output = T>) -> T {
    let in_time = async { timeout(TEST_TIMEOUT, done).await };
    runtime
        .block_on(in_time)
        .expect("the queue does not answer")
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

impl Tap {
    /// Subscribes to a subject.
    pub fn on(url: &str, subject: &'static str) -> Self {
        let runtime = runtime();
        let messages = wait(&runtime, async {
            let client = async_nats::connect(url).await.unwrap();
            let messages = client.subscribe(subject).await.unwrap();
            client.flush().await.unwrap();
            messages
        });
        Self { runtime, messages }
    }

    /// Receives the next message.
    pub fn message(&mut self) -> Vec<u8> {
        wait(&self.runtime, self.messages.next())
            .unwrap()
            .payload
            .to_vec()
    }

    /// Receives the next message and decodes it as a result.
    pub fn result(&mut self) -> Object {
        let text = zstd::stream::decode_all(&*self.message()).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

impl FakeWorker {
    /// Waits for a tournament and joins it.
    pub fn join(url: &str, name: &str) -> Self {
        let runtime = runtime();
        let (client, pulse) = wait(&runtime, async {
            let client = async_nats::connect(url).await.unwrap();
            let mut pulses = client.subscribe("arena.*.pulse").await.unwrap();
            (client, pulses.next().await.unwrap())
        });
        let fake = Self {
            runtime,
            client,
            name: name.to_owned(),
            plan: pulse.subject.split('.').nth(1).unwrap().to_owned(),
        };
        fake.say_status(0);
        fake
    }

    /// Publishes the worker's status, with this number of units.
    pub fn say_status(&self, units: usize) {
        let status = json!({"worker": self.name, "jobs": 1, "units": units, "leaves": false});
        self.say("status", status.to_string().into_bytes());
    }

    /// Publishes bytes on a subject of the plan that is not part of a stream.
    pub fn say(&self, subject: &str, bytes: Vec<u8>) {
        let subject = format!("arena.{}.{subject}", self.plan);
        wait(&self.runtime, async {
            self.client.publish(subject, bytes.into()).await.unwrap();
            self.client.flush().await.unwrap();
        });
    }

    fn context(&self) -> jetstream::Context {
        let _entered = self.runtime.enter();
        jetstream::new(self.client.clone())
    }

    /// Takes the next unit.
    pub fn take(&self) -> Unit {
        let context = self.context();
        let name = format!("arena-{}-unit", self.plan);
        let message = wait(&self.runtime, async {
            let consumer: PullConsumer = context
                .get_consumer_from_stream("workers", name)
                .await
                .unwrap();
            let mut messages = consumer
                .batch()
                .max_messages(1)
                .expires(TEST_TIMEOUT)
                .messages()
                .await
                .unwrap();
            messages.next().await.expect("no unit comes").unwrap()
        });
        Unit {
            order: serde_json::from_slice(&message.payload).unwrap(),
            message,
        }
    }

    /// Reports progress on a unit.
    pub fn progress(&self, unit: &Unit) {
        wait(&self.runtime, unit.message.ack_with(AckKind::Progress)).unwrap();
    }

    /// Sends a result and waits until the server has stored it.
    pub fn send(&self, report: &Value) {
        self.send_bytes(packed(report));
    }

    /// Sends a result with these matches.
    pub fn send_matches(&self, report: &Value, matches: &[Object]) {
        let mut report: Object = serde_json::from_value(report.clone()).unwrap();
        report.insert("matches".to_owned(), raw(&matches));
        self.send_bytes(packed(&report));
    }

    /// Sends arbitrary bytes in place of a result.
    pub fn send_bytes(&self, bytes: Vec<u8>) {
        let context = self.context();
        let subject = format!("arena.{}.result", self.plan);
        wait(&self.runtime, async {
            let sent = context.publish(subject, bytes.into()).await.unwrap();
            sent.await.unwrap()
        });
    }

    /// Returns this worker's report on these deals, without matches.
    pub fn report(&self, deals: &Value) -> Value {
        json!({"worker": self.name, "deals": deals, "matches": [], "unplayed": [], "news": [], "is_last": true})
    }

    /// Deletes streams of the plan, or the object store of files.
    pub fn delete(&self, streams: &[&str]) {
        let context = self.context();
        for of in streams {
            let name = match *of {
                "files" => format!("OBJ_arena-{}-files", self.plan),
                of => format!("arena-{}-{of}", self.plan),
            };
            // The stream may not exist yet, or may already be deleted.
            let _ = wait(&self.runtime, context.delete_stream(name));
        }
    }
}
