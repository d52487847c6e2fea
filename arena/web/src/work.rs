//! Work on threads: as much at a time as there are cores, and none for clients that are gone.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use arena_ledger::ledger::{Interrupt, Ledger};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;

use super::answer::Answer;

/// The room for work; what does not fit waits.
pub struct Work(Arc<Semaphore>);

/// The client that work is for. What is sent to it is dropped when it goes.
pub type Client = oneshot::Sender<Interrupt>;

impl Default for Work {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(
            thread::available_parallelism().map_or(1, Into::into),
        )))
    }
}

impl Work {
    /// Computes something, as long as the future that this returns is not dropped.
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

    /// Computes something with the ledger of a folder, whose queries end when the client is gone.
    pub async fn read<T: Send + 'static>(
        &self,
        dir: PathBuf,
        compute: impl FnOnce(&Ledger) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        self.run(move |client| {
            let ledger = Ledger::open_read_only(&dir)?;
            let sent = client.send(ledger.interrupt_when_dropped());
            sent.ok().context("nobody waits for it any more")?;
            compute(&ledger)
        })
        .await
    }
}
