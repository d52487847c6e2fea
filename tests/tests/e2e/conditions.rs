//! Per-bot conditions: environment variables passed to a bot, and its clock.

#[cfg(feature = "all")]
mod passed;

use std::fs;

use arena_tests::{Scratch, arena};

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
    let said = scratch.arena("run t.toml").stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("bot quick: it has another clock"), "{said}");
}

/// Checks memory that has no room for all programs: programs that no match uses are ended, and the results stay the same.
#[test]
fn programs_that_do_not_fit_into_memory_end_between_matches() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("alive")).unwrap();
    let alive = scratch.path().join("alive").display().to_string();
    let count = format!(
        "touch {alive}/$$; trap 'rm -f {alive}/$$' EXIT; echo ALIVE $(ls {alive} | wc -l) >&2"
    );
    scratch.write(
        "bot.sh",
        &format!("{count}; {} bot random", arena().display()),
    );
    let bots: String = ["a", "b", "c", "d"]
        .map(|name| format!("[[bots]]\nname = '{name}'\ncommand = 'sh bot.sh'\n"))
        .concat();
    let file =
        format!("seed = 3\ndeals = 3\njobs = 1\nrules.rounds = 1\nisolation = 'off'\n{bots}");
    // Returns the maximum number of programs alive at the same time, and the number of starts of each bot.
    let play = |name: &str, memory_mb: u64, last: &str| {
        let file = format!("limits.memory_mb = {memory_mb}\n{file}{last}");
        scratch.write("t.toml", &file);
        let plan = scratch.printed("plan t.toml --seconds 0 --trust");
        scratch.printed(&format!("run t.toml -q --trust --out {name}"));
        let log = |bot: &str| {
            fs::read_to_string(scratch.path().join(format!("{name}/logs/{bot}.log"))).unwrap()
        };
        let counts = ["a", "b", "c", "d"].map(|bot| {
            let log = log(bot);
            let alive = log.lines().filter_map(|line| line.strip_prefix("ALIVE "));
            alive
                .map(|count| count.trim().parse::<u32>().unwrap())
                .collect::<Vec<_>>()
        });
        let most = *counts.iter().flatten().max().unwrap();
        (
            plan,
            most,
            counts.map(|counts| counts.len()),
            scratch.printed(&format!("export {name}")),
        )
    };
    let (plan, most, roomy, export) = play("roomy", 128, "");
    assert!(
        plan.contains("1 job × 4 programs × 128 MiB = 512 MiB, here ")
            && !plan.contains("run at a time"),
        "{plan}"
    );
    assert_eq!(most, 4);
    let (plan, most, tight, same) = play("tight", 100_000_000, "");
    assert!(
        plan.contains(": 2 run at a time, which may need more"),
        "{plan}"
    );
    assert_eq!((most, export), (2, same));
    assert!(
        tight.iter().sum::<usize>() > roomy.iter().sum(),
        "{tight:?} {roomy:?}"
    );
    // A bot that is never restarted is not ended either.
    let (_, most, starts, _) = play("never", 100_000_000, "restart = 'never'\n");
    assert_eq!((most, starts[3]), (3, 1));
}
