//! Keys that let their holders in.

/// A key that nobody can guess: 128 bits in hexadecimal digits.
pub fn random_key() -> Result<String, getrandom::Error> {
    let (high, low) = (getrandom::u64()?, getrandom::u64()?);
    Ok(format!("{high:016x}{low:016x}"))
}
