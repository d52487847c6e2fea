//! `arena new`: writes a folder with a first bot.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_bots::kits::{self, LANGUAGES};
use arena_runner::status::status;
use arena_tournament::suggest;

use super::wrong_use;
use crate::cli::New;

/// Writes the folder, unless it exists and is not empty.
pub fn run(args: &New) -> anyhow::Result<ExitCode> {
    let Some(language) = kits::find(&args.language) else {
        let names: Vec<&str> = LANGUAGES.iter().map(|(name, _)| *name).collect();
        let help = suggest::value(&args.language, &names);
        return wrong_use(format!(
            "there is no kit for {:?}: {help}; for other languages, see bots/kits/README.md",
            args.language
        ));
    };
    let shown = args.dir.display();
    let name = args
        .dir
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic())
        || !name.chars().all(is_plain)
        || name.len() > 64
    {
        return wrong_use(format!(
            "{name:?} is not a valid bot name: use a letter, then up to 63 letters, digits, - and _"
        ));
    }
    if args.dir.exists()
        && fs::read_dir(&args.dir).map_or(true, |mut entries| entries.next().is_some())
    {
        return wrong_use(format!(
            "{shown} exists and is not an empty folder: name another"
        ));
    }
    write(&args.dir, language, name, &args.game).with_context(|| shown.to_string())?;
    let flag = kits::trust(language);
    status(format_args!(
        "{shown} is written. Play it against a built-in bot: cd {shown} && arena run duel.toml{flag}"
    ));
    Ok(ExitCode::SUCCESS)
}

fn write(dir: &Path, language: &str, name: &str, game: &str) -> std::io::Result<()> {
    fs::create_dir_all(dir)?;
    for (path, text) in kits::files(language, name, game) {
        fs::write(dir.join(path), text)?;
    }
    Ok(())
}
