//! All matches of a ledger, whether they are whole or not.

use arena_tournament::deals::Scored;
use arena_tournament::schedule::match_id;
use arena_tournament::spec::Spec;
use rusqlite::{OptionalExtension, params};

use crate::error::LedgerError;
use crate::ledger::Ledger;
use crate::row;
use arena_tournament::played::Played;

/// The number of complaints of SQLite that are told.
const COMPLAINTS: usize = 20;

/// What there is of a match.
#[derive(Debug)]
pub struct Stored {
    /// What it is called, or what is known of it.
    pub name: String,
    /// Its row; none if there is none.
    pub row: Result<Option<Scored>, String>,
    /// Its record and the rest.
    pub body: Result<Played, String>,
}

/// Where matches are kept that may be damaged.
pub trait Store {
    /// The tournament whose matches these are.
    fn spec(&self) -> &Spec;

    /// What is wrong with the file as such.
    fn complaints(&self) -> Vec<String>;

    /// Hands over all that can be found, whether it is whole or not.
    fn stored(&mut self, take: &mut dyn FnMut(Stored) -> Result<(), LedgerError>) -> Result<(), LedgerError>;
}

impl Store for Ledger {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn complaints(&self) -> Vec<String> {
        let check = || -> rusqlite::Result<Vec<String>> {
            let mut query = self.connection.prepare(&format!("PRAGMA integrity_check({COMPLAINTS})"))?;
            query.query_map([], |row| row.get(0))?.collect()
        };
        let mut complaints = match check() {
            Ok(lines) => lines.into_iter().filter(|line| line != "ok").collect(),
            Err(error) => vec![error.to_string()],
        };
        if self.one_copy {
            complaints.push("one of the two copies of the tournament's description is damaged".into());
        }
        complaints
    }

    fn stored(&mut self, take: &mut dyn FnMut(Stored) -> Result<(), LedgerError>) -> Result<(), LedgerError> {
        let mut unpacker = self.unpacker()?;
        let last =
            "SELECT max((SELECT coalesce(max(number), 0) FROM bodies), (SELECT coalesce(max(body), 0) FROM scores))";
        let last = self.connection.query_row(last, [], |row| row.get::<_, i64>(0));
        // Where that cannot be read, numbers are tried one by one, which ends with the file's size.
        let last = last
            .or_else(|_| self.connection.query_row("PRAGMA page_count", [], |row| row.get(0).map(|n: i64| n * 100)))?;
        let mut bodies = self.connection.prepare("SELECT body FROM bodies WHERE number = ?1")?;
        for number in 1..=last {
            let body = bodies.query_row([number], |row| row.get::<_, Vec<u8>>(0)).optional();
            let stored = match body {
                Ok(Some(body)) => match unpacker.read(&body) {
                    Some(played) => self.with_row(played),
                    None => Some(self.without_body(number, "its record is damaged")),
                },
                Ok(None) => self.row_of(number).map(|name| Stored::lost(name, "its record is missing")),
                Err(error) => Some(self.without_body(number, &error.to_string())),
            };
            stored.map_or(Ok(()), &mut *take)?;
        }
        Ok(())
    }
}

impl Ledger {
    /// A match whose record can be read, with its row; none if another record is the one that the row speaks of.
    fn with_row(&self, played: Played) -> Option<Stored> {
        let name = played.id();
        let Ok(bots) = self.indices(&played.bots) else {
            return Some(Stored::lost(name, "it was played by bots that are not in the tournament"));
        };
        let key = row::key(&bots);
        let row = self
            .connection
            .prepare_cached("SELECT deal, bots, seats, body, sum FROM scores WHERE deal = ?1 AND bots = ?2");
        let row = row.and_then(|mut query| {
            query
                .query_row(params![played.deal, key], |row| Ok(self.scored(row).map_err(|error| error.to_string())))
                .optional()
        });
        let row = match row {
            Ok(Some(Err(_))) => Err("its row is damaged".into()),
            Ok(Some(Ok(scored))) => Ok(Some(scored)),
            Ok(None) => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        Some(Stored { name, row, body: Ok(played) })
    }

    fn without_body(&self, number: i64, why: &str) -> Stored {
        Stored::lost(self.row_of(number).unwrap_or_else(|| format!("record {number}")), why)
    }

    /// The name of the match whose row speaks of this record.
    fn row_of(&self, number: i64) -> Option<String> {
        let query = "SELECT deal, bots FROM scores WHERE body = ?1";
        let found = self.connection.query_row(query, [number], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?)));
        let (deal, key) = found.ok()?;
        name(&self.spec, deal, &row::bots(&key))
    }
}

impl Stored {
    /// A match without its record.
    pub fn lost(name: String, why: &str) -> Self {
        Self { name, row: Ok(None), body: Err(why.to_owned()) }
    }
}

/// The name of a match on a deal, if all its bots are in the tournament.
pub fn name(spec: &Spec, deal: u32, bots: &[usize]) -> Option<String> {
    let name = |bot: &usize| spec.bots.get(*bot).map(|bot| bot.name.clone());
    let names: Option<Vec<String>> = bots.iter().map(name).collect();
    Some(match_id(deal, &names?))
}
