//! The probability of winning the race to the code, by the number of codes left and the seats that may still be wrong. Bots use this
//! probability to decide when to declare.
//!
//! The model assumes that all seats play well, and that a question splits the remaining codes about evenly. In the current position, the
//! actual splits are counted.

use std::sync::OnceLock;

use arena_engine::seat::MAX_SEATS;

/// Maximum number of codes that is distinguished. A seat with more codes is treated as equally far from the end.
pub(super) const MAX_LEFT: usize = 48;

/// Returns the parts into which a good question splits a number of codes. In counts over many positions, the parts are about halves when
/// few codes are left, and thirds before that.
fn parted(codes: usize) -> impl Iterator<Item = usize> {
    let parts = if codes <= 12 { 2 } else { 3 };
    (0..parts)
        .map(move |part| (codes + part) / parts)
        .filter(|part| *part > 0)
}

/// The position of one of two seats in the race.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runner {
    /// Number of codes left for the seat.
    pub(super) left: usize,
    /// True if the seat has been wrong once.
    pub(super) warned: bool,
    /// True if the seat has the first turn of a round, so that the other seat has a last chance.
    pub(super) first: bool,
}

/// A race of two seats, each solving the other's code: the value of each position for the seat to act.
pub(super) struct Duel(Vec<f64>);

impl Duel {
    /// Returns the values, which are computed once.
    pub(super) fn values() -> &'static Self {
        static VALUES: OnceLock<Duel> = OnceLock::new();
        VALUES.get_or_init(|| {
            let mut duel = Self(vec![0.0; MAX_LEFT * MAX_LEFT * 8]);
            // A question or a wrong declaration leaves fewer codes, so the sum of both seats' numbers of codes falls.
            for sum in 2..=2 * MAX_LEFT {
                for mine in sum.saturating_sub(MAX_LEFT).max(1)..=MAX_LEFT.min(sum - 1) {
                    for flags in 0..8 {
                        let (warned, first) = (flags & 1 != 0, flags & 4 != 0);
                        let me = Runner {
                            left: mine,
                            warned,
                            first,
                        };
                        let other = Runner {
                            left: sum - mine,
                            warned: flags & 2 != 0,
                            first: !first,
                        };
                        let ask = duel.if_asking(me, other, parted(mine));
                        let best =
                            duel.if_declaring(me, other)
                                .max(if mine > 1 { ask } else { 0.0 });
                        duel.0[Self::index(me, other)] = best;
                    }
                }
            }
            duel
        })
    }

    fn index(me: Runner, other: Runner) -> usize {
        let far = |runner: Runner| runner.left.clamp(1, MAX_LEFT) - 1;
        let flags =
            usize::from(me.warned) | usize::from(other.warned) << 1 | usize::from(me.first) << 2;
        (far(me) * MAX_LEFT + far(other)) * 8 + flags
    }

    /// Returns the value for `me` when it is the other seat's turn.
    fn after(&self, me: Runner, other: Runner) -> f64 {
        1.0 - self.0[Self::index(other, me)]
    }

    /// Returns the value of a question whose answers leave these numbers of codes.
    pub(super) fn if_asking(
        &self,
        me: Runner,
        other: Runner,
        parts: impl Iterator<Item = usize>,
    ) -> f64 {
        let value = |left: usize| left as f64 * self.after(Runner { left, ..me }, other);
        parts.map(value).sum::<f64>() / me.left as f64
    }

    /// Returns the value of declaring one of the remaining codes.
    pub(super) fn if_declaring(&self, me: Runner, other: Runner) -> f64 {
        let right = 1.0 / me.left as f64;
        // Count a draw as half a win, because the game is replayed.
        let solved = if me.first {
            1.0 - 0.5 / other.left as f64
        } else {
            1.0
        };
        let missed = if me.warned || me.left == 1 {
            0.0
        } else {
            self.after(
                Runner {
                    left: me.left - 1,
                    warned: true,
                    ..me
                },
                other,
            )
        };
        right * solved + (1.0 - right) * missed
    }
}

/// The number of wrong declarations after which each of several seats is eliminated, beginning with the seat to act.
pub(super) type Lives = [u8; MAX_SEATS];

/// Number of wrong declarations that eliminate a seat.
pub(super) const LIVES: u8 = 2;

/// The behaviour of the other seats in a race of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// They declare whenever declaring is best for them.
    Race,
    /// They declare when certain, or one of two codes while they may be wrong once.
    Wait,
}

/// A race of several seats for one code, in which all hear all answers: the probability of winning for each seat, by the number of
/// remaining codes and the lives of all, beginning with the seat to act.
pub(super) struct Crowd {
    seats: usize,
    others: Others,
    values: Vec<[f64; MAX_SEATS]>,
}

/// A position in a race of several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// Number of codes left.
    pub(super) left: usize,
    /// Lives of all seats, beginning with the seat to act.
    pub(super) lives: Lives,
    /// Number of turns before the bot's own turn.
    pub(super) me: usize,
}

impl Crowd {
    /// Returns the values for this number of seats, which are computed once.
    pub(super) fn values(seats: usize, others: Others) -> &'static Self {
        static VALUES: [[OnceLock<Crowd>; MAX_SEATS]; 2] =
            [const { [const { OnceLock::new() }; MAX_SEATS] }; 2];
        VALUES[usize::from(others == Others::Wait)][seats - 1].get_or_init(|| {
            let states = Self::states(seats);
            let mut crowd = Self {
                seats,
                others,
                values: vec![[0.0; MAX_SEATS]; MAX_LEFT * states * seats],
            };
            for left in 1..=MAX_LEFT {
                for (state, me) in
                    (0..states).flat_map(|state| (0..seats).map(move |me| (state, me)))
                {
                    let position = Position {
                        left,
                        lives: crowd.lives(state),
                        me,
                    };
                    if position.lives[0] > 0 {
                        let index = crowd.index(position);
                        crowd.values[index] = crowd.value(position);
                    }
                }
            }
            crowd
        })
    }

    fn states(seats: usize) -> usize {
        usize::from(LIVES + 1).pow(seats as u32)
    }

    fn lives(&self, state: usize) -> Lives {
        let base = usize::from(LIVES + 1);
        std::array::from_fn(|at| {
            if at < self.seats {
                (state / base.pow(at as u32) % base) as u8
            } else {
                0
            }
        })
    }

    fn index(&self, Position { left, lives, me }: Position) -> usize {
        let state = lives[..self.seats].iter().rev().fold(0, |state, lives| {
            state * (LIVES + 1) as usize + *lives as usize
        });
        ((left.clamp(1, MAX_LEFT) - 1) * Self::states(self.seats) + state) * self.seats + me
    }

    /// Returns the probabilities when the seat to act takes the action that is best for it, or follows its known behaviour.
    fn value(&self, position: Position) -> [f64; MAX_SEATS] {
        let Position { left, lives, me } = position;
        if me > 0 && self.others == Others::Wait {
            let declares = left <= usize::from(lives[0]);
            return if declares {
                self.if_declaring(position)
            } else {
                self.if_asking(position, parted(left))
            };
        }
        let mut best = self.if_declaring(position);
        let two =
            (1..=left / 2).map(|part| self.if_asking(position, [part, left - part].into_iter()));
        for value in two.chain((left > 2).then(|| self.if_asking(position, parted(left)))) {
            if value[0] > best[0] {
                best = value;
            }
        }
        best
    }

    /// Returns the probabilities when the next seat that is not eliminated takes its turn.
    fn after(&self, position: Position) -> [f64; MAX_SEATS] {
        let Position { left, lives, me } = position;
        let Some(step) = (1..=self.seats).find(|step| lives[step % self.seats] > 0) else {
            return [0.0; MAX_SEATS];
        };
        let turned = |at: usize| {
            if at < self.seats {
                lives[(at + step) % self.seats]
            } else {
                0
            }
        };
        let next = Position {
            left,
            lives: std::array::from_fn(turned),
            me: (me + self.seats - step) % self.seats,
        };
        let values = self.values[self.index(next)];
        std::array::from_fn(|at| {
            if at < self.seats {
                values[(at + self.seats - step) % self.seats]
            } else {
                0.0
            }
        })
    }

    /// Returns the probabilities after a question whose answers leave these numbers of codes.
    pub(super) fn if_asking(
        &self,
        position: Position,
        parts: impl Iterator<Item = usize>,
    ) -> [f64; MAX_SEATS] {
        let mut chances = [0.0; MAX_SEATS];
        for part in parts {
            let values = self.after(Position {
                left: part,
                ..position
            });
            chances
                .iter_mut()
                .zip(values)
                .for_each(|(sum, value)| *sum += value * part as f64 / position.left as f64);
        }
        chances
    }

    /// Returns the probabilities after declaring one of the remaining codes.
    pub(super) fn if_declaring(&self, mut position: Position) -> [f64; MAX_SEATS] {
        let right = 1.0 / position.left as f64;
        let mut chances = [0.0; MAX_SEATS];
        if position.left > 1 {
            position.lives[0] -= 1;
            position.left -= 1;
            chances = self.after(position).map(|chance| chance * (1.0 - right));
        }
        chances[0] += right;
        chances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner(left: usize, warned: bool, first: bool) -> Runner {
        Runner {
            left,
            warned,
            first,
        }
    }

    #[test]
    fn who_knows_the_code_declares_it() {
        let duel = Duel::values();
        let far = runner(MAX_LEFT, false, false);
        assert_eq!(
            duel.if_declaring(runner(1, false, false), runner(1, false, true)),
            1.0
        );
        assert_eq!(
            duel.if_declaring(runner(1, true, true), runner(1, false, false)),
            0.5
        );
        assert!(duel.if_declaring(runner(1, true, true), far) > 0.98);
    }

    #[test]
    fn of_two_codes_one_is_declared_unless_that_may_lose_at_once() {
        let duel = Duel::values();
        let ask = |me: Runner, other: Runner| duel.if_asking(me, other, [1, 1].into_iter());
        let other = runner(20, false, true);
        assert!(
            duel.if_declaring(runner(2, false, false), other) > ask(runner(2, false, false), other)
        );
        assert!(
            duel.if_declaring(runner(2, true, false), other) < ask(runner(2, true, false), other)
        );
        // When the other seat is about to solve the code, there is nothing to lose.
        let solver = runner(1, false, true);
        assert!(duel.if_declaring(runner(4, true, true), runner(1, false, false)) > 0.0);
        assert_eq!(ask(runner(4, true, true), runner(1, false, false)), 0.0);
        assert!(
            ask(runner(2, true, false), solver) > 0.0,
            "the second seat still has its last chance"
        );
    }

    #[test]
    fn three_that_are_down_to_two_or_three_codes_declare() {
        let crowd = Crowd::values(3, Others::Race);
        let three = |left| Position {
            left,
            lives: [2, 2, 2, 0, 0],
            me: 0,
        };
        let near = |left: [f64; MAX_SEATS], right: [f64; 3]| {
            left.iter()
                .zip(right)
                .all(|(left, right)| (left - right).abs() < 1e-12)
        };
        assert!(near(crowd.if_declaring(three(1)), [1.0, 0.0, 0.0]));
        assert!(near(crowd.if_declaring(three(2)), [0.5, 0.5, 0.0]));
        assert!(near(crowd.if_declaring(three(3)), [1.0 / 3.0; 3]));
        // Asking would give the code to the next seat.
        assert!(crowd.if_asking(three(2), [1, 1].into_iter())[0] < 1e-12);
    }

    #[test]
    fn against_seats_that_wait_it_pays_to_declare_early() {
        let (racing, waiting) = (
            Crowd::values(3, Others::Race),
            Crowd::values(3, Others::Wait),
        );
        let position = |left| Position {
            left,
            lives: [2, 2, 2, 0, 0],
            me: 0,
        };
        for left in 4..=12 {
            let value = |crowd: &Crowd| crowd.value(position(left))[0];
            assert!(value(waiting) >= value(racing), "{left}");
            assert!(
                waiting.if_declaring(position(left))[0] > 1.0 / 3.0,
                "{left}"
            );
        }
    }
}
