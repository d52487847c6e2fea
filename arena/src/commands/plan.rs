//! `arena plan`: what a tournament consists of, and how long it takes here, from a short measurement.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_results::ledger::Ledger;
use arena_results::printable::clean;
use arena_tournament::schedule::{Planned, schedule};
use arena_tournament::spec::Spec;
use indicatif::HumanDuration;
use serde_json::json;

use super::print;
use crate::cli::Planning;
use crate::runner::{self, Finished, Logs, Run, Stop};
use crate::spec::read;
use crate::tournament::{folder, sandbox};

/// The number of matches of the schedule that are measured at most.
const SAMPLE: u64 = 2_000;

/// Prints what a tournament consists of.
pub fn run(args: &Planning) -> anyhow::Result<ExitCode> {
    let (spec, done) = find(args)?;
    let speed = match args.seconds {
        seconds if seconds > 0.0 => {
            games::visit(&spec.plan.game, Measure { spec: &spec, seconds }).context("no such game")??
        }
        _ => None,
    };
    let text = if args.json {
        let (planned, plan) = (spec.matches(), &spec.plan);
        let left = planned.saturating_sub(done);
        let all = json!({
            "name": spec.name, "game": plan.game, "format": plan.format.name(), "seats": plan.seats, "deals": plan.deals,
            "rounds": spec.rounds(), "bots": spec.bots.len(), "matches": planned, "finished": done,
            "matches_of_round_1": in_first_round(&spec), "matches_per_second": speed, "jobs": spec.local.jobs,
            "seconds_left": speed.map(|speed| left as f64 / speed),
        });
        format!("{all}\n")
    } else {
        in_words(&spec, done, speed)
    };
    print(&text)
}

/// The tournament of a file, or that of a folder, with the number of its finished matches.
fn find(args: &Planning) -> anyhow::Result<(Spec, u64)> {
    let flags = args.spec.flags();
    match &args.spec.file {
        Some(dir) if dir.is_dir() => Ok((folder::spec(dir, &flags)?, Ledger::open_read_only(dir)?.count()?)),
        Some(file) => Ok((read::of_file(file, &flags)?, 0)),
        None => Ok((read::of_flags(&flags)?, 0)),
    }
}

/// The matches of each bot in the first round; in all, where there is one round.
fn in_first_round(spec: &Spec) -> BTreeMap<&str, u64> {
    let mut counts = vec![0; spec.bots.len()];
    for meeting in spec.meetings(1, &[]) {
        let matches = (meeting.deals.end() + 1 - meeting.deals.start()) as u64 * spec.field().orders() as u64;
        meeting.bots.iter().for_each(|bot| counts[*bot] += matches);
    }
    spec.bots.iter().map(|bot| bot.name.as_str()).zip(counts).collect()
}

fn in_words(spec: &Spec, done: u64, speed: Option<f64>) -> String {
    let (planned, rounds, plan) = (spec.matches(), spec.rounds(), &spec.plan);
    let mut text = format!("{}: {}, {}\n\n", clean(&spec.name), plan.game, plan.format.name());
    let mut row = |what: &str, value: String| text += &format!("{what:<20}{value}\n");
    row("bots", spec.bots.len().to_string());
    row("seats", plan.seats.to_string());
    if rounds > 1 {
        row("rounds", rounds.to_string());
        row("deals in each round", plan.deals.to_string());
    } else {
        row("deals", plan.deals.to_string());
    }
    row("seatings of a table", format!("{} on each deal", spec.field().orders()));
    row("matches", planned.to_string());
    let counts = in_first_round(spec);
    let (least, most) = (counts.values().min().unwrap_or(&0), counts.values().max().unwrap_or(&0));
    let each = if least == most { least.to_string() } else { format!("{least} to {most}") };
    row(if rounds > 1 { "a bot in round 1" } else { "each bot plays" }, format!("{each} matches"));
    if done > 0 {
        row("finished", done.to_string());
    }
    if let Some(speed) = speed {
        let left = Duration::from_secs_f64(planned.saturating_sub(done) as f64 / speed);
        row("measured", format!("{speed:.0} matches/s with {} jobs", spec.local.jobs));
        row("will take about", HumanDuration(left).to_string());
    }
    text
}

struct Measure<'a> {
    spec: &'a Spec,
    seconds: f64,
}

impl Visitor for Measure<'_> {
    type Out = anyhow::Result<Option<f64>>;

    /// Plays matches from all over the first round, as a tournament would, and saves none. Matches per second.
    fn visit<G: Game>(self) -> Self::Out {
        let Measure { spec, seconds } = self;
        let sandbox = sandbox::for_programs(spec, &[])?;
        let rules = serde_json::from_value(spec.plan.rules.clone())?;
        let stop = Stop::default();
        let run = Run { spec, rules: &rules, logs: Logs::default(), stop: &stop, sandbox: &sandbox };
        let sample = sample(spec);
        let until = Duration::from_secs_f64(seconds);
        let (mut finished, mut first, mut last) = (0_u64, None, None);
        let began = Instant::now();
        runner::play_each::<G>(run, sample.into_iter(), |one| {
            if let Finished::Unplayed { id, why } = one {
                anyhow::bail!("match {id}: {why}");
            }
            last = Some(Instant::now());
            first = first.or(last);
            finished += 1;
            if began.elapsed() >= until {
                stop.stop();
            }
            Ok(())
        })?;
        // From the first to the last, so that the starts of programs do not count; with one match, from the beginning.
        let (Some(first), Some(last)) = (first, last) else { return Ok(None) };
        let (count, took) = if finished > 1 { (finished - 1, last - first) } else { (1, last - began) };
        Ok(Some(count as f64 / took.as_secs_f64().max(1e-6)))
    }
}

/// Matches from all over the first round, in an order that mixes them.
fn sample(spec: &Spec) -> Vec<Planned> {
    let meetings = spec.meetings(1, &[]);
    let deals = meetings.iter().map(|meeting| u64::from(meeting.deals.end() + 1 - meeting.deals.start()));
    let all = deals.sum::<u64>() * spec.field().orders() as u64;
    let step = all.div_ceil(SAMPLE).max(1);
    let mut sample: Vec<Planned> = schedule(spec.field(), &meetings).step_by(step as usize).collect();
    spec.plan.seed.stream("plan", 0).shuffle(&mut sample);
    sample
}
