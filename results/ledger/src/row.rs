//! What came of a match, as a short row: enough for standings, ratings and all statistics, without the record.

use arena_tournament::deals::{Scored, Seated};
use arena_tournament::played::Played;

use crate::error::LedgerError;

/// Where a match stands among the rows: the bots in their seats, as indices. Compared as bytes, keys are in the order of
/// the bots.
pub fn key(bots: &[usize]) -> Vec<u8> {
    bots.iter().flat_map(|bot| (*bot as u16).to_be_bytes()).collect()
}

/// The bots of a key.
pub fn bots(key: &[u8]) -> Vec<usize> {
    key.chunks_exact(2).map(|pair| usize::from(u16::from_be_bytes([pair[0], pair[1]]))).collect()
}

/// What came of a match as bytes.
pub fn pack(played: &Played) -> Vec<u8> {
    let transcript = crc32fast::hash(played.record.as_bytes());
    // Only a type that cannot be written would fail.
    postcard::to_allocvec(&(transcript, Seated::all(&played.verdict))).expect("seats are numbers and lists")
}

/// Reads a row, if its sum is right.
pub fn unpack(deal: u32, key: &[u8], seats: &[u8], body: i64, sum: u32) -> Result<Scored, LedgerError> {
    let damaged = || LedgerError::Damaged(format!("a row of deal {deal}"));
    if sum != self::sum(deal, key, seats, body) {
        return Err(damaged());
    }
    let (transcript, seats) = postcard::from_bytes(seats).map_err(|_| damaged())?;
    Ok(Scored { deal, bots: bots(key), seats, transcript })
}

/// The CRC-32 of a row, which tells whether it was changed by anything but this program.
pub fn sum(deal: u32, key: &[u8], seats: &[u8], body: i64) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&deal.to_le_bytes());
    sum.update(key);
    sum.update(seats);
    sum.update(&body.to_le_bytes());
    sum.finalize()
}
