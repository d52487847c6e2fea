//! Equilibria by CFR+ (Tammelin 2014), and the score of a best response to any policy.

use super::tree::{Node, Tree};

/// The chance of each action of each set, by their places.
pub type Policy = Vec<f32>;

/// The policy that chooses all actions alike.
pub fn even(tree: &Tree) -> Policy {
    matched(tree, &vec![0.0; tree.actions])
}

/// The mean policy over the rounds of CFR+, later ones counting more; both seats are updated in turn.
pub fn solve(tree: &Tree, rounds: u32) -> Policy {
    let mut regrets = vec![0.0; tree.actions];
    let mut mean = vec![0.0; tree.actions];
    for round in 1..=rounds {
        for seat in 0..2 {
            let policy = matched(tree, &regrets);
            let (regrets, mean) = (&mut regrets, &mut mean);
            Walk { tree, policy: &policy, seat, weight: round as f32, regrets, mean }.value(0, 1.0, 1.0);
            regrets.iter_mut().for_each(|regret| *regret = regret.max(0.0));
        }
    }
    matched(tree, &mean)
}

/// Each action in proportion to its weight, alike where all are 0.
fn matched(tree: &Tree, weights: &[f32]) -> Policy {
    let mut policy = vec![0.0; tree.actions];
    for set in &tree.sets {
        let all: f32 = weights[set.range()].iter().sum();
        let shares = policy[set.range()].iter_mut().zip(&weights[set.range()]);
        let alike = 1.0 / set.actions.len() as f32;
        shares.for_each(|(share, weight)| *share = if all > 0.0 { weight / all } else { alike });
    }
    policy
}

/// One pass over the tree for one seat.
struct Walk<'a> {
    tree: &'a Tree,
    policy: &'a [f32],
    seat: usize,
    weight: f32,
    regrets: &'a mut [f32],
    mean: &'a mut [f32],
}

impl Walk<'_> {
    /// The value of a position for the seat, which is reached by its own choices and by all else with these chances.
    fn value(&mut self, node: u32, own: f32, other: f32) -> f32 {
        let (tree, policy) = (self.tree, self.policy);
        let children = tree.children(node);
        match tree.nodes[node as usize] {
            Node::Over(score) => score.of(self.seat),
            Node::Chance { count, .. } => {
                let share = 1.0 / count as f32;
                children.map(|child| share * self.value(child, own, other * share)).sum()
            }
            Node::Act { set, .. } if tree.sets[set as usize].seat != self.seat => {
                // Also what the other never does is gone through: the mean counts each set alike in every round.
                let shares = &policy[tree.sets[set as usize].range()];
                children.zip(shares).map(|(child, share)| share * self.value(child, own, other * share)).sum()
            }
            Node::Act { set, .. } => {
                let range = tree.sets[set as usize].range();
                let shares = policy[range.clone()].iter();
                let values: Vec<f32> =
                    children.zip(shares.clone()).map(|(child, share)| self.value(child, own * share, other)).collect();
                let value: f32 = shares.clone().zip(&values).map(|(share, value)| share * value).sum();
                for ((at, share), child) in range.zip(shares).zip(values) {
                    self.regrets[at] += other * (child - value);
                    self.mean[at] += self.weight * own * share;
                }
                value
            }
        }
    }
}

/// The score that a seat makes which knows the policy of the other, and answers it as well as can be.
pub fn best_response(tree: &Tree, policy: &[f32], seat: usize) -> f32 {
    let positions = vec![Vec::new(); tree.sets.len()];
    let (values, best) = (vec![None; tree.nodes.len()], vec![None; tree.sets.len()]);
    let mut search = Search { tree, policy, seat, positions, values, best };
    search.spread(0, 1.0);
    search.value(0)
}

struct Search<'a> {
    tree: &'a Tree,
    policy: &'a [f32],
    seat: usize,
    /// The positions of each set of the seat, with the chance that each is reached if the seat wants it.
    positions: Vec<Vec<(u32, f32)>>,
    /// The value of each position, once it is known.
    values: Vec<Option<f32>>,
    /// The best action of each set, once it is known.
    best: Vec<Option<usize>>,
}

impl Search<'_> {
    /// The seat's share in all actions is 1, as it may choose any of them; the other's goes by its policy.
    fn spread(&mut self, node: u32, reach: f32) {
        let (tree, policy) = (self.tree, self.policy);
        let children = tree.children(node);
        match tree.nodes[node as usize] {
            _ if reach <= 0.0 => {}
            Node::Over(_) => {}
            Node::Chance { count, .. } => children.for_each(|child| self.spread(child, reach / count as f32)),
            Node::Act { set, .. } if tree.sets[set as usize].seat == self.seat => {
                self.positions[set as usize].push((node, reach));
                children.for_each(|child| self.spread(child, reach));
            }
            Node::Act { set, .. } => {
                let shares = &policy[tree.sets[set as usize].range()];
                children.zip(shares).for_each(|(child, share)| self.spread(child, reach * share));
            }
        }
    }

    fn value(&mut self, node: u32) -> f32 {
        if let Some(value) = self.values[node as usize] {
            return value;
        }
        let (tree, policy) = (self.tree, self.policy);
        let mut children = tree.children(node);
        let value = match tree.nodes[node as usize] {
            Node::Over(score) => score.of(self.seat),
            Node::Chance { count, .. } => children.map(|child| self.value(child)).sum::<f32>() / count as f32,
            Node::Act { set, .. } if tree.sets[set as usize].seat == self.seat => {
                let best = self.best(set);
                self.value(children.nth(best).expect("an action leads on"))
            }
            Node::Act { set, .. } => {
                let shares = children.zip(&policy[tree.sets[set as usize].range()]);
                shares.filter(|(_, share)| **share > 0.0).map(|(child, share)| share * self.value(child)).sum()
            }
        };
        self.values[node as usize] = Some(value);
        value
    }

    /// The best action of a set of the seat, over all its positions.
    fn best(&mut self, set: u32) -> usize {
        if let Some(best) = self.best[set as usize] {
            return best;
        }
        let positions = std::mem::take(&mut self.positions[set as usize]);
        let mut sums = vec![0.0; self.tree.sets[set as usize].actions.len()];
        for (node, reach) in positions {
            for (sum, child) in sums.iter_mut().zip(self.tree.children(node)) {
                *sum += reach * self.value(child);
            }
        }
        let (best, _) =
            sums.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1)).expect("there is an action");
        self.best[set as usize] = Some(best);
        best
    }
}
