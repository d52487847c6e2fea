//! Benchmark of random matches of every game and number of seats, one at a time; `cargo bench -p arena-bots`.
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use arena_bots::headless;
use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use criterion::{Criterion, criterion_group, criterion_main};

fn random_matches(criterion: &mut Criterion) {
    bench::<Coda>(criterion);
    bench::<Code777>(criterion);
    bench::<CrackTheCode>(criterion);
    bench::<DigitCode>(criterion);
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
