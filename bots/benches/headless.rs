//! Random matches of every game and number of seats, one at a time; `cargo bench -p arena-bots`.
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use arena_bots::headless;
use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::games;
use criterion::{Criterion, criterion_group, criterion_main};

fn random_matches(criterion: &mut Criterion) {
    for name in games::NAMES {
        by_name!(name, G => bench::<G>(criterion)).unwrap();
    }
}

fn bench<G: Game>(criterion: &mut Criterion) {
    for seats in G::SEATS {
        let mut seed = 0;
        criterion.bench_function(&format!("{}/{seats}", G::NAME), |bencher| {
            bencher.iter(|| {
                seed += 1;
                headless::matches::<G>(&G::Rules::default(), seats, seed, |_| false).unwrap()
            });
        });
    }
}

criterion_group!(benches, random_matches);
criterion_main!(benches);
