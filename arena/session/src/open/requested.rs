//! The tournament that a command asks for: the file and flags, and the current files of the bots.

use std::path::{Path, PathBuf};

use anyhow::Context;
use arena_config::diagnostic::UsageError;
use arena_config::file::to_toml;
use arena_config::read::{self, Flags};
use arena_config::seed;
use arena_engine::chance::Seed;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::formats::{Choice, not_for};
use arena_tournament::spec::Spec;

use crate::content::FILE;
use crate::shard::Shard;
use crate::snapshot;

/// The changes that a request may make to the tournament in its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Bots play in their current version. A change that invalidates finished matches starts the tournament over. Used for tournaments that
    /// a single person edits and reruns.
    Current,
    /// Like `Current`, but bots play as they entered.
    Entered,
    /// Bots play as they entered. Any other change is refused.
    Unchanged,
    /// Any change is refused, even of bots' files.
    Same,
    /// Only changes of bots and size are allowed, because others share the tournament.
    Shared,
    /// Like `Shared`, but changed bots play the same deals again, and matches without them are kept.
    SameDeals,
    /// Only deals or rounds may be added.
    Larger,
}

impl Terms {
    /// Returns the terms for the person who runs a tournament. A class is shared with others, so its owner may not change it either.
    pub fn of_owner(spec: &Spec) -> Self {
        if spec.local.keep_going {
            Self::Unchanged
        } else {
            Self::Current
        }
    }

    /// Returns `true` if the tournament belongs to a single person, so that any change may start it over.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Current | Self::Entered)
    }

    /// Returns `true` if the tournament must have begun.
    pub fn needs_begun(self) -> bool {
        matches!(self, Self::Shared | Self::SameDeals | Self::Larger)
    }

    /// Returns `true` if the bots run from copies that are made now.
    pub fn plays(self) -> bool {
        !matches!(self, Self::Same | Self::Larger)
    }

    /// Returns `true` if each new version must start once before it enters.
    pub fn tries_new_versions(self) -> bool {
        matches!(self, Self::Shared | Self::SameDeals)
    }
}

/// A tournament that a command asks for.
#[derive(Clone, Debug)]
pub struct Requested {
    /// The tournament described by the file and the flags.
    pub spec: Spec,
    /// The folder of the tournament.
    pub dir: PathBuf,
    /// The changes that the request may make.
    pub terms: Terms,
    /// The shard to be played; `None` to play everything.
    pub shard: Option<Shard>,
    /// The seed to be used if the tournament starts over.
    pub fresh_seed: Seed,
}

impl Requested {
    /// Requests a described tournament with the current files of its bots.
    pub fn new(spec: Spec, dir: &Path, terms: Terms) -> anyhow::Result<Self> {
        let dir = std::path::absolute(dir).with_context(|| dir.display().to_string())?;
        Self::unread(snapshot::with_files(spec), dir, terms)
    }

    /// Requests a described tournament whose bots already have their files.
    pub(super) fn unread(spec: Spec, dir: PathBuf, terms: Terms) -> anyhow::Result<Self> {
        Ok(Self {
            spec,
            dir,
            terms,
            shard: None,
            fresh_seed: seed::draw()?,
        })
    }

    /// Requests the tournament of a file.
    pub fn from_file(file: &Path, flags: &Flags, dir: &Path) -> anyhow::Result<Self> {
        let spec = read::of_file(file, flags)?;
        let terms = Terms::of_owner(&spec);
        Self::new(spec, dir, terms)
    }

    /// Requests the tournament in a folder, changed by flags. Its bots are those that entered, even if their folders have changed. A
    /// tournament that has not begun, or was reset, is read from its file.
    pub fn from_folder(dir: &Path, flags: &Flags) -> anyhow::Result<Self> {
        let dir = std::path::absolute(dir).with_context(|| dir.display().to_string())?;
        let ledger = match Ledger::open_read_only(&dir) {
            Err(LedgerError::None(_)) if dir.join(FILE).is_file() => {
                return Self::from_file(&dir.join(FILE), flags, &dir);
            }
            ledger => ledger?,
        };
        let kept = ledger.spec();
        let spec = Spec {
            left_out: kept.left_out.clone(),
            pseudonyms: kept.pseudonyms,
            ..read::of_kept(&to_toml(kept)?, &dir.join(FILE), flags)?
        };
        let terms = if spec.local.keep_going {
            Terms::Unchanged
        } else {
            Terms::Entered
        };
        Self::new(spec, &dir, terms)
    }

    /// Requests the tournament in a folder with a new total number of deals or rounds.
    pub fn larger(dir: &Path, deals: Option<u32>, rounds: Option<u32>) -> anyhow::Result<Self> {
        let mut spec = Ledger::open_read_only(dir)?.spec().clone();
        spec.plan.deals = deals.unwrap_or(spec.plan.deals);
        if let Some(rounds) = rounds {
            let name = spec.plan.format.name();
            let wrong = not_for("rounds", name, "rounds");
            UsageError::check(wrong.as_slice())?;
            let mut options = spec.plan.format.options();
            options.insert("rounds".to_owned(), rounds.into());
            spec.plan.format =
                Choice::read(name, options).map_err(|wrong| UsageError::one(wrong.what))?;
        }
        Self::unread(spec, dir.into(), Terms::Larger)
    }

    /// Limits the request to a shard. Other machines play the rest, so changes are refused.
    pub fn of_shard(self, shard: Option<Shard>) -> Self {
        Self {
            terms: shard.map_or(self.terms, |_| Terms::Unchanged),
            shard,
            ..self
        }
    }
}
