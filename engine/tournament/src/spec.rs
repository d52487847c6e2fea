//! The description of a tournament: everything that a tournament file can say, with all defaults filled in.
//!
//! It is stored in the ledger as it stands here. Fields that come later get a serde default, so that older ledgers stay
//! readable.

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

/// A tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// Its name.
    pub name: String,
    /// The name of the bot above which ratings stand; none if each stands above the next. No match depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The part that decides which matches there are.
    pub plan: Plan,
    /// Under which conditions they are played.
    pub conditions: Conditions,
    /// The part that concerns this machine only; not stored.
    #[serde(skip)]
    pub local: Local,
    /// The numbers that are tuned, if this is what a tuning begins with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tune: Vec<Parameter>,
    /// The entrants, in the order of the file.
    pub bots: Vec<Entrant>,
    /// The bots that do not play, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// True if the names are pseudonyms: what is made for everybody tells nothing of who is behind them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pseudonyms: bool,
    /// What was planned at first, if deals or rounds were added after some had been played: results were known then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_plan: Option<FirstPlan>,
    /// The seeds with which it began before it started over, oldest first. A file may still name one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_seeds: Vec<Seed>,
    /// True once nothing more is played: from then on the seed is public.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
}

/// The size of a tournament before it was extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstPlan {
    /// The number of deals: in all, or of each pairing in a round.
    pub deals: u32,
    /// The number of rounds.
    pub rounds: u32,
}

/// The part of a tournament that decides which matches there are, beside the entrants: the same plan and the same bots give the same matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The game's name.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// Its rules, complete with their defaults.
    pub rules: Value,
    /// The format: who meets whom.
    pub format: Choice,
    /// The test between the first two bots, if they are compared by a sequential test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    /// Seats at a table.
    pub seats: usize,
    /// In how many orders the bots of a table are seated on each deal.
    #[serde(deserialize_with = "KeptSeatings::deserialize")]
    pub seatings: Seatings,
    /// The number of deals: in all, or of each pairing in a round for a format that draws its rounds from results.
    pub deals: u32,
    /// The random seed.
    pub seed: Seed,
}

/// Under which conditions matches are played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Conditions {
    /// The time that bots have.
    pub clock: TimeControl,
    /// The resources that each program may use.
    pub limits: Limits,
    /// The isolation of programs.
    pub isolation: Isolation,
    /// The way in which the memory of programs is held to its limit.
    pub memory: Memory,
}

/// The resources that a program may use: all of its processes together, unless noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Memory that is resident, in MiB.
    pub memory_mb: u64,
    /// Processes.
    pub processes: u64,
    /// The size of each file that it writes, in MiB.
    pub file_mb: u64,
    /// All that it writes, in MiB.
    pub disk_mb: u64,
    /// The files, pipes and sockets that each of its processes has open.
    pub open_files: u64,
}

/// The most threads that a process may have on average.
const THREADS: u64 = 32;

impl Limits {
    /// The most threads that all processes may have together.
    pub fn threads(&self) -> u64 {
        self.processes.saturating_mul(THREADS)
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

/// The isolation that is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// The best that can be had.
    #[default]
    Auto,
    /// A level that stops all that any level stops, or nothing is played.
    Require,
    /// Bubblewrap, or nothing is played.
    Bubblewrap,
    /// Landlock, or nothing is played.
    Landlock,
    /// None: bots may read and write what you may.
    Off,
}

/// The way in which the memory of programs is held to its limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// By the kernel where it does, else by watching.
    #[default]
    Auto,
    /// By the kernel, or nothing is played.
    Kernel,
}

/// The conditions of one machine; no result depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// The number of matches that run at the same time.
    pub jobs: usize,
    /// True if that may be more than there are cores.
    pub oversubscribe: bool,
    /// True if each worker, with the programs that it starts, stays on one core.
    pub pin: bool,
    /// True if bots may run as root where they cannot run as another user.
    pub as_root: bool,
    /// Files that no bot may read, such as the tournament's file, which holds the seed.
    pub hidden: Vec<PathBuf>,
    /// True if nothing named the seed, so that one was drawn.
    pub seed_drawn: bool,
    /// True if bots that cannot be found or built are left out, and do not stop the others.
    pub keep_going: bool,
    /// True if programs play where their files lie, since those are copies already.
    pub in_place: bool,
}

/// A bot that does not play, since it cannot be found or built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its name; empty for a folder without a pseudonym where the others have one.
    pub name: String,
    /// The reason.
    pub why: String,
    /// True if its folder is gone, so that a bot that has entered is withdrawn.
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
    /// The field that the format draws from.
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

    /// The seed, once it may be shown to everybody.
    pub fn public_seed(&self) -> Option<Seed> {
        self.closed.then_some(self.plan.seed)
    }

    /// The names of the entrants, in order.
    pub fn names(&self) -> Vec<String> {
        self.bots
            .iter()
            .map(|entrant| entrant.name.clone())
            .collect()
    }

    /// The clock of a bot.
    pub fn clock(&self, bot: usize) -> TimeControl {
        self.bots[bot].clock.unwrap_or(self.conditions.clock)
    }

    /// The bots with another clock than the tournament's, if not all have the same.
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

    /// The bot whose rating is 0, as its index among the bots, if one is named.
    pub fn anchor(&self) -> Option<usize> {
        let anchor = self.anchor.as_ref()?;
        self.bots.iter().position(|bot| bot.name == *anchor)
    }

    /// That the bot whose rating is to be 0 does not take part, if so.
    pub fn check_anchor(&self) -> Option<Complaint> {
        self.field().find("anchor", self.anchor.as_ref()?).err()
    }

    /// The number of matches that are planned in all rounds together; `u64::MAX` if there are more.
    pub fn matches(&self) -> u64 {
        let field = self.field();
        let tables = with!(&self.plan.format, format => format.count(field));
        tables
            .saturating_mul(field.orders() as u64)
            .saturating_mul(field.deals.into())
    }

    /// What is played, in a word: the name of the format, unless it is a single match.
    pub fn kind(&self) -> &'static str {
        if self.matches() == 1 {
            "single match"
        } else {
            self.plan.format.name()
        }
    }

    /// The number of matches that each deal has; none if deals differ in that.
    pub fn matches_per_deal(&self) -> Option<u64> {
        let tables = with!(&self.plan.format, format => format.tables(self.field()));
        tables.map(|tables| tables.saturating_mul(self.field().orders() as u64))
    }

    /// True if all combinations of bots play on every deal. Only then has every bot the same opponents there as any other one, each
    /// other aside: if any two can be swapped without a change of who meets whom, all can.
    pub fn all_meet(&self) -> bool {
        let field = self.field();
        let all = choices(field.bots.len(), field.seats).saturating_mul(field.orders() as u64);
        self.matches_per_deal() == Some(all)
    }

    /// True if two bots that meet do so on every deal.
    pub fn meet_on_every_deal(&self) -> bool {
        matches!(
            self.plan.format,
            Choice::RoundRobin(_) | Choice::Gauntlet(_)
        )
    }

    /// The number of rounds, each with its own deals; 1 where all matches are known from the beginning.
    pub fn rounds(&self) -> u32 {
        with!(&self.plan.format, format => format.rounds(self.field()))
    }

    /// The meetings of a round, counted from 1. Of the finished blocks only those on deals of earlier rounds count;
    /// their order does not matter.
    pub fn meetings(&self, round: u32, before: &[Block]) -> Vec<Meeting> {
        with!(&self.plan.format, format => format.meetings(self.field(), round, before))
    }

    /// The finished rounds and the one after them; nothing for formats without rounds.
    pub fn rounds_drawn(&self, done: &[Block]) -> Vec<Round> {
        self.plan.format.rounds_drawn(self.field(), done)
    }

    /// The standing of the tournament by the rules of its format; none where that is the order of the points.
    pub fn placings(&self, done: &[Block]) -> Option<Placings> {
        with!(&self.plan.format, format => format.placings(self.field(), done))
    }

    /// Everything that keeps the format from being played by these bots, and the anchor from being one of them.
    pub fn check(&self) -> Vec<Complaint> {
        self.plan
            .format
            .check(self.field())
            .into_iter()
            .chain(self.check_anchor())
            .collect()
    }

    /// Checks that everything that `old` plans is part of what this tournament plans, given the same results and the number of rounds
    /// that have begun.
    ///
    /// # Errors
    /// What cannot be changed.
    pub fn extends(&self, old: &Spec, begun: u32) -> Result<(), Complaint> {
        let (was, is) = (old.field(), self.field());
        self.plan.format.extends(&old.plan.format, was, is, begun)
    }

    /// The number of rounds of which a deal up to the last one has begun.
    pub fn rounds_begun(&self, last_deal: u32) -> u32 {
        last_deal.div_ceil(self.plan.deals.max(1))
    }

    /// The round of a deal, counted from 1; none for formats without rounds.
    pub fn round_of(&self, deal: u32) -> Option<u32> {
        let has_rounds = self.plan.format.draws_rounds();
        has_rounds.then(|| self.rounds_begun(deal))
    }

    /// Puts finished matches together to deals.
    pub fn gather(&self) -> Deals {
        Deals::new(self.field().orders(), self.matches_per_deal())
    }

    /// The deal's seed, the same for all who play it.
    pub fn deal_seed(&self, deal: u32) -> Seed {
        self.plan.seed.child("deal", deal.into())
    }
}
