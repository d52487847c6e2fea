//! Models of the other seats: their knowledge, and the likelihood that they declare or pass, given one's own rack.
//!
//! Another seat sees my rack, and reasons about its own from the answers that are given. So for each rack that mine may be
//! it can be computed what that seat would think, and whether its declaration or its pass fits that.

use std::sync::LazyLock;

use arena_engine::games::code_777::card::{Card, Cards, KINDS, RACK, Rack};
use arena_engine::games::code_777::question::Question;
use arena_engine::games::code_777::types::{Claim, Rules};
use arena_engine::seat::Seat;
use arena_engine::set::Member;

/// The number of different racks.
pub(super) const COUNT: usize = 251;

/// No bound on the cards of a rack: there are no more than four alike.
const MANY: [u8; KINDS] = [4; KINDS];

/// The ways to take up to three of up to four alike.
const CHOOSE: [[f64; RACK + 1]; 5] = [
    [1.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0],
    [1.0, 3.0, 3.0, 1.0],
    [1.0, 4.0, 6.0, 4.0],
];

/// All racks in order.
static RACKS: LazyLock<Vec<Rack>> = LazyLock::new(|| Rack::all().collect());

/// The different cards on each rack, by index, and how many of each; padded with none of the first.
static PARTS: LazyLock<Vec<[(usize, usize); RACK]>> = LazyLock::new(|| {
    let parts = |rack: &Rack| {
        let cards = Cards::of(rack);
        let mut different = Card::all()
            .into_iter()
            .filter(|card| cards.count(*card) > 0);
        std::array::from_fn(|_| match different.next() {
            Some(card) => (usize::from(card.index()), usize::from(cards.count(card))),
            None => (0, 0),
        })
    };
    RACKS.iter().map(parts).collect()
});

/// The index of a rack.
pub(super) fn index(rack: &Rack) -> usize {
    RACKS.binary_search(rack).expect("all racks are listed")
}

/// The knowledge of another seat about its own rack, for each rack that mine may be.
#[derive(Clone, Debug)]
pub(super) struct Opponent {
    /// Its seat.
    pub(super) seat: Seat,
    /// The racks that fit all answers so far.
    possible: Vec<RackSet>,
    /// The most of each card that its rack can hold by what has been seen since it was dealt: while I had earlier racks,
    before: [u8; KINDS],
    /// and since I have this one, which is still to be taken off.
    current: [u8; KINDS],
    styles: Styles,
}

/// The likelihood that a seat plays in each of these ways: declare only what is certain, what is likelier than not, whatever is
/// likeliest after every answer, or at random.
type Styles = [f64; 4];

/// Before it has done anything.
const UNKNOWN: Styles = [0.3, 0.3, 0.3, 0.1];

impl Opponent {
    pub(super) fn new(seat: Seat) -> Self {
        Self {
            seat,
            possible: vec![RackSet::ALL; COUNT],
            before: MANY,
            current: MANY,
            styles: UNKNOWN,
        }
    }

    /// The seat got new cards: it knows nothing of them.
    pub(super) fn renew(&mut self) {
        self.possible.fill(RackSet::ALL);
        self.before = MANY;
        self.current = MANY;
    }

    /// My rack was this and is replaced: what the seat knows holds for whatever comes instead.
    pub(super) fn see_mine(&mut self, mine: &Rack) {
        let known = self.possible[index(mine)];
        self.possible.fill(known);
        self.before = self.most(mine);
        self.current = MANY;
    }

    /// Only these cards are on its rack, on mine, or in the draw pile.
    pub(super) fn limit(&mut self, unseen: &Cards) {
        for (most, card) in self.current.iter_mut().zip(Card::all()) {
            *most = (*most).min(unseen.count(card));
        }
    }

    /// A third seat answered a question: it sees its rack, and mine as well unless that was me; `fits` is true if what is
    /// added to the tally by these two fits the answer. `own` holds the weights of the racks that mine may be.
    pub(super) fn learn(
        &mut self,
        fits: impl Fn(u64) -> bool,
        question: Question,
        sees_mine: bool,
        own: &[f64],
    ) {
        let tallies: Vec<u64> = RACKS.iter().map(|rack| question.tally(rack)).collect();
        for ((possible, mine), _) in self
            .possible
            .iter_mut()
            .zip(&tallies)
            .zip(own)
            .filter(|(_, own)| **own > 0.0)
        {
            let mine = if sees_mine { *mine } else { 0 };
            possible.retain(|theirs| fits(mine + tallies[theirs]));
        }
    }

    /// Weighs the racks that mine may be by the seat's action: it declared this, or passed.
    pub(super) fn weigh(&mut self, claim: Option<Claim>, claims: &Claims, own: &mut [f64]) {
        let claim = claim.map(|claim| claims.index(claim));
        let mut fits = [0.0; 4];
        for (mine, weight) in own
            .iter_mut()
            .enumerate()
            .filter(|(_, weight)| **weight > 0.0)
        {
            let chances = claims.chances(&self.most(&RACKS[mine]), self.possible[mine]);
            let likely = likelihoods(claim, &chances);
            fits.iter_mut()
                .zip(likely)
                .for_each(|(fit, likely)| *fit += *weight * likely);
            *weight *= self
                .styles
                .iter()
                .zip(likely)
                .map(|(style, likely)| style * likely)
                .sum::<f64>();
        }
        self.styles
            .iter_mut()
            .zip(fits)
            .for_each(|(style, fit)| *style *= fit);
        let total: f64 = self.styles.iter().sum();
        self.styles.iter_mut().for_each(|style| *style /= total);
    }

    /// The chance that it declares now, and is right, when these are the weights of the racks that mine may be.
    pub(super) fn scores(&self, claims: &Claims, own: &[f64]) -> f64 {
        let [certain, likely, always, _] = self.styles;
        let scores = |(mine, weight): (usize, &f64)| {
            let chances = claims.chances(&self.most(&RACKS[mine]), self.possible[mine]);
            let all: f64 = chances.iter().sum();
            let best = if all > 0.0 {
                chances.iter().copied().fold(0.0, f64::max) / all
            } else {
                0.0
            };
            let declares = if best >= 1.0 {
                certain + likely
            } else if best >= 0.5 {
                likely
            } else {
                0.0
            };
            weight * best * (declares + always)
        };
        own.iter()
            .enumerate()
            .filter(|(_, weight)| **weight > 0.0)
            .map(scores)
            .sum()
    }

    /// The most of each card that its rack can hold if mine is this.
    fn most(&self, mine: &Rack) -> [u8; KINDS] {
        let mine = Cards::of(mine);
        let mut most = self.before;
        for (card, (most, current)) in Card::all()
            .into_iter()
            .zip(most.iter_mut().zip(&self.current))
        {
            *most = (*most).min(current.saturating_sub(mine.count(card)));
        }
        most
    }
}

/// The likelihood that a seat of each style does this (passes, or makes this declaration, if it is one that can be right)
/// when these are the weights of all declarations.
fn likelihoods(claim: Option<Option<usize>>, chances: &[f64]) -> Styles {
    let best = chances.iter().copied().fold(0.0, f64::max);
    let certain = chances.iter().filter(|chance| **chance > 0.0).count() == 1;
    let likely = best >= 0.5 * chances.iter().sum::<f64>();
    let random = 0.5 / chances.len() as f64;
    match claim {
        None => [
            if certain { 0.05 } else { 1.0 },
            if likely { 0.15 } else { 0.9 },
            0.02,
            0.5,
        ],
        // Even a good reasoner may weigh things a little differently, and nothing may become impossible by a guess.
        Some(claim) => {
            let nearly_best = |chance: f64| {
                if best > 0.0 {
                    (chance / best).powi(16)
                } else {
                    0.0
                }
            };
            let all: f64 = chances.iter().map(|chance| nearly_best(*chance)).sum();
            let chance = claim.map_or(0.0, |claim| chances[claim]);
            let guess = nearly_best(chance) / all.max(1.0);
            let exact = if certain && chance > 0.0 { 0.95 } else { 0.0 };
            let doubt = 0.02 * random;
            [
                exact + doubt,
                if likely { 0.85 } else { 0.1 } * guess + doubt,
                0.98 * guess + doubt,
                random,
            ]
        }
    }
}

/// A set of racks.
#[derive(Clone, Copy, Debug)]
struct RackSet([u64; 4]);

impl RackSet {
    const ALL: Self = Self([!0, !0, !0, (1 << (COUNT - 3 * 64)) - 1]);

    fn each(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (bit < 64).then_some(word * 64 + bit)
            })
        })
    }

    fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        self.each()
            .filter(|rack| !keep(*rack))
            .for_each(|rack| self.0[rack / 64] &= !(1 << (rack % 64)));
    }
}

/// The declarations that can be right, and the racks that each is right for.
pub(super) struct Claims {
    /// For each rack the index of the declaration.
    of: Vec<usize>,
    count: usize,
}

impl Claims {
    pub(super) fn new(rules: &Rules) -> Self {
        let key = |rack: &Rack| {
            if rules.colours {
                (rack.numbers(), index(rack))
            } else {
                (rack.numbers(), 0)
            }
        };
        let mut keys: Vec<_> = RACKS.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        let place = |rack: &Rack| keys.binary_search(&key(rack)).expect("all keys are listed");
        Self {
            of: RACKS.iter().map(place).collect(),
            count: keys.len(),
        }
    }

    /// The index of a declaration, if it can be right.
    fn index(&self, claim: Claim) -> Option<usize> {
        RACKS
            .iter()
            .position(|rack| claim.right(rack))
            .map(|rack| self.of[rack])
    }

    /// The weight of each declaration if the rack is one of the possible ones and has at most `most` of each card.
    fn chances(&self, most: &[u8; KINDS], possible: RackSet) -> Vec<f64> {
        let mut chances = vec![0.0; self.count];
        for rack in possible.each() {
            let ways = PARTS[rack]
                .iter()
                .map(|(card, alike)| CHOOSE[usize::from(most[*card])][*alike]);
            chances[self.of[rack]] += ways.product::<f64>();
        }
        chances
    }
}
