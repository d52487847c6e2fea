//! The strengths of bots at larger tables: Plackett and Luce's model with ties.
//!
//! Plackett 1975, "The analysis of permutations"; ties as Turner, van Etten, Firth and Kosmidis 2020, "Modelling
//! rankings in R: the PlackettLuce package". The places of a match are choices, best first: of the bots that are left,
//! some are chosen for the next place. With πᵢ = exp(strength of i),
//!
//! ```text
//! P(C is chosen of A) = f(C) / Σ f(S) over the non-empty subsets S of A,    f(S) = δ_|S| · (product of πᵢ in S)^(1/|S|)
//! ```
//!
//! with δ₁ = 1, and subsets only of sizes that some choice had. At tables of two this is Davidson's model with ν = δ₂.
//! A last bot alone is no choice. A fit needs only how often each set had to be chosen from, and sums over the chosen.

use super::fit::{Fit, Model};
use super::groups::Groups;
use super::newton::{Local, Look};
use super::prior::Prior;

/// The greatest table.
pub(crate) const MOST_SEATS: usize = 8;
/// The credit of being chosen alone; being one of `n` chosen gives the `n`th part, always a whole number.
pub(crate) const CREDIT: u64 = 840;

/// The sums over choices that the likelihood is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choices<'a> {
    /// For each bot, its credit: [`CREDIT`] for each choice of it, shared by those chosen together.
    pub(crate) credits: &'a [u64],
    /// How often 2, 3, … were chosen together.
    pub(crate) ties: &'a [u64],
    /// The sets that were chosen from, each with rising bots.
    pub(crate) sets: &'a [Box<[u16]>],
    /// How often each set was chosen from.
    pub(crate) counts: &'a [u64],
}

/// Fits the model. Where the plain maximum of the likelihood is not finite, the default prior stands in; the fit
/// names the prior used.
pub(crate) fn fit(choices: Choices<'_>, prior: Prior, groups: &Groups, start: Option<&Fit>) -> Fit {
    super::fit::fit(&choices, prior, groups, start)
}

impl Model for Choices<'_> {
    fn bots(&self) -> usize {
        self.credits.len()
    }

    fn tied(&self) -> Vec<bool> {
        self.ties.iter().map(|ties| *ties > 0).collect()
    }

    fn first(&self) -> bool {
        false
    }

    fn add(&self, at: &[f64], local: &mut Local) {
        for (bot, credit) in self.credits.iter().enumerate() {
            let credit = *credit as f64 / CREDIT as f64;
            local.value += credit * at[bot];
            local.gradient[bot] += credit;
        }
        let sizes = Sizes::new(self, at);
        for (ties, parameter) in self.ties.iter().zip(&sizes.parameters[2..]) {
            if let Some(parameter) = parameter {
                local.value += *ties as f64 * at[*parameter];
                local.gradient[*parameter] += *ties as f64;
            }
        }
        let mut choice = Expected::default();
        for (set, count) in self.sets.iter().zip(self.counts).filter(|(_, count)| **count > 0) {
            choice.of(set, &sizes, local.look);
            choice.subtract(*count as f64, local);
        }
    }
}

/// What the weights of subsets are made of, by their size.
struct Sizes {
    /// δ of each size; 0 for sizes that never were chosen.
    delta: [f64; MOST_SEATS + 1],
    /// Which parameter its logarithm is.
    parameters: [Option<usize>; MOST_SEATS + 1],
    /// For each size that came, π^(1/size) of each bot; empty for others.
    roots: [Vec<f64>; MOST_SEATS + 1],
}

impl Sizes {
    fn new(choices: &Choices<'_>, at: &[f64]) -> Self {
        let bots = choices.credits.len();
        let root = |size: usize| at[..bots].iter().map(|strength| (strength / size as f64).exp()).collect();
        let mut sizes = Self { delta: [0.0; _], parameters: [None; _], roots: std::array::from_fn(|_| Vec::new()) };
        sizes.delta[1] = 1.0;
        sizes.roots[1] = root(1);
        let came = (2..).zip(choices.ties).filter(|(_, ties)| **ties > 0).map(|(size, _)| size);
        for (parameter, size) in (bots..).zip(came) {
            sizes.delta[size] = at[parameter].exp();
            sizes.parameters[size] = Some(parameter);
            sizes.roots[size] = root(size);
        }
        sizes
    }
}

/// Room for the bots of a set and the tie parameters.
const ROOM: usize = 2 * MOST_SEATS;

/// The expected credits and ties of a choice, and their expected products.
#[derive(Default)]
struct Expected {
    /// The parameters concerned: the bots of the set, then ties.
    parameters: Vec<usize>,
    total: f64,
    mean: [f64; ROOM],
    product: [[f64; ROOM]; ROOM],
}

impl Expected {
    /// Looks at the choice from a set.
    fn of(&mut self, set: &[u16], sizes: &Sizes, look: Look) {
        self.parameters.clear();
        self.parameters.extend(set.iter().map(|bot| usize::from(*bot)));
        let mut slot = [0; MOST_SEATS + 1];
        for (slot, parameter) in slot.iter_mut().zip(sizes.parameters).take(set.len() + 1) {
            if let Some(parameter) = parameter {
                *slot = self.parameters.len();
                self.parameters.push(parameter);
            }
        }
        let room = self.parameters.len();
        self.total = 0.0;
        self.mean[..room].fill(0.0);
        if look == Look::Curvature {
            self.product[..room].iter_mut().for_each(|row| row[..room].fill(0.0));
        }
        for members in 1_u32..1 << set.len() {
            let size = members.count_ones() as usize;
            if sizes.delta[size] > 0.0 {
                self.subset(set, members, slot[size], sizes, look);
            }
        }
    }

    /// Adds one subset, given as a set of bits.
    fn subset(&mut self, set: &[u16], members: u32, slot: usize, sizes: &Sizes, look: Look) {
        let size = members.count_ones() as usize;
        let inside = |i: &usize| members >> i & 1 == 1;
        let roots = &sizes.roots[size];
        let weight = (0..set.len()).filter(inside).fold(sizes.delta[size], |w, i| w * roots[usize::from(set[i])]);
        let share = weight / size as f64;
        self.total += weight;
        (0..set.len()).filter(inside).for_each(|i| self.mean[i] += share);
        if size > 1 {
            self.mean[slot] += weight;
        }
        if look == Look::Slope {
            return;
        }
        for i in (0..set.len()).filter(inside) {
            (0..=i).filter(inside).for_each(|j| self.product[i][j] += share / size as f64);
            if size > 1 {
                self.product[slot][i] += share;
            }
        }
        if size > 1 {
            self.product[slot][slot] += weight;
        }
    }

    /// Takes the expectation of so many choices from the logarithm of the likelihood and its derivatives.
    fn subtract(&self, choices: f64, local: &mut Local) {
        local.value -= choices * self.total.ln();
        for (i, row) in self.parameters.iter().enumerate() {
            let mean = self.mean[i] / self.total;
            local.gradient[*row] -= choices * mean;
            if local.look == Look::Slope {
                continue;
            }
            for (j, column) in self.parameters.iter().enumerate().take(i + 1) {
                let covariance = self.product[i][j] / self.total - mean * self.mean[j] / self.total;
                local.curvature.add(*row, *column, choices * covariance);
            }
        }
    }
}

#[cfg(test)]
#[path = "plackett_luce_tests.rs"]
mod tests;
