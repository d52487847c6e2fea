//! The finished matches of some consecutive deals.

use std::ops::RangeInclusive;

use arena_tournament::schedule::Planned;

use super::{Ledger, LedgerError, row};
use crate::played::Played;

impl Ledger {
    /// From the first to the last deal of which there is a finished match; none if there is no match.
    pub fn reach(&self) -> Result<Option<RangeInclusive<u32>>, LedgerError> {
        let ends = |row: &rusqlite::Row<'_>| Ok((row.get::<_, Option<u32>>(0)?, row.get::<_, Option<u32>>(1)?));
        let (first, last) = self.connection.query_row("SELECT min(deal), max(deal) FROM scores", [], ends)?;
        Ok(first.zip(last).map(|(first, last)| first..=last))
    }

    /// The finished matches on these deals, in order of deals and bots.
    pub fn on(&self, deals: &RangeInclusive<u32>) -> Result<Vec<(Planned, Played)>, LedgerError> {
        let mut unpacker = self.unpacker()?;
        let mut query = self.connection.prepare_cached(
            "SELECT deal, bots, bodies.body FROM scores LEFT JOIN bodies ON number = scores.body \
             WHERE deal BETWEEN ?1 AND ?2 ORDER BY deal, bots",
        )?;
        let mut rows = query.query([deals.start(), deals.end()])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (deal, key, body) = (row.get(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Option<Vec<u8>>>(2)?);
            let played = body.and_then(|body| unpacker.read(&body));
            let damaged = || LedgerError::Damaged(format!("the record of a match on deal {deal}"));
            found.push((Planned { deal, seats: row::bots(&key) }, played.ok_or_else(damaged)?));
        }
        Ok(found)
    }
}
