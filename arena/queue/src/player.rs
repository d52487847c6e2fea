//! Plays matches as they arrive, on separate threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use arena_tournament::schedule::Planned;
use arena_tournament::spec::Spec;
use tokio::sync::mpsc::UnboundedSender;

use arena_runner::worker::Source;
use arena_runner::{Finished, MAX_WAITING, Run, Starts, Stop, lock, play_from};
use arena_sandbox::Sandbox;

/// Plays until it is ended.
pub struct Player {
    feed: Sender<Planned>,
    waiting: Arc<AtomicUsize>,
    stop: Arc<Stop>,
    thread: JoinHandle<anyhow::Result<()>>,
}

/// Matches that have not begun.
struct Feed {
    matches: Mutex<Receiver<Planned>>,
    waiting: Arc<AtomicUsize>,
}

impl Feed {
    fn taken(&self, planned: Option<Planned>) -> Option<Planned> {
        planned.inspect(|_| _ = self.waiting.fetch_sub(1, Ordering::SeqCst))
    }
}

impl Source for Feed {
    fn next(&self) -> Option<Planned> {
        self.taken(lock(&self.matches).recv().ok())
    }

    fn next_now(&self) -> Option<Planned> {
        // If another thread holds the lock, it is waiting for a match, so there is none.
        let matches = self.matches.try_lock().ok()?;
        self.taken(matches.try_recv().ok())
    }
}

impl Player {
    /// Starts to play for a tournament. Finished matches are sent to `finished`.
    pub fn start(spec: Spec, sandbox: Sandbox, finished: UnboundedSender<Finished>) -> Self {
        let (feed, matches) = mpsc::channel();
        let (waiting, stop) = (Arc::<AtomicUsize>::default(), Arc::<Stop>::default());
        let source = Feed {
            matches: Mutex::new(matches),
            waiting: Arc::clone(&waiting),
        };
        let shared = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let starts = Starts::default();
            let run = Run::new(&spec, &shared, &starts, &sandbox);
            let (sender, receiver) = mpsc::sync_channel(MAX_WAITING);
            thread::scope(|scope| {
                // The thread ends when a channel closes on either side.
                scope.spawn(move || {
                    receiver
                        .into_iter()
                        .try_for_each(|one| finished.send(one).map_err(drop))
                });
                let played = play_from(run, &source, &sender);
                drop(sender);
                played
            })
        });
        Self {
            feed,
            waiting,
            stop,
            thread,
        }
    }

    /// Adds matches.
    pub fn add(&self, matches: Vec<Planned>) {
        for planned in matches {
            self.waiting.fetch_add(1, Ordering::SeqCst);
            // If all threads have ended, the end of `finished` reveals it.
            let _ = self.feed.send(planned);
        }
    }

    /// Returns the number of matches that have not begun.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// Stops starting matches, and waits for the running ones.
    pub fn end(self) -> anyhow::Result<()> {
        self.stop.stop();
        drop(self.feed);
        self.thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
