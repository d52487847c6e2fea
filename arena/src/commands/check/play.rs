//! Matches of the bot under check against random bots, one or several at a time.

use std::time::Duration;

use arena_bots::roster::{self, RANDOM};
use arena_engine::chance::Seed;
use arena_engine::fault::{Cause, Fault};
use arena_engine::game::Game;
use arena_engine::machine::Match;
use arena_engine::player::{self, Player, Start, bot_seed};
use arena_engine::record::Reply;
use arena_engine::seat::Seat;
use arena_protocol::message::ToBot;
use arena_tournament::played::Evidence;
use arena_tournament::spec::TimeControl;
use futures_util::future::join_all;

use super::Plan;
use super::diagnosis::{self, ANSWER, Task};
use super::probe::{Probe, Trouble};
use super::report::Finding;
use arena_runner::conversation::Elapsed;
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

/// A match that the bot could not play.
pub struct Failed {
    /// Where.
    at: String,
    /// The number of turns it had answered.
    answered: usize,
    /// What it was offered last.
    prompt: String,
    trouble: Box<Trouble>,
}

impl Failed {
    /// The end of the process, if it ended, in order or not, before it answered anything in this match.
    pub fn ended_before(&self) -> Option<&Fault> {
        match &*self.trouble {
            Trouble::Fault { fault, text, .. }
                if self.answered == 0
                    && text.is_empty()
                    && fault.cause() == Cause::Crash
                    && *fault != Fault::ClosedOutput =>
            {
                Some(fault)
            }
            _ => None,
        }
    }

    /// What it means for the author.
    pub fn finding<G: Game>(&self, plan: &Plan, evidence: &Evidence) -> Finding {
        let task = Task { name: ANSWER, limit_ms: millis(plan.per_move), game: G::NAME, language: plan.language };
        let mut finding = diagnosis::explain(&self.trouble, task, evidence);
        if matches!(&*self.trouble, Trouble::Fault { fault: Fault::Illegal(_), .. }) {
            finding = finding.show_first("what was offered", &self.prompt);
        }
        let turn = evidence.sent.iter().rev().find(|line| line.starts_with("{\"turn\""));
        let finding = finding.show_first("the arena had sent", turn.map_or("", String::as_str));
        Finding { at: Some(self.at.clone()), ..finding }
    }
}

/// A match in progress.
struct TrialMatch<'a, G: Game> {
    planned: &'a Planned<G>,
    game: Match<G>,
    others: Vec<Box<dyn Player<G>>>,
    remote: RemoteSeat<G>,
    played: Played<G>,
}

/// Plays the matches, all at the same time.
pub async fn play<G: Game>(
    probe: &Probe,
    plan: &Plan,
    planned: &[Planned<G>],
) -> anyhow::Result<Result<Vec<Played<G>>, Failed>> {
    let mut matches =
        planned.iter().map(|planned| TrialMatch::begin(planned, probe, plan)).collect::<anyhow::Result<Vec<_>>>()?;
    loop {
        for one in &mut matches {
            one.let_others_play()?;
        }
        let mut open: Vec<&mut TrialMatch<'_, G>> = matches.iter_mut().filter(|one| !one.game.is_over()).collect();
        if open.is_empty() {
            break;
        }
        if let Err(failed) = turns(&mut open, probe, plan.per_move).await {
            return Ok(Err(failed));
        }
    }
    let mut played = Vec::new();
    for mut one in matches {
        one.remote.end(&probe.conversation, &mut one.game);
        let (at, answered) = (format!("after match {}", one.planned.number), one.played.actions.len());
        played.push(one.played);
        if let Err(trouble) = probe.linger().await {
            return Ok(Err(Failed { at, answered, prompt: String::new(), trouble: Box::new(trouble) }));
        }
    }
    Ok(Ok(played))
}

/// Asks the bot for its turn in each of the matches.
async fn turns<G: Game>(matches: &mut [&mut TrialMatch<'_, G>], probe: &Probe, limit: Duration) -> Result<(), Failed> {
    let (begun, alone) = (probe.begin(), matches.len() == 1);
    let turns: Vec<_> = matches.iter_mut().map(|one| one.remote.turn(&probe.conversation, &mut one.game)).collect();
    let ids: Vec<u64> = turns.iter().map(|turn| turn.id).collect();
    let lines: Vec<_> = turns.into_iter().map(ToBot::Turn).collect();
    let answers = matches.iter().zip(&lines).map(|(one, line)| one.remote.ask(&probe.conversation, line));
    let responses = join_all(answers).await;
    for ((one, id), response) in matches.iter_mut().zip(&ids).zip(responses) {
        let fault = match response {
            Err(void) => return Err(one.failed(Trouble::Void(void))),
            Ok((response, elapsed)) => match response.reply {
                Reply::Act(action) => {
                    one.take(action, alone.then_some(elapsed), probe, *id)?;
                    continue;
                }
                Reply::Late => Fault::Late(response.hint),
                Reply::Failed(fault) => fault,
            },
        };
        return Err(one.failed(probe.examine_turns::<G::Action>(fault, begun, limit, &ids).await));
    }
    Ok(())
}

impl<'a, G: Game> TrialMatch<'a, G> {
    fn begin(planned: &'a Planned<G>, probe: &Probe, plan: &Plan) -> anyhow::Result<Self> {
        let &Planned { number, ref rules, seats, seat, seed } = planned;
        let game = Match::new(rules, seats, seed)?;
        let mut others = Vec::new();
        for other in Seat::all(seats) {
            let mut player = roster::make::<G>(RANDOM).expect("the random bot plays every game");
            player.start(&Start { rules, seat: other, seats, seed: bot_seed(seed, other), move_ms: None });
            others.push(player);
        }
        let clock = TimeControl { move_ms: Some(millis(plan.per_move)), ..TimeControl::default() };
        let remote = RemoteSeat::new(&game, seat, number, SeatClock::new(clock));
        remote.begin(&probe.conversation);
        Ok(Self { planned, game, others, remote, played: Played { actions: Vec::new(), times: Vec::new() } })
    }

    /// Lets the others play until the bot must act or it is over.
    fn let_others_play(&mut self) -> anyhow::Result<()> {
        let own = self.planned.seat;
        while let Some(seat) = self.game.to_act().into_iter().find(|seat| *seat != own) {
            let reply = player::act(&mut self.game, seat, self.others[seat.index()].as_mut());
            self.game.reply(seat, reply)?;
        }
        Ok(())
    }

    /// Carries out the bot's action, which was the answer of this id.
    fn take(&mut self, action: G::Action, elapsed: Option<Elapsed>, probe: &Probe, id: u64) -> Result<(), Failed> {
        let seat = self.planned.seat;
        // It has been sent, so it can be written.
        let prompt = serde_json::to_string(&self.game.prompt(seat)).unwrap_or_default();
        self.game.reply(seat, Reply::Act(action.clone())).expect("the seat must act");
        self.let_others_play().expect("their seats must act");
        if let Some(fault) = self.game.fault(seat) {
            let (waited, computed) = (Duration::ZERO, None);
            let trouble = Trouble::Fault { fault: fault.clone(), text: probe.answer(id), waited, computed };
            return Err(Failed { prompt, ..self.failed(trouble) });
        }
        self.played.actions.push(action);
        self.played.times.extend(elapsed);
        Ok(())
    }

    fn failed(&self, trouble: Trouble) -> Failed {
        let Planned { number, seat, seats, .. } = &self.planned;
        let answered = self.played.actions.len();
        let at = format!("match {number}, seat {seat} of {seats}, its turn {}", answered + 1);
        Failed { at, answered, prompt: String::new(), trouble: Box::new(trouble) }
    }
}
