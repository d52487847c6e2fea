//! Plays matches of the bot under check against random bots, one or several at a time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use arena_engine::chance::Seed;
use arena_engine::fault::Cause;
use arena_engine::record::{Replied, Reply};
use arena_engine::seat::Seat;
use arena_engine::table::{Entry, Json};
use arena_protocol::fault::BotFault;
use arena_tournament::clock::TimeControl;
use arena_tournament::played::MoveTime;
use futures_util::future::try_join_all;
use serde_json::Value;

use super::BotCheck;
use super::probe::{Probe, TaskStart, Trouble};
use arena_runner::clock::Void;
use arena_runner::observer::ObservedTurn;
use arena_runner::play_match::play_alone;
use arena_runner::running_match::RunningMatch;
use arena_runner::units::millis;

pub struct CheckMatch {
    pub number: u64,
    pub game: &'static Entry,
    pub rules: Value,
    pub seats: usize,
    pub seat: Seat,
}

/// The bot's actions in a match, and the duration of each answer.
pub struct Replies {
    pub actions: Vec<Json>,
    pub times: Vec<MoveTime>,
}

/// The bot's last turn in a match.
#[derive(Default)]
struct Turn {
    id: u64,
    begun: Option<TaskStart>,
    /// Number of the turn, counted from 1.
    number: usize,
    prompt: String,
    /// The bot's line, if it has answered.
    text: String,
}

/// The last turn in each match.
type Turns = RefCell<BTreeMap<u64, Turn>>;

/// Plays the matches concurrently.
pub async fn play(
    probe: &Probe,
    check: &BotCheck<'_>,
    planned: &[CheckMatch],
) -> anyhow::Result<Result<Vec<Replies>, Trouble>> {
    let turns = Turns::default();
    let all = planned.iter().map(async |planned| {
        let played = play_one(probe, check, planned, &turns).await;
        played.map_err(|error| (planned, error))
    });
    let (planned, error) = match try_join_all(all).await {
        Ok(played) => {
            let last = planned.last().map_or(0, |planned| planned.number);
            let stray = probe.wait_for_stray_lines().await;
            return Ok(stray.map(|()| played).map_err(|trouble| Trouble {
                at: Some(format!("after match {last}")),
                ..trouble
            }));
        }
        Err(failed) => failed,
    };
    let ids: Vec<u64> = turns.borrow().values().map(|turn| turn.id).collect();
    let &CheckMatch {
        number,
        seat,
        seats,
        ..
    } = planned;
    let turn = turns.take().remove(&number).unwrap_or_default();
    let trouble = match error.downcast::<BotFault>() {
        Ok(fault) if fault.cause() == Cause::Illegal => Trouble {
            prompt: turn.prompt,
            ..Trouble::new(Ok(fault), turn.text)
        },
        Ok(fault) => {
            let begun = turn.begun.unwrap_or_else(|| probe.begin());
            let examined = probe.examine_turns(planned.game, fault, begun, check.per_move, &ids);
            examined.await
        }
        Err(error) => Trouble::new(Err(error.downcast::<Void>()?), String::new()),
    };
    let (seat, turn) = (seat.index() + 1, turn.number);
    Ok(Err(Trouble {
        at: Some(format!(
            "match {number}, seat {seat} of {seats}, its turn {turn}"
        )),
        answered: turn.saturating_sub(1),
        ..trouble
    }))
}

/// Plays one match. The error is the fault if the bot fails, or what voids the match.
async fn play_one(
    probe: &Probe,
    check: &BotCheck<'_>,
    planned: &CheckMatch,
    turns: &Turns,
) -> anyhow::Result<Replies> {
    let &CheckMatch {
        number,
        game,
        ref rules,
        seats,
        seat,
    } = planned;
    let seed = Seed::try_from(number).map_err(anyhow::Error::msg)?;
    let mut table = game.rulebook.dealer(rules, seats)?.deal(seed)?;
    for other in Seat::all(seats).without([seat].into_iter().collect()) {
        table.seat(other, &game.random, None);
    }
    let clock = TimeControl {
        move_ms: Some(millis(check.per_move)),
        ..TimeControl::default()
    };
    let mut late = None;
    let mut follow = |observed: ObservedTurn<'_>| {
        let mut turns = turns.borrow_mut();
        let turn = turns.entry(number).or_default();
        let Some((answer, _)) = observed.answer else {
            (turn.id, turn.begun) = (observed.id, Some(probe.begin()));
            turn.number += 1;
            return ControlFlow::Continue(());
        };
        turn.prompt = observed.table.prompt(seat).to_string();
        match &answer.reply {
            Reply::Act(line) => turn.text.clone_from(line),
            Reply::Failed(_) => {}
            // A game may forgive it.
            Reply::Late => {
                late = Some(BotFault::Late(answer.hint));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    };
    let running = RunningMatch::at(table);
    let process = (&probe.conversation, number);
    let running = play_alone(running, process, seat, clock, None, &mut follow).await?;
    let forfeit = || running.fault(seat).map(|fault| BotFault::from(&fault));
    match late.or_else(forfeit) {
        Some(fault) => Err(fault.into()),
        None => Ok(Replies::new(running, seat)),
    }
}

impl Replies {
    fn new(running: RunningMatch, seat: Seat) -> Self {
        let replies = running.table.record().replies.into_iter();
        Self {
            actions: replies
                .filter_map(|Replied(actor, reply)| match reply {
                    Reply::Act(action) if actor == seat => Some(action),
                    _ => None,
                })
                .collect(),
            times: running.finish().times.moves,
        }
    }
}
