//! What was measured, as values and as a table.

use std::fmt::Write;

use arena_engine::chance::Seed;
use arena_tournament::test::Model;
use serde::Serialize;

use super::claims::Kind;
use super::coverage::Coverage;
use super::sequential::{Peeked, Pool, Tested};

/// All that was measured.
#[derive(Serialize)]
pub struct Calibration {
    /// Where all chance came from.
    pub seed: Seed,
    /// How many tournaments of each number of deals.
    pub tournaments: u32,
    /// How many sequential tests, and streams, of each kind.
    pub tests: u32,
    /// How many deals the truth was taken from.
    pub truth_deals: u32,
    /// How many resamples the intervals of ratings were made of.
    pub resamples: usize,
    /// Game by game.
    pub games: Vec<Game>,
}

/// What was measured of one game.
#[derive(Serialize)]
pub struct Game {
    /// Its name.
    pub game: &'static str,
    /// The good bot.
    pub good: &'static str,
    /// Seats at a table.
    pub seats: usize,
    /// Each bot's share of good moves, in percent.
    pub percents: &'static [u32],
    /// How many independent matches one match of a block is worth, for the score of two bots.
    pub score_ratio: Option<Ratio>,
    /// The same for the difference of their points.
    pub points_ratio: Option<Ratio>,
    /// How often intervals held the truth.
    pub coverage: Vec<Coverage>,
    /// The blocks that tests drew from; none for larger tables.
    pub pools: Vec<Pool>,
    /// How sequential tests did.
    pub sequential: Vec<Tested>,
    /// How often looking again and again went wrong.
    pub peeking: Vec<Peeked>,
}

/// A number for every pair of bots.
#[derive(Serialize)]
pub struct Ratio {
    /// The least.
    pub least: f64,
    /// The mean.
    pub mean: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Ratio {
    /// Of these numbers; none without one.
    pub fn of(numbers: impl Iterator<Item = f64>) -> Option<Self> {
        let numbers: Vec<f64> = numbers.collect();
        let least = numbers.iter().copied().reduce(f64::min)?;
        let greatest = numbers.iter().copied().reduce(f64::max)?;
        Some(Self { least, mean: numbers.iter().sum::<f64>() / numbers.len() as f64, greatest })
    }
}

/// The report in words and tables, 80 columns wide.
pub fn text(report: &Calibration) -> String {
    let mut text = format!(
        "truth from {} deals; {} tournaments of each size; {} tests of each kind; seed {}\n\
         in %, ± the standard error of the measurement; biases in Elo\n",
        report.truth_deals, report.tournaments, report.tests, report.seed
    );
    for game in &report.games {
        push(&mut text, &heading(game));
        push(&mut text, &coverage(game));
        if !game.sequential.is_empty() {
            push(&mut text, &sequential(game));
            push(&mut text, &peeking(game));
        }
    }
    text
}

fn push(text: &mut String, part: &str) {
    text.push('\n');
    text.push_str(part);
}

fn heading(game: &Game) -> String {
    let percents: Vec<String> = game.percents.iter().map(u32::to_string).collect();
    let mut text = format!("{}, {} seats, moves of {}: ", game.game, game.seats, game.good);
    line(&mut text, &format!("{} %", percents.join(", ")));
    for (what, ratio) in [("score", &game.score_ratio), ("points", &game.points_ratio)] {
        if let Some(Ratio { least, mean, greatest }) = ratio {
            line(
                &mut text,
                &format!("a match in a block is worth {mean:.2} ({least:.2} to {greatest:.2}) free ones, by {what}"),
            );
        }
    }
    text
}

fn coverage(game: &Game) -> String {
    let mut deals: Vec<u32> = game.coverage.iter().map(|one| one.deals).collect();
    deals.sort_unstable();
    deals.dedup();
    let mut text = format!("{:<28}", "95 % intervals that hold");
    deals.iter().for_each(|deals| text.push_str(&format!("{:>14}", format!("{deals} deals"))));
    text.push('\n');
    for (kind, name) in KINDS {
        let row: Vec<&Coverage> = game.coverage.iter().filter(|one| one.kind == kind).collect();
        if row.iter().all(|one| one.intervals == 0) {
            continue;
        }
        let _ = write!(text, "{name:<28}");
        for deals in &deals {
            let found = row.iter().find(|one| one.deals == *deals && one.intervals > 0);
            let cell = found.map_or("-".into(), |one| percent(one.share, one.error));
            let _ = write!(text, "{cell:>14}");
        }
        text.push('\n');
    }
    text
}

const KINDS: [(Kind, &str); 11] = [
    (Kind::Points, "points per match"),
    (Kind::PointsNaive, "  as if matches were free"),
    (Kind::Effect, "points by the model"),
    (Kind::Score, "score and Elo of two bots"),
    (Kind::ScoreNaive, "  as if matches were free"),
    (Kind::Normalised, "normalised Elo of two bots"),
    (Kind::Difference, "points difference of two"),
    (Kind::Rating, "rating"),
    (Kind::Gap, "lead over the next in rank"),
    (Kind::Rank, "rank"),
    (Kind::FirstSeat, "first seat"),
];

fn sequential(game: &Game) -> String {
    let mut text = format!(
        "{:<21}{:>13}{:>8} {:>7}{:>10}{:>7}\n",
        "sequential, truth at", "says elo1", "blocks", "(fixed)", "interval", "naive"
    );
    let mut last = "";
    for one in &game.sequential {
        if one.pool != last {
            line(&mut text, &format!("{}, hypotheses 40 Elo apart about the truth", one.pool));
            last = &one.pool;
        }
        let model = match one.model {
            Model::Logistic => "Elo",
            Model::Normalised => "nElo",
        };
        let place = match one.place {
            0.0 => "elo0",
            1.0 => "elo1",
            _ => "the middle",
        };
        let accepted = percent(one.accepted, one.error);
        let row = format!(
            "  {model:<5}{place:<14}{accepted:>13}{:>8.0} ({:>5}){:>10.1}{:>7.1}",
            one.blocks,
            one.fixed,
            100.0 * one.covers,
            one.naive_bias
        );
        line(&mut text, &row);
    }
    text
}

fn peeking(game: &Game) -> String {
    let mut text = String::from("ever wrong, looked at after every block\n");
    for one in &game.peeking {
        let (student, betting) = (percent(one.student, one.student_error), percent(one.betting, one.betting_error));
        line(&mut text, &format!("  {}, {} blocks: t interval {student}, by betting {betting}", one.pool, one.looks));
    }
    text
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn percent(share: f64, error: f64) -> String {
    format!("{:.1} ± {:.1}", 100.0 * share, 100.0 * error)
}
