//! The offer of a worker: it measures its machine at the start.

use std::time::{Duration, Instant};

use anyhow::Context;
use arena_bots::headless;
use arena_engine::game::Game;
use arena_engine::{by_name, games};
use arena_tournament::spec::Isolation;

use crate::message::{self, Hello, LONGEST, LONGEST_NAME};
use crate::options::Working;
use crate::{build, machine};
use arena_config::diagnostic::UsageError;
use arena_config::trust::lower_isolation;
use arena_sandbox::Wanted;
use arena_sandbox::cores;

/// How long the machine is measured.
const PROBE: Duration = Duration::from_millis(300);

/// This machine.
pub fn measure(options: &Working) -> anyhow::Result<Hello> {
    let (cores, jobs) = (cores::count(), options.jobs.unwrap_or_else(cores::count));
    if jobs == 0 || (jobs > cores && !options.oversubscribe) {
        let why = format!(
            "{jobs} jobs on {cores} cores: use 1 to {cores}, or more with --oversubscribe, where clocks are slower"
        );
        return Err(UsageError::one(why).into());
    }
    let plain = |c: char| {
        if message::is_name(c.encode_utf8(&mut [0; 4])) {
            c
        } else {
            '-'
        }
    };
    let worker = options
        .name
        .clone()
        .unwrap_or_else(|| machine().chars().map(plain).collect());
    if !message::is_name(&worker) {
        let why = format!(
            "{worker:?} is not a valid worker name: use 1 to {LONGEST_NAME} letters, digits, - and _"
        );
        return Err(UsageError::one(why).into());
    }
    let (isolation, best) = isolation(options)?;
    let id = arena_config::seed::draw()?.into();
    Ok(Hello {
        worker,
        id,
        build: build::this()?,
        cores,
        jobs,
        speed: speed()?,
        isolation,
        best,
    })
}

/// Random matches of the first game in a second on one core.
fn speed() -> anyhow::Result<f64> {
    by_name!(games::NAMES[0], G => matches_per_second::<G>()).context("no such game")?
}

fn matches_per_second<G: Game>() -> anyhow::Result<f64> {
    let began = Instant::now();
    let amount = headless::matches::<G>(&G::Rules::default(), *G::SEATS.start(), 1, |_| {
        began.elapsed() < PROBE
    })?;
    Ok(amount.matches as f64 / began.elapsed().as_secs_f64())
}

/// The levels of isolation that can be had, and the best of them in words.
fn isolation(
    &Working { as_root, trust, .. }: &Working,
) -> anyhow::Result<(Vec<Isolation>, String)> {
    let available = arena_sandbox::available()?;
    let choose = |isolation: &Isolation| {
        arena_sandbox::choose(
            Wanted {
                isolation: *isolation,
                as_root,
                ..Wanted::default()
            },
            &available,
        )
    };
    let all = [
        Isolation::Auto,
        Isolation::Require,
        Isolation::Bubblewrap,
        Isolation::Landlock,
    ];
    let mut levels: Vec<Isolation> = all
        .into_iter()
        .filter(|level| choose(level).is_ok())
        .collect();
    levels.push(Isolation::Off);
    levels.retain(|level| trust || lower_isolation(*level).is_none());
    let best = match choose(&Isolation::Auto) {
        Ok(chosen) => chosen.backend.name().to_owned(),
        Err(why) => why.to_string().chars().take(LONGEST).collect(),
    };
    Ok((levels, best))
}
