//! The processes of a loaded game: at most one per thread that plays.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use arena_sandbox::{Copied, Sandbox, Wanted, cores, lock};
use arena_tournament::entrant::Program;
use arena_tournament::spec::Limits;

use crate::message::{Announced, FromReferee, ToReferee, VERSION};
use crate::process::RefereeProcess;

/// Minimum time limit for the first answer, which includes the start of an interpreter.
const START: Duration = Duration::from_secs(10);
/// Name of a referee in its sandbox.
const NAME: &str = "referee";

/// The program of a referee, with its limits.
pub struct Setup {
    pub program: Program,
    /// The copy from which the program runs.
    pub copied: Copied,
    /// Resource limits.
    pub limits: Limits,
    /// The time limit for each answer.
    pub answer: Duration,
    /// The requested isolation.
    pub wanted: Wanted,
}

/// The processes that play a game.
pub struct Referee {
    setup: Setup,
    /// The sandbox; `None` once the arena is about to exit.
    sandbox: RwLock<Option<Sandbox>>,
    slots: Vec<Mutex<Option<Shared>>>,
    requests: AtomicU64,
    matches: AtomicU64,
}

/// A process that several matches may share.
pub type Shared = Arc<Mutex<RefereeProcess>>;

static ALL: Mutex<Vec<&'static Referee>> = Mutex::new(Vec::new());
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The index of this thread among the threads that have used a referee.
    static THREAD: usize = THREADS.fetch_add(1, Ordering::Relaxed);
}

/// Ends all referees, and removes their temporary folders. To be called at the end of the program.
pub fn end_all() {
    for referee in lock(&ALL).drain(..) {
        for slot in &referee.slots {
            drop(lock(slot).take());
        }
        if let Ok(mut sandbox) = referee.sandbox.write() {
            sandbox.take();
        }
    }
}

impl Referee {
    /// Prepares the processes of a program without starting any.
    ///
    /// # Errors
    /// If programs cannot be isolated as requested.
    pub fn new(setup: Setup) -> Result<&'static Self, String> {
        let sandbox = Sandbox::new(setup.wanted, []);
        let mut sandbox = sandbox.map_err(|error| error.to_string())?;
        sandbox.copies.insert(NAME.into(), setup.copied.clone());
        // One slot more than there are cores, for the thread that reads the tournament.
        let slots = (0..=cores::count()).map(|_| Mutex::default());
        let referee = Box::leak(Box::new(Self {
            setup,
            sandbox: RwLock::new(Some(sandbox)),
            slots: slots.collect(),
            requests: AtomicU64::new(1),
            matches: AtomicU64::new(1),
        }));
        lock(&ALL).push(referee);
        Ok(referee)
    }

    /// Returns the number of the next request.
    pub fn next_id(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the number of the next match.
    pub fn next_match(&self) -> u64 {
        self.matches.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the process of this thread, and starts it if it is not running. A restarted process must announce the facts in `before`
    /// again.
    ///
    /// # Errors
    /// If the process cannot be started, or announces other facts than before.
    pub fn process(&self, before: Option<&Announced>) -> Result<Shared, String> {
        let number = THREAD.with(|number| *number);
        let mut slot = lock(&self.slots[number % self.slots.len()]);
        if let Some(process) = &*slot
            && lock(process).failed.is_none()
        {
            return Ok(Arc::clone(process));
        }
        let (mut process, announced) = self.start()?;
        if before.is_some_and(|before| *before != announced) {
            return Err(process.fail("it announces another game than when it was first started"));
        }
        let process = Arc::new(Mutex::new(process));
        *slot = Some(Arc::clone(&process));
        Ok(process)
    }

    /// Starts a process, and returns it with the facts that it announces.
    ///
    /// # Errors
    /// If the process does not start, or its first line does not hold the facts of a game.
    pub fn start(&self) -> Result<(RefereeProcess, Announced), String> {
        let Setup {
            program,
            limits,
            answer,
            ..
        } = &self.setup;
        let sandbox = self.sandbox.read();
        let sandbox = sandbox.as_deref().ok().and_then(Option::as_ref);
        let sandbox = sandbox.ok_or("the arena is ending")?;
        let mut process = RefereeProcess::start(sandbox, NAME, program, *limits, *answer)?;
        let id = self.next_id();
        let hello = line(&ToReferee::Hello {
            id,
            version: VERSION,
        });
        let line = process.ask_within(START.max(*answer), &hello)?;
        match serde_json::from_str(&line) {
            Ok(FromReferee::Game(announced)) => Ok((process, *announced)),
            Ok(_) => Err(process.fail("its first line must be `game`")),
            Err(error) => Err(process.fail(&format!("its first line is not `game`: {error}"))),
        }
    }
}

/// Returns a message as a line of JSON.
pub fn line(message: &ToReferee<'_>) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("messages can be written as JSON");
    line.push(b'\n');
    line
}
