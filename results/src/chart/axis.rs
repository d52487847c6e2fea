//! Axis of a chart: a range of numbers with round ticks.

/// Range of numbers shown, with its ticks.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    from: f64,
    to: f64,
    /// True for a logarithmic scale.
    is_log: bool,
    /// Positions of the ticks, with their labels.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Creates an axis that covers these numbers, and also 0 if it is nearby.
    pub(super) fn over(shown: &[f64]) -> Self {
        let (mut low, mut high) = range(shown).unwrap_or((0.0, 1.0));
        if low > 0.0 && low < high / 2.0 {
            low = 0.0;
        }
        if high < 0.0 && high > low / 2.0 {
            high = 0.0;
        }
        let step = step((high - low).max(1e-3 * high.abs()).max(0.01));
        let from = (low / step).floor() * step;
        let to = ((high / step).ceil() * step).max(from + step);
        let count = ((to - from) / step).round() as u32;
        let ticks = (0..=count).map(|index| from + step * f64::from(index));
        let ticks = ticks.map(|tick| (tick, label(tick, step)));
        Self {
            from,
            to,
            is_log: false,
            ticks: ticks.collect(),
        }
    }

    /// Creates an axis from 0 to exactly this number, whether or not it has a tick.
    pub(super) fn until(last: f64) -> Self {
        let mut axis = Self::over(&[0.0, last]);
        axis.to = last;
        axis.ticks.retain(|(tick, _)| *tick <= last);
        axis
    }

    /// Creates a logarithmic axis that covers these positive numbers, with ticks at 1, 2 and 5 times the powers of ten,
    /// or fewer.
    pub(super) fn log(shown: &[f64], label: fn(f64) -> String) -> Self {
        let (low, high) = range(shown).unwrap_or((1.0, 10.0));
        let low = low.max(f64::MIN_POSITIVE).log10().floor() as i32;
        let high = high.max(f64::MIN_POSITIVE).log10();
        let high = (high.ceil() as i32).max(low + 1);
        let within: &[f64] = if high - low > 3 {
            &[1.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        let ticks =
            (low..high).flat_map(|power| within.iter().map(move |digit| digit * 10f64.powi(power)));
        let ticks = ticks
            .chain([10f64.powi(high)])
            .map(|tick| (tick, label(tick)))
            .collect();
        Self {
            from: 10f64.powi(low),
            to: 10f64.powi(high),
            is_log: true,
            ticks,
        }
    }

    /// Returns the position of a number, from 0 at the start of the axis to 1 at its end.
    pub(super) fn share(&self, number: f64) -> f64 {
        let share = if self.is_log {
            (number / self.from).ln() / (self.to / self.from).ln()
        } else {
            (number - self.from) / (self.to - self.from)
        };
        share.clamp(0.0, 1.0)
    }
}

fn range(shown: &[f64]) -> Option<(f64, f64)> {
    let finite = || shown.iter().copied().filter(|number| number.is_finite());
    Some((finite().reduce(f64::min)?, finite().reduce(f64::max)?))
}

fn label(tick: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let tick = if tick.abs() < step / 2.0 { 0.0 } else { tick };
    format!("{tick:.decimals$}")
}

/// Returns a round distance between ticks that yields five to ten ticks.
fn step(range: f64) -> f64 {
    let magnitude = 10f64.powf((range / 10.0).log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|round| round * magnitude * 9.0 >= range);
    round.unwrap_or(10.0) * magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_everything() {
        let check = |shown: &[f64], expected: &[&str]| {
            let axis = Axis::over(shown);
            let labels: Vec<&str> = axis.ticks.iter().map(|(_, label)| label.as_str()).collect();
            assert_eq!(labels, expected);
            assert_eq!((axis.share(axis.from), axis.share(axis.to)), (0.0, 1.0));
        };
        check(
            &[4.1, 17.2],
            &["0", "2", "4", "6", "8", "10", "12", "14", "16", "18"],
        );
        check(
            &[10.02, 10.31],
            &[
                "10.00", "10.05", "10.10", "10.15", "10.20", "10.25", "10.30", "10.35",
            ],
        );
        check(&[-7.0, 12.0], &["-10", "-5", "0", "5", "10", "15"]);
        check(&[0.0, 0.0], &["0.000", "0.002"]);
        let labels = |shown: &[f64]| {
            Axis::log(shown, |tick| tick.to_string())
                .ticks
                .into_iter()
                .map(|(_, label)| label)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            labels(&[3.0, 70.0]),
            ["1", "2", "5", "10", "20", "50", "100"]
        );
        assert_eq!(
            labels(&[3.0, 70_000.0]),
            ["1", "10", "100", "1000", "10000", "100000"]
        );
        assert!((Axis::log(&[1.0, 100.0], |_| String::new()).share(10.0) - 0.5).abs() < 1e-12);
    }
}
