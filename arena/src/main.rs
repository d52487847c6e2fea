//! The arena for code-breaking bots: `arena --help` lists what it does.

mod cli;
mod commands;
mod demo;

use std::process::ExitCode;

use arena_runner::status::status;
use clap::Parser;

use crate::cli::{Cli, Command};

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(code) = arena_sandbox::linux::stage(std::env::args_os()) {
        return code;
    }
    survive_file_limit();
    if let Some(slip) = cli::slips::find(std::env::args()) {
        return refused(&slip);
    }
    let done = match Cli::parse().command {
        Command::Run(run) => commands::run::run(&run),
        Command::Compare(compare) => commands::compare::run(&compare),
        Command::Init(init) => commands::init::run(&init),
        Command::Plan(plan) => commands::plan::run(&plan),
        Command::Stop(stop) => commands::stop::run(&stop),
        Command::Extend(extend) => commands::extend::run(&extend),
        Command::Replace(args) => commands::departures::replace(&args),
        Command::Disqualify(args) => commands::departures::disqualify(&args),
        Command::Merge(merge) => commands::merge::run(&merge),
        Command::Reset(reset) => commands::reset::run(&reset),
        Command::Verify(verify) => commands::verify::run(&verify),
        Command::Audit(audit) => commands::audit::run(&audit),
        Command::Show(show) => commands::show::run(&show),
        Command::Serve(serve) => commands::serve::run(&serve),
        Command::Report(report) => commands::report::run(&report),
        Command::Faults(faults) => commands::faults::run(&faults),
        Command::Logs(args) => commands::logs::run(&args),
        Command::Repro(repro) => commands::repro::run(&repro),
        Command::Export(export) => commands::export::run(&export),
        Command::Match(single) => commands::single::run(&single),
        Command::Check(check) => commands::check::run(&check),
        Command::Games(listed) => commands::list::games(&listed),
        Command::Bots(listed) => commands::list::bots(&listed),
        Command::Bot(bot) => commands::bot::run(&bot),
        Command::Work(args) => commands::work::run(&args),
        Command::Schema(schema) => commands::schema::run(&schema),
        Command::Completions(args) => commands::manual::completions(&args),
        Command::Man => commands::manual::man(),
        Command::Doctor(doctor) => commands::doctor::run(&doctor),
    };
    match done {
        Ok(code) => code,
        Err(error) if cli::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let Some(bad) = error.downcast_ref::<arena_config::diagnostic::UsageError>() else {
                status(format_args!("error: {error:#}"));
                return ExitCode::from(cli::FAILURE);
            };
            refused(bad)
        }
    }
}

/// Says what is wrong with the command line or the tournament file.
fn refused(bad: &arena_config::diagnostic::UsageError) -> ExitCode {
    status(bad.report());
    ExitCode::from(cli::USAGE)
}

/// A file that grows beyond a limit is an error of whoever writes it, with a message, not the silent end of the arena. The
/// signal is caught, not ignored: so programs that are started have their usual ways again.
fn survive_file_limit() {
    // Without that, things are as everywhere else.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}
