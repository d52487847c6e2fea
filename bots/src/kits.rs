//! Starter kits for new bots, one folder per language. Files are copied from `kits`, with names filled in.

use std::path::{Path, PathBuf};

use arena_engine::form::{FieldKind, Form};
use arena_engine::table;
use include_dir::{Dir, include_dir};

use crate::roster;

static KITS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/kits");

/// Languages with a kit, and `llm` for language models, in alphabetical order. Each has the name of its folder, and aliases.
pub const LANGUAGES: [(&str, &[&str]); 9] = [
    ("c", &[]),
    ("cpp", &["c++", "cxx"]),
    ("go", &["golang"]),
    ("java", &[]),
    ("javascript", &["js", "node"]),
    ("llm", &[]),
    ("python", &["py", "python3"]),
    ("rust", &["rs"]),
    ("typescript", &["ts"]),
];

/// The game for which each kit has a bot that plays well. For other games, kits have a skeleton.
const OWN_GAME: &str = "coda";
/// Opening mark of a template section that is repeated for each kind of question.
const EACH: &str = "{{each}}";
const END: &str = "{{end}}";
/// Texts after which a file names the game.
const GAME_PLACES: [&str; 3] = ["game  = \"", "game = \"", "arena schema "];

/// Returns the name of the kit for a language, if there is one.
pub fn find(language: &str) -> Option<&'static str> {
    let language = language.to_lowercase();
    let is_meant = |(name, others): &&(&str, &[&str])| {
        *name == language || others.contains(&language.as_str())
    };
    LANGUAGES.iter().find(is_meant).map(|(name, _)| *name)
}

/// Returns the flag that a kit's commands need. Only the kit for a language model needs one, because it uses the network and a key.
pub fn trust(language: &str) -> &'static str {
    if language == "llm" { " --trust" } else { "" }
}

/// Files that every new bot gets, whatever its language.
const COMMON: [&str; 2] = ["AGENTS.md", "gate.toml"];

/// Returns the files of a new bot for a game, with their names: the language's kit with names filled in. Tournament files name the game by
/// `place`: the game's name or, if the game is a program, its folder.
pub fn files(language: &str, name: &str, game: &str, place: &str) -> Vec<(PathBuf, String)> {
    let entry = table::find(game);
    let plain = table::plain_name(game);
    let forms = entry.map(|entry| entry.forms).unwrap_or_default();
    let opponent = roster::names(game).nth(1).unwrap_or(roster::RANDOM);
    let kit = KITS.get_dir(language).into_iter().flat_map(Dir::files);
    let bot = KITS
        .get_file(format!("{language}/bot.toml"))
        .and_then(|file| file.contents_utf8())
        .unwrap_or_default();
    let filled = kit
        .chain(COMMON.iter().filter_map(|file| KITS.get_file(file)))
        .filter_map(|file| {
            let (path, text) = (Path::new(file.path().file_name()?), file.contents_utf8()?);
            let text = repeated(text, forms).replace("{{bot}}", bot);
            let text = text.replace(
                "{{rules}}",
                entry.map(|entry| entry.rules_page).unwrap_or_default(),
            );
            let text = GAME_PLACES.iter().fold(text, |text, before| {
                text.replace(
                    &format!("{before}{{{{game}}}}"),
                    &format!("{before}{place}"),
                )
            });
            let text = text
                .replace("{{name}}", name)
                .replace("{{game}}", plain)
                .replace("{{opponent}}", opponent);
            let text = text.replace("{{trust}}", trust(language));
            Some((renamed(path, game)?, text))
        });
    filled.collect()
}

/// Returns the name of a kit's file in a bot's folder; `None` if the file is for other games.
fn renamed(path: &Path, game: &str) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let wanted = if game == OWN_GAME { OWN_GAME } else { "other" };
    match stem.to_lowercase().as_str() {
        "gitignore" => Some(".gitignore".into()),
        plain @ (OWN_GAME | "other") if plain == wanted => {
            let bot = if stem == plain { "bot" } else { "Bot" };
            Some(path.with_file_name(bot).with_extension(path.extension()?))
        }
        OWN_GAME | "other" => None,
        _ => Some(path.to_path_buf()),
    }
}

/// Repeats each marked section of a text once for each form.
fn repeated(text: &str, forms: &[Form]) -> String {
    let mut whole = String::new();
    let mut section: Option<String> = None;
    for line in text.split_inclusive('\n') {
        match &mut section {
            None if line.contains(EACH) => section = Some(String::new()),
            None => whole += line,
            Some(lines) if line.contains(END) => {
                forms.iter().for_each(|form| whole += &of_form(lines, form));
                section = None;
            }
            Some(lines) => *lines += line,
        }
    }
    whole
}

fn of_form(lines: &str, form: &Form) -> String {
    let words = form.action.split('_');
    let pascal: String = words
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect();
    let camel = pascal[..1].to_lowercase() + &pascal[1..];
    let typed = form.fields.iter().filter_map(|field| match field.kind {
        FieldKind::Text(text) => Some(format!(
            "{:?}: [{:?}, {}]",
            field.name, text.alphabet, text.length
        )),
        _ => None,
    });
    let typed = format!("{{{}}}", typed.collect::<Vec<_>>().join(", "));
    let names = [
        ("{{kind}}", form.action),
        ("{{Kind}}", &pascal),
        ("{{camel}}", &camel),
        ("{{help}}", form.help),
    ];
    names
        .iter()
        .fold(lines.replace("{{typed}}", &typed), |text, (mark, name)| {
            text.replace(mark, name)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kit_is_filled_in_for_each_game() {
        for (language, others) in LANGUAGES {
            assert!(
                others
                    .iter()
                    .chain([&language])
                    .all(|name| find(name) == Some(language))
            );
            for game in table::names() {
                let files = files(language, "my-bot", game, game);
                let all: Vec<&str> = files.iter().filter_map(|(path, _)| path.to_str()).collect();
                for name in [
                    ".gitignore",
                    "AGENTS.md",
                    "README.md",
                    "bot.toml",
                    "duel.toml",
                    "gate.toml",
                ] {
                    assert!(all.contains(&name), "{language}: {all:?}");
                }
                let bots = all
                    .iter()
                    .filter(|name| name.to_lowercase().starts_with("bot."))
                    .count();
                assert_eq!(bots, 2, "bot.toml and the bot: {language}: {all:?}");
                for (path, text) in &files {
                    assert!(
                        !text.contains("{{"),
                        "{language}, {}: {text}",
                        path.display()
                    );
                }
            }
        }
        assert_eq!(find("cobol"), None);
    }
}
