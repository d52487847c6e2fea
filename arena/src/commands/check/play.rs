//! Matches of the bot under check against random bots, one or several at a time.

use std::time::Duration;

use arena_bots::roster::{self, RANDOM};
use arena_engine::chance::Seed;
use arena_engine::fault::Fault;
use arena_engine::game::Game;
use arena_engine::machine::Match;
use arena_engine::player::{self, Player, Start, bot_seed};
use arena_engine::record::Reply;
use arena_engine::seat::Seat;
use arena_tournament::clock::TimeControl;
use futures_util::future::join_all;

use super::BotCheck;
use super::probe::{Probe, Trouble};
use arena_runner::conversation::asking::Elapsed;
use arena_runner::remote_seat::RemoteSeat;
use arena_runner::seat_clock::SeatClock;
use arena_runner::units::millis;

/// A match to be played.
pub struct Planned<G: Game> {
    pub number: u64,
    pub rules: G::Rules,
    pub seats: usize,
    pub seat: Seat,
    pub seed: Seed,
}

/// What the bot did in a match, and how long each answer took.
pub struct Played<G: Game> {
    pub actions: Vec<G::Action>,
    pub times: Vec<Elapsed>,
}

/// A match in progress.
struct Table<'a, G: Game> {
    planned: &'a Planned<G>,
    game: Match<G>,
    others: Vec<Box<dyn Player<G>>>,
    remote: RemoteSeat<G>,
    played: Played<G>,
}

/// Plays the matches, all at the same time.
pub async fn play<G: Game>(
    probe: &Probe,
    check: &BotCheck<'_>,
    planned: &[Planned<G>],
) -> anyhow::Result<Result<Vec<Played<G>>, Trouble>> {
    let begin = |planned| Table::begin(planned, probe, check.per_move);
    let mut tables = planned
        .iter()
        .map(begin)
        .collect::<anyhow::Result<Vec<_>>>()?;
    loop {
        for table in &mut tables {
            table.let_others_play()?;
        }
        let mut open: Vec<&mut Table<'_, G>> = tables
            .iter_mut()
            .filter(|table| !table.game.is_over())
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
        table.remote.end(&probe.conversation, &mut table.game);
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

/// The bot's next turn at each of the tables.
async fn turns<G: Game>(
    tables: &mut [&mut Table<'_, G>],
    probe: &Probe,
    limit: Duration,
) -> Result<(), Trouble> {
    let (begun, alone) = (probe.begin(), tables.len() == 1);
    let ids: Vec<u64> = tables
        .iter_mut()
        .map(|table| table.remote.turn(&probe.conversation, &mut table.game))
        .collect();
    let answers = tables.iter().map(|table| {
        table
            .remote
            .ask(&probe.conversation, table.remote.clock.limit())
    });
    let responses = join_all(answers).await;
    for ((table, id), response) in tables.iter_mut().zip(&ids).zip(responses) {
        let trouble = match response {
            Err(void) => Trouble::new(Err(void), String::new()),
            Ok((response, elapsed)) => match response.reply {
                Reply::Act(action) => match table.act(action, alone.then_some(elapsed)) {
                    Ok(()) => continue,
                    Err((fault, prompt)) => Trouble {
                        prompt,
                        ..Trouble::new(Ok(fault), probe.answer(*id))
                    },
                },
                Reply::Late => {
                    probe
                        .examine_turns::<G::Action>(Fault::Late(response.hint), begun, limit, &ids)
                        .await
                }
                Reply::Failed(fault) => {
                    probe
                        .examine_turns::<G::Action>(fault, begun, limit, &ids)
                        .await
                }
            },
        };
        let Planned {
            number,
            seat,
            seats,
            ..
        } = table.planned;
        let answered = table.played.actions.len();
        let at = Some(format!(
            "match {number}, seat {seat} of {seats}, its turn {}",
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

impl<'a, G: Game> Table<'a, G> {
    fn begin(planned: &'a Planned<G>, probe: &Probe, per_move: Duration) -> anyhow::Result<Self> {
        let &Planned {
            number,
            ref rules,
            seats,
            seat,
            seed,
        } = planned;
        let game = Match::new(rules, seats, seed)?;
        let mut others = Vec::new();
        for other in Seat::all(seats) {
            let mut player = roster::make::<G>(RANDOM).expect("the random bot plays every game");
            player.start(&Start {
                rules,
                seat: other,
                seats,
                seed: bot_seed(seed, other),
                move_ms: None,
            });
            others.push(player);
        }
        let clock = TimeControl {
            move_ms: Some(millis(per_move)),
            ..TimeControl::default()
        };
        let remote = RemoteSeat::new(&game, seat, number, SeatClock::new(clock));
        remote.begin(&probe.conversation);
        Ok(Self {
            planned,
            game,
            others,
            remote,
            played: Played {
                actions: Vec::new(),
                times: Vec::new(),
            },
        })
    }

    /// Lets the others play until the bot must act or the match is over.
    fn let_others_play(&mut self) -> anyhow::Result<()> {
        let own = self.planned.seat;
        while let Some(seat) = self.game.to_act().into_iter().find(|seat| *seat != own) {
            let reply = player::act(&mut self.game, seat, self.others[seat.index()].as_mut());
            self.game.reply(seat, reply)?;
        }
        Ok(())
    }

    /// Carries out the bot's action; the error is its fault and what was offered.
    fn act(&mut self, action: G::Action, elapsed: Option<Elapsed>) -> Result<(), (Fault, String)> {
        let seat = self.planned.seat;
        // It has been sent, so it can be written.
        let prompt = serde_json::to_string(&self.game.prompt(seat)).unwrap_or_default();
        self.game
            .reply(seat, Reply::Act(action.clone()))
            .expect("the seat must act");
        self.let_others_play().expect("their seats must act");
        if let Some(fault) = self.game.fault(seat) {
            return Err((fault.clone(), prompt));
        }
        self.played.actions.push(action);
        self.played.times.extend(elapsed);
        Ok(())
    }
}
