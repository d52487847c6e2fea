//! A bot that asks the question with the most expected information and, near the end, the question that is best for the race.

use arena_engine::chance::Chance;
use arena_engine::game::Prompt as _;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::games::digit_code::code::Code;
use arena_engine::games::digit_code::question::Question;
use arena_engine::games::digit_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::player::Start;
use arena_engine::seat::{MAX_SEATS, Seat};
use arrayvec::ArrayVec;

use super::knowledge::{Knowledge, kinds, may_declare};
use super::race::{Crowd, Duel, LIVES, MAX_LEFT, Others, Position, Runner};
use crate::bot::MatchBot;
use arena_engine::games::digit_code::candidates::{Candidates, Counts};

/// A bot that tracks exactly which codes fit and, with two seats, which of its own possible codes fit the opponent's knowledge.
pub struct Entropy {
    knowledge: Knowledge,
    hide: fn(&mut Chance) -> Code,
    chance: Chance,
    slack: u64,
}

impl Entropy {
    /// Creates a bot that draws the code to hide by `hide`, and expects others to hide by `expected`. Questions count as equal if their
    /// information differs by less than `slack`, in units of 2^-16 bits. The bot asks any of the equal questions.
    pub(super) fn expecting(
        start: &Start<'_, Rules>,
        chance: Chance,
        hide: fn(&mut Chance) -> Code,
        expected: &'static Candidates,
        slack: u64,
    ) -> Self {
        Self {
            knowledge: Knowledge::expecting(start, expected),
            hide,
            chance,
            slack,
        }
    }
}

impl MatchBot<DigitCode> for Entropy {
    fn new(start: &Start<'_, Rules>) -> Self {
        let all = Candidates::all();
        let chance = start.seed.stream("entropy", 0);
        Self::expecting(
            start,
            chance,
            |chance| Candidates::all().pick(chance),
            all,
            0,
        )
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let Self {
            knowledge,
            hide,
            chance,
            slack,
        } = self;
        knowledge.learn(events);
        if let [Choice::Hide { .. }] = prompt.0.as_slice() {
            return Action::Hide { code: hide(chance) };
        }
        let mut splits = knowledge.known.left.splits(&kinds(prompt));
        if *slack > 0 {
            chance.shuffle(&mut splits);
        }
        match best_question(&splits, knowledge, *slack) {
            Some((question, _)) if !may_declare(prompt) => question.into(),
            None if !may_declare(prompt) => prompt.pick(chance),
            Some((question, value)) if value > Race::new(knowledge).if_declaring() => {
                question.into()
            }
            _ => Action::Declare {
                code: knowledge.known.left.pick(chance),
            },
        }
    }
}

/// Returns the first of the best questions, with its value in the race.
fn best_question(
    splits: &[(Question, Counts)],
    knowledge: &Knowledge,
    slack: u64,
) -> Option<(Question, f64)> {
    let race = Race::new(knowledge);
    let (unit, grain) = (
        knowledge.known.left.heaviest(),
        (slack * u64::from(knowledge.known.left.weight())).max(1),
    );
    let worth = |counts: &Counts| {
        if knowledge.is_last_turn() {
            0.0
        } else if knowledge.known.left.len() > MAX_LEFT {
            1.0
        } else {
            race.if_asking(&counts.map(|count| count.div_ceil(unit)))
        }
    };
    let valued = splits
        .iter()
        .map(|(question, counts)| (*question, worth(counts), spread(counts) / grain));
    let better =
        |next: (f64, u64), best: (f64, u64)| next.0 > best.0 || next.0 == best.0 && next.1 < best.1;
    let best = valued.reduce(|best, next| {
        if better((next.1, next.2), (best.1, best.2)) {
            next
        } else {
            best
        }
    });
    best.map(|(question, worth, _)| (question, worth))
}

/// The position in the race. Seats that play at random are left out.
enum Race {
    Duel { me: Runner, other: Runner },
    Crowd { position: Position, seats: usize },
}

impl Race {
    fn new(knowledge: &Knowledge) -> Self {
        let view = &knowledge.known.view;
        let left = knowledge.known.left.len();
        if knowledge.known.is_duel() {
            let other = Seat(1 - view.seat.0);
            let runner = |seat: Seat, left| Runner {
                left,
                warned: view.wrong[seat] > 0,
                first: seat == view.first,
            };
            let others = if knowledge.idle.contains(other) {
                MAX_LEFT
            } else {
                knowledge.known.own.len()
            };
            return Race::Duel {
                me: runner(view.seat, left),
                other: runner(other, others),
            };
        }
        let seats = view.wrong.len() as u8;
        let rivals = view.solving.without(knowledge.idle);
        let others = (1..seats)
            .map(|step| Seat((view.seat.0 + step) % seats))
            .filter(|seat| rivals.contains(*seat));
        let racing: ArrayVec<Seat, MAX_SEATS> = std::iter::once(view.seat).chain(others).collect();
        let mut lives = [0; MAX_SEATS];
        lives
            .iter_mut()
            .zip(&racing)
            .for_each(|(lives, seat)| *lives = LIVES - view.wrong[*seat]);
        Race::Crowd {
            position: Position { left, lives, me: 0 },
            seats: racing.len(),
        }
    }

    /// Returns the value of a question with these answers.
    fn if_asking(&self, counts: &Counts) -> f64 {
        let parts = counts
            .iter()
            .map(|count| *count as usize)
            .filter(|count| *count > 0);
        match *self {
            Race::Duel { me, other } => Duel::values().if_asking(me, other, parts),
            Race::Crowd { position, seats } => {
                of_both(seats, |crowd| crowd.if_asking(position, parts.clone())[0])
            }
        }
    }

    fn if_declaring(&self) -> f64 {
        match *self {
            Race::Duel { me, other } => Duel::values().if_declaring(me, other),
            Race::Crowd { position, seats } => {
                of_both(seats, |crowd| crowd.if_declaring(position)[0])
            }
        }
    }
}

/// Returns the mean of a value over racing and waiting opponents, which is nearly as good as the value for their actual behaviour.
fn of_both(seats: usize, value: impl Fn(&Crowd) -> f64) -> f64 {
    0.5 * (value(Crowd::values(seats, Others::Race)) + value(Crowd::values(seats, Others::Wait)))
}

/// Returns the expected remaining entropy of the code times the number of codes, in units of 2^-16 bits. A lower value means that the
/// answer holds more information. The value is an integer, so that all machines agree on the best question.
fn spread(counts: &Counts) -> u64 {
    counts
        .iter()
        .map(|count| u64::from(*count) * log2(*count))
        .sum()
}

/// Returns the binary logarithm in units of 2^-16, rounded down; 0 for 0.
pub(super) fn log2(number: u32) -> u64 {
    const BITS: u32 = 16;
    let Some(whole) = number.checked_ilog2() else {
        return 0;
    };
    // The mantissa lies in 1..2; each squaring yields one more bit of its logarithm.
    let mut mantissa = (u64::from(number) << 31) >> whole;
    let mut log = u64::from(whole);
    for _ in 0..BITS {
        mantissa = (mantissa * mantissa) >> 31;
        let bit = mantissa >> 32;
        log = log << 1 | bit;
        mantissa >>= bit;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        for number in [1, 2, 3, 7, 10, 1000, 465_120, u32::MAX] {
            let right = f64::from(number).log2() * 65_536.0;
            assert!(
                (0.0..1.01).contains(&(right - log2(number) as f64)),
                "{number}: {} {right}",
                log2(number)
            );
        }
    }
}
