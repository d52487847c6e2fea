//! Mean, variance and skewness of values as they come, without loss where they are large and close together.

/// The moments of the values so far (Pébay 2008, "Formulas for robust, one-pass parallel computation of covariances and
/// arbitrary-order statistical moments").
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    /// Kept beside the mean: a sum of whole numbers is exact, and the mean of equal values stays equal to them.
    sum: f64,
    mean: f64,
    /// Sums of second and third powers of the distances from the mean.
    second: f64,
    third: f64,
}

impl Moments {
    /// Takes in a value.
    pub fn add(&mut self, value: f64) {
        let before = self.count as f64;
        self.count += 1;
        let count = self.count as f64;
        let apart = value - self.mean;
        let step = apart / count;
        self.mean += step;
        self.sum += value;
        self.third += apart * step * step * before * (count - 2.0) - 3.0 * step * self.second;
        self.second += apart * step * before;
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; 0 without any.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// The variance of the quantity, estimated without bias; none for fewer than two values.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.second / (self.count as f64 - 1.0))
    }

    /// The skewness of the quantity, with the usual correction for few values (Joanes and Gill 1998, "Comparing measures of
    /// sample skewness and kurtosis", G₁); 0 for fewer than three values, and where all are equal.
    pub fn skewness(&self) -> f64 {
        if self.count < 3 || self.second <= 0.0 {
            return 0.0;
        }
        let count = self.count as f64;
        let plain = self.third / count / (self.second / count).powf(1.5);
        plain * (count * (count - 1.0)).sqrt() / (count - 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_computed_by_hand() {
        let mut moments = Moments::default();
        [2.0, 2.0, 5.0, 11.0].into_iter().for_each(|value| moments.add(value));
        // Distances -3, -3, 0, 6: squares 54, cubes 162.
        assert!((moments.mean() - 5.0).abs() < 1e-12);
        assert!((moments.variance().unwrap() - 18.0).abs() < 1e-12);
        let plain = 40.5 / 13.5_f64.powf(1.5);
        assert!((moments.skewness() - plain * 12.0_f64.sqrt() / 2.0).abs() < 1e-12);
    }

    #[test]
    fn equal_values_do_not_vary() {
        let mut moments = Moments::default();
        (0..1000).for_each(|_| moments.add(0.1 + 0.2));
        assert_eq!((moments.variance(), moments.skewness()), (Some(0.0), 0.0));
        assert_eq!((Moments::default().variance(), Moments::default().mean()), (None, 0.0));
    }
}
