//! Laws of the formats, and the tournaments and results that they are tested on.

mod anchor;
mod balanced_laws;
mod change_laws;
mod extends;
mod goldens;
mod keys;
mod knockout_laws;
mod ladder_laws;
mod placings;
mod schedule_laws;
mod statics;
mod swiss_laws;
mod unit_laws;

use std::collections::BTreeSet;

use arena_engine::chance::Seed;
use proptest::prelude::*;
use serde_json::Value;

use crate::deals::Block;
use crate::entrant::{Bot, Entrant};
use crate::field::{Meeting, Seatings, choices};
use crate::formats::balanced::Balanced;
use crate::formats::gauntlet::Gauntlet;
use crate::formats::knockout::Knockout;
use crate::formats::ladder::Ladder;
use crate::formats::round_robin::RoundRobin;
use crate::formats::swiss::Swiss;
use crate::formats::{Choice, NAMES};
use crate::schedule::{Planned, schedule as in_order};
use crate::spec::{Conditions, Local, Plan, Spec};

/// Returns a tournament of `bots` bots named bot-0, bot-1, …
pub fn field(format: Choice, bots: usize, seats: usize, deals: u32, seed: u64) -> Spec {
    let bots = (0..bots).map(|bot| entrant(&name(bot), 1, None)).collect();
    let game = "coda".to_owned();
    let rules = Value::Null;
    let seatings = Seatings::Auto;
    let seed = seed_of(seed);
    let plan = Plan {
        game,
        rules_version: 1,
        rules,
        format,
        test: None,
        seats,
        seatings,
        deals,
        seed,
    };
    Spec {
        name: "cup".to_owned(),
        anchor: None,
        plan,
        conditions: Conditions::default(),
        local: Local::default(),
        tune: Vec::new(),
        bots,
        left_out: Vec::new(),
        pseudonyms: false,
        earlier_sizes: Vec::new(),
        earlier_seeds: Vec::new(),
        closed: false,
    }
}

pub fn round_robin() -> Choice {
    Choice::RoundRobin(RoundRobin {})
}

pub fn gauntlet(challengers: &[usize]) -> Choice {
    Choice::Gauntlet(Gauntlet {
        challengers: challengers.iter().map(|bot| name(*bot)).collect(),
    })
}

pub fn balanced(tables: u32) -> Choice {
    Choice::Balanced(Balanced { tables })
}

pub fn swiss(rounds: u32) -> Choice {
    Choice::Swiss(Swiss { rounds })
}

pub fn knockout() -> Choice {
    Choice::Knockout(Knockout::default())
}

pub fn ladder(rounds: u32, pairs: u32) -> Choice {
    Choice::Ladder(Ladder { rounds, pairs })
}

pub fn seed_of(seed: u64) -> Seed {
    Seed::try_from(seed).unwrap()
}

pub fn entrant(name: &str, joined: u32, left: Option<u32>) -> Entrant {
    Entrant {
        joined,
        withdrawn: left,
        ..Entrant::new(name, Bot::Builtin("random".to_owned()))
    }
}

pub fn name(bot: usize) -> String {
    format!("bot-{bot}")
}

/// Returns the complaints about a tournament, as text.
pub fn wrong(field: &Spec) -> Vec<String> {
    field.check().iter().map(ToString::to_string).collect()
}

/// Returns a finished block of two bots.
pub fn block(deal: u32, bots: [usize; 2], halves: [u32; 2], points: [i64; 2]) -> Block {
    let bots = bots.to_vec();
    let halves = halves.to_vec();
    let points = points.to_vec();
    Block {
        deal,
        bots,
        matches: 2,
        halves,
        points,
        finished: true,
    }
}

pub fn scheduled(field: &Spec, meetings: &[Meeting]) -> Vec<Planned> {
    in_order(field.field(), meetings).collect()
}

pub fn ids(field: &Spec, meetings: &[Meeting]) -> BTreeSet<String> {
    in_order(field.field(), meetings)
        .map(|planned| planned.id(&field.names()))
        .collect()
}

/// A function that makes up the result of a block: half-points and points of two bots, given their names.
pub type Result = fn(seed: Seed, deal: u32, bots: [&str; 2]) -> ([u32; 2], [i64; 2]);

/// Returns a result in which the bot whose name comes first wins everything.
pub fn by_name(_: Seed, _: u32, [one, other]: [&str; 2]) -> ([u32; 2], [i64; 2]) {
    let number = |name: &str| {
        name.rsplit('-')
            .next()
            .and_then(|number| number.parse::<u32>().ok())
            .unwrap()
    };
    if number(one) < number(other) {
        ([4, 0], [10, -10])
    } else {
        ([0, 4], [-10, 10])
    }
}

/// Returns a random result, which is the same for the same two bots on the same deal, in either order.
pub fn at_random(seed: Seed, deal: u32, [one, other]: [&str; 2]) -> ([u32; 2], [i64; 2]) {
    let [first, second] = [one.min(other), one.max(other)];
    let mut chance = seed
        .child("result", deal.into())
        .stream(&format!("{first}/{second}"), 0);
    let (halves, points) = (chance.below(5), i64::from(chance.below(7)));
    let result = ([halves, 4 - halves], [points, 3]);
    if first == one {
        result
    } else {
        ([result.0[1], result.0[0]], [result.1[1], result.1[0]])
    }
}

/// Returns the blocks of some meetings of two bots.
pub fn blocks(field: &Spec, meetings: &[Meeting], result: Result) -> Vec<Block> {
    let played = |deal: u32, bots: [usize; 2]| {
        let (halves, points) = result(
            field.plan.seed,
            deal,
            bots.map(|bot| field.bots[bot].name.as_str()),
        );
        block(deal, bots, halves, points)
    };
    let pair = |meeting: &Meeting| [meeting.bots[0], meeting.bots[1]];
    meetings
        .iter()
        .flat_map(|meeting| {
            meeting
                .deals
                .clone()
                .map(move |deal| played(deal, pair(meeting)))
        })
        .collect()
}

/// Plays all rounds of a two-seat tournament, and returns the meetings of each round and all blocks.
pub fn play(field: &Spec, result: Result) -> (Vec<Vec<Meeting>>, Vec<Block>) {
    let (mut rounds, mut before) = (Vec::new(), Vec::new());
    for round in 1..=field.rounds() {
        let meetings = field.meetings(round, &before);
        before.extend(blocks(field, &meetings, result));
        rounds.push(meetings);
    }
    (rounds, before)
}

/// Returns `true` if all matches are known from the start.
pub fn is_static(field: &Spec) -> bool {
    matches!(
        field.plan.format,
        Choice::RoundRobin(_) | Choice::Gauntlet(_) | Choice::Balanced(_)
    )
}

pub fn pair(meeting: &Meeting) -> [usize; 2] {
    [meeting.bots[0], meeting.bots[1]]
}

/// Returns the tournament with a different seating rule.
pub fn seated(mut field: Spec, seatings: Seatings) -> Spec {
    field.plan.seatings = seatings;
    field
}

/// Generates any playable tournament of any format.
pub fn fields() -> impl Strategy<Value = Spec> {
    let statics = (2..5_usize, 0..5_usize, 1..40_u32, 0..1_000_u64).prop_flat_map(
        |(seats, more, deals, seed)| {
            let bots = seats + more;
            let tables = choices(bots, seats).min(12) as u32;
            let challengers =
                proptest::sample::subsequence((0..bots).collect::<Vec<_>>(), 1..=more + 1);
            let format = prop_oneof![
                Just(round_robin()),
                challengers.prop_map(|challengers| gauntlet(&challengers)),
                (1..=tables).prop_map(move |tables| match seats {
                    2 => round_robin(),
                    _ => balanced(tables),
                }),
            ];
            (
                format,
                prop_oneof![Just(Seatings::Auto), Just(Seatings::Rotations)],
            )
                .prop_map(move |(format, seatings)| {
                    seated(field(format, bots, seats, deals, seed), seatings)
                })
        },
    );
    prop_oneof![statics, adaptive()]
}

/// Generates any playable tournament of a format that draws its rounds from results.
pub fn adaptive() -> impl Strategy<Value = Spec> {
    let format = prop_oneof![
        (1..7_u32).prop_map(swiss),
        Just(knockout()),
        (1..7_u32, 1..9_u32).prop_map(|(rounds, pairs)| ladder(rounds, pairs)),
    ];
    (format, 2..14_usize, 1..5_u32, 0..1_000_u64).prop_map(|(mut format, bots, deals, seed)| {
        if let Choice::Ladder(ladder) = &mut format {
            ladder.pairs = ladder.pairs.min(choices(bots, 2) as u32);
        }
        field(format, bots, 2, deals, seed)
    })
}

#[test]
fn every_format_has_its_name_and_is_stored_under_it() {
    let all = [
        round_robin(),
        gauntlet(&[0]),
        balanced(1),
        swiss(1),
        knockout(),
        ladder(2, 1),
    ];
    assert_eq!(all.each_ref().map(Choice::name).as_slice(), NAMES);
    for choice in all {
        let stored = serde_json::to_value(&choice).unwrap();
        assert_eq!(
            stored,
            serde_json::json!({ choice.name(): choice.options() })
        );
        assert_eq!(serde_json::from_value::<Choice>(stored).unwrap(), choice);
    }
}
