//! `arena update`: brings an existing tournament in line with its file, and continues it.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use super::run::play;
use super::{check_left_out, print};
use crate::cli::progress::ProgressArgs;
use crate::cli::{PlayArgs, Update};
use crate::terminal;
use arena_config::read::Flags;
use arena_runner::status::status;
use arena_session::open::changes::Effect;
use arena_session::open::{Requested, Terms, open};
use arena_tournament::printable::folded;

/// Width of the label of a change, such as `withdrawn  `.
const LABEL_WIDTH: usize = 11;

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
    let width = terminal::width();
    print(
        &opened
            .lines()
            .map(|line| fitted(&line, width))
            .collect::<String>(),
    )?;
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

/// Wraps a change, which begins with its label, at the width of the terminal.
fn fitted(change: &str, width: usize) -> String {
    let (label, text) = match change.split_at_checked(LABEL_WIDTH) {
        Some((label, text)) if label.ends_with(' ') => (label, text),
        _ => ("", change),
    };
    let lines = text.lines().flat_map(|line| {
        let line = line.trim_start();
        folded(line, width - label.len())
    });
    let margin = format!("\n{}", " ".repeat(label.len()));
    label.to_owned() + &lines.collect::<Vec<_>>().join(&margin) + "\n"
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_wrapped_below_their_labels() {
        let change = "broken     fox does not enter: `make` in a copy failed\n  x.c: error";
        let expected = "broken     fox does not enter: `make` in\n           a copy failed\n           x.c: error\n";
        assert_eq!(fitted(change, 40), expected);
        assert_eq!(fitted("new        a enters", 40), "new        a enters\n");
        assert_eq!(fitted("the size is kept", 40), "the size is kept\n");
    }
}
