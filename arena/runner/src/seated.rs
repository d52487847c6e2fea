//! A program at the table of one match, with its process: from a pool, or lent.

use std::ops::Deref;
use std::rc::Rc;
use std::time::Duration;

use arena_engine::fault::Cause;
use arena_engine::record::Reply;
use arena_engine::seat::Seat;
use arena_tournament::clock::TimeControl;

use super::clock::Void;
use super::conversation::Conversation;
use super::conversation::asking::Elapsed;
use super::pool::{Process, ProcessPool};
use super::remote_seat::RemoteSeat;
use super::rerun::MIN_TIMEOUT;
use super::running_match::RunningMatch;
use super::seat_clock::SeatClock;
use super::turns::Response;

/// A program at the table.
pub struct Seated<'a> {
    pub process: Held<'a>,
    pub seat: RemoteSeat,
    /// The heading of the program's log.
    pub log: String,
}

/// The process of a seat.
pub enum Held<'a> {
    /// A process that returns to its pool.
    Pooled(Pooled<'a>),
    /// A process that the caller keeps. The match is left when its seat forfeits.
    Lent(&'a Conversation),
}

/// A process of a pool.
pub struct Pooled<'a> {
    pub pool: &'a ProcessPool<'a>,
    pub bot: usize,
    pub deal: u32,
    pub process: Rc<Process>,
    /// True until a process that ran before this match answers in it. Such a process may have exited between the matches.
    pub unproven: bool,
}

impl Deref for Held<'_> {
    type Target = Conversation;

    fn deref(&self) -> &Conversation {
        match self {
            Self::Pooled(pooled) => &pooled.process,
            Self::Lent(conversation) => conversation,
        }
    }
}

impl<'a> Seated<'a> {
    /// Seats a program, and sends it the start of the match.
    pub fn begin(
        running: &RunningMatch,
        seat: Seat,
        process: Held<'a>,
        number: u64,
        clock: TimeControl,
    ) -> Self {
        let seated = Self {
            process,
            seat: RemoteSeat::new(&*running.table, seat, number, SeatClock::new(clock)),
            log: running.log_heading(seat),
        };
        seated.start();
        seated
    }

    /// Sends the start of the match.
    fn start(&self) {
        self.process.pipes().log.begin(&self.log);
        self.seat.begin(&self.process);
    }

    /// Sends the turn and waits for the answer. The exit of a process between two matches is not a fault: the process is restarted and
    /// asked again, once. A turn that is only repeated has `recorded`, the time that it took: this time is charged.
    pub async fn ask(&mut self, recorded: Option<Duration>) -> Result<(Response, Elapsed), Void> {
        let mut limit = self.seat.clock.limit();
        if recorded.is_some() {
            limit = limit.map(|limit| limit.max(MIN_TIMEOUT));
        }
        let (mut response, mut elapsed) = self.seat.ask(&self.process, limit).await?;
        let crashed =
            matches!(&response.reply, Reply::Failed(fault) if fault.cause == Cause::Crash);
        if let Held::Pooled(pooled) = &mut self.process
            && std::mem::take(&mut pooled.unproven)
            && crashed
            && pooled.process.pipes().has_read_nothing()
            && !pooled.pool.lives_once(pooled.bot)
            && let Ok((process, _)) = pooled.pool.take(pooled.bot, pooled.deal, &self.log).await
        {
            let ended = std::mem::replace(&mut pooled.process, process);
            ended.retire();
            pooled.pool.give_back(pooled.bot, ended).await;
            self.start();
            self.seat.renumber(&self.process);
            (response, elapsed) = self.seat.ask(&self.process, limit).await?;
        }
        self.seat.clock.spend(recorded.unwrap_or(elapsed.charged));
        Ok((response, elapsed))
    }

    /// Returns the process to its pool after the match, or ends it if nothing more may be played with it.
    pub async fn release(self, retire: bool) {
        self.process.pipes().log.end(&self.log);
        if let Held::Pooled(pooled) = self.process {
            if retire {
                pooled.process.retire();
            }
            pooled.pool.give_back(pooled.bot, pooled.process).await;
        }
    }
}
