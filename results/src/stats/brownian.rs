//! Brownian motion with drift between two barriers: when, and through which of them, it leaves.
//!
//! Two exact series (Cox and Miller 1965, "The Theory of Stochastic Processes", chapter 5; Borodin and Salminen 2002,
//! "Handbook of Brownian Motion"): by eigenfunctions, which converges fast late, and by images, fast early. Times are in
//! blocks; with d the distance, c the drift and v the variance per block, a free motion that starts at 0 reaches d by time t
//! with chance Φ((c t − d) / √(v t)) + e^(2 c d / v) Φ((−c t − d) / √(v t)).

use std::f64::consts::PI;

use crate::stats::normal;

/// A motion that starts at 0 and stops at either barrier.
#[derive(Clone, Copy, Debug)]
pub struct Brownian {
    /// The lower barrier, below 0.
    pub lower: f64,
    /// The upper barrier, above 0.
    pub upper: f64,
    /// The mean of its growth per unit of time.
    pub drift: f64,
    /// The variance of its growth per unit of time, above 0.
    pub variance: f64,
}

/// Where the images are used, and where the eigenfunctions: at this much variance in squares of the corridor's width.
const EARLY: f64 = 0.1;

/// The number of eigenfunctions that are summed: the n-th weighs e^(−π² n² / 20) or less.
const WAVES: i32 = 13;

/// The number of images on either side: the k-th weighs e^(−20 (k − ½)²) or less.
const IMAGES: i32 = 4;

impl Brownian {
    /// The chance that it reaches the upper barrier by this time, and not the lower one before.
    pub fn upper_by(&self, time: f64) -> f64 {
        let chance = if time <= 0.0 {
            0.0
        } else if self.spread(time) < EARLY {
            self.upper_by_images(time)
        } else {
            self.upper_ever() - self.upper_after(time)
        };
        chance.clamp(0.0, 1.0)
    }

    /// The chance that it reaches the lower barrier by this time, and not the upper one before.
    pub fn lower_by(&self, time: f64) -> f64 {
        self.mirrored().upper_by(time)
    }

    /// The chance that it reaches the upper barrier first, at any time.
    pub fn upper_ever(&self) -> f64 {
        let (rate, width) = (2.0 * self.drift / self.variance, self.width());
        if (rate * width).abs() < 1e-9 {
            return -self.lower / width;
        }
        if rate > 0.0 {
            (rate * self.lower).exp_m1() / (-rate * width).exp_m1()
        } else {
            // The same, multiplied by what keeps all exponents below 0.
            ((rate * self.upper).exp() - (rate * width).exp()) / -(rate * width).exp_m1()
        }
    }

    /// The chance that it has reached neither barrier by this time and lies below `level`: Simpson's rule over the density.
    pub fn inside_below(&self, time: f64, level: f64) -> f64 {
        const PARTS: usize = 400;
        let deviation = (self.variance * time).sqrt();
        let centre = self.drift * time;
        let low = self.lower.max(centre - 9.0 * deviation);
        let high = level.min(self.upper).min(centre + 9.0 * deviation);
        if time <= 0.0 || high <= low {
            return if time <= 0.0 && level > 0.0 { 1.0 } else { 0.0 };
        }
        let step = (high - low) / PARTS as f64;
        let weight = |part: usize| if part == 0 || part == PARTS { 1.0 } else { 2.0 + 2.0 * (part % 2) as f64 };
        let sum: f64 = (0..=PARTS).map(|part| weight(part) * self.density(time, low + part as f64 * step)).sum();
        (sum * step / 3.0).clamp(0.0, 1.0)
    }

    fn width(&self) -> f64 {
        self.upper - self.lower
    }

    fn spread(&self, time: f64) -> f64 {
        self.variance * time / self.width().powi(2)
    }

    fn mirrored(&self) -> Self {
        Self { lower: -self.upper, upper: -self.lower, drift: -self.drift, variance: self.variance }
    }

    /// The chance to reach the upper barrier first, and after this time: the eigenfunctions.
    fn upper_after(&self, time: f64) -> f64 {
        let (width, rate) = (self.width(), self.drift / self.variance);
        let term = |n: f64| {
            let wave = n * PI / width;
            let decay = self.variance / 2.0 * (rate * rate + wave * wave);
            let size = (rate * self.upper - decay * time).exp() / decay;
            n * (-self.lower * wave).sin() * size
        };
        let sum = |n: i32| if n % 2 == 1 { term(n.into()) } else { -term(n.into()) };
        PI * self.variance / width.powi(2) * (1..=WAVES).map(sum).sum::<f64>()
    }

    /// The chance to reach the upper barrier by this time: the images at distances upper + 2 k width, those on the other
    /// side with a minus.
    fn upper_by_images(&self, time: f64) -> f64 {
        let rate = self.drift / self.variance;
        let deviation = (self.variance * time).sqrt();
        let term = |k: i32| {
            let distance = self.upper + 2.0 * f64::from(k) * self.width();
            let (size, speed) = (distance.abs(), self.drift.abs());
            let first = normal::cdf((speed * time - size) / deviation);
            let second = (2.0 * rate.abs() * size + normal::ln_cdf((-speed * time - size) / deviation)).exp();
            distance.signum() * (rate * self.upper - rate.abs() * size).exp() * (first + second)
        };
        (-IMAGES..=IMAGES).map(term).sum()
    }

    /// The density at `level` of a motion that has reached neither barrier by this time.
    fn density(&self, time: f64, level: f64) -> f64 {
        let (width, rate) = (self.width(), self.drift / self.variance);
        if self.spread(time) >= EARLY {
            let term = |n: i32| {
                let wave = f64::from(n) * PI / width;
                let decay = self.variance / 2.0 * (rate * rate + wave * wave);
                let shape = (-self.lower * wave).sin() * ((level - self.lower) * wave).sin();
                2.0 / width * shape * (rate * level - decay * time).exp()
            };
            return (1..=WAVES).map(term).sum::<f64>().max(0.0);
        }
        let variance = self.variance * time;
        let free = |image: f64| {
            let exponent = rate * level - rate * self.drift * time / 2.0 - (level - image).powi(2) / (2.0 * variance);
            exponent.exp() / (2.0 * PI * variance).sqrt()
        };
        let term = |k: i32| {
            let shift = 2.0 * f64::from(k) * width;
            free(shift) - free(2.0 * self.upper + shift)
        };
        (-IMAGES..=IMAGES).map(term).sum::<f64>().max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;

    use super::*;

    const MOTIONS: [Brownian; 5] = [
        Brownian { lower: -2.0, upper: 3.0, drift: 0.0, variance: 0.25 },
        Brownian { lower: -2.0, upper: 3.0, drift: 0.1, variance: 0.25 },
        Brownian { lower: -3.0, upper: 1.0, drift: -0.4, variance: 0.5 },
        Brownian { lower: -2.94, upper: 2.94, drift: 2.0, variance: 0.1 },
        Brownian { lower: -1.0, upper: 4.0, drift: -3.0, variance: 0.3 },
    ];

    #[test]
    fn both_series_agree() {
        for motion in MOTIONS {
            for part in 1..=30 {
                let time = f64::from(part) * 0.01 * motion.width().powi(2) / motion.variance;
                if part < 4 || motion.drift.abs() * motion.width() / motion.variance > 20.0 {
                    continue;
                }
                let (images, waves) = (motion.upper_by_images(time), motion.upper_ever() - motion.upper_after(time));
                assert!((images - waves).abs() < 1e-7, "{images} {waves} {motion:?} {time}");
            }
        }
    }

    #[test]
    fn all_chances_add_up() {
        for motion in MOTIONS {
            for time in [0.5, 2.0, 8.0, 12.0, 40.0, 300.0] {
                let inside = motion.inside_below(time, motion.upper);
                let sum = motion.upper_by(time) + motion.lower_by(time) + inside;
                assert!((sum - 1.0).abs() < 1e-6, "{sum} {motion:?} {time}");
                assert!(motion.inside_below(time, 0.1) <= inside);
            }
            let ever = motion.upper_ever() + motion.mirrored().upper_ever();
            assert!((ever - 1.0).abs() < 1e-9);
            assert!((motion.upper_by(1e5) - motion.upper_ever()).abs() < 1e-9);
        }
    }

    /// Without drift the chance is a matter of distances; with drift it is Wald's.
    #[test]
    fn chances_at_any_time_are_those_of_wald() {
        assert!((MOTIONS[0].upper_ever() - 0.4).abs() < 1e-12);
        let rate = 0.8_f64;
        let expected = (1.0 - (rate * -2.0).exp()) / (1.0 - (rate * -5.0).exp());
        assert!((MOTIONS[1].upper_ever() - expected).abs() < 1e-12);
    }

    /// The barriers are multiples of the walk's step, so that it does not overshoot them.
    #[test]
    fn a_fine_walk_leaves_as_the_motion_does() {
        let motion = Brownian { lower: -1.0, upper: 1.5, drift: 0.2, variance: 1.0 };
        let mut chance = Seed::try_from(5).unwrap().stream("walk", 0);
        // Steps of ±1/20 in 1/400 of a unit of time; up with chance ½ (1 + drift · step).
        let (walks, up) = (4000, 505_000);
        let mut leaves = [0_u32; 2];
        for _ in 0..walks {
            let mut place = 0_i32;
            for _ in 0..400 {
                place += if chance.below(1_000_000) < up { 1 } else { -1 };
                if place == 30 || place == -20 {
                    leaves[usize::from(place < 0)] += 1;
                    break;
                }
            }
        }
        let [upper, lower] = leaves.map(|count| f64::from(count) / f64::from(walks));
        assert!((upper - motion.upper_by(1.0)).abs() < 0.02, "{upper} {}", motion.upper_by(1.0));
        assert!((lower - motion.lower_by(1.0)).abs() < 0.02, "{lower} {}", motion.lower_by(1.0));
    }
}
