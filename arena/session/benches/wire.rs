//! Cost of a turn between the arena and a program, compared with bare pipes: `cargo bench -p arena-session --bench wire`, with `--
//! --help` for its options.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use arena_engine::table;
use arena_ledger::ledger::Ledger;
use arena_tournament::played::Played;
use arena_tournament::schedule::schedule;
use arena_tournament::spec::Spec;
use clap::Parser;
use serde::Serialize;

use arena_config::FlagValue;
use arena_config::read::{self, Flags};
use arena_runner::{Finished, Run, Starts, Stop};
use arena_sandbox::cores;
use arena_session::games::Games;
use arena_session::sandbox;

/// Approximate size of a turn of Coda and of its answer, in bytes.
const TURN: usize = 330;
const ANSWER: usize = 60;
/// Fixed seed, so that every measurement plays the same matches.
const SEED: u64 = 1;
/// Number of deals; no measurement lasts long enough to play all of them.
const DEALS: u32 = 100_000;

#[derive(Serialize)]
struct Report {
    /// Number of concurrent matches, or pairs of pipes.
    jobs: usize,
    /// True if each worker and its bots were pinned to one core.
    pinned: bool,
    /// Round trips per second through bare pipes, over all jobs.
    pipe_turns_per_second: f64,
    /// Turns per second in matches saved in a ledger, over all jobs.
    turns_per_second: f64,
    /// Duration of a turn relative to a round trip through bare pipes.
    ratio: f64,
    /// CPU time of the arena per turn, in microseconds: rules, JSON, clocks, ledger.
    arena_cpu_us_per_turn: f64,
    /// CPU time of the bots per turn, in microseconds.
    bots_cpu_us_per_turn: f64,
    /// Number of turns measured.
    turns: u64,
    /// Number of matches measured.
    matches: u64,
}

/// Options of the measurement.
#[derive(Parser)]
struct Args {
    /// Command of a program that plays; by default two built-in `random` bots
    #[arg(long = "program", value_name = "COMMAND")]
    programs: Vec<String>,
    /// Game in this folder instead of Coda; its bots are given with --program
    #[arg(long, value_name = "FOLDER", requires = "programs")]
    game: Option<String>,
    /// Number of concurrent matches that each built-in bot offers
    #[arg(long, default_value_t = 1, value_name = "N")]
    matches: u32,
    /// Number of concurrent matches, or pairs of pipes; one per core by default
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Do not keep each worker and its bots on one core
    #[arg(long)]
    no_pin: bool,
    /// Duration of each of the two measurements, in seconds
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Flag that `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    if let Some(code) = arena_sandbox::linux::stage(std::env::args_os()) {
        return Ok(code);
    }
    match std::env::args()
        .collect::<Vec<_>>()
        .get(1..)
        .unwrap_or_default()
    {
        [echo] if echo == "echo" => self::echo(),
        [bot, matches] if bot == "bot" => {
            arena_bots::wire::serve(
                "random",
                matches.parse()?,
                io::stdin().lock(),
                io::stdout().lock(),
            )?;
            Ok(ExitCode::SUCCESS)
        }
        _ => run(&Args::parse()),
    }
}

/// Runs both measurements, and prints the results.
fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let spec = &spec(args)?;
    let limit = Duration::from_secs_f64(args.seconds);
    let pipes = pipes(spec, limit)?;
    let report = matches(spec, limit, pipes)?;
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let where_ = if report.pinned {
        "each with its bots on one core"
    } else {
        "not kept on cores"
    };
    writeln!(out, "{} at the same time, {where_}\n", report.jobs)?;
    writeln!(
        out,
        "bare pipes      {:>9.0} turns/s",
        report.pipe_turns_per_second
    )?;
    writeln!(
        out,
        "matches         {:>9.0} turns/s, {:.2} times as long a turn",
        report.turns_per_second, report.ratio
    )?;
    let (arena, bots) = (report.arena_cpu_us_per_turn, report.bots_cpu_us_per_turn);
    writeln!(
        out,
        "computed        {arena:>9.2} µs a turn by the arena, {bots:.2} µs by the bots"
    )?;
    Ok(ExitCode::SUCCESS)
}

fn spec(args: &Args) -> anyhow::Result<Spec> {
    let own = std::env::current_exe()?;
    let ours = format!(
        "{} bot {}",
        shlex::try_quote(&own.to_string_lossy())?,
        args.matches
    );
    let command = |nth: usize| {
        args.programs
            .get(nth)
            .or(args.programs.last())
            .unwrap_or(&ours)
            .clone()
    };
    let bots: Vec<String> = (0..2)
        .map(|nth| format!("bot {nth}={}", command(nth)))
        .collect();
    let mut values = FlagValue::each("bots", "bot", &bots);
    values.push(FlagValue::new("seed", SEED, format!("--seed {SEED}")));
    let game = args.game.as_deref().map(|game| {
        table::set_loader(&Games);
        FlagValue::new("game", game, format!("--game {game}"))
    });
    values.extend(game);
    let mut spec = read::table(&Flags {
        values,
        ..Flags::default()
    })?;
    spec.local.jobs = args.jobs.unwrap_or_else(cores::count);
    spec.local.pin = !args.no_pin;
    spec.plan.deals = DEALS;
    Ok(spec)
}

/// Measures round trips per second through pipes to another process, without JSON, rules or clocks.
fn pipes(spec: &Spec, limit: Duration) -> anyhow::Result<f64> {
    let (jobs, pin) = (spec.local.jobs, spec.local.pin);
    let counted: io::Result<u64> = thread::scope(|scope| {
        let pairs: Vec<_> = (0..jobs)
            .map(|job| scope.spawn(move || pair(job, pin, limit)))
            .collect();
        let ended = pairs.into_iter().map(|pair| {
            pair.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        ended.sum()
    });
    Ok(counted? as f64 / limit.as_secs_f64())
}

fn pair(job: usize, pin: bool, limit: Duration) -> io::Result<u64> {
    if pin {
        cores::stay_on(job);
    }
    let mut echo = Command::new(std::env::current_exe()?)
        .arg("echo")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = echo.stdin.take().expect("stdin is piped");
    let mut stdout = BufReader::new(echo.stdout.take().expect("stdout is piped"));
    let turn = [vec![b'x'; TURN], vec![b'\n']].concat();
    let (mut answer, mut count) = (Vec::new(), 0);
    let began = Instant::now();
    while began.elapsed() < limit {
        for _ in 0..64 {
            stdin.write_all(&turn)?;
            answer.clear();
            stdout.read_until(b'\n', &mut answer)?;
            count += 1;
        }
    }
    drop(stdin);
    echo.wait()?;
    Ok(count)
}

/// Echoes every line until the input ends.
fn echo() -> anyhow::Result<ExitCode> {
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let answer = [vec![b'x'; ANSWER], vec![b'\n']].concat();
    let mut line = Vec::new();
    while stdin.read_until(b'\n', &mut line)? > 0 {
        stdout.write_all(&answer)?;
        stdout.flush()?;
        line.clear();
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures matches as in a tournament, saved in a temporary ledger.
fn matches(spec: &Spec, limit: Duration, pipes: f64) -> anyhow::Result<Report> {
    let folder = std::env::temp_dir().join(format!("arena-bench-{}", std::process::id()));
    let ledger = Ledger::create(&folder, spec)?;
    let measured = measure(spec, limit, ledger);
    std::fs::remove_dir_all(&folder)?;
    let Measured {
        turns,
        matches,
        took,
        arena,
        bots,
    } = measured?;
    let turns_per_second = turns as f64 / took.as_secs_f64();
    let per_turn = |time: Duration| time.as_secs_f64() * 1e6 / turns as f64;
    Ok(Report {
        jobs: spec.local.jobs,
        pinned: spec.local.pin,
        pipe_turns_per_second: pipes,
        turns_per_second,
        ratio: pipes / turns_per_second,
        arena_cpu_us_per_turn: per_turn(arena),
        bots_cpu_us_per_turn: per_turn(bots),
        turns,
        matches,
    })
}

/// Counts of matches and turns, and the CPU time of the arena and the bots.
struct Measured {
    turns: u64,
    matches: u64,
    took: Duration,
    arena: Duration,
    bots: Duration,
}

/// Plays until the time is up, and saves and counts the matches. The time starts with the first match, because the bots are then running.
fn measure(spec: &Spec, limit: Duration, mut ledger: Ledger) -> anyhow::Result<Measured> {
    let stop = Stop::default();
    let sandbox = sandbox::for_programs(spec, &[])?;
    let starts = Starts::default();
    let run = Run::new(spec, &stop, &starts, &sandbox);
    let before = computed()?;
    let meetings = spec.meetings(1, &[]);
    let (mut turns, mut matches, mut began) = (0, 0, None);
    arena_runner::play_all(run, schedule(spec.field(), &meetings), |all| {
        arena_runner::gathered(&all).try_for_each(|batch| {
            let is_played = |one| {
                if let Finished::Played(played) = one {
                    Some(*played)
                } else {
                    None
                }
            };
            let mut batch: Vec<Played> = batch.into_iter().filter_map(is_played).collect();
            if let Some(fault) = batch
                .iter()
                .flat_map(|played| played.verdict.faults.iter().flatten())
                .next()
            {
                anyhow::bail!("a bot failed: {}: {fault}", fault.cause());
            }
            if began.is_none() {
                batch.pop();
            }
            let began = *began.get_or_insert_with(Instant::now);
            matches += batch.len() as u64;
            turns += batch
                .iter()
                .map(|played| played.times.moves.len() as u64)
                .sum::<u64>();
            ledger.append(&batch)?;
            if Instant::elapsed(&began) >= limit {
                stop.stop();
            }
            Ok(())
        })
    })?;
    let took = began.context("no match was played")?.elapsed();
    let after = computed()?;
    Ok(Measured {
        turns,
        matches,
        took,
        arena: after.0 - before.0,
        bots: after.1 - before.1,
    })
}

/// Returns the CPU time so far of this process, and of its children that have been waited for.
fn computed() -> anyhow::Result<(Duration, Duration)> {
    use nix::sys::resource::{UsageWho, getrusage};
    let time = |time: nix::sys::time::TimeVal| {
        Duration::new(time.tv_sec().unsigned_abs(), time.tv_usec() as u32 * 1_000)
    };
    let of = |who| getrusage(who).map(|usage| time(usage.user_time()) + time(usage.system_time()));
    Ok((of(UsageWho::RUSAGE_SELF)?, of(UsageWho::RUSAGE_CHILDREN)?))
}
