//! Crack the code for a learner. The observation is the board of guesses; every code is an action, for hiding and for guessing.

use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::crack_the_code::code::Code;
use arena_engine::games::crack_the_code::types::{Action, Event, Prompt, Rules};
use arena_engine::games::crack_the_code::view::View;
use arena_engine::player::Start;
use arena_engine::seat::Seat;
use arena_engine::set::Set;

use crate::space::{Observer, Sink, Space, Variant};

/// Maximum number of codes that are offered as actions.
const MAX_CODES: usize = 1 << 16;

/// The progress of a match.
pub struct Memory {
    /// The seats whose code has been revealed to all.
    revealed: Set<Seat>,
    /// True if codes are still being hidden.
    hiding: bool,
}

impl Space for CrackTheCode {
    const ALL_LEGAL: bool = true;
    type Memory = Memory;

    fn memory(_: &Start<'_, Rules>) -> Memory {
        Memory {
            revealed: Set::EMPTY,
            hiding: true,
        }
    }

    fn remember(memory: &mut Memory, _: &View, event: &Event) {
        match event {
            Event::Hid { .. } => memory.hiding = false,
            Event::Revealed { seat, .. } => memory.revealed.insert(*seat),
            Event::Guessed { .. } | Event::Withdrew { .. } => {}
        }
    }

    fn actions(rules: &Rules, _: usize) -> Result<usize, String> {
        let codes = usize::from(rules.colours).pow(rules.positions.into());
        let complaint =
            || format!("{codes} codes are too many to be actions: the most are {MAX_CODES}");
        (codes <= MAX_CODES).then_some(codes).ok_or_else(complaint)
    }

    fn observe(seen: &Observer<Self>, out: &mut impl Sink) {
        let (view, seats) = (&seen.view, seen.seats);
        let (positions, attempts) = (
            usize::from(seen.rules.positions),
            usize::from(seen.rules.attempts),
        );
        let write = |out: &mut [i16], code: &Code| {
            out.iter_mut()
                .zip(&code.0)
                .for_each(|(out, c)| *out = (*c).into())
        };
        out.one("seat", seats, seen.seat.0 as i16 + 1);
        out.field(
            "codes",
            &[seats, positions],
            seen.rules.colours.into(),
            |out| {
                for (place, out) in out.chunks_exact_mut(positions).enumerate() {
                    let seat = seen.absolute(place);
                    if seen.variant != Variant::Public || seen.memory.revealed.contains(seat) {
                        view.codes[seat].iter().for_each(|code| write(out, code));
                    }
                }
            },
        );
        out.field(
            "guesses",
            &[seats, attempts, positions],
            seen.rules.colours.into(),
            |out| {
                for (place, out) in out.chunks_exact_mut(attempts * positions).enumerate() {
                    let guesses = &view.guesses[seen.absolute(place)];
                    out.chunks_exact_mut(positions)
                        .zip(guesses)
                        .for_each(|(out, guess)| write(out, &guess.code));
                }
            },
        );
        out.field("pins", &[seats, attempts, 2], positions, |out| {
            for (place, out) in out.chunks_exact_mut(attempts * 2).enumerate() {
                for (out, guess) in out
                    .chunks_exact_mut(2)
                    .zip(&view.guesses[seen.absolute(place)])
                {
                    out.copy_from_slice(&[guess.pins.black.into(), guess.pins.white.into()]);
                }
            }
        });
    }

    fn mask(_: &mut Observer<Self>, _: &Prompt, mask: &mut [i8]) {
        mask.fill(1);
    }

    fn action(seen: &Observer<Self>, index: usize) -> Option<Action> {
        let colours = usize::from(seen.rules.colours);
        let mut rest = index;
        let mut code: Code = (0..seen.rules.positions).map(|_| 1).collect();
        for colour in code.0.iter_mut().rev() {
            *colour = (rest % colours) as u8 + 1;
            rest /= colours;
        }
        Some(if seen.memory.hiding {
            Action::Hide { code }
        } else {
            Action::Guess { code }
        })
    }

    fn index(seen: &Observer<Self>, action: &Action) -> Option<usize> {
        let (Action::Hide { code } | Action::Guess { code }) = action;
        let legal = |colour: &u8| (1..=seen.rules.colours).contains(colour);
        let fits = code.0.len() == usize::from(seen.rules.positions) && code.0.iter().all(legal);
        let number =
            |sum, colour: &u8| sum * usize::from(seen.rules.colours) + usize::from(*colour) - 1;
        fits.then(|| code.0.iter().fold(0, number))
    }
}
