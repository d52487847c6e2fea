//! Ladder: each round plays the pairs whose relative strength is least certain. The rules:
//!
//! 1. A bot can be drawn from the round in which it joined until it is withdrawn. In each round, `pairs` pairs (or all, if there are fewer)
//!    play the deals of the round in both seatings. Pairs may play in several rounds.
//! 2. The ladder is *ordered* by strength: the Bradley-Terry model (Bradley and Terry 1952, "Rank analysis of incomplete block designs")
//!    fitted to all half-points so far, by Hunter's iteration (Hunter 2004, "MM algorithms for generalized Bradley-Terry models"). Each bot
//!    also has two draws against an imaginary bot of strength 1, so that winning everything does not make it infinitely strong. Equal
//!    strengths are ordered by lot.
//! 3. *Newcomers* come first: bots that have met fewer than four others (or all, if there are fewer). A newcomer meets bots from all over
//!    the ladder. Its target places are, in this order: the middle, the end of the first quarter, the end of the third quarter, and the end
//!    of the first eighth. Pairs are ordered by the number of bots that the newcomer has met, then by the opponent's distance from the
//!    target place.
//! 4. Then come all pairs in ascending order of `z² + (d − 1)²`, then of the number of blocks. Here `z` is the mean margin of half-points
//!    in the pair's blocks divided by its standard error, and `d` is the distance of the two in the ladder: distant bots are compared
//!    through the bots between them, neighbours are not. With `k` blocks, `S` the sum of the margins and `Q` the sum of their squares, `z²
//!    = S² / (Q − S²/k + 8)` (Student 1908, "The probable error of a mean"). The 8 is the variance of a block of two independent matches
//!    between equals. It is added once, because the margins of few blocks say little about their variance. Without blocks, `z` is 0.
//! 5. Remaining ties are broken in an order drawn for the round.
//! 6. Pairs are taken in that order, skipping bots that already have `⌈2·pairs / bots⌉` pairs in this round, the minimum that some bot
//!    needs. If that leaves too few pairs, the limit is raised by one and the list is gone through again, until there are enough pairs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::field::{Field, Meeting, choices};
use crate::format::{
    Format, Options, check_positive, check_rounds, check_stays, is_present, not_fewer, same, spans,
};
use crate::key::{Key, Kind, MAX_COUNT};

/// Default number of rounds.
const DEFAULT_ROUNDS: u32 = 20;

/// A newcomer's target places in the ladder, in eighths of its length, in order.
const NEWCOMER_PLACES: [usize; 4] = [4, 2, 6, 1];

/// Variance of the half-point margin of a block between equals.
const BLOCK_VARIANCE: i128 = 8;

/// Denominator of the fixed-point numbers by which pairs are compared.
const PARTS: i128 = 1 << 16;

/// Number of iterations of the strength fit.
const ITERATIONS: u32 = 200;

/// The ladder format, for two seats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    /// Number of rounds.
    pub rounds: u32,
    /// Number of pairs that play in each round.
    pub pairs: u32,
}

impl Format for Ladder {
    const NAME: &'static str = "ladder";
    const ABOUT: &'static str = "each round goes to the pairs that are least resolved";
    const KEYS: &'static [Key] = &[
        Key::new(
            "rounds",
            Kind::Whole(1..=MAX_COUNT),
            "20",
            "number of rounds",
        )
        .flag("rounds", "N"),
        Key::new(
            "pairs",
            Kind::Whole(1..=MAX_COUNT),
            "half the bots",
            "pairs per round",
        )
        .flag("pairs-per-round", "N"),
    ];
    const MORE: Option<&'static str> = Some("rounds");
    const NEWCOMERS: bool = true;

    fn fill(options: &mut Options, field: Field<'_>) {
        options.entry("rounds").or_insert(DEFAULT_ROUNDS.into());
        options
            .entry("pairs")
            .or_insert((field.bots.len() / 2).max(1).into());
    }

    fn check(&self, field: Field<'_>) -> Vec<Complaint> {
        let bots = field.bots.len();
        let rounds = self.rounds;
        let pairs = self.pairs;
        let mut wrong = check_rounds(self, field);
        wrong.extend(check_positive("rounds", rounds));
        wrong.extend(check_positive("pairs", pairs));
        let most = choices(bots, 2);
        if u64::from(pairs) > most && bots >= 2 {
            let what = format!("{bots} bots make only {most} pairs, not {pairs}");
            wrong.push(Complaint::new(
                "pairs",
                what,
                format!("write at most {most}"),
            ));
        }
        wrong.extend(check_stays(Self::NAME, rounds, field));
        wrong
    }

    fn rounds(&self, _field: Field<'_>) -> u32 {
        self.rounds
    }

    /// Returns the pairs of a round, most urgent first.
    fn meetings(&self, field: Field<'_>, round: u32, before: &[Block]) -> Vec<Meeting> {
        let order = order(field, round, before);
        let ranked = ranked(field, &order, round, &encounters(field, round, before));
        let chosen = choose(&ranked, order.len(), self.pairs as usize);
        chosen
            .into_iter()
            .map(|pair| Meeting {
                bots: pair.to_vec(),
                deals: field.deals_of(round),
            })
            .collect()
    }

    fn choices(&self, field: Field<'_>) -> u64 {
        choices(field.bots.len(), 2)
    }

    fn in_rounds(&self, field: Field<'_>) -> Vec<(u32, u64)> {
        spans(field, self.rounds, |bots| {
            choices(bots, 2).min(self.pairs.into())
        })
    }

    fn extends(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint> {
        same(
            "pairs",
            "the number of pairs a round",
            was.pairs,
            self.pairs,
        )?;
        same("deals", "the number of deals a round", old.deals, new.deals)?;
        not_fewer("rounds", was.rounds, self.rounds)
    }
}

/// Returns the bots present in a round, by strength after the earlier rounds, strongest first.
pub(crate) fn order(field: Field<'_>, round: u32, before: &[Block]) -> Vec<usize> {
    let strengths = strengths(field.bots.len(), &encounters(field, round, before));
    let mut order = field.drawn("ladder");
    order.retain(|bot| is_present(&field.bots[*bot], round));
    order.sort_by(|one, other| strengths[*other].total_cmp(&strengths[*one]));
    order
}

/// Sums over all blocks that two bots have played.
#[derive(Clone, Copy, Default)]
struct Encounter {
    halves: [u64; 2],
    blocks: i128,
    /// Sum of the half-point margins.
    margins: i128,
    /// Sum of the squared margins.
    squares: i128,
}

type Encounters = BTreeMap<[usize; 2], Encounter>;

fn encounters(field: Field<'_>, round: u32, before: &[Block]) -> Encounters {
    let mut encounters = Encounters::new();
    for block in field.earlier(round, before) {
        let (encounter, halves) = (encounters.entry(block.pair()).or_default(), &block.halves);
        let margin = i128::from(halves[0]) - i128::from(halves[1]);
        encounter.halves[0] += u64::from(halves[0]);
        encounter.halves[1] += u64::from(halves[1]);
        encounter.blocks += 1;
        encounter.margins += margin;
        encounter.squares += margin * margin;
    }
    encounters
}

/// Fits the strengths of all bots. Only sums, products and quotients are used, in a fixed order, so that every machine gets the same
/// result.
fn strengths(bots: usize, encounters: &Encounters) -> Vec<f64> {
    /// Half-points of two draws against the imaginary bot.
    const DRAWN: f64 = 2.0;
    let mut against: Vec<Vec<(usize, f64)>> = vec![Vec::new(); bots];
    let mut won = vec![DRAWN; bots];
    for ([one, other], Encounter { halves, .. }) in encounters {
        let shared = (halves[0] + halves[1]) as f64;
        against[*one].push((*other, shared));
        against[*other].push((*one, shared));
        won[*one] += halves[0] as f64;
        won[*other] += halves[1] as f64;
    }
    let mut strengths = vec![1.0; bots];
    for _ in 0..ITERATIONS {
        for bot in 0..bots {
            let own = strengths[bot];
            let imagined = 2.0 * DRAWN / (own + 1.0);
            let expected: f64 = against[bot]
                .iter()
                .map(|(other, shared)| shared / (own + strengths[*other]))
                .sum();
            strengths[bot] = won[bot] / (imagined + expected);
        }
    }
    strengths
}

/// Sort key of pairs: the most urgent pair is the smallest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    /// One bot is a newcomer that has met `met` other bots. Its opponent is `off` places from the target place.
    Newcomer { met: usize, off: usize },
    /// The value of rule 4 in units of 1/[`PARTS`], then the number of blocks.
    Unresolved { need: i128, blocks: i128 },
}

/// Returns all pairs of present bots, most urgent first.
fn ranked(
    field: Field<'_>,
    order: &[usize],
    round: u32,
    encounters: &Encounters,
) -> Vec<[usize; 2]> {
    let mut met = vec![0; field.bots.len()];
    encounters.keys().flatten().for_each(|bot| met[*bot] += 1);
    let draw = field.seed.child("ladder", round.into());
    let mut ranked = Vec::with_capacity(choices(order.len(), 2) as usize);
    for (upper, one) in order.iter().enumerate() {
        for (lower, other) in order.iter().enumerate().skip(upper + 1) {
            let pair = [*one.min(other), *one.max(other)];
            let places = [(upper, met[*one]), (lower, met[*other])];
            let urgency = urgency(encounters.get(&pair), places, order.len());
            let [first, second] = pair.map(|bot| field.bots[bot].name.as_str());
            let [first, second] = [first.min(second), first.max(second)];
            let lot = u64::from(draw.child(&format!("{first}/{second}"), 0));
            ranked.push((urgency, lot, pair));
        }
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, pair)| pair).collect()
}

/// Returns the urgency of a pair. Each bot is given as its place in the ladder and the number of bots that it has met.
fn urgency(encounter: Option<&Encounter>, places: [(usize, usize); 2], bots: usize) -> Urgency {
    let [upper, lower] = places;
    let apart = (lower.0 - upper.0 - 1) as i128;
    let needs = |squared: i128, blocks| Urgency::Unresolved {
        need: squared + apart * apart * PARTS,
        blocks,
    };
    match encounter {
        Some(known) => needs(known.resolution(), known.blocks),
        None => {
            let first = newcomer(upper, lower.0 - 1, bots);
            let second = newcomer(lower, upper.0, bots);
            first.into_iter().chain(second).min().unwrap_or(needs(0, 0))
        }
    }
}

/// Returns the urgency of a pairing for a newcomer; `None` if the bot is not a newcomer. `met` is the number of bots that it has met, and
/// `place` is the opponent's place among the other bots.
fn newcomer((_, met): (usize, usize), place: usize, bots: usize) -> Option<Urgency> {
    let wanted = NEWCOMER_PLACES.get(met)? * (bots - 1) / 8;
    Some(Urgency::Newcomer {
        met,
        off: place.abs_diff(wanted),
    })
}

impl Encounter {
    /// Returns the squared ratio of the mean margin to its standard error, in units of 1/[`PARTS`].
    fn resolution(&self) -> i128 {
        let squared = self.margins * self.margins;
        PARTS * squared * self.blocks / (self.blocks * (self.squares + BLOCK_VARIANCE) - squared)
    }
}

/// Returns the first pairs of the list by rule 6, so that no bot plays more often than needed.
fn choose(ranked: &[[usize; 2]], bots: usize, pairs: usize) -> Vec<[usize; 2]> {
    let pairs = pairs.min(ranked.len());
    let mut taken = vec![false; ranked.len()];
    let mut plays = BTreeMap::<usize, usize>::new();
    let mut chosen = Vec::with_capacity(pairs);
    let mut most = (2 * pairs).div_ceil(bots.max(1));
    while chosen.len() < pairs {
        for (pair, taken) in ranked.iter().zip(&mut taken) {
            let is_free = pair
                .iter()
                .all(|bot| plays.get(bot).copied().unwrap_or(0) < most);
            if chosen.len() < pairs && !*taken && is_free {
                *taken = true;
                chosen.push(*pair);
                pair.iter()
                    .for_each(|bot| *plays.entry(*bot).or_default() += 1);
            }
        }
        most += 1;
    }
    chosen
}
