//! `arena init`: writes a first tournament file.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_bots::roster;
use arena_config::FlagValue;
use arena_config::file;
use arena_config::read;
use arena_engine::table::{self, Entry};
use arena_runner::status::status;
use arena_session::folder;
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::formats::{self, Listed};
use arena_tournament::spec::Spec;

use super::wrong_use;
use crate::cli::Init;

/// Template that explains every key. Words in capitals are placeholders.
const TEMPLATE: &str = include_str!("init.toml");

/// Writes the file, unless it exists.
pub fn run(args: &Init) -> anyhow::Result<ExitCode> {
    let given = |path, text: &str| FlagValue::new(path, text, format!("--{path} {text}"));
    let mut values = vec![given("game", &args.game), given("format", &args.format)];
    values.extend(FlagValue::each("bots", "bot", &args.bots));
    let mut spec = read::table(&values.into())?;
    let format = formats::find(&args.format).context("the flags were checked")?;
    let game = table::find(&spec.plan.game);
    if game.is_some_and(|game| *game.seats.end() < format.min_seats) {
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
    for entrant in &mut spec.bots {
        if let Bot::Program(program) = &mut entrant.bot
            && program.dir == dir
        {
            program.dir = ".".into();
        }
    }
    let text = fill(&spec, format)?;
    let text = if table::is_loaded(&spec.plan.game) {
        // Name the game's folder, because the game's full name changes with every edit.
        let folder = std::path::absolute(&args.game)?;
        let inside = folder
            .strip_prefix(dir)
            .map(|inside| format!("./{}", inside.display()));
        let folder = inside.unwrap_or_else(|_| folder.display().to_string());
        text.replace(&spec.plan.game, &folder)
    } else {
        text
    };
    if path.symlink_metadata().is_ok() {
        return wrong_use(format!(
            "{shown} exists already and is left as it is: name another file"
        ));
    }
    folder::replace(&path, &text)?;
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

/// Fills in the template for this game and these bots, with built-in bots added.
fn fill(spec: &Spec, format: &Listed) -> anyhow::Result<String> {
    let game = &spec.plan.game;
    let rules = table::find(game).map(Entry::standard_rules);
    let rules = rules.into_iter().flatten();
    let rules: String = rules
        .map(|(name, value)| format!("{name} = {value}\n"))
        .collect();
    let mut bots = builtin(game, format.min_seats);
    bots.retain(|builtin| spec.bots.iter().all(|bot| bot.name != builtin.name));
    bots.extend(spec.bots.iter().cloned());
    Ok(TEMPLATE
        .replace("GAME", game)
        .replace("FORMAT", format.name)
        .replace("SEATS", &format.min_seats.to_string())
        .replace("SEED", &spec.plan.seed.to_string())
        .replace("RULES\n", &rules)
        .replace("BOTS", &file::bots(&bots)?))
}

/// Returns the strongest built-in bot of a game, then the weakest as often as needed to fill a table.
fn builtin(game: &str, seats: usize) -> Vec<Entrant> {
    let mut bots = vec![roster::strongest(game).name];
    bots.resize(seats, roster::RANDOM);
    let entrant = |(place, bot): (usize, &&str)| {
        let name = match bots[..place].iter().filter(|other| *other == bot).count() {
            0 => (*bot).to_owned(),
            same => format!("{bot}-{}", same + 1),
        };
        Entrant::new(name, Bot::Builtin((*bot).into()))
    };
    bots.iter().enumerate().map(entrant).collect()
}

#[cfg(test)]
mod tests {
    use arena_tournament::formats::LISTED;
    use arena_tournament::key::{Key, Kind};
    use arena_tournament::keys;
    use arena_tournament::spec::Local;

    use super::*;
    use arena_config::read::Flags;

    /// Reads the text from a file in a separate folder, because a program's folder is hashed.
    fn read(text: &str) -> Spec {
        let dir = tempfile::tempdir().unwrap();
        let flags = Flags {
            trust: true,
            ..Flags::default()
        };
        let path = dir.path().join("t.toml");
        read::of_kept(text, &path, &flags).unwrap_or_else(|bad| panic!("{bad}"))
    }

    /// Formats a description without its machine-specific part.
    fn shown(spec: Spec) -> String {
        let local = Local::default();
        format!("{:#?}", Spec { local, ..spec })
    }

    /// Returns the key and the value that a line sets, whether or not it is commented out.
    fn set(line: &str) -> Option<(&str, &str)> {
        let (name, value) = line.trim_start_matches("# ").split_once(" = ")?;
        let value = value.split(" #").next()?;
        (!name.contains(' ')).then(|| (name, value.trim()))
    }

    /// Uncomments all keys, except those of other formats and of classes.
    fn uncommented(text: &str, format: &Listed) -> String {
        let (bots, _class) = text
            .split_once("\n# [[bots]]                        # a class")
            .unwrap();
        let is_of_others = |name: &str| formats::not_for(name, format.name, name).is_some();
        let whole = |line: &str| match set(line) {
            Some((name, _)) if is_of_others(name) => String::new(),
            Some(_) => line.trim_start_matches("# ").to_owned(),
            None => line.replace("# [[bots]]", "[[bots]]"),
        };
        bots.lines().map(|line| whole(line) + "\n").collect()
    }

    #[test]
    fn every_game_and_format_has_a_file_to_begin_with() {
        for (game, format) in table::games()
            .iter()
            .flat_map(|game| LISTED.iter().map(move |format| (game, format)))
        {
            let seats = format.min_seats;
            if !game.seats.contains(&seats) {
                continue;
            }
            let game = game.name;
            let bare = |rest: &str| {
                format!(
                    "game = \"{game}\"\nseats = {seats}\nformat = \"{}\"\nseed = 9007199254740991\n{rest}",
                    format.name
                )
            };
            let bots = file::bots(&builtin(game, seats)).unwrap();
            let spec = read(&bare(&bots));
            let text = fill(
                &Spec {
                    bots: Vec::new(),
                    ..spec.clone()
                },
                format,
            )
            .unwrap();
            let new = read(&text);
            assert!(!new.local.seed_drawn);
            assert_eq!(shown(new), shown(spec), "defaults are other ones\n{text}");
            assert!(
                text.lines().all(|line| line.chars().count() <= 120),
                "{text}"
            );
            // The commented-out keys must be valid too.
            let whole = uncommented(&text, format)
                .replace("python3 my_bot.py", "sh")
                .replace("\"weights.bin\"", "")
                .replace("jobs = 2", "jobs = 1")
                .replace("cores = \"0-3\"", "");
            assert_eq!(read(&whole).bots.len(), seats + 1);
        }
    }

    #[test]
    fn the_file_shows_every_key_with_its_default() {
        let text = TEMPLATE.replace("SEATS", "2");
        let (tournament, bots) = text.split_once("BOTS").unwrap();
        let check = |text: &str, keys: &[Key]| {
            for key in keys {
                let by_hand = [
                    keys::COMPARE,
                    keys::TUNE,
                    "rules",
                    "clock",
                    "limits",
                    "bots",
                    "builtin",
                ];
                if by_hand.contains(&key.name) && !text.contains(&format!("# {} =", key.name)) {
                    continue;
                }
                let all: Vec<&str> = text
                    .lines()
                    .filter_map(set)
                    .filter(|(name, _)| *name == key.name)
                    .map(|(_, value)| value)
                    .collect();
                let [value] = all[..] else {
                    panic!("{} is there {} times", key.name, all.len())
                };
                let is_default = value.trim_matches('"') == key.default;
                let has_default = match key.kind {
                    Kind::Whole(_) => key.default.parse::<u64>().is_ok(),
                    Kind::Truth => true,
                    Kind::Word(_) => !["game", "format"].contains(&key.name),
                    _ => false,
                };
                assert!(is_default || !has_default, "{} = {value}", key.name);
            }
        };
        check(tournament, keys::TOURNAMENT);
        check(tournament, keys::CLOCK);
        check(tournament, keys::LIMITS);
        check(bots, keys::BOT);
        for format in LISTED {
            check(tournament, format.keys);
        }
    }
}
