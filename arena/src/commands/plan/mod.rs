//! `arena plan`: what a tournament consists of, how long it takes here, and how many deals it takes to tell two bots apart; from a
//! short measurement.

pub mod measure;
mod sample;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use arena_ledger::ledger::Ledger;
use arena_results::json;
use arena_statistics::power::{USUAL_ELO, deals_to_tell, rounded};
use arena_tournament::entrant::Entrant;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use indicatif::HumanDuration;
use serde::Serialize;

use self::measure::{Measured, measure};
use super::{check_left_out, name_left_out, print, wrong_use};
use crate::cli::Planning;
use arena_config::diagnostic::UsageError;
use arena_config::files::NO_BUILD;
use arena_config::read;
use arena_runner::units;
use arena_session::{folder, sandbox};

/// Prints what a tournament consists of.
pub fn run(args: &Planning) -> anyhow::Result<ExitCode> {
    let (mut spec, done) = find(args)?;
    if spec.local.keep_going && args.seconds > 0.0 {
        // Only building shows who cannot be built.
        sandbox::enter(&mut spec, &[], args.json)?;
    }
    name_left_out(&spec);
    UsageError::check(&spec.check())?;
    if args.to_tell.is_some() && !spec.meet_on_every_deal() {
        return wrong_use(format!(
            "--to-tell is for round-robin and gauntlet, where two bots that meet do so on every deal; in the format {} they do not",
            spec.plan.format.name()
        ));
    }
    let measured = match args.seconds {
        seconds if seconds > 0.0 => measure(&spec, seconds)?,
        _ => Measured::nothing(&spec),
    };
    let elo = args.to_tell.unwrap_or(USUAL_ELO);
    let planned = Planned::new(&spec, done, &measured, elo);
    print(&if args.json {
        json::document(&planned)?
    } else {
        planned.in_words(args.seconds)
    })?;
    check_left_out(&spec, "")
}

/// What a tournament consists of.
#[derive(Serialize)]
pub struct Planned<'a> {
    /// Its name.
    name: &'a str,
    /// The game's name.
    game: &'a str,
    /// The format's name.
    format: &'static str,
    /// Seats at each table.
    seats: usize,
    /// The number of deals that each pairing plays in a round.
    deals: u32,
    /// The number of rounds.
    rounds: u32,
    /// The number of bots.
    bots: usize,
    /// The number of matches, in all rounds together.
    matches: u64,
    /// The number of planned matches that are finished.
    finished: u64,
    /// By the name of each bot, its matches in the first round; in all, where there is one round.
    matches_of_round_1: BTreeMap<&'a str, u64>,
    /// The matches that are played in a second here, all jobs together; null if that was not measured.
    matches_per_second: Option<f64>,
    /// The turns of a bot in a match, on average; null if that was not measured. Bots with `network = true` are not asked: a built-in
    /// one plays in their place.
    turns_per_match: Option<f64>,
    /// How many matches run at the same time.
    jobs: usize,
    /// How long the matches that are left take, in seconds; null if that was not measured.
    seconds_left: Option<f64>,
    /// What it takes to tell two bots apart; null where bots that meet do not do so on every deal.
    to_tell: Option<ToTell>,
    #[serde(skip)]
    orders: usize,
    /// The bots that are built before they play, each with its command.
    #[serde(skip)]
    builds: Vec<String>,
}

/// What it takes to tell two bots apart.
#[derive(Serialize)]
struct ToTell {
    /// Their true difference.
    elo: f64,
    /// The number of deals after which the 95 % interval of the two leaves out a score of ½ with a probability of 80 %.
    deals: u64,
    /// The number of matches of the tournament on those deals.
    matches: u64,
    /// How long those matches take, in seconds; null if nothing was measured.
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

impl<'a> Planned<'a> {
    fn new(spec: &'a Spec, finished: u64, measured: &Measured, elo: f64) -> Self {
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
            turns_per_match: measured.turns,
            matches_of_round_1: in_first_round(spec),
            matches_per_second,
            jobs: spec.local.jobs,
            seconds_left: matches_per_second.map(|speed| left / speed),
            to_tell: spec
                .meet_on_every_deal()
                .then(|| ToTell::new(spec, elo, measured)),
            orders: spec.field().orders(),
            builds: builds(spec),
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
        text
    }
}

/// The tournament of a file, or that of a folder, with the number of its finished matches.
fn find(args: &Planning) -> anyhow::Result<(Spec, u64)> {
    let flags = &args.spec.keys.0;
    match &args.spec.file {
        Some(dir) if dir.is_dir() => Ok((
            folder::spec(dir, flags)?,
            Ledger::open_read_only(dir)?.count()?,
        )),
        Some(file) => Ok((read::of_file(file, flags)?, 0)),
        None => Ok((read::of_flags(flags)?, 0)),
    }
}

/// The bots that are built, each with its command.
fn builds(spec: &Spec) -> Vec<String> {
    let built = |bot: &Entrant| {
        let build = bot
            .program()?
            .build
            .as_ref()
            .filter(|build| *build != NO_BUILD)?;
        Some(clean(&format!("{}: {build}", bot.name)))
    };
    spec.bots.iter().filter_map(built).collect()
}

/// The matches of each bot in the first round; in all, where there is one round.
fn in_first_round(spec: &Spec) -> BTreeMap<&str, u64> {
    let mut counts = vec![0; spec.bots.len()];
    for meeting in spec.meetings(1, &[]) {
        let matches =
            (meeting.deals.end() + 1 - meeting.deals.start()) as u64 * spec.field().orders() as u64;
        meeting.bots.iter().for_each(|bot| counts[*bot] += matches);
    }
    spec.bots
        .iter()
        .map(|bot| bot.name.as_str())
        .zip(counts)
        .collect()
}

/// A line of the table.
fn row(what: &str, value: &str) -> String {
    format!("{what:<20}{value}\n")
}
