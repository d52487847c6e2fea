//! `arena serve`: shows tournaments in a browser.

use std::process::ExitCode;

use super::wrong_use;
use crate::cli::Serve;
use arena_results::rate::Choices;
use arena_session::stopping;
use arena_web::Settings;
use arena_web::play::Program;

/// Serves until Ctrl-C is pressed. The games given by flags have already been loaded.
pub fn run(args: &Serve) -> anyhow::Result<ExitCode> {
    let stop = stopping::on_ctrl_c("stopping")?;
    if !args.dir.is_dir() {
        return wrong_use(format!("there is no folder {}", args.dir.display()));
    }
    let mut programs = Vec::new();
    for flag in &args.bots {
        let Some((name, command)) = flag.split_once('=') else {
            return wrong_use(format!("--bot {flag}: write it as NAME=COMMAND"));
        };
        programs.push(Program {
            name: name.trim().to_owned(),
            command: command.to_owned(),
        });
    }
    let dir = args.dir.to_path_buf();
    let host = args.host.clone();
    let port = args.port;
    let allows_play = args.allow_play;
    let (token_file, view_token_file) = (args.token_file.clone(), args.view_token_file.clone());
    let settings = Settings {
        dir,
        host,
        port,
        allows_play,
        programs,
        token_file,
        view_token_file,
        season: Choices {
            by_name: true,
            points: args.points.clone(),
            best: args.best.map(|best| best as usize),
            ..Choices::default()
        },
    };
    arena_web::serve(&settings, &stop)?;
    Ok(ExitCode::SUCCESS)
}
