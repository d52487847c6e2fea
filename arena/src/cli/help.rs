//! The texts of `arena --help`, which fits a small terminal, of `arena help all`, and of `arena help agents`.

use std::io::{self, Write};

use clap::builder::Styles;
use clap::{CommandFactory, Subcommand};

use super::{Cli, Command};

/// Words that list all commands.
const ALL: [&str; 2] = ["help", "all"];

/// Words that print the page for coding agents.
const AGENTS: [&str; 2] = ["help", "agents"];
const AGENTS_PAGE: &str = include_str!("agents.md");

/// Commands for newcomers, with what each does.
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
const MORE: &str = "`arena help agents` is a page for coding agents.
`arena COMMAND -h` lists the common flags of a command, `arena COMMAND --help` all of them.
Exit codes: 0 done, 1 failed, 2 usage error or error in a file, 3 undecided (`compare --gate`, `check --beats`), \
130 interrupted with all finished matches saved.";

/// Prints the list of all commands or the page for coding agents if these arguments ask for it, and returns whether they do.
pub fn print_page(arguments: &[String]) -> io::Result<bool> {
    if arguments == ALL {
        Cli::command().help_template(all()).print_help()?;
    } else if arguments == AGENTS {
        io::stdout().write_all(AGENTS_PAGE.as_bytes())?;
    } else {
        return Ok(false);
    }
    Ok(true)
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
        "{{about-with-newline}}\n{}\n{{usage-heading}} {{usage}}\n\n{groups}\n{literal}arena help agents{literal:#} is a page for coding agents.\n\
         {literal}arena help all{literal:#} has the whole list, {literal}arena COMMAND --help{literal:#} the flags of a command.",
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
