//! The sequential comparison of two bots. It stops once the test has decided, and depends only on the finished matches of a tournament.
//!
//! Deals count in the order 1, 2, 3, …, each once all its matches are finished and all deals before it count. The test is evaluated after
//! every deal, and its first decision is final: later deals are not counted. The result therefore does not depend on how many matches run
//! at the same time, in which order they end, or how often the arena is killed.
//!
//! The two bots are the first two of the tournament. Either the two meet each other, or each of them meets all other bots (the field), and
//! their results against the field are compared deal by deal.

use std::collections::BTreeMap;

use arena_tournament::deals::{Deal, Deals, Scored};
use arena_tournament::spec::Spec;
use arena_tournament::test::{Sequence, Test};

use super::results::{BOTH, Results, add_deal, differences};
use crate::betting::{Betting, MeanEstimate};
use crate::carryover::Carryovers;
use crate::identical::{Copies, Transcripts};
use crate::scoring;
use crate::sprt::{self, TestVerdict};

/// Error rate of intervals that are shown but do not decide the test.
const ALPHA: f64 = 0.05;

/// Number of deals after which two bots that play exactly alike are declared equal.
const ALIKE_DEALS: u32 = 50;

/// A test in progress.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Kind and parameters of the test.
    pub test: Test,
    /// Number of bots in the tournament: 2 if the two bots meet each other, more if they meet a field.
    pub bots: usize,
    /// Probability that the interval of a difference is ever wrong.
    pub alpha: f64,
    /// Number of matches per deal.
    pub matches: u64,
    /// Maximum number of deals.
    pub most: u32,
    gathering: Deals,
    /// Finished deals that do not count yet, because an earlier deal is not finished.
    waiting: BTreeMap<u32, Deal>,
    /// Number of deals that count.
    pub deals: u32,
    /// The results of both bots.
    pub results: [Results; 2],
    /// Number of deals in which the first bot has 0, 1, 2, 3 and 4 half-points, if the two bots meet each other.
    pub pentanomial: [u64; 5],
    /// The sequence for the difference between both bots' mean scores, in −1 … 1, by deal.
    scores: Betting,
    /// The sequence for the difference between both bots' mean points per match, by deal.
    points: Betting,
    /// Counts of identical matches.
    pub transcripts: Transcripts,
    copies: Copies,
    /// Evidence of knowledge carried between matches.
    pub carryovers: Carryovers,
    /// The verdict of the test so far.
    pub verdict: TestVerdict,
    /// Number of matches added.
    taken: u64,
}

impl Comparison {
    /// Creates the comparison of this tournament, without matches.
    pub fn new(tournament: &Spec) -> Result<Self, String> {
        let none = "this is not a comparison; `arena compare A B` starts one";
        let test = tournament.plan.test.ok_or(none)?;
        let bots = tournament.bots.len();
        if bots < 2 || (bots == 2 && tournament.plan.seats != 2) {
            return Err("a comparison of two bots needs `seats = 2`".into());
        }
        if bots > 2 && matches!(test, Test::Sprt(_)) {
            let why = "the test of Elo compares two bots directly; for a comparison against a field, use `--points` or `--field`";
            return Err(why.into());
        }
        // Points of bots that meet each other differ by at most the maximum lead of a seat. Points against a field differ by at most the
        // range of a seat's points.
        let plan = &tournament.plan;
        let range = scoring::range(&plan.game, &plan.rules, plan.seats);
        let range = if bots == 2 { range.lead } else { range.points };
        if range <= 0.0 {
            return Err("this program does not know its game or its rules: use the version that started the comparison".into());
        }
        let unusable = |why: String| format!("its test cannot be used: {why}");
        test.check(range).map_err(unusable)?;
        let matches = tournament.matches_per_deal();
        let alpha = match test {
            Test::Sprt(_) => ALPHA,
            _ => test.alpha(),
        };
        let betting = |range: f64| Betting::new(-range, range, alpha).map_err(unusable);
        Ok(Self {
            test,
            bots,
            alpha,
            matches: matches.ok_or("all deals of a comparison have the same number of matches")?,
            most: tournament.plan.deals,
            gathering: tournament.gather(),
            waiting: BTreeMap::new(),
            deals: 0,
            results: [Results::default(); 2],
            pentanomial: [0; 5],
            scores: betting(1.0)?,
            points: betting(range)?,
            transcripts: Transcripts::default(),
            copies: Copies::new(BOTH.len()),
            carryovers: Carryovers::new(tournament),
            verdict: TestVerdict::Running,
            taken: 0,
        })
    }

    /// Adds a match. Matches may come in any order, but each must be added once.
    pub fn add(&mut self, scored: Scored) -> Result<(), String> {
        self.taken += 1;
        if let Some(deal) = self.gathering.add_in_any_order(scored) {
            self.waiting.insert(deal.number, deal);
        }
        while self.verdict == TestVerdict::Running
            && let Some(deal) = self.waiting.remove(&(self.deals + 1))
        {
            self.count(&deal)?;
        }
        Ok(())
    }

    /// Returns the number of finished matches that the test did not need. It is 0 before the test decides.
    pub fn beyond(&self) -> u64 {
        match self.verdict {
            TestVerdict::Running => 0,
            _ => self.taken - u64::from(self.deals) * self.matches,
        }
    }

    /// Returns the number of deals on which the first bot has 0, 1, 2, 3 and 4 half-points; `None` if the bots are compared against a
    /// field.
    pub fn pentanomial(&self) -> Option<[u64; 5]> {
        (self.bots == 2).then_some(self.pentanomial)
    }

    /// Returns the estimate of the difference between both bots' mean scores, in −1 … 1.
    pub fn scores(&self) -> MeanEstimate {
        self.scores.estimate()
    }

    /// Returns the estimate of the difference between both bots' mean points per match.
    pub fn points(&self) -> MeanEstimate {
        self.points.estimate()
    }

    /// Counts a finished deal. All earlier deals must have been counted.
    fn count(&mut self, deal: &Deal) -> Result<(), String> {
        let mut sums = [Results::default(); 2];
        add_deal(deal, &mut sums);
        self.transcripts.add(deal);
        self.copies.add(deal);
        self.carryovers.add(deal);
        let outside = |_| "a match has more points than its rules allow; try `arena verify`";
        // A deal on which both bots forfeited all their matches says nothing.
        if let Some([score, points]) = differences(&sums) {
            self.scores.add(score).map_err(outside)?;
            self.points.add(points).map_err(outside)?;
        }
        add_deal(deal, &mut self.results);
        if let Some(cell) = self.pentanomial.get_mut(sums[0].half_points as usize)
            && sums[0].both_forfeited == 0
        {
            *cell += 1;
        }
        self.deals += 1;
        self.verdict = self.now();
        Ok(())
    }

    fn now(&self) -> TestVerdict {
        let verdict = match &self.test {
            Test::Sprt(sprt) => sprt::verdict(sprt, &self.pentanomial),
            Test::Score(sequence) => of_sequence(sequence, self.scores()),
            Test::Points(sequence) => of_sequence(sequence, self.points()),
        };
        match verdict {
            TestVerdict::Running if self.plays_alike() => TestVerdict::Equal,
            TestVerdict::Running if self.deals >= self.most => TestVerdict::Undecided,
            verdict => verdict,
        }
    }

    /// Returns `true` if both bots have made the same moves in every match of enough deals, without forfeits.
    pub fn plays_alike(&self) -> bool {
        let [first, second] = self.results;
        self.deals >= ALIKE_DEALS
            && first == second
            && first.forfeits == 0
            && self.copies.matches(BOTH) == first.matches
    }
}

/// Returns the verdict of a confidence sequence for a difference.
fn of_sequence(sequence: &Sequence, difference: MeanEstimate) -> TestVerdict {
    let [low, high] = difference.interval;
    match sequence.margin {
        _ if low > 0.0 => TestVerdict::First,
        _ if high < 0.0 => TestVerdict::Second,
        Some(margin) if -margin <= low && high <= margin => TestVerdict::Equal,
        _ => TestVerdict::Running,
    }
}
