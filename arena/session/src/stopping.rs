//! Stops a running tournament by a signal, or by a file that `arena stop` writes to its folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use arena_runner::Stop;
use arena_runner::status::status;

/// Exit code of an interrupted command; all finished matches are saved.
pub const INTERRUPTED: u8 = 130;

/// The name of the file in the tournament's folder.
const FILE: &str = "stop";
/// Interval between checks for the file.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The effect of Ctrl-C in words, for matches played here and for matches on other machines.
pub const FINISHED: &str =
    "stopping when running matches are finished and saved; press Ctrl-C again to stop at once";
pub const TAKEN_BACK: &str =
    "stopping: taking unfinished work back from workers; press Ctrl-C again to stop at once";

/// Time between SIGTERM and the forced end.
const TERM_GRACE: Duration = Duration::from_secs(1);

/// The command that continues the run.
static CONTINUATION: OnceLock<String> = OnceLock::new();

/// Sets the command that is printed after SIGTERM, which leaves no time for a summary. Only the first call has an effect.
pub fn continue_by(command: impl FnOnce() -> String) {
    CONTINUATION.get_or_init(command);
}

/// Stops the run at Ctrl-C, and prints the consequence. A second Ctrl-C ends the process immediately, and SIGTERM always ends it soon.
/// There is one stop flag per process. Ctrl-C and SIGHUP stay ignored if they were ignored when the process started.
pub fn on_ctrl_c(what: &'static str) -> anyhow::Result<Arc<Stop>> {
    static STOP: OnceLock<Arc<Stop>> = OnceLock::new();
    if let Some(stop) = STOP.get() {
        return Ok(Arc::clone(stop));
    }
    let stop = Arc::new(Stop::default());
    let shared = Arc::clone(&stop);
    let ignored = ignored_signals();
    let watched = [SIGINT, SIGHUP, SIGTERM]
        .into_iter()
        .filter(|signal| *signal == SIGTERM || ignored & (1 << (signal - 1)) == 0);
    let mut signals = Signals::new(watched).context("cannot watch for Ctrl-C")?;
    let watch = move || {
        for signal in signals.forever() {
            let is_last = shared.is_set();
            shared.stop();
            match signal {
                _ if is_last => end(),
                SIGTERM => {
                    let next = CONTINUATION
                        .get()
                        .map(|command| format!("\ncontinue   {command}"));
                    announce(format!(
                        "SIGTERM: stopping within 2 s; matches saved so far are kept{}",
                        next.unwrap_or_default()
                    ));
                    thread::sleep(TERM_GRACE);
                    end();
                }
                _ => announce(what.into()),
            }
        }
    };
    thread::Builder::new()
        .spawn(watch)
        .context("cannot watch for Ctrl-C")?;
    Ok(Arc::clone(STOP.get_or_init(|| stop)))
}

/// Returns a bit mask of the ignored signals, where the system reports them. For example, `nohup` makes its program ignore SIGHUP, and
/// shell scripts make background jobs ignore SIGINT.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// Ends the process immediately. Saved matches are kept, and supervisors end the bots.
fn end() {
    low_level::exit(INTERRUPTED.into());
}

/// Prints a line from a separate thread, because standard error may block and must not delay the next signal.
fn announce(line: String) {
    // If no thread can be started, the line is dropped: stopping matters more.
    let _ = thread::Builder::new().spawn(move || status(line));
}

/// Asks the process that runs the tournament in a folder to stop.
pub fn request(dir: &Path) -> anyhow::Result<()> {
    let path = dir.join(FILE);
    fs::write(&path, "").with_context(|| format!("cannot write {}", path.display()))
}

/// Withdraws the request.
pub fn withdraw(dir: &Path) {
    // The file may already be gone.
    let _ = fs::remove_file(dir.join(FILE));
}

/// Watches for the stop file until dropped.
pub struct StopFile {
    dir: PathBuf,
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl StopFile {
    /// Starts watching, and sets `stop` once the file exists.
    pub fn watch(dir: &Path, stop: &Arc<Stop>) -> Self {
        withdraw(dir);
        let (end, ended) = mpsc::channel();
        let (path, stop) = (dir.join(FILE), Arc::clone(stop));
        let watch = move || {
            while ended.recv_timeout(CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if path.exists() && !stop.is_set() {
                    stop.stop();
                    status("stopping for `arena stop` when running matches are finished and saved");
                }
            }
        };
        Self {
            dir: dir.to_path_buf(),
            thread: Some((end, thread::spawn(watch))),
        }
    }
}

impl Drop for StopFile {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.thread.take() {
            drop(end);
            // Ignore the result: the watching thread cannot fail.
            let _ = thread.join();
        }
        withdraw(&self.dir);
    }
}
