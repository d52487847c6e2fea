//! `arena new`: writes a folder with a first bot or a first game.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use arena_bots::kits::{self, LANGUAGES};
use arena_runner::status::status;
use arena_session::games;
use arena_tournament::suggest;
use include_dir::{Dir, include_dir};

use super::wrong_use;
use crate::cli::New;

/// The word for a game, in place of a bot's language.
const GAME: &str = "game";
/// The example games, one folder per language.
static GAMES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/examples/games");
/// The name of the game in its files, as quoted text.
const GAME_NAME: &str = "\"bids\"";

/// Writes the folder, unless it exists and is not empty.
pub fn run(args: &New) -> anyhow::Result<ExitCode> {
    match &args.game_dir {
        Some(dir) if args.language == GAME => game(&args.dir.to_string_lossy(), dir),
        Some(dir) => wrong_use(format!(
            "{} is one word too many; for a game: arena new game python {0}",
            dir.display()
        )),
        None if args.language == GAME => {
            wrong_use("name the language and the folder: arena new game python my-game")
        }
        None => bot(args),
    }
}

/// Writes the folder of a game.
fn game(language: &str, dir: &Path) -> anyhow::Result<ExitCode> {
    let shown = dir.display();
    let name = dir.file_name().and_then(|name| name.to_str());
    let name = name.unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase())
        || !name.chars().all(is_plain)
        || name.len() > 32
    {
        return wrong_use(format!(
            "{name:?} is not a valid name of a game: use a lower-case letter, then up to 31 lower-case letters, digits, - and _"
        ));
    }
    let kit = kits::find(language).and_then(|language| GAMES.get_dir(language));
    let Some(kit) = kit else {
        let languages = GAMES.dirs().filter_map(|dir| dir.path().to_str());
        let languages: Vec<&str> = languages.collect();
        return wrong_use(format!(
            "there is no game to begin with in {language:?}: {}; for other languages, see protocol/GAMES.md",
            suggest::value(language, &languages)
        ));
    };
    let files = kit.files().filter_map(|file| {
        let text = file
            .contents_utf8()?
            .replacen(GAME_NAME, &format!("{name:?}"), 1);
        Some((PathBuf::from(file.path().file_name()?), text))
    });
    let files: Vec<(PathBuf, String)> = files.collect();
    if !is_free(dir, &files) {
        return wrong_use(format!(
            "{shown} exists and is not an empty folder: name another"
        ));
    }
    write(dir, &files).with_context(|| shown.to_string())?;
    let path = if shown.to_string().contains('/') {
        shown.to_string()
    } else {
        format!("./{shown}")
    };
    status(format_args!(
        "{shown} is written. Play it: arena run {shown}/cup.toml; test it: arena check --game {path}"
    ));
    Ok(ExitCode::SUCCESS)
}

/// Writes the folder of a bot.
fn bot(args: &New) -> anyhow::Result<ExitCode> {
    let Some(language) = kits::find(&args.language) else {
        let names: Vec<&str> = LANGUAGES.iter().map(|(name, _)| *name).collect();
        let help = suggest::value(&args.language, &names);
        return wrong_use(format!(
            "there is no kit for {:?}: {help}; in another language, follow `arena help agents`",
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
    let place = games::folder(&args.game).map(|folder| folder.display().to_string());
    let place = place.unwrap_or_else(|| args.game.clone());
    let files = kits::files(language, name, &args.game, &place);
    if !is_free(&args.dir, &files) {
        return wrong_use(format!(
            "{shown} exists and is not an empty folder: name another"
        ));
    }
    write(&args.dir, &files).with_context(|| shown.to_string())?;
    let flag = kits::trust(language);
    status(format_args!(
        "{shown} is written. Play it against a built-in bot: cd {shown} && arena run duel.toml{flag}"
    ));
    Ok(ExitCode::SUCCESS)
}

/// Returns `true` if the folder does not exist or is empty. Also returns `true` if it holds only some of these files, which an arena that
/// was killed may have left.
fn is_free(dir: &Path, files: &[(PathBuf, String)]) -> bool {
    let text = |name: &Path| fs::read_to_string(dir.join(name)).unwrap_or_default();
    let is_part = |name: &Path| {
        let mut ours = files.iter();
        ours.any(|(file, whole)| file == name && whole.starts_with(&text(name)))
    };
    match fs::read_dir(dir) {
        Ok(entries) => {
            entries
                .flatten()
                .all(|entry| is_part(Path::new(&entry.file_name())))
                && files.iter().any(|(file, whole)| text(file) != *whole)
        }
        Err(_) => !dir.exists(),
    }
}

fn write(dir: &Path, files: &[(PathBuf, String)]) -> std::io::Result<()> {
    fs::create_dir_all(dir)?;
    for (path, text) in files {
        fs::write(dir.join(path), text)?;
    }
    Ok(())
}
