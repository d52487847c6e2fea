//! A wait for a moment that quick answers rarely reach: its timer is set once for many of them, since a timer for each would cost
//! more than the wait.

use tokio::time::{Instant, sleep_until};

#[cfg(target_os = "linux")]
pub use self::shared::Alarm;

/// Elsewhere each wait has a timer.
#[cfg(not(target_os = "linux"))]
#[derive(Debug, Default)]
pub struct Alarm;

#[cfg(not(target_os = "linux"))]
impl Alarm {
    /// Waits until this moment is past.
    pub async fn pass(&self, moment: Instant) {
        sleep_until(moment).await;
    }
}

#[cfg(target_os = "linux")]
mod shared {
    use std::cell::Cell;
    use std::io;
    use std::os::fd::AsFd;

    use nix::sys::timer::{Expiration, TimerSetTimeFlags};
    use nix::sys::timerfd::{ClockId, TimerFd, TimerFlags};
    use tokio::net::unix::pipe::Receiver;

    use super::{Instant, sleep_until};

    /// The timer of one process, and when it expires.
    #[derive(Debug)]
    pub struct Alarm {
        timer: Option<(TimerFd, Receiver)>,
        expires: Cell<Option<Instant>>,
    }

    impl Default for Alarm {
        /// A timer on this runtime, which is not set.
        fn default() -> Self {
            Self {
                timer: timer().ok(),
                expires: Cell::default(),
            }
        }
    }

    fn timer() -> io::Result<(TimerFd, Receiver)> {
        let timer = TimerFd::new(
            ClockId::CLOCK_MONOTONIC,
            TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC,
        )?;
        let expired = Receiver::from_owned_fd_unchecked(timer.as_fd().try_clone_to_owned()?)?;
        Ok((timer, expired))
    }

    impl Alarm {
        /// Waits until this moment is past.
        pub async fn pass(&self, moment: Instant) {
            let Some((timer, expired)) = &self.timer else {
                return sleep_until(moment).await;
            };
            loop {
                let now = Instant::now();
                if now >= moment {
                    return;
                }
                if self.expires.get().is_none_or(|expires| expires > moment) {
                    let _ = timer.set(
                        Expiration::OneShot((moment - now).into()),
                        TimerSetTimeFlags::empty(),
                    );
                    self.expires.set(Some(moment));
                }
                let _ = expired.readable().await;
                // The runtime waits for the next event once there is nothing to read.
                let _ = expired.try_io(|| Err::<(), _>(io::ErrorKind::WouldBlock.into()));
                self.expires.set(
                    self.expires
                        .get()
                        .filter(|expires| *expires > Instant::now()),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::future::join_all;

    use super::*;

    #[test]
    fn each_wait_ends_after_its_moment_though_they_share_a_timer() {
        let runtime = crate::worker::runtime().unwrap();
        runtime.block_on(async {
            let alarm = &Alarm::default();
            for _ in 0..2 {
                let now = Instant::now();
                let wait = |ms| async move {
                    alarm.pass(now + Duration::from_millis(ms)).await;
                    assert!(now.elapsed() >= Duration::from_millis(ms));
                };
                join_all([9, 3, 6].map(wait)).await;
            }
        });
    }
}
