//! The laws of the formats, and the fields and results that they are tried with.

mod balanced;
mod extends;
mod knockout;
mod ladder;
mod matching;
mod schedule;
mod statics;
mod swiss;

use std::collections::BTreeSet;

use arena_engine::chance::Seed;
use proptest::prelude::*;

use super::field::{Block, Entrant, Field, Meeting};
use super::schedule::Planned;
use super::{Format, Seatings, plan};

/// A field of so many bots, called a, b, c, …
pub fn field(format: Format, bots: usize, seats: usize, deals: u32, seed: u64) -> Field {
    let entrants = (0..bots).map(|bot| entrant(&name(bot), 1, None)).collect();
    Field { format, seatings: Seatings::Auto, seats, deals, seed: seed_of(seed), entrants }
}

pub fn seed_of(seed: u64) -> Seed {
    Seed::try_from(seed).unwrap()
}

pub fn entrant(name: &str, joined: u32, left: Option<u32>) -> Entrant {
    Entrant { name: name.to_owned(), joined, left }
}

pub fn name(bot: usize) -> String {
    format!("bot-{bot}")
}

pub fn names(field: &Field) -> Vec<&str> {
    field.entrants.iter().map(|entrant| entrant.name.as_str()).collect()
}

pub fn scheduled(field: &Field, meetings: &[Meeting]) -> Vec<Planned> {
    super::schedule::schedule(field, meetings).collect()
}

pub fn ids(field: &Field, meetings: &[Meeting]) -> BTreeSet<String> {
    super::schedule::schedule(field, meetings).map(|planned| planned.id(&names(field))).collect()
}

/// What comes of a block: half-points and points of both bots, by their names.
pub type Result = fn(seed: Seed, deal: u32, bots: [&str; 2]) -> ([u32; 2], [i64; 2]);

/// The bot whose name comes first wins all.
pub fn by_name(_: Seed, _: u32, [one, other]: [&str; 2]) -> ([u32; 2], [i64; 2]) {
    let number = |name: &str| name.rsplit('-').next().and_then(|number| number.parse::<u32>().ok()).unwrap();
    if number(one) < number(other) { ([4, 0], [10, -10]) } else { ([0, 4], [-10, 10]) }
}

/// Anything, the same for the same two on the same deal, whichever is named first.
pub fn at_random(seed: Seed, deal: u32, [one, other]: [&str; 2]) -> ([u32; 2], [i64; 2]) {
    let [first, second] = [one.min(other), one.max(other)];
    let mut chance = seed.child("result", deal.into()).stream(&format!("{first}/{second}"), 0);
    let (halves, points) = (chance.below(5), i64::from(chance.below(7)));
    let result = ([halves, 4 - halves], [points, 3]);
    if first == one { result } else { ([result.0[1], result.0[0]], [result.1[1], result.1[0]]) }
}

/// The blocks of some meetings of two.
pub fn blocks(field: &Field, meetings: &[Meeting], result: Result) -> Vec<Block> {
    let block = |deal: u32, bots: [usize; 2]| {
        let (halves, points) = result(field.seed, deal, bots.map(|bot| field.entrants[bot].name.as_str()));
        Block { deal, bots, halves, points }
    };
    let pair = |meeting: &Meeting| [meeting.bots[0], meeting.bots[1]];
    meetings.iter().flat_map(|meeting| meeting.deals.clone().map(move |deal| block(deal, pair(meeting)))).collect()
}

/// All rounds of a field of two seats, played: the meetings of each, and all blocks.
pub fn play(field: &Field, result: Result) -> (Vec<Vec<Meeting>>, Vec<Block>) {
    let (mut rounds, mut before) = (Vec::new(), Vec::new());
    for round in 1..=plan::rounds(field) {
        let meetings = plan::meetings(field, round, &before);
        before.extend(blocks(field, &meetings, result));
        rounds.push(meetings);
    }
    (rounds, before)
}

/// Whether all matches are known from the start.
pub fn is_static(field: &Field) -> bool {
    matches!(field.format, Format::RoundRobin | Format::Gauntlet { .. } | Format::Balanced { .. })
}

pub fn pair(meeting: &Meeting) -> [usize; 2] {
    [meeting.bots[0], meeting.bots[1]]
}

/// Any field that can be played, of any format.
pub fn fields() -> impl Strategy<Value = Field> {
    let statics = (2..5_usize, 0..5_usize, 1..40_u32, 0..1_000_u64).prop_flat_map(|(seats, more, deals, seed)| {
        let bots = seats + more;
        let tables = super::field::choices(bots, seats).min(12) as u32;
        let challengers = proptest::sample::subsequence((0..bots).collect::<Vec<_>>(), 1..=more + 1);
        let format = prop_oneof![
            Just(Format::RoundRobin),
            challengers.prop_map(|challengers| Format::Gauntlet { challengers }),
            (1..=tables).prop_map(|tables| Format::Balanced { tables }),
        ];
        (format, prop_oneof![Just(Seatings::Auto), Just(Seatings::Rotations)])
            .prop_map(move |(format, seatings)| Field { seatings, ..field(format, bots, seats, deals, seed) })
    });
    prop_oneof![statics, adaptive()]
}

/// Any field that can be played, of a format that draws its rounds from results.
pub fn adaptive() -> impl Strategy<Value = Field> {
    let format = prop_oneof![
        (1..7_u32).prop_map(|rounds| Format::Swiss { rounds }),
        Just(Format::Knockout),
        (1..7_u32, 1..9_u32).prop_map(|(rounds, pairs)| Format::Ladder { rounds, pairs }),
    ];
    (format, 2..14_usize, 1..5_u32, 0..1_000_u64)
        .prop_map(|(format, bots, deals, seed)| field(format, bots, 2, deals, seed))
}
