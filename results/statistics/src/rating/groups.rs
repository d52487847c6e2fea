//! The groups of bots that can be compared: those joined by a path of matches, and those whose distance is bounded from both sides.

/// The groups of bots that can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    /// For each bot, the lowest of the bots that a path of matches joins it to.
    of: Vec<usize>,
    /// For each two bots, whether the first took something from the second, directly or over others.
    above: Vec<bool>,
}

impl Groups {
    /// By who took half a point or more from whom: `took(i, j)`, for different bots.
    pub(crate) fn new(bots: usize, took: impl Fn(usize, usize) -> bool) -> Self {
        let joined = reach(bots, |i, j| took(i, j) || took(j, i));
        let of = (0..bots)
            .map(|i| {
                (0..bots)
                    .find(|j| i == *j || joined[i * bots + j])
                    .unwrap_or(i)
            })
            .collect();
        Self {
            of,
            above: reach(bots, took),
        }
    }

    /// The lowest bot of the group that this one is in.
    pub(crate) fn of(&self, bot: usize) -> usize {
        self.of[bot]
    }

    /// True if the matches bound the distance of two bots from both sides, since each took something from the other,
    /// directly or over others (Ford 1957, "Solution of a ranking problem from binary comparisons").
    pub(crate) fn mutual(&self, bot: usize, other: usize) -> bool {
        let bots = self.of.len();
        bot == other || (self.above[bot * bots + other] && self.above[other * bots + bot])
    }

    /// The number of bots, itself among them, whose distance from a bot is bounded from both sides.
    pub(crate) fn comparable(&self, bot: usize) -> usize {
        (0..self.of.len())
            .filter(|other| self.mutual(bot, *other))
            .count()
    }

    /// The bots of each group, the group of the lowest bot first.
    pub(crate) fn all(&self) -> Vec<Vec<usize>> {
        let members = |group: usize| {
            (0..self.of.len())
                .filter(|bot| self.of[*bot] == group)
                .collect()
        };
        (0..self.of.len())
            .filter(|bot| self.of[*bot] == *bot)
            .map(members)
            .collect()
    }
}

/// From which bot a path leads to which.
fn reach(bots: usize, edge: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let next = |from: usize| (0..bots).filter(|to| edge(from, *to)).collect();
    let edges: Vec<Vec<usize>> = (0..bots).map(next).collect();
    let mut reach = vec![false; bots * bots];
    for (from, reached) in reach.chunks_mut(bots.max(1)).enumerate() {
        let mut open = vec![from];
        while let Some(via) = open.pop() {
            open.extend(
                edges[via]
                    .iter()
                    .filter(|to| !std::mem::replace(&mut reached[**to], true)),
            );
        }
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bots: usize, took: &[(usize, usize)], groups: &[&[usize]], mutual: &[(usize, usize)]) {
        let found = Groups::new(bots, |i, j| took.contains(&(i, j)));
        assert_eq!(found.all(), groups, "{took:?}");
        let pairs = (0..bots).flat_map(|i| (i + 1..bots).map(move |j| (i, j)));
        assert_eq!(
            pairs
                .filter(|(i, j)| found.mutual(*i, *j))
                .collect::<Vec<_>>(),
            mutual,
            "{took:?}"
        );
    }

    #[test]
    fn bots_are_compared_along_paths_of_matches() {
        check(
            3,
            &[(0, 1), (1, 2), (2, 0)],
            &[&[0, 1, 2]],
            &[(0, 1), (0, 2), (1, 2)],
        );
        check(
            4,
            &[(0, 1), (1, 0), (3, 0), (1, 2)],
            &[&[0, 1, 2, 3]],
            &[(0, 1)],
        );
        check(
            4,
            &[(0, 2), (2, 0), (1, 3), (3, 1)],
            &[&[0, 2], &[1, 3]],
            &[(0, 2), (1, 3)],
        );
        check(3, &[(0, 1)], &[&[0, 1], &[2]], &[]);
        check(
            5,
            &[(0, 1), (1, 0), (0, 2), (3, 2)],
            &[&[0, 1, 2, 3], &[4]],
            &[(0, 1)],
        );
    }
}
