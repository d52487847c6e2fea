//! Tournaments on many machines, over NATS JetStream.
//!
//! A coordinator owns the ledger, and workers play. One stream carries units of work to the workers, and another carries their results
//! back. Both deliver each message at least once; the ledger ensures that each match counts once. A worker acknowledges a unit when the
//! server has its result, and the coordinator acknowledges a result when it is in the ledger. A planned unit that is in neither the ledger
//! nor the stream is published again. Bots are sent as tar files named by their hashes. The coordinator replays each record by the rules
//! before saving it.

mod build;
mod bundle;
mod connection;
pub mod coordinator;
mod message;
pub mod options;
mod player;
mod queue;
pub mod worker;

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

/// Starts a runtime with one thread for the queue, in addition to the thread that waits for it.
fn runtime() -> anyhow::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the thread of the queue")
}

/// Returns a name for this machine and process.
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
