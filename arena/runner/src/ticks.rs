//! Waiting for a bot's output without a timer for each turn, which would take longer than the rest of the wait: the thread has one that
//! ticks while somebody listens.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::timer::{Expiration, TimerSetTimeFlags};
use nix::sys::timerfd::{ClockId, TimerFd, TimerFlags};
use tokio::time::Instant;

/// The time between ticks: a wait ends by so much later than it should.
const TICK: Duration = Duration::from_millis(1);

thread_local! {
    static TIMER: Option<TimerFd> = ticking().ok();
}

fn ticking() -> nix::Result<TimerFd> {
    let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
    timer.set(Expiration::Interval(TICK.into()), TimerSetTimeFlags::empty())?;
    Ok(timer)
}

/// Blocks until there is something to read or the end of it, or the moment is past. Returns whether there is.
pub fn readable_until(pipe: BorrowedFd<'_>, moment: Instant) -> bool {
    TIMER.with(|timer| {
        let Some(timer) = timer else { return false };
        let mut open = [PollFd::new(pipe, PollFlags::POLLIN), PollFd::new(timer.as_fd(), PollFlags::POLLIN)];
        while Instant::now() < moment {
            if poll(&mut open, PollTimeout::NONE).is_err() {
                return false;
            }
            if open[0].any() == Some(true) {
                return true;
            }
            let _ = timer.wait();
        }
        false
    })
}
