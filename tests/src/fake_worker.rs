//! Workers that a test plays itself: they speak with a coordinator as real ones do, and say what they like.

use std::collections::BTreeMap;
use std::time::Duration;

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
    /// What it said of itself.
    pub hello: Value,
    /// The answer: the plan and the tournament.
    pub welcome: Value,
}

/// A unit that a fake worker has.
pub struct Unit {
    /// What it was asked for.
    pub order: Value,
    message: jetstream::Message,
}

/// A match as it is sent, whose parts keep the order of their keys.
pub type Match = BTreeMap<String, Box<RawValue>>;

/// A result on its way.
#[derive(Clone, Debug)]
pub struct Sent {
    /// What stands before the matches.
    pub report: Value,
    /// The matches.
    pub matches: Vec<Match>,
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

/// Connects, as the user of an address if it has one.
async fn connect(url: &str) -> Client {
    let address = url.strip_prefix("nats://").unwrap();
    let options = match address
        .split_once('@')
        .and_then(|(user, _)| user.split_once(':'))
    {
        Some((user, password)) => {
            async_nats::ConnectOptions::with_user_and_password(user.into(), password.into())
        }
        None => async_nats::ConnectOptions::new(),
    };
    options
        .connect(address.rsplit('@').next().unwrap())
        .await
        .unwrap()
}

impl Tap {
    /// Hears a subject.
    pub fn on(url: &str, subject: &'static str) -> Self {
        let runtime = runtime();
        let messages = runtime.block_on(async {
            let client = connect(url).await;
            let messages = client.subscribe(subject).await.unwrap();
            client.flush().await.unwrap();
            messages
        });
        Self { runtime, messages }
    }

    /// The next message.
    pub fn message(&mut self) -> Vec<u8> {
        let next = async { timeout(PATIENCE, self.messages.next()).await };
        self.runtime
            .block_on(next)
            .expect("nothing is to be heard")
            .unwrap()
            .payload
            .to_vec()
    }

    /// The next message, if it comes at once.
    pub fn message_now(&mut self) -> Option<Vec<u8>> {
        let next = async { timeout(Duration::from_millis(20), self.messages.next()).await };
        Some(self.runtime.block_on(next).ok()??.payload.to_vec())
    }

    /// The next message, which is JSON.
    pub fn json(&mut self) -> Value {
        serde_json::from_slice(&self.message()).unwrap()
    }

    /// The next message, which is a result with its matches.
    pub fn result(&mut self) -> Sent {
        let bytes = self.message();
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        let matches = zstd::stream::decode_all(&bytes[end + 1..]).unwrap();
        Sent {
            report: serde_json::from_slice(&bytes[..end]).unwrap(),
            matches: serde_json::from_slice(&matches).unwrap(),
        }
    }
}

/// A report with matches behind it.
pub fn with_matches(report: &Value, matches: &impl Serialize) -> Vec<u8> {
    let packed = zstd::bulk::compress(&serde_json::to_vec(matches).unwrap(), 3).unwrap();
    [serde_json::to_vec(report).unwrap(), b"\n".to_vec(), packed].concat()
}

impl FakeWorker {
    /// Offers to play, with what a real worker said of itself but for the name, until it is welcome.
    pub fn join(url: &str, hello: &Value, name: &str) -> Self {
        let (runtime, mut hello) = (runtime(), hello.clone());
        hello["worker"] = json!(name);
        let client = runtime.block_on(connect(url));
        let mut fake = Self {
            runtime,
            client,
            hello,
            welcome: Value::Null,
        };
        let began = std::time::Instant::now();
        while fake.welcome.is_null() {
            assert!(began.elapsed() < PATIENCE, "nobody welcomes {name}");
            fake.welcome = fake
                .offer(&fake.hello)
                .map_or(Value::Null, |answer| answer["welcome"].clone());
        }
        fake
    }

    /// The answer to an offer, if there is one.
    pub fn offer(&self, hello: &Value) -> Option<Value> {
        self.offer_as(self.name(), hello)
    }

    /// The answer to an offer under another name.
    pub fn offer_as(&self, name: &str, hello: &Value) -> Option<Value> {
        let request = self
            .client
            .request(format!("arena.join.{name}"), hello.to_string().into());
        let answer = self
            .runtime
            .block_on(async { timeout(Duration::from_secs(2), request).await });
        answer
            .ok()?
            .ok()
            .map(|answer| serde_json::from_slice(&answer.payload).unwrap())
    }

    fn name(&self) -> &str {
        self.hello["worker"].as_str().unwrap()
    }

    fn plan(&self) -> &str {
        self.welcome["plan"].as_str().unwrap()
    }

    /// Sends its status.
    pub fn say_status(&self, bytes: Vec<u8>) {
        self.say(&format!("status.{}", self.name()), bytes);
    }

    /// Sends something on a subject of the plan that belongs to no stream.
    pub fn say(&self, subject: &str, bytes: Vec<u8>) {
        let subject = format!("arena.{}.{subject}", self.plan());
        self.runtime.block_on(async {
            self.client.publish(subject, bytes.into()).await.unwrap();
            self.client.flush().await.unwrap();
        });
    }

    /// Offers something, and waits for no answer.
    pub fn shout(&self, name: &str, bytes: Vec<u8>) {
        self.runtime.block_on(async {
            self.client
                .publish_with_reply(format!("arena.join.{name}"), "nobody", bytes.into())
                .await
                .unwrap();
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
        let name = format!("arena-{}-unit", self.plan());
        let message = self.runtime.block_on(async {
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
        self.runtime
            .block_on(unit.message.ack_with(AckKind::Progress))
            .unwrap();
    }

    /// Sends a result, until the server has it.
    pub fn send(&self, bytes: Vec<u8>) {
        self.send_as(self.name(), bytes);
    }

    /// Sends a result under another name.
    pub fn send_as(&self, name: &str, bytes: Vec<u8>) {
        let context = self.context();
        let subject = format!("arena.{}.result.{name}.1", self.plan());
        self.runtime.block_on(async {
            context
                .publish(subject, bytes.into())
                .await
                .unwrap()
                .await
                .unwrap()
        });
    }

    /// The report of a result that this worker would send on these deals, of a unit that nobody has.
    pub fn report(&self, deals: &Value, epoch: &Value) -> Value {
        json!({"plan": self.plan(), "epoch": epoch, "key": 7, "deals": deals, "delivered": 1, "unplayed": [], "news": [], "object": null})
    }

    /// Deletes streams of the plan, and the store of files.
    pub fn delete(&self, streams: &[&str]) {
        let context = self.context();
        for of in streams {
            let name = match *of {
                "files" => format!("OBJ_arena-{}-files", self.plan()),
                of => format!("arena-{}-{of}", self.plan()),
            };
            // It may be gone, or not be there yet.
            let _ = self.runtime.block_on(context.delete_stream(name));
        }
    }

    /// The names of the objects on the server.
    pub fn bundles(&self) -> Vec<String> {
        let bundles = self.welcome["bundles"].as_array().unwrap();
        bundles
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }
}
