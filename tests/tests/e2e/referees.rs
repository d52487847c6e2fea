//! Independent referees check matches of every game, for all numbers of seats, in all variants, and with forfeits.

use std::panic::{catch_unwind, set_hook, take_hook};
use std::thread::current;

use arena_tests::Scratch;
use arena_tests::referee::{check, points};
use arena_tests::sandbox::on_path;
use serde_json::{Value, json};

/// The tables: a game, its rules, the minimum and maximum number of seats, and the bots that play.
const TABLES: [(&str, &str, usize, usize, Bots); 20] = [
    ("coda", "", 2, 4, Bots::All),
    ("coda", "dashes=true rounds=2", 2, 4, Bots::All),
    ("coda", "numbers=4 panels=1", 2, 4, Bots::All),
    ("coda", "numbers=6 panels=3 dashes=true", 2, 4, Bots::All),
    ("code-777", "", 2, 4, Bots::All),
    ("code-777", "dummy_racks=true points=1", 2, 4, Bots::All),
    ("code-777", "colours=true questions=60", 2, 4, Bots::All),
    (
        "code-777",
        "colours=true dummy_racks=true points=2 questions=30",
        2,
        4,
        Bots::All,
    ),
    ("code-777", "points=20 questions=75", 2, 4, Bots::All),
    ("crack-the-code", "", 2, 2, Bots::All),
    ("crack-the-code", "positions=4 attempts=5", 2, 2, Bots::All),
    (
        "crack-the-code",
        "positions=3 colours=10 attempts=100",
        2,
        2,
        Bots::All,
    ),
    (
        "crack-the-code",
        "positions=2 colours=2 attempts=3",
        2,
        2,
        Bots::All,
    ),
    (
        "crack-the-code",
        "positions=1 colours=2 attempts=1",
        2,
        2,
        Bots::All,
    ),
    (
        "crack-the-code",
        "positions=8 colours=10",
        2,
        2,
        Bots::Random,
    ),
    ("digit-code", "", 2, 5, Bots::All),
    ("digit-code", "master=\"seats\"", 3, 4, Bots::All),
    (
        "digit-code",
        "master=\"seats\" turn_limit=7",
        3,
        5,
        Bots::Random,
    ),
    ("digit-code", "turn_limit=12 replays=0", 2, 5, Bots::Random),
    ("digit-code", "turn_limit=2", 2, 5, Bots::Random),
];

/// Selection of bots for a table.
#[derive(Clone, Copy, PartialEq)]
enum Bots {
    All,
    Random,
}

/// A random bot that, after a number of lines, answers with another action, answers late, or is killed.
const FAILING: &str = r#"
arena bot random | while IFS= read -r line; do
    said=$((said + 1))
    if [ $said -gt "$1" ]; then
        case "$2" in
        late) continue ;;
        killed) kill -KILL $$; exit ;;
        esac
        line="${line%%\"action\"*}\"action\":$2}"
    fi
    printf '%s\n' "$line"
done
"#;

/// Returns an action that is well-formed but almost always illegal.
fn illegal(game: &str) -> &'static str {
    match game {
        "coda" => r#"{"expose":{"position":0}}"#,
        "code-777" => r#"{"declare":{"numbers":[8,8,8]}}"#,
        "crack-the-code" => r#"{"guess":{"code":[]}}"#,
        _ => r#"{"hide":{"code":"204817"}}"#,
    }
}

/// Plays a tournament, checks it with the referee, and returns its matches. The flags are split at spaces.
fn play(flags: &str, bots: &[String]) -> Vec<Value> {
    let scratch = Scratch::new();
    scratch.write("failing.sh", FAILING);
    // An arena found on the `PATH` is not copied for each bot.
    let mut command = on_path(scratch.command(&format!("run -q --seed 4 --out t {flags}")));
    let output = command
        .args(bots.iter().flat_map(|bot| ["--bot", bot]))
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    let forfeited = log.contains("every match was forfeited");
    assert!(output.status.success() || forfeited, "{log}");
    check(&scratch, "t")
}

/// Returns the flags for a table.
fn flags(game: &str, rules: &str, seats: usize, deals: usize) -> String {
    let rules = rules
        .split_whitespace()
        .map(|rule| format!(" --rule {rule}"));
    format!(
        "--game {game} --seats {seats} --deals {deals}{}",
        rules.collect::<String>()
    )
}

/// Returns at least three bots for a game: the random one, then the others, strongest first.
fn built_in(game: &str, seats: usize, bots: Bots) -> Vec<String> {
    let listed: Value = serde_json::from_str(&Scratch::new().printed("games --json")).unwrap();
    let plays = |bot: &&Value| bot["bot"] == "random" || bots == Bots::All;
    let games = listed["games"].as_array().unwrap();
    let of_game = games.iter().find(|one| one["name"] == game).unwrap();
    let names: Vec<&str> = of_game["bots"]
        .as_array()
        .unwrap()
        .iter()
        .filter(plays)
        .map(name)
        .collect();
    (0..seats.max(3))
        .map(|bot| {
            format!(
                "b{bot}=builtin:{}",
                names[(5 * names.len() - bot) % names.len()]
            )
        })
        .collect()
}

fn name(bot: &Value) -> &str {
    bot["bot"].as_str().unwrap()
}

/// Returns the rules, seats and bots of each table of a game.
fn tables(game: &str) -> impl Iterator<Item = (&'static str, usize, Bots)> {
    let tables = TABLES.iter().filter(move |table| table.0 == game);
    tables.flat_map(|(_, rules, fewest, most, which)| {
        (*fewest..=*most).map(|seats| (*rules, seats, *which))
    })
}

/// Plays all tables of a game with these bots, and returns the matches.
fn tournaments(game: &str, deals: usize, bots: impl Fn(usize, Bots) -> Vec<String>) -> Vec<Value> {
    let all = tables(game).map(|(rules, seats, which)| {
        // Some bots think in proportion to the time limit, so give little time per move.
        play(
            &format!("{} --move-ms 4", flags(game, rules, seats, deals)),
            &bots(seats, which),
        )
    });
    all.flatten().collect()
}

/// Returns the events of one kind.
fn events<'a>(exported: &'a Value, kind: &str) -> Vec<&'a Value> {
    exported["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|event| event.get(kind))
        .collect()
}

/// Asserts that this happened in some of the matches. Otherwise the referee did not have to judge it.
fn happened(matches: &[Value], what: &str, is: impl Fn(&Value) -> bool) {
    let count = matches.iter().filter(|exported| is(exported)).count();
    eprintln!("{what}: {count} of {} matches", matches.len());
    assert!(count > 0, "{what}: in none of {} matches", matches.len());
}

#[test]
fn coda() {
    let matches = tournaments("coda", 2, |seats, bots| built_in("coda", seats, bots));
    happened(&matches, "a panel exposed with an empty pool", |exported| {
        !events(exported, "exposed").is_empty()
    });
    happened(&matches, "dashes taken", |exported| {
        !events(exported, "took").is_empty()
    });
}

#[test]
fn code_777() {
    let matches = tournaments("code-777", 5, |seats, bots| {
        built_in("code-777", seats, bots)
    });
    for kind in ["reshuffled", "questions_reshuffled", "dummy"] {
        happened(&matches, kind, |exported| {
            !events(exported, kind).is_empty()
        });
    }
    let points = |exported: &Value| exported["outcome"]["seats"][0]["points"].as_i64().unwrap();
    happened(&matches, "a lead shared and played on", |exported| {
        points(exported) > exported["rules"]["points"].as_i64().unwrap()
    });
    happened(&matches, "all questions asked", |exported| {
        events(exported, "answered").len()
            == exported["rules"]["questions"].as_u64().unwrap() as usize
    });
}

#[test]
fn crack_the_code() {
    let matches = tournaments("crack-the-code", 5, |seats, bots| {
        built_in("crack-the-code", seats.max(5), bots)
    });
    let points = |exported: &Value| {
        [0, 1].map(|seat| {
            exported["outcome"]["seats"][seat]["points"]
                .as_i64()
                .unwrap()
        })
    };
    for result in [[0, 0], [1, 0], [0, 1], [1, 1]] {
        happened(&matches, &format!("{result:?}"), |exported| {
            points(exported) == result
        });
    }
}

#[test]
fn digit_code() {
    let mut matches = tournaments("digit-code", 2, |seats, bots| {
        built_in("digit-code", seats, bots)
    });
    // Two identical bots often solve their codes in the same round.
    let twins = ["a=builtin:consistent", "b=builtin:consistent"].map(str::to_owned);
    matches.extend(play(&flags("digit-code", "replays=1", 2, 50), &twins));
    let count = |exported: &Value| events(exported, "game_started").len();
    happened(&matches, "replays up to the limit", |exported| {
        exported["seats"][2].is_null()
            && count(exported) == 1 + exported["rules"]["replays"].as_u64().unwrap() as usize
    });
    happened(
        &matches,
        "a code solved by both and played again",
        |exported| exported["seats"][2].is_null() && count(exported) > 1,
    );
    happened(&matches, "an elimination", |exported| {
        !events(exported, "eliminated").is_empty()
    });
    happened(&matches, "nobody wins", |exported| {
        events(exported, "game_ended")
            .iter()
            .any(|e| e["winner"].is_null())
    });
}

/// Returns bots for a game: two good ones, one that crashes later, one that cheats later, and two that fail immediately.
fn failing(game: &str, seats: usize) -> Vec<String> {
    let good = |name: &str| {
        format!(
            "{name}=builtin:{}",
            if game == "code-777" {
                "guessing"
            } else {
                "random"
            }
        )
    };
    let failing =
        |name: &str, lines: u32, how: &str| format!("{name}=sh failing.sh {lines} '{how}'");
    let mut bots = vec![
        good("good"),
        failing("crashes", 7, "killed"),
        failing("cheats", 12, illegal(game)),
        good("better"),
        failing("silent", 1, "killed"),
        failing("confused", 1, "["),
    ];
    if seats == 2 {
        bots.remove(3);
    }
    bots.truncate(if seats == 3 { 4 } else { 5 });
    bots
}

#[test]
fn forfeits() {
    for game in ["coda", "code-777", "crack-the-code", "digit-code"] {
        // Each match starts several processes, so play only every eighth table, in few seatings.
        let tables = tables(game).step_by(8);
        let matches = tables.flat_map(|(rules, seats, _)| {
            let (deals, format) = match seats {
                2 => (1, ""),
                _ => (5, "--format balanced --tables 1"),
            };
            let flags = flags(game, rules, seats, deals);
            play(
                &format!("{flags} {format} --isolation off"),
                &failing(game, seats),
            )
        });
        let matches: Vec<Value> = matches.collect();
        for count in 1..=if game == "crack-the-code" { 2 } else { 3 } {
            happened(&matches, &format!("{game}, {count} forfeits"), |exported| {
                exported["faults"].as_array().unwrap().len() == count
            });
        }
        for cause in ["crash", "illegal", "protocol"] {
            happened(&matches, cause, |exported| {
                exported["faults"].to_string().contains(cause)
            });
        }
        let played_on = |exported: &Value| {
            exported["outcome"]["ended"] == "played" && exported["faults"] != json!([])
        };
        if game != "crack-the-code" {
            happened(&matches, "played on", played_on);
        }
    }
}

#[test]
fn late_moves_of_coda() {
    let bots = [
        "a=builtin:random",
        "b=sh failing.sh 9 late",
        "c=builtin:random",
    ]
    .map(str::to_owned);
    for rules in ["late_moves=6", "late_moves=6 dashes=true"] {
        let matches = play(
            &format!(
                "{} --move-ms 20 --isolation off",
                flags("coda", rules, 3, 1)
            ),
            &bots,
        );
        happened(&matches, "late", |exported| {
            !events(exported, "late").is_empty()
        });
        happened(&matches, "too late", |exported| {
            exported["faults"].to_string().contains("time")
        });
    }
}

/// Collects the paths of all plain values.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, value)| leaves(value, &format!("{path}/{key}"), found)),
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, value)| leaves(value, &format!("{path}/{at}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

/// Returns a different value of the same type.
fn other(value: &Value) -> Value {
    match value {
        Value::Null => json!(0),
        Value::Bool(is) => json!(!is),
        Value::Number(number) => json!(number.as_i64().unwrap() + 1),
        Value::String(text) if text == "first" => json!("same"),
        _ => json!("first"),
    }
}

/// Returns `true` if the value could have been different without changing the answer.
fn free(exported: &Value, path: &str) -> bool {
    let event = path.split('/').take(4).collect::<Vec<_>>().join("/");
    let wrong = exported
        .pointer(&event)
        .is_some_and(|event| event["hit"] == false || event["right"] == false);
    wrong
        && ["/said/", "/code", "/target", "/position", "/panel"]
            .iter()
            .any(|key| path.contains(key))
        || path.contains("/guessed/code/")
}

/// Changes every single value of a match. Returns the changes that the referee did not notice.
fn missed(game: &str, rules: &str, seats: usize) -> Vec<String> {
    let exported = play(
        &flags(game, rules, seats, 1),
        &built_in(game, seats, Bots::All),
    )
    .swap_remove(0);
    let mut paths = vec![];
    leaves(&exported["events"], "/events", &mut paths);
    leaves(&exported["outcome"], "/outcome", &mut paths);
    paths.retain(|path| {
        let mut changed = exported.clone();
        let value = changed.pointer_mut(path).unwrap();
        *value = other(value);
        !free(&exported, path) && catch_unwind(|| points(&changed)).is_ok()
    });
    paths
}

#[test]
fn the_referees_notice_whatever_is_changed() {
    // So many panics are expected that they are not printed. Panics of other tests are.
    let (before, me) = (take_hook(), current().id());
    set_hook(Box::new(move |panic| {
        if current().id() != me {
            before(panic);
        }
    }));
    let tables = [
        ("coda", "", 3),
        ("code-777", "", 3),
        ("crack-the-code", "", 2),
        ("digit-code", "", 2),
    ];
    let found: Vec<_> = tables
        .map(|(game, rules, seats)| (game, missed(game, rules, seats)))
        .into();
    drop(take_hook());
    assert!(
        found.iter().all(|(_, missed)| missed.is_empty()),
        "{found:?}"
    );
}
