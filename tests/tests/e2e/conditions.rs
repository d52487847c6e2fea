//! Per-bot conditions: environment variables passed to a bot, and its clock.

#[cfg(feature = "all")]
mod passed;

use std::fs;

use arena_tests::Scratch;

#[test]
fn a_variable_that_is_passed_must_be_set() {
    let scratch = Scratch::new();
    let refused = scratch.refused("check --pass-env ARENA_NO_KEY sh bot.sh");
    assert!(
        refused.contains(
            "needs the variable ARENA_NO_KEY, which is not set here: export ARENA_NO_KEY=…"
        ),
        "{refused}"
    );
    scratch.write(
        "t.toml",
        "[[bots]]\nname = 'a'\nbuiltin = 'exact'\n[[bots]]\nname = 'b'\ncommand = 'sh'\npass_env = ['A=1']\n",
    );
    let refused = scratch.refused("run t.toml");
    assert!(
        refused.contains("t.toml:7:13") && refused.contains("write only the name of the variable"),
        "{refused}"
    );
}

#[test]
fn a_bot_has_its_own_clock_and_tables_say_so() {
    let scratch = Scratch::new();
    scratch.write("bot.sh", "while read -r line; do echo \"$line\" >&2; case $line in *hello*) echo '{\"ready\":{}}';; *turn*) exit;; esac; done");
    let bot = |name: &str, rest: &str| {
        format!("[[bots]]\nname = '{name}'\ncommand = 'sh bot.sh'\n{rest}\n")
    };
    let quick = "clock = { move_ms = 30000, bank_ms = 90000, increment_ms = 7 }";
    let file = |rest: &str| {
        format!(
            "deals = 1\nseed = 5\n{}{}",
            bot("slow", ""),
            bot("quick", rest)
        )
    };
    scratch.write("t.toml", &file(quick));
    scratch.arena("run -q t.toml");
    let log =
        |name: &str| fs::read_to_string(scratch.path().join(format!("t/logs/{name}.log"))).unwrap();
    assert!(
        log("slow").contains("\"clock\":{\"move_ms\":2000}"),
        "{}",
        log("slow")
    );
    assert!(
        log("quick").contains("\"clock\":{\"move_ms\":30000,\"bank_ms\":90000,\"increment_ms\":7}"),
        "{}",
        log("quick")
    );
    let shown = scratch.printed("show t --full");
    assert!(shown.contains("seed 5, time odds\n"), "{shown}");
    let odds = "time odds: quick has 30000 ms for a move, 90000 ms for all moves of a match and 7 ms more after each, 10000 ms to start";
    assert!(
        shown
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains(odds),
        "{shown}"
    );
    assert_eq!(
        scratch.standings("t")["time_odds"][0]["clock"]["bank_ms"],
        90_000
    );
    let compared = scratch.arena("compare --file t.toml slow quick --max-deals 1 -q");
    let compared = String::from_utf8(compared.stdout).unwrap();
    assert!(
        compared.contains("\ntime odds: quick has 30000 ms"),
        "{compared}"
    );
    let equal = [bot("slow", quick), bot("quick", quick)].concat();
    scratch.write("equal.toml", &format!("deals = 1\nseed = 5\n{equal}"));
    scratch.arena("run -q equal.toml");
    assert!(!scratch.printed("show equal --full").contains("time odds"));
    for (rest, why) in [
        (
            "clock = { move_ms = 1, thinking = 2 }",
            "there is no key \"thinking\"",
        ),
        (
            "clock = { increment_ms = 2 }",
            "`increment_ms` needs a `bank_ms`",
        ),
        ("clock = 5", "a table"),
    ] {
        scratch.write("t2.toml", &file(rest));
        let refused = scratch.refused("run t2.toml");
        assert!(
            refused.contains(why) && refused.contains("t2.toml:10:"),
            "{refused}"
        );
    }
    scratch.write("t.toml", &file(""));
    assert!(
        scratch
            .refused("run t.toml")
            .contains("bot quick: it has another clock")
    );
}
