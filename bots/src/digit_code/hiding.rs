//! A bot that plays like `entropy`, but hides codes that are slow to find, and asks questions by a prior that changes from match to match.

use std::sync::{LazyLock, OnceLock};

use arena_engine::chance::{Chance, Seed};
use arena_engine::games::digit_code::DigitCode;
use arena_engine::games::digit_code::candidates::{ANSWERS, Candidates};
use arena_engine::games::digit_code::code::{Code, Line};
use arena_engine::games::digit_code::question::Question;
use arena_engine::games::digit_code::types::{Action, Event, Prompt, Rules};
use arena_engine::player::Start;

use super::entropy::{Entropy, log2};
use crate::bot::MatchBot;

/// Codes that are slow to find, each with its weight. `cargo run --release -p arena-bots --example slow_codes` computes them.
static SLOW_CODES: LazyLock<Vec<(Code, u32)>> = LazyLock::new(|| {
    let entry = |line: &str| {
        let (code, weight) = line.split_once(' ')?;
        Some((code.parse().ok()?, weight.parse().ok()?))
    };
    let entries: Option<Vec<(Code, u32)>> =
        include_str!("slow_codes.txt").lines().map(entry).collect();
    entries.expect("each line is a code and its weight")
});

/// Draws one of the slow codes.
fn slow_code(chance: &mut Chance) -> Code {
    let mut left = chance.below(SLOW_CODES.iter().map(|(_, weight)| weight).sum());
    let drawn = SLOW_CODES.iter().find(|(_, weight)| {
        let is_drawn = left < *weight;
        left = left.saturating_sub(*weight);
        is_drawn
    });
    drawn.expect("the weights add up").0
}

/// Number of priors, one of which is drawn for each match. A code that is slow to find under one prior is rarely slow under all.
pub const PRIORS: usize = 32;

/// The weights that occur in a prior. With few distinct weights, [`Candidates`] stays fast.
const LEVELS: [u32; 3] = [1, 8, 64];

/// Binary logarithm of the ratio of two consecutive levels.
const LEVEL_BITS: i64 = 3;

/// Score at the middle of the lowest level. One code in a thousand scores above the middle of the highest level.
const MIN_SCORE: i64 = 200;

/// Maximum amount by which a prior randomly favours each count of filled places on a line.
const MAX_TILT: u32 = 2;

/// One bit in the units of [`log2`].
const BIT: u32 = 1 << 16;

/// Difference in information, in units of 2^-16 bits, below which questions count as equal.
const SLACK: u64 = 2048;

/// Returns the exponent of the frequency of a line's counts, in halves: the larger it is, the more a prior favours common counts. In
/// fictitious play between hiding and asking, the heaviest codes have common counts in the columns that hold most segments.
fn halves(line: Line) -> i64 {
    match line {
        Line::B | Line::E | Line::H => 4,
        Line::A | Line::D | Line::G => 3,
        Line::K | Line::P => 1,
        _ => 0,
    }
}

/// Returns the prior with this number, below [`PRIORS`].
pub fn prior(number: usize) -> &'static Candidates {
    static DRAWN: [OnceLock<Candidates>; PRIORS] = [const { OnceLock::new() }; PRIORS];
    DRAWN[number].get_or_init(|| {
        let seed = Seed::try_from(number as u64).expect("a small number is a seed");
        let mut chance = seed.stream("prior", 0);
        let mut scores = |line| {
            let counts = Candidates::all().answers(Question::Line(line));
            counts.unwrap_or_default().map(|count| {
                let common = halves(line) * log2(count) as i64 / 2;
                common + i64::from(chance.below(MAX_TILT * BIT))
            })
        };
        let lines = Line::ALL.into_iter().filter(|line| halves(*line) > 0);
        let lines: Vec<(Line, [i64; ANSWERS])> = lines.map(|line| (line, scores(line))).collect();
        Candidates::weighted(|code| {
            let score =
                |(line, scores): &(Line, [i64; ANSWERS])| scores[usize::from(code.filled(*line))];
            let above = lines.iter().map(score).sum::<i64>() / i64::from(BIT) - MIN_SCORE;
            LEVELS[((above + LEVEL_BITS / 2).max(0) / LEVEL_BITS).min(2) as usize]
        })
    })
}

/// A bot that hides codes that are slow to find. With three seats or more, the engine sets a random code, so the bot only asks questions.
pub struct Hiding(Entropy);

impl MatchBot<DigitCode> for Hiding {
    fn new(start: &Start<'_, Rules>) -> Self {
        let mut chance = start.seed.stream("hiding", 0);
        let (expected, slack) = if start.seats == 2 {
            (prior(chance.below(PRIORS as u32) as usize), SLACK)
        } else {
            (Candidates::all(), 0)
        };
        Self(Entropy::expecting(
            start, chance, slow_code, expected, slack,
        ))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        self.0.act(events, prompt)
    }
}
