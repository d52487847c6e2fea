//! `arena check`: good bots pass every step, and each fault of a bad bot is named, shown and explained.

mod answers;
mod grade;
#[cfg(feature = "all")]
mod habits;
#[cfg(feature = "all")]
mod python;
mod start;
mod usage;

use arena_tests::{Scratch, arena};

/// The fastest check that still plays matches.
const QUICK: &str = "check --game coda --seats 2 --matches-each 2 --move-ms 300 --start-ms 20000";

/// Runs `arena check` on a bot in the scratch folder, and returns the exit code and the output.
fn checked(scratch: &Scratch, flags: &str, bot: &[&str]) -> (Option<i32>, String) {
    let output = scratch.command(flags).arg("--").args(bot).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr),
    )
}

/// Expected exit codes of a check.
const PASSED: Option<i32> = Some(0);
const FAILED: Option<i32> = Some(1);
const WRONG: Option<i32> = Some(2);

/// Checks a shell bot, and asserts that the output contains all parts, ignoring line breaks.
fn shell(script: &str, code: Option<i32>, parts: &[&str]) {
    let scratch = Scratch::new();
    scratch.write("bot.sh", script);
    shows(&checked(&scratch, QUICK, &["sh", "bot.sh"]), code, parts);
}

fn shows((found, said): &(Option<i32>, String), code: Option<i32>, parts: &[&str]) {
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(flat.contains(part), "{part:?} is not in:\n{said}");
    }
    assert_eq!(*found, code, "{said}");
}

#[test]
fn our_own_bot_passes_every_step_in_every_game() {
    let scratch = Scratch::new();
    let bot = [arena().to_str().unwrap(), "bot", "random", "--matches", "4"];
    let (code, said) = checked(&scratch, "check --matches-each 1 --move-ms 10000", &bot);
    assert_eq!(code, PASSED, "{said}");
    for part in [
        "coda, 4 seats",
        "code-777, other rules",
        "crack-the-code, 4 matches at once",
        "digit-code, 5 seats",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(
        said.contains("This bot is ready for tournaments") && !said.contains("FAILED"),
        "{said}"
    );
}
