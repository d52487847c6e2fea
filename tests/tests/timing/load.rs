//! Busy machines, and bots that cause the load. No bot is charged for what others compute, and no bot gains by it.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use arena_tests::process::{Child, Command};
use arena_tests::sandbox;
use arena_tests::user::{SYSTEM_PATH, User, copy_program, is_root};
use arena_tests::{arena, root};
use serde_json::Value;

use crate::alone;

/// Command that plays the tournament.
const RUN_COMMAND: &str = "run t.toml --trust -q --seed 1 --out t";

/// A match between two bots of `bots/load.py`, named `bad` and `good`.
struct Play {
    folder: tempfile::TempDir,
    user: User,
}

impl Play {
    fn new(user: User, settings: &str, bad: &str, good: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("load")
            .tempdir_in("/tmp")
            .unwrap();
        let play = Self { folder, user };
        user.give(play.path(), 0o755);
        for folder in ["tmp", "home"].map(|folder| play.path().join(folder)) {
            fs::create_dir(&folder).unwrap();
            user.give(&folder, 0o755);
        }
        copy_program(arena(), &play.path().join("arena"));
        fs::copy(
            root().join("tests/bots/load.py"),
            play.path().join("load.py"),
        )
        .unwrap();
        let bot = |name: &str, mode: &str| {
            format!("[[bots]]\nname = '{name}'\ncommand = \"python3 load.py {mode}\"\n")
        };
        let file = format!(
            "oversubscribe = true\n{settings}\n[rules]\nrounds = 1\nlate_moves = 0\n{}{}",
            bot("bad", bad),
            bot("good", good)
        );
        fs::write(play.path().join("t.toml"), file).unwrap();
        for file in ["arena", "load.py", "t.toml"] {
            user.give(&play.path().join(file), 0o755);
        }
        play
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, words: &str) -> Command {
        let mut command = self.user.command(&self.path().join("arena"));
        command
            .current_dir(self.path())
            .args(words.split_whitespace());
        command
            .env("PATH", SYSTEM_PATH)
            .env("HOME", self.path().join("home"))
            .env("TMPDIR", self.path().join("tmp"));
        command
    }

    /// Plays the tournament, and returns its faults.
    fn faults(&self) -> Value {
        let output = self.command(RUN_COMMAND).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        self.found()
    }

    /// Returns the findings of `arena tools doctor` for this user.
    fn doctor(&self) -> Value {
        serde_json::from_slice(&self.command("tools doctor --json").output().unwrap().stdout)
            .unwrap()
    }

    /// Returns the faults of the matches played.
    fn found(&self) -> Value {
        serde_json::from_slice(&self.command("faults t --json").output().unwrap().stdout).unwrap()
    }
}

/// Returns the messages of a bot's forfeits.
fn forfeits(faults: &Value, bot: &str) -> Vec<String> {
    let all = faults["faults"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|fault| fault["bot"] == bot);
    all.map(|fault| {
        format!(
            "{}: {}",
            fault["cause"].as_str().unwrap(),
            fault["detail"].as_str().unwrap()
        )
    })
    .collect()
}

/// Returns the isolation levels available here that keep a bot's processes from escaping measurement.
fn levels() -> Vec<&'static str> {
    let levels = sandbox::levels()
        .into_iter()
        .filter(|level| *level != "off");
    levels.collect()
}

/// Starts processes that use the CPU until they are dropped.
fn busy(count: usize) -> Vec<Child> {
    let burn = |_| {
        Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap()
    };
    (0..count).map(burn).collect()
}

#[test]
fn honest_bots_do_not_lose_on_time_however_many_jobs_there_are() {
    let _alone = alone();
    for user in User::all().into_iter() {
        let settings = "deals = 6\njobs = 12\n[clock]\nmove_ms = 80";
        let play = Play::new(user, settings, "computes 10 30", "computes 10 30");
        let faults = play.faults();
        assert_eq!(
            [forfeits(&faults, "good"), forfeits(&faults, "bad")].concat(),
            Vec::<String>::new(),
            "{user:?}"
        );
    }
}

#[test]
fn beside_busy_processes_only_those_lose_who_would_lose_without() {
    let _alone = alone();
    for user in User::all().into_iter() {
        let _busy = busy(6);
        for (mode, is_late) in [
            ("computes 20 40", false),
            ("computes 150 150", true),
            ("sleeps 150 150", true),
        ] {
            let play = Play::new(
                user,
                "deals = 1\njobs = 2\n[clock]\nmove_ms = 100",
                mode,
                "computes 20 40",
            );
            let faults = play.faults();
            assert_eq!(
                forfeits(&faults, "good"),
                Vec::<String>::new(),
                "{user:?} {mode}"
            );
            let lost = forfeits(&faults, "bad");
            assert_eq!(
                lost.len(),
                if is_late { 2 } else { 0 },
                "{user:?} {mode}: {lost:?}"
            );
            assert!(
                lost.iter()
                    .all(|fault| fault.starts_with("time: no answer in time")),
                "{user:?} {mode}: {lost:?}"
            );
        }
    }
}

#[test]
fn who_burns_in_the_turns_of_others_harms_nobody() {
    let _alone = alone();
    for (user, level) in User::all()
        .into_iter()
        .flat_map(|user| levels().into_iter().map(move |level| (user, level)))
    {
        let settings =
            format!("isolation = '{level}'\ndeals = 2\njobs = 2\n[clock]\nmove_ms = 100");
        let faults = Play::new(user, &settings, "burns 4", "computes 20 40").faults();
        assert_eq!(
            forfeits(&faults, "good"),
            Vec::<String>::new(),
            "{user:?} {level}"
        );
    }
}

#[test]
fn nobody_gains_time_by_processes_of_its_own() {
    let _alone = alone();
    for (user, level) in User::all()
        .into_iter()
        .flat_map(|user| levels().into_iter().map(move |level| (user, level)))
    {
        let settings =
            format!("isolation = '{level}'\ndeals = 1\njobs = 1\n[clock]\nmove_ms = 300");
        let faults = Play::new(user, &settings, "stretches 6 2", "plays").faults();
        let late = forfeits(&faults, "bad");
        assert!(
            late.len() == 2 && late.iter().all(|fault| fault.starts_with("time: ")),
            "{user:?} {level}: {late:?}"
        );
    }
}

#[test]
fn a_pause_of_the_arena_costs_nobody_time() {
    let _alone = alone();
    for user in User::all().into_iter() {
        let settings = "deals = 2\njobs = 1\n[clock]\nmove_ms = 200";
        let play = Play::new(user, settings, "computes 20 40", "computes 20 40");
        let arena = play
            .command(RUN_COMMAND)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !arena.has_ended() {
            stop_for(arena.id(), Duration::from_millis(400));
        }
        let faults = play.found();
        assert_eq!(
            [forfeits(&faults, "good"), forfeits(&faults, "bad")].concat(),
            Vec::<String>::new(),
            "{user:?}"
        );
    }
}

fn stop_for(pid: u32, time: Duration) {
    let send = |signal: &str| {
        Command::new("kill")
            .args([signal, &pid.to_string()])
            .stderr(Stdio::null())
            .status()
    };
    send("-STOP").unwrap();
    thread::sleep(time);
    send("-CONT").unwrap();
    thread::sleep(time / 4);
}

#[test]
fn nobody_gains_time_by_stopping_or_hiding_what_it_started() {
    let _alone = alone();
    for (user, level) in User::all()
        .into_iter()
        .flat_map(|user| levels().into_iter().map(move |level| (user, level)))
    {
        for (mode, needs_groups) in [
            ("stopped helper", false),
            ("traced helper", false),
            ("stopped by a child", false),
            ("hides children", true),
            ("hides programs", true),
            ("hides grandchildren", true),
            ("leaves grandchildren", true),
        ] {
            let settings =
                format!("isolation = '{level}'\ndeals = 1\njobs = 1\n[clock]\nmove_ms = 500");
            let play = Play::new(
                user,
                &settings,
                &format!("{} 5", mode.replace(' ', "\\\\ ")),
                "plays",
            );
            if needs_groups && play.doctor()["processor_time"] != "counted" {
                continue;
            }
            let faults = play.faults();
            let late = forfeits(&faults, "bad");
            let is_late = late.len() == 2
                && late
                    .iter()
                    .all(|fault| fault.starts_with("time: no answer in time"));
            assert!(is_late, "{user:?} {level} {mode}: {faults}");
            assert_eq!(
                forfeits(&faults, "good"),
                Vec::<String>::new(),
                "{user:?} {level} {mode}"
            );
        }
    }
}

#[test]
fn memory_and_disk_are_counted_wherever_they_hide() {
    let _alone = alone();
    let memory = "crash: used more than 128 MiB of memory";
    let disk = "crash: wrote more than 100 MiB to its temporary folders";
    for (user, level) in User::all()
        .into_iter()
        .flat_map(|user| levels().into_iter().map(move |level| (user, level)))
    {
        for (mode, why) in [
            ("eats in a thread", memory),
            ("eats in many threads", memory),
            ("eats by page tables", memory),
            ("fills its folder", disk),
            ("fills without names", disk),
            ("fills shared memory", disk),
        ] {
            // Under Landlock, bots have no shared memory of their own, and cannot write to that of the system.
            if (level, mode) == ("landlock", "fills shared memory") {
                continue;
            }
            let limits = "[limits]\nmemory_mb = 128\ndisk_mb = 100";
            let settings = format!(
                "isolation = '{level}'\ndeals = 1\njobs = 2\n{limits}\n[clock]\nmove_ms = 60000"
            );
            let faults = Play::new(user, &settings, &mode.replace(' ', "\\\\ "), "plays").faults();
            assert_eq!(
                forfeits(&faults, "bad"),
                [why, why],
                "{user:?} {level} {mode}"
            );
        }
    }
}

/// Returns true if the kernel enforces the memory limit for this user's bots, according to `arena tools doctor`.
fn is_held_by_kernel(play: &Play) -> bool {
    play.doctor()["memory"]["takes"] == "the kernel"
}

/// Returns the bad bot's log.
fn log(play: &Play) -> String {
    fs::read_to_string(play.path().join("t/logs/bad.log")).unwrap_or_default()
}

#[test]
fn memory_that_no_process_shows_is_held_where_the_kernel_counts_it() {
    let _alone = alone();
    let memory = "crash: used more than 64 MiB of memory";
    for (user, level) in User::all()
        .into_iter()
        .flat_map(|user| levels().into_iter().map(move |level| (user, level)))
    {
        for mode in [
            "hoards shared pages",
            "hoards dropped pages",
            "hoards sockets",
            "hoards mappings",
        ] {
            let limits = "[limits]\nmemory_mb = 64";
            let settings = format!(
                "isolation = '{level}'\ndeals = 1\njobs = 2\n{limits}\n[clock]\nmove_ms = 60000"
            );
            let play = Play::new(user, &settings, &mode.replace(' ', "\\\\ "), "plays");
            if !is_held_by_kernel(&play) {
                continue;
            }
            let faults = play.faults();
            assert_eq!(
                forfeits(&faults, "bad"),
                [memory; 2],
                "{user:?} {level} {mode}: {}",
                log(&play)
            );
            assert_eq!(
                forfeits(&faults, "good"),
                Vec::<String>::new(),
                "{user:?} {level} {mode}"
            );
        }
    }
}

#[test]
fn processes_that_have_ended_and_files_that_are_only_mapped_count() {
    let _alone = alone();
    for (user, level) in User::all()
        .into_iter()
        .flat_map(|user| levels().into_iter().map(move |level| (user, level)))
    {
        // Only root can see which files a process has mapped.
        let is_shown = is_root() && user == User::Own;
        let rows = [
            (
                "hoards ended processes",
                "crash: started more than 20 processes",
                true,
            ),
            (
                "hoards mapped files",
                "crash: wrote more than 100 MiB to its temporary folders",
                is_shown,
            ),
        ];
        for (mode, why, _) in rows.into_iter().filter(|(.., is_shown)| *is_shown) {
            let limits = "[limits]\nprocesses = 20\ndisk_mb = 100";
            let settings = format!(
                "isolation = '{level}'\ndeals = 1\njobs = 2\n{limits}\n[clock]\nmove_ms = 60000"
            );
            let faults = Play::new(user, &settings, &mode.replace(' ', "\\\\ "), "plays").faults();
            assert_eq!(
                forfeits(&faults, "bad"),
                [why, why],
                "{user:?} {level} {mode}"
            );
            assert_eq!(
                forfeits(&faults, "good"),
                Vec::<String>::new(),
                "{user:?} {level} {mode}"
            );
        }
    }
}

#[test]
fn memory_held_by_the_kernel_is_required_or_not() {
    for user in User::all() {
        let play = Play::new(user, "memory = 'kernel'", "plays", "plays");
        let is_held = is_held_by_kernel(&play);
        let output = play
            .command("run t.toml -q --deals 1 --out t")
            .output()
            .unwrap();
        let why = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(if is_held { 0 } else { 2 }),
            "{user:?}: {why}"
        );
        assert_eq!(
            why.contains("systemd-run --user --scope"),
            !is_held,
            "{user:?}: {why}"
        );
    }
}

/// A folder for a tournament's temporary files, on a small separate file system until it is dropped.
struct Small(std::path::PathBuf);

impl Small {
    fn mount(play: &Play, options: &str) -> Self {
        let place = play.path().join("tmp");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "none"])
            .arg(&place)
            .status()
            .unwrap();
        assert!(mount.success());
        Self(place)
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        Command::new("umount")
            .arg("-l")
            .arg(&self.0)
            .stderr(Stdio::null())
            .status()
            .unwrap();
    }
}

#[test]
fn a_bot_that_takes_all_files_forfeits_alone() {
    let _alone = alone();
    for level in levels() {
        let settings = format!("isolation = '{level}'\ndeals = 3\njobs = 2");
        let play = Play::new(User::Own, &settings, "hoards\\\\ files", "writes");
        let _small = Small::mount(&play, "size=256m,nr_inodes=20000");
        // Some matches end without a result because there was no room for any bot.
        let _ = play.command(RUN_COMMAND).output().unwrap();
        let faults = play.found();
        let bad = forfeits(&faults, "bad");
        assert!(
            bad.iter()
                .any(|why| why.contains("files in its temporary folders")),
            "{level}: {bad:?}"
        );
        assert_eq!(forfeits(&faults, "good"), Vec::<String>::new(), "{level}");
    }
}

/// A bubblewrap whose third and fourth start fail, as if other programs had taken all processes of the machine.
const FAILING: &str = "#!/bin/sh\ncount=$(cat \"$0.count\" 2> /dev/null || echo 0)\ncount=$((count + 1))\n\
    echo $count > \"$0.count\"\nif [ $count = 3 ] || [ $count = 4 ]; then\n    \
    echo 'bwrap: Creating new namespace failed: Resource temporarily unavailable' >&2\n    exit 1\nfi\n\
    exec /usr/bin/bwrap \"$@\"\n";

#[test]
fn who_cannot_be_started_is_not_to_blame() {
    let _alone = alone();
    for user in User::all() {
        let play = Play::new(
            user,
            "isolation = 'bubblewrap'\ndeals = 2\njobs = 1",
            "plays",
            "plays",
        );
        let bin = play.path().join("bin");
        fs::create_dir(&bin).unwrap();
        fs::write(bin.join("bwrap"), FAILING).unwrap();
        user.give(&bin, 0o755);
        user.give(&bin.join("bwrap"), 0o755);
        let path = format!("{}:{SYSTEM_PATH}", bin.display());
        let output = play
            .command("run t.toml -q --seed 1 --out t")
            .env("PATH", path)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let faults = play.command("faults t --json").output().unwrap().stdout;
        let faults: Value = serde_json::from_slice(&faults).unwrap();
        assert_eq!(faults["faults"], Value::Array(Vec::new()), "{user:?}");
        assert!(
            !faults["voids"].as_array().unwrap().is_empty(),
            "{user:?}: {faults}"
        );
    }
}

#[test]
fn a_full_disk_for_temporary_files_concerns_only_who_fills_it() {
    let _alone = alone();
    for level in levels() {
        let settings = format!("isolation = '{level}'\ndeals = 3\njobs = 2");
        let play = Play::new(
            User::Own,
            &settings,
            "fills\\\\ and\\\\ goes\\\\ on",
            "plays",
        );
        let _small = Small::mount(&play, "size=64m");
        assert_eq!(
            forfeits(&play.faults(), "good"),
            Vec::<String>::new(),
            "{level}"
        );
    }
}
