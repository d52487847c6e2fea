//! Laws of reading: a setup written down is read again as it was, and whatever is wrong is said, never a panic.

use std::path::Path;

use proptest::prelude::*;

use super::file::of_string;
use super::{BadSetup, Plays, Setup};
use crate::commands::init::{self, Sketch};
use crate::format::NAMES;
use arena_engine::games;

/// What is compared of a setup: all but what belongs to the machine.
fn shown(setup: &Setup) -> String {
    let setup = Setup { jobs: 0, oversubscribe: false, pin: true, hidden: Vec::new(), ..setup.clone() };
    format!("{setup:#?}")
}

fn read(text: &str) -> Result<Setup, BadSetup> {
    of_string(text, Path::new("/"))
}

/// Reads a text; writes the setup and reads it again.
fn check_round(text: &str) {
    let once = read(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
    let written = once.to_file().unwrap();
    let again = read(&written).unwrap_or_else(|bad| panic!("{bad}\n{written}"));
    assert_eq!(shown(&once), shown(&again), "{written}");
}

/// A file that says everything that can be said in one format.
fn full(format: &str, keys: &str, bots: &str) -> String {
    format!(
        "name = \"all of\\tit\"\ngame = \"coda\"\nformat = \"{format}\"\n{keys}\nseatings = \"rotations\"\ndeals = 7\n\
         seats = 2\nseed = 9\njobs = 1\npin = false\nisolation = \"off\"\n\
         [rules]\nrounds = 2\ndashes = true\n[clock]\nmove_ms = 5\nbank_ms = 6\nincrement_ms = 1\nstart_ms = 8\n\
         [limits]\nmemory_mb = 9\nprocesses = 3\nfile_mb = 4\n\
         [[bots]]\nname = \"a\"\nbuiltin = \"exact\"\n{bots}\n\
         [[bots]]\nname = \"b \\\"\"\ncommand = \"sh -c 'echo \\\"x\\\"'\"\ndir = \"tmp\"\nread = [\"/etc\", \".\"]\n\
         restart = \"match\"\ncores = \"all\"\nenv = {{ A = \"1\", B = \"=\" }}\n\
         [[bots]]\nname = \"c\"\nbuiltin = \"random\"\n"
    )
}

/// Every format with its keys.
const FORMATS: &[(&str, &str, &str)] = &[
    ("round-robin", "", ""),
    ("gauntlet", "challengers = [\"c\", \"b \\\"\"]", ""),
    ("balanced", "tables = 5", ""),
    ("swiss", "rounds = 4", ""),
    ("knockout", "", ""),
    ("ladder", "rounds = 6\npairs = 3", "joined = 2\nleft = 4"),
];

#[test]
fn a_setup_written_down_is_read_again() {
    for (format, keys, bots) in FORMATS {
        check_round(&full(format, keys, bots));
        check_round(&full(format, "", ""));
    }
}

#[test]
fn every_game_and_format_has_a_file_to_begin_with() {
    for (game, format) in games::NAMES.iter().flat_map(|game| NAMES.iter().map(move |format| (game, format))) {
        let text = init::text(&Sketch { name: "t \"1\"", game, format, bots: &[], away: None });
        let setup = read(&text).unwrap_or_else(|bad| panic!("{bad}"));
        assert_eq!((setup.game.as_str(), setup.format.name(), setup.bots.len()), (*game, *format, 2));
        assert!(setup.bots.iter().all(|bot| matches!(bot.plays, Plays::Builtin(_))));
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
        check_round(&text);
        // What is shown behind a # is as good as the rest, and the defaults are what is said of them.
        let whole = text.replace("# [[bots]]", "[[bots]]").lines().map(uncommented).collect::<Vec<_>>().join("\n");
        let whole =
            whole.replace("python3 my_bot.py", "sh").replace("\"weights.bin\"", "").replace("\"first\"", "\"mine\"");
        let whole = whole.replace("jobs = 2", "jobs = 1");
        read(&whole).unwrap_or_else(|bad| panic!("{bad}\n{whole}"));
    }
}

/// A line of a file to begin with, without the # before a key.
fn uncommented(line: &str) -> &str {
    line.strip_prefix("# ")
        .filter(|rest| rest.split(" = ").next().is_some_and(|key| !key.contains(' ')))
        .unwrap_or(line)
}

#[test]
fn defaults_of_formats_fit_the_bots() {
    use crate::format::Format;
    let of = |format: &str, bots: usize| {
        let bots: String = (0..bots).map(|bot| format!("[[bots]]\nname = \"{bot}\"\nbuiltin = \"random\"\n")).collect();
        read(&format!("format = \"{format}\"\n{bots}")).unwrap().format
    };
    for (bots, rounds) in [(2, 2), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5)] {
        assert_eq!(of("swiss", bots), Format::Swiss { rounds }, "{bots}");
    }
    assert_eq!(of("ladder", 5), Format::Ladder { rounds: 20, pairs: 2 });
    assert_eq!(of("balanced", 5), Format::Balanced { tables: 3 });
    assert_eq!(of("gauntlet", 5), Format::Gauntlet { challengers: vec![0] });
}

/// Something that may be written into a file.
fn scrap() -> impl Strategy<Value = String> {
    let words = [
        "0",
        "-1",
        "1.5",
        "99999999999999999999",
        "0x1F",
        "true",
        "\"\"",
        "\"exact\"",
        "'",
        "\"\"\"",
        "[",
        "]",
        "[[",
        "=",
        "{}",
        "[1]",
        "1979-05-27",
        "\n",
        "\r\n",
        "\0",
        "é",
        "\u{202e}",
        "#",
        ".",
        "[bots]",
        "[[bots]]",
        "[rules]",
        "inf",
        "name = 3",
        "\nformat = \"ladder\"\n",
        "\"\\u0000\"",
        "seats",
        "rounds",
        "_",
        "\u{1b}[31m",
        "[[rules]]",
        "bots = 3",
    ];
    prop_oneof![proptest::sample::select(words.to_vec()).prop_map(str::to_owned), ".{0,3}".prop_map(|any| any)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn random_edits_are_read_or_refused(
        which in 0..FORMATS.len(),
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), 0_usize..12, scrap()), 1..5),
    ) {
        let (format, keys, bots) = FORMATS[which];
        let mut text: Vec<char> = full(format, keys, bots).chars().collect();
        for (place, removed, scrap) in edits {
            let from = place.index(text.len() + 1);
            let to = (from + removed).min(text.len());
            text.splice(from..to, scrap.chars());
        }
        let text: String = text.into_iter().collect();
        match read(&text) {
            Ok(setup) => check_round(&setup.to_file().unwrap()),
            Err(bad) => {
                let said = bad.to_string();
                prop_assert!(bad.count() >= 1 && said.starts_with("error: "), "{said}");
                let wide = said.lines().map(|line| line.chars().count()).max().unwrap_or_default();
                prop_assert!(wide <= 110, "{wide} columns: {said}");
                prop_assert!(!said.contains(['\0', '\u{1b}', '\u{202e}']), "{said:?}");
            }
        }
    }
}
