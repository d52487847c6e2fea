//! What the standings are ordered by, and by what bots are certainly ahead of others.

use arena_tournament::placings::Placings;
use serde::Serialize;

use crate::pair::Pair;
use crate::pairwise::Pairwise;
use crate::rating::claims::Method;
use crate::rating::{Collector, Ratings};
use crate::standings::{Standings, Tally};

/// What the ranks are by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Official points per match: all bots meet the same opponents on every deal, each other aside.
    #[default]
    Points,
    /// Strength, as the ratings have it: opponents differ.
    Strength,
    /// The rules of the format, which has a placing of its own.
    Placing,
}

/// What a bot is certainly ahead of another one by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AheadBy {
    /// Official points, deal by deal, against the same opponents.
    #[default]
    Points,
    /// Strength, by all that is known of both.
    Strength,
    /// Nothing: only the matches of two bots tell which of them beats the other, as `beats` in the claims of the ratings says.
    Nothing,
}

/// The standings, with the ratings and the pairs that they go with.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The standings.
    pub standings: Standings,
    /// The strengths of the bots.
    pub ratings: Ratings,
    /// Each pair of bots.
    pub pairs: Vec<Pair>,
}

/// The order of the standings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ranking {
    /// What it is by.
    pub basis: Basis,
    /// The rank of each bot; equal bots share one.
    pub ranks: Vec<usize>,
}

impl Ranking {
    /// As the format places this many bots; before the end of a round, and those that it does not place, all are equal.
    fn by_placing(placings: &Placings, bots: usize) -> Self {
        let rows = placings.rows.iter().filter(|_| placings.finished > 0);
        let mut ranks = vec![1; bots];
        rows.for_each(|row| ranks[row.bot] = row.place);
        Self {
            basis: Basis::Placing,
            ranks,
        }
    }

    /// By strength; bots of another group, and those without a rating, come after the others.
    fn by_strength(ratings: &Ratings, names: &[String]) -> Self {
        let key = |name: &String| {
            let rating = ratings.bots.iter().find(|rating| rating.bot == *name);
            rating.map(|rating| (rating.rank.is_none(), rating.group, rating.rank))
        };
        let keys: Vec<_> = names.iter().map(key).collect();
        let rank = |bot: &_| 1 + keys.iter().filter(|other| *other < bot).count();
        Self {
            basis: Basis::Strength,
            ranks: keys.iter().map(rank).collect(),
        }
    }
}

impl Tally {
    /// The standings, in the order that the matches allow: as the format places the bots, if it does; by points where these compare
    /// them, since all meet; else by strength.
    pub fn ranked(
        self,
        pairwise: &Pairwise,
        collector: &Collector,
        placings: Option<&Placings>,
        anchor: Option<usize>,
    ) -> Ranked {
        let (names, pairs) = (self.spec.names(), pairwise.table(self.look()));
        let ratings = collector.ratings(anchor, &pairs, self.look());
        let placed = placings.map(|placings| Ranking::by_placing(placings, names.len()));
        let ranking = placed
            .or_else(|| self.by_points())
            .unwrap_or_else(|| Ranking::by_strength(&ratings, &names));
        let (ahead, ahead_by) = match (ranking.basis, ratings.claims.method) {
            (Basis::Points, _) => (self.ahead(), AheadBy::Points),
            (_, Method::Pairs) => (ratings.claims.ahead.clone(), AheadBy::Nothing),
            (_, Method::MaxT | Method::Adaptive) => {
                (ratings.claims.ahead.clone(), AheadBy::Strength)
            }
        };
        let ratings = ratings.with_leads(&self.order(&ranking), &names);
        Ranked {
            standings: self.standings(&ranking, (&ahead, ahead_by), pairwise),
            ratings,
            pairs,
        }
    }
}
