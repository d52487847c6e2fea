//! Bots that are replaced or disqualified after a tournament has begun.
#![cfg(unix)]

use arena_tests::{Scratch, arena};
use serde_json::Value;

/// A tournament of four bots, of which one is a program that fails.
fn begun(more: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("mine.sh", "exit 1");
    let builtin = |name: &str| format!("[[bots]]\nname = '{name}'\nbuiltin = 'random'\n");
    let file = format!(
        "{more}\nseed = 3\ndeals = 2\nisolation = 'off'\nrules.rounds = 1\n{}[[bots]]\nname = 'mine'\ncommand = 'sh mine.sh'\n{}{}",
        builtin("a"),
        builtin("b"),
        builtin("c")
    );
    scratch.write("t.toml", &file);
    scratch.printed("run t.toml -q --trust");
    scratch
}

/// The matches by their ids, with who forfeited.
fn matches(scratch: &Scratch, dir: &str) -> Vec<(String, usize)> {
    let all = scratch.export(dir).into_iter();
    let mut all: Vec<(String, usize)> = all
        .map(|one| {
            (
                one["id"].as_str().unwrap().to_owned(),
                one["faults"].as_array().unwrap().len(),
            )
        })
        .collect();
    all.sort();
    all
}

fn names(standings: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = standings["standings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["bot"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    names
}

fn improve(scratch: &Scratch) {
    scratch.write("mine.sh", &format!("exec {} bot random", arena().display()));
}

#[test]
fn a_newer_version_plays_anew_and_the_old_matches_are_kept_apart() {
    let scratch = begun("");
    let before = matches(&scratch, "t");
    improve(&scratch);
    let refused = scratch.refused("run t.toml -q --trust");
    assert!(
        refused.contains("mine.sh has changed (SHA-256 ") && refused.contains("arena replace"),
        "{refused}"
    );
    let said = String::from_utf8(scratch.arena("replace --same-deals t mine").stderr).unwrap();
    assert!(
        said.contains("12 matches of mine are set aside: arena export t/former/mine"),
        "{said}"
    );
    assert!(
        said.contains("24 matches are planned now; 12 are finished"),
        "{said}"
    );
    // The file still calls it by its first name.
    let shown = scratch.printed("run t.toml -q --trust");
    assert!(
        shown.contains("mine@2 has replaced mine: its 12 matches no longer count"),
        "{shown}"
    );
    assert_eq!(scratch.printed("run t -q --trust"), shown);
    let standings = scratch.standings("t");
    assert_eq!(
        (names(&standings), &standings["complete"]),
        (vec!["a", "b", "c", "mine@2"], &Value::Bool(true))
    );
    assert_eq!(standings["departures"][0]["replaced_by"], "mine@2");
    assert_eq!(standings["departures"][0]["set_aside"], 12);
    let (now, former) = (matches(&scratch, "t"), matches(&scratch, "t/former/mine"));
    assert!(
        now.iter().all(|(_, forfeits)| *forfeits == 0) && now.len() == 24,
        "{now:?}"
    );
    let of_mine = |id: &str| id.split('/').any(|name| name == "mine");
    assert_eq!(
        former,
        before
            .iter()
            .filter(|(id, _)| of_mine(id))
            .cloned()
            .collect::<Vec<_>>()
    );
    let others = |all: &[(String, usize)]| {
        all.iter()
            .filter(|(id, _)| !id.contains("mine"))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(others(&now), others(&before));
    for dir in ["t", "t/former/mine"] {
        assert!(
            scratch
                .printed(&format!("verify {dir}"))
                .contains("are finished and whole")
        );
    }
    // What it has played is what it would have played from the beginning.
    scratch.printed("run t.toml -q --trust --out fresh");
    let mut anew: Vec<(String, usize)> = matches(&scratch, "fresh")
        .into_iter()
        .map(|(id, faults)| (id.replace("mine", "mine@2"), faults))
        .collect();
    anew.sort();
    assert_eq!(anew, now);
    assert!(
        scratch
            .refused("replace t nobody")
            .contains("no bot is named \"nobody\"")
    );
    assert!(
        scratch
            .refused("replace t a --command ./nothing")
            .contains("there is no program")
    );
    scratch.printed("replace --same-deals t mine@2 --command builtin:exact");
    assert!(
        scratch
            .printed("run t -q --trust")
            .contains("mine@3 has replaced mine@2")
    );
}

#[test]
fn a_disqualified_bot_leaves_the_standings() {
    let scratch = begun("");
    let before = matches(&scratch, "t");
    scratch.printed("disqualify t mine --why cheating");
    let shown = scratch.printed("run t -q --trust");
    assert!(
        shown.contains("mine was disqualified (cheating): its 12 matches no longer count"),
        "{shown}"
    );
    assert_eq!(scratch.printed("run t.toml -q --trust"), shown);
    let standings = scratch.standings("t");
    assert_eq!(
        (names(&standings), &standings["complete"]),
        (vec!["a", "b", "c"], &Value::Bool(true))
    );
    let left: Vec<(String, usize)> = before
        .iter()
        .filter(|(id, _)| !id.contains("mine"))
        .cloned()
        .collect();
    assert_eq!(matches(&scratch, "t"), left);
    assert!(scratch.printed("verify t").starts_with("12 of 12 matches"));
    // The tournament goes on without it.
    scratch.printed("extend t --trust --deals 3");
    scratch.printed("run t -q --trust");
    assert_eq!(matches(&scratch, "t").len(), 18);
    assert!(
        scratch
            .refused("disqualify t mine --why again")
            .contains("no bot is named \"mine\"")
    );
}

#[test]
fn where_rounds_are_drawn_from_results_what_was_played_stands() {
    let scratch = begun("format = 'swiss'\nrounds = 3");
    let before = matches(&scratch, "t");
    improve(&scratch);
    scratch.printed("replace --same-deals t mine");
    let shown = scratch.printed("run t -q --trust");
    assert!(
        shown.contains("mine@2 has replaced mine: what it had played stands"),
        "{shown}"
    );
    assert_eq!(matches(&scratch, "t"), before);
    let old = before.iter().find(|(id, _)| id.contains("/mine")).unwrap();
    assert!(
        scratch
            .printed(&format!("show t {} --logs", old.0))
            .contains("wrote nothing during this match")
    );
    scratch.printed("extend t --trust --rounds 4");
    scratch.printed("run t.toml -q --trust --rounds 4");
    let now = matches(&scratch, "t");
    assert!(
        before.iter().all(|one| now.contains(one)),
        "{before:?} {now:?}"
    );
    assert!(
        now.iter()
            .any(|(id, faults)| id.contains("mine@2") && *faults == 0),
        "{now:?}"
    );
    scratch.printed("disqualify t mine@2 --why cheating");
    scratch.printed("extend t --trust --rounds 5");
    scratch.printed("run t -q --trust");
    let last = matches(&scratch, "t");
    let new: Vec<_> = last
        .iter()
        .filter(|one| !now.contains(one) && one.0.contains("mine@2"))
        .collect();
    assert!(
        !new.is_empty() && new.iter().all(|(_, faults)| *faults == 1),
        "{new:?}"
    );
    let faults = scratch
        .printed("faults t --only mine@2")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(faults.contains("disqualified: cheating"), "{faults}");
    assert!(
        scratch
            .printed("verify t")
            .contains("are finished and whole")
    );
    assert!(
        scratch
            .refused("disqualify t a --why no")
            .contains("a is built in")
    );
}
