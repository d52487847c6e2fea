//! `arena update`: brings an existing tournament in line with its file, and continues it.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use super::run::play;
use super::{check_left_out, print};
use crate::cli::progress::ProgressArgs;
use crate::cli::{PlayArgs, Update};
use arena_config::read::Flags;
use arena_runner::status::status;
use arena_session::open::changes::Effect;
use arena_session::open::{Requested, Terms, open};

/// Shows the changes and, after confirmation, applies them and continues.
pub fn run(args: &Update) -> anyhow::Result<ExitCode> {
    let flags = Flags {
        trust: args.trust.trust,
        ..Flags::default()
    };
    let requested = Requested {
        terms: if args.deals.same_deals {
            Terms::SameDeals
        } else {
            Terms::Shared
        },
        ..Requested::from_file(&args.file(), &flags, &args.dir)?
    };
    let opening = open(&requested, false)?;
    let opened = &opening.opened;
    print(&opened.lines().map(|line| line + "\n").collect::<String>())?;
    opened.summary.iter().for_each(status);
    if opened.effect == Effect::Continues {
        status("there is nothing to change");
        if !args.yes || opened.finished >= opened.spec.matches() {
            return check_left_out(&opened.spec, "");
        }
    } else if !(args.yes || is_agreed()?) {
        status(format_args!(
            "nothing has been changed yet: --yes applies this to {} and plays on",
            args.dir.display()
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let args = PlayArgs {
        progress: ProgressArgs::new(args.quiet),
        ..PlayArgs::default()
    };
    play(&args, opening)
}

/// Asks for confirmation at a terminal.
fn is_agreed() -> io::Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    status("Apply this and play on? [y/N]");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(answer.trim().eq_ignore_ascii_case("y"))
}
