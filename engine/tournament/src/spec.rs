//! The complete description of a tournament: everything a tournament file can say, with all defaults filled in.
//!
//! The ledger stores the description in this form. New fields need a serde default, so that older ledgers stay readable.

use std::path::PathBuf;

use arena_engine::chance::Seed;
use arena_engine::shown;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::clock::{OwnClock, TimeControl};
use crate::complaint::Complaint;
use crate::deals::{Block, Deals};
use crate::entrant::Entrant;
use crate::field::{Field, KeptSeatings, Meeting, Seatings, choices};
use crate::format::Format;
use crate::formats::{Choice, with};
use crate::placings::Placings;
use crate::printable::clean;
use crate::rounds::Round;
use crate::test::Test;
use crate::tune::Parameter;

/// The default game.
pub const GAME: &str = "coda";
/// The default number of deals.
pub const DEALS: u32 = 100;
/// The default number of seats at a table.
pub const SEATS: usize = 2;

/// A complete description of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// The name of the tournament.
    pub name: String,
    /// The bot whose rating is 0. Without an anchor, each rating is relative to the next lower one. No match depends on the anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The part that determines the matches.
    pub plan: Plan,
    /// The conditions of play.
    pub conditions: Conditions,
    /// Settings of this machine, which are not stored.
    #[serde(skip)]
    pub local: Local,
    /// The parameters to be tuned, in a description from which a tuning starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tune: Vec<Parameter>,
    /// The entrants, in the order of the file.
    pub bots: Vec<Entrant>,
    /// Bots left out, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// True if the names are pseudonyms. Public output must then hide who wrote the bots.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pseudonyms: bool,
    /// The sizes that were planned before, smallest first. A size is recorded when deals or rounds are added although results are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_sizes: Vec<Size>,
    /// Seeds used before the tournament started over, oldest first. A file may still name one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_seeds: Vec<Seed>,
    /// True if play has ended for good, after which the seed is public.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
}

/// The planned size of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Total number of deals of all rounds.
    pub deals: u32,
    /// Total number of matches on these deals.
    pub matches: u64,
}

/// Everything, apart from the entrants, that determines the matches: the same plan with the same bots gives the same matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The name of the game.
    pub game: String,
    /// Version of the game's rules.
    pub rules_version: u32,
    /// The rules of the variant, with all defaults filled in.
    pub rules: Value,
    /// The format and its options.
    pub format: Choice,
    /// The sequential test between the first two bots, if the tournament is a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    /// Number of seats at a table.
    pub seats: usize,
    /// The rule for the number of orders in which a table's bots are seated on each deal.
    #[serde(deserialize_with = "KeptSeatings::deserialize")]
    pub seatings: Seatings,
    /// Number of deals: the total number, or the number per round for a format that draws its rounds from results.
    pub deals: u32,
    /// The random seed.
    pub seed: Seed,
}

/// The conditions under which matches are played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Conditions {
    /// Time control of the bots.
    pub clock: TimeControl,
    /// Resource limits of each program.
    pub limits: Limits,
    /// Required isolation of programs.
    pub isolation: Isolation,
    /// Mechanism that enforces the memory limit.
    pub memory: Memory,
}

/// Resource limits of a program. Unless noted, a limit applies to all its processes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Maximum resident memory, in MiB.
    pub memory_mb: u64,
    /// Maximum number of processes.
    pub processes: u64,
    /// Maximum size of each file that the program writes, in MiB.
    pub file_mb: u64,
    /// Maximum total size of the files that the program writes, in MiB.
    pub disk_mb: u64,
    /// Maximum number of open files, pipes and sockets per process.
    pub open_files: u64,
}

/// Maximum average number of threads per process.
const MAX_THREADS_PER_PROCESS: u64 = 32;

impl Limits {
    /// Returns the maximum number of threads of all processes together.
    pub fn threads(&self) -> u64 {
        self.processes.saturating_mul(MAX_THREADS_PER_PROCESS)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_mb: 2_048,
            processes: 64,
            file_mb: 256,
            disk_mb: 1_024,
            open_files: 256,
        }
    }
}

/// Required isolation of programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// The strictest level that is available.
    #[default]
    Auto,
    /// The strictest level. If it is unavailable, nothing is played.
    Require,
    /// Bubblewrap. If it is unavailable, nothing is played.
    Bubblewrap,
    /// Landlock. If it is unavailable, nothing is played.
    Landlock,
    /// No isolation: bots may read and write everything that the user may.
    Off,
}

/// Mechanism that enforces the memory limit of programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// The kernel where possible, and polling elsewhere.
    #[default]
    Auto,
    /// The kernel. If it cannot enforce the limit, nothing is played.
    Kernel,
}

/// Settings of one machine, which affect no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Number of matches run in parallel.
    pub jobs: usize,
    /// True if the number of parallel matches may exceed the number of cores.
    pub oversubscribe: bool,
    /// True if each worker is pinned to one core, together with the programs that it starts.
    pub pin: bool,
    /// True if bots may run as root where they cannot run as another user.
    pub as_root: bool,
    /// Files hidden from all bots, such as the tournament file, which holds the seed.
    pub hidden: Vec<PathBuf>,
    /// True if the seed was drawn because none was given.
    pub seed_drawn: bool,
    /// True if bots that cannot be found or built are left out instead of stopping the others.
    pub keep_going: bool,
    /// True if programs run in their own folders, because these are already copies.
    pub in_place: bool,
}

/// A bot that does not take part, in most cases because it cannot be found or built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The name of the bot; empty for a folder without a pseudonym if other bots have one.
    pub name: String,
    /// The reason.
    pub why: String,
    /// True if the bot has no folder, or no line in the roster. Then nothing is broken, and a bot that has entered is withdrawn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_gone: bool,
}

shown!(
    LeftOut,
    |bot| "{}{}{}",
    clean(&bot.name),
    if bot.name.is_empty() { "" } else { ": " },
    bot.why
);

impl Default for Local {
    fn default() -> Self {
        Self {
            jobs: 1,
            oversubscribe: false,
            pin: true,
            as_root: false,
            hidden: Vec::new(),
            seed_drawn: false,
            keep_going: false,
            in_place: false,
        }
    }
}

impl Spec {
    /// Returns the field from which the format draws pairings.
    pub fn field(&self) -> Field<'_> {
        let Plan {
            seats,
            seatings,
            deals,
            seed,
            ..
        } = self.plan;
        Field {
            seats,
            seatings,
            deals,
            seed,
            bots: &self.bots,
        }
    }

    /// Returns the seed once it is public.
    pub fn public_seed(&self) -> Option<Seed> {
        self.closed.then_some(self.plan.seed)
    }

    /// Returns the names of the entrants, in order.
    pub fn names(&self) -> Vec<String> {
        self.bots
            .iter()
            .map(|entrant| entrant.name.clone())
            .collect()
    }

    /// Returns the time control of a bot.
    pub fn clock(&self, bot: usize) -> TimeControl {
        self.bots[bot].clock.unwrap_or(self.conditions.clock)
    }

    /// Returns the bots whose time control differs from the tournament's; empty if all bots have the same one.
    pub fn time_odds(&self) -> Vec<OwnClock> {
        if (1..self.bots.len()).all(|bot| self.clock(bot) == self.clock(0)) {
            return Vec::new();
        }
        let own = |bot: &Entrant| bot.clock.filter(|clock| *clock != self.conditions.clock);
        self.bots
            .iter()
            .filter_map(|bot| {
                Some(OwnClock {
                    bot: bot.name.clone(),
                    clock: own(bot)?,
                })
            })
            .collect()
    }

    /// Returns the index of the anchor, the bot whose rating is 0, if there is one.
    pub fn anchor(&self) -> Option<usize> {
        let anchor = self.anchor.as_ref()?;
        self.bots.iter().position(|bot| bot.name == *anchor)
    }

    /// Returns a complaint if the anchor does not take part.
    pub fn check_anchor(&self) -> Option<Complaint> {
        self.field().find("anchor", self.anchor.as_ref()?).err()
    }

    /// Returns the planned number of matches in all rounds together, saturating at `u64::MAX`.
    pub fn matches(&self) -> u64 {
        let field = self.field();
        let tables = with!(&self.plan.format, format => format.count(field));
        tables
            .saturating_mul(field.orders() as u64)
            .saturating_mul(field.deals.into())
    }

    /// Returns the planned size of the tournament.
    pub fn size(&self) -> Size {
        Size {
            deals: self.plan.deals.saturating_mul(self.rounds()),
            matches: self.matches(),
        }
    }

    /// Returns a word for the kind of competition: the name of the format, or a word for a single match.
    pub fn kind(&self) -> &'static str {
        if self.matches() == 1 {
            "single match"
        } else {
            self.plan.format.name()
        }
    }

    /// Returns the number of matches per deal; `None` if it varies between deals.
    pub fn matches_per_deal(&self) -> Option<u64> {
        let tables = with!(&self.plan.format, format => format.tables(self.field()));
        tables.map(|tables| tables.saturating_mul(self.field().orders() as u64))
    }

    /// Returns `true` if all combinations of bots play on every deal. Only then do all bots have the same opponents, apart from themselves:
    /// if any two bots can be swapped without changing the meetings, all combinations meet.
    pub fn all_meet(&self) -> bool {
        let field = self.field();
        let all = choices(field.bots.len(), field.seats).saturating_mul(field.orders() as u64);
        self.matches_per_deal() == Some(all)
    }

    /// Returns `true` if any two bots that ever meet do so on every deal.
    pub fn meet_on_every_deal(&self) -> bool {
        matches!(
            self.plan.format,
            Choice::RoundRobin(_) | Choice::Gauntlet(_)
        )
    }

    /// Returns the number of rounds, each with its own deals; 1 if all matches are known from the beginning.
    pub fn rounds(&self) -> u32 {
        with!(&self.plan.format, format => format.rounds(self.field()))
    }

    /// Returns the meetings of a round, counted from 1. Of `before`, only finished blocks on deals of earlier rounds count; their order
    /// does not matter.
    pub fn meetings(&self, round: u32, before: &[Block]) -> Vec<Meeting> {
        with!(&self.plan.format, format => format.meetings(self.field(), round, before))
    }

    /// Returns the number of matches of each bot in these meetings.
    pub fn matches_of_bots(&self, meetings: &[Meeting]) -> Vec<u64> {
        let mut counts = vec![0; self.bots.len()];
        for Meeting { bots, deals } in meetings {
            let matches = (deals.end() + 1 - deals.start()) as u64 * self.field().orders() as u64;
            bots.iter().for_each(|bot| counts[*bot] += matches);
        }
        counts
    }

    /// Returns the finished rounds and the round after them. Empty for formats without rounds.
    pub fn rounds_drawn(&self, done: &[Block]) -> Vec<Round> {
        self.plan.format.rounds_drawn(self.field(), done)
    }

    /// Returns the placings by the rules of the format; `None` if bots are placed by points.
    pub fn placings(&self, done: &[Block]) -> Option<Placings> {
        with!(&self.plan.format, format => format.placings(self.field(), done))
    }

    /// Returns all reasons why the format cannot be played by these bots, including a missing anchor.
    pub fn check(&self) -> Vec<Complaint> {
        self.plan
            .format
            .check(self.field())
            .into_iter()
            .chain(self.check_anchor())
            .collect()
    }

    /// Checks that everything that `old` plans is also planned by this tournament, given the same results. `begun` is the number of rounds
    /// that have begun.
    ///
    /// # Errors
    /// If an old plan would change.
    pub fn extends(&self, old: &Spec, begun: u32) -> Result<(), Complaint> {
        let (was, is) = (old.field(), self.field());
        self.plan.format.extends(&old.plan.format, was, is, begun)
    }

    /// Returns the number of rounds that have begun, given the last deal played.
    pub fn rounds_begun(&self, last_deal: u32) -> u32 {
        last_deal.div_ceil(self.plan.deals.max(1))
    }

    /// Returns the round of a deal, counted from 1; `None` for formats without rounds.
    pub fn round_of(&self, deal: u32) -> Option<u32> {
        let has_rounds = self.plan.format.draws_rounds();
        has_rounds.then(|| self.rounds_begun(deal))
    }

    /// Creates a collector that groups finished matches into deals.
    pub fn gather(&self) -> Deals {
        Deals::new(self.field().orders(), self.matches_per_deal())
    }

    /// Returns the seed of a deal, which is the same for all bots that play it.
    pub fn deal_seed(&self, deal: u32) -> Seed {
        self.plan.seed.child("deal", deal.into())
    }
}
