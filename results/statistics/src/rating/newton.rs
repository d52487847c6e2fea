//! The maximum of a concave function, by Newton's method with step control.

use super::linear::Symmetric;

/// The longest step of a parameter, in logits.
const LONGEST: f64 = 4.0;
/// A fit has settled when no parameter moves by more than this, in logits: 2e-8 Elo.
const SETTLED: f64 = 1e-10;
/// Parameters beyond this many logits are on their way to infinity.
const FAR: f64 = 60.0;
const MOST_STEPS: usize = 200;

/// The parts of a function that are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    /// The slope alone.
    Slope,
    /// Value, slope and curvature.
    All,
}

/// A function close to a point.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    /// The parts that are computed; the rest may stay empty.
    pub(crate) parts: Parts,
    /// Its value.
    pub(crate) value: f64,
    /// Its slope.
    pub(crate) gradient: Vec<f64>,
    /// Its second derivatives with the sign changed: positive for a concave function.
    pub(crate) curvature: Symmetric,
}

impl Local {
    /// Zero, of this many parameters.
    pub(crate) fn zero(size: usize, parts: Parts) -> Self {
        Self { parts, value: 0.0, gradient: vec![0.0; size], curvature: Symmetric::zero(size) }
    }

    fn clear(&mut self) {
        self.value = 0.0;
        self.gradient.fill(0.0);
        self.curvature.clear();
    }

    /// Adds a normal density's logarithm for one parameter: mean 0, this standard deviation.
    pub(crate) fn add_prior(&mut self, index: usize, at: f64, deviation: f64) {
        let precision = deviation.powi(-2);
        self.value -= precision * at * at / 2.0;
        self.gradient[index] -= precision * at;
        self.curvature.add(index, index, precision);
    }
}

/// The maximum of a concave function from this start: `near` adds the function at a point to an empty [`Local`]. None
/// if there is none, since a parameter runs away.
pub(crate) fn maximise(start: Vec<f64>, near: impl Fn(&[f64], &mut Local)) -> Option<Vec<f64>> {
    let mut at = start;
    let mut here = Local::zero(at.len(), Parts::All);
    near(&at, &mut here);
    let mut there = Local::zero(at.len(), Parts::All);
    for _ in 0..MOST_STEPS {
        let mut step = here.curvature.solve(&here.gradient);
        let longest = largest(&step);
        step.iter_mut().for_each(|step| *step *= (LONGEST / longest).min(1.0));
        let settled = longest < SETTLED || !climb(&mut at, &step, &here, &mut there, &near);
        if settled {
            return Some(at);
        }
        if largest(&at) > FAR {
            return None;
        }
        std::mem::swap(&mut here, &mut there);
    }
    None
}

/// Takes the step, or the half of it, or a quarter …, the first that gains. Returns true if one did.
fn climb(at: &mut Vec<f64>, step: &[f64], here: &Local, there: &mut Local, near: &impl Fn(&[f64], &mut Local)) -> bool {
    // Below this a loss is rounding.
    let rounding = 1e-13 * (1.0 + here.value.abs());
    let mut share = 1.0;
    while share > 1e-9 {
        let next: Vec<f64> = at.iter().zip(step).map(|(at, step)| at + share * step).collect();
        there.clear();
        near(&next, there);
        if there.value >= here.value - rounding {
            *at = next;
            return true;
        }
        share /= 2.0;
    }
    false
}

fn largest(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The logarithm of a binomial's likelihood: wins and losses at the logit `at[0]`.
    fn binomial(wins: f64, losses: f64) -> impl Fn(&[f64], &mut Local) {
        move |at, local| {
            let p = 1.0 / (1.0 + (-at[0]).exp());
            local.value += wins * p.ln() + if losses > 0.0 { losses * (1.0 - p).ln() } else { 0.0 };
            local.gradient[0] += wins - (wins + losses) * p;
            local.curvature.add(0, 0, (wins + losses) * p * (1.0 - p));
        }
    }

    #[test]
    fn the_maximum_is_found_from_far_and_near() {
        for start in [-9.0, 0.0, 9.0] {
            let found = maximise(vec![start], binomial(30.0, 10.0)).unwrap();
            assert!((found[0] - 3f64.ln()).abs() < 1e-12, "{found:?} from {start}");
        }
    }

    #[test]
    fn what_runs_away_is_seen_to_unless_a_prior_holds_it() {
        let away = maximise(vec![0.0], |at, local| {
            local.value += at[0];
            local.gradient[0] += 1.0;
        });
        assert_eq!(away, None);
        let held = |at: &[f64], local: &mut Local| {
            binomial(10.0, 0.0)(at, local);
            local.add_prior(0, at[0], 2.0);
        };
        let at = maximise(vec![0.0], held).unwrap()[0];
        assert!((10.0 / (1.0 + at.exp()) - at / 4.0).abs() < 1e-9, "{at}");
    }
}
