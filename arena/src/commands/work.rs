//! Selects the machines that play: this one, or others through a queue. `arena work` makes this machine one of the others.

use std::process::ExitCode;

use arena_engine::table;
use arena_ledger::ledger::Ledger;
use arena_runner::status::status;

use crate::cli::queue::{NatsArgs, Work};
#[cfg(feature = "nats")]
use arena_queue::{coordinator::Coordinator, worker};
use arena_session::session::{self, Machines, Session};
use arena_session::{Observer, ThisMachine};

/// Plays matches for tournaments that run on other machines.
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

/// Returns the machines that these flags select.
pub fn machines(args: &NatsArgs) -> anyhow::Result<Machines> {
    match &args.url {
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

/// Plays a tournament on the machines of its session. Returns the reasons of matches that ended without a result.
pub fn play(
    session: &Session<'_>,
    #[cfg_attr(
        not(feature = "nats"),
        expect(unused_variables, reason = "there is only this machine")
    )]
    args: &NatsArgs,
    ledger: &mut Ledger,
    observer: &mut impl Observer,
) -> anyhow::Result<Vec<String>> {
    #[cfg(feature = "nats")]
    if let Some(server) = args.server() {
        let mut coordinator = Coordinator::new(&server, session)?;
        let played = arena_session::play(session, &mut coordinator, ledger, observer);
        coordinator.end(played.is_ok());
        return played;
    }
    let played = arena_session::play(session, &mut ThisMachine, ledger, observer);
    if played.is_err() && table::is_loaded(&session.spec.plan.game) {
        status(format_args!(
            "all finished matches are saved; to repeat the last one: {}",
            session::command(session.spec, session.dir)
        ));
    }
    played
}
