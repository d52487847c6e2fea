//! The pieces that matches and the description of a tournament are stored in: each can be found and checked wherever it stands in
//! a file, whatever has become of the rest.
//!
//! A piece is a mark, its length, a checksum, and then to which entry it belongs, followed by a part of the entry. It is shorter than a
//! page of the file, since SQLite puts what is longer into a chain of pages.

use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use crate::error::LedgerError;

/// The beginning of each piece; no text in UTF-8 holds these bytes.
const MARK: [u8; 4] = [0xc0, 0xda, 0xf5, 0xff];
/// The most bytes of an entry in one piece, so that some pieces fit on a page.
const LONGEST: usize = 960;

/// To which entry a piece belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Head {
    /// The number of the entry, which is that of its first row.
    pub number: i64,
    /// The CRC-32 of the whole entry.
    pub sum: u32,
    /// Which part of it this is, counted from 0.
    pub part: u32,
    /// The number of its parts.
    pub parts: u32,
}

/// The pieces of an entry.
pub fn split(number: i64, entry: &[u8]) -> Vec<Vec<u8>> {
    let (sum, parts) = (crc32fast::hash(entry), entry.len().div_ceil(LONGEST) as u32);
    let piece = |(part, content)| {
        piece(
            &Head {
                number,
                sum,
                part,
                parts,
            },
            content,
        )
    };
    (0..).zip(entry.chunks(LONGEST)).map(piece).collect()
}

fn piece(head: &Head, content: &[u8]) -> Vec<u8> {
    let mut body = postcard::to_allocvec(head).expect("a head is four numbers");
    body.extend(content);
    [
        &MARK,
        &(body.len() as u16).to_le_bytes()[..],
        &crc32fast::hash(&body).to_le_bytes(),
        &body,
    ]
    .concat()
}

/// The piece with which these bytes begin, if it is whole.
pub fn read(bytes: &[u8]) -> Option<(Head, &[u8])> {
    let (length, bytes) = bytes.strip_prefix(&MARK)?.split_first_chunk()?;
    let (sum, bytes) = bytes.split_first_chunk()?;
    let body = bytes.get(..u16::from_le_bytes(*length).into())?;
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return None;
    }
    postcard::take_from_bytes(body).ok()
}

/// All whole pieces in these bytes, wherever they begin.
pub fn find(bytes: &[u8]) -> impl Iterator<Item = (Head, &[u8])> {
    let marks = bytes
        .windows(MARK.len())
        .enumerate()
        .filter(|(_, window)| *window == MARK);
    marks.filter_map(|(at, _)| read(&bytes[at..]))
}

/// Puts the parts of an entry together again as they come in order.
#[derive(Default)]
pub struct Entry {
    sum: u32,
    parts: u32,
    taken: u32,
    content: Vec<u8>,
}

impl Entry {
    /// Takes in the next part. Returns false if it is another one.
    pub fn take(&mut self, head: &Head, content: &[u8]) -> bool {
        if self.taken == 0 {
            (self.sum, self.parts) = (head.sum, head.parts);
        }
        let is_next = head.part == self.taken && (head.sum, head.parts) == (self.sum, self.parts);
        if is_next {
            self.taken += 1;
            self.content.extend(content);
        }
        is_next
    }

    /// True if no part is missing.
    pub fn is_whole(&self) -> bool {
        self.taken > 0 && self.taken == self.parts
    }

    /// The whole entry; none if it is not what was stored.
    pub fn content(self) -> Option<Vec<u8>> {
        (self.is_whole() && crc32fast::hash(&self.content) == self.sum).then_some(self.content)
    }
}

/// To which entry a row of the records belongs; none if it is missing or damaged.
pub(crate) fn head(connection: &Connection, row: i64) -> Result<Option<Head>, LedgerError> {
    let mut query = connection.prepare_cached("SELECT piece FROM records WHERE number = ?1")?;
    let piece: Option<Vec<u8>> = query.query_row([row], |row| row.get(0)).optional()?;
    Ok(piece.and_then(|piece| Some(read(&piece)?.0)))
}

/// The entry of this number in a table of pieces; none if it is not whole.
pub(crate) fn entry(
    connection: &Connection,
    table: &str,
    number: i64,
) -> Result<Option<Vec<u8>>, LedgerError> {
    let query = format!("SELECT piece FROM {table} WHERE number >= ?1 ORDER BY number");
    let mut query = connection.prepare_cached(&query)?;
    let (mut rows, mut entry) = (query.query([number])?, Entry::default());
    while let Some(row) = rows.next()? {
        let piece = read(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?);
        let is_next = piece
            .is_some_and(|(head, content)| head.number == number && entry.take(&head, content));
        if !is_next || entry.is_whole() {
            break;
        }
    }
    Ok(entry.content())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_anywhere_and_make_up_the_entry() {
        let entry: Vec<u8> = (0..3_000_u32).map(|at| (at * at / 7) as u8).collect();
        let pieces = split(5, &entry);
        assert_eq!(
            (pieces.len(), pieces.iter().all(|piece| piece.len() < 1_000)),
            (4, true)
        );
        let bytes = pieces.join(&b"between"[..]);
        let mut joined = Entry::default();
        assert!(
            find(&bytes).all(|(head, content)| head.number == 5 && joined.take(&head, content))
        );
        assert_eq!(joined.content(), Some(entry));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            let found = find(&changed).count();
            assert!(
                found == 3
                    || found == 4
                        && !pieces
                            .iter()
                            .any(|piece| changed.starts_with(piece) && at < piece.len())
            );
        }
    }
}
