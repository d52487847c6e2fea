//! A seat's beliefs: its own knowledge, and models of the other seats.

use arena_engine::games::code_777::card::Rack;
use arena_engine::games::code_777::known::Known;
use arena_engine::games::code_777::types::{Claim, Event, Rules};
use arena_engine::player::Start;
use arena_engine::seat::{BySeat, Seat};

use super::opponent::{Claims, Opponent, RACK_COUNT, index};

/// A seat's knowledge, with its model of the others' knowledge.
pub(super) struct Beliefs {
    /// The seat's own knowledge.
    pub(super) known: Known,
    others: Vec<Opponent>,
    claims: Claims,
    /// True while my rack is unknown to me. Once it is shown, everybody knows it.
    hidden: bool,
}

impl Beliefs {
    pub(super) fn new(start: &Start<'_, Rules>) -> Self {
        let others = Seat::all(start.seats)
            .into_iter()
            .filter(|seat| *seat != start.seat);
        Self {
            known: Known::new(start.rules, start.seats, start.seat),
            others: others.map(Opponent::new).collect(),
            claims: Claims::new(start.rules),
            hidden: false,
        }
    }

    /// Returns the highest probability that another seat scores the winning point now.
    pub(super) fn danger(&self) -> f64 {
        let points = &self.known.view.points;
        let most = points.iter().max().copied().unwrap_or(0);
        let wins = |other: &&Opponent| {
            points[other.seat] == most
                && points[other.seat] + 1 >= u16::from(self.known.rules.points)
        };
        let own = self.weights();
        self.others
            .iter()
            .filter(wins)
            .map(|other| other.scores(&self.claims, &own))
            .fold(0.0, f64::max)
    }

    /// Processes the events since the last turn.
    pub(super) fn see(&mut self, events: &mut dyn Iterator<Item = Event>) {
        let events: Vec<Event> = events.collect();
        self.judge(&events);
        events.iter().for_each(|event| self.learn(event));
    }

    /// Learns from the simultaneous actions of others after the last answer. The actions came before any cards were shown or dealt.
    fn judge(&mut self, events: &[Event]) {
        let mut claims: BySeat<Option<Claim>> = BySeat::new(self.known.view.racks.len(), |_| None);
        for event in events {
            match event {
                Event::Declared { seat, said, .. } => claims[*seat] = Some(*said),
                Event::Withdrew { seat, .. } => self.others.retain(|other| other.seat != *seat),
                _ => {}
            }
        }
        // Either there has been no question yet, or my own rack is about to be shown.
        if !self.hidden || claims[self.known.view.seat].is_some() {
            return;
        }
        let before = self.weights();
        let mut weights = before.clone();
        for other in &mut self.others {
            other.weigh(claims[other.seat], &self.claims, &mut weights);
        }
        self.known
            .weigh(|rack| weights[index(rack)] / before[index(rack)]);
    }

    /// Processes one event.
    fn learn(&mut self, event: &Event) {
        let me = self.known.view.seat;
        self.known.see(event);
        match *event {
            Event::Declared { seat, rack, .. } if seat == me => {
                self.others
                    .iter_mut()
                    .for_each(|other| other.see_mine(&rack));
                self.hidden = false;
            }
            Event::Dealt { seat, .. } if seat == me => self.hidden = true,
            Event::Dealt { seat, .. } => {
                self.others
                    .iter_mut()
                    .filter(|other| other.seat == seat)
                    .for_each(Opponent::renew);
            }
            Event::Answered {
                seat,
                question,
                answer,
            } => {
                let tally = |rack: &Rack| question.tally(rack);
                let seen: u64 = self.known.seen_by(seat).iter().map(tally).sum();
                let own = self.weights();
                for other in self.others.iter_mut().filter(|other| other.seat != seat) {
                    let theirs = self.known.view.racks[other.seat].as_ref().map_or(0, tally);
                    let seen = seen - theirs;
                    other.learn(
                        |more| question.read(seen + more) == answer,
                        question,
                        seat != me,
                        &own,
                    );
                }
            }
            _ => {}
        }
        if self.hidden {
            let unseen = self.known.unseen();
            for other in &mut self.others {
                let Some(rack) = &self.known.view.racks[other.seat] else {
                    continue;
                };
                let mut theirs = unseen;
                theirs.add(rack);
                other.limit(&theirs);
            }
        }
    }

    /// Returns the weights of the candidates for my rack, by index.
    fn weights(&self) -> Vec<f64> {
        let mut weights = vec![0.0; RACK_COUNT];
        self.known
            .own
            .iter()
            .for_each(|(rack, weight)| weights[index(rack)] = *weight);
        weights
    }
}
