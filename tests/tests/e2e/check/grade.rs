//! Grades: tests whether a bot is proven to be stronger than a built-in one.

use arena_tests::{Scratch, arena};

use super::{FAILED, PASSED, WRONG, checked, shows};

/// Exit code if the bot passes its check but is not proven stronger.
pub const UNPROVEN: Option<i32> = Some(3);

/// Parses the score and its interval from the output of a check.
fn score(said: &str) -> Option<Vec<&str>> {
    let said = said.split_once("score ")?.1.split_once("passed: ")?.0;
    Some(
        said.split_whitespace()
            .take_while(|word| *word != "turns")
            .collect(),
    )
}

#[test]
fn a_bot_is_graded_by_deals_against_a_built_in_one() {
    let scratch = Scratch::new();
    let ours = arena().to_str().unwrap();
    let graded = |rival: &str, bot: &[&str]| {
        let flags = "check --game coda --seats 2 --matches-each 2 --move-ms 10000 --seed 1 --deals 10 --beats";
        checked(&scratch, &format!("{flags} {rival}"), bot)
    };
    for (bot, rival, code, part) in [
        (
            "exact",
            "random",
            PASSED,
            "; proven stronger than random. This bot",
        ),
        (
            "random",
            "exact",
            UNPROVEN,
            "; not proven stronger than exact. This bot",
        ),
        (
            "random",
            "random",
            UNPROVEN,
            "; not proven stronger than random",
        ),
    ] {
        let found = graded(rival, &[ours, "bot", bot]);
        shows(
            &found,
            code,
            &[
                part,
                &format!("10 deals of coda against {rival}"),
                "95 % interval",
            ],
        );
        let again = graded(rival, &[ours, "bot", bot]);
        assert!(
            score(&found.1).is_some() && score(&found.1) == score(&again.1),
            "{}\n{}",
            found.1,
            again.1
        );
    }
    // If a step fails, there is no grade.
    let (code, said) = graded("random", &["sh", "-c", "exit 3"]);
    assert!(code == FAILED && !said.contains("against random"), "{said}");
    for (flags, why) in [
        ("--beats chess", "a built-in bot of coda: random, excluding"),
        (
            "--beats racer --game code-777",
            "a built-in bot of code-777: random",
        ),
        ("--beats random --deals 4", "4 is not in 5.."),
        ("--deals 10", "--beats <BOT>"),
        ("--seed 10", "--beats <BOT>"),
    ] {
        shows(
            &checked(&scratch, &format!("check {flags}"), &["true"]),
            WRONG,
            &[why],
        );
    }
}

#[test]
fn every_program_of_a_file_is_graded() {
    let scratch = Scratch::new();
    let bot = |name: &str| {
        format!(
            "[[bots]]\nname = '{name}'\ncommand = '{} bot {name}'\n",
            arena().display()
        )
    };
    let file = |seats| format!("seats = {seats}\nclock.move_ms = 10000\nrules.rounds = 1\n");
    let two = bot("exact") + &bot("random");
    scratch.write("t.toml", &(file(2) + &two));
    let flags = "check --matches-each 2 --seed 1 --deals 20 --beats random";
    let (code, said) = checked(&scratch, flags, &["t.toml"]);
    for line in [
        "steps; proven stronger than random\n",
        "steps; not proven stronger than random",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert_eq!(code, UNPROVEN, "{said}");
    scratch.write("t.toml", &(file(3) + &two + &bot("inferring")));
    shows(
        &checked(&scratch, flags, &["t.toml"]),
        WRONG,
        &["--beats needs two seats"],
    );
}
