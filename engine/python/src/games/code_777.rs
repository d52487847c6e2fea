//! Code 777 for a learner. The observation holds the visible racks and the answers; the actions are the declarations that the cards allow.

use std::collections::VecDeque;
use std::sync::LazyLock;

use arena_engine::games::code_777::Code777;
use arena_engine::games::code_777::card::{CARDS, Card, KINDS, RACK, Rack};
use arena_engine::games::code_777::question::{Answer, QUESTIONS};
use arena_engine::games::code_777::types::{Action, Claim, Event, Prompt, Rules};
use arena_engine::games::code_777::view::{MAX_DUMMIES, View};
use arena_engine::player::Start;
use arena_engine::seat::Seat;
use arena_engine::set::Member;

use crate::space::{Observer, Sink, Space, Variant, whom};

/// Number of answers and declarations that are remembered.
const HISTORY: usize = 64;

/// Encoding of the first answer that is not a count; greater than all counts.
const FIRST: i16 = 29;
const SECOND: i16 = 30;
const SAME: i16 = 31;

/// An answer or declaration: the seat, the question (0 for a declaration), the answer or correctness, the declared rack, and the true rack.
type Entry = (Seat, [i16; 2 + 2 * RACK]);

/// Length of an entry.
const WIDTH: usize = 3 + 2 * RACK;

/// All declarations that can be right: those by numbers, then those by cards.
static CLAIMS: LazyLock<[Vec<Claim>; 2]> = LazyLock::new(|| {
    let mut numbers: Vec<[u8; RACK]> = Rack::all().map(|rack| rack.numbers()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    [
        numbers.into_iter().map(Claim::Numbers).collect(),
        Rack::all().map(|rack| Claim::Cards(rack.cards())).collect(),
    ]
});

fn claims(rules: &Rules) -> &'static [Claim] {
    &CLAIMS[usize::from(rules.colours)]
}

impl Space for Code777 {
    const ALL_LEGAL: bool = true;
    /// Entries, newest first.
    type Memory = VecDeque<Entry>;

    fn memory(_: &Start<'_, Rules>) -> Self::Memory {
        VecDeque::with_capacity(HISTORY)
    }

    fn remember(memory: &mut Self::Memory, _: &View, event: &Event) {
        let (seat, entry) = match event {
            Event::Answered {
                seat,
                question,
                answer,
            } => (
                seat,
                [question.number().into(), number(*answer), 0, 0, 0, 0, 0, 0],
            ),
            Event::Declared {
                seat,
                said,
                rack,
                right,
            } => {
                let [a, b, c] = match said {
                    Claim::Numbers(numbers) => numbers.map(i16::from),
                    Claim::Cards(cards) => cards.map(card),
                };
                let [x, y, z] = rack.cards().map(card);
                (seat, [0, i16::from(*right), a, b, c, x, y, z])
            }
            _ => return,
        };
        memory.truncate(HISTORY - 1);
        memory.push_front((*seat, entry));
    }

    fn actions(rules: &Rules, _: usize) -> Result<usize, String> {
        Ok(1 + claims(rules).len())
    }

    fn observe(seen: &Observer<Self>, out: &mut impl Sink) {
        let view = &seen.view;
        let rack = |out: &mut [i16], rack: &Rack| out.copy_from_slice(&rack.cards().map(card));
        out.one("seat", seen.seats, seen.seat.0 as i16 + 1);
        out.field("racks", &[seen.seats, RACK], KINDS, |out| {
            for (place, out) in out
                .chunks_exact_mut(RACK)
                .enumerate()
                .filter(|_| seen.variant != Variant::Public)
            {
                view.racks[seen.absolute(place)]
                    .iter()
                    .for_each(|cards| rack(out, cards));
            }
        });
        out.field("dummies", &[MAX_DUMMIES, RACK], KINDS, |out| {
            out.chunks_exact_mut(RACK)
                .zip(&view.dummies)
                .for_each(|(out, cards)| rack(out, cards));
        });
        out.field("last", &[3], SAME as usize, |out| {
            if let Some(last) = view.last {
                let question = last.question.number().into();
                out.copy_from_slice(&[whom(seen, Some(last.seat)), question, number(last.answer)]);
            }
        });
        out.field("asked", &[QUESTIONS.into()], 1, |out| {
            view.asked
                .into_iter()
                .for_each(|question| out[usize::from(question.number()) - 1] = 1);
        });
        out.one(
            "questions",
            seen.rules.questions.into(),
            view.questions as i16,
        );
        out.one("pile", CARDS.into(), i16::from(view.pile));
        out.field("discards", &[CARDS.into()], KINDS, |out| {
            out.iter_mut()
                .zip(&view.discards)
                .for_each(|(out, one)| *out = card(*one));
        });
        out.field(
            "points",
            &[seen.seats],
            seen.rules.questions.into(),
            |out| {
                out.iter_mut()
                    .enumerate()
                    .for_each(|(place, out)| *out = view.points[seen.absolute(place)] as i16);
            },
        );
        if seen.variant >= Variant::Recall {
            out.list(
                "history",
                &[HISTORY, WIDTH],
                SAME as usize,
                seen.memory.len() * WIDTH,
                |out| {
                    for (out, (seat, entry)) in out.chunks_exact_mut(WIDTH).zip(&seen.memory) {
                        out[0] = whom(seen, Some(*seat));
                        out[1..].copy_from_slice(entry);
                    }
                },
            );
        }
    }

    fn mask(_: &mut Observer<Self>, _: &Prompt, mask: &mut [i8]) {
        mask.fill(1);
    }

    fn action(seen: &Observer<Self>, index: usize) -> Option<Action> {
        match index.checked_sub(1) {
            None => Some(Action::Pass {}),
            Some(nth) => claims(&seen.rules)
                .get(nth)
                .map(|claim| Action::Declare(*claim)),
        }
    }

    fn index(seen: &Observer<Self>, action: &Action) -> Option<usize> {
        let Action::Declare(mut claim) = *action else {
            return Some(0);
        };
        match &mut claim {
            Claim::Numbers(numbers) => numbers.sort_unstable(),
            Claim::Cards(cards) => cards.sort_unstable(),
        }
        Some(
            1 + claims(&seen.rules)
                .iter()
                .position(|other| *other == claim)?,
        )
    }
}

fn card(card: Card) -> i16 {
    i16::from(card.index()) + 1
}

/// Encodes an answer as a positive number; a count is encoded as the count plus one.
fn number(answer: Answer) -> i16 {
    match answer {
        Answer::Count(count) => i16::from(count) + 1,
        Answer::First => FIRST,
        Answer::Second => SECOND,
        Answer::Same => SAME,
    }
}
