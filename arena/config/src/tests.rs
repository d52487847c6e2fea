//! Laws of reading: a tournament survives a round trip through its file, and every problem is reported without a
//! panic.

use std::path::Path;

use arena_tournament::formats::{self, LISTED};
use arena_tournament::spec::{Local, Spec};
use proptest::prelude::*;

use super::FlagValue;
use super::diagnostic::UsageError;
use super::file::to_toml;
use super::read::{BOT, Flags, of_kept, program};

/// Formats a tournament without the settings of the machine.
fn shown(spec: &Spec) -> String {
    format!(
        "{:#?}",
        Spec {
            local: Local::default(),
            ..spec.clone()
        }
    )
}

fn read(text: &str) -> Result<Spec, UsageError> {
    of_kept(
        text,
        Path::new("/t.toml"),
        &Flags {
            trust: true,
            ..Flags::default()
        },
    )
}

/// Checks that a tournament survives being written and read again.
fn check_round(text: &str) {
    let once = read(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"));
    let written = to_toml(&once).unwrap();
    let again = read(&written).unwrap_or_else(|bad| panic!("{bad}\n{written}"));
    assert_eq!(shown(&once), shown(&again), "{written}");
}

/// Returns a file with every key that one format allows.
fn full(format: &str, keys: &str, bots: &str) -> String {
    let seats = formats::find(format).unwrap().min_seats;
    format!(
        "name = \"all of\\tit\"\ngame = \"coda\"\nformat = \"{format}\"\n{keys}\nseatings = \"rotations\"\ndeals = 7\n\
         seats = {seats}\nseed = 9\njobs = 1\npin = false\nisolation = \"off\"\n\
         anchor = \"c\"\n\
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
    ("balanced", "tables = 1", ""),
    ("swiss", "rounds = 4", ""),
    ("knockout", "", ""),
    ("ladder", "rounds = 6\npairs = 3", "withdrawn = true"),
];

#[test]
fn a_description_written_down_is_read_again() {
    for (format, keys, bots) in FORMATS {
        check_round(&full(format, keys, bots));
        check_round(&full(format, "", ""));
    }
}

#[test]
fn defaults_of_formats_fit_the_bots() {
    let of = |format: &str, bots: usize| {
        let bots: String = (0..bots)
            .map(|bot| format!("[[bots]]\nname = \"{bot}\"\nbuiltin = \"random\"\n"))
            .collect();
        let seats = formats::find(format).unwrap().min_seats;
        let options = read(&format!("format = \"{format}\"\nseats = {seats}\n{bots}"))
            .unwrap()
            .plan
            .format
            .options();
        serde_json::to_string(&options).unwrap()
    };
    for (bots, rounds) in [(2, 2), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5)] {
        assert_eq!(
            of("swiss", bots),
            format!("{{\"rounds\":{rounds}}}"),
            "{bots}"
        );
    }
    assert_eq!(of("ladder", 5), r#"{"pairs":2,"rounds":20}"#);
    assert_eq!(of("balanced", 5), r#"{"tables":2}"#);
    assert_eq!(of("gauntlet", 5), r#"{"challengers":["0"]}"#);
}

/// Returns the rows of the reference table of keys, generated from the keys' declarations.
fn table_of_keys() -> String {
    use arena_tournament::key::Key;
    use arena_tournament::keys;
    let mut rows = vec!["|---|---|---|".to_owned()];
    let mut add = |table: &str, of: &str, keys: &[Key]| {
        for key in keys.iter().filter(|key| {
            !table.is_empty() || !["clock", "limits", "bots", keys::COMPARE].contains(&key.name)
        }) {
            rows.push(format!(
                "| `{table}{}` | {} | {of}{} |",
                key.name,
                key.default,
                key.meaning()
            ));
        }
    };
    add("", "", keys::TOURNAMENT);
    LISTED
        .iter()
        .for_each(|format| add("", &format!("{}: ", format.name), format.keys));
    add("clock.", "", keys::CLOCK);
    add("limits.", "", keys::LIMITS);
    add("[[bots]] ", "", keys::BOT);
    rows.join("\n")
}

#[test]
fn the_reference_has_every_key_and_format() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../TOURNAMENTS.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let head = "| key | default | meaning |\n";
    let rows = table_of_keys();
    arena_golden::check_part(&path, [head, "\n\n"], &rows);
    for name in formats::NAMES {
        assert!(
            page.contains(&format!("| `{name}` |")),
            "{name} is not in the reference"
        );
    }
}

/// Generates a fragment of a file.
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
    prop_oneof![
        proptest::sample::select(words.to_vec()).prop_map(str::to_owned),
        ".{0,3}".prop_map(|any| any)
    ]
}

#[test]
fn what_a_flag_lists_is_of_the_flag() {
    let command = ["true".to_owned()];
    let paths = vec!["/".to_owned(); 40];
    let value = FlagValue::new(&format!("{BOT}.read"), paths, "--read /");
    let spec = program("a", &command, &vec![value].into()).unwrap();
    assert_eq!(spec.bots[0].program().unwrap().read.len(), 40);
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
            Ok(spec) => check_round(&to_toml(&spec).unwrap()),
            Err(bad) => {
                let report = bad.to_string();
                prop_assert!(report.starts_with("error: "), "{report}");
                let wide = report.lines().map(|line| line.chars().count()).max().unwrap_or_default();
                prop_assert!(wide <= 110, "{wide} columns: {report}");
                prop_assert!(!report.contains(['\0', '\u{1b}', '\u{202e}']), "{report:?}");
            }
        }
    }
}
