//! One match as a value: who must act, what they replied, what each seat has heard, and how it ended.

use serde::{Deserialize, Serialize};

use crate::chance::Seed;
use crate::fault::Fault;
use crate::game::{Game, Late, Rules, Turn};
use crate::outcome::{Ended, Outcome, Verdict};
use crate::record::{Record, RecordOf, Replied};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// What came back from a seat that had to act.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply<Action> {
    /// An action.
    Act(Action),
    /// Nothing in time.
    Late,
    /// A failure that costs the match.
    Failed(Fault),
}

/// Why a match cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum BadTable {
    /// The game is not for that many.
    #[error("{game} is for {least} to {most} seats, not {seats}")]
    Seats {
        /// The game's name.
        game: &'static str,
        /// The fewest seats.
        least: usize,
        /// The most seats.
        most: usize,
        /// What was asked for.
        seats: usize,
    },
    /// The rules contradict themselves or the seats.
    #[error("{0}")]
    Rules(String),
}

/// A reply from a seat that was not asked, or had replied already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("seat {0} is not asked for anything now")]
pub struct NotAsked(pub Seat);

/// A match being played.
pub struct Match<G: Game> {
    game: G,
    record: RecordOf<G>,
    log: Vec<G::Event>,
    heard: BySeat<usize>,
    asked: Set<Seat>,
    sealed: Sealed<Reply<G::Action>>,
    withdrawn: Vec<Set<Seat>>,
    faults: BySeat<Option<Fault>>,
    verdict: Option<Verdict>,
}

impl<G: Game> Match<G> {
    /// Sets up a match.
    pub fn new(rules: &G::Rules, seats: usize, seed: Seed) -> Result<Self, BadTable> {
        check::<G>(rules, seats)?;
        let mut log = Vec::with_capacity(128);
        let game = G::deal(rules, seats, seed, &mut log);
        let mut table = Self {
            game,
            record: Record::new::<G>(rules.clone(), seats, seed),
            log,
            heard: BySeat::new(seats, |_| 0),
            asked: Set::EMPTY,
            sealed: Sealed::new(seats),
            withdrawn: Vec::new(),
            faults: BySeat::new(seats, |_| None),
            verdict: None,
        };
        table.ask();
        Ok(table)
    }

    /// The seats that still have to reply; none once the match is over.
    pub fn asked(&self) -> Set<Seat> {
        self.asked
    }

    /// Whether the match is over.
    pub fn over(&self) -> bool {
        self.verdict.is_some()
    }

    /// What a seat that has to reply is asked.
    pub fn prompt(&self, seat: Seat) -> G::Prompt {
        self.game.prompt(seat)
    }

    /// The events since this was last called for the seat, as the seat sees them.
    pub fn news(&mut self, seat: Seat) -> impl Iterator<Item = G::Event> {
        let from = std::mem::replace(&mut self.heard[seat], self.log.len());
        self.log[from..].iter().map(move |event| G::seen_by(event, seat))
    }

    /// Takes a seat's reply. Replies to a simultaneous turn may come in any order: they are opened together, by seat,
    /// when the last is in. A seat whose action is illegal forfeits.
    pub fn reply(&mut self, seat: Seat, reply: Reply<G::Action>) -> Result<(), NotAsked> {
        if !self.asked.contains(seat) {
            return Err(NotAsked(seat));
        }
        self.asked.remove(seat);
        let mut failed = Set::EMPTY;
        if self.asked.is_empty() && self.sealed.is_empty() {
            self.open(seat, reply, &mut failed);
        } else {
            self.sealed.put(seat, reply);
            if !self.asked.is_empty() {
                return Ok(());
            }
            while let Some((seat, reply)) = self.sealed.next() {
                self.open(seat, reply, &mut failed);
            }
        }
        if !failed.is_empty() {
            self.withdrawn.push(failed);
            self.game.withdraw(failed, &mut self.log);
        }
        self.ask();
        Ok(())
    }

    /// The end of the match, once it is over.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Why the seat is out, if it forfeited.
    pub fn fault(&self, seat: Seat) -> Option<&Fault> {
        self.faults[seat].as_ref()
    }

    /// Everything that happened so far, nothing hidden.
    pub fn events(&self) -> &[G::Event] {
        &self.log
    }

    /// The game, for those who may see everything.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Seed, rules and replies so far.
    pub fn record(&self) -> &RecordOf<G> {
        &self.record
    }

    /// The verdict and the record of a finished match, and its true events.
    pub fn finish(self) -> Option<Finished<G>> {
        Some(Finished { verdict: self.verdict?, record: self.record, events: self.log })
    }

    /// Carries out one reply and notes it.
    fn open(&mut self, seat: Seat, reply: Reply<G::Action>, failed: &mut Set<Seat>) {
        let (reply, fault) = match reply {
            Reply::Act(action) => match self.game.play(seat, &action, &mut self.log) {
                Ok(()) => (Reply::Act(action), None),
                Err(illegal) => {
                    let fault = Fault::Illegal(illegal.0);
                    (Reply::Failed(fault.clone()), Some(fault))
                }
            },
            Reply::Late => match self.game.overdue(seat, &mut self.log) {
                Late::Penalty => (Reply::Late, None),
                Late::Forfeit => (Reply::Late, Some(Fault::Late(None))),
            },
            Reply::Failed(fault) => (Reply::Failed(fault.clone()), Some(fault)),
        };
        if let Some(fault) = fault {
            self.faults[seat] = Some(fault);
            failed.insert(seat);
        }
        self.record.replies.push(Replied(seat, reply));
    }

    /// Finds out who has to reply next, or that it is over.
    fn ask(&mut self) {
        match self.game.turn() {
            Turn::Act(seats) => self.asked = seats,
            Turn::Over(outcome) => {
                let outcome = place_withdrawn_last(outcome, &self.withdrawn);
                let left = self.faults.iter().filter(|fault| fault.is_none()).count();
                let ended = if left < 2 { Ended::Forfeit } else { Ended::Played };
                self.verdict = Some(Verdict { outcome, ended, faults: self.faults.clone() });
            }
        }
    }
}

/// A finished match.
pub struct Finished<G: Game> {
    /// How it ended.
    pub verdict: Verdict,
    /// What it can be replayed from.
    pub record: RecordOf<G>,
    /// What happened, nothing hidden.
    pub events: Vec<G::Event>,
}

/// Says whether a table of that many seats can play by these rules.
pub fn check<G: Game>(rules: &G::Rules, seats: usize) -> Result<(), BadTable> {
    if !G::SEATS.contains(&seats) {
        let (least, most) = (*G::SEATS.start(), *G::SEATS.end());
        return Err(BadTable::Seats { game: G::NAME, least, most, seats });
    }
    rules.check(seats).map_err(BadTable::Rules)
}

/// An envelope for each seat, opened in order of the seats once the last is in: arrival order changes nothing.
struct Sealed<T>(BySeat<Option<T>>);

impl<T> Sealed<T> {
    fn new(seats: usize) -> Self {
        Self(BySeat::new(seats, |_| None))
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    fn put(&mut self, seat: Seat, content: T) {
        self.0[seat] = Some(content);
    }

    fn next(&mut self) -> Option<(Seat, T)> {
        let seat = self.0.seats().find(|(_, content)| content.is_some())?.0;
        Some((seat, self.0[seat].take()?))
    }
}

/// Seats that forfeited are placed below those that finished: the later, the better, and equal if at the same time.
fn place_withdrawn_last(mut outcome: Outcome, withdrawn: &[Set<Seat>]) -> Outcome {
    if withdrawn.is_empty() {
        return outcome;
    }
    let out = |seat: Seat| withdrawn.iter().position(|seats| seats.contains(seat));
    let key = |seat: Seat, place: u8| match out(seat) {
        None => (0, place),
        Some(when) => (withdrawn.len() - when, 0),
    };
    let keys: Vec<(usize, u8)> = outcome.seats.seats().map(|(seat, score)| key(seat, score.place)).collect();
    for (score, mine) in outcome.seats.iter_mut().zip(&keys) {
        score.place = 1 + keys.iter().filter(|theirs| *theirs < mine).count() as u8;
    }
    outcome
}
