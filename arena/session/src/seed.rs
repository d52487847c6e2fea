//! The seed of a tournament that is continued, and the line about one that was drawn.

use arena_tournament::spec::Spec;

/// Takes the seed of the tournament that is continued if none is given, or one with which it began before it started over.
pub fn keep(spec: &mut Spec, before: &Spec) {
    if std::mem::take(&mut spec.local.seed_drawn) || before.earlier_seeds.contains(&spec.plan.seed)
    {
        spec.plan.seed = before.plan.seed;
    }
}

/// The line with the seed that was drawn, if one was.
pub fn drawn(spec: &Spec) -> Option<String> {
    let seed = spec.plan.seed;
    spec.local
        .seed_drawn
        .then(|| format!("seed {seed} (random; --seed repeats it)"))
}
