//! Matches of the bot under check against random bots, one or several at a time.

use std::time::Duration;

use arena_bots::roster::{self, RANDOM};
use arena_engine::chance::Seed;
use arena_engine::game::{Game, View};
use arena_engine::machine::Match;
use arena_engine::player::{self, Player, Start, bot_seed};
use arena_engine::record::Reply;
use arena_engine::seat::Seat;
use arena_protocol::message::{Clock, Ready, ToBot};
use arena_results::played::Evidence;

use super::diagnosis::{self, ANSWER, ANSWER_FORM, Asked};
use super::language::Language;
use super::report::Finding;
use crate::runner::lines;
use crate::runner::pipes::probe::{Probe, Trouble};
use crate::runner::process::Took;
use crate::setup::millis;

/// A match to be played.
pub struct Planned<G: Game> {
    pub number: u64,
    pub rules: G::Rules,
    pub seats: usize,
    pub seat: Seat,
    pub seed: Seed,
}

/// How the bot speaks, and how much time it has.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    pub ready: &'a Ready,
    pub limit: Duration,
    pub language: Language,
}

impl Terms<'_> {
    /// What the bot is told of its time.
    fn clock(&self) -> Clock {
        Clock { move_ms: Some(millis(self.limit)), ..Clock::default() }
    }
}

/// What the bot did in a match, and how long each answer took.
pub struct Played<G: Game> {
    pub actions: Vec<G::Action>,
    pub times: Vec<Took>,
}

/// A match that the bot could not play.
pub struct Failed {
    /// Where.
    pub at: String,
    /// How many turns it had answered.
    pub answered: usize,
    /// What it was asked last.
    prompt: String,
    ids: Vec<u64>,
    why: Why,
}

enum Why {
    Trouble(Trouble),
    Illegal { why: String, line: String },
}

impl Failed {
    /// Whether the process ended, in order or not, before it answered anything in this match.
    pub fn ended_before(&self) -> Option<&str> {
        match &self.why {
            Why::Trouble(Trouble::Ended { exit: Some(exit), rest }) if self.answered == 0 && rest.is_empty() => {
                Some(exit)
            }
            _ => None,
        }
    }

    /// What it means for the author.
    pub fn finding(&self, terms: Terms<'_>, evidence: &Evidence) -> Finding {
        let asked = Asked {
            task: ANSWER,
            form: ANSWER_FORM,
            ids: &self.ids,
            prompt: Some(&self.prompt),
            limit: terms.limit,
            language: terms.language,
        };
        let finding = match &self.why {
            Why::Trouble(trouble) => diagnosis::explain(trouble, &asked, evidence),
            Why::Illegal { why, line } => diagnosis::illegal(why, line, &asked).show_log(&evidence.stderr),
        };
        let heard = evidence.heard.iter().rev().find(|line| line.starts_with("{\"turn\""));
        let finding = finding.show_first("the arena had sent", heard.map_or("", String::as_str));
        Finding { at: Some(self.at.clone()), ..finding }
    }
}

/// A match in progress.
struct Table<'a, G: Game> {
    planned: &'a Planned<G>,
    game: Match<G>,
    others: Vec<Box<dyn Player<G>>>,
    view: G::View,
    played: Played<G>,
}

/// Plays the matches, all at the same time.
pub async fn play<G: Game>(
    probe: &mut Probe,
    terms: Terms<'_>,
    planned: &[Planned<G>],
) -> anyhow::Result<Result<Vec<Played<G>>, Failed>> {
    let mut tables =
        planned.iter().map(|planned| Table::begin(planned, probe, terms)).collect::<anyhow::Result<Vec<_>>>()?;
    loop {
        for table in &mut tables {
            table.let_others_play()?;
        }
        let mut open: Vec<&mut Table<'_, G>> = tables.iter_mut().filter(|table| !table.game.is_over()).collect();
        if open.is_empty() {
            break;
        }
        if let Err(failed) = turns(&mut open, probe, terms).await {
            return Ok(Err(failed));
        }
    }
    let mut played = Vec::new();
    for table in tables {
        let answered = table.played.actions.len();
        let at = format!("after match {}", table.planned.number);
        played.push(table.end(probe));
        if let Err(trouble) = probe.linger::<G::Action>().await {
            let (ids, prompt) = (Vec::new(), String::new());
            return Ok(Err(Failed { at, answered, prompt, ids, why: Why::Trouble(trouble) }));
        }
    }
    Ok(Ok(played))
}

/// Asks the bot for its turn at each of the tables.
async fn turns<G: Game>(tables: &mut [&mut Table<'_, G>], probe: &mut Probe, terms: Terms<'_>) -> Result<(), Failed> {
    let mut asked = Vec::new();
    for table in tables.iter_mut() {
        let id = probe.next_id();
        asked.push((id, table.turn(id, terms)));
    }
    let ids: Vec<u64> = asked.iter().map(|(id, _)| *id).collect();
    let answers = match probe.ask::<G::Action>(&asked, terms.limit).await {
        Ok(answers) => answers,
        Err(trouble) => return Err(tables[0].failed(ids, Why::Trouble(trouble))),
    };
    let alone = tables.len() == 1;
    for answered in answers {
        let table = ids.iter().position(|id| *id == answered.answer.id).map(|place| &mut *tables[place]);
        let table = table.expect("only open turns are answered");
        let seat = table.planned.seat;
        let action = answered.answer.action;
        let prompt = table.prompt();
        table.played.actions.push(action.clone());
        if alone {
            table.played.times.push(answered.took);
        }
        table.game.reply(seat, Reply::Act(action)).expect("the seat was asked");
        table.let_others_play().expect("their seats were asked");
        if let Some(fault) = table.game.fault(seat) {
            let why = Why::Illegal { why: fault.detail.clone(), line: answered.line };
            let failed = table.failed(ids, why);
            return Err(Failed { prompt, ..failed });
        }
    }
    Ok(())
}

impl<'a, G: Game> Table<'a, G> {
    fn begin(planned: &'a Planned<G>, probe: &mut Probe, terms: Terms<'_>) -> anyhow::Result<Self> {
        let &Planned { number, ref rules, seats, seat, seed } = planned;
        let game = Match::new(rules, seats, seed)?;
        let mut others = Vec::new();
        for other in Seat::all(seats) {
            let mut player = roster::make::<G>(RANDOM).expect("the random bot plays every game");
            player.start(&Start { rules, seat: other, seats, seed: bot_seed(seed, other) });
            others.push(player);
        }
        let start = lines::start(&game, seat, number, terms.clock());
        probe.tell(&ToBot::<G::Rules, (), (), ()>::Start(start));
        let played = Played { actions: Vec::new(), times: Vec::new() };
        Ok(Self { view: G::View::new(rules, seats, seat), planned, game, others, played })
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

    fn turn(&mut self, id: u64, terms: Terms<'_>) -> lines::Line<G> {
        let &Planned { number, seat, .. } = self.planned;
        ToBot::Turn(lines::turn(&mut self.game, seat, number, id, &mut self.view, terms.ready, terms.clock()))
    }

    fn end(mut self, probe: &mut Probe) -> Played<G> {
        let end = lines::end(&mut self.game, self.planned.seat, self.planned.number);
        probe.tell(&end.expect("the match is over"));
        self.played
    }

    fn prompt(&self) -> String {
        // What cannot be written has been sent, so it can be written.
        serde_json::to_string(&self.game.prompt(self.planned.seat)).unwrap_or_default()
    }

    fn at(&self, turn: usize) -> String {
        let Planned { number, seat, seats, .. } = &self.planned;
        format!("match {number}, seat {seat} of {seats}, its turn {turn}")
    }

    fn failed(&self, ids: Vec<u64>, why: Why) -> Failed {
        let prompt = if self.game.is_over() { String::new() } else { self.prompt() };
        let answered = self.played.actions.len();
        // An illegal action is counted among the answers already.
        let turn = if matches!(why, Why::Illegal { .. }) { answered } else { answered + 1 };
        Failed { at: self.at(turn), answered, prompt, ids, why }
    }
}
