//! The likelihood of an opponent's actions given its hand, by which hands are weighed.
//!
//! A thinking opponent attacks where a hit is likely, given its own hand, and continues while the next hit is likely enough. Random actions
//! carry no information. Their frequency differs between opponents, and is learnt during a match, so that a bluffer soon counts as random.

use arena_engine::games::coda::known::Place;
use arena_engine::games::coda::panel::Panel;
use arena_engine::seat::BySeat;
use arena_engine::set::{Member, Set};

use super::ascending::{Hidden, NUMBERS, PLACES, chances};
use super::decisions::Decision;
use super::exact::MIN_CHANCE_TO_GO_ON;
use super::hands::Hands;
use super::knowledge::Knowledge;

/// Types of opponents: the frequency of random actions, and the index of the type's [`Likelihood`].
const KINDS: [(f64, usize); 5] = [(0.03, 0), (0.25, 0), (0.03, 1), (0.25, 1), (1.0, 0)];
/// Prior over types if all opponents are assumed to make the likeliest attack.
pub const SURE_ATTACKS: Types = [0.6, 0.3, 0.0, 0.0, 0.1];
/// Prior over types if opponents may also attack for other reasons.
pub const ANY_ATTACKS: Types = [0.3, 0.15, 0.3, 0.15, 0.1];
/// Probability that a thinking opponent continues with a likely attack. Also the probability that it stops before an unlikely one.
const CONSISTENCY: f64 = 0.97;

/// A value for each type.
pub type Types = [f64; KINDS.len()];

/// Likelihoods of an action for two kinds of thinking opponents. The first kind always makes the likeliest attack; the second often makes a
/// less likely one.
pub type Likelihood = [f64; 2];

/// Beliefs about the opponents' types.
pub struct Opponents {
    /// Probabilities of each seat's types before this round.
    before: BySeat<Types>,
    /// Probabilities that include the seat's actions in this round.
    now: BySeat<Types>,
    round: u8,
}

impl Opponents {
    /// Creates the beliefs before the first round.
    pub fn new(seats: usize, first: Types) -> Self {
        let first = || BySeat::new(seats, |_| first);
        Self {
            before: first(),
            now: first(),
            round: 0,
        }
    }

    /// Weighs the hands by their owners' actions in this round.
    pub fn weigh(&mut self, knowledge: &Knowledge, hands: &mut Hands) {
        if self.round != knowledge.known.view.round {
            self.round = knowledge.known.view.round;
            self.before = self.now.clone();
        }
        let owned: Vec<Owned<'_>> = knowledge
            .decisions
            .all
            .iter()
            .map(|decision| Owned::new(decision, knowledge, hands))
            .collect();
        let seats = self.before.len();
        let mut now = BySeat::new(seats, |_| Types::default());
        for hand in &mut hands.hands {
            let mut likely = BySeat::new(seats, |seat| self.before[seat]);
            for decision in &owned {
                let (thinking, at_random) = decision.likelihood(&hand.panels);
                let types = likely[decision.decision.seat].iter_mut().zip(KINDS);
                types.for_each(|(share, (random, kind))| {
                    *share *= (1.0 - random) * thinking[kind] + random * at_random;
                });
            }
            let sums = likely.map(|types| types.iter().sum::<f64>());
            hand.weight *= sums.iter().product::<f64>();
            for (seat, types) in likely.seats() {
                now[seat]
                    .iter_mut()
                    .zip(types)
                    .for_each(|(now, share)| *now += hand.weight * share / sums[seat]);
            }
        }
        for (seat, types) in now.seats() {
            let sum: f64 = types.iter().sum();
            if sum > 0.0 {
                self.now[seat] = types.map(|share| share / sum);
            }
        }
    }
}

/// A decision with the panels of its seat at the time: the known panels, and the indices of the hidden places.
struct Owned<'a> {
    decision: &'a Decision,
    known: Set<Panel>,
    hidden: Vec<usize>,
}

impl<'a> Owned<'a> {
    fn new(decision: &'a Decision, knowledge: &Knowledge, hands: &Hands) -> Self {
        let row = &knowledge.known.view.codes[decision.seat];
        let known = decision
            .own
            .into_iter()
            .filter_map(|position| row.panels[usize::from(position)].panel())
            .collect();
        let index = |position| {
            hands
                .places
                .iter()
                .position(|place| *place == (decision.seat, position))
        };
        let hidden = decision.own.into_iter().filter_map(index).collect();
        Self {
            decision,
            known,
            hidden,
        }
    }

    /// Returns the likelihood of the decision with this hand, for each kind of thinking opponent and for a random one.
    fn likelihood(&self, panels: &[Panel]) -> (Likelihood, f64) {
        let mut held = self.known;
        self.hidden
            .iter()
            .for_each(|index| held.insert(panels[*index]));
        let Decision {
            options,
            attack,
            may_stop,
            ..
        } = self.decision;
        let at_random = match attack {
            Some(_) => 1.0 / attacks(options),
            None => 0.5,
        };
        (
            Thought::new(options, held).likelihood(*attack, *may_stop),
            at_random,
        )
    }
}

/// The places that a seat can attack, each with the panels that are publicly possible there.
pub type Options = [(Place, Set<Panel>)];

/// Returns the number of attacks, at least 1.
pub fn attacks(options: &Options) -> f64 {
    options
        .iter()
        .map(|(_, panels)| panels.len())
        .sum::<usize>()
        .max(1) as f64
}

pub struct Thought<'a> {
    options: &'a Options,
    held: Set<Panel>,
    /// Probability of each panel at each option.
    found: [[f32; NUMBERS]; PLACES],
    /// The maximum of these probabilities.
    best: f32,
}

impl<'a> Thought<'a> {
    /// Assesses the options of a seat that holds these panels.
    pub fn new(options: &'a Options, held: Set<Panel>) -> Self {
        let mut found = [[0f32; NUMBERS]; PLACES];
        let mut used = 0;
        for code in options.chunk_by(|((one, _), _), ((other, _), _)| one == other) {
            let mut places = [Hidden::default(); PLACES];
            let open = |panels: &Set<Panel>| Hidden {
                open: panels.without(held).mask() as u32,
                doubted: 0,
            };
            places
                .iter_mut()
                .zip(code)
                .for_each(|(place, (_, panels))| *place = open(panels));
            chances(&places[..code.len()], 1.0, |place, panel, chance| {
                found[used + place][panel as usize] = chance;
            });
            used += code.len();
        }
        let best = found[..used]
            .iter()
            .flatten()
            .fold(f32::MIN_POSITIVE, |best, chance| best.max(*chance));
        Self {
            options,
            held,
            found,
            best,
        }
    }

    /// Returns the likelihood that the seat makes this attack (an option and a panel), or ends its turn.
    pub fn likelihood(&self, attack: Option<(usize, Panel)>, may_stop: bool) -> Likelihood {
        let goes_on = match may_stop {
            true if f64::from(self.best) < MIN_CHANCE_TO_GO_ON => 1.0 - CONSISTENCY,
            true => CONSISTENCY,
            false => 1.0,
        };
        let Some((option, panel)) = attack else {
            return [1.0 - goes_on; 2];
        };
        let named = match self.options[option].1 {
            _ if self.held.contains(panel) => 0.0,
            open if panel.is_dash() => 1.0 / open.len() as f32,
            _ => self.found[option][usize::from(panel.index())],
        };
        // The likeliest attack is made much more often than the next one.
        let best = self.best.max(named);
        let eagerness = |chance: f32| {
            let square = (chance / best) * (chance / best);
            let fourth = square * square;
            [fourth * fourth * fourth * fourth, fourth]
        };
        let all = self.found[..self.options.len()].iter().flatten().fold(
            [0f32; 2],
            |[sure, any], chance| {
                let [next, also] = eagerness(*chance);
                [sure + next, any + also]
            },
        );
        let [sure, any] = eagerness(named);
        [
            goes_on * f64::from(sure / all[0].max(1.0)),
            goes_on * f64::from(any / all[1].max(1.0)),
        ]
    }
}
