//! Short names for long texts.

use sha2::{Digest, Sha256};

/// Returns the first 8 bytes of the SHA-256 of a text, in hexadecimal.
pub fn short_hash(text: impl AsRef<[u8]>) -> String {
    Sha256::digest(text)
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
