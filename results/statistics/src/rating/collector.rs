//! Collects deals for the leaderboard.

use arena_tournament::deals::{Deal, versus};
use arena_tournament::spec::Spec;
use nalgebra::{DMatrix, DVector};

use super::claims::{self, Claims, Method};
use super::covariance::Uncertain;
use super::difference::{Direct, EloDifference};
use super::duels::Duels;
use super::fit::{ELO, strengths};
use super::groups::Groups;
use super::leaderboard::{FirstSeat, Rating, Ratings};
use crate::cluster::{Cluster, OnDeal};
use crate::elo::Elo;
use crate::holm::Look;
use crate::interval::{self, FEWEST_FOR_POINTS};
use crate::pair::Pair;
use crate::student;

/// Strengths closer than this, in logits, are equal.
const EQUAL: f64 = 1e-5;

/// Collects deals.
#[derive(Clone, Debug)]
pub struct Collector {
    names: Vec<String>,
    /// True if results choose who meets whom.
    drawn: bool,
    duels: Duels,
    /// The half points of the first seat.
    first_seat: Cluster,
}

impl Collector {
    /// No match yet, of this tournament.
    pub fn new(tournament: &Spec) -> Self {
        let names = tournament.names();
        Self {
            drawn: tournament.rounds() > 1,
            duels: Duels::new(names.len()),
            names,
            first_seat: Cluster::default(),
        }
    }

    /// Takes in a deal; each must come once, in their order.
    pub fn add(&mut self, deal: &Deal) {
        self.duels.add(deal);
        let mut first = OnDeal::default();
        for scored in deal.matches.iter().filter(|_| deal.finished) {
            if let [one, other] = &scored.seats[..]
                && let Some(halves) = versus(one, other).halves()
            {
                first.add(halves.into());
            }
        }
        self.first_seat.add(&first);
    }

    /// The leaderboard by the deals so far, above a bot if one is named, by these results of each pair of bots. Its leads are still
    /// empty: see [`Ratings::with_leads`].
    pub fn ratings(&self, anchor: Option<usize>, pairs: &[Pair], look: Look) -> Ratings {
        let totals = self.duels.totals();
        let groups = Groups::new(self.names.len(), |bot, other| totals[0][(bot, other)] > 0.0);
        let uncertain = Uncertain::of(&self.duels);
        let direct = Direct {
            bots: self.names.len(),
            pairs,
        };
        let method = Method::of(&self.duels, &groups, &uncertain, look);
        let claims = Claims::of(method, &self.names, &self.duels, &uncertain, &direct);
        let misfit = &uncertain.misfit;
        let first_seat = self.first_seat.mean().map(|mean| mean / 2.0);
        let fit = Fit {
            of: self,
            at: of_groups(totals, &groups),
            groups: &groups,
            direct,
            method,
            uncertain: &uncertain,
            pairs_alone: self.duels.is_forest(&groups),
            // If results chose who met, an interval must hold whoever did.
            whoever_met: (self.drawn && method != Method::MaxT)
                .then(|| claims::whoever_met(&uncertain.information)),
        };
        let order = fit.order();
        let anchor_is_given = anchor.is_some();
        let anchor = anchor.or_else(|| fit.anchor(&order));
        Ratings {
            deals: self.duels.deals,
            anchor: anchor.map(|anchor| self.names[anchor].clone()),
            anchor_is_given,
            groups: groups.all().len(),
            bots: fit.bots(&order, anchor),
            leads: Vec::new(),
            contradictions: misfit.contradictions(&self.names),
            first_seat: first_seat.map(|score| FirstSeat {
                score,
                interval: interval::of_score(&self.first_seat),
            }),
            differences: fit.differences(),
            claims,
        }
    }
}

/// The strengths of bots beside those whose distance is bounded from both sides.
fn of_groups([won, met]: [DMatrix<f64>; 2], groups: &Groups) -> DVector<f64> {
    let mutual =
        met.map_with_location(|bot, other, _| f64::from(u8::from(groups.mutual(bot, other))));
    strengths(
        &[won.component_mul(&mutual), met.component_mul(&mutual)],
        &mutual,
    )
}

/// The fit of a tournament, from which the leaderboard is read.
struct Fit<'a> {
    of: &'a Collector,
    /// Strengths in logits, beside those whose distance is bounded from both sides.
    at: DVector<f64>,
    groups: &'a Groups,
    direct: Direct<'a>,
    method: Method,
    uncertain: &'a Uncertain,
    /// True if nothing but chains of single pairs joins bots, so that nothing tests what is not a pair's own result.
    pairs_alone: bool,
    /// The standard errors in half an interval of a difference, where that is one number for all.
    whoever_met: Option<f64>,
}

impl Fit<'_> {
    /// The bots, group by group, strongest first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.of.names.len()).collect();
        order.sort_by_key(|bot| (self.groups.of(*bot), self.rank(*bot), &self.of.names[*bot]));
        order
    }

    fn bots(&self, order: &[usize], anchor: Option<usize>) -> Vec<Rating> {
        let groups = self.groups.all();
        let rating = |bot: &usize| Rating {
            bot: self.of.names[*bot].clone(),
            group: 1 + groups
                .iter()
                .position(|group| group.contains(bot))
                .unwrap_or(0),
            rank: self.met(*bot).then(|| self.rank(*bot)),
            over: anchor
                .map(|anchor| self.difference(*bot, anchor))
                .unwrap_or_default(),
        };
        order.iter().map(rating).collect()
    }

    /// The strongest bot of those that can be compared with most.
    fn anchor(&self, order: &[usize]) -> Option<usize> {
        let met = || order.iter().copied().filter(|bot| self.met(*bot));
        let most = met().map(|bot| self.groups.comparable(bot)).max();
        met().find(|bot| Some(self.groups.comparable(*bot)) == most)
    }

    /// True if a bot met another one.
    fn met(&self, bot: usize) -> bool {
        (0..self.of.names.len())
            .any(|other| other != bot && self.groups.of(other) == self.groups.of(bot))
    }

    /// A bot's rank in its group, 1 for the strongest; equal bots share a rank.
    fn rank(&self, bot: usize) -> usize {
        let better = |other: &usize| {
            let apart = if self.groups.mutual(*other, bot) {
                &self.at
            } else {
                &self.uncertain.at
            };
            self.groups.of(*other) == self.groups.of(bot) && apart[*other] > apart[bot] + EQUAL
        };
        1 + (0..self.of.names.len()).filter(better).count()
    }

    fn differences(&self) -> Vec<Vec<EloDifference>> {
        let bots = 0..self.of.names.len();
        bots.clone()
            .map(|bot| {
                bots.clone()
                    .map(|other| self.difference(bot, other))
                    .collect()
            })
            .collect()
    }

    /// By how much a bot is stronger than another one.
    fn difference(&self, bot: usize, other: usize) -> EloDifference {
        let mutual = self.groups.mutual(bot, other);
        if bot == other {
            return EloDifference {
                elo: Some(Elo::Value(0.0)),
                interval: [None; 2],
            };
        }
        if (self.pairs_alone || !mutual)
            && let Some(direct) = self.direct.difference(bot, other)
        {
            return direct;
        }
        if !mutual {
            return EloDifference::default();
        }
        let elo = (self.at[bot] - self.at[other]) * ELO;
        let known = self.of.duels.deals >= FEWEST_FOR_POINTS && !self.pairs_alone;
        let half = known.then(|| self.half_interval(bot, other) * ELO);
        EloDifference {
            elo: Some(Elo::Value(elo)),
            interval: [-1.0, 1.0].map(|side| Some(elo + side * half?)),
        }
    }

    /// Half the 95 % interval of a difference, in logits.
    fn half_interval(&self, bot: usize, other: usize) -> f64 {
        let errors = self
            .whoever_met
            .unwrap_or_else(|| student::half_width(self.uncertain.degrees(bot, other)));
        errors * claims::squared_error(self.method, self.uncertain, bot, other).sqrt()
    }
}
