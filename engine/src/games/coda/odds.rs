//! Exact probability of every panel at every hidden place, over all codes that fit what a seat has seen.

use super::count::{Count, Guess, guesses};
use super::known::{Known, Place};
use super::panel::{Deck, PANELS, Panel};
use super::types::{Action, Event};
use crate::deduction::{Deduction, Learned, likeliest};
use crate::seat::{MAX_SEATS, Seat};
use crate::set::Member;

/// An attack and its probability of hitting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// The opponent's seat.
    pub seat: Seat,
    /// The place in the opponent's code.
    pub position: u8,
    /// The panel that may stand there.
    pub panel: Panel,
    /// The probability that the panel stands there.
    pub chance: f64,
}

impl Odds {
    /// Returns the attack as an action.
    pub fn attack(&self) -> Action {
        Action::Attack {
            seat: self.seat,
            position: self.position,
            face: self.panel.face(),
        }
    }
}

/// Returns all attacks that may hit, with their probabilities. All assignments are equally likely.
pub fn odds(known: &Known) -> Vec<Odds> {
    odds_by(known, |_, _| 1.0)
}

/// Like [`odds`], but each panel at each place has a factor for its likelihood.
pub fn odds_by(known: &Known, factor: impl Fn(Place, Panel) -> f64) -> Vec<Odds> {
    count(known, factor).1
}

/// Like [`odds_by`], but also returns the number of assignments.
fn count(known: &Known, factor: impl Fn(Place, Panel) -> f64) -> (f64, Vec<Odds>) {
    // Weight of each panel at each place.
    const PER_PLACE: usize = PANELS as usize;
    let mut ways = vec![0.0; MAX_SEATS * PER_PLACE * PER_PLACE];
    let index = |(seat, position): Place, panel: Panel| {
        (seat.index() * PER_PLACE + usize::from(position)) * PER_PLACE + usize::from(panel.index())
    };
    let (mut worlds, mut total) = (0.0, 0.0);
    for Guess { dashes, weight } in guesses(known, &factor) {
        let counted = Count::new(known, &dashes, &factor);
        worlds += counted.total();
        let all = counted.total() * weight;
        if all > 0.0 {
            total += all;
            dashes
                .iter()
                .for_each(|(place, dash)| ways[index(*place, *dash)] += all);
            counted.each(|place, panel, found| ways[index(place, panel)] += found * weight);
        }
    }
    let places = known.opponents().flat_map(|seat| {
        let standing = known.view.codes[seat].standing.into_iter();
        standing.flat_map(move |position| {
            Panel::all(Deck::ALL)
                .into_iter()
                .map(move |panel| (seat, position, panel))
        })
    });
    let chances = places.map(|(seat, position, panel)| {
        let chance = ways[index((seat, position), panel)] / total;
        Odds {
            seat,
            position,
            panel,
            chance,
        }
    });
    (worlds, chances.filter(|odds| odds.chance > 0.0).collect())
}

/// The exact knowledge of a seat. Assignments are counted at most once between two events.
pub(super) struct Counted {
    pub(super) known: Known,
    pub(super) count: Option<(f64, Vec<Odds>)>,
}

impl Counted {
    fn count(&mut self) -> &(f64, Vec<Odds>) {
        self.count
            .get_or_insert_with(|| count(&self.known, |_, _| 1.0))
    }
}

impl Deduction<Event, Action> for Counted {
    fn see(&mut self, event: &Event) {
        self.known.see(event);
        self.count = None;
    }

    /// Returns the number of ways to fill the hidden places.
    fn worlds(&mut self) -> Option<f64> {
        self.known.opponents().next()?;
        Some(self.count().0)
    }

    fn guesses(&mut self, most: usize) -> Vec<(Action, f64)> {
        likeliest(
            self.count()
                .1
                .iter()
                .map(|odds| (odds.attack(), odds.chance))
                .collect(),
            most,
        )
    }

    fn chance(&mut self, action: &Action) -> Option<f64> {
        let Action::Attack { .. } = action else {
            return None;
        };
        Some(
            self.count()
                .1
                .iter()
                .find(|odds| odds.attack() == *action)
                .map_or(0.0, |odds| odds.chance),
        )
    }

    fn learned(&mut self, event: &Event) -> Option<Learned> {
        let Event::Attacked {
            target,
            position,
            panel,
            hit,
            ..
        } = *event
        else {
            return None;
        };
        let attack = Action::Attack {
            seat: target,
            position,
            face: panel.face(),
        };
        let chance = (target != self.known.view.seat).then(|| self.chance(&attack))??;
        Some(Learned::from_guess(chance, hit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Seed;
    use crate::game::Game;
    use crate::games::coda::Coda;
    use crate::games::coda::prompt::Choice;
    use crate::games::coda::types::Rules;
    use crate::machine::Match;
    use crate::record::Reply;
    use crate::set::Set;

    /// Enumerates all ways to fill the hidden places so that codes ascend.
    fn fill(
        known: &Known,
        places: &[(Seat, usize)],
        left: Set<Panel>,
        chosen: &mut Vec<Panel>,
        all: &mut Vec<Vec<Panel>>,
    ) {
        let Some((seat, place)) = places.get(chosen.len()).copied() else {
            all.push(chosen.clone());
            return;
        };
        let row = &known.view.codes[seat].panels;
        let before = |at: usize| {
            let hidden = places.iter().position(|other| *other == (seat, at));
            row[at]
                .panel()
                .or_else(|| hidden.and_then(|index| chosen.get(index).copied()))
        };
        let number = |panel: &Panel| !panel.is_dash();
        let low = (0..place).rev().filter_map(before).find(number);
        let high = row[place..]
            .iter()
            .filter_map(|shown| shown.panel())
            .find(number);
        for panel in left {
            let ascends = low.is_none_or(|low| low < panel) && high.is_none_or(|high| panel < high);
            let between = ascends || panel.is_dash();
            if between && known.fits((seat, place as u8), panel) {
                chosen.push(panel);
                fill(known, places, left.without(Set::one(panel)), chosen, all);
                chosen.pop();
            }
        }
    }

    /// Computes the odds by brute force. Every place of a code is equally likely for its owner's dash.
    fn tried(known: &Known) -> Vec<Odds> {
        let hidden = |seat: Seat| {
            known.view.codes[seat]
                .standing
                .into_iter()
                .map(move |at| (seat, usize::from(at)))
        };
        let places: Vec<(Seat, usize)> = known.opponents().flat_map(hidden).collect();
        let mut all = Vec::new();
        let deck = Panel::all(known.view.deck());
        fill(
            known,
            &places,
            deck.without(known.seen()),
            &mut Vec::new(),
            &mut all,
        );
        let weight = |codes: &Vec<Panel>| -> f64 {
            let dashes = codes
                .iter()
                .zip(&places)
                .filter(|(panel, _)| panel.is_dash());
            dashes
                .map(|(_, (seat, _))| 1.0 / known.view.codes[*seat].panels.len() as f64)
                .product()
        };
        let total: f64 = all.iter().map(weight).sum();
        let mut found = Vec::new();
        for panel in deck {
            for (index, (seat, place)) in places.iter().enumerate() {
                let ways: f64 = all
                    .iter()
                    .filter(|codes| codes[index] == panel)
                    .map(weight)
                    .sum();
                if ways > 0.0 {
                    let chance = ways / total;
                    found.push(Odds {
                        seat: *seat,
                        position: *place as u8,
                        panel,
                        chance,
                    });
                }
            }
        }
        found
    }

    #[test]
    fn the_count_agrees_with_trying_every_code() {
        let mut compared = 0;
        for number in 0.. {
            let (seats, seed) = (2 + number as usize % 3, Seed::try_from(number).unwrap());
            let numbers = [12, 3, 4, 5][number as usize / 3 % 4];
            let rules = Rules {
                rounds: 1,
                dashes: number % 5 > 2,
                numbers,
                panels: 1 + (number % 3) as u8,
                ..Rules::default()
            };
            let Ok(mut table) = Match::<Coda>::new(&rules, seats, seed) else {
                continue;
            };
            let mut known = Known::new(&rules, seats, Seat(0));
            let mut chance = seed.stream("moves", 0);
            while !table.is_over() {
                for seat in table.to_act() {
                    if seat == Seat(0) {
                        table.new_events(seat).for_each(|event| known.see(&event));
                        let attacks = matches!(table.prompt(seat).0[0], Choice::Attack { .. });
                        let hidden = known
                            .opponents()
                            .map(|seat| known.view.codes[seat].standing.len());
                        if attacks && (numbers < 12 || hidden.sum::<usize>() <= 5) {
                            compare(odds(&known), tried(&known));
                            compared += 1;
                        }
                    }
                    let action = table.game().sample(seat, &mut chance);
                    table.reply(seat, Reply::Act(action)).unwrap();
                }
            }
            if compared > 20_000 {
                break;
            }
        }
    }

    fn compare(mut counted: Vec<Odds>, mut tried: Vec<Odds>) {
        let key = |odds: &Odds| (odds.panel, odds.seat, odds.position);
        counted.sort_by_key(key);
        tried.sort_by_key(key);
        assert!(counted.iter().map(key).eq(tried.iter().map(key)));
        for (left, right) in counted.iter().zip(&tried) {
            assert!(
                (left.chance - right.chance).abs() < 1e-12,
                "{left:?} {right:?}"
            );
        }
    }
}
