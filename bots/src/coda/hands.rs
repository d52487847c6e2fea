//! Complete hands that the opponents may have, with weights: all of them, or a sample.

use arena_engine::chance::Chance;
use arena_engine::games::coda::count::{Count, Guess, guesses};
use arena_engine::games::coda::known::Place;
use arena_engine::games::coda::odds::Odds;
use arena_engine::games::coda::panel::{Deck, PANELS, Panel};
use arena_engine::games::coda::types::Action;
use arena_engine::set::Member;
use arrayvec::ArrayVec;

use super::exact::MIN_CHANCE_TO_GO_ON;
use super::knowledge::{Knowledge, NAMED_FACTOR};

/// Maximum number of sampled hands.
const MAX_HANDS: u64 = 1500;
/// Minimum number of sampled hands.
const MIN_HANDS: u64 = 16;
/// Number of decisions that are weighed per millisecond of the time limit.
const DECISIONS_PER_MS: u64 = 60;
/// Average number of sampled hands for each choice of places for the dashes.
const HANDS_PER_GUESS: usize = 4;
/// All hands are listed if their number is at most this many times the sample size.
const MAX_LISTED_RATIO: f64 = 5.0 / 3.0;

/// Returns the number of hands to sample within this time limit. Every decision of the other seats takes time for each of these hands.
pub fn affordable(move_ms: Option<u64>, knowledge: &Knowledge) -> usize {
    let decisions = 1 + knowledge.decisions.all.len() as u64;
    let each = |limit| {
        spare(limit, knowledge.known.view.codes.len()).saturating_mul(DECISIONS_PER_MS) / decisions
    };
    move_ms.map_or(MAX_HANDS, |limit| each(limit).clamp(MIN_HANDS, MAX_HANDS)) as usize
}

/// Returns the milliseconds available for more than the minimum number of hands. With more seats, counting alone takes longer.
pub fn spare(move_ms: u64, seats: usize) -> u64 {
    move_ms.saturating_sub(seats as u64)
}

/// Reduces the choices of places for dashes to a number that suits a sample of this size: the choice with no dash in a code, and a few that
/// represent all others.
fn thinned_out(mut guesses: Vec<Guess>, sampled: usize, chance: &mut Chance) -> Vec<Guess> {
    let most = (sampled / HANDS_PER_GUESS).max(2);
    if guesses.len() > most {
        chance.shuffle(&mut guesses[1..]);
        let share = (guesses.len() - 1) as f64 / (most - 1) as f64;
        guesses[1..]
            .iter_mut()
            .for_each(|guess| guess.weight *= share);
        guesses.truncate(most);
    }
    guesses
}

fn counts(
    knowledge: &Knowledge,
    guesses: &[Guess],
    factor: impl Fn(Place, Panel) -> f64,
) -> Vec<Count> {
    guesses
        .iter()
        .map(|guess| Count::new(&knowledge.known, &guess.dashes, &factor))
        .collect()
}

/// The hidden places, with hands that may fill them.
pub struct Hands {
    /// The hidden places of all opponents' codes, by seat, lowest first.
    pub places: Vec<Place>,
    /// The hands.
    pub hands: Vec<Hand>,
    /// True if the hands are only a sample.
    pub is_sample: bool,
}

/// One way to fill the hidden places.
pub struct Hand {
    /// The panel at each of the hidden places.
    pub panels: ArrayVec<Panel, { PANELS as usize }>,
    /// The relative likelihood of the hand, not normalised.
    pub weight: f64,
}

impl Hands {
    /// Returns the hands that fit the seat's knowledge, or a sample of this size if there are far more.
    pub fn new(knowledge: &Knowledge, sampled: usize, chance: &mut Chance) -> Self {
        let standing = |seat| {
            knowledge.known.view.codes[seat]
                .standing
                .into_iter()
                .map(move |position| (seat, position))
        };
        let places = knowledge.known.opponents().flat_map(standing).collect();
        let mut hands = Self {
            places,
            hands: Vec::new(),
            is_sample: true,
        };
        let every = || guesses(&knowledge.known, |_, _| 1.0);
        let mut guesses = thinned_out(every(), sampled, chance);
        let mut doubted = counts(knowledge, &guesses, knowledge.doubt());
        if doubted.iter().all(|count| count.total() == 0.0) {
            guesses = every();
            doubted = counts(knowledge, &guesses, knowledge.doubt());
        }
        // Doubts reduce the weight of the ways. So if their weight is large, their number is large as well.
        let few = |counts: &Vec<Count>| {
            counts.iter().map(Count::total).sum::<f64>() <= MAX_LISTED_RATIO * sampled as f64
        };
        let all = Some(&doubted)
            .filter(|counts| few(counts))
            .map(|_| counts(knowledge, &guesses, |_, _| 1.0));
        match all.filter(few) {
            Some(all) => {
                hands.is_sample = false;
                for (guess, count) in guesses.iter().zip(all) {
                    count.list(|way| hands.add([&guess.dashes, way].concat(), guess.weight));
                }
            }
            None => hands.sample(knowledge, &guesses, &doubted, sampled, chance),
        }
        hands
    }

    fn add(&mut self, mut way: Vec<(Place, Panel)>, weight: f64) {
        way.sort_unstable_by_key(|(place, _)| *place);
        self.hands.push(Hand {
            panels: way.into_iter().map(|(_, panel)| panel).collect(),
            weight,
        });
    }

    /// Samples hands. A hand with panels that their owners have named is drawn less often by some factor, and weighs more by the same
    /// factor.
    fn sample(
        &mut self,
        knowledge: &Knowledge,
        guesses: &[Guess],
        counts: &[Count],
        sampled: usize,
        chance: &mut Chance,
    ) {
        let doubt = knowledge.doubt();
        let shares = guesses
            .iter()
            .zip(counts)
            .map(|(Guess { dashes, weight }, count)| {
                let weight = dashes.iter().fold(*weight, |weight, (place, panel)| {
                    weight * doubt(*place, *panel)
                });
                (count.total() * weight, dashes, count)
            });
        let counted: Vec<_> = shares.collect();
        let total: f64 = counted.iter().map(|(share, ..)| share).sum();
        for _ in 0..sampled {
            let mut left = chance.share() * total;
            let drawn = counted.iter().find(|(share, ..)| {
                left -= share;
                left < 0.0
            });
            let (_, dashes, count) = drawn.unwrap_or(&counted[0]);
            let mut way = (*dashes).clone();
            count.draw(chance, |place, panel| way.push((place, panel)));
            let named = |(place, panel): &&(Place, Panel)| knowledge.is_named(*place, *panel);
            let weight = way
                .iter()
                .filter(named)
                .fold(1.0, |weight, _| weight / NAMED_FACTOR);
            self.add(way, weight);
        }
    }

    /// Returns the sum of the weights.
    pub fn total(&self) -> f64 {
        self.hands.iter().map(|hand| hand.weight).sum()
    }

    /// Returns all attacks that may hit, with their probabilities.
    pub fn odds(&self) -> Vec<Odds> {
        self.odds_over(&self.hands.iter().collect::<Vec<_>>())
    }

    /// Like [`Hands::odds`], but only over these hands.
    fn odds_over(&self, hands: &[&Hand]) -> Vec<Odds> {
        let mut shares = vec![[0.0; PANELS as usize]; self.places.len()];
        for hand in hands {
            for (share, panel) in shares.iter_mut().zip(&hand.panels) {
                share[usize::from(panel.index())] += hand.weight;
            }
        }
        let total: f64 = hands.iter().map(|hand| hand.weight).sum();
        let attacks = self
            .places
            .iter()
            .zip(&shares)
            .flat_map(|((seat, position), shares)| {
                let panels = Panel::all(Deck::ALL).into_iter().zip(shares);
                panels.map(|(panel, share)| Odds {
                    seat: *seat,
                    position: *position,
                    panel,
                    chance: share / total,
                })
            });
        attacks.filter(|odds| odds.chance > 0.0).collect()
    }

    /// Returns the attacks with which a seat that believes in these hands would continue after this action, as long as they hit. Each is
    /// the likeliest attack at that point.
    pub fn turn_after(&self, action: Action) -> Vec<Action> {
        let mut plan = vec![action];
        let mut hands: Vec<&Hand> = self.hands.iter().collect();
        let mut left = self.places.clone();
        while let Some(last) = plan.last() {
            if let Action::Attack {
                seat,
                position,
                face,
            } = *last
            {
                let hit = self
                    .places
                    .iter()
                    .position(|place| *place == (seat, position));
                hands.retain(|hand| hit.is_some_and(|at| hand.panels[at].face() == face));
                left.retain(|place| *place != (seat, position));
            } else if !matches!(last, Action::Draw { .. }) {
                break;
            }
            let odds = self
                .odds_over(&hands)
                .into_iter()
                .filter(|odds| left.contains(&(odds.seat, odds.position)));
            let Some(best) = odds.max_by(|one, other| one.chance.total_cmp(&other.chance)) else {
                break;
            };
            let may_stop = matches!(last, Action::Attack { .. });
            plan.push(if may_stop && best.chance < MIN_CHANCE_TO_GO_ON {
                Action::Stop {}
            } else {
                best.attack()
            });
        }
        plan.remove(0);
        plan
    }
}
