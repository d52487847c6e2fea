//! Tournaments played in parts and merged.

use std::process::Stdio;

use arena_tests::process::Command;
use arena_tests::sandbox::on_path;
use arena_tests::{Scratch, arena, root};
use serde_json::Value;

/// Writes a tournament file of these lines, these built-in bots, and a program.
fn describe(scratch: &Scratch, game: &str, builtin: &[&str], more: &str) {
    let mut text = format!("game = '{game}'\nseed = 5\n{more}\n");
    for (number, bot) in builtin.iter().enumerate() {
        text += &format!("[[bots]]\nname = 'b{number}'\nbuiltin = '{bot}'\n");
    }
    text += &format!(
        "[[bots]]\nname = 'snake'\ncommand = '{} bot random'\n",
        arena().display()
    );
    scratch.write("t.toml", &text);
}

/// Plays all shards of this number, and returns their folders.
fn play(scratch: &Scratch, parts: u32) -> String {
    let folder = |number| {
        scratch.printed(&format!("run -q t.toml --shard {number}/{parts}"));
        format!("t-{number}-of-{parts}")
    };
    (1..=parts).map(folder).collect::<Vec<_>>().join(" ")
}

#[test]
fn parts_together_are_the_whole() {
    for (game, builtin, parts, more) in [
        (
            "coda",
            &["exact", "random", "excluding"][..],
            4,
            "deals = 9",
        ),
        ("coda", &["exact", "random"], 3, "deals = 5\nseats = 3"),
        (
            "crack-the-code",
            &["random", "random"],
            2,
            "deals = 7\nformat = 'gauntlet'",
        ),
        (
            "code-777",
            &["random", "random", "random", "random"],
            3,
            "deals = 10\nseats = 3\nformat = 'balanced'\ntables = 2",
        ),
        (
            "digit-code",
            &["random", "random", "random"],
            5,
            "deals = 12\nformat = 'gauntlet'",
        ),
    ] {
        let scratch = Scratch::new();
        describe(&scratch, game, builtin, more);
        let shown = scratch.printed("run -q t.toml --out whole");
        let folders = play(&scratch, parts);
        let merged = scratch.printed(&format!("merge all {folders}"));
        assert_eq!(merged, shown, "{game}, {more}");
        assert!(
            scratch.printed("export all") == scratch.printed("export whole"),
            "{game}, {more}"
        );
        for file in ["standings.json", "report.html", "charts", "tournament.toml"] {
            assert!(scratch.path().join("all").join(file).exists(), "{file}");
        }
        assert!(
            !scratch
                .path()
                .join(format!("t-1-of-{parts}/report.html"))
                .exists()
        );
        assert_eq!(
            scratch.printed(&format!("merge all {folders}")),
            shown,
            "merged twice"
        );
        assert!(scratch.printed("export all") == scratch.printed("export whole"));
    }
}

/// Sets up two built-in bots on ten deals, in rounds of one, and plays this number of shards. Returns their folders.
fn small(parts: u32) -> (Scratch, String) {
    let scratch = Scratch::new();
    let bots = "[[bots]]\nname = 'a'\nbuiltin = 'exact'\n[[bots]]\nname = 'b'\n";
    scratch.write("b.sh", "exec \"$1\" bot random\n");
    let program = format!("command = 'sh b.sh {}'\n", arena().display());
    scratch.write(
        "t.toml",
        &format!("deals = 10\nseed = 5\nrules.rounds = 1\n{bots}{program}"),
    );
    let folders = play(&scratch, parts);
    (scratch, folders)
}

/// Returns the JSON printed by a merge.
fn merged(scratch: &Scratch, folders: &str) -> Value {
    serde_json::from_str(&scratch.printed(&format!("merge {folders} --json"))).unwrap()
}

/// Returns the missing ranges: for each, its first deal, last deal and number of matches.
fn missing(merged: &Value) -> Vec<[u64; 3]> {
    let stretch = |one: &Value| {
        ["first_deal", "last_deal", "matches"].map(|field| one[field].as_u64().unwrap())
    };
    merged["missing"]
        .as_array()
        .unwrap()
        .iter()
        .map(stretch)
        .collect()
}

/// Returns the error of a merge that must fail.
fn failed(scratch: &Scratch, folders: &str) -> String {
    let output = scratch.arena(&format!("merge {folders}"));
    let why = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{why}");
    why
}

#[test]
fn what_is_missing_is_listed_and_played() {
    let (scratch, _) = small(5);
    let first = merged(&scratch, "all t-2-of-5 t-5-of-5");
    assert_eq!(missing(&first), [[1, 2, 4], [5, 8, 8]]);
    assert_eq!(
        (&first["complete"], &first["added"]),
        (&Value::Bool(false), &8.into())
    );
    let shown = scratch.printed("merge all t-1-of-5");
    assert_eq!(shown, "missing: deals 5 to 8 (8 matches)\n");
    // Play one match of a deal, as in a part that was stopped.
    scratch.printed("run -q all");
    scratch.printed("run -q t.toml --out whole");
    let whole = scratch.printed("export whole");
    assert!(scratch.printed("export all") == whole);
    // Merges all parts, one of which is complete, into a complete tournament.
    let second = merged(&scratch, "all t-1-of-5 t-3-of-5 whole");
    assert_eq!(
        (&second["complete"], &second["added"]),
        (&Value::Bool(true), &0.into())
    );
    assert_eq!(merged(&scratch, "other whole t-1-of-5")["added"], 20);
    assert!(scratch.printed("export other") == whole);
    assert!(scratch.printed("verify other").contains("20 of 20"));
}

#[test]
fn parts_that_disagree_are_refused() {
    let (scratch, _) = small(2);
    scratch.printed("merge all t-1-of-2");
    let before = scratch.printed("export all");
    // The description is the same. But a program that the command names only indirectly has changed.
    scratch.write("c.sh", "exec ./d.sh\n");
    let say = |bot: &str| {
        scratch.write_program(
            "d.sh",
            &format!("#!/bin/sh\nexec {} bot {bot}\n", arena().display()),
        );
    };
    let file = std::fs::read_to_string(scratch.path().join("t.toml")).unwrap();
    scratch.write("u.toml", &file.replace("b.sh", "c.sh"));
    say("random");
    scratch.printed("run -q u.toml --shard 1/2 --out one");
    say("excluding");
    scratch.printed("run -q u.toml --out two");
    let why = failed(&scratch, "new one two");
    assert!(
        why.contains("error: match d1/") && why.contains("differs between one and two: the record"),
        "{why}"
    );
    assert!(!scratch.path().join("new").exists());
    // A part with another version of a bot's file.
    let why = scratch.refused("merge all t-2-of-2 one");
    assert!(
        why.contains("t-2-of-2 and one do not belong to the same tournament"),
        "{why}"
    );
    scratch.write("b.sh", "exec \"$1\" bot excluding\n");
    scratch.printed("run -q t.toml --shard 2/2 --out newer");
    let why = scratch.refused("merge all newer");
    assert!(
        why.contains("all and newer do not belong to the same tournament")
            && why.contains("bot b: b.sh has changed (SHA-256 "),
        "{why}"
    );
    let why = scratch.refused("merge fresh t-2-of-2 newer");
    assert!(
        why.contains("… in t-2-of-2, ") && why.contains("… in newer)"),
        "{why}"
    );
    assert!(scratch.printed("export all") == before && !scratch.path().join("fresh").exists());
}

#[test]
fn what_cannot_be_played_in_parts_is_refused() {
    let scratch = Scratch::new();
    let bots = "--bot a=builtin:random --bot b=builtin:random --bot c=builtin:random";
    for format in ["swiss --rounds 3", "knockout", "ladder"] {
        let why = scratch.refused(&format!(
            "run --seed 1 --format {format} {bots} --shard 1/2 --out t"
        ));
        assert!(
            why.contains("its rounds depend on results") && why.contains("--nats"),
            "{format}: {why}"
        );
    }
    let why = scratch.refused(&format!("run {bots} --shard 1/2 --out t"));
    assert!(
        why.contains("each shard would draw its own seed") && why.contains("--seed "),
        "{why}"
    );
    assert!(
        scratch
            .refused(&format!("run --seed 1 {bots} --shard 1/2"))
            .contains("--out")
    );
    for (shard, hint) in [
        ("0/2", "$((INDEX + 1))/2"),
        ("3/2", "the last is 2/2"),
        ("two", "such as 3/16"),
    ] {
        let why = scratch.refused(&format!("run --seed 1 {bots} --shard {shard} --out t"));
        assert!(why.contains(hint), "{shard}: {why}");
    }
    assert!(!scratch.path().join("t").exists());
    scratch.printed(&format!(
        "run -q --seed 1 --deals 2 --format swiss --rounds 2 {bots} --out swiss"
    ));
    assert!(
        scratch
            .refused("merge all swiss")
            .contains("its rounds depend on results")
    );
    assert!(failed(&scratch, "all nothing").contains("no tournament has begun in nothing"));
}

#[test]
fn more_shards_than_deals_leave_empty_parts() {
    let scratch = Scratch::new();
    scratch.write(
        "t.toml",
        "deals = 2\nseed = 5\n[[bots]]\nname = 'a'\nbuiltin = 'exact'\n[[bots]]\nname = 'b'\nbuiltin = 'random'\n",
    );
    let said = scratch.printed("run -q t.toml --shard 1/3");
    assert_eq!(said, "shard 1/3 has nothing to do: there are 2 deals\n");
    let folders = play(&scratch, 3);
    let shown = scratch.printed("run -q t.toml --out whole");
    assert_eq!(missing(&merged(&scratch, "all t-1-of-3")), [[1, 2, 4]]);
    assert_eq!(scratch.printed(&format!("merge all {folders}")), shown);
}

/// Returns the number of finished matches of a tournament that may not have begun.
fn played(scratch: &Scratch, dir: &str) -> u64 {
    let shown = scratch.arena(&format!("show {dir} --json"));
    serde_json::from_slice::<Value>(&shown.stdout)
        .map_or(0, |shown| shown["played"].as_u64().unwrap())
}

/// Plays a part with this number of matches, and kills it once some are saved. Returns `false` if it had ended before.
fn killed(scratch: &Scratch, words: &str, dir: &str, matches: u64) -> bool {
    let child = scratch
        .command(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while played(scratch, dir) == 0 && !child.has_ended() {}
    child.kill();
    child.wait().unwrap();
    played(scratch, dir) < matches
}

#[test]
fn a_part_that_is_killed_goes_on() {
    let (scratch, _) = small(1);
    // One of these sizes takes long enough on any machine.
    let tried = [200_u64, 2_000, 20_000].into_iter().find(|deals| {
        let words = format!("run -q t.toml --deals {deals} --shard 2/2 --out torn{deals}");
        killed(&scratch, &words, &format!("torn{deals}"), *deals)
    });
    let deals = tried.expect("it was killed in the middle");
    let early = merged(&scratch, &format!("early torn{deals}"));
    assert_eq!(
        (missing(&early)[0][0], &early["complete"]),
        (1, &Value::Bool(false))
    );
    let run = |words: &str| scratch.printed(&format!("run -q t.toml --deals {deals} {words}"));
    let said = run(&format!("--shard 2/2 --out torn{deals}"));
    assert_eq!(
        said,
        format!("shard 2/2: {deals} of {deals} matches are finished\n")
    );
    run("--shard 1/2 --out half");
    run("--out whole");
    assert_eq!(
        merged(&scratch, &format!("early half torn{deals}"))["complete"],
        true
    );
    assert!(scratch.printed("export early") == scratch.printed("export whole"));
}

/// Checks every crash point. Crash points exist only in debug builds.
#[cfg(debug_assertions)]
#[test]
fn a_merge_that_is_killed_is_run_again() {
    let (scratch, folders) = small(2);
    let words = format!("merge all {folders}");
    for point in ["created", "merged"] {
        let status = scratch
            .command(&words)
            .env("ARENA_CRASH", point)
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), None, "it did not die at {point}");
    }
    assert_eq!(
        scratch.printed(&words),
        scratch.printed("run -q t.toml --out whole")
    );
    assert!(scratch.printed("export all") == scratch.printed("export whole"));
}

#[test]
fn there_may_be_more_parts_than_open_files() {
    let (scratch, folders) = small(10);
    let line = format!(
        "ulimit -n 32; arena merge all {folders} {}",
        "t-1-of-10 ".repeat(40)
    );
    let mut shell = Command::new("sh");
    shell.args(["-ec", &line]);
    schedule(&scratch, shell);
    assert!(scratch.printed("verify all").contains("20 of 20"));
}

#[test]
fn other_parts_are_no_reason_to_warn() {
    let (scratch, _) = small(1);
    let said = |words: &str| String::from_utf8(scratch.arena(words).stderr).unwrap();
    assert!(said("run -q t.toml --shard 2/4").contains("seed as small as 5"));
    assert!(!said("run t.toml --shard 3/4").contains("was played on the same seed"));
    let said = said("run t.toml --shard 4/4");
    assert!(
        said.contains("played: 6 of 6 matches") && said.contains("arena merge t PART…"),
        "{said}"
    );
}

/// Returns a script for clusters.
fn script(name: &str) -> String {
    root()
        .join("arena/cluster")
        .join(name)
        .display()
        .to_string()
}

/// Runs a command that plays all of `t.toml` in three shards, with the arena on the `PATH`; asserts success.
fn schedule(scratch: &Scratch, command: Command) {
    let output = on_path(command)
        .current_dir(scratch.path())
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{log}", output.status);
}

#[cfg(feature = "all")]
fn is_whole(scratch: &Scratch) {
    scratch.printed("run -q t.toml --out whole");
    assert!(scratch.printed("export t") == scratch.printed("export whole"));
    assert!(scratch.path().join("t-3-of-3").exists());
}

#[cfg(feature = "all")]
#[test]
fn gnu_parallel_plays_the_shards() {
    let (scratch, _) = small(1);
    let mut parallel = Command::new("sh");
    parallel.args([&script("parallel.sh"), "t.toml", "3"]);
    schedule(&scratch, parallel);
    is_whole(&scratch);
}

#[cfg(feature = "all")]
#[test]
fn slurm_plays_the_shards() {
    let (scratch, _) = small(1);
    let own = Scratch::new();
    let slurm = arena_tests::slurm::Slurm::start(own.path());
    let mut submit = slurm.command("sh");
    submit
        .args([&script("slurm.sh"), "t.toml", "3"])
        .env("SBATCH_MORE", "--cpus-per-task=1");
    schedule(&scratch, submit);
    slurm.drain(own.path());
    is_whole(&scratch);
}

/// Writes a program that replaces another one, in a folder early on the `PATH`.
fn stand_in(scratch: &Scratch, program: &str, script: &str) {
    std::fs::create_dir_all(scratch.path().join("stand-ins")).unwrap();
    scratch.write_program(
        &format!("stand-ins/{program}"),
        &format!("#!/bin/sh\n{script}\n"),
    );
}

/// Stands in for `sbatch`: plays the shards, of which the second fails, and then what depends on them, unless it needs their success.
const SBATCH: &str = r#"echo 1
for word; do
    case $word in
        --array=1-*) last=${word#--array=1-} ;;
        --wrap=*) wrap=${word#--wrap=} ;;
        --dependency=afterok:*) exit ;;
        -*) ;;
        *) break ;;
    esac
    shift
done
if [ -n "${wrap:-}" ]; then sh -c "$wrap" >merge.log 2>&1; exit; fi
for number in $(seq "$last"); do
    [ "$number" -eq 2 ] || SLURM_ARRAY_TASK_ID=$number sh "$@" >&2
done"#;

#[test]
fn a_failed_shard_does_not_keep_slurm_from_merging_the_others() {
    let (scratch, _) = small(1);
    stand_in(&scratch, "sbatch", SBATCH);
    let own = scratch.path().join("stand-ins").display().to_string();
    let mut shell = Command::new("sh");
    let submit = format!("PATH={own}:$PATH; sh {} t.toml 3", script("slurm.sh"));
    shell.args(["-ec", &submit]);
    schedule(&scratch, shell);
    let log = std::fs::read_to_string(scratch.path().join("merge.log")).unwrap();
    assert!(
        log.contains("of 2 parts") && log.contains("missing: "),
        "{log}"
    );
    assert!(scratch.path().join("t/ledger.sqlite").exists(), "{log}");
}

#[test]
fn the_script_for_hyperqueue_plays_the_shards() {
    let hq = "for word; do case $word in --array=1-*) last=${word#--array=1-};; --) shift; break;; esac; shift; done\n\
              for number in $(seq $last); do HQ_TASK_ID=$number \"$@\" || exit; done";
    let (scratch, _) = small(1);
    std::fs::rename(
        scratch.path().join("t.toml"),
        scratch.path().join("friday.toml"),
    )
    .unwrap();
    stand_in(&scratch, "hq", hq);
    let page = std::fs::read_to_string(root().join("arena/DISTRIBUTED.md")).unwrap();
    let block = page.split("```sh hyperqueue.sh\n").nth(1).unwrap();
    let script = block.split("```").next().unwrap();
    let own = scratch.path().join("stand-ins").display().to_string();
    let mut shell = Command::new("sh");
    shell.args(["-ec", &format!("PATH={own}:$PATH\n{script}")]);
    schedule(&scratch, shell);
    scratch.printed("run -q friday.toml --out whole");
    assert!(scratch.printed("export friday") == scratch.printed("export whole"));
    assert!(scratch.path().join("friday-16-of-16").exists());
}

#[cfg(feature = "all")]
#[test]
fn the_files_for_kubernetes_can_be_read() {
    let read = "import sys, yaml; jobs = list(yaml.safe_load_all(open(sys.argv[1]))); \
                assert [job['kind'] for job in jobs] == ['Job', 'Job'], jobs; \
                assert jobs[0]['spec']['completionMode'] == 'Indexed'";
    let output = Command::new("python3")
        .args(["-c", read, &script("kubernetes.yaml")])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn all_that_a_build_needs_is_copied_into_the_image() {
    let file = std::fs::read_to_string(script("Containerfile")).unwrap();
    let copied: Vec<&str> = file
        .lines()
        .filter_map(|line| line.strip_prefix("COPY ")?.split(' ').next())
        .collect();
    let members = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = members
        .split("members = [")
        .nth(1)
        .unwrap()
        .split(']')
        .next()
        .unwrap();
    for member in members.split('"').skip(1).step_by(2) {
        assert!(
            copied.contains(&member.split('/').next().unwrap()),
            "{member}"
        );
    }
}
