//! Finished matches of consecutive deals.

use std::ops::RangeInclusive;

use arena_tournament::schedule::Planned;
use rusqlite::params;

use crate::error::LedgerError;
use crate::ledger::Ledger;
use crate::record;
use arena_tournament::played::Played;

/// The finished matches of a ledger at a certain time. Matches saved later are not included.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The deals, from the first to the last.
    pub deals: RangeInclusive<u32>,
    /// Number of the last record.
    last: i64,
}

impl Ledger {
    /// Returns the current extent; `None` without matches.
    pub fn extent(&self) -> Result<Option<Extent>, LedgerError> {
        type Ends = (Option<u32>, Option<u32>, Option<i64>);
        let ends = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Ends> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        };
        let found = self.connection.query_row(
            "SELECT min(deal), max(deal), max(record) FROM scores",
            [],
            ends,
        )?;
        let (Some(first), Some(end), Some(last)) = found else {
            return Ok(None);
        };
        Ok(Some(Extent {
            deals: first..=end,
            last,
        }))
    }

    /// Returns the finished matches of an extent on these deals, in order of deals and bots.
    pub fn on(
        &self,
        extent: &Extent,
        deals: &RangeInclusive<u32>,
    ) -> Result<Vec<(Planned, Played)>, LedgerError> {
        let mut reader = self.reader()?;
        let mut query = self.connection.prepare_cached(
            "SELECT deal, bots, record FROM scores WHERE deal BETWEEN ?1 AND ?2 AND record <= ?3 ORDER BY deal, bots",
        )?;
        let mut rows = query.query(params![deals.start(), deals.end(), extent.last])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let seats = record::bots(&row.get::<_, Vec<u8>>(1)?);
            found.push((
                Planned {
                    deal: row.get(0)?,
                    seats,
                },
                self.read(row.get(2)?, &mut reader)?,
            ));
        }
        Ok(found)
    }
}
