//! The arena for code-breaking bots, with games and built-in bots supplied by the calling program.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use arena::{Entry, run};
//! use arena_engine::games::coda::Coda;
//!
//! static GAMES: [Entry; 1] = [Entry::new::<Coda>()];
//!
//! fn main() -> ExitCode {
//!     run(&GAMES, &[])
//! }
//! ```
//!
//! `arena help all` lists what the program does.

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

/// Runs the command line of this process with these games and built-in bots. The first game is the default; bots are listed weakest first
/// for each game. The bot `random`, which plays every game, is always included.
///
/// This function is all that `main` needs to call. To isolate a bot, the arena starts itself again, so this function also runs in those
/// processes.
pub fn run(games: &'static [Entry], bots: &'static [Builtin]) -> ExitCode {
    table::make_known(games);
    roster::make_known(bots);
    if let Some(code) = arena_sandbox::linux::stage(std::env::args_os()) {
        return code;
    }
    table::set_loader(&arena_session::games::Games);
    let code = command();
    arena_referee::end_all();
    code
}

/// Runs the command line of this process.
fn command() -> ExitCode {
    // Catch the signal for a file that exceeds the size limit, so that the write fails with an error. Do not ignore the signal, because
    // child processes would inherit that. If the signal cannot be caught, it kills the arena.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.len() == 1 {
        // Without a command, run the demo.
        words.push("run".into());
    }
    cli::check_words(&mut words);
    let shown: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    // Printing fails only if the reader of the output has gone away.
    if cli::help::print_page(shown.get(1..).unwrap_or_default()).unwrap_or(true) {
        return ExitCode::SUCCESS;
    }
    if let Some(error) = cli::unquoted::find(&shown) {
        return refused(&error);
    }
    let cli = match Cli::try_parse_from(words).map_err(cli::meant::improve) {
        // Remove control characters of the command line before they reach the terminal. This also removes colours.
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
        Command::Rate(args) => commands::rate::run(args),
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
        Command::Tools(Tool::Completions(args)) => commands::completions::completions(args),
    }
}

/// Prints a usage error.
fn refused(wrong: &UsageError) -> ExitCode {
    // The text may contain the arena's own colour codes, and no other control characters.
    let _ = writeln!(
        io::stderr(),
        "{}",
        wrong.report(terminal::has_colours(&io::stderr()))
    );
    ExitCode::from(cli::USAGE)
}

/// Formats an error with its causes. Leaves out a cause that the text before already includes.
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
