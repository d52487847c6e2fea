//! Workers that a test plays itself: they speak with a coordinator as real ones do, and say what they like.

use std::collections::BTreeMap;

use async_nats::jetstream::{self, AckKind, consumer::PullConsumer};
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::PATIENCE;

/// A listener that hears what others send.
pub struct Tap {
    runtime: Runtime,
    messages: Subscriber,
}

/// A worker of the test.
pub struct FakeWorker {
    runtime: Runtime,
    client: Client,
    name: String,
    plan: String,
}

/// A unit that a fake worker has.
pub struct Unit {
    /// What it was asked for.
    pub order: Value,
    message: jetstream::Message,
}

/// A message whose parts keep the order of their keys.
pub type Object = BTreeMap<String, Box<RawValue>>;

/// A part of a message.
pub fn raw(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap()
}

fn packed(message: &impl Serialize) -> Vec<u8> {
    zstd::bulk::compress(&serde_json::to_vec(message).unwrap(), 3).unwrap()
}

/// Waits until something is done; the test fails if that takes too long.
fn wait<T>(runtime: &Runtime, done: impl Future<Output = T>) -> T {
    let in_time = async { timeout(PATIENCE, done).await };
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
    /// Hears a subject.
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

    /// The next message.
    pub fn message(&mut self) -> Vec<u8> {
        wait(&self.runtime, self.messages.next())
            .unwrap()
            .payload
            .to_vec()
    }

    /// The next message, which is a result.
    pub fn result(&mut self) -> Object {
        let text = zstd::stream::decode_all(&*self.message()).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

impl FakeWorker {
    /// Waits for a tournament, and joins it.
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

    /// Sends its status, with this number of units.
    pub fn say_status(&self, units: usize) {
        let status = json!({"worker": self.name, "jobs": 1, "units": units, "leaves": false});
        self.say("status", status.to_string().into_bytes());
    }

    /// Sends something on a subject of the plan that belongs to no stream.
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

    /// Takes a unit.
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
                .expires(PATIENCE)
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

    /// Shows progress with a unit.
    pub fn progress(&self, unit: &Unit) {
        wait(&self.runtime, unit.message.ack_with(AckKind::Progress)).unwrap();
    }

    /// Sends a result, until the server has it.
    pub fn send(&self, report: &Value) {
        self.send_bytes(packed(report));
    }

    /// Sends a result with these matches.
    pub fn send_matches(&self, report: &Value, matches: &[Object]) {
        let mut report: Object = serde_json::from_value(report.clone()).unwrap();
        report.insert("matches".to_owned(), raw(&matches));
        self.send_bytes(packed(&report));
    }

    /// Sends something in place of a result.
    pub fn send_bytes(&self, bytes: Vec<u8>) {
        let context = self.context();
        let subject = format!("arena.{}.result", self.plan);
        wait(&self.runtime, async {
            let sent = context.publish(subject, bytes.into()).await.unwrap();
            sent.await.unwrap()
        });
    }

    /// The report that this worker would send on these deals.
    pub fn report(&self, deals: &Value) -> Value {
        json!({"worker": self.name, "deals": deals, "matches": [], "unplayed": [], "news": [], "is_last": true})
    }

    /// Deletes streams of the plan, and the store of files.
    pub fn delete(&self, streams: &[&str]) {
        let context = self.context();
        for of in streams {
            let name = match *of {
                "files" => format!("OBJ_arena-{}-files", self.plan),
                of => format!("arena-{}-{of}", self.plan),
            };
            // It may be gone, or not be there yet.
            let _ = wait(&self.runtime, context.delete_stream(name));
        }
    }
}
