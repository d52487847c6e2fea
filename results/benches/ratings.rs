//! The leaderboard of a million matches of 30 bots; `cargo bench -p arena-results --bench ratings`.
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::time::Duration;

use arena_engine::chance::{Chance, Seed};
use arena_statistics::rating::Collector;
use arena_tournament::deals::{Scored, SeatResult};
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::field::Seatings;
use arena_tournament::formats::Choice;
use arena_tournament::formats::balanced::Balanced;
use arena_tournament::spec::{Conditions, Local, Plan, Spec};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::Value;

const BOTS: usize = 30;
const MATCHES: u64 = 1_000_000;

/// Tables on each deal, in all rotations of their seats.
struct Design {
    seats: usize,
    tables: u64,
}

fn leaderboards(criterion: &mut Criterion) {
    let designs = [(2, 435), (3, 10), (4, 1), (4, 15), (4, 250)]
        .map(|(seats, tables)| Design { seats, tables });
    for design in designs {
        let collector = collected(&design);
        let name = format!(
            "{} seats, {} tables on each deal",
            design.seats, design.tables
        );
        let mut group = criterion.benchmark_group("a million matches of 30 bots");
        group
            .sample_size(10)
            .measurement_time(Duration::from_secs(5));
        group.bench_function(name, |bencher| {
            bencher.iter(|| collector.ratings(Some(0)));
        });
    }
}

fn seed() -> Seed {
    Seed::try_from(7).unwrap()
}

fn collected(design: &Design) -> Collector {
    let per_deal = design.tables * design.seats as u64;
    let spec = tournament(design.seats, per_deal);
    let (mut collector, mut deals) = (Collector::new(&spec), spec.gather());
    for deal in 1..=MATCHES / per_deal {
        let mut chance = seed().stream("bench", deal);
        let mut order: Vec<usize> = (0..BOTS).collect();
        for table in 0..design.tables as usize {
            let place = table * design.seats % BOTS;
            if place + design.seats > BOTS || place < design.seats {
                chance.shuffle(&mut order);
            }
            let mut bots: Vec<usize> = order
                .iter()
                .cycle()
                .skip(place)
                .take(design.seats)
                .copied()
                .collect();
            for _ in 0..design.seats {
                bots.rotate_left(1);
                deals
                    .add(played(deal as u32, &bots, &mut chance))
                    .iter()
                    .for_each(|deal| collector.add(deal));
            }
        }
    }
    deals.end().iter().for_each(|deal| collector.add(deal));
    collector
}

/// Returns a match in which bots with a higher index are stronger, with ties.
fn played(deal: u32, bots: &[usize], chance: &mut Chance) -> Scored {
    let points: Vec<i32> = bots
        .iter()
        .map(|bot| chance.below(40) as i32 + *bot as i32 / 2)
        .collect();
    let place = |mine: i32| 1 + points.iter().filter(|points| **points > mine).count() as u8;
    let seat = |points: &i32| SeatResult {
        place: place(*points),
        points: *points,
        fault: None,
        counts: Vec::new(),
    };
    Scored {
        deal,
        bots: bots.to_vec(),
        seats: points.iter().map(seat).collect(),
        transcript: 0,
    }
}

fn tournament(seats: usize, per_deal: u64) -> Spec {
    let tables = (per_deal / seats as u64) as u32;
    let bots = (0..BOTS)
        .map(|bot| Entrant::new(format!("bot {bot}"), Bot::Builtin("random".into())))
        .collect();
    let plan = Plan {
        game: "coda".into(),
        rules_version: 1,
        rules: Value::Null,
        format: match seats {
            2 => Choice::default(),
            _ => Choice::Balanced(Balanced { tables }),
        },
        test: None,
        seats,
        seatings: Seatings::Rotations,
        deals: (MATCHES / per_deal) as u32,
        seed: seed(),
    };
    Spec {
        name: "bench".into(),
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

criterion_group!(benches, leaderboards);
criterion_main!(benches);
