//! Coda for a learner. The observation lists panels by seat and place; one space of actions holds set-ups, draws, places and attacks.

use std::array::from_fn;

use arena_engine::games::coda::Coda;
use arena_engine::games::coda::panel::{Colour, Panel, Shown};
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::games::coda::view::View;
use arena_engine::player::Start;
use arena_engine::seat::MAX_SEATS;
use arena_engine::set::{Member, Set};

use crate::space::{Observer, Sink, Space, Variant, whom};

/// Number of places in a code, and number of faces.
const PLACES: usize = 26;
const FACES: usize = 13;

/// Upper bound of a seat's points in a round.
const MAX_POINTS: usize = 200;

/// Number of values for the count of panels before a dash, or of dark first panels: 0 to 4, and one more for no dash.
const CHOICES: usize = 6;
const NO_DASH: usize = CHOICES - 1;

/// Index of the first action of each kind.
const SET_UP: usize = 0;
const DASHES: usize = SET_UP + 5;
const DRAW: usize = DASHES + CHOICES * CHOICES;
const STOP: usize = DRAW + 2;
const PLACE: usize = STOP + 1;
const EXPOSE: usize = PLACE + PLACES;
const ATTACK: usize = EXPOSE + PLACES;

/// The attacks of this round.
pub struct Memory {
    /// For each place of each seat, the faces named in failed attacks, as bits.
    missed: [[i16; PLACES]; MAX_SEATS],
    /// The panels that each seat has named.
    named: [Set<Panel>; MAX_SEATS],
}

impl Memory {
    const EMPTY: Self = Self {
        missed: [[0; PLACES]; MAX_SEATS],
        named: [Set::EMPTY; MAX_SEATS],
    };
}

impl Space for Coda {
    type Memory = Memory;

    fn memory(_: &Start<'_, Rules>) -> Memory {
        Memory::EMPTY
    }

    #[inline]
    fn remember(memory: &mut Memory, _: &View, event: &Event) {
        match event {
            Event::RoundStarted { .. } => *memory = Memory::EMPTY,
            Event::Attacked {
                seat,
                target,
                position,
                panel,
                hit,
            } => {
                memory.named[seat.index()].insert(*panel);
                let place = &mut memory.missed[target.index()][usize::from(*position)];
                *place = if *hit {
                    0
                } else {
                    *place | 1 << panel.face().index()
                };
            }
            Event::Inserted { seat, position, .. } => {
                let code = &mut memory.missed[seat.index()];
                let position = usize::from(*position);
                code.copy_within(position..PLACES - 1, position + 1);
                code[position] = 0;
            }
            Event::Exposed { seat, position, .. } => {
                memory.missed[seat.index()][usize::from(*position)] = 0
            }
            _ => {}
        }
    }

    fn actions(_: &Rules, seats: usize) -> Result<usize, String> {
        Ok(ATTACK + (seats - 1) * PLACES * FACES)
    }

    #[inline]
    fn observe(seen: &Observer<Self>, out: &mut impl Sink) {
        let view = &seen.view;
        let rows = [seen.seats, PLACES];
        let private = seen.variant != Variant::Public;
        let codes = || (0..seen.seats).map(|place| (place, &view.codes[seen.absolute(place)]));
        out.one("seat", seen.seats, seen.seat.0 as i16 + 1);
        out.one("round", view.rounds.into(), i16::from(view.round));
        out.field("colours", &rows, 2, |out| each(seen, out, colour));
        out.field("faces", &rows, FACES, |out| {
            each(seen, out, face);
            if !private {
                view.codes[seen.seat]
                    .standing
                    .into_iter()
                    .for_each(|place| out[usize::from(place)] = 0);
            }
        });
        out.field("standing", &rows, 1, |out| {
            for (code, (_, row)) in out.chunks_exact_mut(PLACES).zip(codes()) {
                row.standing
                    .into_iter()
                    .for_each(|place| code[usize::from(place)] = 1);
            }
        });
        out.field("taken", &[4, 2], FACES, |out| {
            for (out, panel) in out
                .chunks_exact_mut(2)
                .zip(view.taken.iter().filter(|_| private))
            {
                out.copy_from_slice(&[colour(*panel), face(*panel)]);
            }
        });
        out.field("aside", &[3], FACES, |out| {
            if let Some(aside) = &view.aside {
                let face = if private { face(aside.panel) } else { 0 };
                out.copy_from_slice(&[whom(seen, Some(aside.seat)), colour(aside.panel), face]);
            }
        });
        out.field("pool", &[2], FACES, |out| {
            out.copy_from_slice(&[view.pool.dark.into(), view.pool.light.into()])
        });
        out.field(
            "points",
            &[seen.seats],
            MAX_POINTS * usize::from(view.rounds),
            |out| {
                out.iter_mut()
                    .enumerate()
                    .for_each(|(place, out)| *out = view.points[seen.absolute(place)] as i16);
            },
        );
        if seen.variant >= Variant::Recall {
            out.field("missed", &rows, (1 << FACES) - 1, |out| {
                for (place, code) in out.chunks_exact_mut(PLACES).enumerate() {
                    code.copy_from_slice(&seen.memory.missed[seen.absolute(place).index()]);
                }
            });
            out.field("named", &rows, 1, |out| {
                for (place, panels) in out.chunks_exact_mut(PLACES).enumerate() {
                    let named = seen.memory.named[seen.absolute(place).index()];
                    named
                        .into_iter()
                        .for_each(|panel| panels[usize::from(panel.index())] = 1);
                }
            });
        }
    }

    #[inline]
    fn mask(seen: &mut Observer<Self>, prompt: &Prompt, mask: &mut [i8]) {
        mask.fill(0);
        for choice in &prompt.0 {
            match *choice {
                Choice::SetUp { dark } => set(mask, SET_UP, dark),
                Choice::Draw { colour } => set(mask, DRAW, colour),
                Choice::Stop {} => mask[STOP] = 1,
                Choice::Place { position } => set(mask, PLACE, position),
                Choice::Expose { position } => set(mask, EXPOSE, position),
                Choice::PlaceDashes { dark, light } => {
                    let places = |legal: Option<Set<u8>>| legal.unwrap_or(Set::one(NO_DASH as u8));
                    for dark in places(dark) {
                        set(mask, DASHES + usize::from(dark) * CHOICES, places(light));
                    }
                }
                Choice::Attack {
                    seat,
                    position,
                    face,
                } => {
                    let faces: [i8; FACES] = from_fn(|at| (face.mask() >> at & 1) as i8);
                    for target in seat {
                        for place in position {
                            let at = attack(seen.relative(target), place.into());
                            mask[at..at + FACES].copy_from_slice(&faces);
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn action(seen: &Observer<Self>, index: usize) -> Option<Action> {
        let after = |first: usize| (index - first) as u8;
        Some(match index {
            ..DASHES => Action::SetUp {
                dark: after(SET_UP),
            },
            DASHES..DRAW => {
                let place = |before: usize| (before != NO_DASH).then_some(before as u8);
                let both = index - DASHES;
                Action::PlaceDashes {
                    dark: place(both / CHOICES),
                    light: place(both % CHOICES),
                }
            }
            DRAW..STOP => Action::Draw {
                colour: Colour::at(after(DRAW)),
            },
            STOP => Action::Stop {},
            PLACE..EXPOSE => Action::Place {
                position: after(PLACE),
            },
            EXPOSE..ATTACK => Action::Expose {
                position: after(EXPOSE),
            },
            ATTACK.. => {
                let (which, face) = ((index - ATTACK) / FACES, (index - ATTACK) % FACES);
                let seat = seen.absolute(1 + which / PLACES);
                Action::Attack {
                    seat,
                    position: (which % PLACES) as u8,
                    face: Member::at(face as u8),
                }
            }
        })
    }

    fn index(seen: &Observer<Self>, action: &Action) -> Option<usize> {
        let within = |first: usize, value: u8, end: usize| {
            (usize::from(value) < end).then(|| first + usize::from(value))
        };
        let before =
            |place: Option<u8>| place.map_or(Some(NO_DASH), |place| within(0, place, NO_DASH));
        match *action {
            Action::SetUp { dark } => within(SET_UP, dark, 5),
            Action::PlaceDashes { dark, light } => {
                Some(DASHES + before(dark)? * CHOICES + before(light)?)
            }
            Action::Draw { colour } => Some(DRAW + colour as usize),
            Action::Stop {} => Some(STOP),
            Action::Place { position } => within(PLACE, position, PLACES),
            Action::Expose { position } => within(EXPOSE, position, PLACES),
            Action::Attack {
                seat,
                position,
                face,
            } => {
                let legal = seat != seen.seat
                    && seat.index() < seen.seats
                    && usize::from(position) < PLACES;
                legal.then(|| {
                    attack(seen.relative(seat), position.into()) + usize::from(face.index())
                })
            }
        }
    }
}

/// Writes a value for each panel, by seat and place.
#[inline]
fn each(seen: &Observer<Coda>, out: &mut [i16], value: impl Fn(Shown) -> i16) {
    for (place, out) in out.chunks_exact_mut(PLACES).enumerate() {
        let panels = &seen.view.codes[seen.absolute(place)].panels;
        out.iter_mut()
            .zip(panels)
            .for_each(|(out, panel)| *out = value(*panel));
    }
}

/// Returns the index of the first attack on a place of the seat `target` steps further round the table.
fn attack(target: usize, place: usize) -> usize {
    ATTACK + ((target - 1) * PLACES + place) * FACES
}

fn set<T: Member>(mask: &mut [i8], first: usize, legal: Set<T>) {
    legal
        .into_iter()
        .for_each(|value| mask[first + usize::from(value.index())] = 1);
}

#[inline]
fn colour(panel: Shown) -> i16 {
    panel.colour as i16 + 1
}

#[inline]
fn face(panel: Shown) -> i16 {
    panel.face.map_or(0, |face| i16::from(face.index()) + 1)
}
