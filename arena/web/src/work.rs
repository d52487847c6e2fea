//! Runs jobs on threads: at most one per core, and none for disconnected clients.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use arena_ledger::ledger::{Interrupt, Ledger};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;

use super::answer::Answer;

/// A limit on concurrent jobs. Jobs beyond the limit wait.
pub struct Work(Arc<Semaphore>);

/// The sender through which a job reaches its client. The value sent is dropped when the client disconnects.
pub type Client = oneshot::Sender<Interrupt>;

impl Default for Work {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(
            thread::available_parallelism().map_or(1, Into::into),
        )))
    }
}

impl Work {
    /// Runs a job on a thread. Dropping the future interrupts it.
    pub async fn run<T: Send + 'static>(
        &self,
        compute: impl FnOnce(Client) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let place = Arc::clone(&self.0)
            .acquire_owned()
            .await
            .context("the server stops")?;
        let (client, interrupt) = oneshot::channel();
        let computing = spawn_blocking(move || {
            let _place = place;
            compute(client)
        });
        let _interrupt = interrupt.await;
        computing.await.context("it could not be computed")?
    }

    /// Runs a job on the ledger of a folder. Its queries are interrupted when the client disconnects.
    pub async fn read<T: Send + 'static>(
        &self,
        dir: PathBuf,
        compute: impl FnOnce(&Ledger) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        self.run(move |client| {
            let ledger = Ledger::open_read_only(&dir)?;
            let sent = client.send(ledger.interrupt_when_dropped());
            sent.ok().context("the request was cancelled")?;
            compute(&ledger)
        })
        .await
    }
}
