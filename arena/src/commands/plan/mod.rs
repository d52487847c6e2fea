//! `arena plan`: reports a tournament's size, its duration on this machine, and the number of deals needed to tell two bots apart. The
//! duration is estimated from a short measurement.

pub mod measure;
mod sample;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use arena_results::json;
use arena_statistics::ahead::least_deals;
use arena_statistics::power::{USUAL_ELO, deals_to_tell, rounded};
use arena_tournament::entrant::Entrant;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use indicatif::HumanDuration;
use serde::Serialize;

use self::measure::{Measured, measure};
use super::run::{given, in_folder_of};
use super::{check_left_out, print, wrong_use};
use crate::cli::Planning;
use arena_config::read;
use arena_runner::status::status;
use arena_runner::{Room, units};
use arena_session::folder;
use arena_session::open::changes::{Change, Effect, Opened, decide};
use arena_session::open::{Requested, StoredTournament, Terms, decide_with_copies};

/// Prints the size and duration of a tournament.
pub fn run(args: &Planning) -> anyhow::Result<ExitCode> {
    let requested = requested(args)?;
    let held = StoredTournament::read(&requested.dir)?;
    // Only a build shows that a bot cannot be built.
    let opened = if requested.spec.local.keep_going && args.seconds > 0.0 {
        decide_with_copies(requested, held.as_ref(), &[], args.json)?
    } else {
        decide(&requested, held.as_ref())?
    };
    let spec = &opened.spec;
    opened.notes.iter().for_each(status);
    if args.to_tell.is_some() && !spec.meet_on_every_deal() {
        return wrong_use(format!(
            "--to-tell needs a format in which two bots that meet do so on every deal, such as round-robin or gauntlet, not {}",
            spec.plan.format.name()
        ));
    }
    let measured = match args.seconds {
        seconds if seconds > 0.0 => measure(spec, seconds)?,
        _ => Measured::nothing(spec),
    };
    let elo = args.to_tell.unwrap_or(USUAL_ELO);
    let planned = Forecast::new(&opened, &measured, elo);
    print(&if args.json {
        json::document(&planned)?
    } else {
        planned.in_words(args.seconds)
    })?;
    check_left_out(spec, "")
}

/// Size, duration and statistical power of a tournament.
#[derive(Serialize)]
pub struct Forecast<'a> {
    /// The name of the tournament.
    name: &'a str,
    /// The game's name.
    game: &'a str,
    /// The format's name.
    format: &'static str,
    /// Number of seats at each table.
    seats: usize,
    /// Number of deals that each pairing plays per round.
    deals: u32,
    /// Number of rounds.
    rounds: u32,
    /// Number of bots.
    bots: usize,
    /// Number of matches in all rounds together.
    matches: u64,
    /// Number of planned matches that are finished.
    finished: u64,
    /// Changes that `arena run` makes to the tournament in the folder.
    changes: &'a [Change],
    /// True if `arena run` would set the finished matches aside.
    starts_over: bool,
    /// Number of matches of each bot in the first round, by name. With a single round, that is the whole tournament.
    matches_of_round_1: BTreeMap<&'a str, u64>,
    /// Matches per second of all jobs together on this machine; null if not measured.
    matches_per_second: Option<f64>,
    /// Mean number of turns per bot and match; null if not measured. Bots with `network = true` are replaced by built-in bots.
    turns_per_match: Option<f64>,
    /// Number of matches played at the same time.
    jobs: usize,
    /// Estimated duration of the remaining matches in seconds; null if not measured.
    seconds_left: Option<f64>,
    /// Minimum number of deals in each round after which one bot can be ahead of another.
    deals_to_be_ahead: u32,
    /// The effort to tell two bots apart; null if pairings do not meet on every deal.
    to_tell: Option<ToTell>,
    #[serde(skip)]
    orders: usize,
    /// The bots that are built before play, each with its build command.
    #[serde(skip)]
    builds: Vec<String>,
    /// Memory that programs may use, in words.
    #[serde(skip)]
    memory: Option<String>,
    /// Descriptions of the changes' effect, one line each.
    #[serde(skip)]
    summary: &'a [String],
}

/// The number of deals needed to tell two bots apart.
#[derive(Serialize)]
struct ToTell {
    /// The true difference of the two bots in Elo.
    elo: f64,
    /// Number of deals after which, with a probability of 80 %, the 95 % confidence interval excludes a score of ½.
    deals: u64,
    /// Number of matches that the two play on those deals.
    matches: u64,
    /// Estimated duration of those matches in seconds; null if not measured.
    seconds: Option<f64>,
}

impl ToTell {
    fn new(spec: &Spec, elo: f64, measured: &Measured) -> Self {
        let deals = deals_to_tell(elo, measured.pairs.half_points());
        let matches = deals.saturating_mul(spec.matches_per_deal().unwrap_or(0));
        let seconds = measured.speed.map(|speed| matches as f64 / speed);
        Self {
            elo,
            deals,
            matches,
            seconds,
        }
    }

    fn in_words(&self, is_measured: bool) -> String {
        let Self { elo, .. } = self;
        let [deals, matches] = [self.deals, self.matches].map(rounded);
        let unless = if is_measured {
            ""
        } else {
            " (nothing measured)"
        };
        let mut text = row(
            "to tell",
            &format!("{elo} Elo apart: about {deals} deals, {matches} matches{unless}"),
        );
        if let Some(seconds) = self.seconds {
            let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            text += &row("which takes about", &HumanDuration(time).to_string());
        }
        text
    }
}

impl<'a> Forecast<'a> {
    fn new(opened: &'a Opened, measured: &Measured, elo: f64) -> Self {
        let (spec, finished) = (&opened.spec, opened.finished);
        let matches = spec.matches();
        let plan = &spec.plan;
        let matches_per_second = measured.speed;
        let left = matches.saturating_sub(finished) as f64;
        Self {
            name: &spec.name,
            game: &plan.game,
            format: plan.format.name(),
            seats: plan.seats,
            deals: plan.deals,
            rounds: spec.rounds(),
            bots: spec.bots.len(),
            matches,
            finished,
            changes: &opened.changes,
            starts_over: matches!(opened.effect, Effect::StartsOver { .. }),
            turns_per_match: measured.turns,
            matches_of_round_1: in_first_round(spec),
            matches_per_second,
            jobs: spec.local.jobs,
            seconds_left: matches_per_second.map(|speed| left / speed),
            deals_to_be_ahead: least_deals(spec),
            to_tell: spec
                .meet_on_every_deal()
                .then(|| ToTell::new(spec, elo, measured)),
            orders: spec.field().orders(),
            builds: builds(spec),
            memory: Room::new(spec).in_words(),
            summary: &opened.summary,
        }
    }

    fn in_words(&self, seconds: f64) -> String {
        let mut text = format!("{}: {}, {}\n\n", clean(self.name), self.game, self.format);
        let mut row = |what: &str, value: String| text += &row(what, &value);
        row("bots", self.bots.to_string());
        row("seats", self.seats.to_string());
        if self.rounds > 1 {
            row("rounds", self.rounds.to_string());
        }
        row(
            if self.rounds > 1 {
                "deals in each round"
            } else {
                "deals"
            },
            self.deals.to_string(),
        );
        row(
            "seatings of a table",
            format!("{} on each deal", self.orders),
        );
        row("matches", self.matches.to_string());
        if self.deals < self.deals_to_be_ahead {
            let deals = self.deals_to_be_ahead;
            let each = if self.rounds > 1 { " a round" } else { "" };
            row(
                "too few deals",
                format!("no bot can be ahead of another; plan at least {deals}{each}"),
            );
        }
        let counts = self.matches_of_round_1.values();
        let (least, most) = (
            counts.clone().min().unwrap_or(&0),
            counts.max().unwrap_or(&0),
        );
        let each = if least == most {
            least.to_string()
        } else {
            format!("{least} to {most}")
        };
        row(
            if self.rounds > 1 {
                "a bot in round 1"
            } else {
                "each bot plays"
            },
            format!("{each} matches"),
        );
        if !self.builds.is_empty() {
            row(
                if seconds > 0.0 {
                    "built just now"
                } else {
                    "to be built"
                },
                self.builds.join("; "),
            );
        }
        if let Some(memory) = &self.memory {
            row("memory", memory.clone());
        }
        if self.finished > 0 {
            row("finished", self.finished.to_string());
        }
        if let (Some(speed), Some(left)) = (self.matches_per_second, self.seconds_left) {
            row(
                "measured",
                format!("{} with {} jobs", units::rate(speed, "matches"), self.jobs),
            );
            row(
                "will take about",
                HumanDuration(Duration::from_secs_f64(left)).to_string(),
            );
        }
        if let Some(turns) = self.turns_per_match {
            row(
                "turns of a bot",
                format!(
                    "about {turns:.0} in a match, {:.0} in all its matches",
                    turns * *most as f64
                ),
            );
        }
        let is_measured = self.turns_per_match.is_some();
        let to_tell = self.to_tell.iter();
        text.extend(to_tell.map(|to_tell| to_tell.in_words(is_measured)));
        if !self.changes.is_empty() {
            text += "\nchanges that `arena run` makes:\n";
            text.extend(self.changes.iter().map(|change| format!("{change}\n")));
            text.extend(self.summary.iter().map(|line| format!("{line}\n")));
        }
        text
    }
}

/// Returns the tournament that `arena run` would open.
fn requested(args: &Planning) -> anyhow::Result<Requested> {
    let (file, flags) = given(&args.spec)?;
    if let Some(path) = file {
        return in_folder_of(path, &flags, args.out.as_deref(), None);
    }
    let spec = read::of_flags(&flags)?;
    let dir = folder::new(&spec.name);
    let terms = Terms::of_owner(&spec);
    Requested::new(spec, args.out.as_ref().unwrap_or(&dir), terms)
}

/// Returns the bots that are built, each with its build command.
fn builds(spec: &Spec) -> Vec<String> {
    let built = |bot: &Entrant| {
        let program = bot.program().filter(|program| program.builds())?;
        let build = program.build.as_ref()?;
        Some(clean(&format!("{}: {build}", bot.name)))
    };
    spec.bots.iter().filter_map(built).collect()
}

/// Returns the number of matches of each bot in the first round.
fn in_first_round(spec: &Spec) -> BTreeMap<&str, u64> {
    let counts = spec.matches_of_bots(&spec.meetings(1, &[]));
    spec.bots
        .iter()
        .map(|bot| bot.name.as_str())
        .zip(counts)
        .collect()
}

/// Formats a row of the table.
fn row(what: &str, value: &str) -> String {
    format!("{what:<20}{value}\n")
}
