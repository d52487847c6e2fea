//! `arena serve`: shows tournaments in a browser.

use std::process::ExitCode;

use super::wrong_use;
use crate::cli::Serve;
use arena_config::diagnostic::UsageError;
use arena_config::word;
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
        let bot = word::bot(flag).map_err(|wrong| {
            let why = format!("--bot {flag}: {}: {}", wrong.what, wrong.help);
            UsageError::one(why.trim_end_matches(": "))
        })?;
        if bot.get("builtin").is_some() && !flag.contains('=') {
            return wrong_use(format!(
                "--bot {flag}: not a file or folder; built-in bots are offered anyway; a program is NAME=COMMAND"
            ));
        }
        let name = bot["name"].as_str().unwrap_or_default().to_owned();
        let command = flag.split_once('=').map_or(flag.as_str(), |(_, what)| what);
        programs.push(Program {
            name,
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
            points: args.season.points.clone(),
            best: args.season.best(),
            ..Choices::default()
        },
    };
    arena_web::serve(&settings, &stop)?;
    Ok(ExitCode::SUCCESS)
}
