//! The exact chance of every panel to stand at every hidden place, over all codes that fit what a seat has seen.
//!
//! Every way of giving the unseen panels to the opponents' hidden places and the pool is equally likely. Numbers ascend, so
//! the ways are counted by going through the numbered panels in order, each going to the next open place of one of
//! the codes or to none: the forward counts times the backward counts give every place's share.
//!
//! Dashes stand anywhere. Where a hidden one may stand is tried place by place, the rest being counted as before. Its owner is
//! taken to have put it at any place of his code with equal chance.

use arena_engine::games::coda::panel::{Deck, PANELS, Panel};
use arena_engine::seat::{MOST_SEATS, Seat};
use arena_engine::set::Member;

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

/// A place in an opponent's code.
type Place = (Seat, u8);

/// All attacks that may hit, with their chances.
pub fn odds(knowledge: &Knowledge) -> Vec<Odds> {
    let mut ways = Ways::new();
    let mut total = 0.0;
    for Guess { dashes, weight } in guesses(knowledge) {
        let counted = Count::of(knowledge, &dashes);
        let all = counted.total() * weight;
        if all > 0.0 {
            total += all;
            dashes.iter().for_each(|(place, dash)| ways.add(*place, *dash, all));
            counted.each(|place, panel, found| ways.add(place, panel, found * weight));
        }
    }
    let places = knowledge.opponents().flat_map(|seat| {
        let standing = knowledge.view.codes[seat].standing.into_iter();
        standing.flat_map(move |position| {
            Panel::all(Deck::WithDashes).into_iter().map(move |panel| (seat, position, panel))
        })
    });
    let chances = places.map(|(seat, position, panel)| {
        let chance = ways.get((seat, position), panel) / total;
        Odds { seat, position, panel, chance }
    });
    chances.filter(|odds| odds.chance > 0.0).collect()
}

/// The number of ways in which each panel stands at each place.
struct Ways(Vec<f64>);

impl Ways {
    fn new() -> Self {
        Self(vec![0.0; MOST_SEATS * usize::from(PANELS) * usize::from(PANELS)])
    }

    fn index((seat, position): Place, panel: Panel) -> usize {
        let panels = usize::from(PANELS);
        (seat.index() * panels + usize::from(position)) * panels + usize::from(panel.index())
    }

    fn add(&mut self, place: Place, panel: Panel, ways: f64) {
        self.0[Self::index(place, panel)] += ways;
    }

    fn get(&self, place: Place, panel: Panel) -> f64 {
        self.0[Self::index(place, panel)]
    }
}

/// A choice of places for the hidden dashes; those that are not mentioned are in the pool.
struct Guess {
    dashes: Vec<(Place, Panel)>,
    weight: f64,
}

fn guesses(knowledge: &Knowledge) -> Vec<Guess> {
    let mut guesses = vec![Guess { dashes: vec![], weight: 1.0 }];
    let hidden = Panel::all(knowledge.deck()).without(knowledge.seen()).into_iter().filter(|panel| panel.is_dash());
    for dash in hidden {
        let mut more = Vec::new();
        for guess in &guesses {
            for seat in knowledge.opponents() {
                let row = &knowledge.view.codes[seat];
                let free = |position: &u8| !guess.dashes.iter().any(|(place, _)| *place == (seat, *position));
                let fits = |position: &u8| knowledge.fits(seat, usize::from(*position), dash);
                more.extend(row.standing.into_iter().filter(free).filter(fits).map(|position| Guess {
                    dashes: [guess.dashes.as_slice(), &[((seat, position), dash)]].concat(),
                    weight: guess.weight / row.panels.len() as f64,
                }));
            }
        }
        guesses.extend(more);
    }
    guesses
}

/// One opponent's code within the count: the positions that hold numbers, and what one more filled one adds to a
/// state's index.
struct Code {
    seat: Seat,
    positions: Vec<u8>,
    step: usize,
}

/// The numbers of ways, for each layer (how many numbered panels have been dealt with) and state (how many places of
/// each code are filled).
struct Count {
    codes: Vec<Code>,
    moves: Vec<(Panel, Move)>,
    states: usize,
    forward: Vec<f64>,
    backward: Vec<f64>,
}

impl Count {
    fn of(knowledge: &Knowledge, dashes: &[(Place, Panel)]) -> Self {
        let codes = codes(knowledge, dashes);
        let states = codes.iter().map(|code| code.positions.len() + 1).product::<usize>();
        let numbers = Panel::all(Deck::Standard).into_iter();
        let moves: Vec<(Panel, Move)> = numbers.map(|panel| (panel, Move::of(knowledge, &codes, panel))).collect();
        let cells = (moves.len() + 1) * states;

        let mut forward = vec![0.0; cells];
        forward[0] = 1.0;
        for (layer, (_, step)) in moves.iter().enumerate() {
            let (before, after) = forward[layer * states..][..2 * states].split_at_mut(states);
            step.each(&codes, states, |from, to, _| after[to] += before[from]);
        }
        let mut backward = vec![0.0; cells];
        backward[cells - 1] = 1.0;
        for (layer, (_, step)) in moves.iter().enumerate().rev() {
            let (before, after) = backward[layer * states..][..2 * states].split_at_mut(states);
            step.each(&codes, states, |from, to, _| before[from] += after[to]);
        }
        Self { codes, moves, states, forward, backward }
    }

    /// The number of ways in all.
    fn total(&self) -> f64 {
        self.backward[0]
    }

    /// Calls `found` with every hidden place, a panel, and the number of ways in which it stands there.
    fn each(&self, mut found: impl FnMut(Place, Panel, f64)) {
        for (panel, step) in &self.moves {
            if let Move::Hidden(_) = step {
                let layer = usize::from(panel.index()) * self.states;
                step.each(&self.codes, self.states, |from, to, place| {
                    if let Some(place) = place {
                        found(place, *panel, self.forward[layer + from] * self.backward[layer + self.states + to]);
                    }
                });
            }
        }
    }
}

fn codes(knowledge: &Knowledge, dashes: &[(Place, Panel)]) -> Vec<Code> {
    let mut step = 1;
    let codes = knowledge.opponents().map(|seat| {
        let panels = knowledge.view.codes[seat].panels.iter().zip(0..);
        let is_dash = |position| dashes.iter().any(|(place, _)| *place == (seat, position));
        let numbers = panels.filter(|(shown, at)| !shown.panel().is_some_and(Panel::is_dash) && !is_dash(*at));
        let code = Code { seat, positions: numbers.map(|(_, at)| at).collect(), step };
        step *= code.positions.len() + 1;
        code
    });
    codes.collect()
}

/// The places where one numbered panel can go.
enum Move {
    /// It is elsewhere: in the seat's own code, or exposed in a code that is out.
    Nowhere,
    /// It is exposed: this code's place with this index.
    Fixed(usize, usize),
    /// It is hidden: in the pool, or at one of these places, by code.
    Hidden(Vec<Vec<bool>>),
}

impl Move {
    fn of(knowledge: &Knowledge, codes: &[Code], panel: Panel) -> Self {
        for (index, code) in codes.iter().enumerate() {
            let row = &knowledge.view.codes[code.seat];
            let shown = |at: &u8| row.panels[usize::from(*at)].panel() == Some(panel);
            if let Some(place) = code.positions.iter().position(shown) {
                return Move::Fixed(index, place);
            }
        }
        if knowledge.seen().contains(panel) {
            return Move::Nowhere;
        }
        let open = |code: &Code, at: u8| {
            knowledge.view.codes[code.seat].standing.contains(at) && knowledge.fits(code.seat, usize::from(at), panel)
        };
        Move::Hidden(codes.iter().map(|code| code.positions.iter().map(|at| open(code, *at)).collect()).collect())
    }

    /// Calls `count` for each transition: from state, to state, and the place that is filled, if any.
    fn each(&self, codes: &[Code], states: usize, mut count: impl FnMut(usize, usize, Option<Place>)) {
        let filled = |state: usize, code: &Code| state / code.step % (code.positions.len() + 1);
        for from in 0..states {
            match self {
                Move::Nowhere => count(from, from, None),
                Move::Fixed(index, place) => {
                    let code = &codes[*index];
                    if filled(from, code) == *place {
                        count(from, from + code.step, Some((code.seat, code.positions[*place])));
                    }
                }
                Move::Hidden(open) => {
                    count(from, from, None);
                    for (code, open) in codes.iter().zip(open) {
                        let place = filled(from, code);
                        if open.get(place).is_some_and(|open| *open) {
                            count(from, from + code.step, Some((code.seat, code.positions[place])));
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;
    use arena_engine::game::Game;
    use arena_engine::games::coda::Coda;
    use arena_engine::games::coda::prompt::Prompt;
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
        let deck = Panel::all(knowledge.deck());
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
            let start = Start { rules: &rules, seat: Seat(0), seats, seed };
            let mut knowledge = Knowledge::new(&start);
            let mut chance = seed.stream("moves", 0);
            while !table.is_over() {
                for seat in table.to_act() {
                    if seat == Seat(0) {
                        knowledge.learn(&mut table.new_events(seat));
                        let attacks = matches!(table.prompt(seat), Prompt::Attack(_));
                        let codes = knowledge.opponents().map(|seat| knowledge.view.codes[seat].standing.len());
                        if attacks && codes.sum::<usize>() <= 5 {
                            compare(odds(&knowledge), tried(&knowledge));
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
