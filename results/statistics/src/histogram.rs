//! A histogram of values by deal: enough for means, intervals and tests, which do not depend on the order of the deals.

/// Values with their frequencies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Distinct values in ascending order, each with its count.
    cells: Vec<(f64, u64)>,
    count: u64,
}

impl Histogram {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        // Turns −0.0 into 0.0.
        let value = value + 0.0;
        match self
            .cells
            .binary_search_by(|(known, _)| known.total_cmp(&value))
        {
            Ok(cell) => self.cells[cell].1 += 1,
            Err(cell) => self.cells.insert(cell, (value, 1)),
        }
    }

    /// Returns the distinct values in ascending order, each with its count.
    pub fn cells(&self) -> &[(f64, u64)] {
        &self.cells
    }

    /// Returns the smallest and the largest value; both 0 if empty.
    pub fn range(&self) -> [f64; 2] {
        let value = |cell: Option<&(f64, u64)>| cell.map_or(0.0, |(value, _)| *value);
        [value(self.cells.first()), value(self.cells.last())]
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of values that differ from the most common one.
    pub fn unequal(&self) -> u64 {
        let most = self.cells().iter().map(|(_, count)| *count).max();
        self.count() - most.unwrap_or_default()
    }

    /// Returns the mean; 0 if empty.
    pub fn mean(&self) -> f64 {
        match self.cells[..] {
            [] => 0.0,
            [(value, _)] => value,
            _ => self.sum(|value| value) / self.count as f64,
        }
    }

    /// Returns the unbiased variance estimate; `None` with fewer than two values.
    pub fn variance(&self) -> Option<f64> {
        let mean = self.mean();
        (self.count > 1)
            .then(|| self.sum(|value| (value - mean).powi(2)) / (self.count as f64 - 1.0))
    }

    /// Returns a quantile of type 1 of Hyndman and Fan 1996: the smallest value such that at least the fraction `share` of all values is
    /// not greater. `None` if the histogram is empty.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = ((share * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        self.cells.iter().find_map(|(value, count)| {
            seen += count;
            (seen >= wanted).then_some(*value)
        })
    }

    /// Returns the median. For an even number of values, it is the mean of the middle two; `None` if the histogram is empty.
    pub fn median(&self) -> Option<f64> {
        let lower = self.quantile(0.5)?;
        let half = self.count / 2;
        let below = |value: f64| {
            let cells = self.cells.iter().take_while(|(cell, _)| *cell <= value);
            cells.map(|(_, count)| count).sum::<u64>()
        };
        if self.count % 2 == 1 || below(lower) > half {
            return Some(lower);
        }
        let upper = self.cells.iter().find(|(value, _)| *value > lower)?.0;
        Some(f64::midpoint(lower, upper))
    }

    /// Returns the sum of a function over all values.
    pub fn sum(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.cells
            .iter()
            .map(|(value, count)| of(*value) * *count as f64)
            .sum()
    }
}

impl FromIterator<f64> for Histogram {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Self {
        let mut all = Self::default();
        values.into_iter().for_each(|value| all.add(value));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_computed_by_hand() {
        // Deviations -3, -3, 0, 6: squares 54.
        let four = Histogram::from_iter([11.0, 2.0, 5.0, 2.0]);
        assert_eq!(four.cells(), [(2.0, 2), (5.0, 1), (11.0, 1)]);
        assert_eq!((four.mean(), four.variance()), (5.0, Some(18.0)));
    }

    #[test]
    fn medians_are_those_of_the_sorted_values() {
        let median = |values: &[f64]| values.iter().copied().collect::<Histogram>().median();
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[89.0, 1.0, 84.0, 90.0]), Some(86.5));
        assert_eq!(median(&[84.0, 84.0, 1.0, 90.0]), Some(84.0));
        assert_eq!(median(&[5.0, 1.0, 9.0]), Some(5.0));
    }

    #[test]
    fn equal_values_do_not_vary() {
        let equal = Histogram::from_iter([0.1 + 0.2; 1000]);
        assert_eq!((equal.mean(), equal.variance()), (0.1 + 0.2, Some(0.0)));
        assert_eq!(
            (Histogram::default().variance(), Histogram::default().mean()),
            (None, 0.0)
        );
        assert_eq!(Histogram::from_iter([0.0, -0.0]).cells(), [(0.0, 2)]);
    }
}
