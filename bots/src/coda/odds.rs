//! The exact chance of every panel to stand at every hidden place, over all codes that fit what a seat has seen.
//!
//! Every way of giving the unseen panels to the opponents' hidden places and the pool is equally likely. Codes ascend, so
//! the ways are counted by going through the panels in order, each going to the next open place of one of the codes
//! or to none: the forward counts times the backward counts give every place's share.

use arena_engine::games::coda::panel::{PANELS, Panel};
use arena_engine::seat::Seat;
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

/// One opponent's code within the count: `step` is what one more filled place adds to a state's index.
struct Code {
    seat: Seat,
    places: usize,
    step: usize,
}

/// All attacks that may hit, with their chances.
pub fn odds(knowledge: &Knowledge) -> Vec<Odds> {
    let codes = codes(knowledge);
    let states = codes.iter().map(|code| code.places + 1).product::<usize>();
    let layers = usize::from(PANELS) + 1;
    let moves: Vec<Move> = Panel::all().into_iter().map(|panel| Move::of(knowledge, &codes, panel)).collect();

    let mut forward = vec![0.0; layers * states];
    forward[0] = 1.0;
    for (layer, step) in moves.iter().enumerate() {
        let (before, after) = forward[layer * states..][..2 * states].split_at_mut(states);
        step.each(&codes, states, |from, to, _| after[to] += before[from]);
    }
    let mut backward = vec![0.0; layers * states];
    backward[layers * states - 1] = 1.0;
    for (layer, step) in moves.iter().enumerate().rev() {
        let (before, after) = backward[layer * states..][..2 * states].split_at_mut(states);
        step.each(&codes, states, |from, to, _| before[from] += after[to]);
    }

    let total = backward[0];
    let mut found = Vec::new();
    for (panel, step) in Panel::all().into_iter().zip(&moves) {
        let layer = usize::from(panel.index());
        let mut ways = codes.iter().map(|code| vec![0.0; code.places]).collect::<Vec<_>>();
        step.each(&codes, states, |from, to, place| {
            if let Some((code, place)) = place {
                ways[code][place] += forward[layer * states + from] * backward[(layer + 1) * states + to];
            }
        });
        for (code, ways) in codes.iter().zip(ways) {
            let standing = knowledge.view.codes[code.seat].standing;
            let hits =
                ways.into_iter().enumerate().filter(|(place, ways)| *ways > 0.0 && standing.contains(*place as u8));
            found.extend(hits.map(|(place, ways)| Odds {
                seat: code.seat,
                position: place as u8,
                panel,
                chance: ways / total,
            }));
        }
    }
    found
}

fn codes(knowledge: &Knowledge) -> Vec<Code> {
    let mut step = 1;
    let opponents = knowledge.opponents();
    let codes = opponents.map(|seat| {
        let places = knowledge.view.codes[seat].panels.len();
        let code = Code { seat, places, step };
        step *= places + 1;
        code
    });
    codes.collect()
}

/// Where one panel can go.
enum Move {
    /// It is elsewhere: in the seat's own code, or exposed in a code that is out.
    Nowhere,
    /// It is exposed at this place of this code.
    Fixed(usize, usize),
    /// It is hidden: in the pool, or at one of these places, by code.
    Hidden(Vec<Vec<bool>>),
}

impl Move {
    fn of(knowledge: &Knowledge, codes: &[Code], panel: Panel) -> Self {
        let row = |code: &Code| &knowledge.view.codes[code.seat];
        for (index, code) in codes.iter().enumerate() {
            if let Some(place) = row(code).panels.iter().position(|shown| shown.panel() == Some(panel)) {
                return Move::Fixed(index, place);
            }
        }
        if knowledge.seen().contains(panel) {
            return Move::Nowhere;
        }
        let open = |code: &Code, place: usize| {
            row(code).standing.contains(place as u8) && knowledge.fits(code.seat, place, panel)
        };
        Move::Hidden(codes.iter().map(|code| (0..code.places).map(|place| open(code, place)).collect()).collect())
    }

    /// Calls `count` for each transition: from state, to state, and the code and place that are filled, if any.
    fn each(&self, codes: &[Code], states: usize, mut count: impl FnMut(usize, usize, Option<(usize, usize)>)) {
        let filled = |state: usize, code: &Code| state / code.step % (code.places + 1);
        for from in 0..states {
            match self {
                Move::Nowhere => count(from, from, None),
                Move::Fixed(index, place) => {
                    let code = &codes[*index];
                    if filled(from, code) == *place {
                        count(from, from + code.step, Some((*index, *place)));
                    }
                }
                Move::Hidden(open) => {
                    count(from, from, None);
                    for (index, code) in codes.iter().enumerate() {
                        let place = filled(from, code);
                        if place < code.places && open[index][place] {
                            count(from, from + code.step, Some((index, place)));
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
    use arena_engine::games::coda::words::{Choice, Rules};
    use arena_engine::machine::{Match, Reply};
    use arena_engine::player::Start;
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
        let low = (0..place).rev().find_map(before);
        let high = row[place..].iter().find_map(|shown| shown.panel());
        for panel in left {
            let between = low.is_none_or(|low| low < panel) && high.is_none_or(|high| panel < high);
            if between && knowledge.fits(seat, place, panel) {
                chosen.push(panel);
                fill(knowledge, places, left.without(Set::one(panel)), chosen, all);
                chosen.pop();
            }
        }
    }

    /// The same odds by trying every code.
    fn tried(knowledge: &Knowledge) -> Vec<Odds> {
        let hidden =
            |seat: Seat| knowledge.view.codes[seat].standing.into_iter().map(move |at| (seat, usize::from(at)));
        let places: Vec<(Seat, usize)> = knowledge.opponents().flat_map(hidden).collect();
        let mut all = Vec::new();
        fill(knowledge, &places, Panel::all().without(knowledge.seen()), &mut Vec::new(), &mut all);
        let mut found = Vec::new();
        for panel in Panel::all() {
            for (index, (seat, place)) in places.iter().enumerate() {
                let ways = all.iter().filter(|codes| codes[index] == panel).count();
                if ways > 0 {
                    let chance = ways as f64 / all.len() as f64;
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
            let rules = Rules { rounds: 1, ..Rules::default() };
            let mut table = Match::<Coda>::new(&rules, seats, seed).unwrap();
            let start = Start { rules: &rules, seat: Seat(0), seats, seed };
            let mut knowledge = Knowledge::new(&start);
            let mut chance = seed.stream("moves", 0);
            while !table.over() {
                for seat in table.asked() {
                    if seat == Seat(0) {
                        knowledge.learn(&mut table.news(seat));
                        let attacks = table.prompt(seat).0.iter().any(|choice| matches!(choice, Choice::Attack { .. }));
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
