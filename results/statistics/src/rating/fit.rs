//! Fits ratings, so that each bot's expected scores add up to its actual score.
//!
//! This is the maximum likelihood estimate of Bradley and Terry 1952, "Rank analysis of incomplete block designs", with a draw as half a
//! win and half a loss, found by Newton's method. Ratings are in logits. Most bots of a large field never meet, so the matrix of duels is
//! stored as lists of opponents, and each step is found by conjugate gradients (Hestenes and Stiefel 1952).

/// Elo points per logit: 400 / ln 10.
pub(super) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Maximum step of a rating, in logits.
const MAX_STEP: f64 = 1.0;
/// Convergence threshold for the largest step of a rating, in logits: 2e-8 Elo.
const TOLERANCE: f64 = 1e-10;
const MAX_STEPS: usize = 1000;
/// Convergence threshold for the square of the residual, relative to the right-hand side.
const RESIDUAL: f64 = 1e-26;

/// Duels of a bot with an opponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    /// Index of the opponent.
    pub(super) other: u32,
    /// Number of duels.
    pub(super) duels: u32,
    /// Half-points of the bot in these duels.
    pub(super) half_points: u32,
}

impl Edge {
    /// Returns the information of the duels, and the excess of the score over the expected score, at a difference of ratings.
    fn slopes(&self, difference: f64) -> [f64; 2] {
        let expected = score(difference);
        let duels = f64::from(self.duels);
        [
            duels * expected * (1.0 - expected),
            f64::from(self.half_points) / 2.0 - duels * expected,
        ]
    }
}

/// Opponents of each bot.
pub(super) type Graph = Vec<Vec<Edge>>;

/// Ratings that add up to 0, and their information: the negative Hessian of the log-likelihood.
pub(super) struct Fit {
    pub(super) at: Vec<f64>,
    graph: Graph,
    /// Information of each edge.
    weights: Vec<Vec<f64>>,
    /// Information of each bot.
    diagonal: Vec<f64>,
}

impl Fit {
    /// Fits the ratings of these bots. Each bot must have scored against each other one, directly or through other bots (Ford 1957,
    /// "Solution of a ranking problem from binary comparisons").
    pub(super) fn new(graph: &Graph, bots: &[usize]) -> Self {
        let mut place = vec![u32::MAX; graph.len()];
        for (at, bot) in (0..).zip(bots) {
            place[*bot] = at;
        }
        let within = |bot: &usize| {
            let local = graph[*bot].iter().map(|edge| Edge {
                other: place[edge.other as usize],
                ..*edge
            });
            local.filter(|edge| edge.other != u32::MAX).collect()
        };
        let graph: Graph = bots.iter().map(within).collect();
        let mut fit = Self {
            at: vec![0.0; bots.len()],
            weights: graph.iter().map(|edges| vec![0.0; edges.len()]).collect(),
            diagonal: vec![0.0; bots.len()],
            graph,
        };
        let mut slope = fit.weigh();
        for _ in 0..MAX_STEPS {
            let step = fit.moved(&slope);
            let longest = step.iter().fold(0.0_f64, |most, step| most.max(step.abs()));
            let shrink = (longest / MAX_STEP).max(1.0);
            add(&mut fit.at, 1.0 / shrink, &step);
            slope = fit.weigh();
            if longest < TOLERANCE {
                break;
            }
        }
        fit
    }

    /// Updates the information, and returns the excess of each bot's score over its expected score.
    fn weigh(&mut self) -> Vec<f64> {
        let mut slope = vec![0.0; self.at.len()];
        for (bot, edges) in self.graph.iter().enumerate() {
            self.diagonal[bot] = 0.0;
            for (edge, weight) in edges.iter().zip(&mut self.weights[bot]) {
                let [information, excess] =
                    edge.slopes(self.at[bot] - self.at[edge.other as usize]);
                *weight = information;
                self.diagonal[bot] += information;
                slope[bot] += excess;
            }
        }
        slope
    }

    /// Returns the product of the information and a vector.
    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let row = |bot: usize| {
            let edges = self.graph[bot].iter().zip(&self.weights[bot]);
            let others: f64 = edges
                .map(|(edge, weight)| weight * vector[edge.other as usize])
                .sum();
            self.diagonal[bot] * vector[bot] - others
        };
        (0..vector.len()).map(row).collect()
    }

    /// Returns the change of each rating per unit of these slopes of the log-likelihood. Both add up to 0, because only differences of
    /// ratings matter. The system is solved by conjugate gradients, with the diagonal as preconditioner.
    pub(super) fn moved(&self, slopes: &[f64]) -> Vec<f64> {
        let scaled = |vector: &[f64]| -> Vec<f64> {
            let scale = |(value, diagonal): (&f64, &f64)| value / diagonal.max(f64::MIN_POSITIVE);
            vector.iter().zip(&self.diagonal).map(scale).collect()
        };
        let mut found = vec![0.0; slopes.len()];
        let mut rest = centred(slopes.to_vec());
        let mut towards = scaled(&rest);
        let mut size = dot(&rest, &towards);
        let goal = size * RESIDUAL;
        // In exact arithmetic, one step per bot suffices.
        for _ in 0..2 * slopes.len() + 20 {
            if size <= goal {
                break;
            }
            let image = self.times(&towards);
            let length = size / dot(&towards, &image);
            if !length.is_finite() {
                break;
            }
            add(&mut found, length, &towards);
            add(&mut rest, -length, &image);
            let next = scaled(&rest);
            let next_size = dot(&rest, &next);
            let keep = next_size / size;
            towards
                .iter_mut()
                .zip(next)
                .for_each(|(old, new)| *old = new + keep * *old);
            size = next_size;
        }
        centred(found)
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn add(to: &mut [f64], factor: f64, vector: &[f64]) {
    to.iter_mut()
        .zip(vector)
        .for_each(|(to, value)| *to += factor * value);
}

/// Subtracts the mean from each component.
fn centred(mut vector: Vec<f64>) -> Vec<f64> {
    let mean = vector.iter().sum::<f64>() / vector.len().max(1) as f64;
    vector.iter_mut().for_each(|value| *value -= mean);
    vector
}

/// Returns the expected score at a difference in logits.
pub(super) fn score(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// Returns the rating that yields this mean expected score against opponents with these ratings and numbers of duels. The mean must lie
/// strictly between 0 and 1.
pub(super) fn rating(mean: f64, opponents: &[(f64, f64)]) -> f64 {
    let wanted: f64 = opponents.iter().map(|(_, duels)| duels * mean).sum();
    let made = |at: f64| -> f64 {
        let scores = opponents.iter();
        scores.map(|(other, duels)| duels * score(at - other)).sum()
    };
    let (mut low, mut high) = (-100.0, 100.0);
    while high - low > 1e-9 {
        let middle = f64::midpoint(low, high);
        if made(middle) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Returns the largest set of bots that have scored against each other, directly or through other bots. If `named` is given, returns the
/// set of that bot. Of sets of equal size, the one with the first name is returned.
pub(super) fn core(names: &[String], named: Option<usize>, graph: &Graph) -> Vec<usize> {
    let bots = names.len();
    let mut from = vec![Vec::new(); bots];
    let mut to = vec![Vec::new(); bots];
    for (bot, edges) in graph.iter().enumerate() {
        for edge in edges.iter().filter(|edge| edge.half_points > 0) {
            let other = edge.other as usize;
            from[bot].push(other);
            to[other].push(bot);
        }
    }
    let sets = sets(&from, &to);
    let members = |set: usize| (0..bots).filter(|bot| sets[*bot] == set).collect();
    if let Some(bot) = named {
        return members(sets[bot]);
    }
    let mut sizes = vec![0_usize; bots];
    sets.iter().for_each(|set| sizes[*set] += 1);
    let first = (0..bots).min_by(|one, other| {
        let by_size = sizes[sets[*other]].cmp(&sizes[sets[*one]]);
        by_size.then_with(|| names[*one].cmp(&names[*other]))
    });
    first.map_or_else(Vec::new, |bot| members(sets[bot]))
}

/// Returns the strongly connected component of each bot (Sharir 1981, "A strong-connectivity algorithm and its applications in data flow
/// analysis"). A search along the edges yields an order, and a search against them the components.
fn sets(from: &[Vec<usize>], to: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(from.len());
    let mut seen = vec![false; from.len()];
    for start in 0..from.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((bot, next)) = path.last_mut() {
            match from[*bot].get(*next) {
                None => {
                    order.push(*bot);
                    path.pop();
                }
                Some(other) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*other], true) {
                        path.push((*other, 0));
                    }
                }
            }
        }
    }
    let mut sets = vec![usize::MAX; from.len()];
    for start in order.into_iter().rev() {
        let mut open = vec![start];
        while let Some(bot) = open.pop() {
            if sets[bot] == usize::MAX {
                sets[bot] = start;
                open.extend(&to[bot]);
            }
        }
    }
    sets
}
