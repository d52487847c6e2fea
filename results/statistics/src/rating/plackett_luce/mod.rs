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
//!
//! Sums over the subsets of one size are elementary symmetric polynomials of the roots πᵢ^(1/size). For the slope alone,
//! which is all that the spread over deals needs, they are built up from both ends of the set, which takes a handful of
//! products of positive numbers where there are up to 255 subsets.

use super::newton::{Local, Parts};

/// The greatest table.
pub(crate) const MOST_SEATS: usize = 8;
/// The credit of being chosen alone; being one of `n` chosen gives the `n`th part, always a whole number.
pub(crate) const CREDIT: u64 = 840;

/// The sums over choices that the likelihood is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choices<'a> {
    /// For each bot, its credit: [`CREDIT`] for each choice of it, shared by those chosen together.
    pub(crate) credits: &'a [u64],
    /// The number of times that 2, 3, … were chosen together.
    pub(crate) ties: &'a [u64],
    /// Of those, which there is a term for.
    pub(crate) tied: &'a [bool],
    /// The sets that were chosen from, each with rising bots.
    pub(crate) sets: &'a [Box<[u16]>],
    /// The number of times that each set was chosen from.
    pub(crate) counts: &'a [u64],
}

impl Choices<'_> {
    /// Adds the logarithm of the likelihood at a point, with its derivatives.
    pub(crate) fn add(&self, at: &[f64], local: &mut Local) {
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
            match local.parts {
                Parts::Slope => choice.slope_of(set, &sizes),
                Parts::All => choice.of(set, &sizes),
            }
            choice.subtract(*count as f64, local);
        }
    }
}

/// The parts of the weights of subsets, by their size.
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
        let came = (2..).zip(choices.tied).filter(|(_, tied)| **tied).map(|(size, _)| size);
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
    /// Computes the choice from a set.
    fn of(&mut self, set: &[u16], sizes: &Sizes) {
        let slot = self.begin(set, sizes);
        let room = self.parameters.len();
        self.product[..room].iter_mut().for_each(|row| row[..room].fill(0.0));
        for members in 1_u32..1 << set.len() {
            let size = members.count_ones() as usize;
            if sizes.delta[size] > 0.0 {
                self.subset(set, members, slot[size], sizes);
            }
        }
    }

    /// The same without the products.
    fn slope_of(&mut self, set: &[u16], sizes: &Sizes) {
        let slot = self.begin(set, sizes);
        for (i, bot) in set.iter().enumerate() {
            self.mean[i] = sizes.roots[1][usize::from(*bot)];
            self.total += self.mean[i];
        }
        for size in (2..=set.len()).filter(|size| sizes.delta[*size] > 0.0) {
            let weight = self.size(set, size, sizes);
            self.mean[slot[size]] = weight;
            self.total += weight;
        }
    }

    /// Lists the parameters concerned and clears their sums. Returns the places of tie parameters, by size.
    fn begin(&mut self, set: &[u16], sizes: &Sizes) -> [usize; MOST_SEATS + 1] {
        self.parameters.clear();
        self.parameters.extend(set.iter().map(|bot| usize::from(*bot)));
        let mut slot = [0; MOST_SEATS + 1];
        for (slot, parameter) in slot.iter_mut().zip(sizes.parameters).take(set.len() + 1) {
            if let Some(parameter) = parameter {
                *slot = self.parameters.len();
                self.parameters.push(parameter);
            }
        }
        self.total = 0.0;
        self.mean[..self.parameters.len()].fill(0.0);
        slot
    }

    /// Adds all subsets of this size, at least 2, to the means of their bots; returns their weight.
    ///
    /// The subsets with a bot weigh δ times its root times Σ e_k(roots before it) · e_{size − 1 − k}(roots after it).
    fn size(&mut self, set: &[u16], size: usize, sizes: &Sizes) -> f64 {
        let (seats, others) = (set.len(), size - 1);
        let mut roots = [0.0; MOST_SEATS];
        roots.iter_mut().zip(set).for_each(|(root, bot)| *root = sizes.roots[size][usize::from(*bot)]);
        // At each place, the polynomials of degree 0 to `others` of the roots after it.
        let mut after = [[0.0; MOST_SEATS]; MOST_SEATS + 1];
        after[seats - 1][0] = 1.0;
        for i in (0..seats - 1).rev() {
            after[i] = after[i + 1];
            append(&mut after[i], roots[i + 1], others);
        }
        let mut before = [0.0; MOST_SEATS];
        before[0] = 1.0;
        let mut weight = 0.0;
        for (i, root) in roots[..seats].iter().enumerate() {
            let rest: f64 = (0..=others).map(|k| before[k] * after[i][others - k]).sum();
            let share = sizes.delta[size] * root * rest / size as f64;
            self.mean[i] += share;
            weight += share;
            append(&mut before, *root, others);
        }
        weight
    }

    /// Adds one subset, given as a set of bits.
    fn subset(&mut self, set: &[u16], members: u32, slot: usize, sizes: &Sizes) {
        let size = members.count_ones() as usize;
        let inside = |i: &usize| members >> i & 1 == 1;
        let roots = &sizes.roots[size];
        let weight = (0..set.len()).filter(inside).fold(sizes.delta[size], |w, i| w * roots[usize::from(set[i])]);
        let share = weight / size as f64;
        self.total += weight;
        (0..set.len()).filter(inside).for_each(|i| self.mean[i] += share);
        for i in (0..set.len()).filter(inside) {
            (0..=i).filter(inside).for_each(|j| self.product[i][j] += share / size as f64);
        }
        if size > 1 {
            self.mean[slot] += weight;
            (0..set.len()).filter(inside).for_each(|i| self.product[slot][i] += share);
            self.product[slot][slot] += weight;
        }
    }

    /// Takes the expectation of this many choices from the logarithm of the likelihood and its derivatives.
    fn subtract(&self, choices: f64, local: &mut Local) {
        let curved = local.parts == Parts::All;
        if curved {
            local.value -= choices * self.total.ln();
        }
        for (i, row) in self.parameters.iter().enumerate() {
            let mean = self.mean[i] / self.total;
            local.gradient[*row] -= choices * mean;
            for (j, column) in self.parameters.iter().enumerate().take(if curved { i + 1 } else { 0 }) {
                let covariance = self.product[i][j] / self.total - mean * self.mean[j] / self.total;
                local.curvature.add(*row, *column, choices * covariance);
            }
        }
    }
}

/// Makes elementary symmetric polynomials, of degree 0 to this one, those of one root more.
fn append(polynomials: &mut [f64; MOST_SEATS], root: f64, degree: usize) {
    (1..=degree).rev().for_each(|k| polynomials[k] += root * polynomials[k - 1]);
}

#[cfg(test)]
mod tests;
