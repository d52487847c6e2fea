//! The rows that can be read of an SQLite file of which nothing can be relied on: page by page, without its trees.
//!
//! A page of rows says itself where they begin and end, and which pages go on with those that are longer. What is read so
//! may be anything: whoever takes it must check its sums.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use rusqlite::types::Value;

/// The size of a page, which is that of SQLite where nobody chooses another.
const PAGE: usize = 4096;
/// The first bytes of a write-ahead log, and of each page in it.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The pages of a database and of the write-ahead log beside it.
pub struct Pages {
    file: File,
    count: u32,
    log: Option<File>,
    /// Where in the log the newest version of a page stands.
    logged: BTreeMap<u32, u64>,
}

impl Pages {
    /// Opens the files, however damaged they are.
    pub fn open(path: &Path, log: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let count = file.metadata()?.len().div_ceil(PAGE as u64).try_into().unwrap_or(u32::MAX);
        let mut log = log.exists().then(|| File::open(log)).transpose()?;
        let logged = log.as_mut().map(logged).transpose()?.unwrap_or_default();
        Ok(Self { file, count, log, logged })
    }

    /// The pages that may hold rows: all but the first, which names the tables.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        let logged: Vec<u32> = self.logged.keys().copied().filter(|number| *number > self.count).collect();
        (2..=self.count).chain(logged)
    }

    /// The columns of each row that begins on a page and of which all parts are there.
    pub fn rows(&mut self, number: u32) -> io::Result<Vec<Vec<Value>>> {
        let page = self.page(number)?;
        let mut rows = Vec::new();
        for payload in payloads(&page) {
            let columns = self.whole(&payload)?.and_then(|bytes| columns(&bytes));
            rows.extend(columns.map(|columns| numbered(columns, payload.number)));
        }
        Ok(rows)
    }

    /// A page; zeros stand for what is cut off.
    fn page(&mut self, number: u32) -> io::Result<Vec<u8>> {
        match (self.logged.get(&number), &mut self.log) {
            (Some(at), Some(log)) => read_at(log, *at, PAGE),
            _ => read_at(&mut self.file, u64::from(number.saturating_sub(1)) * PAGE as u64, PAGE),
        }
    }

    /// A row with what other pages hold of it.
    fn whole(&mut self, payload: &Payload<'_>) -> io::Result<Option<Vec<u8>>> {
        let pages = self.count as usize + self.logged.len();
        let mut bytes = payload.local.to_vec();
        let mut next = payload.next;
        while bytes.len() < payload.length {
            if next == 0 || next as usize > pages || payload.length > pages * PAGE {
                return Ok(None);
            }
            let page = self.page(next)?;
            let part = (payload.length - bytes.len()).min(PAGE - 4);
            bytes.extend_from_slice(&page[4..4 + part]);
            next = big_endian(&page[..4]);
        }
        Ok(Some(bytes))
    }
}

/// The pages of a write-ahead log; what follows the first that is of an earlier log is of no use.
fn logged(log: &mut File) -> io::Result<BTreeMap<u32, u64>> {
    let salt = read_at(log, 16, 8)?;
    let step = FRAME_HEADER + PAGE;
    let frames = (log.metadata()?.len() as usize).saturating_sub(LOG_HEADER) / step;
    let mut logged = BTreeMap::new();
    for at in (0..frames).map(|frame| (LOG_HEADER + frame * step) as u64) {
        let header = read_at(log, at, FRAME_HEADER)?;
        if header[8..16] != salt {
            break;
        }
        logged.insert(big_endian(&header[..4]), at + FRAME_HEADER as u64);
    }
    Ok(logged)
}

/// So many bytes of a file; zeros stand for what is cut off.
fn read_at(file: &mut File, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length);
    file.seek(SeekFrom::Start(at))?;
    file.take(length as u64).read_to_end(&mut bytes)?;
    bytes.resize(length, 0);
    Ok(bytes)
}

/// What a page holds of a row.
struct Payload<'a> {
    /// Its number, in a table whose rows have one.
    number: Option<i64>,
    length: usize,
    local: &'a [u8],
    /// The page that goes on with it.
    next: u32,
}

/// The rows that begin on a page.
fn payloads(page: &[u8]) -> Vec<Payload<'_>> {
    // Where the places of the rows are, what stands before a row, and how much of it fits.
    let (places, before, most) = match page[0] {
        2 => (12, 4, index_most()),
        10 => (8, 0, index_most()),
        13 => (8, 0, PAGE - 35),
        _ => return Vec::new(),
    };
    let count = usize::from(u16::from_be_bytes([page[3], page[4]]));
    let places = page[places..].chunks_exact(2).take(count);
    let starts = places.map(|place| usize::from(u16::from_be_bytes([place[0], place[1]])) + before);
    starts.filter_map(|start| payload(page.get(start..)?, page[0] == 13, most)).collect()
}

/// The most bytes that a page of an index holds of a row.
const fn index_most() -> usize {
    (PAGE - 12) * 64 / 255 - 23
}

fn payload(mut cell: &[u8], numbered: bool, most: usize) -> Option<Payload<'_>> {
    let length = usize::try_from(varint(&mut cell)?).ok()?;
    let number = if numbered { Some(varint(&mut cell)? as i64) } else { None };
    if length <= most {
        return Some(Payload { number, length, local: cell.get(..length)?, next: 0 });
    }
    let least = (PAGE - 12) * 32 / 255 - 23;
    let fitting = least + (length - least) % (PAGE - 4);
    let local = if fitting <= most { fitting } else { least };
    Some(Payload { number, length, local: cell.get(..local)?, next: big_endian(cell.get(local..local + 4)?) })
}

/// The columns of a row, with its number in place of the null that is stored of it.
fn numbered(mut columns: Vec<Value>, number: Option<i64>) -> Vec<Value> {
    if let (Some(first @ Value::Null), Some(number)) = (columns.first_mut(), number) {
        *first = Value::Integer(number);
    }
    columns
}

/// The columns of a row as they are stored.
fn columns(row: &[u8]) -> Option<Vec<Value>> {
    let mut header = row;
    let size = usize::try_from(varint(&mut header)?).ok()?;
    let mut values = row.get(size..)?;
    let mut header = header.get(..size.checked_sub(row.len() - header.len())?)?;
    let mut columns = Vec::new();
    while !header.is_empty() {
        columns.push(column(varint(&mut header)?, &mut values)?);
    }
    Some(columns)
}

fn column(kind: u64, values: &mut &[u8]) -> Option<Value> {
    let length = match kind {
        0 | 8 | 9 => 0,
        1..=4 => kind as usize,
        5 => 6,
        6 => 8,
        12.. => usize::try_from((kind - 12) / 2).ok()?,
        _ => return None,
    };
    let bytes = values.split_off(..length)?;
    Some(match kind {
        0 => Value::Null,
        8 | 9 => Value::Integer(kind as i64 - 8),
        1..=6 => Value::Integer(signed(bytes)),
        _ if kind.is_multiple_of(2) => Value::Blob(bytes.to_vec()),
        _ => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
    })
}

fn signed(bytes: &[u8]) -> i64 {
    let sign = if bytes[0] >= 0x80 { -1 } else { 0 };
    bytes.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte))
}

fn big_endian(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// A number of up to nine bytes, of which all but the last say that another follows.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for _ in 0..8 {
        let byte = *bytes.split_off_first()?;
        number = number << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some(number);
        }
    }
    Some(number << 8 | u64::from(*bytes.split_off_first()?))
}
