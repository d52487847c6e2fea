//! A bot runs as if in its own folder: tests of how its command and paths are resolved.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use arena_tests::process::Command;
use arena_tests::sandbox::{levels, on_path};
use arena_tests::{Scratch, arena};

#[test]
fn commands_are_found_as_in_the_bots_folder() {
    for level in levels() {
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.path().join("a/sub")).unwrap();
        let script = "#!/bin/sh\nexec arena bot random\n";
        for file in ["a/bot.sh", "a/sub/bot.sh", "above.sh"] {
            scratch.write_program(file, script);
        }
        scratch.write_program("a/broken", "#!/no/such/interpreter\n");
        let full = scratch.path().join("a/sub/bot.sh").display().to_string();
        let commands = [
            "./bot.sh",
            "sub/bot.sh",
            "../above.sh",
            "sh sub/bot.sh",
            "sh ../above.sh",
            &full,
            "./broken",
        ];
        let read = arena().display();
        let mut file = format!(
            "isolation = '{level}'\ndeals = 1\nformat = 'gauntlet'\n[[bots]]\nname = 'a'\nbuiltin = 'random'\n"
        );
        for (number, command) in commands.into_iter().enumerate() {
            file += &format!(
                "[[bots]]\nname = 'b{number}'\ndir = 'a'\ncommand = '{command}'\nread = ['{read}']\n"
            );
        }
        scratch.write("t.toml", &file);
        let output = on_path(scratch.command("run t.toml -q --trust --out t"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let standings = scratch.standings("t");
        let faults = standings["faults"].as_array().unwrap();
        let bots: Vec<&str> = faults
            .iter()
            .map(|fault| fault["bot"].as_str().unwrap())
            .collect();
        assert_eq!(bots, ["b6"; 2], "{level}: {faults:?}");
    }
}

/// Checks that the bot's relative paths resolve as in its own folder. Also checks a Python virtual environment, which is found by the
/// location of its link to an interpreter.
#[cfg(feature = "all")]
#[test]
fn a_bot_runs_as_in_its_own_folder() {
    let bot = "import inside, sys\nopen('log.txt', 'w').write('mine')\nprint(open('../data/w.txt').read(), file=sys.stderr)\n\
               print([open(f'../{name}').close() for name in ['rival.txt']])\n";
    for level in levels() {
        let scratch = Scratch::new();
        for dir in ["a", "data", "env/bin", "env/lib"] {
            fs::create_dir_all(scratch.path().join(dir)).unwrap();
        }
        let which = arena_tests::process::Command::new("python3")
            .args(["-c", "import sys; print(sys.executable)"])
            .output()
            .unwrap();
        let python = String::from_utf8(which.stdout).unwrap();
        std::os::unix::fs::symlink(python.trim(), scratch.path().join("env/bin/python")).unwrap();
        scratch.write("env/pyvenv.cfg", "include-system-site-packages = false\n");
        let version = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let site = arena_tests::process::Command::new(scratch.path().join("env/bin/python"))
            .args(["-c", version])
            .output()
            .unwrap();
        let site = String::from_utf8(site.stdout).unwrap();
        assert!(site.contains("/env/lib/"), "{site}");
        fs::create_dir_all(site.trim()).unwrap();
        fs::write(Path::new(site.trim()).join("inside.py"), "").unwrap();
        scratch.write("a/bot.py", bot);
        scratch.write("data/w.txt", "weights");
        scratch.write("rival.txt", "secret");
        scratch.write("t.toml", &format!("isolation = '{level}'\ndeals = 1\n[[bots]]\nname = 'a'\nbuiltin = 'random'\n[[bots]]\nname = 'b'\ndir = 'a'\nread = ['../data']\ncommand = '../env/bin/python bot.py'\n"));
        scratch.printed("run t.toml -q --trust --out t");
        let log = fs::read_to_string(scratch.path().join("t/logs/b.log")).unwrap();
        let script = fs::canonicalize(scratch.path()).unwrap().join("a/bot.py");
        let named = format!("  File \"{}\", line 4", script.display());
        assert!(
            log.contains("\nweights\n") && log.contains(&named),
            "{level}: {log}"
        );
        assert!(
            log.contains("FileNotFoundError: [Errno 2] No such file or directory: '../rival.txt'"),
            "{level}: {log}"
        );
        assert!(!scratch.path().join("a/log.txt").exists());
        scratch.printed("report t");
        let page = fs::read_to_string(scratch.path().join("t/report.html")).unwrap();
        assert!(
            !page.contains(&scratch.path().display().to_string()),
            "{page}"
        );
        assert!(
            page.contains("bot.py&quot;, line 4")
                && !page.contains(&scratch.path().display().to_string())
        );
        let replay = scratch.printed("show t d1/a/b --json");
        assert!(
            replay.contains("line 4") && !replay.contains(&scratch.path().display().to_string()),
            "{replay}"
        );
    }
}

/// Checks folder names with arbitrary bytes. Such a folder within the bot's folder is harmless, although the bot may not read it. If the
/// bot would run in such a folder, it is refused.
#[test]
fn names_need_not_be_utf8() {
    let odd = OsStr::from_bytes(b"odd\xff");
    for level in levels() {
        let scratch = Scratch::new();
        let read = arena().display();
        let bots = format!(
            "[[bots]]\nname = 'a'\nbuiltin = 'random'\n[[bots]]\nname = 'b'\ncommand = 'sh bot.sh'\nread = ['{read}']\n"
        );
        for folder in [scratch.path(), &scratch.path().join(odd)] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("bot.sh"), "exec arena bot random\n").unwrap();
            fs::write(
                folder.join("t.toml"),
                format!("isolation = '{level}'\ndeals = 1\n{bots}"),
            )
            .unwrap();
        }
        // Simulate a tournament in the folder, which is hidden from bots.
        fs::write(scratch.path().join(odd).join("ledger.sqlite"), "").unwrap();
        let run = |dir: &Path| {
            on_path(scratch.command("run t.toml -q --trust --out out"))
                .current_dir(dir)
                .output()
                .unwrap()
        };
        let output = run(scratch.path());
        assert!(
            output.status.success(),
            "{level}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(
            scratch.standings("out")["faults"].as_array().unwrap().len(),
            0,
            "{level}"
        );
        let output = run(&scratch.path().join(odd));
        let why = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2) && why.contains("not UTF-8") && why.contains("rename"),
            "{why}"
        );
        let mut elsewhere = on_path(scratch.command("run t.toml -q --trust --out out2"));
        let output = elsewhere
            .env("TMPDIR", scratch.path().join(odd))
            .output()
            .unwrap();
        let why = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2) && why.contains("TMPDIR"),
            "{why}"
        );
    }
}

#[test]
fn a_place_that_cannot_be_written_to_is_named() {
    for (command, expected) in [
        (
            "\"$0\" games > /dev/full",
            "cannot write to standard output: No space left",
        ),
        (
            "TMPDIR= \"$0\" match --bot exact --bot a=true",
            "the variable is empty: unset it",
        ),
    ] {
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", command]).arg(arena()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && said.contains(expected),
            "{said}"
        );
    }
}
