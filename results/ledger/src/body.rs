//! All that is kept of a match beside its row, compressed: record, verdict, notes, evidence, times.
//!
//! The text is JSON, compressed by zstd with a dictionary: bodies of the first matches, kept once. A checksum is part of it.

use std::io;

use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::EncoderDictionary;
use zstd::zstd_safe::CParameter;

use crate::error::LedgerError;
use arena_tournament::played::Played;

/// The level of compression; higher ones gain little on texts as short as these.
const LEVEL: i32 = 3;
/// The size of a dictionary, in bytes.
const DICTIONARY: usize = 32 << 10;
/// The longest text of a match, in bytes; nothing that a bot may send comes near it.
const LONGEST: usize = 1 << 30;

/// Packs the bodies of a ledger.
pub struct Packer {
    dictionary: EncoderDictionary<'static>,
}

impl Packer {
    /// With this dictionary.
    pub fn new(dictionary: &[u8]) -> Self {
        Self { dictionary: EncoderDictionary::copy(dictionary, LEVEL) }
    }

    /// What packs one body after the other.
    pub fn start(&self) -> io::Result<Compressor<'_>> {
        let mut compressor = Compressor::with_prepared_dictionary(&self.dictionary)?;
        compressor.set_parameter(CParameter::ChecksumFlag(true))?;
        Ok(compressor)
    }
}

/// The dictionary for matches like these.
pub fn dictionary(texts: &[Vec<u8>]) -> Vec<u8> {
    let mut dictionary: Vec<u8> = texts.iter().flatten().copied().take(DICTIONARY).collect();
    // What begins like a trained dictionary would be taken for one.
    dictionary.insert(0, b'\n');
    dictionary
}

/// The text of a match.
pub fn text(played: &Played) -> Result<Vec<u8>, LedgerError> {
    serde_json::to_vec(played).map_err(|error| LedgerError::Field { what: "match", error })
}

/// Packs a text: its length, then what zstd makes of it.
pub fn pack(text: &[u8], with: &mut Compressor<'_>) -> io::Result<Vec<u8>> {
    let packed = with.compress(text)?;
    let mut body = (text.len() as u32).to_le_bytes().to_vec();
    body.extend(packed);
    Ok(body)
}

/// Unpacks the bodies of a ledger.
pub struct Unpacker {
    decompressor: Decompressor<'static>,
}

impl Unpacker {
    /// With this dictionary.
    pub fn new(dictionary: &[u8]) -> io::Result<Self> {
        Ok(Self { decompressor: Decompressor::with_dictionary(dictionary)? })
    }

    /// The match in a body; none if it is damaged.
    pub fn read(&mut self, body: &[u8]) -> Option<Played> {
        let (length, packed) = body.split_first_chunk()?;
        let length = u32::from_le_bytes(*length) as usize;
        let text = self.decompressor.decompress(packed, length.min(LONGEST)).ok()?;
        serde_json::from_slice(&text).ok()
    }
}
