//! A seat's own knowledge, and the minds of the other seats.

use arena_engine::games::code_777::card::Rack;
use arena_engine::games::code_777::types::{Claim, Event, Rules};
use arena_engine::player::Start;
use arena_engine::seat::{BySeat, Seat};

use super::knowledge::Knowledge;
use super::minds::{COUNT, Claims, Mind, index};

/// What a seat knows, and what it thinks of what the others know.
pub(super) struct Table {
    knowledge: Knowledge,
    minds: Vec<Mind>,
    claims: Claims,
    /// Whether my rack is still unknown to me, and not just shown to all.
    hidden: bool,
}

impl Table {
    pub(super) fn new(start: &Start<'_, Rules>) -> Self {
        let others = Seat::all(start.seats).into_iter().filter(|seat| *seat != start.seat);
        Self {
            knowledge: Knowledge::new(start),
            minds: others.map(Mind::new).collect(),
            claims: Claims::new(start.rules),
            hidden: false,
        }
    }

    /// What the seat itself knows.
    pub(super) fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// Learns from what the others did after the last answer. They did it at once, so this comes before any of the cards
    /// that were shown or dealt then.
    pub(super) fn judge(&mut self, events: &[Event]) {
        let mut said: BySeat<Option<Claim>> = BySeat::new(self.knowledge.view.racks.len(), |_| None);
        for event in events {
            match event {
                Event::Declared { seat, said: claim, .. } => said[*seat] = Some(*claim),
                Event::Withdrew { seat, .. } => self.minds.retain(|mind| mind.seat != *seat),
                _ => {}
            }
        }
        // Nothing was asked yet, or my own rack is about to be shown.
        if !self.hidden || said[self.knowledge.view.seat].is_some() {
            return;
        }
        let before = self.weights();
        let mut weights = before.clone();
        for mind in &mut self.minds {
            mind.acted(said[mind.seat], &self.claims, &mut weights);
        }
        self.knowledge.weigh(|rack| weights[index(rack)] / before[index(rack)]);
    }

    /// Takes in one event.
    pub(super) fn learn(&mut self, event: &Event) {
        let me = self.knowledge.view.seat;
        self.knowledge.learn(event);
        match *event {
            Event::Declared { seat, rack, .. } if seat == me => {
                self.minds.iter_mut().for_each(|mind| mind.saw_mine(&rack));
                self.hidden = false;
            }
            Event::Dealt { seat, .. } if seat == me => self.hidden = true,
            Event::Dealt { seat, .. } => {
                self.minds.iter_mut().filter(|mind| mind.seat == seat).for_each(Mind::renewed);
            }
            Event::Answered { seat, question, answer } => {
                let tally = |rack: &Rack| question.tally(rack);
                let seen: u64 = self.knowledge.seen_by(seat).iter().map(tally).sum();
                let own = self.weights();
                for mind in self.minds.iter_mut().filter(|mind| mind.seat != seat) {
                    let theirs = self.knowledge.view.racks[mind.seat].as_ref().map_or(0, tally);
                    let seen = seen - theirs;
                    mind.heard(|more| question.read(seen + more) == answer, question, seat != me, &own);
                }
            }
            _ => {}
        }
        if self.hidden {
            let unseen = self.knowledge.unseen();
            for mind in &mut self.minds {
                let Some(rack) = &self.knowledge.view.racks[mind.seat] else { continue };
                let mut theirs = unseen;
                theirs.add(rack);
                mind.unseen(&theirs);
            }
        }
    }

    /// The weights of the racks that mine may be, by index.
    fn weights(&self) -> Vec<f64> {
        let mut weights = vec![0.0; COUNT];
        self.knowledge.own.iter().for_each(|(rack, weight)| weights[index(rack)] = *weight);
        weights
    }
}
