//! Plays matches of the bot under check against random bots, one or several at a time.

use std::time::Duration;

use arena_engine::chance::Seed;
use arena_engine::fault::Cause;
use arena_engine::record::Reply;
use arena_engine::seat::Seat;
use arena_engine::table::{Entry, Json, Table};
use arena_protocol::fault::BotFault;
use arena_tournament::clock::TimeControl;
use futures_util::future::join_all;
use serde_json::Value;

use super::BotCheck;
use super::probe::{Probe, Trouble};
use arena_runner::conversation::asking::Elapsed;
use arena_runner::remote_seat::RemoteSeat;
use arena_runner::seat_clock::SeatClock;
use arena_runner::units::millis;

pub struct Planned {
    pub number: u64,
    pub game: &'static Entry,
    pub rules: Value,
    pub seats: usize,
    pub seat: Seat,
    pub seed: Seed,
}

/// The bot's actions in a match, and the duration of each answer.
pub struct Played {
    pub actions: Vec<Json>,
    pub times: Vec<Elapsed>,
}

/// A match in progress.
struct Game<'a> {
    planned: &'a Planned,
    table: Box<dyn Table>,
    remote: RemoteSeat,
    played: Played,
}

/// Plays the matches concurrently.
pub async fn play(
    probe: &Probe,
    check: &BotCheck<'_>,
    planned: &[Planned],
) -> anyhow::Result<Result<Vec<Played>, Trouble>> {
    let begin = |planned| Game::begin(planned, probe, check.per_move);
    let mut tables = planned
        .iter()
        .map(begin)
        .collect::<anyhow::Result<Vec<_>>>()?;
    loop {
        for table in &mut tables {
            table.table.bots_play();
        }
        let mut open: Vec<&mut Game<'_>> = tables
            .iter_mut()
            .filter(|table| table.table.verdict().is_none())
            .collect();
        if open.is_empty() {
            break;
        }
        if let Err(trouble) = turns(&mut open, probe, check.per_move).await {
            return Ok(Err(trouble));
        }
    }
    let mut played = Vec::new();
    for mut table in tables {
        table.remote.end(&probe.conversation, &mut *table.table);
        if let Err(trouble) = probe.wait_for_stray_lines().await {
            let (at, answered) = (
                Some(format!("after match {}", table.planned.number)),
                table.played.actions.len(),
            );
            return Ok(Err(Trouble {
                at,
                answered,
                ..trouble
            }));
        }
        played.push(table.played);
    }
    Ok(Ok(played))
}

/// Requests the bot's next turn at each table.
async fn turns(
    tables: &mut [&mut Game<'_>],
    probe: &Probe,
    limit: Duration,
) -> Result<(), Trouble> {
    let (begun, alone) = (probe.begin(), tables.len() == 1);
    let ids: Vec<u64> = tables
        .iter_mut()
        .map(|table| table.remote.turn(&probe.conversation, &mut *table.table))
        .collect();
    let answers = tables.iter().map(|table| {
        table
            .remote
            .ask(&probe.conversation, table.remote.clock.limit())
    });
    let responses = join_all(answers).await;
    for ((table, id), response) in tables.iter_mut().zip(&ids).zip(responses) {
        let game = table.planned.game;
        let trouble = match response {
            Err(void) => Trouble::new(Err(void), String::new()),
            Ok((response, elapsed)) => {
                table.remote.clock.spend(elapsed.charged);
                match probe.conversation.action(game, *id, response.reply) {
                    Reply::Act(action) => match table.act(action, alone.then_some(elapsed)) {
                        Ok(()) => continue,
                        Err((fault, prompt)) => Trouble {
                            prompt,
                            ..Trouble::new(Ok(fault), probe.answer(*id))
                        },
                    },
                    Reply::Late => {
                        probe
                            .examine_turns(game, BotFault::Late(response.hint), begun, limit, &ids)
                            .await
                    }
                    Reply::Failed(fault) if fault.cause == Cause::Illegal => Trouble {
                        prompt: table.table.prompt(table.planned.seat).to_string(),
                        ..Trouble::new(Ok((&fault).into()), probe.answer(*id))
                    },
                    Reply::Failed(fault) => {
                        probe
                            .examine_turns(game, (&fault).into(), begun, limit, &ids)
                            .await
                    }
                }
            }
        };
        let Planned {
            number,
            seat,
            seats,
            ..
        } = table.planned;
        let answered = table.played.actions.len();
        let at = Some(format!(
            "match {number}, seat {} of {seats}, its turn {}",
            seat.index() + 1,
            answered + 1
        ));
        return Err(Trouble {
            at,
            answered,
            ..trouble
        });
    }
    Ok(())
}

impl<'a> Game<'a> {
    fn begin(planned: &'a Planned, probe: &Probe, per_move: Duration) -> anyhow::Result<Self> {
        let &Planned {
            number,
            game,
            ref rules,
            seats,
            seat,
            seed,
        } = planned;
        let mut table = game.rulebook.dealer(rules, seats)?.deal(seed)?;
        for other in Seat::all(seats).into_iter().filter(|other| *other != seat) {
            table.seat(other, &game.random, None);
        }
        let clock = TimeControl {
            move_ms: Some(millis(per_move)),
            ..TimeControl::default()
        };
        let remote = RemoteSeat::new(&*table, seat, number, SeatClock::new(clock));
        remote.begin(&probe.conversation);
        Ok(Self {
            planned,
            table,
            remote,
            played: Played {
                actions: Vec::new(),
                times: Vec::new(),
            },
        })
    }

    fn act(&mut self, action: Json, elapsed: Option<Elapsed>) -> Result<(), (BotFault, String)> {
        let seat = self.planned.seat;
        let prompt = self.table.prompt(seat).to_string();
        let taken = self.table.reply(seat, Reply::Act(action.as_str()));
        taken.expect("the seat must act, and the action was read");
        self.table.bots_play();
        if let Some(fault) = self.table.fault(seat) {
            return Err((fault.into(), prompt));
        }
        self.played.actions.push(action);
        self.played.times.extend(elapsed);
        Ok(())
    }
}
