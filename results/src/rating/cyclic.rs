//! Non-transitivity: how much of the results no order of strength explains, and which bots beat each other in a circle.
//!
//! Jiang, Lim, Yao and Ye 2011, "Statistical ranking and combinatorial Hodge theory": the logits of the scores between
//! bots are a flow on the graph of who met; weighted by matches, it splits at right angles into the differences of the
//! strengths that fit it best and a rest that runs in circles. The cyclic share is the square of the rest over the
//! square of the whole.
//!
//! Noise is cyclic too: with few matches a share is seen where there is none. The bootstrap tells how much: the squares
//! of a resample exceed those of the results, on average, by as much as these exceed the truth, and that is subtracted.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::deal_counts::Layout;
use super::groups::Groups;
use super::linear::Symmetric;
use super::sums::{Cells, HeadToHead};

/// A pair of bots counts as decided at this level, after Bonferroni's correction for all pairs that met.
pub const LEVEL: f64 = 0.05;
/// The number of circles that are listed; all are counted.
pub const MOST_CYCLES: usize = 100;

/// The non-transitive part of the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cyclic {
    /// The cyclic share of the results as they are, from 0 to 1, noise included; null if nobody did better than anybody.
    pub share: Option<f64>,
    /// The cyclic share with the noise subtracted, as far as the bootstrap tells it; null for too few deals, or where
    /// nothing but noise is seen.
    pub corrected: Option<f64>,
    /// The first [`MOST_CYCLES`] circles of three in which each bot beats the next one, surest first.
    pub cycles: Vec<Cycle>,
    /// The number of those that are not listed.
    pub cycles_not_listed: u64,
}

/// Three bots of which each beats the next one, and the last the first, beyond chance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cycle {
    /// The bots.
    pub bots: [String; 3],
    /// The p value of its least sure win, corrected for all pairs that met.
    pub p: f64,
}

/// The logits between bots: `lead` of the lower over the higher, for those who met.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    bots: usize,
    edges: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    low: usize,
    high: usize,
    matches: f64,
    lead: f64,
}

/// The squares of a flow, weighted by matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Split {
    /// Of the whole.
    pub(crate) total: f64,
    /// Of the cyclic rest.
    pub(crate) cyclic: f64,
}

/// The logit of a score, with half a match added to either side so that it is finite (Haldane 1956, "The estimation
/// and significance of the logarithm of a ratio of frequencies").
pub(crate) fn logit(meeting: HeadToHead) -> f64 {
    ((meeting.halves + 1) as f64 / (2 * meeting.matches - meeting.halves + 1) as f64).ln()
}

/// The logits between all bots who met.
pub(crate) fn logits(cells: Cells, sums: &[u64]) -> Flow {
    let bots = cells.bots();
    let pairs = (0..bots).flat_map(|low| (low + 1..bots).map(move |high| (low, high)));
    let edge = |(low, high)| {
        let meeting = cells.meeting(sums, low, high);
        (meeting.matches > 0).then(|| Edge { low, high, matches: meeting.matches as f64, lead: logit(meeting) })
    };
    Flow { bots, edges: pairs.filter_map(edge).collect() }
}

/// Splits a flow into strengths and circles.
pub(crate) fn split(flow: &Flow, groups: &Groups) -> Split {
    let mut normal = Symmetric::zero(flow.bots);
    let mut right = vec![0.0; flow.bots];
    for edge in &flow.edges {
        normal.add(edge.low, edge.low, edge.matches);
        normal.add(edge.high, edge.high, edge.matches);
        normal.add(edge.low, edge.high, -edge.matches);
        right[edge.low] += edge.matches * edge.lead;
        right[edge.high] -= edge.matches * edge.lead;
    }
    // Strengths are known but for the mean of each group, which this holds at 0.
    for i in 0..flow.bots {
        (0..=i).filter(|j| groups.of(i) == groups.of(*j)).for_each(|j| normal.add(i, j, 1.0));
    }
    let strengths = normal.solve(&right);
    let square = |sum: f64, edge: &Edge, lead: f64| sum + edge.matches * lead * lead;
    Split {
        total: flow.edges.iter().fold(0.0, |sum, edge| square(sum, edge, edge.lead)),
        cyclic: flow
            .edges
            .iter()
            .fold(0.0, |sum, edge| square(sum, edge, edge.lead - strengths[edge.low] + strengths[edge.high])),
    }
}

impl Split {
    /// The cyclic share.
    pub(crate) fn share(self) -> Option<f64> {
        (self.total > 0.0).then(|| (self.cyclic / self.total).clamp(0.0, 1.0))
    }

    /// The cyclic share less the noise that resamples add.
    pub(crate) fn corrected(self, resamples: &[Split]) -> Option<f64> {
        let mean = |of: fn(&Split) -> f64| resamples.iter().map(of).sum::<f64>() / resamples.len() as f64;
        let cyclic = 2.0 * self.cyclic - mean(|split| split.cyclic);
        let total = 2.0 * self.total - mean(|split| split.total);
        (total > 0.0).then(|| (cyclic / total).clamp(0.0, 1.0))
    }
}

/// For each two bots, the p value of the lower one's lead over deals, and whether it is ahead.
#[derive(Clone, Debug)]
pub(crate) struct Leads {
    bots: usize,
    leads: Vec<Lead>,
}

/// Sums over the deals on which two bots met, of wins less losses on the deal.
#[derive(Clone, Copy, Debug, Default)]
struct Lead {
    deals: u64,
    sum: i128,
    squares: i128,
}

impl Leads {
    /// Over all deals.
    pub(crate) fn new(cells: Cells, layout: &Layout) -> Self {
        let bots = cells.bots();
        let mut leads = vec![Lead::default(); bots * bots];
        let mut here = vec![(0_i64, 0_i64); bots * bots];
        for (counts, deals) in layout.kinds() {
            let mut met = Vec::new();
            for (cell, count) in counts {
                let Some((low, high, each)) = cells.about(*cell as usize) else { continue };
                let pair = low * bots + high;
                here[pair].0 += each.matches as i64 * i64::from(*count);
                here[pair].1 += each.halves as i64 * i64::from(*count);
                met.push(pair);
            }
            met.sort_unstable();
            met.dedup();
            for pair in met {
                let (matches, halves) = std::mem::take(&mut here[pair]);
                leads[pair].add(halves - matches, deals);
            }
        }
        Self { bots, leads }
    }

    /// The p value, from both sides, of the first bot's lead over the other, by a t test over deals; 1 if it is not
    /// ahead. It is never below 2 / 2^deals, the least that a test of signs gives: deals that all came out alike do not
    /// prove that every deal does.
    pub(crate) fn p(&self, bot: usize, other: usize) -> f64 {
        let lead = self.leads[bot.min(other) * self.bots + bot.max(other)];
        if (lead.sum > 0) == (bot < other) && lead.sum != 0 { lead.p() } else { 1.0 }
    }

    /// The number of pairs that met.
    pub(crate) fn pairs(&self) -> usize {
        self.leads.iter().filter(|lead| lead.deals > 0).count()
    }
}

impl Lead {
    fn add(&mut self, lead: i64, deals: u64) {
        self.deals += deals;
        self.sum += i128::from(lead) * i128::from(deals);
        self.squares += i128::from(lead * lead) * i128::from(deals);
    }

    fn p(self) -> f64 {
        if self.deals < 2 {
            return 1.0;
        }
        let deals = self.deals as f64;
        let floor = 2.0 * 0.5_f64.powf(deals);
        let spread = (i128::from(self.deals) * self.squares - self.sum * self.sum) as f64;
        if spread <= 0.0 {
            return floor;
        }
        let t = (self.sum as f64).abs() / (spread / (deals - 1.0)).sqrt();
        let below = StudentsT::new(0.0, 1.0, deals - 1.0).map_or(0.5, |student| student.cdf(-t));
        (2.0 * below).clamp(floor, 1.0)
    }
}

/// All circles of three in which every bot beats the next: by `p(i, j)`, the p value of i's lead over j, at this level;
/// with the greatest of the three, surest first. That all three are real needs no correction for the three (Berger
/// 1982, "Multiparameter hypothesis testing and acceptance sampling"); for the number of pairs, p has to be corrected.
pub(crate) fn cycles(bots: usize, p: impl Fn(usize, usize) -> f64, level: f64) -> Vec<([usize; 3], f64)> {
    let mut beats = vec![None; bots * bots];
    for (cell, beats) in beats.iter_mut().enumerate() {
        let (i, j) = (cell / bots, cell % bots);
        *beats = (i != j).then(|| p(i, j)).filter(|p| *p < level);
    }
    let mut cycles = Vec::new();
    for i in 0..bots {
        for j in i + 1..bots {
            for k in i + 1..bots {
                if let (Some(a), Some(b), Some(c)) = (beats[i * bots + j], beats[j * bots + k], beats[k * bots + i]) {
                    cycles.push(([i, j, k], a.max(b).max(c)));
                }
            }
        }
    }
    cycles.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(leads: &[(usize, usize, f64, f64)], total: f64, cyclic: f64) {
        let edges = leads.iter().map(|(low, high, matches, lead)| Edge {
            low: *low,
            high: *high,
            matches: *matches,
            lead: *lead,
        });
        let found = split(&Flow { bots: 3, edges: edges.collect() }, &Groups::new(3, |_, _| true));
        assert!((found.total - total).abs() < 1e-9 && (found.cyclic - cyclic).abs() < 1e-9, "{found:?} {leads:?}");
    }

    #[test]
    fn a_flow_splits_into_strengths_and_circles() {
        check(&[(0, 1, 5.0, 1.0), (1, 2, 5.0, 0.5), (0, 2, 5.0, 1.5)], 17.5, 0.0);
        check(&[(0, 1, 5.0, 1.0), (1, 2, 5.0, 1.0), (0, 2, 5.0, -1.0)], 15.0, 15.0);
        // The curl of the triangle is c = 1 + 1 − 0 = 2; its least weighted square is c² / Σ (1 / matches).
        check(&[(0, 1, 2.0, 1.0), (1, 2, 4.0, 1.0), (0, 2, 4.0, 0.0)], 6.0, 4.0);
        check(&[(0, 1, 2.0, 1.0)], 2.0, 0.0);
        check(&[], 0.0, 0.0);
    }

    #[test]
    fn circles_are_found_once_with_their_least_sure_win() {
        let beats = [(0, 1, 0.01), (1, 2, 0.03), (2, 0, 0.001), (3, 0, 0.002), (1, 3, 0.04), (2, 3, 0.5), (3, 2, 1.0)];
        let p = |i: usize, j: usize| beats.iter().find(|beat| (beat.0, beat.1) == (i, j)).map_or(1.0, |beat| beat.2);
        assert_eq!(cycles(4, p, 0.05), [([0, 1, 2], 0.03), ([0, 1, 3], 0.04)]);
        assert_eq!(cycles(4, p, 0.02), []);
    }

    #[test]
    fn leads_are_tested_over_deals() {
        let lead = |leads: &[i64]| {
            let mut sums = Lead::default();
            leads.iter().for_each(|lead| sums.add(*lead, 1));
            sums.p()
        };
        assert!((lead(&[3, -1, 2, 0, 4, -2, 1, 3, 0, 2, -1, 1]) - 0.089_244).abs() < 5e-7);
        assert_eq!(lead(&[2; 10]), 2.0 / 1024.0);
        assert_eq!(lead(&[2]), 1.0);
        assert!(lead(&[2, 1, 2, 2, 2]) >= 2.0 / 32.0);
    }

    #[test]
    fn the_noise_of_resamples_is_subtracted() {
        let seen = Split { total: 12.0, cyclic: 3.0 };
        let more = [Split { total: 14.0, cyclic: 5.0 }, Split { total: 12.0, cyclic: 4.0 }];
        assert_eq!((seen.share(), seen.corrected(&more)), (Some(0.25), Some(1.5 / 11.0)));
        assert_eq!(Split::default().share(), None);
    }
}
