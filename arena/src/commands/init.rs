//! `arena init`: writes a tournament file to begin with.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_config::FlagValue;
use arena_config::read::{self, Flags};
use arena_config::sketch::{Sketch, text};
use arena_engine::by_name;
use arena_engine::game::Game;
use arena_runner::status::status;
use arena_tournament::formats;

use super::wrong_use;
use crate::cli::Init;

/// Writes the file, if there is none.
pub fn run(args: &Init) -> anyhow::Result<ExitCode> {
    let given = |path: &str, text: &str| FlagValue {
        path: path.into(),
        value: text.into(),
        text: format!("--{path} {text}"),
    };
    let mut values = vec![given("game", &args.game), given("format", &args.format)];
    values.extend(FlagValue::texts("bots", "bot", &args.bots));
    let spec = read::table(&Flags {
        values,
        ..Flags::default()
    })?;
    let format = formats::find(&args.format).context("the flags were checked")?;
    let most = by_name!(&spec.plan.game, G => *G::SEATS.end());
    if most.is_some_and(|most| most < format.min_seats) {
        return wrong_use(format!(
            "{} is for {} or more seats, which {} does not have: use round-robin or gauntlet",
            format.name, format.min_seats, spec.plan.game
        ));
    }
    let shown = args.file.display();
    let path = std::path::absolute(&args.file)?;
    let dir = path.parent().unwrap_or(Path::new("/"));
    if !dir.is_dir() {
        return wrong_use(format!(
            "there is no folder {} for {shown}: make it first",
            dir.display()
        ));
    }
    let here = std::env::current_dir()?;
    let name = path
        .file_stem()
        .map_or("tournament".into(), |stem| stem.to_string_lossy());
    let away = Some(here.as_path()).filter(|here| *here != dir);
    let (game, seed) = (spec.plan.game.as_str(), spec.plan.seed);
    let text = text(&Sketch {
        name: &name,
        game,
        format,
        seed,
        bots: &spec.bots,
        away,
    });
    let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            return wrong_use(format!(
                "{shown} exists already and is left as it is: name another file"
            ));
        }
        opened => opened.with_context(|| shown.to_string())?,
    };
    file.write_all(text.as_bytes())
        .with_context(|| shown.to_string())?;
    let quoted = args
        .file
        .to_str()
        .and_then(|file| shlex::try_quote(file).ok())
        .unwrap_or("FILE".into());
    status(format_args!(
        "{shown} is written; put your bot into it, then: arena run {quoted}"
    ));
    Ok(ExitCode::SUCCESS)
}
