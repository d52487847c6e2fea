//! Matches that other machines played: who is not believed any more, and taking back what such a worker played.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::LedgerError;
use crate::ledger::{ANALYSIS, Ledger, META, get, set};
use crate::row;
use arena_tournament::printable::clean;

const SHUT_OUT: &str = "shut out";

/// A worker whose results are not believed any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutOut {
    /// Its name.
    pub worker: String,
    /// Why it is not believed.
    pub why: String,
    /// The number of its matches, and of those that were drawn from them, that were taken back to be played again.
    pub matches: u64,
}

impl fmt::Display for ShutOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (worker, why) = (clean(&self.worker), clean(&self.why));
        let again = match self.matches {
            0 => "none of its matches counted".into(),
            1 => "1 match was played again".into(),
            matches => format!("{matches} matches were played again"),
        };
        write!(f, "the results of worker {worker} are not believed ({why}): {again}")
    }
}

impl Ledger {
    /// The workers that are not believed any more.
    pub fn shut_out(&self) -> Result<Vec<ShutOut>, LedgerError> {
        let list = get(&self.connection, SHUT_OUT)?.unwrap_or_else(|| b"[]".to_vec());
        serde_json::from_slice(&list).map_err(|error| LedgerError::Field { what: "list of workers", error })
    }

    /// Takes back all that a worker played, with everything later where rounds are drawn from results, and notes why.
    pub fn shut_out_worker(&mut self, worker: &str, why: &str) -> Result<ShutOut, LedgerError> {
        let mut first = None;
        let mut gone: Vec<(u32, Vec<u8>)> = Vec::new();
        self.each(|played| {
            if played.worker.as_deref() == Some(worker) {
                first.get_or_insert(played.deal);
                gone.push((played.deal, row::key(&self.indices(&played.bots)?)));
            }
            Ok::<_, LedgerError>(())
        })?;
        // The rounds after the one in which its first match was.
        let later = match first {
            Some(deal) if self.spec.rounds() > 1 => deal.next_multiple_of(self.spec.plan.deals.max(1)),
            _ => u32::MAX,
        };
        let mut list = self.shut_out()?;
        let transaction = self.connection.transaction()?;
        let mut removed = 0;
        for (deal, key) in gone {
            removed += remove(&transaction, "deal = ?1 AND bots = ?2", &[&deal, &key])?;
        }
        removed += remove(&transaction, "deal > ?1", &[&later])?;
        let entry = ShutOut { worker: worker.to_owned(), why: why.to_owned(), matches: removed };
        list.push(entry.clone());
        let list = serde_json::to_vec(&list).map_err(|error| LedgerError::Field { what: "list of workers", error })?;
        set(&transaction, META, SHUT_OUT, &list)?;
        transaction.commit()?;
        Ok(entry)
    }

    /// Takes back all matches on some deals, and everything later where rounds are drawn from results.
    pub fn take_back(&mut self, first: u32, last: u32) -> Result<u64, LedgerError> {
        let last = if self.spec.rounds() > 1 { u32::MAX } else { last };
        let transaction = self.connection.transaction()?;
        let removed = remove(&transaction, "deal BETWEEN ?1 AND ?2", &[&first, &last])?;
        transaction.commit()?;
        Ok(removed)
    }
}

/// Removes the matches for which a condition holds, with their bodies.
fn remove(
    transaction: &rusqlite::Connection,
    condition: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<u64, LedgerError> {
    let bodies = format!("DELETE FROM bodies WHERE number IN (SELECT body FROM scores WHERE {condition})");
    transaction.execute(&bodies, values)?;
    // What is kept of the analysis would not notice.
    transaction.execute("DELETE FROM meta WHERE key = ?1", [ANALYSIS])?;
    Ok(transaction.execute(&format!("DELETE FROM scores WHERE {condition}"), values)? as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_tournament::played::Played;
    use arena_tournament::sample;

    #[test]
    fn what_a_worker_played_is_taken_back_and_noted() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::create(folder.path(), &sample::tournament(&["ann", "bob"], 2, 4)).unwrap();
        let by = |deal: u32, worker: &str| {
            let played = sample::really(1, deal, &["ann", "bob"], None);
            Played { worker: Some(worker.to_owned()), ..played }
        };
        ledger.append(&[by(1, "good"), by(2, "bad"), by(3, "good"), by(4, "bad")]).unwrap();
        let entry = ledger.shut_out_worker("bad", "it lied").unwrap();
        assert_eq!(entry, ShutOut { worker: "bad".into(), why: "it lied".into(), matches: 2 });
        assert_eq!(ledger.shut_out().unwrap(), std::slice::from_ref(&entry));
        let said = "the results of worker bad are not believed (it lied): 2 matches were played again";
        assert_eq!(entry.to_string(), said);
        let kept = [1, 2, 3, 4].map(|deal| ledger.has(deal, &[0, 1]).unwrap());
        assert_eq!(kept, [true, false, true, false]);
        let bodies = ledger.connection.query_row("SELECT count(*) FROM bodies", [], |row| row.get::<_, u64>(0));
        assert_eq!(bodies.unwrap(), 2);
        assert_eq!(ledger.take_back(2, 3).unwrap(), 1);
        assert_eq!(ledger.count().unwrap(), 1);
    }
}
