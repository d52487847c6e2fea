//! The seed stays secret until a tournament is closed, and newer code plays new deals.

use std::fs;
use std::path::Path;

use arena_tests::serve::Server;
use arena_tests::{Scratch, arena, until};

const BOTS: &str =
    "--rule rounds=1 --bot a=builtin:random --bot b=builtin:exact --bot c=builtin:random";

/// Returns the files below a folder that contain a text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if entry.is_dir() {
            found.extend(holding(&entry, text));
        } else if fs::read(&entry)
            .unwrap()
            .windows(text.len())
            .any(|part| part == text.as_bytes())
        {
            found.push(entry.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found.sort();
    found
}

#[test]
fn the_seed_is_shown_to_nobody_until_the_tournament_is_closed() {
    let scratch = Scratch::new();
    let seed = "2718281828459045";
    for (dir, more) in [("t", ""), ("s", "--format swiss --rounds 2")] {
        scratch.printed(&format!(
            "run -q --seed {seed} --deals 2 --out {dir} {more} {BOTS}"
        ));
        let server = Server::start(scratch.path(), &["--view-token-file", "view"]);
        let view = fs::read_to_string(scratch.path().join("view")).unwrap();
        let public = || {
            scratch.printed(&format!("report {dir} --out page.html"));
            scratch.printed(&format!("report {dir} --per-bot pages"));
            let mut all: Vec<String> = [
                "show --json",
                "show --csv",
                "show --pairs --csv",
                "export",
                "export --as csv",
                "export --table matches --as csv",
            ]
            .map(|words| scratch.printed(&format!("{words} {dir}")))
            .into();
            let id = scratch.export(dir)[0]["id"].as_str().unwrap().to_owned();
            all.push(scratch.printed(&format!("show {dir} {id} --json")));
            all.push(scratch.printed(&format!("show {dir} {id} --out pages/match.html")));
            for page in [
                "",
                "/matches",
                "/charts",
                "/pairs",
                "/faults",
                "/bot?name=a",
                "/report",
                "/tv",
                "/next",
            ] {
                let answer = server
                    .with_token(view.trim())
                    .get(&format!("/t/{dir}{page}"));
                assert_eq!(answer.status, 200, "{page}");
                all.push(answer.body);
            }
            all.iter().filter(|text| text.contains(seed)).count()
        };
        assert_eq!(public(), 0, "{dir}");
        for folder in [format!("{dir}/charts"), "pages".into()] {
            assert_eq!(
                holding(&scratch.path().join(&folder), seed),
                Vec::<String>::new(),
                "{folder}"
            );
        }
        assert_eq!(
            holding(&scratch.path().join(dir), seed),
            ["tournament.toml"],
            "the ledger is compressed"
        );
        assert!(
            !fs::read_to_string(scratch.path().join("page.html"))
                .unwrap()
                .contains(seed)
        );
        // The terminal of the director shows the seed.
        assert!(scratch.printed(&format!("show {dir}")).contains(seed));
        let said =
            String::from_utf8(scratch.arena(&format!("report {dir} --close")).stderr).unwrap();
        assert!(said.contains(seed), "{said}");
        assert_eq!(scratch.standings(dir)["seed"].to_string(), seed);
        // The server notices the change a moment later.
        let report = format!("/t/{dir}/report");
        until("the server shows the seed", || {
            server
                .with_token(view.trim())
                .get(&report)
                .body
                .contains(seed)
        });
        assert!(public() >= 3, "{dir}");
        for file in ["report.html", "standings.json", "tournament.toml"] {
            assert!(
                fs::read_to_string(scratch.path().join(dir).join(file))
                    .unwrap()
                    .contains(seed),
                "{file}"
            );
        }
        scratch.write(
            &format!("{dir}.toml"),
            "[[bots]]\nname = 'x'\nbuiltin = 'random'\n[[bots]]\nname = 'y'\nbuiltin = 'random'\n",
        );
        for words in [
            format!("run {dir}"),
            format!(
                "extend {dir} --{} 9",
                if dir == "t" { "deals" } else { "rounds" }
            ),
            format!("update {dir}"),
            format!("report {dir} --close"),
        ] {
            let why = scratch.refused(&words);
            assert!(
                why.contains("is closed") && why.contains("new tournament"),
                "{words}: {why}"
            );
        }
        assert!(scratch.printed(&format!("verify {dir}")).contains("whole"));
    }
    // A tournament that has been reset has a new, unknown seed.
    scratch.printed("reset t --yes");
    assert_ne!(scratch.seed("t").to_string(), seed);
    scratch.printed(
        "compare a=exact b=random --rule rounds=1 --max-deals 2 --seed 2718281828459045 -q --out c --json",
    );
    assert_eq!(
        holding(&scratch.path().join("c"), seed),
        ["tournament.toml"]
    );
    scratch.printed("report c --close");
    assert!(scratch.refused("compare c").contains("is closed"));
}

/// Plays a tournament of a program and built-in bots to its end.
fn begun(more: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("mine.sh", "exec \"$1\" bot random\n");
    let bots: String = ["a", "b"]
        .map(|name| format!("[[bots]]\nname = '{name}'\nbuiltin = 'random'\n"))
        .concat();
    let mine = format!(
        "[[bots]]\nname = 'mine'\ncommand = 'sh mine.sh {}'\n",
        arena().display()
    );
    scratch.write(
        "t.toml",
        &format!("deals = 2\nseed = 7\n{more}\nrules.rounds = 1\n{bots}{mine}"),
    );
    scratch.printed("run -q t.toml");
    scratch
}

/// Returns the seeds of the deals played.
fn deals(scratch: &Scratch, dir: &str) -> Vec<u64> {
    let mut all: Vec<u64> = scratch
        .export(dir)
        .iter()
        .map(|one| one["seed"].as_u64().unwrap())
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn newer_code_plays_deals_that_nobody_has_seen() {
    for (more, change, names) in [
        ("", "newer", &["a", "b", "mine"][..]),
        (
            "format = 'swiss'\nrounds = 2",
            "newer renamed",
            &["b", "mine", "z"],
        ),
    ] {
        let scratch = begun(more);
        let (before, export) = (deals(&scratch, "t"), scratch.printed("export t"));
        let mut file = fs::read_to_string(scratch.path().join("t.toml")).unwrap();
        if change.contains("renamed") {
            file = file.replacen("name = 'a'", "name = 'z'", 1);
        }
        scratch.write("mine.sh", "exec \"$1\" bot random # newer\n");
        scratch.write("t.toml", &file);
        let said = String::from_utf8(scratch.arena("update t").stderr).unwrap();
        assert!(said.contains("starts over on new deals"), "{said}");
        assert_eq!(scratch.printed("export t"), export);
        // Wherever the update is interrupted, it is completed later, and performed only once.
        let crashed = scratch
            .command("update t --yes")
            .env("ARENA_CRASH", "restarted")
            .output()
            .unwrap();
        assert!(!crashed.status.success(), "{change}");
        assert_eq!(scratch.export("t").len(), 0, "{change}");
        assert_eq!(scratch.printed("export t/earlier/1"), export, "{change}");
        scratch.printed("run -q t.toml");
        let standings = scratch.standings("t");
        let mut found: Vec<&str> = standings["bots"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bot| bot.as_str().unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(
            (found, &standings["complete"]),
            (names.to_vec(), &true.into()),
            "{change}"
        );
        assert!(
            deals(&scratch, "t")
                .iter()
                .all(|deal| !before.contains(deal)),
            "{change}"
        );
        assert!(scratch.seed("t") > 1 << 20);
        assert!(
            scratch.printed("verify t").contains("whole")
                && scratch.printed("verify t/earlier/1").contains("whole")
        );
    }
}

#[test]
fn the_same_deals_are_played_if_they_are_wanted_or_nobody_new_comes() {
    let scratch = begun("");
    let (before, export) = (deals(&scratch, "t"), scratch.printed("export t"));
    scratch.printed("extend t --deals 3");
    let file = fs::read_to_string(scratch.path().join("t.toml")).unwrap();
    let file = file.replacen("deals = 2", "deals = 3", 1);
    scratch.write("mine.sh", "exec \"$1\" bot random # newer\n");
    scratch.write("t.toml", &file);
    scratch.printed("update t --same-deals --yes -q");
    scratch.write(
        "t.toml",
        &format!("{file}[[bots]]\nname = 'new'\nbuiltin = 'exact'\n"),
    );
    scratch.printed("update t --same-deals --yes -q");
    assert_eq!(scratch.seed("t"), 7);
    assert!(
        before
            .iter()
            .all(|deal| deals(&scratch, "t").contains(deal))
    );
    assert!(
        export
            .lines()
            .filter(|line| !line.contains("mine")
                && !line.contains("/a/")
                && !line.contains("\"a\""))
            .all(|line| scratch.printed("export t").contains(line))
    );
    // Nothing was played, so no deals have been seen.
    let fresh = Scratch::new();
    fresh.printed(&format!("run -q --seed 7 --deals 1 --out t {BOTS}"));
    fresh.printed("reset t --yes --same-deals");
    assert_eq!(fresh.seed("t"), 7);
    // A newcomer to a Swiss tournament joins in a round that has not begun.
    let swiss = begun("format = 'swiss'\nrounds = 2");
    swiss.printed("extend t --rounds 3");
    let file = fs::read_to_string(swiss.path().join("t.toml")).unwrap();
    swiss.write(
        "t.toml",
        &format!("{file}[[bots]]\nname = 'new'\nbuiltin = 'exact'\n").replacen(
            "rounds = 2",
            "rounds = 3",
            1,
        ),
    );
    swiss.printed("update t --yes -q");
    assert_eq!(swiss.seed("t"), 7);
}

/// Writes a tournament file whose programs touch `started` when they run.
fn asking(head: &str, keys: &str) -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path().join("cup/bot")).unwrap();
    fs::create_dir_all(scratch.path().join("private")).unwrap();
    std::os::unix::fs::symlink("../private", scratch.path().join("cup/link")).unwrap();
    scratch.write("cup/bot/bot.sh", "exec false\n");
    let started = scratch.path().join("started").display().to_string();
    let file = format!(
        "{head}\ndeals = 1\nseed = 5\n[[bots]]\nname = 'r'\nbuiltin = 'random'\n[[bots]]\nname = 'p'\ndir = 'bot'\ncommand = 'sh bot.sh'\nbuild = 'touch {started}; true'\n{keys}\n"
    );
    scratch.write("cup/t.toml", &file);
    scratch
}

#[test]
fn a_file_lowers_no_protection_unless_its_author_is_trusted() {
    for (head, keys, line, key) in [
        ("isolation = 'off'", "", 1, "not isolated"),
        ("as_root = true", "", 1, "as root"),
        ("", "network = true", 12, "network"),
        ("", "build_network = true", 12, "build"),
        ("", "pass_env = ['PATH']", 12, "PATH"),
        ("", "read = ['../../private']", 12, "private"),
        ("", "read = ['bot.sh', '../link']", 12, "link"),
        ("", "cache = '../../private'", 12, "private"),
        ("", "cache = '../link/new'", 12, "link"),
    ] {
        let scratch = asking(head, keys);
        let commands = ["run -q", "check", "plan", "compare r p --file"];
        for command in &commands[..if line == 1 { commands.len() } else { 1 }] {
            let words = &format!("{command} cup/t.toml");
            let why = scratch.refused(words);
            assert!(
                why.contains(&format!("cup/t.toml:{line}:")) && why.contains(key),
                "{words}: {why}"
            );
            assert!(
                why.contains("if you trust whoever wrote this file, add --trust"),
                "{words}: {why}"
            );
        }
        assert!(
            !scratch.path().join("started").exists() && !scratch.path().join("cup/t").exists(),
            "{head}{keys}"
        );
    }
    // All requests are listed at once.
    let scratch = asking(
        "isolation = 'off'",
        "pass_env = ['PATH']\ncache = '/var/tmp/x'",
    );
    let why = scratch.refused("run cup/t.toml");
    assert!(why.contains("3 problems; nothing was started"), "{why}");
    // A flag is the user's own decision. Files next to the tournament file, or in the system, grant nothing.
    let scratch = asking(
        "isolation = 'off'",
        "read = ['../t.toml', '/usr/share']\ncache = 'kept'",
    );
    let output = scratch.arena("run -q cup/t.toml --isolation auto");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && said.contains("building: touch"),
        "{said}"
    );
}

#[test]
fn what_is_trusted_is_said_and_the_folder_asks_again() {
    let scratch = asking("isolation = 'off'", "");
    let run = |words: &str| {
        let output = scratch.arena(words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{words}: {said}");
        said
    };
    let plan = scratch.printed("plan --trust cup/t.toml --seconds 0");
    assert!(plan.contains("to be built         p: touch "), "{plan}");
    let said = run("run -q --trust cup/t.toml");
    assert!(
        said.contains("isolation  off")
            && said.contains("allowed    isolation: bots are not isolated"),
        "{said}"
    );
    assert!(said.contains("extend cup/t --deals 2\n"), "{said}");
    let said = run("extend cup/t --deals 2");
    assert!(said.contains("arena run cup/t --trust\n"), "{said}");
    for words in ["run cup/t", "repro cup/t d1/r/p"] {
        assert!(scratch.refused(words).contains("add --trust"), "{words}");
    }
    assert!(run("run -q cup/t --trust").contains("isolation  off"));
    assert!(
        String::from_utf8(scratch.arena("repro cup/t d1/r/p --trust").stderr)
            .unwrap()
            .contains("isolation  off")
    );
    // With default isolation, a quiet run does not mention it.
    let plain = asking("", "");
    let said = String::from_utf8(plain.arena("run -q cup/t.toml").stderr).unwrap();
    assert!(!said.contains("allowed"), "{said}");
    for words in [
        "check --matches-each 1 cup/t.toml",
        "plan cup/t.toml --seconds 1",
        "repro cup/t d1/r/p",
    ] {
        let said = String::from_utf8(plain.arena(words).stderr).unwrap();
        assert!(said.contains("isolation  "), "{words}: {said}");
    }
}
