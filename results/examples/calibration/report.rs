//! Report of a calibration, as values and as a table.

use arena_engine::chance::Seed;
use serde::Serialize;

use super::claims::Kind;
use super::coverage::{Alarms, Coverage};
use super::formats::Claimed;
use super::sequential::{Peeked, Pool, Tested};

/// Results of a calibration.
#[derive(Serialize)]
pub struct Calibration {
    /// Random seed.
    pub seed: Seed,
    /// Number of tournaments for each number of deals.
    pub tournaments: u32,
    /// Number of sequential tests, and of streams, of each kind.
    pub tests: u32,
    /// Number of deals that define the truth.
    pub truth_deals: u32,
    /// Results by game.
    pub games: Vec<Game>,
    /// Results by format; empty if only one game was requested.
    pub formats: Vec<Claimed>,
}

/// Results of one game.
#[derive(Serialize)]
pub struct Game {
    /// Name of the game.
    pub game: &'static str,
    /// Number of seats.
    pub seats: usize,
    /// Names of the bots. A bot with a number makes that percentage of another bot's moves, and random moves in the rest.
    pub bots: Vec<String>,
    /// Percentage of deals on which they make random moves.
    pub deviates: u32,
    /// Coverage of intervals.
    pub coverage: Vec<Coverage>,
    /// Rates at which equal bots were found to differ.
    pub alarms: Vec<Alarms>,
    /// Pools of blocks that tests drew from; empty for larger tables.
    pub pools: Vec<Pool>,
    /// Results of sequential tests.
    pub sequential: Vec<Tested>,
    /// Error rates of repeated looks.
    pub peeking: Vec<Peeked>,
}

/// Formats the report as text and tables, 80 columns wide.
pub fn text(report: &Calibration) -> String {
    let mut text = format!(
        "{} deals played; {} tournaments of each size; {} tests of each kind; seed {}\n\
         in %, of the worst bot or pair; widths and biases in points, Elo or score\n",
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
    if !report.formats.is_empty() {
        push(&mut text, &formats(&report.formats));
    }
    text
}

fn push(text: &mut String, part: &str) {
    text.push('\n');
    text.push_str(part);
}

fn heading(game: &Game) -> String {
    let mut text = String::new();
    line(
        &mut text,
        &format!(
            "{}, {} seats: {}{}",
            game.game,
            game.seats,
            game.bots.join(", "),
            if game.deviates < 100 {
                format!(";\n  other moves on {} % of deals", game.deviates)
            } else {
                String::new()
            }
        ),
    );
    text
}

fn coverage(game: &Game) -> String {
    let mut text = format!(
        "{:<24}{:>6}{:>7}{:>7}{:>9}  tail of\n",
        "95 % intervals", "deals", "shown", "tail", "width"
    );
    for (kind, name) in KINDS {
        for one in game
            .coverage
            .iter()
            .filter(|one| one.kind == kind && one.shown > 0.0)
        {
            let width = one.width.map_or_else(
                || "-".into(),
                |width| format!("{width:.*}", if width < 10.0 { 2 } else { 0 }),
            );
            let shown = 100.0 * one.shown;
            let tail = 100.0 * one.tail;
            let mut of = one.tail_of.clone();
            let room = 80 - 55;
            if of.chars().count() > room {
                // The side, at the end of the text, matters more than the complete name.
                let (about, side) = of.rsplit_once(' ').unwrap_or(("", ""));
                let cut: String = about.chars().take(room - side.len() - 2).collect();
                of = format!("{cut}… {side}");
            }
            let row = format!(
                "{name:<24}{:>6}{shown:>7.0}{tail:>7.1}{width:>9}  {of}",
                one.deals
            );
            line(&mut text, row.trim_end());
        }
    }
    line(
        &mut text,
        &format!("{:<24}{:>6}{:>14}", "equal bots", "deals", "one is ahead"),
    );
    for one in &game.alarms {
        line(
            &mut text,
            &format!("{:<24}{:>6}{:>14.1}", "", one.deals, 100.0 * one.ahead),
        );
    }
    text
}

const KINDS: [(Kind, &str); 5] = [
    (Kind::Points, "points per match"),
    (Kind::Lead, "lead of two"),
    (Kind::Score, "score, Elo of two"),
    (Kind::Rating, "rating"),
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
            line(&mut text, &format!("{}, hypotheses 40 Elo apart", one.pool));
            last = &one.pool;
        }
        let place = match one.place {
            0.0 => "elo0",
            1.0 => "elo1",
            _ => "the middle",
        };
        let accepted = percent(one.accepted, one.error);
        let row = format!(
            "  {place:<19}{accepted:>13}{:>8.0} ({:>5}){:>10.1}{:>7.1}",
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
        let (student, betting) = (
            percent(one.student, one.student_error),
            percent(one.betting, one.betting_error),
        );
        line(&mut text, &format!("{}, {} blocks:", one.pool, one.looks));
        line(
            &mut text,
            &format!("  t interval {student}, by betting {betting}"),
        );
    }
    text
}

fn formats(claimed: &[Claimed]) -> String {
    let mut text = format!(
        "{:<31}{:<29}{:>5}{:>8}{:>7}\n",
        "by format", "", "deals", "false", "found"
    );
    let mut last = "";
    for one in claimed {
        let field = if one.field == last { "" } else { one.field };
        last = one.field;
        let (wrong, found) = (100.0 * one.false_claims, 100.0 * one.found);
        line(
            &mut text,
            &format!(
                "{field:<31}{:<29}{:>5}{wrong:>8.1}{found:>7.0}",
                one.format, one.deals
            ),
        );
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
