//! Runs the fuzz targets on a fixed set of noise, and on inputs that once broke them.

use arena_engine::chance::{Chance, Seed};
use arena_tests::fuzz::replies::replies;
use arena_tests::fuzz::wire::wire;

/// Runs the target on random bytes of all lengths up to a limit.
fn noise(target: fn(&[u8]), inputs: u64, longest: u32) {
    let seed = Seed::try_from(1).expect("it is small");
    for input in 0..inputs {
        let mut chance = seed.stream("noise", input);
        let length = chance.below(longest);
        target(&bytes(&mut chance, length));
    }
}

fn bytes(chance: &mut Chance, length: u32) -> Vec<u8> {
    (0..length).map(|_| chance.below(256) as u8).collect()
}

#[test]
fn whatever_seats_reply_a_match_goes_on_soundly_to_its_end() {
    noise(replies, 4_000, 400);
}

#[test]
fn whatever_a_bot_says_is_cut_into_lines_and_understood_or_refused() {
    noise(wire, 4_000, 200);
}
