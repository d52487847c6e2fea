//! The course of a match: games, turns, questions and declarations.

use super::code::Code;
use super::question::{Kind, Question};
use super::types::{self, Event, Samples};
use super::{CODE_DRAWN, DigitCode, End, Hidden, MAX_WRONG, Phase};
use crate::seat::Seat;
use crate::set::Set;

impl DigitCode {
    pub(super) fn seats(&self) -> usize {
        self.wins.len()
    }

    pub(super) fn start_game(&mut self, events: &mut Vec<Event>) {
        self.game += 1;
        self.turns.iter_mut().for_each(|turns| *turns = 0);
        self.wrong.iter_mut().for_each(|wrong| *wrong = 0);
        self.solving = self.playing;
        self.first = Seat((self.game - 1) % 2);
        self.hidden = Hidden::Each([None; 2]);
        let mut master = None;
        if self.seats() > 2 {
            self.first = Seat(0);
            let code = Code::from_fixed(self.draws.fixed(CODE_DRAWN, 0));
            let random = || Code::random(&mut self.draws.stream(CODE_DRAWN, 0));
            self.hidden = Hidden::Engine(code.unwrap_or_else(random));
            master = self.masters.first();
        }
        if let Some(master) = master {
            self.masters.remove(master);
            self.solving.remove(master);
            self.first = master
                .next(self.seats(), self.solving)
                .expect("another seat plays");
            self.hidden = Hidden::Master(master, None);
        }
        events.push(Event::GameStarted {
            game: self.game,
            first: self.first,
            master,
        });
        if let Hidden::Engine(code) = self.hidden {
            events.push(Event::Hid {
                seat: None,
                code: Some(code),
            });
            self.start_turn(self.first, events);
        } else {
            self.phase = Phase::Hiding;
        }
    }

    /// Returns the seats that still have to hide a code.
    pub(super) fn to_hide(&self) -> Set<Seat> {
        match self.hidden {
            Hidden::Each(codes) => self
                .playing
                .into_iter()
                .filter(|seat| codes[seat.index()].is_none())
                .collect(),
            Hidden::Engine(_) | Hidden::Master(_, Some(_)) => Set::EMPTY,
            Hidden::Master(master, None) => Set::one(master),
        }
    }

    pub(super) fn hide(&mut self, seat: Seat, code: Code, events: &mut Vec<Event>) {
        match &mut self.hidden {
            Hidden::Each(codes) => codes[seat.index()] = Some(code),
            Hidden::Master(_, hidden) => *hidden = Some(code),
            Hidden::Engine(_) => unreachable!("no seat hides a code if the engine does"),
        }
        events.push(Event::Hid {
            seat: Some(seat),
            code: Some(code),
        });
        if self.to_hide().is_empty() {
            self.start_turn(self.first, events);
        }
    }

    /// Returns the code that the seat tries to solve.
    pub(super) fn secret(&self, seat: Seat) -> Code {
        let code = match self.hidden {
            Hidden::Each(codes) => codes[1 - seat.index()],
            Hidden::Engine(code) => Some(code),
            Hidden::Master(_, code) => code,
        };
        code.expect("all codes are hidden before the first turn")
    }

    pub(super) fn start_turn(&mut self, seat: Seat, events: &mut Vec<Event>) {
        if self.turns[seat] < self.rules.turn_limit {
            self.phase = Phase::Asking(seat, Kind::all());
        } else {
            self.end_game(End::Unsolved, events);
        }
    }

    /// Ends the turn of `seat`.
    pub(super) fn next_turn(&mut self, seat: Seat, events: &mut Vec<Event>) {
        self.turns[seat] += 1;
        match seat.next(self.seats(), self.solving) {
            Some(next) => self.start_turn(next, events),
            None => self.end_game(End::Unsolved, events),
        }
    }

    /// Returns some legal codes as samples, drawn from a separate stream.
    pub(super) fn samples(&self, seat: Seat) -> Samples {
        let when =
            u64::from(self.game) << 32 | u64::from(self.turns[seat]) << 8 | u64::from(seat.0);
        let mut chance = self.draws.stream("samples", when);
        std::iter::repeat_with(|| Code::random(&mut chance))
            .take(types::SAMPLES)
            .collect()
    }

    pub(super) fn answer(&mut self, seat: Seat, question: Question, events: &mut Vec<Event>) {
        events.push(Event::answer(seat, question, self.secret(seat)));
        if let (Phase::Asking(_, kinds), Hidden::Each(_), 0) =
            (self.phase, &self.hidden, self.turns[seat])
        {
            let left = kinds.without(Set::one(question.kind()));
            if !left.is_empty() {
                self.phase = Phase::Asking(seat, left);
                return;
            }
        }
        self.next_turn(seat, events);
    }

    /// Judges a declaration.
    pub(super) fn judge(&mut self, seat: Seat, code: Code, events: &mut Vec<Event>) {
        let right = code == self.secret(seat);
        events.push(Event::Declared { seat, code, right });
        let opponent = match self.hidden {
            Hidden::Each(_) => seat.next(self.seats(), self.playing),
            Hidden::Engine(_) | Hidden::Master(..) => None,
        };
        match (self.phase, opponent) {
            (Phase::LastChance(_), _) if right => self.end_game(End::BothSolved, events),
            (_, Some(opponent)) if right && seat == self.first => {
                self.phase = Phase::LastChance(opponent);
            }
            _ if right => self.end_game(End::Won(seat), events),
            _ => self.miss(seat, opponent, events),
        }
    }

    /// Handles a wrong declaration.
    pub(super) fn miss(&mut self, seat: Seat, opponent: Option<Seat>, events: &mut Vec<Event>) {
        self.wrong[seat] += 1;
        if self.wrong[seat] == MAX_WRONG {
            events.push(Event::Eliminated { seat });
            self.solving.remove(seat);
        }
        let lost = self.wrong[seat] == MAX_WRONG || matches!(self.phase, Phase::LastChance(_));
        match opponent {
            Some(opponent) if lost => self.end_game(End::Won(opponent), events),
            _ => self.next_turn(seat, events),
        }
    }

    pub(super) fn end_game(&mut self, end: End, events: &mut Vec<Event>) {
        let mut reveal = |seat, code: Option<Code>| {
            events.extend(code.map(|code| Event::Revealed { seat, code }));
        };
        match self.hidden {
            Hidden::Each(codes) => (0..)
                .map(Seat)
                .zip(codes)
                .for_each(|(seat, code)| reveal(Some(seat), code)),
            Hidden::Engine(code) => reveal(None, Some(code)),
            Hidden::Master(master, code) => reveal(Some(master), code),
        }
        let winner = if let End::Won(seat) = end {
            Some(seat)
        } else {
            None
        };
        winner.into_iter().for_each(|seat| self.wins[seat] += 1);
        events.push(Event::GameEnded { winner });
        self.masters = self.masters.and(self.playing);
        let again = match self.hidden {
            Hidden::Each(_) => end == End::BothSolved && self.game <= self.rules.replays,
            Hidden::Engine(_) => false,
            Hidden::Master(..) => self.playing.len() > 1 && !self.masters.is_empty(),
        };
        if again {
            self.start_game(events);
        } else {
            self.phase = Phase::Over;
        }
    }
}
