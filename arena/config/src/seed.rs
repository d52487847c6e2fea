//! Random numbers from the operating system: seeds and secret keys.

use arena_engine::chance::Seed;

use crate::diagnostic::UsageError;

/// Returns an unpredictable seed from the operating system; never 0.
///
/// # Errors
/// If the operating system has no random numbers.
pub fn draw() -> Result<Seed, UsageError> {
    let drawn = getrandom::u64().map_err(|why| {
        UsageError::one(format!(
            "cannot draw a random seed ({why}): give one with --seed"
        ))
    })?;
    let drawn = drawn % Seed::MAX + 1;
    Ok(Seed::try_from(drawn).expect("it was cut to the greatest seed"))
}

/// Returns an unpredictable key: 128 bits in hexadecimal digits.
///
/// # Errors
/// If the operating system has no random numbers.
pub fn key() -> Result<String, getrandom::Error> {
    let [high, low] = [getrandom::u64()?, getrandom::u64()?];
    Ok(format!("{high:016x}{low:016x}"))
}
