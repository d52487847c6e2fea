//! One match as a value: the seats to act, their replies, the events each seat has seen, and the verdict.

use crate::draws::Draws;
use crate::fault::Fault;
use crate::game::{Game, Late, Rules, Turn};
use crate::outcome::{Ended, Outcome, Verdict};
use crate::record::{Record, RecordOf, Replied, Reply};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// The reason why a match cannot be set up: a wrong number of seats, or rules that contradict themselves or the seats.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadTable(pub String);

/// The reason why a match rejects a reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// The seat does not have to reply, or has replied already.
    #[error("seat {0} does not have to act now")]
    OutOfTurn(Seat),
    /// The game itself has failed, for this reason.
    #[error("{0}")]
    Broken(String),
}

/// A match in progress or finished.
pub struct Match<G: Game> {
    game: G,
    record: RecordOf<G>,
    /// True events, first to last.
    log: Vec<G::Event>,
    /// Number of events of the log that each seat has been handed.
    seen: BySeat<usize>,
    /// The seats that still have to reply.
    to_act: Set<Seat>,
    /// The replies to this turn. They are revealed in seat order once all have arrived, so that the order of arrival does not matter.
    sealed: BySeat<Option<Reply<G::Action>>>,
    withdrawn: Vec<Set<Seat>>,
    faults: BySeat<Option<Fault>>,
    verdict: Option<Verdict>,
    /// The reason why the game has failed, if it has.
    broken: Option<String>,
}

impl<G: Game> Match<G> {
    /// Sets up a match.
    pub fn new(rules: &G::Rules, seats: usize, draws: impl Into<Draws>) -> Result<Self, BadTable> {
        check::<G>(rules, seats)?;
        let draws = draws.into();
        let seed = draws.seed();
        let mut log = Vec::with_capacity(128);
        let game = G::deal(rules, seats, draws, &mut log);
        let mut table = Self {
            game,
            record: Record::new::<G>(rules.clone(), seats, seed),
            log,
            seen: BySeat::new(seats, |_| 0),
            to_act: Set::EMPTY,
            sealed: BySeat::new(seats, |_| None),
            withdrawn: Vec::new(),
            faults: BySeat::new(seats, |_| None),
            verdict: None,
            broken: None,
        };
        table.advance();
        match table.broken {
            Some(why) => Err(BadTable(why)),
            None => Ok(table),
        }
    }

    /// Returns the seats that still have to reply; empty once the match is over.
    pub fn to_act(&self) -> Set<Seat> {
        self.to_act
    }

    /// Returns `true` if the match is over.
    pub fn is_over(&self) -> bool {
        self.verdict.is_some()
    }

    /// Returns the legal actions of a seat that has to reply.
    pub fn prompt(&self, seat: Seat) -> G::Prompt {
        self.game.prompt(seat)
    }

    /// Returns the events since the previous call for this seat, as the seat sees them.
    pub fn new_events(&mut self, seat: Seat) -> impl Iterator<Item = G::Event> {
        let from = std::mem::replace(&mut self.seen[seat], self.log.len());
        self.log[from..]
            .iter()
            .filter_map(move |event| G::shown_to(event, seat))
    }

    /// Returns the number of events handed to the seat.
    pub fn seen(&self, seat: Seat) -> usize {
        self.seen[seat]
    }

    /// Takes a seat's reply. The replies to a simultaneous turn may arrive in any order; they are revealed together, in seat order, once
    /// all have arrived. A seat whose action is illegal forfeits.
    pub fn reply(&mut self, seat: Seat, reply: Reply<G::Action>) -> Result<(), NotTaken> {
        if !self.to_act.contains(seat) {
            return Err(NotTaken::OutOfTurn(seat));
        }
        self.to_act.remove(seat);
        self.sealed[seat] = Some(reply);
        if !self.to_act.is_empty() {
            return Ok(());
        }
        let mut failed = Set::EMPTY;
        for seat in Seat::all(self.sealed.len()) {
            if let Some(reply) = self.sealed[seat].take() {
                self.open(seat, reply, &mut failed);
            }
        }
        if !failed.is_empty() {
            self.withdrawn.push(failed);
            self.game.withdraw(failed, &mut self.log);
        }
        self.advance();
        match &self.broken {
            Some(why) => Err(NotTaken::Broken(why.clone())),
            None => Ok(()),
        }
    }

    /// Returns the reason why the game itself has failed, if it has. Then no seat has to act, and there is no verdict.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Returns the verdict, once the match is over.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Returns the fault for which the seat forfeited, if it did.
    pub fn fault(&self, seat: Seat) -> Option<&Fault> {
        self.faults[seat].as_ref()
    }

    /// Returns all events so far, with nothing hidden.
    pub fn events(&self) -> &[G::Event] {
        &self.log
    }

    /// Returns the game with all hidden information.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Returns the seed, the rules and the replies so far.
    pub fn record(&self) -> &RecordOf<G> {
        &self.record
    }

    /// Returns the replies to this turn that have not been revealed yet.
    pub fn sealed(&self) -> impl Iterator<Item = (Seat, &Reply<G::Action>)> {
        let sealed = self.sealed.seats();
        sealed.filter_map(|(seat, reply)| Some((seat, reply.as_ref()?)))
    }

    /// Consumes a finished match, returning its verdict, record and true events.
    pub fn finish(self) -> Option<Finished<G>> {
        Some(Finished {
            verdict: self.verdict?,
            record: self.record,
            events: self.log,
        })
    }

    /// Carries out and records one reply.
    fn open(&mut self, seat: Seat, reply: Reply<G::Action>, failed: &mut Set<Seat>) {
        let (reply, fault) = match reply {
            Reply::Act(action) => match self.game.play(seat, &action, &mut self.log) {
                Ok(()) => (Reply::Act(action), None),
                Err(illegal) => {
                    let fault = Fault::illegal(illegal.0);
                    (Reply::Failed(fault.clone()), Some(fault))
                }
            },
            Reply::Late => match self.game.overdue(seat, &mut self.log) {
                Late::Penalty => (Reply::Late, None),
                Late::Forfeit => (Reply::Late, Some(Fault::late())),
            },
            Reply::Failed(fault) => (Reply::Failed(fault.clone()), Some(fault)),
        };
        if let Some(fault) = fault {
            self.faults[seat] = Some(fault);
            failed.insert(seat);
        }
        self.record.replies.push(Replied(seat, reply));
    }

    /// Determines the seats that have to reply next, or the verdict if the game is over.
    fn advance(&mut self) {
        match self.game.turn() {
            Turn::Act(seats) => self.to_act = seats,
            Turn::Broken(why) => self.broken = Some(why),
            Turn::Over(outcome) => {
                let outcome = place_withdrawn_last(outcome, &self.withdrawn);
                let left = self.faults.iter().filter(|fault| fault.is_none()).count();
                let ended = if left < 2 {
                    Ended::Forfeit
                } else {
                    Ended::Played
                };
                self.verdict = Some(Verdict {
                    outcome,
                    ended,
                    faults: self.faults.clone(),
                });
            }
        }
    }
}

/// A finished match.
pub struct Finished<G: Game> {
    /// The placing, and the faults of seats that forfeited.
    pub verdict: Verdict,
    /// The record from which the match can be replayed.
    pub record: RecordOf<G>,
    /// All events, with nothing hidden.
    pub events: Vec<G::Event>,
}

/// Checks that this many seats can play by these rules.
pub fn check<G: Game>(rules: &G::Rules, seats: usize) -> Result<(), BadTable> {
    if !G::SEATS.contains(&seats) {
        let game = G::NAME;
        let least = G::SEATS.start();
        let most = G::SEATS.end();
        return Err(BadTable(format!(
            "{game} is for {least} to {most} seats, not {seats}"
        )));
    }
    rules.check(seats).map_err(BadTable)
}

/// Places seats that forfeited below those that finished. A later forfeit ranks higher, and simultaneous forfeits share a place.
fn place_withdrawn_last(mut outcome: Outcome, withdrawn: &[Set<Seat>]) -> Outcome {
    if withdrawn.is_empty() {
        return outcome;
    }
    let out = |seat: Seat| withdrawn.iter().position(|seats| seats.contains(seat));
    let key = |seat: Seat, place: u8| match out(seat) {
        None => (0, place),
        Some(when) => (withdrawn.len() - when, 0),
    };
    let keys: Vec<(usize, u8)> = outcome
        .seats
        .seats()
        .map(|(seat, score)| key(seat, score.place))
        .collect();
    for (score, mine) in outcome.seats.iter_mut().zip(&keys) {
        score.place = 1 + keys.iter().filter(|theirs| *theirs < mine).count() as u8;
    }
    outcome
}
