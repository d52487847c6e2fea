//! Tournaments that are killed, stopped, truncated or damaged in every way continue as if nothing had happened.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use arena_engine::chance::{Chance, Seed};
use arena_tests::process::{Child, Command};
use arena_tests::user::{copy_program, is_root};
use arena_tests::{Scratch, arena};

/// Returns a tournament that takes a while, between bots that never fail.
fn command(scratch: &Scratch, deals: u32, seed: u64, out: &str) -> Command {
    let bots = "--bot a=builtin:random --bot b=builtin:excluding --bot c=builtin:random";
    let mut command = scratch.command(&format!(
        "run -q --deals {deals} --seed {seed} --rule rounds=1 {bots} --out {out}"
    ));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn chance(name: &str) -> Chance {
    Seed::try_from(11).unwrap().stream(name, 0)
}

fn finished(scratch: &Scratch, dir: &str) -> u64 {
    scratch.standings(dir)["played"].as_u64().unwrap()
}

/// Kills the child with SIGKILL once it has written a random number of bytes. Returns `false` if it had already ended.
fn kill_within(child: &mut Child, bytes: u32, chance: &mut Chance) -> bool {
    child.until_written(chance.below(bytes).into());
    let running = !child.has_ended();
    if running {
        child.kill();
    }
    child.wait().unwrap();
    running
}

#[test]
fn kills_change_nothing() {
    let scratch = Scratch::new();
    let mut chance = chance("kills");
    let (mut kills, mut seed) = (0, 0);
    while kills < 20 {
        seed += 1;
        let (torn, whole) = (format!("torn{seed}"), format!("whole{seed}"));
        // Restart the tournament after each kill. The last run is left undisturbed.
        for _ in 0..100 {
            let mut child = command(&scratch, 400, seed, &torn).spawn().unwrap();
            if !kill_within(&mut child, 250_000, &mut chance) {
                break;
            }
            kills += 1;
        }
        assert!(
            command(&scratch, 400, seed, &torn)
                .status()
                .unwrap()
                .success()
        );
        assert!(
            command(&scratch, 400, seed, &whole)
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(finished(&scratch, &torn), 2_400);
        let [torn, whole] = [torn, whole].map(|dir| scratch.printed(&format!("export {dir}")));
        assert!(
            torn == whole,
            "with seed {seed} the exports differ after {kills} kills"
        );
    }
}

#[test]
fn programs_are_gone_with_their_arena_and_play_the_same_afterwards() {
    let scratch = Scratch::new();
    let mut chance = chance("programs");
    let run = |out: &str| {
        let mut command = scratch.command(&format!(
            "run -q --seed 1 --deals 60 --bot b=builtin:random --out {out}"
        ));
        command.args([
            "--bot".to_owned(),
            format!("a={} bot random", arena().display()),
        ]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    for _ in 0..20 {
        let mut child = run("torn").spawn().unwrap();
        kill_within(&mut child, 400_000, &mut chance);
    }
    assert!(run("torn").status().unwrap().success() && run("whole").status().unwrap().success());
    assert_eq!(
        scratch.printed("export torn"),
        scratch.printed("export whole")
    );
}

/// Checks every crash point. Only debug builds have crash points.
#[cfg(debug_assertions)]
#[test]
fn death_at_any_named_point_is_survived() {
    let scratch = Scratch::new();
    // The tournament has three times as many matches as are saved at once, however fast they are.
    assert!(
        command(&scratch, 400, 5, "whole")
            .status()
            .unwrap()
            .success()
    );
    let whole = scratch.printed("export whole");
    for (number, point) in [
        "before-created",
        "created",
        "before-append:1",
        "before-append:3",
        "after-append:1",
        "after-append:2",
        "before-report",
    ]
    .into_iter()
    .enumerate()
    {
        let dir = format!("torn{number}");
        let status = command(&scratch, 400, 5, &dir)
            .env("ARENA_CRASH", point)
            .status()
            .unwrap();
        assert_eq!(status.code(), None, "it did not die at {point}");
        assert!(
            command(&scratch, 400, 5, &dir).status().unwrap().success(),
            "after {point}"
        );
        assert!(
            scratch.printed(&format!("export {dir}")) == whole,
            "after {point}"
        );
    }
    let extend = || {
        scratch
            .command("extend whole --deals 410")
            .stderr(Stdio::null())
            .env("ARENA_CRASH", "extended")
            .status()
    };
    assert_eq!(extend().unwrap().code(), None);
    scratch.printed("run -q whole");
    assert_eq!(finished(&scratch, "whole"), 2_460);
}

#[test]
fn interrupted_often_it_is_the_same_tournament() {
    let scratch = Scratch::new();
    let mut chance = chance("interrupts");
    let run = |dir: &str| {
        let mut command = command(&scratch, 700, 3, dir);
        command.args(["--jobs", "1"]);
        command
    };
    let mut codes = Vec::new();
    for turn in 0..10 {
        let child = run("torn").spawn().unwrap();
        let interrupt = if turn % 2 == 0 { "-INT" } else { "-TERM" };
        child.until_written(chance.below(250_000).into());
        let _ = Command::new("kill")
            .args([interrupt, &child.id().to_string()])
            .stderr(Stdio::null())
            .status();
        codes.push(child.code());
    }
    assert!(
        codes
            .iter()
            .all(|code| matches!(code, Some(0 | 130) | None)),
        "{codes:?}"
    );
    assert!(run("torn").status().unwrap().success() && run("whole").status().unwrap().success());
    assert!(scratch.printed("export torn") == scratch.printed("export whole"));
}

#[test]
fn it_is_stopped_from_elsewhere_and_watched_meanwhile() {
    let scratch = Scratch::new();
    let child = command(&scratch, 200_000, 1, "t").spawn().unwrap();
    while !scratch.arena("show t --json").status.success() || finished(&scratch, "t") == 0 {
        assert!(!child.has_ended());
    }
    let second = scratch.arena("run -q t");
    let stderr = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains(&format!("in use by another arena (process {})", child.id())),
        "{stderr}"
    );
    for forbidden in ["reset t --yes", "extend t --deals 7", "verify t --repair"] {
        let refused = scratch.arena(forbidden);
        assert!(!refused.status.success(), "{forbidden}");
    }
    let stopped = scratch.arena("stop t");
    let stderr = String::from_utf8(stopped.stderr).unwrap();
    assert!(
        stopped.status.success() && stderr.contains("arena run t"),
        "{stderr}"
    );
    assert_eq!(child.code(), Some(130));
    assert!(
        stderr.contains(&format!("stopped: {} of 1200000", finished(&scratch, "t"))),
        "{stderr}"
    );
    assert_eq!(scratch.arena("stop t").status.code(), Some(1));
}

#[test]
fn a_longer_tournament_is_the_same_whether_it_was_extended_or_not() {
    let scratch = Scratch::new();
    let play = |words: &str| scratch.printed(&format!("{words} -q"));
    for (number, (game, seats, more)) in [
        ("coda", 2, "--rule rounds=1"),
        ("coda", 3, "--rule rounds=1"),
        ("coda", 4, "--rule rounds=1"),
        ("digit-code", 2, "--format gauntlet"),
    ]
    .into_iter()
    .enumerate()
    {
        let bots = |count: usize| -> String {
            ["a", "b", "c", "d", "e"][..count]
                .iter()
                .map(|name| format!(" --bot {name}=builtin:random"))
                .collect()
        };
        let (short, long) = (format!("short{number}"), format!("long{number}"));
        let shape = format!("--game {game} --seats {seats} {more}");
        play(&format!(
            "run --seed 1 {shape} --deals 2 {} --out {short}",
            bots(4)
        ));
        let shorter = scratch.printed(&format!("export {short}"));
        scratch.printed(&format!("extend {short} --deals 4"));
        assert_eq!(scratch.standings(&short)["complete"], false);
        play(&format!("run {short}"));
        let path = format!("{short}/tournament.toml");
        let file = fs::read_to_string(scratch.path().join(&path)).unwrap();
        scratch.write(
            &path,
            &(file + "\n[[bots]]\nname = 'e'\nbuiltin = 'random'\n"),
        );
        play(&format!("update {short} --same-deals --yes"));
        play(&format!(
            "run --seed 1 {shape} --deals 4 {} --out {long}",
            bots(5)
        ));
        let [short, long] = [short, long].map(|dir| scratch.printed(&format!("export {dir}")));
        assert!(short == long, "{game} with {seats} seats");
        assert!(shorter.lines().all(|line| long.contains(line)));
    }
}

#[test]
fn what_would_be_another_tournament_is_no_extension() {
    let scratch = Scratch::new();
    scratch
        .printed("run -q --seed 1 --deals 4 --bot a=builtin:random --bot b=builtin:random --out t");
    let export = scratch.printed("export t");
    let bots =
        "[[bots]]\nname = 'a'\nbuiltin = 'random'\n[[bots]]\nname = 'b'\nbuiltin = 'random'\n";
    scratch.write("other.toml", &format!("deals = 9\nseed = 4\n{bots}"));
    for (words, why) in [
        ("--deals 3", "deals"),
        ("--deals 9 --seed 4", "unexpected argument '--seed'"),
        ("--rounds 3", "`rounds` is for swiss and ladder"),
        ("other.toml", "unexpected argument"),
    ] {
        let refusal = scratch.refused(&format!("extend t {words}"));
        assert!(refusal.contains(why), "{words}: {refusal}");
    }
    let refusal = scratch.refused("update t other.toml");
    assert!(
        refusal.contains("seed: 1 in the folder, 4 now"),
        "{refusal}"
    );
    assert_eq!(scratch.printed("export t"), export);
    assert_eq!(scratch.standings("t")["complete"], true);
}

#[cfg(feature = "all")]
#[test]
fn a_full_disk_ends_it_and_costs_nothing_that_was_saved() {
    let scratch = Scratch::new();
    // The inner namespace has a disk of 400 kB. 40 saved matches take a quarter of it. The files are copied out at the end.
    scratch.printed(
        "run -q --seed 1 --deals 20 --bot a=builtin:random --bot b=builtin:random --out first",
    );
    scratch.write(
        "full.sh",
        "mkdir small/t; cp first/ledger.sqlite first/tournament.toml small/t; arena extend small/t --deals 3000\n\
         arena run -q small/t 2> stderr\n\
         echo $? > code; arena show small/t --json > before.json; cp -r small/t t\n",
    );
    let (here, me) = (scratch.path(), arena().parent().unwrap());
    let mut full = Command::new("bwrap");
    full.args(["--dev-bind", "/", "/", "--size", "400000", "--tmpfs"])
        .arg(here.join("small"));
    full.arg("--chdir").arg(here).args(["sh", "full.sh"]);
    full.env(
        "PATH",
        format!("{}:{}", me.display(), std::env::var("PATH").unwrap()),
    );
    let output = full.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let stderr = fs::read_to_string(here.join("stderr")).unwrap();
    assert_eq!(
        fs::read_to_string(here.join("code")).unwrap().trim(),
        "1",
        "{stderr}"
    );
    assert!(stderr.contains("no space is left"), "{stderr}");
    let before: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(here.join("before.json")).unwrap()).unwrap();
    assert!(before["played"].as_u64().unwrap() >= 40, "{stderr}");
    assert_eq!(finished(&scratch, "t"), before["played"].as_u64().unwrap());
    scratch.printed("verify t");
    scratch.printed("run -q t");
    scratch.printed(
        "run -q --seed 1 --deals 3000 --bot a=builtin:random --bot b=builtin:random --out whole",
    );
    assert!(scratch.printed("export t") == scratch.printed("export whole"));
}

#[test]
fn a_limit_to_files_ends_it_with_a_message() {
    let scratch = Scratch::new();
    let run = "run -q --seed 1 --deals 900 --bot a=builtin:random --bot b=builtin:random --out";
    let run_t = format!("{run} t");
    for (limit, words) in [
        (200, run_t.as_str()),
        (20, "run -q t"),
        (8, "show t"),
        (0, "verify t"),
    ] {
        let limited = Command::new("bash")
            .current_dir(scratch.path())
            .args([
                "-c",
                &format!("ulimit -f {limit}; exec {} {words}", arena().display()),
            ])
            .output()
            .unwrap();
        let stderr = String::from_utf8(limited.stderr).unwrap();
        assert_eq!(limited.status.code(), Some(1), "{words}: {stderr}");
        assert!(
            stderr.contains("the ledger cannot grow") && stderr.contains("ulimit -f"),
            "{words}: {stderr}"
        );
    }
    scratch.printed("run -q t");
    scratch.printed(&format!("{run} whole"));
    assert!(scratch.printed("export t") == scratch.printed("export whole"));
}

#[test]
fn where_no_threads_can_be_had_that_is_said_at_the_start() {
    let scratch = Scratch::new();
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o777)).unwrap();
    copy_program(arena(), &scratch.path().join("arena"));
    for limit in [1, 2, 3, 5, 8, 12, 16, 20] {
        let run = format!(
            "ulimit -u {limit}; exec ./arena run -q --seed 1 --deals 1 --jobs 8 --oversubscribe --bot a=builtin:random \
             --bot b='./arena bot random' --isolation off --out t{limit}"
        );
        // The limits do not apply to root, so run as another user.
        let nobody = "--reuid 65534 --regid 65534 --clear-groups bash -c";
        let mut words: Vec<&str> = if is_root() {
            nobody.split(' ').collect()
        } else {
            vec!["bash", "-c"]
        };
        let program = if is_root() { "setpriv" } else { "env" };
        words.push(&run);
        let mut command = Command::new(program);
        let output = command
            .current_dir(scratch.path())
            .env("HOME", scratch.path())
            .args(words)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{limit}: {stderr}");
        assert!(
            stderr.contains("threads and processes") && stderr.contains("ulimit -u"),
            "{limit}: {stderr}"
        );
    }
}

/// Repairs a ledger with this content and plays the lost matches. Returns the number of matches kept; `None` if the ledger is unreadable.
fn repair(scratch: &Scratch, dir: &str, spoilt: &[u8], export: &str) -> Option<u64> {
    fs::create_dir_all(scratch.path().join(dir)).unwrap();
    fs::write(scratch.path().join(dir).join("ledger.sqlite"), spoilt).unwrap();
    let found = scratch.arena(&format!("verify {dir} --repair"));
    let stderr = String::from_utf8_lossy(&found.stderr).into_owned();
    // If no problem is found, only unused space was damaged.
    if !found.status.success() {
        assert!(!stderr.contains("--repair"), "{dir}: {stderr}");
        if stderr.contains("restore a copy") || stderr.contains("not a ledger") {
            return None;
        }
        assert!(stderr.contains("repaired: "), "{dir}: {stderr}");
        assert_eq!(
            fs::read(scratch.path().join(dir).join("damaged-1.sqlite")).unwrap(),
            spoilt
        );
        scratch.printed(&format!("verify {dir}"));
    }
    let kept = finished(scratch, dir);
    scratch.printed(&format!("run -q {dir}"));
    assert!(scratch.printed(&format!("export {dir}")) == export, "{dir}");
    Some(kept)
}

#[test]
fn a_spoilt_ledger_is_repaired_and_what_is_lost_played_again() {
    let scratch = Scratch::new();
    scratch.printed(
        "run -q --seed 1 --deals 150 --bot a=builtin:random --bot b=builtin:random --out whole",
    );
    let export = scratch.printed("export whole");
    let bytes = fs::read(scratch.path().join("whole/ledger.sqlite")).unwrap();
    let repaired = |name: &str, change: &mut dyn FnMut(&mut Vec<u8>)| {
        let mut spoilt = bytes.clone();
        change(&mut spoilt);
        repair(&scratch, name, &spoilt, &export)
    };
    let length = bytes.len();
    let mut chance = chance("damage");
    let last = length - 4_096;
    let kept = repaired("garbage-last", &mut |file| file[last..].fill(0xa5));
    assert!(kept > Some(250), "{kept:?}");
    let first = repaired("garbage-first", &mut |file| file[..4_096].fill(0xa5));
    assert_eq!(first, None);
    for number in 0..5 {
        // The first half contains the tables and the description.
        let at = length / 2 + chance.below(length as u32 / 2 - 4_096) as usize;
        let kept = repaired(&format!("burst{number}"), &mut |file| {
            file[at..at + 300].fill(0xa5);
        });
        assert!(kept > Some(250), "bytes from {at}: {kept:?}");
    }
}

/// Checks a copy that is made while the tournament runs, as described in TOURNAMENTS.md.
#[cfg(feature = "all")]
#[test]
fn a_copy_made_during_a_run_goes_on() {
    let scratch = Scratch::new();
    let child = command(&scratch, 200_000, 1, "t").spawn().unwrap();
    while !scratch.arena("show t --json").status.success() || finished(&scratch, "t") == 0 {
        assert!(!child.has_ended());
    }
    fs::create_dir(scratch.path().join("copy")).unwrap();
    let copied = Command::new("sqlite3")
        .current_dir(scratch.path())
        .args(["t/ledger.sqlite", "VACUUM INTO 'copy/ledger.sqlite'"])
        .status()
        .unwrap();
    scratch.printed("stop t");
    assert!(copied.success() && !child.wait().unwrap().success());
    let kept = finished(&scratch, "copy");
    assert!(kept > 0 && kept <= finished(&scratch, "t"));
    let verified = scratch.printed("verify copy");
    assert!(verified.starts_with(&format!("{kept} of ")), "{verified}");
}

#[test]
fn what_is_derived_can_be_deleted() {
    let scratch = Scratch::new();
    scratch
        .printed("run -q --seed 1 --deals 3 --bot a=builtin:random --bot b=builtin:random --out t");
    let dir = scratch.path().join("t");
    let kept = |file: &str| fs::read(dir.join(file)).unwrap();
    let files = [
        "tournament.toml",
        "standings.json",
        "charts/points.svg",
        "charts/ratings.svg",
    ];
    let before: Vec<Vec<u8>> = files.iter().map(|file| kept(file)).collect();
    for entry in fs::read_dir(&dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else if path.file_name().unwrap() != "ledger.sqlite" {
            fs::remove_file(path).unwrap();
        }
    }
    scratch.printed("run -q t");
    let after: Vec<Vec<u8>> = files.iter().map(|file| kept(file)).collect();
    assert!(before == after);
}

#[test]
fn reset_asks_first_and_leaves_the_tournament_file() {
    let scratch = Scratch::new();
    scratch
        .printed("run -q --seed 1 --deals 3 --bot a=builtin:random --bot b=builtin:random --out t");
    let export = scratch.printed("export t");
    assert!(scratch.refused("reset t").contains("6 finished matches"));
    scratch.printed("reset t --yes");
    for (words, dir) in [("show t", "t"), ("status t/tournament.toml", "./t")] {
        let shown = scratch.arena(words);
        let stderr = String::from_utf8(shown.stderr).unwrap();
        let expected = format!("no tournament has begun in {dir}:");
        assert!(stderr.contains(&expected), "{stderr}");
        assert_eq!(shown.status.code(), Some(1));
    }
    assert!(scratch.printed("plan t --seconds 0").contains("6"));
    scratch.printed("run -q t");
    assert_ne!(scratch.seed("t"), 1);
    scratch.printed("reset t --yes --same-deals");
    scratch.printed("run -q t/tournament.toml --seed 1 --out t");
    assert_eq!(scratch.printed("export t"), export);
}

#[cfg(debug_assertions)]
#[test]
fn a_reset_that_is_killed_is_repeated_and_played() {
    let scratch = Scratch::new();
    for point in [
        "derived-removed",
        "ledger-removed:1",
        "ledger-removed:2",
        "ledger-removed:4",
    ] {
        for again in [true, false] {
            let dir = format!("{}-{again}", point.replace(':', "-"));
            scratch.printed(&format!(
                "run -q --seed 1 --deals 3 --bot a=builtin:random --bot b=builtin:random --out {dir}"
            ));
            let mut reset = scratch.command(&format!("reset {dir} --yes"));
            reset.stderr(Stdio::null()).env("ARENA_CRASH", point);
            assert_eq!(reset.status().unwrap().code(), None, "{point}");
            if again {
                scratch.printed(&format!("reset {dir} --yes"));
            }
            scratch.printed(&format!("run -q {dir}"));
            assert_eq!(finished(&scratch, &dir), 6, "{dir}");
            let is_reset = again || point != "derived-removed";
            assert_eq!(scratch.seed(&dir) != 1, is_reset, "{dir}");
        }
    }
}

/// Checks the empty ledger that is left by a process killed before the first commit.
#[test]
fn an_empty_ledger_is_no_tournament_yet() {
    let scratch = Scratch::new();
    let bots = "--bot a=builtin:random --bot b=builtin:random";
    let part = format!("run -q --seed 1 --deals 2 {bots} --out part");
    scratch.printed(&part);
    fs::copy(
        scratch.path().join("part/tournament.toml"),
        scratch.path().join("t.toml"),
    )
    .unwrap();
    for words in [
        part.replace("--out part", ""),
        "run -q t.toml".into(),
        "merge OUT part".into(),
        "compare exact random --rule rounds=1 --max-deals 2 --seed 1 -q --json".into(),
    ] {
        let dir = words.split(' ').next().unwrap().to_owned() + &words.len().to_string();
        fs::create_dir(scratch.path().join(&dir)).unwrap();
        scratch.write(&format!("{dir}/ledger.sqlite"), "");
        let words = if words.contains("OUT") {
            words.replace("OUT", &dir)
        } else {
            format!("{words} --out {dir}")
        };
        scratch.printed(&words);
        scratch.printed(&format!("verify {dir}"));
    }
}

#[cfg(feature = "all")]
#[test]
fn a_bot_that_was_changed_is_another_bot() {
    let scratch = Scratch::new();
    let bot = |chance: &str| {
        format!(
            "import json, random, sys\nfor line in sys.stdin:\n    (kind, body), = json.loads(line).items()\n    \
             if kind == 'hello': print('{{\"ready\":{{}}}}', flush=True)\n    if kind == 'start': chance = {chance}\n    \
             if kind == 'turn':\n        choose = lambda legal: [choose(part) for part in legal] if isinstance(legal[0], list) else chance.choice(legal)\n        \
             (name, values), = chance.choice(body['prompt']).items()\n        \
             print(json.dumps({{'id': body['id'], 'action': {{name: {{k: choose(v) for k, v in values.items()}}}}}}), flush=True)\n"
        )
    };
    scratch.write("same.py", &bot("random.Random(body['seed'])"));
    let mut run = scratch.command("run -q --seed 1 --deals 4 --bot random --bot excluding --out t");
    run.args(["--bot", "same=python3 same.py"]);
    assert!(run.output().unwrap().status.success());
    scratch.write(
        "same.py",
        &(bot("random.Random(body['seed'])") + "# changed\n"),
    );
    let run = scratch.arena("run -q t");
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(
        said.contains("changed    same: the old version plays on; `arena update /"),
        "{said}"
    );
}

#[test]
fn a_folder_that_is_used_for_something_else_is_left_alone() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path().join("mine")).unwrap();
    scratch.write("mine/bot.py", "pass");
    let why = scratch.refused(
        "run -q --seed 1 --deals 1 --bot a=builtin:random --bot b=builtin:random --out mine",
    );
    assert!(why.contains("it holds \"bot.py\""), "{why}");
    assert_eq!(
        fs::read_dir(scratch.path().join("mine")).unwrap().count(),
        1
    );
}
