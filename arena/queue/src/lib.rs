//! Tournaments on many machines, by a queue.
//!
//! A coordinator owns the ledger; workers play. Between them lies NATS JetStream, which carries units of work one way and results the
//! other, at least once each; that everything counts once is the ledger's doing, and what is planned but not in it is published
//! again. A worker acknowledges a unit when its result is acknowledged, the coordinator a result when it is in the ledger. Bots travel as
//! archives, named by their hashes. A coordinator never runs what a worker sends: it replays each record by the rules, and has some
//! deals played twice.

mod build;
pub mod bundle;
mod connection;
pub mod coordinator;
mod key;
mod message;
pub mod options;
mod player;
mod queue;
mod rehearsal;
pub mod worker;

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

/// One thread for the queue, beside the one that waits.
fn runtime() -> anyhow::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the thread of the queue")
}

/// This machine and process, for others.
fn machine() -> String {
    let host = nix::unistd::gethostname()
        .ok()
        .and_then(|name| name.into_string().ok());
    format!(
        "{}-{}",
        host.unwrap_or_else(|| "machine".into()),
        std::process::id()
    )
}
