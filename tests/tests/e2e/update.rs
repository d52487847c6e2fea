//! `arena update` brings existing tournaments in line with their files.

use std::fs;

use arena_tests::{Scratch, arena};
use serde_json::Value;

/// Plays a tournament of four bots, one of which is a program that fails.
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

/// Returns the matches by id, with the number of forfeits.
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

fn matches_of(all: &[(String, usize)], bot: &str, is_of_it: bool) -> Vec<(String, usize)> {
    let plays = |id: &String| id.split('/').any(|name| name == bot);
    all.iter()
        .filter(|(id, _)| plays(id) == is_of_it)
        .cloned()
        .collect()
}

fn edit(scratch: &Scratch, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(scratch.path().join(file)).unwrap();
    assert!(text.contains(from), "{text}");
    scratch.write(file, &text.replacen(from, to, 1));
}

fn withdraw(scratch: &Scratch, file: &str, bot: &str) {
    let name = format!("name = '{bot}'\n");
    edit(scratch, file, &name, &format!("{name}withdrawn = true\n"));
}

fn improve(scratch: &Scratch) {
    scratch.write("mine.sh", &format!("exec {} bot random", arena().display()));
}

#[test]
fn changed_bots_play_the_same_deals_again_if_that_is_wanted() {
    let scratch = begun("");
    let before = matches(&scratch, "t");
    improve(&scratch);
    let run = scratch.arena("run t -q --trust");
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(
        said.contains("changed    mine: the old version plays on"),
        "{said}"
    );
    // Without a terminal it only prints what it would do.
    let said = scratch.arena("update t --trust --same-deals");
    assert_eq!(
        String::from_utf8(said.stdout).unwrap(),
        "changed    mine starts again without results\n"
    );
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("nothing has been changed yet"), "{said}");
    assert_eq!(matches(&scratch, "t"), before);
    let shown = scratch.printed("update t --trust --same-deals --yes -q");
    assert!(
        shown.contains("bots have changed and play deals that they may have seen"),
        "{shown}"
    );
    assert!(shown.ends_with(&scratch.printed("run t.toml -q --trust")));
    let standings = scratch.standings("t");
    assert_eq!(
        (names(&standings), &standings["complete"]),
        (vec!["a", "b", "c", "mine"], &Value::Bool(true))
    );
    let now = matches(&scratch, "t");
    assert!(
        now.iter().all(|(_, forfeits)| *forfeits == 0) && now.len() == 24,
        "{now:?}"
    );
    assert_eq!(matches(&scratch, "t/earlier/1"), before);
    assert_eq!(
        matches_of(&now, "mine", false),
        matches_of(&before, "mine", false)
    );
    for dir in ["t", "t/earlier/1"] {
        let verified = scratch.printed(&format!("verify {dir}"));
        assert!(verified.contains("are finished and whole"), "{verified}");
    }
    // The matches are the same as if the bot had played from the beginning.
    scratch.printed("run t.toml -q --trust --out fresh");
    assert_eq!(matches(&scratch, "fresh"), now);
    let said = String::from_utf8(scratch.arena("update t --trust").stderr).unwrap();
    assert!(said.contains("there is nothing to change"), "{said}");
    edit(&scratch, "t.toml", "sh mine.sh", "./nothing");
    let refused = scratch.refused("update t --trust");
    assert!(refused.contains("there is no program"), "{refused}");
}

#[test]
fn a_withdrawn_bot_keeps_its_matches_and_forfeits_the_rest() {
    let bot = "mine";
    let scratch = begun("");
    let before = matches(&scratch, "t");
    withdraw(&scratch, "t.toml", bot);
    let shown = scratch.printed("update t --trust --yes -q");
    assert!(shown.starts_with(&format!("withdrawn  {bot}\n")), "{shown}");
    assert!(shown.ends_with(&scratch.printed("run t.toml -q --trust")));
    let all = scratch.printed("show t --full");
    assert!(
        all.contains(&format!("{bot} is withdrawn; what it had played stands")),
        "{all}"
    );
    assert_eq!(matches(&scratch, "t"), before);
    assert_eq!(scratch.standings("t")["withdrawn"][0], bot);
    scratch.printed("extend t --deals 3");
    scratch.printed("run t -q --trust");
    let now = matches(&scratch, "t");
    let new: Vec<_> = matches_of(&now, bot, true)
        .into_iter()
        .filter(|one| !before.contains(one))
        .collect();
    assert_eq!((now.len(), new.len()), (36, 6));
    assert!(
        new.iter()
            .all(|(id, faults)| *faults >= 1 && id.starts_with("d3/"))
    );
    let faults = scratch.printed(&format!("faults t --only {bot}"));
    assert!(faults.contains("withdrawn"), "{faults}");
    assert!(
        scratch
            .printed("verify t")
            .contains("are finished and whole")
    );
    // If the bot returns, it plays from the beginning.
    edit(&scratch, "t.toml", "deals = 2", "deals = 3");
    edit(&scratch, "t.toml", "withdrawn = true\n", "");
    improve(&scratch);
    let shown = scratch.printed("update t --trust --same-deals --yes -q");
    let back = format!("back       {bot} starts again without results\n");
    assert!(shown.contains(&back), "{shown}");
    assert_eq!(scratch.standings("t")["withdrawn"], serde_json::json!([]));
}

#[test]
fn in_a_swiss_a_withdrawn_bot_is_paired_no_more() {
    let scratch = begun("format = 'swiss'\nrounds = 2");
    let before = matches(&scratch, "t");
    let text = fs::read_to_string(scratch.path().join("t.toml")).unwrap();
    let without = text.replace("[[bots]]\nname = 'c'\nbuiltin = 'random'\n", "");
    scratch.write("t.toml", &without);
    let shown = scratch.printed("update t --trust --yes -q");
    assert!(shown.starts_with("withdrawn  c\n"), "{shown}");
    scratch.printed("extend t --rounds 5");
    scratch.printed("run t -q --trust");
    let now = matches(&scratch, "t");
    // With three bots, each round has one pairing and one bye.
    assert_eq!(now.len(), before.len() + 3 * 4);
    assert_eq!(matches_of(&now, "c", true), matches_of(&before, "c", true));
    assert_eq!(scratch.standings("t")["complete"], true);
    assert!(
        scratch
            .printed("verify t")
            .contains("are finished and whole")
    );
    // New code starts the tournament over, without the withdrawn bot.
    improve(&scratch);
    edit(&scratch, "t.toml", "rounds = 2", "rounds = 5");
    let shown = scratch.printed("update t --trust --yes -q");
    assert!(shown.starts_with("changed    mine"), "{shown}");
    assert_eq!(matches(&scratch, "t/earlier/1"), now);
    assert_eq!(names(&scratch.standings("t")), ["a", "b", "mine"]);
}

#[test]
fn a_tournament_without_a_file_is_changed_by_the_one_in_its_folder() {
    let scratch = Scratch::new();
    scratch.printed(
        "run -q --deals 2 --seed 1 --bot a=builtin:exact --bot b=builtin:random --bot c=builtin:random --out t",
    );
    edit(
        &scratch,
        "t/tournament.toml",
        "name = \"b\"\n",
        "name = \"b\"\nwithdrawn = true\n",
    );
    let shown = scratch.printed("update t --yes -q");
    assert!(shown.starts_with("withdrawn  b"), "{shown}");
    edit(
        &scratch,
        "t/tournament.toml",
        "name = \"c\"\nbuiltin = \"random\"",
        "name = \"c\"\nbuiltin = \"excluding\"",
    );
    let seed = scratch.seed("t");
    scratch.printed("update t --yes -q");
    assert_ne!(scratch.seed("t"), seed);
    assert_eq!(names(&scratch.standings("t")), ["a", "c"]);
}

/// Checks runs with failing bots. A single failing bot has simply lost. If all bots fail, the run has no result.
#[test]
fn a_run_without_a_match_that_was_played_fails() {
    let scratch = Scratch::new();
    let play = |bots: &str| {
        let flags = "--rule rounds=1 --seed 1 --deals 1 --isolation off";
        let run = scratch.arena(&format!("run -q {flags} {bots}"));
        let said = String::from_utf8(run.stderr).unwrap();
        (
            run.status.code(),
            said.contains("every match was forfeited"),
        )
    };
    assert_eq!(
        play("--bot a=false --bot b=builtin:random"),
        (Some(0), false)
    );
    assert_eq!(play("--bot a=false --bot b=false"), (Some(1), true));
}

/// Checks that a new version is started once before it replaces a working one.
#[test]
fn a_version_that_does_not_start_replaces_nothing() {
    let scratch = Scratch::new();
    let works = format!("exec {} bot random", arena().display());
    for name in ["a", "b", "c", "new"] {
        fs::create_dir_all(scratch.path().join("class").join(name)).unwrap();
    }
    for name in ["a", "b", "c"] {
        scratch.write(&format!("class/{name}/bot.sh"), &works);
    }
    scratch.write(
        "t.toml",
        "deals = 1\nisolation = 'off'\nrules.rounds = 1\n[[bots]]\nfrom = 'class/*'\n",
    );
    let run = scratch.arena("run t.toml -q --trust");
    assert_eq!(run.status.code(), Some(1), "new has no program yet");
    let before = matches(&scratch, "t");
    scratch.write("class/a/bot.sh", "echo no config >&2\nexit 4");
    scratch.write("class/new/bot.sh", "exit 5");
    let update = || {
        let output = scratch.arena("update t --trust --yes -q");
        // Long lines are wrapped below their labels.
        let shown = String::from_utf8(output.stdout).unwrap();
        shown.replace(&format!("\n{:11}", ""), " ")
    };
    let shown = update();
    for line in [
        "broken     a plays on in its old version: does not start: exited with code 4; its log says: no config\n",
        "broken     new does not enter: does not start: exited with code 5\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    assert_eq!(matches(&scratch, "t"), before);
    let status = scratch.printed("status t --json");
    let status: Value = serde_json::from_str(&status).unwrap();
    let rows: Vec<(&str, bool, bool)> = status["bots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["bot"].as_str().unwrap(),
                row["plays"].as_bool().unwrap(),
                row["why"].is_string(),
            )
        })
        .collect();
    let expected = [
        ("a", true, true),
        ("b", true, false),
        ("c", true, false),
        ("new", false, true),
    ];
    assert_eq!(rows, expected);
    // A bot whose folder is gone leaves the tournament, which no longer needs the folder.
    fs::remove_dir_all(scratch.path().join("class/b")).unwrap();
    assert!(update().contains("withdrawn  b\n"));
    assert_eq!(matches(&scratch, "t"), before);
    scratch.write("class/a/bot.sh", &format!("{works}\n"));
    fs::remove_dir_all(scratch.path().join("class/new")).unwrap();
    assert!(update().contains("changed    a starts again without results\n"));
    assert_eq!(names(&scratch.standings("t")), ["a", "c"]);
}

#[test]
fn the_roster_leaves_out_and_only_what_is_broken_fails_a_night() {
    let scratch = Scratch::new();
    let works = format!("exec {} bot random", arena().display());
    for name in ["ann", "ben", "cleo", "extra"] {
        fs::create_dir_all(scratch.path().join("class").join(name)).unwrap();
        scratch.write(&format!("class/{name}/bot.sh"), &works);
    }
    let roster = "folder,pseudonym\nann,owl\nben,emu\ncleo,crab\nlost,elk\n";
    scratch.write("roster.csv", roster);
    scratch.write(
        "t.toml",
        "deals = 1\nisolation = 'off'\nrules.rounds = 1\n[[bots]]\nfrom = 'class/*'\nroster = 'roster.csv'\n",
    );
    let told = |words: &str, code: i32| {
        let output = scratch.arena(words);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words}: {said}");
        said
    };
    let unlisted = "left out   not in the roster: extra\n";
    let lost = "left out   elk: its folder lost is missing\n";
    let once = |said: &str| {
        for (line, word) in [(unlisted, "extra"), (lost, "elk")] {
            assert!(said.contains(line), "{said}");
            assert_eq!(said.matches(word).count(), 1, "{said}");
        }
        assert!(!said.contains("broken"), "{said}");
    };
    once(&told("run t.toml -q --trust", 0));
    once(&told("update t --trust --yes -q", 0));
    once(&told("check --trust --matches-each 1 t.toml", 0));
    scratch.write("class/ann/bot.sh", &format!("{works}\n"));
    once(&told("update t --trust --yes -q", 0));
    fs::remove_dir_all(scratch.path().join("class/ben")).unwrap();
    let said = told("update t --trust --yes -q", 0);
    assert!(
        said.contains("withdrawn  emu: its folder ben is missing\n"),
        "{said}"
    );
    assert!(!said.contains("left out   emu"), "{said}");
    fs::create_dir(scratch.path().join("class/dora")).unwrap();
    scratch.write("roster.csv", &format!("{roster}dora,dodo\n"));
    for words in ["update t --trust --yes -q", "update t --trust --yes -q"] {
        let said = told(words, 1);
        assert!(said.contains("broken     dodo does not enter: "), "{said}");
        assert!(said.contains("1 bot is broken and left out"), "{said}");
    }
    // If the folder is missing, or belongs to another class, the error must not blame the lines of the roster.
    fs::create_dir_all(scratch.path().join("other/x")).unwrap();
    for from in ["clas/*", "other/*", "class"] {
        edit(
            &scratch,
            "t.toml",
            "from = 'class/*'",
            &format!("from = '{from}'"),
        );
        let said = told("run t.toml --trust --out fresh", 2);
        assert_eq!(said.matches("error: ").count(), 1, "{said}");
        assert!(
            said.contains("does not name a class") && !said.contains("left out"),
            "{said}"
        );
        edit(
            &scratch,
            "t.toml",
            &format!("from = '{from}'"),
            "from = 'class/*'",
        );
    }
}
