//! Plays the matches of a tournament on workers, each with its own runtime.
//!
//! The result of a match depends only on its seed and its bots, not on the number of jobs.
//!
//! People play through [`person`]. A [`conversation`] talks to one process. All matches are played by [`play_match`]: those of tournaments,
//! those of `arena check`, and reruns ([`rerun`]).

mod begun;
mod bot_log;
pub mod clock;
pub mod conversation;
mod counting;
mod evidence;
pub mod file_name;
pub mod gate;
mod ids;
mod in_process;
mod log_file;
pub mod logs;
pub mod observer;
pub mod offer;
pub mod people;
pub mod person;
mod pipes;
pub mod play_match;
mod pool;
mod redactor;
mod remote_seat;
pub mod rerun;
mod room;
mod run;
pub mod running_match;
mod seat_clock;
mod seated;
pub mod short_hash;
pub mod starts;
pub mod status;
mod turns;
pub mod units;
pub mod wire_log;
pub mod worker;

use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use arena_tournament::played::Played;
use arena_tournament::schedule::Planned;

pub use arena_sandbox::lock;

pub use self::begun::Begun;
pub use self::logs::{Destination, Logs};
pub use self::pipes::NO_LIMIT;
pub use self::room::Room;
pub use self::run::{Finished, Paused, Run, Startup, Stop};
pub use self::starts::Starts;

/// Maximum number of finished matches that wait for the receiver.
pub const MAX_WAITING: usize = 1_024;
/// Time in which finished matches are collected into one batch, because saving many takes little longer than saving one.
const BATCH_TIME: Duration = Duration::from_millis(20);

/// Plays matches as they arrive and sends each result. Returns when the source is exhausted or the run is stopped.
pub fn play_from(
    run: Run<'_>,
    source: &dyn worker::Source,
    finished: &SyncSender<Finished>,
) -> anyhow::Result<()> {
    worker::play_from(run, &*run.dealer()?, source, finished)
}

/// Plays all matches, and passes the results to `take` in the order in which they finish. Stops when `take` returns.
pub fn play_all(
    run: Run<'_>,
    todo: impl Iterator<Item = Planned> + Send,
    take: impl FnOnce(Receiver<Finished>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (sender, receiver) = mpsc::sync_channel(MAX_WAITING);
    thread::scope(|scope| {
        let running = scope.spawn(move || play_from(run, &Mutex::new(todo), &sender));
        // Without the receiver, the workers can send nothing more, and stop.
        let taken = take(receiver);
        taken.and(
            running
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    })
}

/// Returns finished matches in batches until the channel closes.
pub fn gathered(finished: &Receiver<Finished>) -> impl Iterator<Item = Vec<Finished>> {
    finished.iter().map(|first| {
        let (mut all, until) = (vec![first], Instant::now() + BATCH_TIME);
        while all.len() < MAX_WAITING
            && let Ok(one) = finished.recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            all.push(one);
        }
        all
    })
}

/// Plays one match on this thread. Its bots are started for it, in seat order.
pub fn play_one(run: Run<'_>) -> anyhow::Result<Played> {
    worker::play_one(run)
}
