//! `arena plan`: what a tournament consists of, and how long it takes here, from a short measurement.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_results::ledger::Ledger;
use arena_results::text::clean;
use indicatif::HumanDuration;
use serde_json::json;

use crate::cli::Planning;
use crate::format::field::Field;
use crate::format::plan;
use crate::format::schedule::{Planned, schedule};
use crate::runner::{self, Finished, Logs, Run, Stop};
use crate::setup::{self, Setup};
use crate::tournament::{folder, sandbox};

/// How many matches of the schedule are measured at most.
const SAMPLE: u64 = 2_000;

/// Tells what will be played.
pub fn run(asked: &Planning) -> anyhow::Result<ExitCode> {
    let (setup, done) = find(asked)?;
    let field = setup.field();
    let speed = match asked.seconds {
        seconds if seconds > 0.0 => {
            games::visit(&setup.game, Measure { setup: &setup, field: &field, seconds }).context("no such game")??
        }
        _ => None,
    };
    let planned = plan::count(&field);
    let left = planned.saturating_sub(done);
    let text = if asked.json {
        let bots: BTreeMap<&str, u64> = named(&setup, &field);
        let told = json!({
            "name": setup.name, "game": setup.game, "format": plan::name(&setup.format), "seats": setup.seats, "deals": setup.deals,
            "rounds": plan::rounds(&field), "bots": setup.bots.len(), "matches": planned, "finished": done,
            "matches_of_round_1": bots, "matches_per_second": speed, "jobs": setup.jobs,
            "seconds_left": speed.map(|speed| left as f64 / speed),
        });
        format!("{told}\n")
    } else {
        in_words(&setup, &field, done, speed)
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The tournament of a file, or that of a folder, with how much of it is finished.
fn find(asked: &Planning) -> anyhow::Result<(Setup, u64)> {
    match &asked.asked.file {
        Some(dir) if dir.is_dir() => {
            Ok((folder::setup_with(dir, &asked.asked)?, Ledger::open_read_only(dir)?.count()?))
        }
        _ => Ok((setup::file::tournament(&asked.asked)?, 0)),
    }
}

/// How many matches each bot has in the first round; in all, where there is one round.
fn named<'a>(setup: &'a Setup, field: &Field) -> BTreeMap<&'a str, u64> {
    let mut counts = vec![0; setup.bots.len()];
    for meeting in plan::meetings(field, 1, &[]) {
        let matches = (meeting.deals.end() + 1 - meeting.deals.start()) as u64 * field.orders() as u64;
        meeting.bots.iter().for_each(|bot| counts[*bot] += matches);
    }
    setup.bots.iter().map(|bot| bot.name.as_str()).zip(counts).collect()
}

fn in_words(setup: &Setup, field: &Field, done: u64, speed: Option<f64>) -> String {
    let (planned, rounds) = (plan::count(field), plan::rounds(field));
    let mut told = format!("{}: {}, {}\n\n", clean(&setup.name), setup.game, plan::name(&setup.format));
    let mut row = |what: &str, value: String| told += &format!("{what:<20}{value}\n");
    row("bots", setup.bots.len().to_string());
    row("seats", setup.seats.to_string());
    if rounds > 1 {
        row("rounds", rounds.to_string());
        row("deals in each round", setup.deals.to_string());
    } else {
        row("deals", setup.deals.to_string());
    }
    row("seatings of a table", format!("{} on each deal", field.orders()));
    row("matches", planned.to_string());
    let counts = named(setup, field);
    let (least, most) = (counts.values().min().unwrap_or(&0), counts.values().max().unwrap_or(&0));
    let each = if least == most { least.to_string() } else { format!("{least} to {most}") };
    row(if rounds > 1 { "a bot in round 1" } else { "each bot plays" }, format!("{each} matches"));
    if done > 0 {
        row("finished", done.to_string());
    }
    if let Some(speed) = speed {
        let left = Duration::from_secs_f64(planned.saturating_sub(done) as f64 / speed);
        row("measured", format!("{speed:.0} matches/s with {} jobs", setup.jobs));
        row("will take about", HumanDuration(left).to_string());
    }
    told
}

struct Measure<'a> {
    setup: &'a Setup,
    field: &'a Field,
    seconds: f64,
}

impl Visitor for Measure<'_> {
    type Out = anyhow::Result<Option<f64>>;

    /// Plays matches from all over the first round, as a tournament would, and saves none. Matches per second.
    fn visit<G: Game>(self) -> Self::Out {
        let Measure { setup, field, seconds } = self;
        let sandbox = sandbox::for_programs(setup, &[])?;
        let rules = serde_json::from_value(setup.rules.clone())?;
        let stop = Stop::default();
        let run = Run::<G::Rules> { setup, rules: &rules, logs: Logs::default(), stop: &stop, sandbox: &sandbox };
        let sample = sample(field);
        let (sender, receiver) = mpsc::sync_channel(1_024);
        let until = Duration::from_secs_f64(seconds);
        thread::scope(|scope| {
            let running = scope.spawn(move || runner::play::<G>(run, sample.into_iter(), &sender));
            let (mut finished, mut first, mut last) = (0_u64, None, None);
            let began = Instant::now();
            while let Ok(one) = receiver.recv() {
                if let Finished::Unplayed { id, why } = one {
                    anyhow::bail!("match {id}: {why}");
                }
                last = Some(Instant::now());
                first = first.or(last);
                finished += 1;
                if began.elapsed() >= until {
                    stop.stop();
                }
            }
            running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            // From the first to the last, so that the starts of programs do not count; with one match, from the beginning.
            let (Some(first), Some(last)) = (first, last) else { return Ok(None) };
            let (count, took) = if finished > 1 { (finished - 1, last - first) } else { (1, last - began) };
            Ok(Some(count as f64 / took.as_secs_f64().max(1e-6)))
        })
    }
}

/// Matches from all over the first round, in an order that mixes them.
fn sample(field: &Field) -> Vec<Planned> {
    let meetings = plan::meetings(field, 1, &[]);
    let all: u64 = meetings
        .iter()
        .map(|meeting| u64::from(meeting.deals.end() + 1 - meeting.deals.start()) * field.orders() as u64)
        .sum();
    let step = all.div_ceil(SAMPLE).max(1);
    let mut sample: Vec<Planned> = schedule(field, &meetings).step_by(step as usize).collect();
    field.seed.stream("plan", 0).shuffle(&mut sample);
    sample
}
