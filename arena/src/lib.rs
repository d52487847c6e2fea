//! The arena for code-breaking bots, with the games and built-in bots of the program that calls it.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use arena::{Entry, run};
//! use arena_engine::games::coda::Coda;
//!
//! static GAMES: [Entry; 1] = [Entry::of::<Coda>()];
//!
//! fn main() -> ExitCode {
//!     run(&GAMES, &[])
//! }
//! ```
//!
//! `arena --help` lists what the program does.

mod cli;
mod commands;
mod demo;
mod terminal;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use arena_bots::roster;
use arena_config::diagnostic::UsageError;
use arena_engine::table;
use arena_runner::status::status;
use arena_tournament::printable::unsafe_to_show;
use clap::Parser;

use crate::cli::{Cli, Command, Tool};

pub use arena_engine::table::{Builtin, Entry};

/// Runs the command line of this process with these games, the first of which is the default, and these built-in bots, weakest first
/// for each game. The bot `random`, which plays every game, is there already.
///
/// This is all that `main` does: a process that the arena starts to isolate a bot calls it too.
pub fn run(games: &'static [Entry], bots: &'static [Builtin]) -> ExitCode {
    table::make_known(games);
    roster::make_known(bots);
    if let Some(code) = arena_sandbox::linux::stage(std::env::args_os()) {
        return code;
    }
    // The signal of a file that grows beyond its limit is caught, so that the write fails with a message. It is not ignored: programs
    // that are started inherit what is ignored. If it cannot be caught, it ends the arena.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.len() == 1 {
        // Whoever tries the program sees the demo.
        words.push("run".into());
    }
    let shown: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if let Some(error) = cli::unquoted::find(&shown) {
        return refused(&error);
    }
    let cli = match Cli::try_parse_from(words).map_err(cli::meant::improve) {
        // Colours would not survive, and words that act on a terminal must not.
        Err(error)
            if error.use_stderr() && shown.iter().any(|word| word.chars().any(unsafe_to_show)) =>
        {
            status(error.render().to_string().trim_end());
            return ExitCode::from(cli::USAGE);
        }
        parsed => parsed.unwrap_or_else(|error| error.exit()),
    };
    match execute(&cli.command) {
        Ok(code) => code,
        Err(error) if cli::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let Some(wrong) = error.downcast_ref::<UsageError>() else {
                let text = with_causes(&error)
                    .replace("File too large", "file too large, see `ulimit -f`")
                    .replace(
                        "File name too long",
                        "a file name has at most 255 bytes, a path 4,095",
                    );
                status(format_args!("error: {text}"));
                return ExitCode::from(cli::FAILURE);
            };
            refused(wrong)
        }
    }
}

/// Runs a command.
fn execute(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Run(args) => commands::run::run(args),
        Command::Compare(args) => commands::compare::run(args),
        Command::Tune(args) => commands::tune::run(args),
        Command::New(args) => commands::new::run(args),
        Command::Init(args) => commands::init::run(args),
        Command::Plan(args) => commands::plan::run(args),
        Command::Show(args) => commands::show::run(args),
        Command::Analyse(args) => commands::analyse::run(args),
        Command::Serve(args) => commands::serve::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Status(args) => commands::status::run(args),
        Command::Stop(args) => commands::stop::run(args),
        Command::Extend(args) => commands::extend::run(args),
        Command::Update(args) => commands::update::run(args),
        Command::Merge(args) => commands::merge::run(args),
        Command::Reset(args) => commands::reset::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Faults(args) => commands::faults::run(args),
        Command::Repro(args) => commands::repro::run(args),
        Command::Export(args) => commands::export::run(args),
        Command::Match(args) => commands::single::run(args),
        Command::Check(args) => commands::check::run(args),
        Command::Games(args) => commands::list::games(args),
        Command::Bots(args) => commands::list::bots(args),
        Command::Work(args) => commands::work::run(args),
        Command::Bot(args) | Command::Tools(Tool::Bot(args)) => commands::bot::run(args),
        Command::Schema(args) | Command::Tools(Tool::Schema(args)) => commands::schema::run(args),
        Command::Tools(Tool::Doctor(args)) => commands::doctor::run(args),
        Command::Tools(Tool::Completions(args)) => commands::manual::completions(args),
        Command::Tools(Tool::Man(args)) => commands::manual::man(args),
    }
}

/// Prints what is wrong with the command line or the tournament file.
fn refused(wrong: &UsageError) -> ExitCode {
    // It may be coloured, and is clean.
    let _ = writeln!(
        io::stderr(),
        "{}",
        wrong.report(terminal::has_colours(&io::stderr()))
    );
    ExitCode::from(cli::USAGE)
}

/// The text of an error with those causes that it does not name itself.
fn with_causes(error: &anyhow::Error) -> String {
    error
        .chain()
        .map(ToString::to_string)
        .fold(String::new(), |text, cause| match text.as_str() {
            "" => cause,
            known if known.contains(&cause) => text,
            _ => format!("{text}: {cause}"),
        })
}
