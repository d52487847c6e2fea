//! Reads the matches and results of a ledger: one, some, or all in order of deals and bots.

use arena_tournament::deals::{Deal, Scored};
use arena_tournament::played::Played;
use rusqlite::{OptionalExtension, params};

use crate::error::LedgerError;
use crate::ledger::Ledger;
use crate::record::{self, Reader};

/// Number of matches read and processed together.
pub(crate) const CHUNK: usize = 1_024;
/// Number of unreadable records after which a scan is given up.
const MAX_DAMAGED: usize = 10_000;

/// Query for all rows of scores, in order.
pub(crate) const SCORES: &str =
    "SELECT deal, bots, seats, record, sum FROM scores ORDER BY deal, bots";

impl Ledger {
    /// Returns the number of finished matches.
    pub fn count(&self) -> Result<u64, LedgerError> {
        Ok(self
            .connection
            .query_row("SELECT count(*) FROM scores", [], |row| row.get(0))?)
    }

    /// Returns `true` if the match of these bots, in seat order, on this deal is finished.
    pub fn has(&self, deal: u32, bots: &[usize]) -> Result<bool, LedgerError> {
        let mut query = self
            .connection
            .prepare_cached("SELECT 1 FROM scores WHERE deal = ?1 AND bots = ?2")?;
        Ok(query.exists(params![deal, record::key(bots)])?)
    }

    /// Returns `true` if the ledger has a match with the same deal, bots and seats.
    pub fn holds(&self, played: &Played) -> Result<bool, LedgerError> {
        self.has(played.deal, &self.indices(&played.bots)?)
    }

    /// Returns the finished match with this id, if any.
    pub fn find(&self, id: &str) -> Result<Option<Played>, LedgerError> {
        let Some((deal, bots)) = id.strip_prefix('d').and_then(|id| id.split_once('/')) else {
            return Ok(None);
        };
        let bots: Vec<String> = bots.split('/').map(str::to_owned).collect();
        match (deal.parse(), self.indices(&bots)) {
            (Ok(deal), Ok(bots)) => self.get(deal, &bots),
            _ => Ok(None),
        }
    }

    /// Returns the finished match of these bots, in seat order, on this deal.
    pub fn get(&self, deal: u32, bots: &[usize]) -> Result<Option<Played>, LedgerError> {
        let mut query = self
            .connection
            .prepare_cached("SELECT record FROM scores WHERE deal = ?1 AND bots = ?2")?;
        let number = query
            .query_row(params![deal, record::key(bots)], |row| row.get(0))
            .optional()?;
        number
            .map(|number| self.read(number, &mut self.reader()?))
            .transpose()
    }

    /// Returns the result of the match of these bots, in seat order, on this deal.
    pub fn score(&self, deal: u32, bots: &[usize]) -> Result<Option<Scored>, LedgerError> {
        let query =
            "SELECT deal, bots, seats, record, sum FROM scores WHERE deal = ?1 AND bots = ?2";
        let mut query = self.connection.prepare_cached(query)?;
        let mut rows = query.query(params![deal, record::key(bots)])?;
        rows.next()?.map(|row| self.scored(row)).transpose()
    }

    /// Returns the match whose record has this number.
    pub(crate) fn read(&self, number: i64, reader: &mut Reader) -> Result<Played, LedgerError> {
        let mut query = self
            .connection
            .prepare_cached("SELECT entry FROM records WHERE number = ?1")?;
        let entry: Option<Vec<u8>> = query.query_row([number], |row| row.get(0)).optional()?;
        let played = entry.and_then(|entry| reader.read(&entry));
        played.ok_or_else(|| LedgerError::Damaged(format!("record {number}")))
    }

    /// Calls `take` with the match of every intact record, in order of record numbers, even if other parts of the file are damaged.
    pub(crate) fn records(
        &self,
        mut take: impl FnMut(i64, Played) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let query = "SELECT number, entry FROM records WHERE number >= ?1 ORDER BY number";
        let mut query = self.connection.prepare(query)?;
        let mut reader = self.reader()?;
        let mut next = 1;
        for _ in 0..MAX_DAMAGED {
            let mut rows = query.query([next])?;
            let scanned = loop {
                let entry = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?));
                match rows.next().and_then(|row| row.map(entry).transpose()) {
                    Ok(None) => return Ok(()),
                    Ok(Some((number, entry))) => {
                        next = number + 1;
                        reader
                            .read(&entry)
                            .map_or(Ok(()), |played| take(number, played))?;
                    }
                    Err(error) => break LedgerError::from(error),
                }
            };
            // The next record may be on a readable page.
            match scanned {
                LedgerError::Damaged(_) => next += 1,
                error => return Err(error),
            }
        }
        Ok(())
    }

    pub(crate) fn reader(&self) -> Result<Reader, LedgerError> {
        Reader::new(self.spec())
    }

    /// Calls `take` with the result of each finished match, in order of deals and bots, from a consistent snapshot.
    pub fn scores<E: From<LedgerError>>(
        &self,
        mut take: impl FnMut(Scored) -> Result<(), E>,
    ) -> Result<(), E> {
        self.rows(SCORES, |row| take(self.scored(row)?))
    }

    /// Calls `take` with each deal and its finished matches, in order.
    pub fn deals<E: From<LedgerError>>(
        &self,
        mut take: impl FnMut(&Deal) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut deals = self.spec().gather();
        self.scores(|scored| deals.add(scored).iter().try_for_each(&mut take))?;
        deals.end().iter().try_for_each(take)
    }

    /// Calls `take` with each finished match, in order of deals and bots, from a consistent snapshot.
    pub fn each<E: From<LedgerError>>(
        &self,
        take: impl FnMut(Played) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_with(|_| true, take)
    }

    /// Like [`Self::each`], but reads only matches whose results are selected.
    pub fn each_with<E: From<LedgerError>>(
        &self,
        interest: impl Fn(&Scored) -> bool,
        mut take: impl FnMut(Played) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut reader = self.reader()?;
        self.rows(SCORES, |row| {
            let (scored, number) = (self.scored(row)?, row.get(3).map_err(LedgerError::from)?);
            if interest(&scored) {
                take(self.read(number, &mut reader)?)
            } else {
                Ok(())
            }
        })
    }

    /// Like [`Self::each_with`], but in chunks whose matches are processed in parallel.
    pub fn each_chunk<E: From<LedgerError>>(
        &self,
        interest: impl Fn(&Scored) -> bool,
        mut take: impl FnMut(&[Played]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut chunk = Vec::with_capacity(CHUNK);
        self.each_with(interest, |played| {
            chunk.push(played);
            if chunk.len() < CHUNK {
                Ok(())
            } else {
                take(&std::mem::take(&mut chunk))
            }
        })?;
        take(&chunk)
    }

    pub(crate) fn rows<E: From<LedgerError>>(
        &self,
        query: &str,
        mut take: impl FnMut(&rusqlite::Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut query = self.connection.prepare(query).map_err(LedgerError::from)?;
        let mut rows = query.query([]).map_err(LedgerError::from)?;
        while let Some(row) = rows.next().map_err(LedgerError::from)? {
            take(row)?;
        }
        Ok(())
    }

    /// Returns the result of the match in a row.
    pub(crate) fn scored(&self, row: &rusqlite::Row<'_>) -> Result<Scored, LedgerError> {
        let blob = |column| {
            Ok::<_, LedgerError>(
                row.get_ref(column)?
                    .as_blob()
                    .map_err(rusqlite::Error::from)?,
            )
        };
        let stored = record::Row {
            deal: row.get(0)?,
            key: blob(1)?,
            seats: blob(2)?,
            record: row.get(3)?,
        };
        let scored = stored.scored(row.get(4)?)?;
        let fits = scored.bots.len() == scored.seats.len()
            && scored.bots.iter().all(|bot| *bot < self.spec().bots.len());
        if fits {
            Ok(scored)
        } else {
            Err(LedgerError::Damaged(format!(
                "a row of deal {}",
                scored.deal
            )))
        }
    }
}
