//! Models the information that the others can read from a seat's own actions, and whether they read it.

use arena_engine::chance::Chance;
use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::known::Place;
use arena_engine::games::coda::odds::Odds;
use arena_engine::games::coda::panel::Panel;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::games::coda::view::View;
use arena_engine::player::Start;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::set::Set;

use super::decisions::options;
use super::hands::{Hand, Hands, affordable};
use super::knowledge::Knowledge;
use super::opponents::{Opponents, SURE_ATTACKS, Thought, attacks};

/// Maximum number of possible codes of the seat that are considered.
const MAX_CODES: usize = 64;
/// Maximum likelihood ratio for, or against, the assumption that the others read the seat's actions.
const MAX_EVIDENCE: f64 = 1e6;
/// Fraction of actions that are assumed to be random.
const AT_RANDOM: f64 = 0.05;

/// An observer who sees the events that all other seats see.
pub struct Onlooker {
    /// The observed seat.
    seat: Seat,
    /// The knowledge of another seat, except for its own panels.
    knowledge: Knowledge,
    /// The beliefs of this other seat about its opponents.
    opinion: Opponents,
    /// For each seat, the likelihood ratio of its actions: if it reads the actions of the observed seat, compared with counting only.
    reading: BySeat<f64>,
    chance: Chance,
    move_ms: Option<u64>,
}

impl Onlooker {
    /// Creates the observer before the first event.
    pub fn new(start: &Start<'_, Rules>) -> Self {
        let other = Seat(u8::from(start.seat == Seat(0)));
        Self {
            seat: start.seat,
            knowledge: Knowledge::new(&Start {
                seat: other,
                ..start.clone()
            }),
            opinion: Opponents::new(start.seats, SURE_ATTACKS),
            reading: BySeat::new(start.seats, |_| 1.0),
            chance: start.seed.stream("onlooker", 0),
            move_ms: start.move_ms,
        }
    }

    /// Processes an event that the seat sees.
    pub fn learn(&mut self, event: &Event) {
        if let Event::Attacked {
            seat,
            target,
            position,
            panel,
            ..
        } = *event
            && target == self.seat
        {
            let mut hands = self.hands();
            let counting = self.share(&hands, position, panel);
            self.opinion.weigh(&self.knowledge, &mut hands);
            let factor = self.share(&hands, position, panel) / counting;
            self.reading[seat] =
                (self.reading[seat] * factor).clamp(1.0 / MAX_EVIDENCE, MAX_EVIDENCE);
        }
        let other = self.knowledge.known.view.seat;
        self.knowledge
            .learn(&mut std::iter::once(Coda::seen_by(event, other)));
    }

    /// Returns the average probability that the others read the seat's actions.
    pub fn reads(&self) -> f64 {
        let codes = self.knowledge.known.view.codes.seats();
        let others = codes.filter(|(other, row)| *other != self.seat && !row.standing.is_empty());
        let (seats, sum) = others.fold((0.0, 0.0), |(seats, sum), (other, _)| {
            (
                seats + 1.0,
                sum + self.reading[other] / (1.0 + self.reading[other]),
            )
        });
        if seats > 0.0 { sum / seats } else { 0.0 }
    }

    /// Returns how much likelier the seat is to choose each attack or stop with its actual code than with other possible codes: from -1 to
    /// 1.
    pub fn revealed_by(&mut self, view: &View, actions: &[Action]) -> Vec<f64> {
        if !actions
            .iter()
            .any(|action| matches!(action, Action::Attack { .. }))
        {
            return vec![0.0; actions.len()];
        }
        let mut hands = self.hands();
        self.opinion.weigh(&self.knowledge, &mut hands);
        let options = options(&self.knowledge.known, self.seat);
        let aside = view.aside.as_ref().and_then(|aside| aside.panel.panel());
        let own = view.codes[self.seat]
            .panels
            .iter()
            .filter_map(|shown| shown.panel())
            .chain(aside)
            .collect();
        let own = Thought::new(&options, own);
        let codes = hands
            .hands
            .iter()
            .map(|hand| (hand.weight, self.code(&hands, hand)));
        let codes = codes.filter(|(_, code)| aside.is_none_or(|aside| !code.contains(aside)));
        let thought =
            |code: Set<Panel>| Thought::new(&options, code.into_iter().chain(aside).collect());
        let others: Vec<(f64, Thought<'_>)> = codes
            .map(|(weight, code)| (weight, thought(code)))
            .collect();
        let all: f64 = others.iter().map(|(weight, _)| weight).sum();
        let at_random = AT_RANDOM / attacks(&options);
        let may_stop = actions.contains(&Action::Stop {});
        let revealed = |action: &Action| {
            let attack = attacked(view, &options, *action);
            let with = |thought: &Thought<'_>| at_random + thought.likelihood(attack, may_stop)[0];
            let mean = others
                .iter()
                .map(|(weight, thought)| weight * with(thought))
                .sum::<f64>()
                / all;
            let own = with(&own);
            if all > 0.0 {
                (own - mean) / (own + mean)
            } else {
                0.0
            }
        };
        actions.iter().map(revealed).collect()
    }

    /// Returns hands of all seats that the observer sees.
    fn hands(&mut self) -> Hands {
        let codes = affordable(self.move_ms, &self.knowledge).min(MAX_CODES);
        Hands::new(&self.knowledge, codes, &mut self.chance)
    }

    /// Returns the code of the seat in this hand.
    fn code(&self, hands: &Hands, hand: &Hand) -> Set<Panel> {
        let shown = self.knowledge.known.view.codes[self.seat]
            .panels
            .iter()
            .filter_map(|shown| shown.panel());
        let places = hands.places.iter().zip(&hand.panels);
        shown
            .chain(
                places
                    .filter(|((seat, _), _)| *seat == self.seat)
                    .map(|(_, panel)| *panel),
            )
            .collect()
    }

    /// Returns the likelihood of this attack on the seat, by an opponent who believes in the hands by their weights.
    fn share(&self, hands: &Hands, position: u8, panel: Panel) -> f64 {
        let odds: Vec<Odds> = hands
            .odds()
            .into_iter()
            .filter(|odds| odds.seat == self.seat)
            .collect();
        let best = odds
            .iter()
            .fold(0.0, |best: f64, odds| best.max(odds.chance));
        let eagerness = |odds: &Odds| {
            let square = (odds.chance / best) * (odds.chance / best);
            square * square
        };
        let all: f64 = odds.iter().map(eagerness).sum();
        let made = odds
            .iter()
            .find(|odds| (odds.position, odds.panel) == (position, panel))
            .map_or(0.0, eagerness);
        if all > 0.0 {
            (1.0 - AT_RANDOM) * made / all + AT_RANDOM / odds.len() as f64
        } else {
            1.0
        }
    }
}

/// Returns the option that an action attacks with the named panel; `None` for a stop.
fn attacked(
    view: &View,
    options: &[(Place, Set<Panel>)],
    action: Action,
) -> Option<(usize, Panel)> {
    let Action::Attack {
        seat,
        position,
        face,
    } = action
    else {
        return None;
    };
    let option = options
        .iter()
        .position(|(place, _)| *place == (seat, position));
    let colour = view.codes[seat].panels[usize::from(position)].colour;
    Some((
        option.expect("an attack is on a standing panel"),
        Panel::new(colour, face),
    ))
}
