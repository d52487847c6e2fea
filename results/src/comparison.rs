//! Report of a comparison, for people and for programs.

use std::fmt;

use arena_engine::chance::Seed;
use arena_tournament::clock::OwnClock;
use arena_tournament::spec::Spec;
use arena_tournament::test::{Sequence, Sprt, Test};
use serde::Serialize;

use arena_statistics::betting::MeanEstimate;
use arena_statistics::carryover::Carryover;
use arena_statistics::compare::Comparison;
use arena_statistics::compare::results::{BOTH, Results};
use arena_statistics::elo::{self, Line};
use arena_statistics::identical::Identical;
use arena_statistics::sprt::{self, TestVerdict};

/// Findings of a comparison, independent of how the matches were run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonReport {
    /// Answer of the test.
    pub verdict: TestVerdict,
    /// Answer of the test, in a sentence.
    pub words: String,
    /// Names of both bots. Every figure about a single bot concerns the first one.
    pub bots: [String; 2],
    /// Bots that both bots met; empty if they met each other.
    pub field: Vec<String>,
    /// Name of the game.
    pub game: String,
    /// Number of seats at each table.
    pub seats: usize,
    /// Random seed; null until the comparison is closed.
    pub seed: Option<Seed>,
    /// Bots whose clock differs from that of the others.
    pub time_odds: Vec<OwnClock>,
    /// Test with its parameters.
    pub test: Test,
    /// Number of deals that count.
    pub deals: u32,
    /// Maximum number of deals.
    pub max_deals: u32,
    /// Number of matches per deal.
    pub matches_per_deal: u64,
    /// Results of each bot on the deals that count.
    pub results: [Results; 2],
    /// Number of deals in which the first bot scored 0, 1, 2, 3 and 4 half-points; null against a field.
    pub pentanomial: Option<[u64; 5]>,
    /// Bounds of the log-likelihood ratio; null unless the test is an SPRT.
    pub bounds: Option<[f64; 2]>,
    /// Log-likelihood ratio; null unless the test is an SPRT.
    pub llr: Option<f64>,
    /// Ends of an interval of logistic Elo that is valid whenever the test stops. An end without a bound is null. Both ends are null
    /// against a field.
    pub elo_at_all_times: [Option<f64>; 2],
    /// Logistic and normalised Elo, LOS and draws; null against a field, and before the first deal.
    #[serde(flatten)]
    pub line: Line,
    /// Number of deals that a fixed-size test with the same error rates needs at the observed spread. Null if the test is not an SPRT, or
    /// if all deals have the same result.
    pub fixed_deals: Option<u64>,
    /// Difference between the bots' mean scores, in −1 … 1, with an anytime-valid interval. The difference itself is a naive estimate:
    /// stopping early biases it.
    pub score_difference: MeanEstimate,
    /// Difference between the bots' mean points per match, with an anytime-valid interval.
    pub points_difference: MeanEstimate,
    /// Probability that the intervals of the differences are ever wrong.
    pub alpha_of_intervals: f64,
    /// Bots whose matches went alike.
    pub identical: Vec<Identical>,
    /// Bots that score more when a deal is repeated (p < 0.01), so they may carry knowledge between matches.
    pub carryover: Vec<Carryover>,
    /// Gate for the first bot; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
}

/// A gate that a change has to pass: the requirement on the first bot, and the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Gate {
    /// Requirement on the first bot.
    pub wanted: Wanted,
    /// Answer given by the test.
    pub answer: GateAnswer,
}

/// Requirement of a gate on the first bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// The bot is stronger.
    Better,
    /// The bot is not weaker by the margin (non-inferiority).
    NotWorse,
}

/// Answer of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateAnswer {
    /// The requirement is met, up to the test's error rates.
    Passed,
    /// The requirement is not met.
    Failed,
    /// The deals or the time ran out before the test decided.
    Undecided,
}

impl Gate {
    /// Derives the answer from a verdict.
    pub fn new(wanted: Wanted, verdict: TestVerdict) -> Self {
        let answer = match (verdict, wanted) {
            (TestVerdict::Running | TestVerdict::Undecided, _) => GateAnswer::Undecided,
            (TestVerdict::AcceptElo1 | TestVerdict::First, _) => GateAnswer::Passed,
            (TestVerdict::Equal, Wanted::NotWorse) => GateAnswer::Passed,
            (TestVerdict::AcceptElo0 | TestVerdict::Second | TestVerdict::Equal, _) => {
                GateAnswer::Failed
            }
        };
        Self { wanted, answer }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wanted = match self.wanted {
            Wanted::Better => "better",
            Wanted::NotWorse => "not worse",
        };
        let answer = match self.answer {
            GateAnswer::Passed => "passed",
            GateAnswer::Failed => "failed",
            GateAnswer::Undecided => "undecided",
        };
        write!(f, "{answer} ({wanted})")
    }
}

impl ComparisonReport {
    /// Reports the findings of a comparison so far.
    pub fn new(comparison: &Comparison, tournament: &Spec) -> Self {
        let name = |bot: usize| tournament.bots[bot].name.clone();
        let bots = BOTH.map(name);
        let sprt = match &comparison.test {
            Test::Sprt(sprt) => Some(sprt),
            _ => None,
        };
        Self {
            verdict: comparison.verdict,
            words: words(comparison, &bots),
            field: (BOTH.len()..comparison.bots).map(name).collect(),
            bots,
            game: tournament.plan.game.clone(),
            seats: tournament.plan.seats,
            seed: tournament.public_seed(),
            time_odds: tournament.time_odds(),
            test: comparison.test,
            deals: comparison.deals,
            max_deals: comparison.most,
            matches_per_deal: comparison.matches,
            results: comparison.results,
            pentanomial: comparison.pentanomial(),
            bounds: sprt.map(Sprt::bounds),
            llr: sprt.map(|sprt| sprt::llr(sprt, &comparison.pentanomial)),
            elo_at_all_times: comparison
                .scores()
                .interval
                .map(|end| match comparison.bots {
                    2 => elo::of_score(f64::midpoint(1.0, end)),
                    _ => None,
                }),
            line: comparison
                .pentanomial()
                .map_or_else(Line::default, |counts| {
                    Line::new(&counts, comparison.results[0].drawn())
                }),
            fixed_deals: sprt.and_then(|sprt| sprt::fixed_size(sprt, &comparison.pentanomial)),
            score_difference: comparison.scores(),
            points_difference: comparison.points(),
            alpha_of_intervals: comparison.alpha,
            identical: comparison.transcripts.warnings(&tournament.names()),
            carryover: comparison.carryovers.warnings(),
            gate: None,
        }
    }
}

/// Returns the test's answer about the two bots, in a sentence.
fn words(comparison: &Comparison, [first, second]: &[String; 2]) -> String {
    let sequential = |sequence: &Sequence, better: &str, unit: &str| match comparison.verdict {
        TestVerdict::First => format!("{first} {better} {second}"),
        TestVerdict::Second => format!("{second} {better} {first}"),
        _ => format!(
            "{first} and {second} are equal within {} {unit}",
            sequence.margin.unwrap_or_default()
        ),
    };
    match (&comparison.test, comparison.verdict) {
        (_, TestVerdict::Equal) if comparison.plays_alike() => format!(
            "{first} and {second} play exactly alike: the same moves in all {} matches",
            comparison.results[0].matches
        ),
        (_, TestVerdict::Running) => {
            format!("not decided yet between {first} and {second}: more deals are to be played")
        }
        (_, TestVerdict::Undecided) => {
            let most = comparison.most;
            {
                let deals = if most == 1 { "deal" } else { "deals" };
                format!("not decided between {first} and {second} within {most} {deals}")
            }
        }
        (Test::Sprt(sprt), verdict) => known(sprt, verdict, first, second),
        (Test::Score(sequence), _) => sequential(
            sequence,
            "does better against the field than",
            "of the score",
        ),
        (Test::Points(sequence), _) => {
            sequential(sequence, "makes more points than", "points a match")
        }
    }
}

/// Describes the relative strength of two bots, as far as the accepted hypothesis tells.
fn known(sprt: &Sprt, verdict: TestVerdict, first: &str, second: &str) -> String {
    let [elo0, elo1] = sprt.elo();
    let [below0, below1] = [-elo0, -elo1];
    let is_elo1 = verdict == TestVerdict::AcceptElo1;
    let accepted = if is_elo1 { "H1" } else { "H0" };
    let known = if is_elo1 && elo0 == 0.0 {
        format!("is stronger than {second}")
    } else if is_elo1 && elo0 > 0.0 {
        format!("is stronger than {second} by more than {elo0} Elo")
    } else if is_elo1 && elo1 == 0.0 {
        format!("is not weaker than {second} by {below0} Elo")
    } else if is_elo1 {
        format!("is at most {below0} Elo weaker than {second}")
    } else if elo1 > 0.0 {
        format!("is not stronger than {second} by {elo1} Elo or more")
    } else if elo1 == 0.0 {
        format!("may be weaker than {second} by {below0} Elo or more")
    } else {
        format!("is more than {below1} Elo weaker than {second}")
    };
    format!("{first} {known} ({accepted} accepted)")
}
