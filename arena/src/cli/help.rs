//! The texts of `arena --help`, which fits a small terminal, and of `arena help all`.

use std::io;

use clap::builder::Styles;
use clap::{CommandFactory, Subcommand};

use super::{Cli, Command};

/// Words that list all commands.
const ALL: [&str; 2] = ["help", "all"];

/// Commands for newcomers, with what they do.
const FIRST_COMMANDS: &[(&str, &str)] = &[
    ("run", "play a demo of four bots, as `arena` alone does"),
    ("match", "watch one match, move by move"),
    ("serve", "watch and play in a browser"),
    ("new python my_bot", "write a bot"),
];

/// Commands of the help, in groups.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Play",
        &[
            "new", "run", "compare", "tune", "match", "serve", "check", "init", "plan", "stop",
        ],
    ),
    (
        "Inspect",
        &[
            "show", "status", "rate", "analyse", "report", "faults", "repro", "export", "games",
            "bots",
        ],
    ),
    ("Maintain", &["extend", "update", "verify", "reset"]),
    ("Many machines", &["merge", "work"]),
    ("More", &["tools"]),
];

/// Last lines of the list of all commands.
const MORE: &str = "`arena COMMAND -h` lists the common flags of a command, `arena COMMAND --help` all of them.
Exit codes: 0 done, 1 failed, 2 usage error or error in a file, 130 interrupted with all finished matches saved.";

/// Prints the list of all commands if these arguments ask for it. Returns `true` if they do.
pub fn print_all(arguments: &[String]) -> io::Result<bool> {
    let is_asked = arguments == ALL;
    if is_asked {
        Cli::command().help_template(all()).print_help()?;
    }
    Ok(is_asked)
}

/// Returns the template of `arena --help`: at most 24 lines of 80 columns.
pub fn first_screen() -> String {
    let styles = Styles::styled();
    let (head, literal) = (styles.get_header(), styles.get_literal());
    let group = |(title, names): &(&str, &[&str])| {
        format!("  {head}{title:<15}{head:#}{}\n", names.join(" "))
    };
    let groups: String = GROUPS.iter().map(group).collect();
    format!(
        "{{about-with-newline}}\n{}\n{{usage-heading}} {{usage}}\n\n{groups}\n{literal}arena help all{literal:#} has the whole list, \
         {literal}arena COMMAND --help{literal:#} the flags of a command.",
        first_commands()
    )
}

/// Returns the template of `arena help all`.
fn all() -> String {
    let known = Command::augment_subcommands(clap::Command::new(""));
    let styles = Styles::styled();
    let (head, literal) = (styles.get_header(), styles.get_literal());
    let line = |command: &clap::Command| {
        let about = command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        format!("  {literal}{:<12}{literal:#} {about}\n", command.get_name())
    };
    let group = |(title, names): &(&str, &[&str])| {
        let lines: String = names
            .iter()
            .filter_map(|name| known.find_subcommand(name))
            .map(line)
            .collect();
        format!("\n{head}{title}:{head:#}\n{lines}")
    };
    let groups: String = GROUPS.iter().map(group).collect();
    format!(
        "{}\n{{usage-heading}} {{usage}}\n{groups}\n{head}Options:{head:#}\n{{options}}\n\n{MORE}",
        first_commands()
    )
}

/// Returns the lines of the commands to start with.
fn first_commands() -> String {
    let styles = Styles::styled();
    let literal = styles.get_literal();
    let line = |(words, about): &(&str, &str)| {
        format!("  {literal}arena {words:<18}{literal:#} {about}\n")
    };
    FIRST_COMMANDS.iter().map(line).collect()
}
