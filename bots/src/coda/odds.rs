//! The exact chance of every panel to stand at every hidden place, over all codes that fit what a seat has seen: all are equally
//! likely, but for a factor where an owner has named a panel that it has itself.

use arena_engine::games::coda::panel::{Deck, PANELS, Panel};
use arena_engine::games::coda::types::Action;
use arena_engine::seat::{MOST_SEATS, Seat};
use arena_engine::set::Member;

use super::count::{Count, Guess, guesses};
use super::decisions::Place;
use super::knowledge::Knowledge;

/// An attack and its chance to hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// The opponent.
    pub seat: Seat,
    /// The place in the opponent's code.
    pub position: u8,
    /// The panel that may stand there.
    pub panel: Panel,
    /// The chance that it does.
    pub chance: f64,
}

impl Odds {
    /// The attack.
    pub fn attack(&self) -> Action {
        Action::Attack { seat: self.seat, position: self.position, face: self.panel.face() }
    }
}

/// All attacks that may hit, with their chances. A panel that its owner has named is less likely by the factor `named`; 1 is to ignore that.
pub fn odds(knowledge: &Knowledge, named: f64) -> Vec<Odds> {
    // The number of ways in which each panel stands at each place.
    const PER_PLACE: usize = PANELS as usize;
    let mut ways = vec![0.0; MOST_SEATS * PER_PLACE * PER_PLACE];
    let index = |(seat, position): Place, panel: Panel| {
        (seat.index() * PER_PLACE + usize::from(position)) * PER_PLACE + usize::from(panel.index())
    };
    let mut total = 0.0;
    for Guess { dashes, weight } in guesses(knowledge, named) {
        let counted = Count::of(knowledge, &dashes, named);
        let all = counted.total() * weight;
        if all > 0.0 {
            total += all;
            dashes.iter().for_each(|(place, dash)| ways[index(*place, *dash)] += all);
            counted.each(|place, panel, found| ways[index(place, panel)] += found * weight);
        }
    }
    let places = knowledge.opponents().flat_map(|seat| {
        let standing = knowledge.view.codes[seat].standing.into_iter();
        standing.flat_map(move |position| Panel::all(Deck::ALL).into_iter().map(move |panel| (seat, position, panel)))
    });
    let chances = places.map(|(seat, position, panel)| {
        let chance = ways[index((seat, position), panel)] / total;
        Odds { seat, position, panel, chance }
    });
    chances.filter(|odds| odds.chance > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;
    use arena_engine::game::Game;
    use arena_engine::games::coda::Coda;
    use arena_engine::games::coda::prompt::Choice;
    use arena_engine::games::coda::types::Rules;
    use arena_engine::machine::Match;
    use arena_engine::player::Start;
    use arena_engine::record::Reply;
    use arena_engine::set::Set;

    use super::*;

    /// All ways to fill the hidden places one after the other, codes ascending.
    fn fill(
        knowledge: &Knowledge,
        places: &[(Seat, usize)],
        left: Set<Panel>,
        chosen: &mut Vec<Panel>,
        all: &mut Vec<Vec<Panel>>,
    ) {
        let Some((seat, place)) = places.get(chosen.len()).copied() else {
            all.push(chosen.clone());
            return;
        };
        let row = &knowledge.view.codes[seat].panels;
        let before = |at: usize| {
            let hidden = places.iter().position(|other| *other == (seat, at));
            row[at].panel().or_else(|| hidden.and_then(|index| chosen.get(index).copied()))
        };
        let number = |panel: &Panel| !panel.is_dash();
        let low = (0..place).rev().filter_map(before).find(number);
        let high = row[place..].iter().filter_map(|shown| shown.panel()).find(number);
        for panel in left {
            let ascends = low.is_none_or(|low| low < panel) && high.is_none_or(|high| panel < high);
            let between = ascends || panel.is_dash();
            if between && knowledge.fits(seat, place, panel) {
                chosen.push(panel);
                fill(knowledge, places, left.without(Set::one(panel)), chosen, all);
                chosen.pop();
            }
        }
    }

    /// The same odds by trying every code; an owner puts a dash at any place with equal chance.
    fn tried(knowledge: &Knowledge) -> Vec<Odds> {
        let hidden =
            |seat: Seat| knowledge.view.codes[seat].standing.into_iter().map(move |at| (seat, usize::from(at)));
        let places: Vec<(Seat, usize)> = knowledge.opponents().flat_map(hidden).collect();
        let mut all = Vec::new();
        let deck = Panel::all(knowledge.view.deck());
        fill(knowledge, &places, deck.without(knowledge.seen()), &mut Vec::new(), &mut all);
        let weight = |codes: &Vec<Panel>| -> f64 {
            let dashes = codes.iter().zip(&places).filter(|(panel, _)| panel.is_dash());
            dashes.map(|(_, (seat, _))| 1.0 / knowledge.view.codes[*seat].panels.len() as f64).product()
        };
        let total: f64 = all.iter().map(weight).sum();
        let mut found = Vec::new();
        for panel in deck {
            for (index, (seat, place)) in places.iter().enumerate() {
                let ways: f64 = all.iter().filter(|codes| codes[index] == panel).map(weight).sum();
                if ways > 0.0 {
                    let chance = ways / total;
                    found.push(Odds { seat: *seat, position: *place as u8, panel, chance });
                }
            }
        }
        found
    }

    #[test]
    fn the_count_agrees_with_trying_every_code() {
        let mut compared = 0;
        for number in 0..30 {
            let (seats, seed) = (2 + number as usize % 2, Seed::try_from(number).unwrap());
            let rules = Rules { rounds: 1, dashes: number % 4 > 1, ..Rules::default() };
            let mut table = Match::<Coda>::new(&rules, seats, seed).unwrap();
            let start = Start { rules: &rules, seat: Seat(0), seats, seed, move_ms: None };
            let mut knowledge = Knowledge::new(&start);
            let mut chance = seed.stream("moves", 0);
            while !table.is_over() {
                for seat in table.to_act() {
                    if seat == Seat(0) {
                        knowledge.learn(&mut table.new_events(seat));
                        let attacks = matches!(table.prompt(seat).0[0], Choice::Attack { .. });
                        let codes = knowledge.opponents().map(|seat| knowledge.view.codes[seat].standing.len());
                        if attacks && codes.sum::<usize>() <= 5 {
                            compare(odds(&knowledge, 1.0), tried(&knowledge));
                            compared += 1;
                        }
                    }
                    let action = table.game().sample(seat, &mut chance);
                    table.reply(seat, Reply::Act(action)).unwrap();
                }
            }
        }
        assert!(compared > 100, "{compared} positions were compared");
    }

    fn compare(mut counted: Vec<Odds>, mut tried: Vec<Odds>) {
        let key = |odds: &Odds| (odds.panel, odds.seat, odds.position);
        counted.sort_by_key(key);
        tried.sort_by_key(key);
        assert!(counted.iter().map(key).eq(tried.iter().map(key)));
        for (left, right) in counted.iter().zip(&tried) {
            assert!((left.chance - right.chance).abs() < 1e-12, "{left:?} {right:?}");
        }
    }
}
