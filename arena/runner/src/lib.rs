//! Plays the matches of a tournament by workers with a runtime each.
//!
//! Whatever the number of jobs, what is sent on for a match depends on its seed and its bots alone.
//!
//! People play through [`person`]. There is one [`conversation`] with a process; a match (`play_match`), a match tried again ([`rerun`]) and the games of
//! `arena check` are loops over it and the [`remote_seat`] of a program.

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
pub mod logs;
pub mod observer;
pub mod offer;
pub mod people;
pub mod person;
mod pipes;
mod play_match;
mod pool;
mod redactor;
pub mod remote_seat;
pub mod rerun;
mod run;
mod running_match;
pub mod seat_clock;
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
pub use self::pipes::ENDLESS;
pub use self::run::{Finished, Paused, Run, Startup, Stop};
pub use self::starts::Starts;

/// The most finished matches that may wait to be taken.
pub const WAITING: usize = 1_024;
/// How long finished matches are gathered, since many are saved in little more time than one.
const GATHERED: Duration = Duration::from_millis(20);

/// Plays matches as they come, and sends each on as it is finished. Returns when there will be no other or it was stopped.
pub fn play_from(
    run: Run<'_>,
    source: &dyn worker::Source,
    finished: &SyncSender<Finished>,
) -> anyhow::Result<()> {
    worker::play_from(run, &*run.dealer()?, source, finished)
}

/// Plays the matches, in their order whoever plays them, while `take` gets each as it is finished; when it ends, so does the play.
pub fn play_all(
    run: Run<'_>,
    todo: impl Iterator<Item = Planned> + Send,
    take: impl FnOnce(Receiver<Finished>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (sender, receiver) = mpsc::sync_channel(WAITING);
    thread::scope(|scope| {
        let running = scope.spawn(move || play_from(run, &Mutex::new(todo), &sender));
        // What is not taken any more is not to be played; the runners notice that nobody listens.
        let taken = take(receiver);
        taken.and(
            running
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    })
}

/// What is finished, gathered for a moment each time, until there will be nothing more.
pub fn gathered(finished: &Receiver<Finished>) -> impl Iterator<Item = Vec<Finished>> {
    finished.iter().map(|first| {
        let (mut all, until) = (vec![first], Instant::now() + GATHERED);
        while all.len() < WAITING
            && let Ok(one) = finished.recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            all.push(one);
        }
        all
    })
}

/// Plays one match here and now with bots that are started for it, in their order by seat.
pub fn play_one(run: Run<'_>) -> anyhow::Result<Played> {
    worker::play_one(run)
}
