//! Models of the other seats: their knowledge, and the likelihood that they declare or pass, given my own rack.
//!
//! Another seat sees my rack, and infers its own from the answers. So for each candidate for my rack, I can compute that seat's beliefs,
//! and whether its declaration or pass fits them.

use std::sync::LazyLock;

use arena_engine::games::code_777::card::{Card, Cards, KINDS, RACK, Rack};
use arena_engine::games::code_777::question::Question;
use arena_engine::games::code_777::types::{Claim, Rules};
use arena_engine::seat::Seat;
use arena_engine::set::Member;

/// Number of distinct racks.
pub(super) const RACK_COUNT: usize = 251;

/// Limits that never apply, because there are at most four copies of each card.
const NO_LIMIT: [u8; KINDS] = [4; KINDS];

/// Binomial coefficients: ways to take up to three of up to four copies.
const CHOOSE: [[f64; RACK + 1]; 5] = [
    [1.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0],
    [1.0, 3.0, 3.0, 1.0],
    [1.0, 4.0, 6.0, 4.0],
];

/// All racks, in order.
static RACKS: LazyLock<Vec<Rack>> = LazyLock::new(|| Rack::all().collect());

/// The distinct cards on each rack, by index, each with its number of copies. Padded with zero copies of the first card.
static PARTS: LazyLock<Vec<[(usize, usize); RACK]>> = LazyLock::new(|| {
    let parts = |rack: &Rack| {
        let cards = Cards::from_rack(rack);
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

/// Returns the index of a rack.
pub(super) fn index(rack: &Rack) -> usize {
    RACKS.binary_search(rack).expect("all racks are listed")
}

/// Another seat's knowledge about its own rack, for each candidate for mine.
#[derive(Clone, Debug)]
pub(super) struct Opponent {
    /// The modelled seat.
    pub(super) seat: Seat,
    /// For each candidate for my rack, the set of the seat's racks that fit all answers so far.
    possible: Vec<RackSet>,
    /// Maximum number of each card on the seat's rack, by what happened while I had earlier racks.
    before: [u8; KINDS],
    /// Maximum number of each card on the seat's rack, by what has happened since I got this rack. The cards of this rack are not yet
    /// subtracted.
    current: [u8; KINDS],
    styles: Styles,
}

/// Probabilities of a seat's styles: to declare only when certain, to declare what is more likely than not, to declare the likeliest rack
/// after every answer, or to act at random.
type Styles = [f64; 4];

/// Prior over the styles. Like the other numbers of this model, it is a rounded judgement, and not fitted to matches. A wrong number costs
/// little evidence, because every pass and declaration updates the probabilities of the styles.
const UNKNOWN: Styles = [0.3, 0.3, 0.3, 0.1];

/// Probability that a seat of the first style passes although only one declaration fits.
const PASSES_IF_CERTAIN: f64 = 0.05;
/// Probability that a seat of the second style passes although one declaration is more likely than not.
const PASSES_IF_LIKELY: f64 = 0.15;
/// Probability that a seat of the second style declares although no declaration is more likely than not.
const DECLARES_IF_UNLIKELY: f64 = 0.1;
/// Probability that a seat of the third style passes.
const PASSES_ALWAYS: f64 = 0.02;
/// Probability that a seat of the last style passes.
const PASSES_AT_RANDOM: f64 = 0.5;
/// Probability from which a declaration is more likely than not.
const LIKELY: f64 = 0.5;
/// Fraction of random declarations in every style, so that no declaration rules out a style.
const DOUBT: f64 = 0.02;
/// Exponent of a declaration's weight relative to the best one. With 16, a declaration that is 4 % less likely is made about half as often:
/// even a good reasoner may weigh the evidence slightly differently.
const SHARPNESS: i32 = 16;

impl Opponent {
    pub(super) fn new(seat: Seat) -> Self {
        Self {
            seat,
            possible: vec![RackSet::ALL; RACK_COUNT],
            before: NO_LIMIT,
            current: NO_LIMIT,
            styles: UNKNOWN,
        }
    }

    /// Resets the knowledge, because the seat got new cards.
    pub(super) fn renew(&mut self) {
        self.possible.fill(RackSet::ALL);
        self.before = NO_LIMIT;
        self.current = NO_LIMIT;
    }

    /// Notes that my rack was shown and replaced. From then on, the seat's knowledge no longer depends on my rack.
    pub(super) fn see_mine(&mut self, mine: &Rack) {
        let known = self.possible[index(mine)];
        self.possible.fill(known);
        self.before = self.most(mine);
        self.current = NO_LIMIT;
    }

    /// Limits the cards on the seat's rack to these, which are on its rack, on mine, or in the draw pile.
    pub(super) fn limit(&mut self, unseen: &Cards) {
        for (most, card) in self.current.iter_mut().zip(Card::all()) {
            *most = (*most).min(unseen.count(card));
        }
    }

    /// Learns from an answer of any seat except the modelled one. The seat that answers sees the rack of the modelled seat and, unless I
    /// answer myself, also mine. `fits` returns `true` if the contribution of these two racks to the tally fits the answer. `own` holds the
    /// weights of the candidates for my rack.
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

    /// Weighs the candidates for my rack by the seat's declaration or pass.
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

    /// Returns the probability that the seat now declares correctly, given the weights of the candidates for my rack.
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
            } else if best >= LIKELY {
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

    /// Returns the maximum number of each card on the seat's rack if mine is this one.
    fn most(&self, mine: &Rack) -> [u8; KINDS] {
        let mine = Cards::from_rack(mine);
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

/// Returns the likelihood, for each style, of this pass or declaration, given the weights of all declarations. A declaration that can be
/// right has an index.
fn likelihoods(claim: Option<Option<usize>>, chances: &[f64]) -> Styles {
    let best = chances.iter().copied().fold(0.0, f64::max);
    let certain = chances.iter().filter(|chance| **chance > 0.0).count() == 1;
    let likely = best >= LIKELY * chances.iter().sum::<f64>();
    let passes = [
        if certain { PASSES_IF_CERTAIN } else { 1.0 },
        if likely {
            PASSES_IF_LIKELY
        } else {
            1.0 - DECLARES_IF_UNLIKELY
        },
        PASSES_ALWAYS,
        PASSES_AT_RANDOM,
    ];
    match claim {
        None => passes,
        Some(claim) => {
            let nearly_best = |chance: f64| {
                if best > 0.0 {
                    (chance / best).powi(SHARPNESS)
                } else {
                    0.0
                }
            };
            let all: f64 = chances.iter().map(|chance| nearly_best(*chance)).sum();
            let chance = claim.map_or(0.0, |claim| chances[claim]);
            let guess = nearly_best(chance) / all.max(1.0);
            let only = if certain && chance > 0.0 { 1.0 } else { 0.0 };
            let [exact, likely, always, random] = passes.map(|passes| 1.0 - passes);
            let random = random / chances.len() as f64;
            let doubt = DOUBT * random;
            [
                exact * only + doubt,
                likely * guess + doubt,
                always * guess + doubt,
                random,
            ]
        }
    }
}

/// A set of racks.
#[derive(Clone, Copy, Debug)]
struct RackSet([u64; 4]);

impl RackSet {
    const ALL: Self = Self([!0, !0, !0, (1 << (RACK_COUNT - 3 * 64)) - 1]);

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

/// All declarations that can be right, each with the racks for which it is right.
pub(super) struct Claims {
    /// For each rack, the index of its declaration.
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

    /// Returns the index of a declaration, if it can be right.
    fn index(&self, claim: Claim) -> Option<usize> {
        RACKS
            .iter()
            .position(|rack| claim.right(rack))
            .map(|rack| self.of[rack])
    }

    /// Returns the weight of each declaration if the rack is one of `possible` and has at most `most` of each card.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns, for each style, the total weight of everything that a seat may do.
    fn sums(chances: &[f64]) -> Styles {
        let claims = (0..chances.len()).map(|claim| Some(Some(claim)));
        let all = claims
            .chain([None])
            .map(|claim| likelihoods(claim, chances));
        all.reduce(|sum, next| std::array::from_fn(|style| sum[style] + next[style]))
            .unwrap()
    }

    #[test]
    fn each_style_passes_or_declares() {
        for chances in [
            &[1.0, 0.0, 0.0][..],
            &[6.0, 3.0, 1.0],
            &[1.0, 1.0, 1.0, 1.0],
        ] {
            let [rest @ .., random] = sums(chances);
            assert!((random - 1.0).abs() < 1e-9, "{chances:?}: {random}");
            let doubt = DOUBT * (1.0 - PASSES_AT_RANDOM);
            for sum in rest {
                assert!((sum - 1.0 - doubt).abs() < 1e-9, "{chances:?}: {sum}");
            }
        }
    }

    #[test]
    fn declarations_tell_the_styles_apart() {
        let declared = |claim, chances: &[f64]| {
            let fits = likelihoods(Some(Some(claim)), chances);
            let best = fits.iter().copied().fold(0.0, f64::max);
            fits.iter().position(|fit| *fit == best).unwrap()
        };
        assert_eq!(declared(0, &[4.0, 3.0, 3.0]), 2, "too early");
        assert_eq!(declared(2, &[8.0, 1.0, 0.0]), 3, "it cannot be right");
        let passed = |chances: &[f64]| likelihoods(None, chances);
        assert!(passed(&[1.0, 0.0])[0] < passed(&[2.0, 1.0])[0]);
        assert!(passed(&[2.0, 1.0])[1] < passed(&[1.0, 1.0, 1.0])[1]);
        // A declaration that is 4 % less likely than the best one is made about half as often.
        let [best, next] = [0, 1].map(|claim| likelihoods(Some(Some(claim)), &[1.0, 0.957])[2]);
        assert!((next / best - 0.5).abs() < 0.02, "{next} of {best}");
    }
}
