//! Counts memory allocations per turn of a match between two programs, from seating to the last turn, without saving the match.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use arena_config::FlagValue;
use arena_config::read::{self, Flags};
use arena_runner::{Finished, Run, Starts, Stop};
use arena_session::sandbox;
use arena_tournament::schedule::schedule;

/// Maximum mean number of allocations per turn, including the start and the end of the match.
const MAX_PER_TURN: f64 = 8.0;
/// Number of initial matches that are not counted because buffers still grow.
const WARM_UP_MATCHES: u32 = 20;
const LAST_MATCH: u32 = 120;

struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[expect(unsafe_code, reason = "an allocator is unsafe to implement")]
// SAFETY: all calls are forwarded to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(memory, layout, size) }
    }
}

fn main() -> anyhow::Result<ExitCode> {
    if let Some(code) = arena_sandbox::linux::stage(std::env::args_os()) {
        return Ok(code);
    }
    if std::env::args().nth(1).as_deref() == Some("bot") {
        arena_bots::wire::serve("random", 1, io::stdin().lock(), io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    let own = std::env::current_exe()?;
    let own = shlex::try_quote(&own.to_string_lossy())?.into_owned();
    let bots = ["one", "two"].map(|name| format!("{name}={own} bot"));
    let values = FlagValue::each("bots", "bot", &bots);
    let mut spec = read::table(&Flags {
        values,
        ..Flags::default()
    })?;
    (spec.local.jobs, spec.plan.deals) = (1, LAST_MATCH);
    let (stop, starts, sandbox) = (
        Stop::default(),
        Starts::default(),
        sandbox::for_programs(&spec, &[])?,
    );
    let (mut matches, mut turns, mut first) = (0, 0, 0);
    let mut in_all = 0;
    let meetings = spec.meetings(1, &[]);
    arena_runner::play_all(
        Run::new(&spec, &stop, &starts, &sandbox),
        schedule(spec.field(), &meetings),
        |all| {
            for finished in all {
                let Finished::Played(played) = finished else {
                    anyhow::bail!("a match was not played")
                };
                matches += 1;
                if matches == WARM_UP_MATCHES {
                    first = COUNT.load(Ordering::Relaxed);
                } else if (WARM_UP_MATCHES..=LAST_MATCH).contains(&matches) {
                    turns += played.times.moves.len();
                    in_all = COUNT.load(Ordering::Relaxed) - first;
                }
            }
            Ok(())
        },
    )?;
    let each = in_all as f64 / turns as f64;
    println!("{each:.1} allocations a turn, in {turns} turns");
    assert!(
        turns > 1_000 && each <= MAX_PER_TURN,
        "{each:.1} allocations a turn, {MAX_PER_TURN} at most"
    );
    Ok(ExitCode::SUCCESS)
}
