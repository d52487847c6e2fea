//! `arena completions` and `arena man`: the command line described for shells, and for `man`.

use std::io;
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::print;
use crate::cli::{Cli, Completions};

/// The name of the program, as it is called.
const NAME: &str = "arena";

/// Prints the completions for a shell.
pub fn completions(args: &Completions) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut script);
    print(&String::from_utf8(script)?)
}

/// Prints one man page: that of the program, and below it the options of each command.
pub fn man() -> anyhow::Result<ExitCode> {
    let mut program = Cli::command();
    program.build();
    let mut page = Vec::new();
    let of_all = Man::new(program.clone());
    of_all.render_title(&mut page)?;
    of_all.render_name_section(&mut page)?;
    of_all.render_synopsis_section(&mut page)?;
    of_all.render_description_section(&mut page)?;
    of_all.render_extra_section(&mut page)?;
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        section(command, &mut page)?;
    }
    of_all.render_version_section(&mut page)?;
    print(&String::from_utf8(page)?.replace(".SH EXTRA", ".SH NOTES").replace(".SS EXTRA", ".SS NOTES"))
}

fn section(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let words = command.get_bin_name().unwrap_or(command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let title = roff_text(&words.to_uppercase());
    page.extend(format!(".SH \"{title}\"\n{}\n", roff_text(&about)).bytes());
    let man = Man::new(command.clone());
    let mut options = Vec::new();
    man.render_synopsis_section(&mut options)?;
    man.render_options_section(&mut options)?;
    man.render_extra_section(&mut options)?;
    // Within the page of all commands, what is a section of a command's own page is one below its section.
    page.extend(String::from_utf8_lossy(&options).replace(".SH ", ".SS ").bytes());
    Ok(())
}

/// A text that is no request of roff.
fn roff_text(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('"', "\\(dq")
}
