//! Cache of parts of pages and of lists of matches, valid until the ledger changes.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arena_ledger::ledger::Ledger;
use arena_ledger::written::{self, Written};
use arena_results::analysis::Analysis;
use arena_results::{chart, html, report};
use arena_runner::lock;

use super::answer::Answer;
use super::catalogue::TournamentFolder;
use super::work::Work;
use arena_session::report as reports;

/// Minimum time before a part is rendered again.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// Minimum time before a part is rendered again, as a multiple of the time that rendering took. Rendering must not slow down matches.
const MIN_COST_MULTIPLE: u32 = 50;

/// Part of a page that is rendered from a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Standings with their notes.
    Standings,
    /// All charts.
    Charts,
    /// Pairs and ratings.
    Comparisons,
    /// Forfeits, with their evidence.
    Faults,
    /// Report, a separate page.
    Report,
    /// The page of a bot, given by its number and the size of the file of judgements. Each size has its own version of the page.
    Bot(usize, u64),
}

/// A value computed from a ledger.
pub struct Made<T> {
    pub of: T,
    /// The state of the ledger from which the value was computed.
    written: Written,
    at: Instant,
    cost: Duration,
}

type Slot<T> = Arc<tokio::sync::Mutex<Option<Arc<Made<T>>>>>;

/// Returns `true` if a value computed at this time, and at this cost, is used even if its ledger has changed since.
pub fn is_recent(at: Instant, cost: Duration) -> bool {
    at.elapsed() < MIN_INTERVAL.max(cost * MIN_COST_MULTIPLE)
}

/// A cache of values computed from ledgers, by kind. A full cache is emptied.
pub struct Memo<K, T> {
    most: usize,
    all: Mutex<HashMap<(PathBuf, K), Slot<T>>>,
}

/// Cache of parts, as HTML.
pub type Parts = Memo<Part, String>;

impl<K: Copy + Eq + Hash, T: Send + Sync + 'static> Memo<K, T> {
    /// Creates a cache for this many values.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            all: Mutex::default(),
        }
    }

    /// Returns the cached value or, if the ledger has changed, computes it with `make`. Concurrent callers wait for the same computation.
    pub async fn get(
        &self,
        work: &Work,
        found: &TournamentFolder,
        kind: K,
        make: impl FnOnce(&Path, &Ledger) -> anyhow::Result<T> + Send + 'static,
    ) -> Answer<Arc<Made<T>>> {
        let slot = self.slot(found, kind);
        let mut made = slot.lock().await;
        let written = written::written(&found.dir);
        match &*made {
            Some(made) if made.written == written || is_recent(made.at, made.cost) => {
                return Ok(Arc::clone(made));
            }
            _ => {}
        }
        let dir = found.dir.clone();
        let compute = move |ledger: &Ledger| {
            let begun = Instant::now();
            let of = make(&dir, ledger)?;
            Ok(Made {
                of,
                written,
                at: Instant::now(),
                cost: begun.elapsed(),
            })
        };
        let new = work.read(found.dir.clone(), compute).await?;
        Ok(Arc::clone(made.insert(Arc::new(new))))
    }

    fn slot(&self, found: &TournamentFolder, kind: K) -> Slot<T> {
        let mut all = lock(&self.all);
        let key = (found.dir.clone(), kind);
        if all.len() >= self.most && !all.contains_key(&key) {
            all.clear();
        }
        Arc::clone(all.entry(key).or_default())
    }
}

impl Part {
    /// Renders the part as HTML. `standings` is the address of the standings.
    pub fn make(self, dir: &Path, ledger: &Ledger, standings: &str) -> anyhow::Result<String> {
        let analysis = Analysis::from_ledger(ledger)?;
        let markup = match self {
            Part::Standings => report::live(&analysis),
            Part::Charts => report::charts(&chart::draw(ledger, &analysis)?),
            Part::Comparisons => report::pairs(&analysis),
            Part::Faults => report::faults(&analysis, &reports::forfeits(dir, ledger)?),
            Part::Report => {
                let charts = chart::draw(ledger, &analysis)?;
                return reports::page(dir, ledger, &analysis, &charts);
            }
            Part::Bot(bot, _) => {
                return reports::public_bot(
                    dir,
                    ledger,
                    &analysis,
                    bot,
                    standings,
                    &super::pages::OF_BOTS,
                );
            }
        };
        Ok(html::sealed(&markup.into_string()))
    }
}
