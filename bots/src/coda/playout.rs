//! Fast playouts of a round, the basis of rollouts.
//!
//! All seats play like `inferring`, but sometimes make less likely attacks, because it is unknown which of several good attacks an opponent
//! will choose. Sets of panels are stored as bits, by number, dark before light, so that a sorted code is a set. Dashes may stand anywhere,
//! but count as the highest panels here, so rollouts with dashes are slightly inaccurate.

use arena_engine::chance::Chance;
use arena_engine::game::Game;
use arena_engine::games::coda::{Coda, panel};

use super::ascending::{Hidden, NUMBERS, PLACES, chances};
use super::exact::MIN_CHANCE_TO_GO_ON;
use super::knowledge::NAMED_FACTOR;

/// Maximum number of seats.
pub const SEATS: usize = *Coda::SEATS.end();
/// Number of panels.
pub const PANELS: usize = panel::PANELS as usize;
/// The panels with a number.
const NUMBERED: u32 = (1 << NUMBERS) - 1;
/// The dark panels.
const DARK: u32 = 0x5555_5555;

/// A round in which all panels are known.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Number of seats at the table.
    pub seats: usize,
    /// The panels in play.
    pub deck: u32,
    /// The seat to act.
    pub turn: usize,
    /// The panels of each code.
    pub codes: [u32; SEATS],
    /// The exposed panels.
    pub exposed: u32,
    /// The panels left to draw.
    pub pool: u32,
    /// The panel drawn this turn.
    pub aside: Option<u32>,
    /// For each hidden panel, the panels that failed attacks have ruled out.
    pub ruled_out: [u32; PANELS],
    /// For each hidden panel, the panels that its owner has named since taking it.
    pub named: [u32; PANELS],
    /// Points scored since the start of the playout.
    pub points: [i32; SEATS],
    /// The policy by which all seats choose attacks.
    pub policy: Policy,
}

/// The policy by which seats choose among attacks.
#[derive(Clone, Copy, Debug, Default)]
pub enum Policy {
    /// Choose every attack with a frequency that grows with its probability of hitting.
    #[default]
    Any,
    /// Always choose the likeliest attack.
    Likeliest,
}

/// An action of a seat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Draw one of these panels.
    Draw(u32),
    /// Name a panel at the place of another one.
    Attack {
        /// The attacked seat.
        target: usize,
        /// The panel that actually stands there.
        place: u32,
        /// The named panel.
        named: u32,
    },
    /// End the turn.
    Stop,
    /// Expose this panel of the seat's own code.
    Expose(u32),
}

impl Step {
    /// Returns `true` if the step continues the turn.
    fn continues_turn(&self) -> bool {
        match self {
            Self::Draw(_) => true,
            Self::Attack { place, named, .. } => place == named,
            Self::Stop | Self::Expose(_) => false,
        }
    }
}

/// Returns the set with one panel.
pub fn bit(panel: u32) -> u32 {
    1 << panel
}

/// Returns all panels of this panel's colour.
pub fn colour(panel: u32) -> u32 {
    DARK << (panel & 1)
}

/// Iterates over the panels of a set, lowest first.
fn panels(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (first < u32::BITS).then_some(first)
    })
}

impl Table {
    /// Plays to the end of the round, beginning with this step, and follows the plan until an attack fails. Returns each seat's points.
    pub fn finish(
        mut self,
        first: Step,
        planned: impl Iterator<Item = Step>,
        chance: &mut Chance,
    ) -> [i32; SEATS] {
        let mut step = Some(first);
        for then in planned {
            let Some(next) = step.filter(Step::continues_turn) else {
                break;
            };
            step = self.take(next, chance).and(Some(then));
        }
        while let Some(next) = step {
            step = self.take(next, chance);
        }
        self.points
    }

    fn standing(&self, seat: usize) -> u32 {
        self.codes[seat] & !self.exposed
    }

    /// Returns the seats with a standing panel, beginning with the seat to act.
    fn alive(&self) -> impl Iterator<Item = usize> {
        let seats = (0..self.seats).map(|step| (self.turn + step) % self.seats);
        seats.filter(|seat| self.standing(*seat) != 0)
    }

    /// Carries out a step, and chooses the next one; `None` at the end of the round.
    fn take(&mut self, step: Step, chance: &mut Chance) -> Option<Step> {
        match step {
            Step::Draw(among) => {
                let nth = chance.below(among.count_ones()) as usize;
                let panel = panels(among).nth(nth).expect("there is a panel to draw");
                self.pool &= !bit(panel);
                (self.ruled_out[panel as usize], self.named[panel as usize]) = (0, 0);
                self.aside = Some(panel);
                Some(self.choose(chance).0)
            }
            Step::Attack {
                target,
                place,
                named,
            } => {
                let own = self.standing(self.turn) | self.aside.map_or(0, bit);
                panels(own & colour(named))
                    .for_each(|panel| self.named[panel as usize] |= bit(named));
                if place == named {
                    self.hit(target, place, chance)
                } else {
                    self.miss(place, named, chance)
                }
            }
            Step::Stop => self.insert(0, chance),
            Step::Expose(panel) => {
                self.exposed |= bit(panel);
                self.next_turn(chance)
            }
        }
    }

    fn hit(&mut self, target: usize, place: u32, chance: &mut Chance) -> Option<Step> {
        self.exposed |= bit(place);
        self.points[self.turn] += 1;
        if self.standing(target) == 0 {
            self.points[self.turn] += 3;
            if self.alive().count() < 2 {
                return self.end();
            }
        }
        let (attack, best) = self.choose(chance);
        Some(if f64::from(best) < MIN_CHANCE_TO_GO_ON {
            Step::Stop
        } else {
            attack
        })
    }

    fn miss(&mut self, place: u32, named: u32, chance: &mut Chance) -> Option<Step> {
        self.ruled_out[place as usize] |= bit(named);
        match self.aside {
            Some(panel) => self.insert(bit(panel), chance),
            None => Some(Step::Expose(self.standing(self.turn).trailing_zeros())),
        }
    }

    /// Ends the turn, inserting the drawn panel into the code.
    fn insert(&mut self, exposed: u32, chance: &mut Chance) -> Option<Step> {
        self.codes[self.turn] |= self.aside.take().map_or(0, bit);
        self.exposed |= exposed;
        self.next_turn(chance)
    }

    fn next_turn(&mut self, chance: &mut Chance) -> Option<Step> {
        let turn = self.turn;
        let Some(next) = self.alive().find(|seat| *seat != turn) else {
            return self.end();
        };
        if self.alive().count() < 2 {
            return self.end();
        }
        self.turn = next;
        Some(if self.pool == 0 {
            self.choose(chance).0
        } else {
            Step::Draw(self.most_hidden())
        })
    }

    /// Returns the panels that can be drawn of the colour of which the others hide most. If both colours are equal, returns those of the
    /// colour of which the seat has fewer.
    fn most_hidden(&self) -> u32 {
        let worth = |colour: u32| {
            let others = (0..self.seats).filter(|seat| *seat != self.turn);
            let hidden: u32 = others
                .map(|seat| (self.standing(seat) & colour).count_ones())
                .sum();
            let own = (self.codes[self.turn] & colour).count_ones();
            (self.pool & colour != 0, hidden, u32::MAX - own)
        };
        let light = DARK << 1;
        self.pool
            & if worth(DARK) >= worth(light) {
                DARK
            } else {
                light
            }
    }

    /// Awards the round to the last standing code.
    fn end(&mut self) -> Option<Step> {
        let winner = self.alive().next();
        if let Some(winner) = winner {
            let drawn = self.aside.filter(|_| winner == self.turn).map_or(0, bit);
            let standing = (self.standing(winner) | drawn) & NUMBERED;
            self.points[winner] += 5 + panels(standing).map(|panel| panel as i32 / 2).sum::<i32>();
        }
        None
    }

    /// Chooses an attack, and also returns the highest hit probability.
    fn choose(&self, chance: &mut Chance) -> (Step, f32) {
        let mut attacks = Vec::with_capacity(96);
        self.attacks(|attack, chance| attacks.push((attack, chance)));
        let best = attacks
            .iter()
            .fold(0.0, |best: f32, (_, chance)| best.max(*chance));
        let eagerness = |chance: f32| {
            let square = (chance / best) * (chance / best);
            square * square
        };
        let chosen = match self.policy {
            Policy::Any => {
                let all: f32 = attacks.iter().map(|(_, chance)| eagerness(*chance)).sum();
                let mut left = chance.share() as f32 * all;
                attacks.iter().find(|(_, chance)| {
                    left -= eagerness(*chance);
                    left < 0.0
                })
            }
            Policy::Likeliest => attacks.iter().find(|(_, chance)| *chance >= best),
        };
        // With dashes, it can happen that no attack seems possible. Exposing a panel at least makes progress.
        let none = (Step::Expose(self.standing(self.turn).trailing_zeros()), 0.0);
        (chosen.or(attacks.first()).unwrap_or(&none).0, best)
    }

    /// Calls `found` with all attacks and their probabilities, as seen by the seat to act.
    fn attacks(&self, mut found: impl FnMut(Step, f32)) {
        let unseen =
            self.deck & !(self.exposed | self.codes[self.turn] | self.aside.map_or(0, bit));
        for target in (0..self.seats).filter(|seat| *seat != self.turn) {
            let code = self.codes[target] & NUMBERED;
            let mut low = 0;
            let ends = panels(code & self.exposed).chain([NUMBERS as u32]);
            for high in ends {
                let between = bit(high) - bit(low);
                self.gap(
                    target,
                    code & between & !self.exposed,
                    unseen & between,
                    &mut found,
                );
                low = high;
            }
            for dash in panels(self.standing(target) & !NUMBERED) {
                let open = unseen & colour(dash) & !self.ruled_out[dash as usize];
                let named = open.trailing_zeros();
                found(
                    Step::Attack {
                        target,
                        place: dash,
                        named,
                    },
                    1.0 / open.count_ones() as f32,
                );
            }
        }
    }

    /// Enumerates the attacks on the hidden panels between two exposed ones.
    fn gap(&self, target: usize, hidden: u32, unseen: u32, found: &mut impl FnMut(Step, f32)) {
        let mut places = [0; PLACES];
        let mut open = [Hidden::default(); PLACES];
        let mut count = 0;
        for panel in panels(hidden) {
            let at = panel as usize;
            places[count] = panel;
            open[count] = Hidden {
                open: unseen & colour(panel) & !self.ruled_out[at],
                doubted: self.named[at],
            };
            count += 1;
        }
        if count > 0 {
            chances(
                &open[..count],
                NAMED_FACTOR as f32,
                |index, named, chance| {
                    found(
                        Step::Attack {
                            target,
                            place: places[index],
                            named,
                        },
                        chance,
                    );
                },
            );
        }
    }
}

#[cfg(test)]
mod tests;
