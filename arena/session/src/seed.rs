//! The status line about a drawn seed.

use arena_tournament::spec::Spec;

/// Returns the line with the seed; `None` if the seed was given.
pub fn drawn(spec: &Spec) -> Option<String> {
    let seed = spec.plan.seed;
    spec.local
        .seed_drawn
        .then(|| format!("seed {seed} (random; --seed repeats it)"))
}
