//! The ledger: the file that holds a tournament and its finished matches.
//!
//! It is an SQLite database in WAL mode, so that others may read while one process writes, and a killed writer leaves
//! whole transactions only. (`synchronous = NORMAL`: a power cut may take the last transactions with it, never break
//! the file; what is missing is played again.)
//!
//! The description of the tournament, without which nothing can be read, and what the records are unpacked with are kept
//! twice, in tables of their own.
//!
//! What came of each match is a short row in `scores`, in order of deal and bots; its record and all else are
//! compressed in `bodies`. Rows and bodies carry checksums. One process at a time may write, which a lock in the folder sees to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arena_tournament::entrant::Entrant;
use arena_tournament::spec::Spec;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};

use crate::body::{self, Packer, Unpacker};
use crate::error::LedgerError;
use crate::lock::Lock;
use crate::row;
use arena_tournament::deals::{Deal, Scored};
use arena_tournament::played::Played;

/// The ledger's name in the folder of its tournament.
pub const FILE: &str = "ledger.sqlite";

/// The version of the format written here.
pub const FORMAT: u32 = 4;

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(30);

const TABLES: &str = "
    CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE scores (
        deal INTEGER NOT NULL,
        bots BLOB NOT NULL,
        seats BLOB NOT NULL,
        body INTEGER NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (deal, bots)
    ) WITHOUT ROWID;
    CREATE TABLE bodies (number INTEGER PRIMARY KEY, body BLOB NOT NULL);";

/// The table `meta` and its keys: the format, the description of the tournament as JSON and its second copy, the dictionary of the bodies, the analysis.
pub(crate) const META: &str = "meta";
pub(crate) const VERSION: &str = "format";
pub(crate) const SPEC: [&str; 2] = ["spec", "spec copy"];
pub(crate) const DICTIONARY: &str = "dictionary";
pub(crate) const ANALYSIS: &str = "analysis";

/// A tournament and its finished matches, kept in a file.
pub struct Ledger {
    pub(crate) connection: Connection,
    pub(crate) spec: Spec,
    /// True if one of the two copies of the description is damaged.
    pub(crate) one_copy: bool,
    pub(crate) index: HashMap<String, usize>,
    pub(crate) packer: Option<Packer>,
    /// Held by the one that may write.
    pub(crate) _lock: Option<Lock>,
}

impl Ledger {
    /// Makes a new ledger in the folder, which is made too if need be.
    pub fn create(folder: &Path, spec: &Spec) -> Result<Self, LedgerError> {
        std::fs::create_dir_all(folder).map_err(|error| LedgerError::File { path: folder.to_path_buf(), error })?;
        let lock = Lock::take(folder)?;
        let path = folder.join(FILE);
        let mut connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        tune(&connection)?;
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if has_tables(&transaction, &path)? {
            return Err(LedgerError::Already(folder.to_path_buf()));
        }
        transaction.execute_batch(TABLES)?;
        set(&transaction, META, VERSION, FORMAT.to_string().as_bytes())?;
        describe(&transaction, spec)?;
        transaction.commit()?;
        Ok(Self::new(connection, Description::whole(spec.clone()), Some(lock)))
    }

    /// Opens the folder's ledger, to go on with it.
    pub fn open(folder: &Path) -> Result<Self, LedgerError> {
        let path = present(folder)?;
        let lock = Lock::take(folder)?;
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let description = description(&connection, &path, folder)?;
        tune(&connection)?;
        Ok(Self::new(connection, description, Some(lock)))
    }

    /// Opens the folder's ledger to read it only, whether or not another process is writing, and also where nothing
    /// may be written.
    pub fn open_read_only(folder: &Path) -> Result<Self, LedgerError> {
        let path = present(folder)?;
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        match description(&connection, &path, folder) {
            Err(LedgerError::Sqlite(error)) if unwritable(&error) && !beside(&path, "-wal").exists() => {
                let connection =
                    connect(&immutable(&path), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?;
                let description = description(&connection, &path, folder)?;
                Ok(Self::new(connection, description, None))
            }
            found => Ok(Self::new(connection, found?, None)),
        }
    }

    fn new(connection: Connection, description: Description, lock: Option<Lock>) -> Self {
        let Description { spec, one_copy } = description;
        Self { connection, index: index(&spec), spec, one_copy, packer: None, _lock: lock }
    }

    /// The tournament whose matches these are.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// A hash that tells this description from that of another tournament, or from what it was before it was extended.
    pub fn fingerprint(&self) -> u32 {
        crc32fast::hash(&serde_json::to_vec(&self.spec).unwrap_or_default())
    }

    /// Puts a tournament in the place of this one, of which it must be an extension.
    pub fn extend(&mut self, spec: &Spec) -> Result<(), LedgerError> {
        let transaction = self.connection.transaction()?;
        describe(&transaction, spec)?;
        transaction.commit()?;
        (self.index, self.spec) = (index(spec), spec.clone());
        Ok(())
    }

    /// The analysis that is kept of the matches, if there is one.
    pub fn kept_analysis(&self) -> Result<Option<Vec<u8>>, LedgerError> {
        get(&self.connection, ANALYSIS)
    }

    /// Keeps an analysis in the place of an earlier one.
    pub fn keep_analysis(&mut self, analysis: &[u8]) -> Result<(), LedgerError> {
        set(&self.connection, META, ANALYSIS, analysis)
    }

    /// Closes it so that one file holds everything.
    pub fn close(self) -> Result<(), LedgerError> {
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        self.connection.close().map_err(|(_, error)| error.into())
    }

    /// The number of matches that are finished.
    pub fn count(&self) -> Result<u64, LedgerError> {
        Ok(self.connection.query_row("SELECT count(*) FROM scores", [], |row| row.get(0))?)
    }

    /// True if the match of these bots, as their indices by seat, on this deal is finished.
    pub fn has(&self, deal: u32, bots: &[usize]) -> Result<bool, LedgerError> {
        let mut query = self.connection.prepare_cached("SELECT 1 FROM scores WHERE deal = ?1 AND bots = ?2")?;
        Ok(query.exists(params![deal, row::key(bots)])?)
    }

    /// True if there is a match of the same deal, bots and seats.
    pub fn holds(&self, played: &Played) -> Result<bool, LedgerError> {
        self.has(played.deal, &self.indices(&played.bots)?)
    }

    /// Adds finished matches, all or none; those that the ledger has already are left as they are.
    pub fn append(&mut self, matches: &[Played]) -> Result<(), LedgerError> {
        let keys = matches.iter().map(|played| self.indices(&played.bots)).collect::<Result<Vec<_>, _>>()?;
        let texts = matches.par_iter().map(body::text).collect::<Result<Vec<_>, _>>()?;
        let transaction = self.connection.transaction()?;
        if self.packer.is_none() {
            let dictionary = match get(&transaction, DICTIONARY)? {
                Some(dictionary) => dictionary,
                None => {
                    let dictionary = body::dictionary(&texts);
                    set(&transaction, META, DICTIONARY, &dictionary)?;
                    spare(&transaction, DICTIONARY, &dictionary)?;
                    dictionary
                }
            };
            self.packer = Some(Packer::new(&dictionary));
        }
        let packer = self.packer.as_ref().expect("it was just made");
        let packed: Result<Vec<Vec<u8>>, _> =
            texts.par_iter().map_init(|| packer.start(), |with, text| pack(text, with)).collect();
        let packed = packed.map_err(|error| LedgerError::File { path: FILE.into(), error });
        let added = packed.and_then(|packed| insert(&transaction, matches, &keys, &packed));
        match added.and_then(|()| Ok(transaction.commit()?)) {
            Ok(()) => Ok(()),
            Err(error) => {
                // The dictionary may be gone with the transaction.
                self.packer = None;
                Err(error)
            }
        }
    }

    /// The finished match with this id, if there is one.
    pub fn find(&self, id: &str) -> Result<Option<Played>, LedgerError> {
        let Some((deal, bots)) = id.strip_prefix('d').and_then(|id| id.split_once('/')) else { return Ok(None) };
        let bots: Vec<String> = bots.split('/').map(str::to_owned).collect();
        match (deal.parse(), self.indices(&bots)) {
            (Ok(deal), Ok(bots)) => self.get(deal, &bots),
            _ => Ok(None),
        }
    }

    /// The finished match of these bots, as their indices by seat, on this deal.
    pub fn get(&self, deal: u32, bots: &[usize]) -> Result<Option<Played>, LedgerError> {
        let mut query = self.connection.prepare_cached(
            "SELECT bodies.body FROM scores JOIN bodies ON number = scores.body WHERE deal = ?1 AND bots = ?2",
        )?;
        let body = query.query_row(params![deal, row::key(bots)], |row| row.get::<_, Vec<u8>>(0)).optional()?;
        let Some(body) = body else { return Ok(None) };
        let played = self.unpacker()?.read(&body);
        played.map(Some).ok_or_else(|| LedgerError::Damaged(format!("the record of a match on deal {deal}")))
    }

    /// Hands over what came of the finished matches, one by one in order of deals and bots, as they were when this was called.
    pub fn scores<E: From<LedgerError>>(&self, mut take: impl FnMut(Scored) -> Result<(), E>) -> Result<(), E> {
        self.rows("SELECT deal, bots, seats, body, sum FROM scores ORDER BY deal, bots", |row| take(self.scored(row)?))
    }

    /// Hands over the deals one by one in order, with the finished matches that there are of them.
    pub fn deals<E: From<LedgerError>>(&self, mut take: impl FnMut(&Deal) -> Result<(), E>) -> Result<(), E> {
        let mut deals = self.spec.gather();
        self.scores(|scored| deals.add(scored).iter().try_for_each(&mut take))?;
        deals.end().iter().try_for_each(take)
    }

    /// Hands over the finished matches one by one in order of deals and bots, as they were when this was called.
    pub fn each<E: From<LedgerError>>(&self, take: impl FnMut(Played) -> Result<(), E>) -> Result<(), E> {
        self.each_with(|_| true, take)
    }

    /// The same for those matches only whose results are of interest.
    pub fn each_with<E: From<LedgerError>>(
        &self,
        interest: impl Fn(&Scored) -> bool,
        mut take: impl FnMut(Played) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut unpacker = self.unpacker()?;
        let mut bodies =
            self.connection.prepare("SELECT body FROM bodies WHERE number = ?1").map_err(LedgerError::from)?;
        self.rows("SELECT deal, bots, seats, body, sum FROM scores ORDER BY deal, bots", |row| {
            let (scored, number) = (self.scored(row)?, row.get::<_, i64>(3).map_err(LedgerError::from)?);
            if !interest(&scored) {
                return Ok(());
            }
            let body = bodies.query_row([number], |row| Ok(unpacker.read(row.get_ref(0)?.as_blob()?)));
            let played = body.optional().map_err(LedgerError::from)?.flatten();
            take(played.ok_or_else(|| LedgerError::Damaged(format!("the record of a match on deal {}", scored.deal)))?)
        })
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

    /// What came of the match in a row.
    pub(crate) fn scored(&self, row: &rusqlite::Row<'_>) -> Result<Scored, LedgerError> {
        let blob = |column| Ok::<_, LedgerError>(row.get_ref(column)?.as_blob().map_err(rusqlite::Error::from)?);
        let scored = row::unpack(row.get(0)?, blob(1)?, blob(2)?, row.get(3)?, row.get(4)?)?;
        let fits = scored.bots.len() == scored.seats.len() && scored.bots.iter().all(|bot| *bot < self.spec.bots.len());
        if fits { Ok(scored) } else { Err(LedgerError::Damaged(format!("a row of deal {}", scored.deal))) }
    }

    pub(crate) fn unpacker(&self) -> Result<Unpacker, LedgerError> {
        let dictionary = get(&self.connection, DICTIONARY)?.unwrap_or_default();
        Unpacker::new(&dictionary).map_err(|error| LedgerError::File { path: FILE.into(), error })
    }

    /// The bots as their indices.
    pub(crate) fn indices(&self, bots: &[String]) -> Result<Vec<usize>, LedgerError> {
        let index = |bot: &String| self.index.get(bot).copied();
        bots.iter().map(|bot| index(bot).ok_or_else(|| LedgerError::Stranger { bot: bot.clone() })).collect()
    }
}

/// Packs a text, if there is something to pack it with.
fn pack(text: &[u8], with: &mut std::io::Result<zstd::bulk::Compressor<'_>>) -> std::io::Result<Vec<u8>> {
    match with {
        Ok(with) => body::pack(text, with),
        Err(error) => Err(std::io::Error::new(error.kind(), error.to_string())),
    }
}

/// Adds the rows and the bodies of those matches that are not there yet.
fn insert(
    transaction: &Connection,
    matches: &[Played],
    keys: &[Vec<usize>],
    packed: &[Vec<u8>],
) -> Result<(), LedgerError> {
    let next = "SELECT coalesce(max(number), 0) + 1 FROM bodies";
    let mut number: i64 = transaction.query_row(next, [], |row| row.get(0))?;
    let mut score = transaction.prepare_cached(
        "INSERT INTO scores (deal, bots, seats, body, sum) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
    )?;
    let mut body = transaction.prepare_cached("INSERT INTO bodies (number, body) VALUES (?1, ?2)")?;
    for ((played, bots), packed) in matches.iter().zip(keys).zip(packed) {
        let (key, seats) = (row::key(bots), row::pack(played));
        let sum = row::sum(played.deal, &key, &seats, number);
        if score.execute(params![played.deal, key, seats, number, sum])? == 1 {
            body.execute(params![number, packed])?;
            number += 1;
        }
    }
    Ok(())
}

pub(crate) fn get(connection: &Connection, key: &str) -> Result<Option<Vec<u8>>, LedgerError> {
    let mut query = connection.prepare_cached("SELECT CAST(value AS BLOB) FROM meta WHERE key = ?1")?;
    Ok(query.query_row([key], |row| row.get(0)).optional()?)
}

pub(crate) fn set(connection: &Connection, table: &str, key: &str, value: &[u8]) -> Result<(), LedgerError> {
    let statement = format!("INSERT OR REPLACE INTO {table} (key, value, sum) VALUES (?1, ?2, ?3)");
    connection.execute(&statement, params![key, value, crc32fast::hash(value)])?;
    Ok(())
}

/// Keeps a copy far from `meta`, which is a single page: `mend` finds it by itself. A ledger that was begun without that
/// table gets it.
pub(crate) fn spare(connection: &Connection, key: &str, value: &[u8]) -> Result<(), LedgerError> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS spare (key TEXT PRIMARY KEY, value BLOB NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID",
    )?;
    set(connection, "spare", key, value)
}

/// Writes the description of the tournament, and its copies.
pub(crate) fn describe(connection: &Connection, spec: &Spec) -> Result<(), LedgerError> {
    let json = serde_json::to_vec(spec).map_err(|error| LedgerError::Field { what: "description", error })?;
    SPEC.iter().try_for_each(|key| set(connection, META, key, &json))?;
    spare(connection, SPEC[0], &json)
}

/// Where in the list of bots each is, also by the names of its older versions.
pub(crate) fn index(spec: &Spec) -> HashMap<String, usize> {
    let all = |(index, bot): (usize, &Entrant)| {
        bot.former.iter().chain([&bot.name]).map(|name| (name.clone(), index)).collect::<Vec<_>>()
    };
    spec.bots.iter().enumerate().flat_map(all).collect()
}

pub(crate) fn present(folder: &Path) -> Result<PathBuf, LedgerError> {
    let path = folder.join(FILE);
    if path.is_file() { Ok(path) } else { Err(LedgerError::None(folder.to_path_buf())) }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, LedgerError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// Settings of a connection that writes.
fn tune(connection: &Connection) -> Result<(), LedgerError> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    Ok(connection.pragma_update(None, "synchronous", "NORMAL")?)
}

/// The description that a ledger holds, and how sound it is.
struct Description {
    spec: Spec,
    one_copy: bool,
}

impl Description {
    fn whole(spec: Spec) -> Self {
        Self { spec, one_copy: false }
    }
}

/// Makes sure that it is a ledger of a format that can be read, and reads the description of its tournament.
fn description(connection: &Connection, path: &Path, folder: &Path) -> Result<Description, LedgerError> {
    if !has_tables(connection, path)? {
        return Err(LedgerError::None(folder.to_path_buf()));
    }
    // A file of another kind has no such table; let that be said before anything else.
    connection.prepare("SELECT value FROM meta").map_err(|error| foreign(error, path))?;
    let Some(format) = get(connection, VERSION)? else { return Err(LedgerError::Foreign(path.to_path_buf())) };
    let found = String::from_utf8_lossy(&format).into_owned();
    if found != FORMAT.to_string() {
        return Err(LedgerError::Format { path: path.to_path_buf(), found });
    }
    let [first, second] = SPEC.map(|key| copy(connection, key));
    let one_copy = first.is_none() || second.is_none();
    let spec = first.or(second).ok_or_else(|| LedgerError::Damaged("both copies of its description".into()))?;
    let spec = serde_json::from_slice(&spec)
        .map_err(|error| LedgerError::Damaged(format!("the description of its tournament: {error}")))?;
    Ok(Description { spec, one_copy })
}

/// A copy of the description, if it is as it was written.
fn copy(connection: &Connection, key: &str) -> Option<Vec<u8>> {
    let mut query = connection.prepare_cached("SELECT CAST(value AS BLOB), sum FROM meta WHERE key = ?1").ok()?;
    let (value, sum) = query.query_row([key], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, u32>(1)?))).ok()?;
    (crc32fast::hash(&value) == sum).then_some(value)
}

/// True if anything was ever written to the database; a process killed right after it opened the file leaves none.
fn has_tables(connection: &Connection, path: &Path) -> Result<bool, LedgerError> {
    let count = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, u64>(0));
    Ok(count.map_err(|error| foreign(error, path))? > 0)
}

/// Tells a file that is something else from other troubles.
fn foreign(error: rusqlite::Error, path: &Path) -> LedgerError {
    match &error {
        rusqlite::Error::SqliteFailure(failure, Some(text))
            if failure.code == ErrorCode::NotADatabase || text.starts_with("no such table") =>
        {
            LedgerError::Foreign(path.to_path_buf())
        }
        _ => error.into(),
    }
}

/// True if SQLite failed because it may not put its files beside the ledger.
fn unwritable(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// The file that SQLite keeps beside the ledger under this ending.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The address of a ledger that nobody can be writing.
fn immutable(path: &Path) -> PathBuf {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1").into()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
