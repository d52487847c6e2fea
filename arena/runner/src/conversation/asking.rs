//! Sends a turn, waits for its answer, and measures the time that the answer took.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use arena_engine::record::Reply;
use arena_protocol::fault::{BotFault, Hint};
use tokio::time::Instant;

use super::answers::OpenTurn;
use super::{Conversation, SharedPermit};
use crate::clock::{Expired, QUICK_ANSWER, Void, within};
use crate::gate::Permit;
use crate::turns::Response;
use crate::units::millis;

/// Answers slower than this have their CPU time measured.
const MIN_MEASURED: Duration = Duration::from_micros(200);

/// The time that an answer took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elapsed {
    /// Wall time from sending the turn to reading its answer.
    pub wall: Duration,
    /// Charged time: wall time minus the time in which the machine kept the bot from computing.
    pub charged: Duration,
    /// CPU time of the bot, if known. Slow answers are measured over all its processes if that is more, others over its main process only.
    /// For answers faster than 0.2 ms, the wall time.
    pub cpu: Option<Duration>,
}

impl Conversation {
    /// Sends the line of a turn and waits for the line that answers it. The limit is multiplied by the number of open turns of the process.
    pub async fn ask_line(
        &self,
        id: u64,
        line: &[u8],
        limit: Option<Duration>,
    ) -> Result<(Response, Elapsed), Void> {
        self.paused()?;
        let alone = self.capacity() == 1;
        let _permit = self.enter(alone).await;
        self.turns.borrow_mut().add(id);
        let open = OpenTurn {
            conversation: self,
            id,
        };
        let limit = limit
            .map(|limit| limit * u32::try_from(self.turns.borrow().open.len()).unwrap_or(u32::MAX));
        let turn = self.begin_turn();
        let began = turn.began;
        // A turn that follows quickly uses the last reading as its first one, because each reading costs a system call.
        if self
            .computed
            .get()
            .is_none_or(|(at, _)| began - at >= QUICK_ANSWER)
        {
            self.computed.set(if alone {
                self.meter.read_main().map(|reading| (began, reading))
            } else {
                None
            });
        }
        self.pipes.borrow_mut().push_line(line);
        if !alone {
            // Let the lines of all concurrent matches leave in one write.
            pause().await;
        }
        let (before, late_before) = (
            self.pipes.borrow().volume(),
            self.turns.borrow().answered_late,
        );
        let mut answered = within(turn, limit, poll_fn(|cx| open.poll(cx))).await;
        if matches!(answered, Err(Expired::Late { .. })) && self.pipes.borrow().is_ending() {
            // The bot is not slow: its process has ended, and the supervisor knows why.
            let end = poll_fn(|cx| open.poll(cx)).await;
            if matches!(end.reply, Reply::Failed(_)) {
                answered = Ok((end, None));
            }
        }
        let ended = Instant::now();
        let wall = ended - began;
        let cpu = self.computed.get().and_then(|(_, before)| {
            if wall < MIN_MEASURED {
                return Some(wall);
            }
            let after = self.meter.read_main()?;
            self.computed.set(Some((ended, after)));
            Some(after.saturating_sub(before))
        });
        self.paused()?;
        let (mut charged, mut in_all) = (wall, Duration::ZERO);
        if let (
            Ok((
                Response {
                    reply: Reply::Failed(_),
                    ..
                },
                _,
            )),
            Some(why),
        ) = (&answered, self.pipes.borrow().ended_by_machine())
        {
            return Err(Void::new(why));
        }
        let response = match answered {
            Ok((response, charge)) => {
                if let Some(charge) = charge {
                    (charged, in_all) = (charge.time, charge.computed);
                }
                response
            }
            Err(Expired::Late { .. }) if self.pipes.borrow().is_stuck() => {
                let limit_ms = limit.map_or(0, millis);
                Response::new(Reply::Failed(BotFault::NotReading { limit_ms }.into()))
            }
            Err(Expired::Late {
                computing,
                computed,
            }) => {
                in_all = computed;
                let hint = match self.pipes.borrow().hint(before, computing) {
                    Hint::EarlierTurns if self.turns.borrow().answered_late > late_before => {
                        Hint::Slow
                    }
                    hint => hint,
                };
                Response {
                    hint: Some(hint),
                    ..Response::new(Reply::Late)
                }
            }
            Err(Expired::Void(void)) => return Err(void),
        };
        let cpu = cpu.map(|main| main.min(wall * self.allowed).max(in_all));
        Ok((response, Elapsed { wall, charged, cpu }))
    }

    /// Waits for permission to compute. A process that plays several matches shares one permit for all its open turns.
    async fn enter(&self, alone: bool) -> (Option<Permit>, Option<Rc<SharedPermit>>) {
        if alone {
            return (self.gate.enter(self.cores).await, None);
        }
        let upgraded = self.permit.borrow().upgrade();
        let shared = upgraded.unwrap_or_else(|| {
            let new = Rc::default();
            *self.permit.borrow_mut() = Rc::downgrade(&new);
            new
        });
        shared.get_or_init(|| self.gate.enter(self.cores)).await;
        (None, Some(shared))
    }
}

/// Yields to all other tasks that are ready, without polling I/O.
async fn pause() {
    let mut paused = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
