//! Counts the ways of assigning the unseen panels to the opponents' hidden places and the pool.
//!
//! Codes ascend, so the numbered panels are processed in order, each going to the next open place of a code or to none. The product of the
//! forward and backward counts is the weight of a panel at a place. A random walk forward, weighted by the backward counts, samples one
//! assignment; visiting every branch lists them all.
//!
//! Dashes may stand anywhere. Each choice of places for the hidden dashes is tried in turn, and the numbered panels are counted as above.
//! Every place of a code is assumed to be equally likely for its owner's dash.

use super::known::{Known, Place};
use super::panel::{Deck, Panel};
use crate::chance::Chance;
use crate::seat::Seat;
use crate::set::Member;

/// A choice of places for the hidden dashes. Dashes without a place are in the pool.
pub struct Guess {
    /// The hidden dashes that are in codes, each with its place.
    pub dashes: Vec<(Place, Panel)>,
    /// Relative likelihood of this choice.
    pub weight: f64,
}

/// Returns all choices of places for the hidden dashes. `factor` returns the relative likelihood of a panel at a place.
pub fn guesses(known: &Known, factor: impl Fn(Place, Panel) -> f64) -> Vec<Guess> {
    let mut guesses = vec![Guess {
        dashes: vec![],
        weight: 1.0,
    }];
    let hidden = Panel::all(known.view.deck())
        .without(known.seen())
        .into_iter()
        .filter(|panel| panel.is_dash());
    for dash in hidden {
        let mut more = Vec::new();
        for guess in &guesses {
            for seat in known.opponents() {
                let row = &known.view.codes[seat];
                let free = |position: &u8| {
                    !guess
                        .dashes
                        .iter()
                        .any(|(place, _)| *place == (seat, *position))
                };
                let fits = |position: &u8| known.fits((seat, *position), dash);
                more.extend(
                    row.standing
                        .into_iter()
                        .filter(free)
                        .filter(fits)
                        .map(|position| Guess {
                            dashes: [guess.dashes.as_slice(), &[((seat, position), dash)]].concat(),
                            weight: guess.weight * factor((seat, position), dash)
                                / row.panels.len() as f64,
                        }),
                );
            }
        }
        guesses.extend(more);
    }
    guesses
}

/// Contribution of one opponent's code to the count: the positions that hold numbers, and the amount by which each filled place raises the
/// index of a state.
struct Code {
    seat: Seat,
    positions: Vec<u8>,
    step: usize,
}

/// Number of ways for each layer (numbered panels processed so far) and each state (places filled so far in each code).
pub struct Count {
    codes: Vec<Code>,
    moves: Vec<(Panel, Move)>,
    states: usize,
    forward: Vec<f64>,
    backward: Vec<f64>,
}

impl Count {
    /// Counts the ways to assign the numbered panels, given the places of the dashes. `factor` returns the relative likelihood of a panel
    /// at a place.
    pub fn new(
        known: &Known,
        dashes: &[(Place, Panel)],
        factor: impl Fn(Place, Panel) -> f64,
    ) -> Self {
        let codes = codes(known, dashes);
        let states = codes
            .iter()
            .map(|code| code.positions.len() + 1)
            .product::<usize>();
        let numbers = Panel::all(Deck {
            dashes: false,
            ..known.view.deck()
        })
        .into_iter();
        let moves: Vec<(Panel, Move)> = numbers
            .map(|panel| (panel, Move::new(known, &codes, panel, &factor)))
            .collect();
        let cells = (moves.len() + 1) * states;

        let mut forward = vec![0.0; cells];
        forward[0] = 1.0;
        for (layer, (_, step)) in moves.iter().enumerate() {
            let (before, after) = forward[layer * states..][..2 * states].split_at_mut(states);
            step.each(&codes, states, |from, to, weight, _| {
                after[to] += weight * before[from];
            });
        }
        let mut backward = vec![0.0; cells];
        backward[cells - 1] = 1.0;
        for (layer, (_, step)) in moves.iter().enumerate().rev() {
            let (before, after) = backward[layer * states..][..2 * states].split_at_mut(states);
            step.each(&codes, states, |from, to, weight, _| {
                before[from] += weight * after[to];
            });
        }
        Self {
            codes,
            moves,
            states,
            forward,
            backward,
        }
    }

    /// Returns the total number of ways.
    pub fn total(&self) -> f64 {
        self.backward[0]
    }

    /// Calls `found` for every hidden place and panel, with the number of ways in which the panel stands at the place.
    pub fn each(&self, mut found: impl FnMut(Place, Panel, f64)) {
        for (panel, step) in &self.moves {
            if let Move::Hidden(_) = step {
                let layer = usize::from(panel.index()) * self.states;
                step.each(&self.codes, self.states, |from, to, weight, place| {
                    if let Some(place) = place {
                        let ways = self.forward[layer + from]
                            * weight
                            * self.backward[layer + self.states + to];
                        found(place, *panel, ways);
                    }
                });
            }
        }
    }

    /// Draws one assignment with probability proportional to its weight, and calls `put` for every hidden place and its panel.
    pub fn draw(&self, chance: &mut Chance, mut put: impl FnMut(Place, Panel)) {
        let mut state = 0;
        for (layer, (panel, step)) in self.moves.iter().enumerate() {
            let after = &self.backward[(layer + 1) * self.states..];
            let mut left = chance.share() * self.backward[layer * self.states + state];
            let mut taken = None;
            step.from(&self.codes, state, |to, weight, place| {
                let ways = weight * after[to];
                // Rounding errors may leave a remainder at the end: fall back to the last possible way.
                if ways > 0.0 && left >= 0.0 {
                    taken = Some((to, place));
                    left -= ways;
                }
            });
            let (to, place) = taken.expect("a state that was reached leads to the end");
            state = to;
            if let (Move::Hidden(_), Some(place)) = (step, place) {
                put(place, *panel);
            }
        }
    }

    /// Calls `found` for each assignment, given as a list of hidden places with their panels.
    pub fn list(&self, mut found: impl FnMut(&[(Place, Panel)])) {
        self.list_from(0, 0, &mut Vec::new(), &mut found);
    }

    fn list_from(
        &self,
        layer: usize,
        state: usize,
        way: &mut Vec<(Place, Panel)>,
        found: &mut impl FnMut(&[(Place, Panel)]),
    ) {
        let Some((panel, step)) = self.moves.get(layer) else {
            return found(way);
        };
        let hidden = matches!(step, Move::Hidden(_));
        step.from(&self.codes, state, |to, weight, place| {
            if weight * self.backward[(layer + 1) * self.states + to] > 0.0 {
                let filled = place.filter(|_| hidden);
                way.extend(filled.map(|place| (place, *panel)));
                self.list_from(layer + 1, to, way, found);
                way.truncate(way.len() - usize::from(filled.is_some()));
            }
        });
    }
}

fn codes(known: &Known, dashes: &[(Place, Panel)]) -> Vec<Code> {
    let mut step = 1;
    let codes = known.opponents().map(|seat| {
        let panels = known.view.codes[seat].panels.iter().zip(0..);
        let is_dash = |position| dashes.iter().any(|(place, _)| *place == (seat, position));
        let numbers = panels
            .filter(|(shown, at)| !shown.panel().is_some_and(Panel::is_dash) && !is_dash(*at));
        let code = Code {
            seat,
            positions: numbers.map(|(_, at)| at).collect(),
            step,
        };
        step *= code.positions.len() + 1;
        code
    });
    codes.collect()
}

/// The possible places of one numbered panel.
enum Move {
    /// In the seat's own code, or exposed in an eliminated code: not part of the count.
    Nowhere,
    /// Exposed at the place with this index in the code with this index.
    Fixed(usize, usize),
    /// Hidden: in the pool, or at one of these places, listed by code. The factor of a place is 0 if the panel does not fit there.
    Hidden(Vec<Vec<f64>>),
}

impl Move {
    fn new(
        known: &Known,
        codes: &[Code],
        panel: Panel,
        factor: impl Fn(Place, Panel) -> f64,
    ) -> Self {
        for (index, code) in codes.iter().enumerate() {
            let row = &known.view.codes[code.seat];
            let shown = |at: &u8| row.panels[usize::from(*at)].panel() == Some(panel);
            if let Some(place) = code.positions.iter().position(shown) {
                return Move::Fixed(index, place);
            }
        }
        if known.seen().contains(panel) {
            return Move::Nowhere;
        }
        let open = |place: Place| {
            known.view.codes[place.0].standing.contains(place.1) && known.fits(place, panel)
        };
        let factor = |place: Place| {
            if open(place) {
                factor(place, panel)
            } else {
                0.0
            }
        };
        let factors = |code: &Code| {
            code.positions
                .iter()
                .map(|at| factor((code.seat, *at)))
                .collect()
        };
        Move::Hidden(codes.iter().map(factors).collect())
    }

    /// Calls `count` for each transition, with the state before, the state after, the factor, and the filled place, if any.
    fn each(
        &self,
        codes: &[Code],
        states: usize,
        mut count: impl FnMut(usize, usize, f64, Option<Place>),
    ) {
        (0..states).for_each(|from| {
            self.from(codes, from, |to, weight, place| {
                count(from, to, weight, place);
            });
        });
    }

    /// Calls `count` for each transition from one state.
    fn from(&self, codes: &[Code], from: usize, mut count: impl FnMut(usize, f64, Option<Place>)) {
        let filled = |code: &Code| from / code.step % (code.positions.len() + 1);
        match self {
            Move::Nowhere => count(from, 1.0, None),
            Move::Fixed(index, place) => {
                let code = &codes[*index];
                if filled(code) == *place {
                    count(
                        from + code.step,
                        1.0,
                        Some((code.seat, code.positions[*place])),
                    );
                }
            }
            Move::Hidden(open) => {
                count(from, 1.0, None);
                for (code, factors) in codes.iter().zip(open) {
                    let place = filled(code);
                    if let Some(factor) = factors.get(place).filter(|factor| **factor > 0.0) {
                        count(
                            from + code.step,
                            *factor,
                            Some((code.seat, code.positions[place])),
                        );
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::chance::Seed;
    use crate::games::coda::panel::Shown;
    use crate::games::coda::types::{Event, Rules};

    /// Returns a position: seat 0 holds D0 L5 D9, the other holds D? L? L? and named the dark 3.
    fn known() -> Known {
        let mut known = Known::new(
            &Rules {
                rounds: 1,
                ..Rules::default()
            },
            2,
            Seat(0),
        );
        let code = |panels: [&str; 3]| {
            panels
                .map(|panel| panel.parse::<Shown>().unwrap())
                .into_iter()
                .collect()
        };
        let missed = Event::Attacked {
            seat: Seat(1),
            target: Seat(0),
            position: 0,
            panel: "D3".parse().unwrap(),
            hit: false,
        };
        let events = [
            Event::RoundStarted {
                round: 1,
                first: Seat(0),
            },
            Event::SetUp {
                seat: Seat(0),
                code: code(["D0", "L5", "D9"]),
            },
            Event::SetUp {
                seat: Seat(1),
                code: code(["D?", "L?", "L?"]),
            },
            missed,
        ];
        events.iter().for_each(|event| known.see(event));
        known
    }

    #[test]
    fn what_is_listed_is_counted_and_what_is_drawn_is_listed_in_proportion() {
        let known = known();
        let even = Count::new(&known, &[], |_, _| 1.0);
        let mut listed = BTreeMap::new();
        even.list(|way| assert_eq!(listed.insert(way.to_vec(), 0), None, "once"));
        assert_eq!(listed.len() as f64, even.total());
        for way in listed.keys() {
            assert!(
                way.windows(2).all(|pair| pair[0].1 < pair[1].1),
                "{way:?} ascends"
            );
            assert!(way.iter().all(|(_, panel)| !known.seen().contains(*panel)));
        }
        let named = |(_, at): Place, panel: Panel| {
            if at == 0 && panel.to_string() == "D3" {
                0.25
            } else {
                1.0
            }
        };
        let doubted = Count::new(&known, &[], named);
        let mut chance = Seed::try_from(1).unwrap().stream("draws", 0);
        let (draws, mut threes) = (20_000, 0);
        for _ in 0..draws {
            let mut way = Vec::new();
            doubted.draw(&mut chance, |place, panel| way.push((place, panel)));
            threes += i32::from(way[0].1.to_string() == "D3");
            *listed.get_mut(&way).expect("a drawn way is one of all") += 1;
        }
        let with = listed
            .keys()
            .filter(|way| way[0].1.to_string() == "D3")
            .count() as f64
            * 0.25;
        let share = with
            / (with
                + listed
                    .keys()
                    .filter(|way| way[0].1.to_string() != "D3")
                    .count() as f64);
        assert!(
            (f64::from(threes) / f64::from(draws) - share).abs() < 0.01,
            "{threes} of {draws}, not {share}"
        );
        assert!(listed.values().filter(|count| **count > 0).count() > listed.len() * 9 / 10);
    }
}
