//! The report of a comparison, for people and for programs.

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

/// The findings of a comparison. They are the same however the matches were run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonReport {
    /// The answer of the test.
    pub verdict: TestVerdict,
    /// The answer of the test in a sentence.
    pub words: String,
    /// Both bots. Every number that is of one bot is that of the first.
    pub bots: [String; 2],
    /// The bots that both met; none if they met each other.
    pub field: Vec<String>,
    /// The game.
    pub game: String,
    /// Seats at each table.
    pub seats: usize,
    /// The random seed; null until the comparison is closed.
    pub seed: Option<Seed>,
    /// The bots with another clock than the others.
    pub time_odds: Vec<OwnClock>,
    /// What is tested.
    pub test: Test,
    /// The number of deals that count.
    pub deals: u32,
    /// The most deals that are played.
    pub max_deals: u32,
    /// The number of matches of a deal.
    pub matches_per_deal: u64,
    /// The results of each bot on the deals that count.
    pub results: [Results; 2],
    /// Deals in which the first made 0, 1, 2, 3 and 4 half points; null against a field.
    pub pentanomial: Option<[u64; 5]>,
    /// The bounds of the log-likelihood ratio; null for other tests.
    pub bounds: Option<[f64; 2]>,
    /// The log-likelihood ratio; null for other tests.
    pub llr: Option<f64>,
    /// The ends of an interval of logistic Elo that is right at all times together, so after any stop; null where there is no
    /// bound, and against a field.
    pub elo_at_all_times: [Option<f64>; 2],
    /// Logistic and normalised Elo, LOS and draws; null against a field, and before the first deal.
    #[serde(flatten)]
    pub line: Line,
    /// The number of deals that a test of fixed size with the same errors takes, at the spread that was seen; null for
    /// other tests, and where all deals went alike.
    pub fixed_deals: Option<u64>,
    /// The difference of both bots' mean scores, which is in −1 … 1, with an interval that is right at all times together.
    /// The mean itself is naive: biased by stopping early.
    pub score_difference: MeanEstimate,
    /// The difference of both bots' mean points in a match, with such an interval.
    pub points_difference: MeanEstimate,
    /// The chance that the intervals of the differences are ever wrong.
    pub alpha_of_intervals: f64,
    /// Bots whose matches went alike.
    pub identical: Vec<Identical>,
    /// Bots that score more when a deal comes back (p < 0.01): they may carry knowledge between matches.
    pub carryover: Vec<Carryover>,
    /// Whether the first bot passed the gate; left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
}

/// What is asked of the first bot, a change, and the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Gate {
    /// What is asked.
    pub wanted: Wanted,
    /// The answer.
    pub answer: GateAnswer,
}

/// What a gate asks of the first bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// To be stronger.
    Better,
    /// Not to be weaker by the margin.
    NotWorse,
}

/// The answer of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateAnswer {
    /// It is so, as far as the test can be wrong.
    Passed,
    /// It is not so.
    Failed,
    /// Deals or time are used up before the test decides.
    Undecided,
}

impl Gate {
    /// The answer by a verdict.
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

    /// The answer in words.
    pub fn in_words(&self) -> String {
        let wanted = match self.wanted {
            Wanted::Better => "better",
            Wanted::NotWorse => "not worse",
        };
        let answer = match self.answer {
            GateAnswer::Passed => "passed",
            GateAnswer::Failed => "failed",
            GateAnswer::Undecided => "undecided",
        };
        format!("{answer} ({wanted})")
    }
}

impl ComparisonReport {
    /// The findings of a comparison so far, in this tournament.
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

/// The answer of the test on these two, in a sentence.
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
            format!("not decided between {first} and {second} within {most} deals")
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

/// The strength of two bots, as far as it is known once a hypothesis is accepted.
fn known(sprt: &Sprt, verdict: TestVerdict, first: &str, second: &str) -> String {
    let [elo0, elo1] = sprt.elo();
    let [below0, below1] = [-elo0, -elo1];
    let is_elo1 = verdict == TestVerdict::AcceptElo1;
    let accepted = if is_elo1 { "H1" } else { "H0" };
    let known = if is_elo1 && elo0 >= 0.0 {
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
    format!("{accepted} accepted: {first} {known}")
}
