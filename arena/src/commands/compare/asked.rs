//! `arena compare` as it is asked for: bots, the test, and how matches are played.

use std::path::PathBuf;

use arena_results::compare::{Sequence, Test};
use arena_results::stats::sprt::{Model, Sprt};
use clap::{Args, ValueEnum};

use crate::cli::{Asked, Changes};
use crate::keeper::cage::Isolation;
use crate::setup::BadSetup;
use crate::tournament::progress::Form;

/// The hypotheses, if nothing else is said, in Elo.
const ELO: [f64; 2] = [0.0, 10.0];
/// The chance of a wrong answer, if nothing else is said.
const ERRORS: f64 = 0.05;

/// How many deals are played at most, if nothing else is said.
pub const MOST_DEALS: u32 = 20_000;

/// `arena compare`
#[derive(Args)]
#[command(after_help = HOW)]
pub struct Compare {
    /// Two bots: NAME=COMMAND, NAME=builtin:BOT, or the name of a bot that is built in or in the file. Or the folder of
    /// a comparison that has begun
    #[arg(required = true, num_args = 1..=2, value_name = "BOT")]
    pub bots: Vec<String>,
    /// Whom both play, in place of each other; may be repeated
    #[arg(long = "field", value_name = "BOT")]
    pub field: Vec<String>,
    /// A tournament file, for its bots, game, rules and clock
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// What is tested
    #[command(flatten)]
    pub test: TestFlags,
    /// How many deals are played at most: 20000 if left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_deals: Option<u32>,
    /// The game
    #[arg(long)]
    pub game: Option<String>,
    /// Where all chance comes from, below 2^53
    #[arg(long)]
    pub seed: Option<u64>,
    /// How many seats at a table; more than 2 only with a field
    #[arg(long)]
    pub seats: Option<usize>,
    /// A rule of the game: NAME=VALUE, such as rounds=1; may be repeated
    #[arg(long = "rule", value_name = "NAME=VALUE")]
    pub rules: Vec<String>,
    /// Milliseconds for each answer
    #[arg(long = "move-ms", value_name = "MS")]
    pub move_ms: Option<u64>,
    /// What bots in processes of their own are put into
    #[arg(long, value_enum)]
    pub isolation: Option<Isolation>,
    /// How many matches run at the same time: one a core if left out
    #[arg(long)]
    pub jobs: Option<usize>,
    /// Allow more jobs than there are cores
    #[arg(long)]
    pub oversubscribe: bool,
    /// The folder, if it is to be another
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// How progress is told on standard error
    #[arg(long, value_enum, default_value = "auto")]
    pub progress: Form,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

const HOW: &str = "Deals are played in every seating until the test decides. The same command goes on where it stopped, \
as does `arena compare FOLDER`; without --out the folder is runs/A-vs-B-1, 2, …: the first that holds this very comparison or none.\n\
Exit codes: 0 decided, or all deals played; 1 failed, 2 wrong use, 130 interrupted with all finished matches saved.";

/// What is tested.
#[derive(Args, Clone, Default)]
pub struct TestFlags {
    /// Accept H0 if the first bot is no stronger than this many Elo: 0 if left out
    #[arg(long, allow_hyphen_values = true, value_name = "ELO")]
    pub elo0: Option<f64>,
    /// Accept H1 if it is at least so much stronger: 10 if left out
    #[arg(long, allow_hyphen_values = true, value_name = "ELO")]
    pub elo1: Option<f64>,
    /// In which Elo: logistic if left out
    #[arg(long, value_enum)]
    pub model: Option<ModelName>,
    /// The chance to accept H1, or to see a difference, that is not true: 0.05 if left out
    #[arg(long, value_name = "CHANCE")]
    pub alpha: Option<f64>,
    /// The chance to accept H0 when H1 is true: 0.05 if left out
    #[arg(long, value_name = "CHANCE")]
    pub beta: Option<f64>,
    /// Compare points in place of wins: decided once the difference is not 0
    #[arg(long)]
    pub points: bool,
    /// With --points or --field: decided as well once the difference is this much at most (points in a match, or score)
    #[arg(long, value_name = "X")]
    pub margin: Option<f64>,
}

/// In which Elo hypotheses are given.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ModelName {
    /// Of the mean score
    Logistic,
    /// Of the mean score less ½, in standard deviations of a match
    Normalised,
}

impl TestFlags {
    /// The test, with what it was before, if anything, where the flags say nothing.
    pub fn test(&self, before: Option<Test>, field: bool) -> Result<Test, BadSetup> {
        let ratio = match before {
            Some(test) => matches!(test, Test::Sprt(_)) && !self.points,
            None => !self.points && !field,
        };
        if ratio { self.ratio(before) } else { self.sequence(before) }
    }

    fn ratio(&self, before: Option<Test>) -> Result<Test, BadSetup> {
        if self.margin.is_some() {
            return Err(BadSetup::one(
                "--margin is for --points and --field; without them --elo0 and --elo1 say what counts",
            ));
        }
        let ([elo0, elo1], [alpha, beta], model) = match before {
            Some(Test::Sprt(sprt)) => (sprt.elo(), sprt.errors(), sprt.model()),
            _ => (ELO, [ERRORS; 2], Model::Logistic),
        };
        let model = self.model.map_or(model, |name| match name {
            ModelName::Logistic => Model::Logistic,
            ModelName::Normalised => Model::Normalised,
        });
        let (elo0, elo1) = (self.elo0.unwrap_or(elo0), self.elo1.unwrap_or(elo1));
        let (alpha, beta) = (self.alpha.unwrap_or(alpha), self.beta.unwrap_or(beta));
        let sprt = Sprt::new(elo0, elo1, alpha, beta, model);
        Ok(Test::Sprt(sprt.map_err(|error| BadSetup::one(error.to_string()))?))
    }

    fn sequence(&self, before: Option<Test>) -> Result<Test, BadSetup> {
        let unused = [
            ("--elo0", self.elo0.is_some()),
            ("--elo1", self.elo1.is_some()),
            ("--model", self.model.is_some()),
            ("--beta", self.beta.is_some()),
        ];
        if let Some((flag, _)) = unused.iter().find(|(_, given)| *given) {
            return Err(BadSetup::one(format!(
                "{flag} is for the ratio test of two bots that meet each other, not for --points and --field; leave it out"
            )));
        }
        let (alpha, margin) = match before {
            Some(Test::Score(sequence) | Test::Points(sequence)) => (sequence.alpha, sequence.margin),
            _ => (ERRORS, None),
        };
        let sequence = Sequence { alpha: self.alpha.unwrap_or(alpha), margin: self.margin.or(margin) };
        let points = self.points || matches!(before, Some(Test::Points(_)));
        Ok(if points { Test::Points(sequence) } else { Test::Score(sequence) })
    }
}

impl Compare {
    /// What is said of the tournament, with these bots and this file or folder.
    pub fn asked(&self, file: Option<PathBuf>, bots: Vec<String>) -> Asked {
        let change = Changes {
            game: self.game.clone(),
            seed: self.seed,
            seats: self.seats,
            move_ms: self.move_ms,
            no_clock: false,
            bots,
            rules: self.rules.clone(),
            isolation: self.isolation,
        };
        Asked {
            file,
            change,
            deals: self.max_deals,
            jobs: self.jobs,
            oversubscribe: self.oversubscribe,
            ..Asked::default()
        }
    }
}
