//! Matches on this machine, or by a queue on others; `arena work` is one of the others.

#[cfg(feature = "nats")]
use std::path::PathBuf;
use std::process::ExitCode;

use arena_ledger::ledger::Ledger;

use crate::cli::queue::{Bundle, QueueArgs, Work};
#[cfg(feature = "nats")]
use arena_config::read;
#[cfg(feature = "nats")]
use arena_queue::{bundle, coordinator::Coordinator, worker};
#[cfg(feature = "nats")]
use arena_session::folder;
use arena_session::session::{Machines, Session};
use arena_session::{Observer, ThisMachine};

/// Plays for tournaments of others.
pub fn run(args: &Work) -> anyhow::Result<ExitCode> {
    if args.nats.url.is_none() {
        return super::wrong_use(
            "a worker gets its matches from a queue: arena work --nats nats://HOST:4222",
        );
    }
    #[cfg(feature = "nats")]
    return worker::run(&args.working().expect("the address is given"));
    #[cfg(not(feature = "nats"))]
    without_queue()
}

/// Shows what travels with the bots of a tournament.
pub fn bundle(args: &Bundle) -> anyhow::Result<ExitCode> {
    #[cfg(feature = "nats")]
    return show_bundles(args);
    #[cfg(not(feature = "nats"))]
    {
        let Bundle { spec: _, list: _ } = args;
        without_queue()
    }
}

#[cfg(feature = "nats")]
fn show_bundles(Bundle { spec: from, list }: &Bundle) -> anyhow::Result<ExitCode> {
    let flags = &from.keys.0;
    let (spec, dir) = match &from.file {
        Some(dir) if dir.is_dir() => (folder::spec(dir, flags)?, Some(std::path::absolute(dir)?)),
        Some(file) => (
            read::of_file(file, flags)?,
            Some(std::path::absolute(file.with_extension(""))?),
        ),
        None => (read::of_flags(flags)?, None),
    };
    let mut text = String::new();
    let folders: Vec<&std::path::Path> = dir.iter().map(PathBuf::as_path).collect();
    for (bot, bundle) in spec.bots.iter().zip(bundle::of_spec(&spec, &folders)?) {
        let Some(bundle) = bundle else { continue };
        text += &if *list {
            bundle.list(&bot.name)
        } else {
            bundle.summary(&bot.name) + "\n"
        };
        bundle
            .warnings
            .iter()
            .for_each(|warning| text += &format!("  warning: {warning}\n"));
    }
    super::print(if text.is_empty() {
        "no bot is a program, so nothing travels\n"
    } else {
        &text
    })
}

/// Who plays by these flags.
pub fn machines(args: &QueueArgs) -> anyhow::Result<Machines> {
    match &args.nats.url {
        None => Ok(Machines::This),
        #[cfg(feature = "nats")]
        Some(_) => Ok(Machines::Others),
        #[cfg(not(feature = "nats"))]
        Some(_) => without_queue(),
    }
}

#[cfg(not(feature = "nats"))]
fn without_queue<T>() -> anyhow::Result<T> {
    super::wrong_use(
        "this arena was built without queues: build it with `cargo build --release --features nats`",
    )
}

/// Plays a tournament on the machines of its session. Returns the matches that came to no result.
pub fn play(
    session: &Session<'_>,
    #[cfg_attr(
        not(feature = "nats"),
        expect(unused_variables, reason = "there is only this machine")
    )]
    args: &QueueArgs,
    ledger: &mut Ledger,
    observer: &mut impl Observer,
) -> anyhow::Result<Vec<String>> {
    #[cfg(feature = "nats")]
    if let Some(distribution) = args.distribution() {
        let mut coordinator = Coordinator::new(&distribution, session, ledger)?;
        let played = arena_session::play(session, &mut coordinator, ledger, observer);
        coordinator.end(played.is_ok());
        return played;
    }
    arena_session::play(session, &mut ThisMachine, ledger, observer)
}
