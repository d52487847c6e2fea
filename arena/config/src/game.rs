//! Reads the `game.toml` of a game that is a program.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use arena_sandbox::access;
use arena_tournament::entrant::{NO_BUILD, Program};
use arena_tournament::spec::Limits;
use arena_tournament::suggest::quoted;
use serde::Deserialize;

use crate::class::leaves_folder;
use crate::command::split;
use crate::files::small_text;

/// The file that describes how to start a game.
pub const FILE: &str = "game.toml";
/// Default time limit for the answer to a line, in milliseconds.
const ANSWER_MS: u64 = 10_000;

/// A game that is a program.
pub struct GameFolder {
    pub program: Program,
    /// Resource limits.
    pub limits: Limits,
    /// The time limit for the answer to a line.
    pub answer: Duration,
}

/// Content of a `game.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    command: String,
    build: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    memory_mb: Option<u64>,
    answer_ms: Option<u64>,
}

/// Reads the game in a folder.
///
/// # Errors
/// If the game cannot be read; the error includes the path of the file.
pub fn read(folder: &Path) -> Result<GameFolder, String> {
    let file = folder.join(FILE);
    let shown = file.display();
    if !folder.is_dir() {
        return Err(format!("there is no folder {}", folder.display()));
    }
    let text = small_text(&file).map_err(|error| {
        format!("{shown}: {error}; a game's folder has a {FILE} with a line such as command = \"python3 game.py\"")
    })?;
    let described: Described =
        toml::from_str(&text).map_err(|error| format!("{shown}: {}", error.message()))?;
    let command = split(&described.command).map_err(|why| format!("{shown}: {why}"))?;
    if let Some(word) = access::paths(&command).find(|word| leaves_folder(word)) {
        let word = quoted(word);
        return Err(format!(
            "{shown}: its command names {word}, outside its folder"
        ));
    }
    let usual = Limits::default();
    Ok(GameFolder {
        program: Program {
            command,
            dir: folder.to_path_buf(),
            build: described.build.or(Some(NO_BUILD.into())),
            env: described.env,
            ..Program::default()
        },
        limits: Limits {
            memory_mb: described.memory_mb.unwrap_or(usual.memory_mb),
            ..usual
        },
        answer: Duration::from_millis(described.answer_ms.unwrap_or(ANSWER_MS)),
    })
}
