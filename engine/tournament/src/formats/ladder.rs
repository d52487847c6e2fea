//! Ladder: rounds that go to the pairs of which it is known least who is better. The rule book:
//!
//! 1. A bot can be drawn from the round in which it joined until it is withdrawn. In each round as many pairs as the
//!    format names, or all if there are fewer, play the deals of the round in both seatings. Pairs may play in many
//!    rounds.
//! 2. The *order* of the ladder goes by strength: the Bradley-Terry model (Bradley and Terry 1952, "Rank analysis of
//!    incomplete block designs") fitted to all half-points so far, by Hunter's iteration (Hunter 2004, "MM algorithms
//!    for generalized Bradley-Terry models"), where each bot also has two draws against an imagined bot of strength
//!    1, so that winning all does not make it infinitely strong. Equal strengths stand in the order of their lots.
//! 3. *Newcomers* come first: bots that have met fewer than four others (or than there are). A newcomer is to meet
//!    others all over the ladder: first the one in the middle, then those after the first quarter, the third, and the
//!    first eighth. Pairs come in the order of how many the newcomer has met, then of how far the opponent is from
//!    the place wanted.
//! 4. Then come all pairs in the order of `z² + (d − 1)²`, least first, then those with fewer blocks. Here `z` is the
//!    mean margin of half-points in the pair's blocks in terms of its standard error, and `d` is how many places they
//!    are apart in the ladder: how neighbours compare is not known from others, how distant bots compare is. With `k`
//!    blocks, `S` the sum of the margins and `Q` the sum of their squares, `z² = S² / (Q − S²/k + 8)` (Student 1908,
//!    "The probable error of a mean"), where 8 is the variance of a block of two independent matches between equals,
//!    counted in once since the margins of few blocks say little of their variance. Without blocks, `z` is 0.
//! 5. Pairs that are equal so far come in an order drawn for the round.
//! 6. In that order pairs are taken, but none with a bot that has `⌈2·pairs / bots⌉` in this round already: as many
//!    as some bot needs to have. If that leaves too few pairs, one more is allowed, and the order is gone through
//!    again, until there are enough.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::field::{Field, Meeting, choices};
use crate::format::{
    Format, Options, check_positive, check_rounds, check_stays, is_there, not_fewer, same, spans,
};
use crate::key::{Key, Kind, MANY};

/// The default number of rounds.
const ROUNDS: u32 = 20;

/// The places in the ladder, in eighths, of a newcomer's first opponents.
const PLACES: [usize; 4] = [4, 2, 6, 1];

/// By how much half-points of equals vary from block to block.
const VARIANCE: i128 = 8;

/// Into how many parts a whole is divided when pairs are compared.
const PARTS: i128 = 1 << 16;

/// The number of times that the strengths are gone through.
const ITERATIONS: u32 = 200;

/// Rounds that go to the pairs that are least resolved; two seats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    /// The number of rounds.
    pub rounds: u32,
    /// The number of pairs that play in each.
    pub pairs: u32,
}

impl Format for Ladder {
    const NAME: &'static str = "ladder";
    const ABOUT: &'static str = "each round goes to the pairs that are least resolved";
    const KEYS: &'static [Key] = &[
        Key::new("rounds", Kind::Whole(1..=MANY), "20", "number of rounds").flag("rounds", "N"),
        Key::new(
            "pairs",
            Kind::Whole(1..=MANY),
            "half the bots",
            "pairs per round",
        )
        .flag("pairs-per-round", "N"),
    ];
    const MORE: Option<&'static str> = Some("rounds");
    const NEWCOMERS: bool = true;

    fn fill(options: &mut Options, field: Field<'_>) {
        options.entry("rounds").or_insert(ROUNDS.into());
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

    /// The pairs of a round, the most urgent first.
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

/// Those that are there in a round, by strength after the rounds before, the strongest first.
pub(crate) fn order(field: Field<'_>, round: u32, before: &[Block]) -> Vec<usize> {
    let strengths = strengths(field.bots.len(), &encounters(field, round, before));
    let mut order = field.drawn("ladder");
    order.retain(|bot| is_there(&field.bots[*bot], round));
    order.sort_by(|one, other| strengths[*other].total_cmp(&strengths[*one]));
    order
}

/// The sums of two bots against each other so far.
#[derive(Clone, Copy, Default)]
struct Encounter {
    halves: [u64; 2],
    blocks: i128,
    /// The sum of the margins of half-points.
    margins: i128,
    /// The sum of their squares.
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

/// The strengths of all. Nothing but sums, products and quotients in a fixed order: the same on every machine.
fn strengths(bots: usize, encounters: &Encounters) -> Vec<f64> {
    /// Two draws against the imagined bot, in half-points.
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

/// The order in which pairs come: the lesser, the earlier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    /// One of them is a newcomer that has met `met` others; the other is `off` places from the wanted one.
    Newcomer { met: usize, off: usize },
    /// Rule 4, in 1/[`PARTS`], and the number of blocks.
    Unresolved { need: i128, blocks: i128 },
}

/// All pairs of those that are there, in the order in which they are to be taken.
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

/// The urgency of a pair, given the places of the two in the ladder and how many others each has met.
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

/// The urgency of a bot that has met this many to meet the one that has a certain place among the others, if it is a
/// newcomer.
fn newcomer((_, met): (usize, usize), place: usize, bots: usize) -> Option<Urgency> {
    let wanted = PLACES.get(met)? * (bots - 1) / 8;
    Some(Urgency::Newcomer {
        met,
        off: place.abs_diff(wanted),
    })
}

impl Encounter {
    /// The square of the mean margin in terms of its standard error, in 1/[`PARTS`].
    fn resolution(&self) -> i128 {
        let squared = self.margins * self.margins;
        PARTS * squared * self.blocks / (self.blocks * (self.squares + VARIANCE) - squared)
    }
}

/// The first pairs in which no bot is more often than needed.
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
