//! Seed of a continued tournament, and the status line about a drawn one.

use arena_tournament::spec::Spec;

/// Takes the seed of the continued tournament if none is given, or if the given one is from before it started over.
pub fn keep(spec: &mut Spec, before: &Spec) {
    if std::mem::take(&mut spec.local.seed_drawn) || before.earlier_seeds.contains(&spec.plan.seed)
    {
        spec.plan.seed = before.plan.seed;
    }
}

/// Returns the line with the seed, if it was drawn.
pub fn drawn(spec: &Spec) -> Option<String> {
    let seed = spec.plan.seed;
    spec.local
        .seed_drawn
        .then(|| format!("seed {seed} (random; --seed repeats it)"))
}
