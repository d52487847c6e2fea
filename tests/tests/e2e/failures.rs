//! Failing bots: each forfeits with its reason, and the tournament continues.

use arena_tests::shell::{READY, answering};
use arena_tests::{Scratch, arena};

/// Plays a shell bot against a good one, and returns the cause and the detail of each forfeit.
fn faults(script: &str) -> Vec<(String, String)> {
    let scratch = Scratch::new();
    scratch.write("bot.sh", script);
    let flags = "run -q --seed 1 --deals 2 --jobs 2 --move-ms 300 --rule late_moves=1 --bot good=builtin:random --out t --bot";
    let output = scratch
        .command(flags)
        .arg("bad=sh bot.sh")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let standings = scratch.standings("t");
    assert_eq!(standings["played"], 4);
    let faults = standings["faults"].as_array().unwrap().iter();
    let found = faults.map(|fault| {
        assert_eq!(fault["bot"], "bad");
        (
            fault["cause"].as_str().unwrap().to_owned(),
            fault["detail"].as_str().unwrap().to_owned(),
        )
    });
    found.collect()
}

fn check(script: &str, cause: &str, detail: &str) {
    let found = faults(script);
    assert_eq!(found.len(), 4, "it forfeits every match: {found:?}");
    for (what, why) in found {
        assert!(
            what == cause && why.contains(detail),
            "{script}: {what}: {why}"
        );
    }
}

#[test]
fn a_bot_that_exits_at_once_crashes() {
    check("exit 3", "crash", "exited with code 3");
}

#[test]
fn a_bot_that_exits_when_asked_crashes() {
    check(&format!("{READY} exit 0"), "crash", "exited with code 0");
}

#[test]
fn a_bot_that_is_killed_crashes() {
    check(&format!("{READY} kill -SEGV $$"), "crash", "SEGV");
}

#[test]
fn a_bot_that_does_not_answer_is_out_of_time() {
    check(
        &format!("{READY} while read line; do :; done"),
        "time",
        "no answer in time",
    );
}

#[test]
fn a_bot_that_never_stops_talking_is_out_of_time_or_order() {
    check(
        &format!("{READY} while echo '{{\"id\":0,\"action\":0}}'; do :; done"),
        "time",
        "no answer in time",
    );
    check(
        &format!("{READY} exec yes hello"),
        "protocol",
        "is not JSON",
    );
    check(
        &format!("{READY} yes | tr '\\n' x"),
        "protocol",
        "without a newline",
    );
}

#[test]
fn a_banner_is_quoted() {
    let quoted = "print everything else to stderr: Loading the model";
    check(
        "echo Loading the model; cat > /dev/null",
        "protocol",
        quoted,
    );
    check(
        "printf 'Loading the model\\n{\"ready\":{}}\\n'; cat > /dev/null",
        "protocol",
        quoted,
    );
}

#[test]
fn answers_that_do_not_fit_are_explained() {
    check(
        &answering("{\\\"id\\\":$id}"),
        "protocol",
        "it has no action",
    );
    for (action, why) in [
        ("{\\\"set_up\\\":{}}", "\"set_up\" lacks the key dark"),
        (
            "{\\\"set_up\\\":[1]}",
            "\"set_up\" needs an object with the key dark, not [1]",
        ),
        (
            "{\\\"set_up\\\":{\\\"dark\\\":300}}",
            "dark in \"set_up\" needs a whole number",
        ),
        ("{\\\"guess\\\":{\\\"code\\\":[1,2]}}", "not \"guess\""),
    ] {
        check(
            &answering(&format!("{{\\\"id\\\":$id,\\\"action\\\":{action}}}")),
            "illegal",
            why,
        );
    }
    check(
        &answering("{\\\"id\\\":$id,\\\"action\\\":{\\\"set_up\\\":{\\\"dark\\\":7}}}"),
        "illegal",
        "dark = 7 is not legal here",
    );
    check(
        &answering("{\\\"id\\\":${id}99,\\\"action\\\":{\\\"set_up\\\":{\\\"dark\\\":1}}}"),
        "protocol",
        "the id of the answer is not that of an open turn",
    );
}

#[test]
fn what_is_wrong_with_a_setup_is_said_all_at_once() {
    let scratch = Scratch::new();
    scratch.write(
        "t.toml",
        "game = 'coda'\nseats = 5\n[[bots]]\nname = 'a'\nbuiltin = 'exat'\n[[bots]]\nname = 'a'\ncommand = './none'\n",
    );
    let said = scratch.refused("run t.toml");
    for part in [
        "t.toml",
        "two bots are named \"a\"",
        "no bot named \"exat\"",
        "there is no program ./none",
        "2 to 4 seats, not 5",
        "did you mean \"exact\"?",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    scratch.write("t.toml", "gme = 'coda'\n");
    let said = String::from_utf8(scratch.arena("run t.toml").stderr).unwrap();
    assert!(
        said.contains("t.toml:1:1") && said.contains("did you mean `game`?"),
        "{said}"
    );
    assert!(!scratch.path().join("runs").exists());
}

#[test]
fn crashes_that_cost_no_match_are_counted() {
    let scratch = Scratch::new();
    let bot = format!("'{}' bot random; exit 3", arena().display());
    scratch.write("bot.sh", &bot);
    let mut run = scratch
        .command("run -q --seed 1 --deals 2 --jobs 1 --isolation off --bot random --out t --bot");
    assert!(run.arg("bad=sh bot.sh").output().unwrap().status.success());
    let faults: serde_json::Value =
        serde_json::from_str(&scratch.printed("faults t --json")).unwrap();
    // No process plays a deal twice.
    assert_eq!(faults["crashes"]["bad"]["times"], 2);
    assert_eq!(faults["faults"], serde_json::json!([]));
    let words = scratch.printed("faults t");
    assert!(
        words.contains("bad crashed 2 times after a match or at quit, which cost no"),
        "{words}"
    );
    scratch.printed("reset --yes t");
    assert!(!scratch.path().join("t/crashes.json").exists());
    let checked =
        scratch.arena("check --isolation off --game coda --seats 2 --matches-each 2 sh bot.sh");
    let text = String::from_utf8(checked.stdout).unwrap();
    assert!(
        checked.status.success() && !text.contains("is ready for tournaments"),
        "{text}"
    );
}
