//! The arena under load, short of resources, and without a reader of its output, with real processes.

use std::fs;
use std::process::{Output, Stdio};

use arena_tests::process::{Child, Command};
use arena_tests::{Scratch, arena, python_bot, root};

use crate::alone;

/// Starts a process that uses the CPU until it is dropped.
fn busy() -> Child {
    Command::new("sh")
        .args(["-c", "while :; do :; done"])
        .spawn()
        .unwrap()
}

#[test]
fn honest_bots_lose_nothing_to_a_busy_machine() {
    let _alone = alone();
    let _busy: Vec<Child> = (0..6).map(|_| busy()).collect();
    let scratch = Scratch::new();
    let bot = python_bot("first_bot.py");
    scratch.write(
        "t.toml",
        &format!(
            "deals = 5\n[rules]\nlate_moves = 0\nrounds = 1\n[clock]\nmove_ms = 60\nstart_ms = 60000\n\
             [[bots]]\nname = 'a'\ncommand = 'python3 {bot}'\n[[bots]]\nname = 'b'\ncommand = 'python3 {bot}'\n\
             [[bots]]\nname = 'burns'\ncommand = \"python3 {} 'burns between turns'\"\n",
            root().join("tests/bots/hostile.py").display()
        ),
    );
    scratch.printed("run t.toml -q --seed 1 --out t");
    let standings = scratch.standings("t");
    assert_eq!(standings["played"], 30);
    let faults = standings["faults"].as_array().unwrap().iter();
    // The load caused by a bot's own processes is charged to that bot.
    let honest: Vec<_> = faults.filter(|fault| fault["bot"] != "burns").collect();
    assert!(honest.is_empty(), "{honest:?}");
}

/// Returns the numbers of open descriptors and of descendant processes.
fn held(process: u32) -> (usize, usize) {
    let fds = fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count);
    let children = |pid: u32| {
        let tasks = fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten();
        let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        lists
            .flat_map(|list| {
                list.split_whitespace()
                    .map(|id| id.parse().unwrap())
                    .collect::<Vec<u32>>()
            })
            .collect::<Vec<_>>()
    };
    let (mut below, mut at) = (children(process), 0);
    while at < below.len() {
        below.extend(children(below[at]));
        at += 1;
    }
    (fds, below.len())
}

/// Extra descriptors and processes of two simultaneous restarts.
const MOMENTARY_USE: (usize, usize) = (12, 6);

#[test]
fn ten_thousand_matches_leave_nothing_behind() {
    let _alone = alone();
    let scratch = Scratch::new();
    let bot = |name: &str| {
        format!(
            "[[bots]]\nname = '{name}'\ncommand = '{} bot random'\n",
            arena().display()
        )
    };
    scratch.write(
        "t.toml",
        &format!("game = 'crack-the-code'\ndeals = 5000\njobs = 2\n[clock]\nmove_ms = 60000\n[rules]\npositions = 2\ncolours = 3\n{}{}", bot("a"), bot("b")),
    );
    let mut run = scratch.command("run t.toml -q --seed 1 --oversubscribe --out t");
    let run = run
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut seen = Vec::new();
    while !run.has_ended() {
        seen.push(held(run.id()));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(run.wait().unwrap().success());
    let standings = scratch.standings("t");
    assert_eq!(
        (&standings["played"], &standings["faults"]),
        (&10_000.into(), &serde_json::json!([]))
    );
    let most = |part: &[(usize, usize)]| {
        part.iter()
            .fold((0, 0), |most, now| (most.0.max(now.0), most.1.max(now.1)))
    };
    let (early, late) = (
        most(&seen[..seen.len() / 3]),
        most(&seen[seen.len() / 3 * 2..]),
    );
    assert!(
        seen.len() > 30
            && late.0 <= early.0 + MOMENTARY_USE.0
            && late.1 <= early.1 + MOMENTARY_USE.1,
        "{} times: first {early:?}, then {late:?}",
        seen.len()
    );
    let left = fs::read_dir("/proc").unwrap().flatten();
    let left = left.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
    let mine = format!("{}\0bot\0random", arena().display());
    assert_eq!(left.filter(|line| line.contains(&mine)).count(), 0);
}

#[test]
fn more_jobs_than_cores_are_refused() {
    let _alone = alone();
    let scratch = Scratch::new();
    let flags = "run -q --seed 1 --deals 1 --jobs 200 --bot a=builtin:random --bot b=false --out t";
    let why = scratch.refused(flags);
    for part in [
        "200 jobs are too many for the",
        "while their clocks run",
        "use at most",
        "or allow more with --oversubscribe",
    ] {
        assert!(
            why.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(part),
            "{why}"
        );
    }
    assert!(!scratch.path().join("t").exists());
    scratch.printed(&flags.replace("200", "50 --oversubscribe"));
    let built_in = flags
        .replace("b=false --out t", "b=builtin:random --out u")
        .replace("200", "50");
    let output = scratch.arena(&built_in);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("warning: 50 jobs on "),
        "{said}"
    );
}

/// Runs a small tournament within a shell command line. In this line, `"$@"` stands for the tournament's command.
fn in_shell(scratch: &Scratch, line: &str) -> Output {
    let mut shell = Command::new("sh");
    shell
        .current_dir(scratch.path())
        .args(["-c", line, "sh"])
        .arg(arena());
    let flags =
        "run --seed 1 --deals 2 --rule rounds=1 --bot a=builtin:random --bot b=false --out t";
    shell.args(flags.split_whitespace()).output().unwrap()
}

#[test]
fn a_tournament_is_whole_although_nobody_listens() {
    let _alone = alone();
    for line in [
        "\"$@\" >&-",
        "\"$@\" >&- 2>&-",
        "\"$@\" | true",
        "\"$@\" 2>&1 | true",
        "{ sleep 0.3; \"$@\"; echo $? > code; } 2>&1 | true; [ $(cat code) = 0 ]",
        "\"$@\" 2> /dev/full",
        "\"$@\" > /dev/full; [ $? = 1 ]",
    ] {
        let scratch = Scratch::new();
        let output = in_shell(&scratch, line);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && !stderr.contains("panicked"),
            "{line}: {}: {stderr}",
            output.status
        );
        for file in ["report.html", "standings.json", "charts/points.svg"] {
            assert!(
                fs::metadata(scratch.path().join("t").join(file))
                    .unwrap()
                    .len()
                    > 0,
                "{line}: {file}"
            );
        }
        assert_eq!(scratch.standings("t")["played"], 4, "{line}");
    }
}

#[test]
fn a_bot_has_no_terminal_and_sound_signals() {
    let _alone = alone();
    let scratch = Scratch::new();
    let script = "try:\n open('/dev/tty')\n print('TERMINAL', file=sys.stderr)\nexcept OSError: print('NONE', file=sys.stderr)\n";
    scratch.write(
        "bot.py",
        &format!("import sys\n{script}print(open('/proc/self/status').read(), file=sys.stderr)\n"),
    );
    scratch.write("own.py", &format!("import sys\n{script}"));
    let pty = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let on_a_terminal = |words: &[&str]| {
        let mut command = Command::new("python3");
        command
            .current_dir(scratch.path())
            .args(["-c", pty])
            .args(words)
            .output()
            .unwrap()
    };
    let own = on_a_terminal(&["python3", "own.py"]);
    assert!(
        String::from_utf8_lossy(&own.stdout).contains("TERMINAL"),
        "the test has one to offer"
    );
    for level in ["auto", "off"] {
        let flags = format!(
            "run -q --seed 1 --isolation {level} --deals 1 --bot a=builtin:random --out {level} --bot"
        );
        let mut words = vec![arena().to_str().unwrap()];
        words.extend(flags.split(' '));
        words.push("b=python3 bot.py");
        let output = on_a_terminal(&words);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        let log = fs::read_to_string(scratch.path().join(level).join("logs/b.log")).unwrap();
        assert!(
            log.contains("NONE") && !log.contains("TERMINAL"),
            "{level}: {log}"
        );
        let blocked = log
            .lines()
            .find_map(|line| line.strip_prefix("SigBlk:"))
            .unwrap();
        assert_eq!(blocked.trim(), "0000000000000000", "{level}");
    }
}

#[test]
fn names_and_notes_are_text_and_nothing_else() {
    let _alone = alone();
    let scratch = Scratch::new();
    let hostile = root().join("tests/bots/hostile.py");
    let names = ["=1+1", "<script>alert(1)<b>", "a|b `c` [d](e)", "\u{202e}x"];
    let mut file =
        "deals = 1\nname = '<b>&|=x'\n[clock]\nmove_ms = 60000\n[rules]\nrounds = 1\n".to_owned();
    for (name, mode) in
        names
            .iter()
            .zip(["strange note", "strange name", "colourful banner", "raises"])
    {
        file += &format!(
            "[[bots]]\nname = '{name}'\ncommand = \"python3 {} '{mode}'\"\n",
            hostile.display()
        );
    }
    scratch.write("t.toml", &file);
    let printed = scratch.printed("run t.toml -q --seed 1 --out t");
    let csv = scratch.printed("show t --csv") + &scratch.printed("export t --as csv");
    let cells: Vec<&str> = csv.lines().flat_map(|line| line.split(',')).collect();
    assert!(
        cells.contains(&"'=1+1") && !cells.contains(&"=1+1"),
        "{csv}"
    );
    let harm = |text: &str| text.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}');
    for (form, text) in [("run", &printed), ("show", &scratch.printed("show t"))] {
        assert!(!harm(text), "{form}: {text:?}");
    }
    let notes = scratch.printed("export t --notes");
    assert!(
        notes.contains("alert(1)") && !notes.contains(|c: char| c.is_control() && c != '\n'),
        "kept, as JSON"
    );
    let svgs = fs::read_dir(scratch.path().join("t/charts"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let svgs: Vec<_> = svgs
        .filter(|path| path.extension().is_some_and(|kind| kind == "svg"))
        .collect();
    for path in &svgs {
        let svg = fs::read_to_string(path).unwrap();
        assert!(
            !svg.contains("<script") && !harm(&svg.replace('\r', "")),
            "{}",
            path.display()
        );
        // The chart of forfeits shows only bots that forfeited.
        assert!(svg.contains("&lt;script&gt;"), "{}", path.display());
    }
    assert!(svgs.len() > 2);
    let page = fs::read_to_string(scratch.path().join("t/report.html")).unwrap();
    // The page's own scripts are those that replay matches.
    let own = page.matches("<script type=\"module\">").count()
        + page.matches("<script id=\"match-").count();
    assert!(
        page.contains("&lt;script&gt;") && page.matches("<script").count() == own && !harm(&page)
    );
    let mut single = scratch.command("match --bot a=builtin:random --move-ms 60000 --bot");
    let output = single
        .arg(format!(
            "b=python3 {} 'log not utf-8, raises'",
            hostile.display()
        ))
        .output()
        .unwrap();
    assert!(
        !harm(&String::from_utf8(output.stdout).unwrap()),
        "its log is printed as text"
    );
}
