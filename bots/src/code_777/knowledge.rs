//! The knowledge of a seat of Code 777: the table as it sees it, and the racks that its own may be.

use arena_engine::game::View as _;
use arena_engine::games::code_777::card::{Cards, RACK, Rack};
use arena_engine::games::code_777::question::{Answer, Question};
use arena_engine::games::code_777::types::{Action, Claim, Event, Rules};
use arena_engine::games::code_777::view::View;
use arena_engine::player::Start;
use arena_engine::seat::{MOST_SEATS, Seat};
use arrayvec::ArrayVec;

/// The racks that a seat may have, each with the number of ways in which all that was seen can have come about.
pub(super) type Candidates = Vec<(Rack, f64)>;

/// Racks on the table.
pub(super) type Racks = ArrayVec<Rack, { MOST_SEATS + 1 }>;

/// The knowledge of a seat.
#[derive(Clone, Debug)]
pub(super) struct Knowledge {
    /// The rules played.
    pub(super) rules: Rules,
    /// The table as the seat sees it.
    pub(super) view: View,
    /// The racks that its own may be, and the likelihood of each; the weights need not add up to 1.
    pub(super) own: Candidates,
}

impl Knowledge {
    pub(super) fn new(start: &Start<'_, Rules>) -> Self {
        let view = View::new(start.rules, start.seats, start.seat);
        Self { rules: start.rules.clone(), view, own: Vec::new() }
    }

    /// Takes in one event.
    pub(super) fn learn(&mut self, event: &Event) {
        let me = self.view.seat;
        match *event {
            // The racks of later seats, and the dummies, are dealt after one's own: each gives a little information by leaving the pile.
            Event::Dealt { seat, .. } if seat == me => {
                let unseen = self.unseen();
                self.own = Rack::all().map(|rack| (rack, 1.0)).collect();
                self.weigh(|own| unseen.ways(own).into());
            }
            Event::Dealt { rack: Some(rack), .. } | Event::Dummy { rack } => {
                let unseen = self.unseen();
                self.weigh(|own| unseen.without(own).map_or(0.0, |pile| pile.ways(&rack).into()));
            }
            Event::Answered { seat, question, answer } if seat != me => {
                let mut seen = self.seen_by(seat);
                self.weigh(|own| f64::from(answers(question, &mut seen, own) == answer));
            }
            _ => {}
        }
        self.view.see(event);
    }

    /// Multiplies the weight of each candidate, and drops those that cannot be.
    pub(super) fn weigh(&mut self, mut factor: impl FnMut(&Rack) -> f64) {
        self.own.iter_mut().for_each(|(rack, weight)| *weight *= factor(rack));
        self.own.retain(|(_, weight)| *weight > 0.0);
        let total: f64 = self.own.iter().map(|(_, weight)| weight).sum();
        self.own.iter_mut().for_each(|(_, weight)| *weight /= total);
    }

    /// The declaration that cannot be wrong, if there is one.
    pub(super) fn certain(&self) -> Option<Action> {
        let (first, rest) = self.own.split_first()?;
        let claim = claim(&first.0, &self.rules);
        rest.iter().all(|(rack, _)| claim.right(rack)).then_some(Action::Declare(claim))
    }

    /// True after the last question, when there is nothing left to wait for.
    pub(super) fn is_last(&self) -> bool {
        self.view.questions >= self.rules.questions
    }

    /// The cards that are on no rack that the seat sees and not among the discards: its own and the draw pile.
    pub(super) fn unseen(&self) -> Cards {
        let mut unseen = Cards::full();
        let discards = self.view.discards.chunks_exact(RACK).map(|rack| Rack::from([rack[0], rack[1], rack[2]]));
        let seen = self.view.racks.iter().flatten().chain(&self.view.dummies).copied().chain(discards);
        for rack in seen {
            unseen = unseen.without(&rack).expect("there are no more cards than 28");
        }
        unseen
    }

    /// The racks that another seat sees, without one's own.
    pub(super) fn seen_by(&self, seat: Seat) -> Racks {
        let others = self.view.racks.seats().filter(|(other, _)| *other != seat).filter_map(|(_, rack)| *rack);
        others.chain(self.view.dummies.iter().copied()).collect()
    }

    /// The likeliest declaration if it is at least this likely, or there is nothing left to wait for; else none.
    pub(super) fn declare_from(&self, enough: f64) -> Action {
        match self.likeliest() {
            Some((action, chance)) if chance >= enough || self.is_last() => action,
            _ => Action::Pass {},
        }
    }

    /// The likeliest declaration and its chance to be right; of equals the first.
    fn likeliest(&self) -> Option<(Action, f64)> {
        let mut chances: Vec<(Claim, f64)> = Vec::new();
        for (rack, weight) in &self.own {
            match chances.iter_mut().find(|(claim, _)| claim.right(rack)) {
                Some((_, chance)) => *chance += weight,
                None => chances.push((claim(rack, &self.rules), *weight)),
            }
        }
        let total: f64 = self.own.iter().map(|(_, weight)| weight).sum();
        let likelier = |best: (Claim, f64), next: (Claim, f64)| if next.1 > best.1 { next } else { best };
        let (claim, weight) = chances.into_iter().reduce(likelier)?;
        Some((Action::Declare(claim), weight / total))
    }
}

/// The answer to a question of a seat that sees these racks and one more.
pub(super) fn answers(question: Question, seen: &mut Racks, more: &Rack) -> Answer {
    seen.push(*more);
    let answer = question.answer(seen);
    seen.pop();
    answer
}

/// The declaration of a rack.
pub(super) fn claim(rack: &Rack, rules: &Rules) -> Claim {
    if rules.colours { Claim::Cards(rack.cards()) } else { Claim::Numbers(rack.numbers()) }
}
