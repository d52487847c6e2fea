//! The process of a bot under check. It keeps stray lines, and finds out why the bot failed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use arena_engine::fault::Cause;
use arena_engine::table::Entry;
use arena_protocol::fault::{BotFault, Hint, Violation};
use arena_protocol::message::{self, Routed};
use arena_tournament::played::Evidence;
use tokio::time::{Instant, sleep, timeout};

use arena_runner::Startup;
use arena_runner::clock::Void;
use arena_runner::conversation::Conversation;
use arena_runner::gate::Gate;
use arena_runner::observer::{Observer, Passed};
use arena_runner::units::millis;
use arena_sandbox::{Exit, StartError};

/// Time allowed for stray lines and standard error to arrive.
const DRAIN_TIME: Duration = Duration::from_millis(50);
/// Time allowed for a process to exit.
const GRACE_PERIOD: Duration = Duration::from_secs(1);
/// Minimum and maximum time to wait for a late answer. Waiting distinguishes a slow bot from a silent one.
const LATE_ANSWER_TIMEOUT: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(5)];
/// Maximum number of lines read after the input was closed.
const MAX_LAST_LINES: usize = 8;

/// The process of a bot under check.
pub struct Probe {
    /// The arena's conversation with the process.
    pub conversation: Conversation,
    lines: Rc<RefCell<Lines>>,
    started: Instant,
    /// Minimum number of threads that were busy between matches.
    busy: Cell<Option<usize>>,
}

/// Lines kept from a process.
#[derive(Default)]
struct Lines {
    dropped: Vec<String>,
    /// The first line that violates the protocol. More such lines may have followed.
    violation: Option<String>,
}

struct Watcher(Rc<RefCell<Lines>>);

impl Observer for Watcher {
    fn observe(&mut self, passed: Passed, line: &[u8]) {
        let mut lines = self.0.borrow_mut();
        let text = || String::from_utf8_lossy(line).into_owned();
        match passed {
            Passed::Sent | Passed::Received => {}
            Passed::Dropped => lines.dropped.push(text()),
            Passed::Violated => _ = lines.violation.get_or_insert_with(text),
        }
    }
}

/// A failure at a task.
#[derive(Debug)]
pub struct Trouble {
    /// The fault with its likely cause. The error is the reason why the machine was too busy to find out.
    pub fault: Result<BotFault, Void>,
    /// The bot's last line, or its last bytes without a newline.
    pub text: String,
    pub waited: Duration,
    /// CPU time that the bot used during the task, if known.
    pub computed: Option<Duration>,
    /// Match, seat and turn of a failure during a match.
    pub at: Option<String>,
    /// Number of turns of the match that the bot had answered.
    pub answered: usize,
    /// Prompt that the bot last received, if its action was illegal.
    pub prompt: String,
}

impl Trouble {
    /// Creates a failure without waiting, with the bot's line.
    pub fn new(fault: Result<BotFault, Void>, text: String) -> Self {
        Self {
            fault,
            text,
            waited: Duration::ZERO,
            computed: None,
            at: None,
            answered: 0,
            prompt: String::new(),
        }
    }

    /// Returns the crash, if the process ended before its first answer in the match.
    pub fn ended_before(&self) -> Option<&BotFault> {
        let fault = self
            .fault
            .as_ref()
            .ok()
            .filter(|fault| fault.cause() == Cause::Crash)?;
        (self.answered == 0 && self.text.is_empty() && *fault != BotFault::ClosedOutput)
            .then_some(fault)
    }
}

/// The start of a task.
#[derive(Clone, Copy)]
pub struct TaskStart {
    at: Instant,
    computed: Option<Duration>,
}

/// Ways in which the arena ends a process.
#[derive(Clone, Copy, Debug)]
pub enum Leave {
    /// As specified by the protocol: with `quit`, then the end of input.
    Quit,
    /// With the end of input alone.
    Close,
}

impl Probe {
    /// Starts the program.
    pub async fn start(startup: &Startup<'_>) -> Result<Self, StartError> {
        let (started, lines) = (Instant::now(), Rc::default());
        let watcher = Box::new(Watcher(Rc::clone(&lines)));
        Ok(Self {
            conversation: Conversation::open(startup, &Gate::shared(), Some(watcher)).await?,
            lines,
            started,
            busy: Cell::default(),
        })
    }

    /// Waits until the bot is ready, and returns how long that took.
    pub async fn greet(&self, limit: Duration) -> Result<Duration, Trouble> {
        let begun = TaskStart {
            at: self.started,
            ..self.begin()
        };
        let judge = |line: &str| Ok(message::parse_first(line).map(drop)?);
        match self.conversation.greet(limit).await {
            Ok(Ok(())) => Ok(self.started.elapsed()),
            Ok(Err(fault)) => Err(self.examine(fault, begun, limit, judge).await),
            Err(void) => Err(Trouble::new(Err(void), String::new())),
        }
    }

    /// Marks the beginning of a task.
    pub fn begin(&self) -> TaskStart {
        TaskStart {
            at: Instant::now(),
            computed: self.conversation.computed(),
        }
    }

    /// Returns the lines that answered no open turn but did not violate the protocol.
    pub fn strays(&self) -> Vec<String> {
        self.lines.borrow().dropped.clone()
    }

    /// Returns the number of threads that were busy after every match.
    pub fn always_busy(&self) -> usize {
        self.busy.get().unwrap_or(0)
    }

    /// Waits for lines that do not answer a turn. The error is a line that violates the protocol.
    pub async fn wait_for_stray_lines(&self) -> Result<(), Trouble> {
        let begun = self.begin();
        self.conversation.drain().await;
        let before = self.conversation.busy_threads();
        sleep(DRAIN_TIME).await;
        let busy = self.conversation.busy_threads().min(before);
        self.busy
            .set(Some(self.busy.get().unwrap_or(busy).min(busy)));
        match self.conversation.drain().await {
            Some(fault) => Err(self.trouble(fault, String::new(), begun)),
            None => Ok(()),
        }
    }

    /// Determines how the bot failed at the turns with these ids.
    pub async fn examine_turns(
        &self,
        game: &Entry,
        fault: BotFault,
        begun: TaskStart,
        limit: Duration,
        ids: &[u64],
    ) -> Trouble {
        let judge = |line: &str| match message::route(line, ids, 0)? {
            Routed::Open(id) => message::read_action(game, line, id, 0).map(drop),
            Routed::Stale(_) | Routed::Pause(_) => Err(Violation::WrongId { awaited: true }.into()),
        };
        self.examine(fault, begun, limit, judge).await
    }

    /// Determines why no answer came in time: first waits longer, then closes the input.
    async fn examine(
        &self,
        fault: BotFault,
        begun: TaskStart,
        limit: Duration,
        judge: impl Fn(&str) -> Result<(), BotFault>,
    ) -> Trouble {
        let hint = match &fault {
            BotFault::Late(hint) => hint.unwrap_or(Hint::Nothing),
            BotFault::NotReady { hint, .. } => *hint,
            _ => return self.trouble(fault, self.conversation.pipes().unfinished(), begun),
        };
        let with = |hint| match fault {
            BotFault::NotReady { limit_ms, .. } => BotFault::NotReady { limit_ms, hint },
            _ => BotFault::Late(Some(hint)),
        };
        if matches!(hint, Hint::NoNewline | Hint::EarlierTurns) {
            return self.trouble(with(hint), self.conversation.pipes().unfinished(), begun);
        }
        match timeout(
            limit.clamp(LATE_ANSWER_TIMEOUT[0], LATE_ANSWER_TIMEOUT[1]),
            self.conversation.line(),
        )
        .await
        {
            Ok(Ok(line)) => {
                let late = Hint::AnsweredLate {
                    after_ms: millis(begun.at.elapsed()),
                };
                let fault = judge(&line).map_or_else(|fault| fault, |()| with(late));
                return self.trouble(fault, line, begun);
            }
            Ok(Err(fault)) => {
                return self.trouble(fault, self.conversation.pipes().unfinished(), begun);
            }
            Err(_) => {}
        }
        // Build this value first, so that it does not include the time spent below.
        let trouble = self.trouble(with(hint), String::new(), begun);
        self.conversation.pipes().close_input();
        for _ in 0..MAX_LAST_LINES {
            let Ok(Ok(line)) = timeout(GRACE_PERIOD, self.conversation.line()).await else {
                break;
            };
            if judge(&line).is_ok() {
                return self.trouble(with(Hint::AnsweredAtEnd), line, begun);
            }
        }
        let rest = self.conversation.pipes().unfinished();
        if judge(&rest).is_ok() {
            self.trouble(with(Hint::NoNewline), rest, begun)
        } else {
            trouble
        }
    }

    fn trouble(&self, fault: BotFault, text: String, begun: TaskStart) -> Trouble {
        let computed = begun
            .computed
            .and_then(|before| self.conversation.computed()?.checked_sub(before));
        let text = match fault.cause() {
            Cause::Protocol => match self.lines.borrow().violation.clone() {
                Some(line) => line,
                None if text.is_empty() => self.last_line(),
                None => text,
            },
            _ => text,
        };
        Trouble {
            waited: begun.at.elapsed(),
            computed,
            ..Trouble::new(Ok(fault), text)
        }
    }

    /// Ends the process after trouble, and returns the evidence.
    pub async fn end(self) -> Evidence {
        // The process's last output may still be in transit.
        sleep(DRAIN_TIME).await;
        self.conversation.kill().await.evidence
    }

    /// Returns the last line that the bot sent.
    pub fn last_line(&self) -> String {
        self.conversation
            .pipes()
            .evidence()
            .received
            .pop()
            .unwrap_or_default()
    }

    /// Ends the process. Returns the time that it took to exit, or `None` if it had to be killed.
    pub async fn leave(self, how: Leave) -> (Option<Duration>, Exit, Evidence) {
        let began = Instant::now();
        if matches!(how, Leave::Quit) {
            self.conversation.send_quit();
        }
        self.conversation.pipes().close_input();
        let after = self
            .conversation
            .exits_within(GRACE_PERIOD)
            .await
            .then(|| began.elapsed());
        // The process's last output may still be in transit, and its children may be about to exit.
        sleep(DRAIN_TIME).await;
        let ended = self.conversation.kill().await;
        (after, ended.exit, ended.evidence)
    }
}
