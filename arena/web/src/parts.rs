//! Parts of pages and lists of matches: made of a ledger, and kept as long as that does not change.

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
use super::catalogue::Found;
use super::work::Work;
use arena_session::report as reports;

/// The shortest time from one making of a part to the next.
const SOONEST: Duration = Duration::from_secs(1);
/// The time that passes between two makings, as a multiple of what the first took: matches are to notice nothing of it.
const REST: u32 = 50;

/// What is made of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Standings and all that goes with them.
    Standings,
    /// All charts.
    Charts,
    /// Pairs and ratings.
    Comparisons,
    /// Forfeits with their evidence.
    Faults,
    /// The report, a page of its own.
    Report,
    /// The page of a bot, with the size of the file of judgements; a page of its own, too.
    Bot(usize, u64),
}

/// Something that is made of a ledger.
pub struct Made<T> {
    /// It.
    pub of: T,
    /// What the ledger was like.
    written: Written,
    at: Instant,
    cost: Duration,
}

type Slot<T> = Arc<tokio::sync::Mutex<Option<Arc<Made<T>>>>>;

/// What is kept of ledgers, by kind; only the latest few.
pub struct Kept<K, T> {
    most: usize,
    all: Mutex<HashMap<(PathBuf, K), Slot<T>>>,
}

/// The parts that are kept, as HTML.
pub type Parts = Kept<Part, String>;

impl<K: Copy + Eq + Hash, T: Send + Sync + 'static> Kept<K, T> {
    /// Keeps this many.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            all: Mutex::default(),
        }
    }

    /// What `make` makes of a ledger, as new as it may be. Others that want the same meanwhile wait for it, and share it.
    pub async fn get(
        &self,
        work: &Work,
        found: &Found,
        kind: K,
        make: impl FnOnce(&Path, &Ledger) -> anyhow::Result<T> + Send + 'static,
    ) -> Answer<Arc<Made<T>>> {
        let slot = self.slot(found, kind);
        let mut made = slot.lock().await;
        let written = written::written(&found.dir);
        // For some time it may be shown even if the ledger has changed.
        let is_fresh = |made: &Made<T>| made.at.elapsed() < SOONEST.max(made.cost * REST);
        match &*made {
            Some(made) if made.written == written || is_fresh(made) => return Ok(Arc::clone(made)),
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

    fn slot(&self, found: &Found, kind: K) -> Slot<T> {
        let mut all = lock(&self.all);
        let key = (found.dir.clone(), kind);
        if all.len() >= self.most && !all.contains_key(&key) {
            all.clear();
        }
        Arc::clone(all.entry(key).or_default())
    }
}

impl Part {
    /// Makes it, as HTML, with the address of the standings.
    pub fn make(self, dir: &Path, ledger: &Ledger, standings: &str) -> anyhow::Result<String> {
        let analysis = Analysis::of(ledger)?;
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
