//! Parts of pages, made of a ledger, and kept as long as that does not change.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use arena_ledger::ledger::Ledger;
use arena_ledger::newest::{self, Written};
use arena_results::analysis::Analysis;
use arena_results::{chart, html, report};
use tokio::task::spawn_blocking;

use super::catalogue::Found;
use arena_session::report as reports;

/// The shortest time from one making of a part to the next.
const SOONEST: Duration = Duration::from_secs(1);
/// The time that passes between two makings, as a multiple of what the first took: matches are to notice nothing of it.
const REST: u32 = 50;
/// The most parts that are kept.
const KEPT: usize = 64;

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
}

/// A part that is made.
pub struct Made {
    /// It, as HTML.
    pub text: String,
    /// What the ledger was like.
    pub of: Written,
    at: Instant,
    cost: Duration,
}

impl Made {
    /// How long it may be shown, even if the ledger has changed.
    fn rest(&self) -> Duration {
        SOONEST.max(self.cost * REST)
    }
}

type Slot = Arc<tokio::sync::Mutex<Option<Arc<Made>>>>;

/// The parts that are kept.
#[derive(Default)]
pub struct Parts(Mutex<HashMap<(PathBuf, Part), Slot>>);

impl Parts {
    /// A part, as new as it may be. Others that want the same meanwhile wait for it, and share it.
    pub async fn get(&self, found: &Found, part: Part) -> anyhow::Result<Arc<Made>> {
        let slot = self.slot(found, part);
        let mut made = slot.lock().await;
        let of = newest::written(&found.dir);
        if let Some(made) = made.as_ref().filter(|made| made.of == of || made.at.elapsed() < made.rest()) {
            return Ok(Arc::clone(made));
        }
        let (dir, begun) = (found.dir.clone(), Instant::now());
        let text = spawn_blocking(move || make(&dir, part)).await.context("the page could not be made")??;
        let new = Arc::new(Made { text, of, at: Instant::now(), cost: begun.elapsed() });
        *made = Some(Arc::clone(&new));
        Ok(new)
    }

    fn slot(&self, found: &Found, part: Part) -> Slot {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (found.dir.clone(), part);
        if kept.len() >= KEPT && !kept.contains_key(&key) {
            kept.clear();
        }
        Arc::clone(kept.entry(key).or_default())
    }
}

fn make(dir: &Path, part: Part) -> anyhow::Result<String> {
    let ledger = Ledger::open_read_only(dir)?;
    let analysis = Analysis::of(&ledger)?;
    let markup = match part {
        Part::Standings => report::live(&analysis),
        Part::Charts => report::charts(&chart::draw(&ledger, &analysis)?),
        Part::Comparisons => report::comparisons(&analysis),
        Part::Faults => report::faults(&analysis, &reports::forfeits(dir, &ledger)?),
        Part::Report => return reports::page(dir, &ledger, &analysis, &chart::draw(&ledger, &analysis)?),
    };
    Ok(html::sealed(&markup.into_string()))
}
