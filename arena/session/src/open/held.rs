//! The tournament in a folder.

use std::path::Path;

use arena_config::read::{self, Flags};
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::spec::Spec;

use crate::content::FILE;
use crate::snapshot;

/// The folder of a tuning's first part. Its ledger records the files with which the bots entered.
const FIRST_PART: &str = "generation-01";

/// A tournament in a folder, and its progress.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTournament {
    /// The tournament.
    pub spec: Spec,
    /// Number of finished matches.
    pub finished: u64,
    /// Highest deal with a finished match; 0 if there is none.
    pub last_deal: u32,
}

impl StoredTournament {
    /// Reads the tournament in a folder; `None` if none has begun.
    pub fn read(dir: &Path) -> Result<Option<Self>, LedgerError> {
        match Ledger::open_read_only(dir) {
            Ok(ledger) => Self::from_ledger(&ledger).map(Some),
            Err(LedgerError::None(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the tournament of a ledger.
    pub fn from_ledger(ledger: &Ledger) -> Result<Self, LedgerError> {
        let mut last_deal = 0;
        ledger.deals(|deal| {
            last_deal = deal.number;
            Ok::<_, LedgerError>(())
        })?;
        Ok(Self {
            spec: ledger.spec().clone(),
            finished: ledger.count()?,
            last_deal,
        })
    }

    /// Reads the tuning in a folder; `None` if there is none. The bots have the files with which they entered the first part or, if it has
    /// not begun, their current files.
    pub fn read_tuning(dir: &Path) -> anyhow::Result<Option<Self>> {
        let path = dir.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let trusting = Flags {
            trust: true,
            ..Flags::default()
        };
        let mut held = Self {
            spec: read::tuning(&path, &trusting)?,
            finished: 0,
            last_deal: 0,
        };
        let Some(part) = Self::read(&dir.join(FIRST_PART))? else {
            held.spec = snapshot::with_files(held.spec);
            return Ok(Some(held));
        };
        for (number, bot) in held.spec.bots.iter_mut().enumerate() {
            // In a part, the settings of the tuned bot come first. In the tuning, the tuned bot itself comes first.
            let mut entered = part.spec.bots.iter();
            let entered = entered.find(|entered| number == 0 || entered.name == bot.name);
            if let Some(entered) = entered {
                bot.files.clone_from(&entered.files);
            }
        }
        held.finished = part.finished;
        Ok(Some(held))
    }

    /// Returns `true` if a ledger still holds this tournament with exactly these matches.
    pub fn is_in(&self, ledger: &Ledger) -> bool {
        *ledger.spec() == self.spec && ledger.count().is_ok_and(|count| count == self.finished)
    }

    /// Returns the number of rounds that have begun.
    pub fn rounds_begun(&self) -> u32 {
        self.spec.rounds_begun(self.last_deal)
    }
}
