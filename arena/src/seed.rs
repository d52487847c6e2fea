//! The seed of what names none, and what is said of seeds: whoever knows one can prepare a bot for its deals.

use arena_engine::chance::Seed;
use arena_tournament::entrant::Entrant;
use arena_tournament::spec::Spec;

/// The least seed that nobody has tried out before the first match.
const UNTRIED: u64 = 1 << 40;

/// A seed that nobody can foresee, from the operating system; never 0.
///
/// # Errors
/// If the operating system has no random numbers.
pub fn draw() -> Result<Seed, getrandom::Error> {
    loop {
        let drawn = getrandom::u64()? & Seed::MAX;
        if drawn != 0 {
            return Ok(Seed::try_from(drawn).expect("it was cut to the greatest seed"));
        }
    }
}

/// Lets what names no seed have the one of what it goes on with.
pub fn keep(spec: &mut Spec, before: &Spec) {
    if std::mem::take(&mut spec.local.seed_drawn) {
        spec.plan.seed = before.plan.seed;
    }
}

/// The line that says which seed was drawn, if one was.
pub fn drawn(spec: &Spec) -> Option<String> {
    let seed = spec.plan.seed;
    spec.local
        .seed_drawn
        .then(|| format!("seed {seed}, drawn since none was named: --seed {seed} plays the same again"))
}

/// The warning that a bot may be prepared for this seed, if so.
pub fn warning(spec: &Spec) -> Option<String> {
    let seed = spec.plan.seed;
    let programs = spec.bots.iter().any(Entrant::is_program);
    (programs && u64::from(seed) < UNTRIED).then(|| {
        format!(
            "warning: a bot can be prepared for the deals of a seed as small as {seed}; without a seed one is drawn"
        )
    })
}
