//! Circles: three bots of which each beats the next.

use std::collections::BTreeSet;

use crate::holm::Significance;
use crate::pair::Pair;

/// Three bots of which each makes more points against the next than that makes, with a mark of significance; each circle
/// once, from its lowest bot on.
pub fn circles(pairs: &[Pair]) -> Vec<[usize; 3]> {
    let beats = |pair: &Pair| {
        let points = pair
            .points
            .filter(|points| points.significance != Significance::None)?;
        Some(if points.mean > 0.0 {
            (pair.first, pair.second)
        } else {
            (pair.second, pair.first)
        })
    };
    let beats: BTreeSet<(usize, usize)> = pairs.iter().filter_map(beats).collect();
    let worse = |bot: usize| {
        beats
            .range((bot, 0)..=(bot, usize::MAX))
            .map(|(_, worse)| *worse)
    };
    let from = |(a, b): &(usize, usize)| {
        let (a, b) = (*a, *b);
        worse(b)
            .filter(move |c| a < b && a < *c)
            .map(move |c| [a, b, c])
    };
    beats
        .iter()
        .flat_map(from)
        .filter(|[a, _, c]| beats.contains(&(*c, *a)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::PointsDifference;

    fn pair(first: usize, second: usize, mean: f64, significance: Significance) -> Pair {
        let points = PointsDifference {
            mean,
            interval: None,
            p: None,
            adjusted: None,
            evidence: 1.0,
            significance,
            too_few: false,
            needed: None,
        };
        Pair {
            first,
            second,
            points: Some(points),
            ..Pair::default()
        }
    }

    #[test]
    fn each_circle_is_found_once() {
        let sure = Significance::OnePercent;
        let mut pairs = vec![
            pair(0, 1, 1.0, sure),
            pair(0, 2, -1.0, sure),
            pair(1, 2, 1.0, sure),
            pair(0, 3, 1.0, sure),
        ];
        assert_eq!(circles(&pairs), [[0, 1, 2]]);
        pairs.extend([pair(1, 3, -1.0, sure), pair(2, 3, 1.0, Significance::None)]);
        assert_eq!(circles(&pairs), [[0, 1, 2]]);
        pairs[2] = pair(1, 2, -1.0, sure);
        assert!(circles(&pairs).is_empty(), "2 beats 1 and 0");
    }
}
