//! Drawing a seed where none is given.

use arena_engine::chance::Seed;
use arena_tournament::spec::Spec;

/// An unpredictable seed from the operating system; never 0.
///
/// # Errors
/// If the operating system has no random numbers.
pub fn draw() -> Result<Seed, getrandom::Error> {
    let drawn = getrandom::u64()? % Seed::MAX + 1;
    Ok(Seed::try_from(drawn).expect("it was cut to the greatest seed"))
}

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
    spec.local.seed_drawn.then(|| {
        format!(
            "seed {seed}, drawn at random since none was given: --seed {seed} plays the same again"
        )
    })
}
