//! The groups of bots that can be compared: those joined by a path of matches, and those whose distance is bounded from both sides.

use serde::{Deserialize, Serialize};

/// The groups of bots that can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    /// For each bot, the lowest of the bots that a path of matches joins it to.
    of: Vec<usize>,
    /// For each bot, how far its matches bound its strength.
    limits: Vec<Limit>,
    /// For each bot, whether it is in the greatest set of its group of which each took something from the others, or in
    /// one that is as great.
    main: Vec<bool>,
}

/// The sides from which a bot's results bound its strength (Ford 1957, "Solution of a ranking problem from binary comparisons":
/// strengths have a finite maximum of the likelihood only among bots of which each took something from the others,
/// directly or in turn).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// From both sides.
    Both,
    /// It never lost a half point to the main field: its strength is at least what is shown, which the prior holds.
    AtLeast,
    /// It never took a half point from the main field: its strength is at most what is shown, which the prior holds.
    AtMost,
    /// It is not compared with the main field.
    Neither,
}

impl Limit {
    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Both => "both",
            Limit::AtLeast => "at_least",
            Limit::AtMost => "at_most",
            Limit::Neither => "neither",
        }
    }
}

impl Groups {
    /// By who took half a point or more from whom: `took(i, j)`, for different bots.
    pub(crate) fn new(bots: usize, took: impl Fn(usize, usize) -> bool) -> Self {
        let joined = reach(bots, |i, j| took(i, j) || took(j, i));
        let above = reach(bots, took);
        let of: Vec<usize> =
            (0..bots).map(|i| (0..bots).find(|j| i == *j || joined[i * bots + j]).unwrap_or(i)).collect();
        let both = |i: usize, j: usize| i == j || (above[i * bots + j] && above[j * bots + i]);
        let size = |i: usize| (0..bots).filter(|j| both(i, *j)).count();
        let main = |group: usize| {
            let members = (0..bots).filter(|i| of[*i] == group);
            members.fold(group, |best, bot| if size(bot) > size(best) { bot } else { best })
        };
        let limit = |bot: usize| {
            let main = main(of[bot]);
            match (above[bot * bots + main], above[main * bots + bot]) {
                _ if bot == main && (size(bot) > 1 || (0..bots).all(|j| j == bot || !joined[bot * bots + j])) => {
                    Limit::Both
                }
                (true, true) => Limit::Both,
                (true, false) => Limit::AtLeast,
                (false, true) => Limit::AtMost,
                (false, false) => Limit::Neither,
            }
        };
        let in_main = |bot: usize| size(bot) == size(main(of[bot]));
        Self { limits: (0..bots).map(limit).collect(), main: (0..bots).map(in_main).collect(), of }
    }

    /// The lowest bot of the group that this one is in.
    pub(crate) fn of(&self, bot: usize) -> usize {
        self.of[bot]
    }

    /// True if a bot is in the main field of its group, or in one as great. Unlike limits, this does not depend on the
    /// order of the bots where several are equally great.
    pub(crate) fn in_main_field(&self, bot: usize) -> bool {
        self.main[bot]
    }

    /// The sides from which its matches bound a bot's strength.
    pub(crate) fn limit(&self, bot: usize) -> Limit {
        self.limits[bot]
    }

    /// The bots of each group, the group of the lowest bot first.
    pub(crate) fn all(&self) -> Vec<Vec<usize>> {
        let members = |group: usize| (0..self.of.len()).filter(|bot| self.of[*bot] == group).collect();
        (0..self.of.len()).filter(|bot| self.of[*bot] == *bot).map(members).collect()
    }
}

/// From which bot a path leads to which (Warshall 1962, "A theorem on Boolean matrices").
fn reach(bots: usize, edge: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let mut reach: Vec<bool> = (0..bots * bots).map(|cell| edge(cell / bots, cell % bots)).collect();
    for via in 0..bots {
        for from in 0..bots {
            if reach[from * bots + via] {
                (0..bots).for_each(|to| reach[from * bots + to] |= reach[via * bots + to]);
            }
        }
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bots: usize, took: &[(usize, usize)], groups: &[&[usize]], limits: &[Limit]) {
        let found = Groups::new(bots, |i, j| took.contains(&(i, j)));
        assert_eq!(found.all(), groups, "{took:?}");
        assert_eq!((0..bots).map(|bot| found.limit(bot)).collect::<Vec<_>>(), limits, "{took:?}");
    }

    #[test]
    fn bots_are_compared_along_paths_of_matches() {
        use Limit::{AtLeast, AtMost, Both, Neither};
        check(3, &[(0, 1), (1, 2), (2, 0)], &[&[0, 1, 2]], &[Both; 3]);
        check(4, &[(0, 1), (1, 0), (3, 0), (1, 2)], &[&[0, 1, 2, 3]], &[Both, Both, AtMost, AtLeast]);
        check(4, &[(0, 2), (2, 0), (1, 3), (3, 1)], &[&[0, 2], &[1, 3]], &[Both; 4]);
        check(3, &[(0, 1)], &[&[0, 1], &[2]], &[Neither, AtMost, Both]);
        check(5, &[(0, 1), (1, 0), (0, 2), (3, 2)], &[&[0, 1, 2, 3], &[4]], &[Both, Both, AtMost, Neither, Both]);
    }
}
