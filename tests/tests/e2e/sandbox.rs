//! Bots that escape control, hoard resources, pry or linger. At every isolation level, the effects end with the bot.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Output, Stdio};

use arena_tests::process::{Child, Command};
use arena_tests::sandbox::{levels, on_path};
use arena_tests::shell::READY;
use arena_tests::user::copy_program;
use arena_tests::{Scratch, arena, until};

/// A tournament between a shell bot, in a separate folder, and a good bot.
struct Play {
    scratch: Scratch,
}

impl Play {
    fn new(level: &str, more: &str, script: &str) -> Self {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path().join("bad")).unwrap();
        fs::create_dir(scratch.path().join("tmp")).unwrap();
        scratch.write("bad/bot.sh", script);
        // Hide the arena from bots, unless the script needs it.
        let read = if script.contains("arena bot") {
            format!("read = ['{}']", arena().display())
        } else {
            String::new()
        };
        scratch.write(
            "t.toml",
            &format!(
                "isolation = '{level}'\n{more}\n[[bots]]\nname = 'good'\ncommand = '{} bot random'\n\
                 [[bots]]\nname = 'bad'\ncommand = 'sh bot.sh'\ndir = 'bad'\n{read}\n",
                arena().display()
            ),
        );
        Self { scratch }
    }

    fn command(&self, flags: &str) -> Command {
        let mut command = on_path(
            self.scratch
                .command(&format!("run t.toml -q --trust --out t {flags}")),
        );
        command.env("TMPDIR", self.scratch.path().join("tmp"));
        command
    }

    fn run(&self, flags: &str) -> Output {
        let output = self.command(flags).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    /// Returns the bot's log.
    fn log(&self) -> String {
        fs::read_to_string(self.scratch.path().join("t/logs/bad.log")).unwrap_or_default()
    }

    /// Returns the details of the forfeits, all of which must be the bad bot's.
    fn faults(&self) -> Vec<String> {
        let standings = self.scratch.standings("t");
        let faults = standings["faults"].as_array().unwrap().iter();
        let detail = |fault: &serde_json::Value| {
            assert_eq!(fault["bot"], "bad", "{fault}");
            fault["detail"].as_str().unwrap().to_owned()
        };
        faults.map(detail).collect()
    }

    /// Returns the temporary files that are left.
    fn temporary(&self) -> Vec<String> {
        let entries = fs::read_dir(self.scratch.path().join("tmp")).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

/// Returns a number of seconds that identifies a test in the command lines of processes.
fn mark(number: u32) -> String {
    format!("98765{number}.{}", std::process::id())
}

/// Returns the command lines of processes that contain a mark, one per thread, because the main thread may have ended.
fn marked(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let threads = processes
        .filter_map(|entry| fs::read_dir(entry.path().join("task")).ok())
        .flatten()
        .flatten();
    let lines = threads.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(mark)).collect()
}

#[test]
fn what_a_bot_starts_ends_with_it() {
    let mark = mark(1);
    let script = format!(
        "setsid sleep {mark} &\n (setsid sh -c 'sleep {mark} & sleep {mark}' &)\n sleep {mark} < /dev/null > /dev/null 2>&1 &\n{READY} exit 4"
    );
    for level in levels() {
        let play = Play::new(level, "", &script);
        play.run("--deals 2");
        assert_eq!(play.faults(), vec!["exited with code 4"; 4], "{level}");
        assert_eq!(marked(&mark), Vec::<String>::new(), "{level}");
        assert_eq!(play.temporary(), Vec::<String>::new(), "{level}");
    }
}

#[cfg(feature = "all")]
#[test]
fn a_process_whose_first_thread_has_ended_ends_with_its_bot() {
    let mark = mark(6);
    let code = "import ctypes, os, sys, threading, time; threading.Thread(target=time.sleep, args=(1e6,)).start(); \
                time.sleep(0.1); os.close(int(sys.argv[1])); ctypes.CDLL(None).pthread_exit(0)";
    // The script waits until the other process has closed its end of the pipe.
    let script = format!("mkfifo p; python3 -c '{code}' 3 {mark} 3> p & cat p\n{READY} exit 4");
    for level in levels() {
        let play = Play::new(level, "", &script);
        play.run("--deals 1");
        assert_eq!(play.faults(), vec!["exited with code 4"; 2], "{level}");
        assert_eq!(marked(&mark), Vec::<String>::new(), "{level}");
    }
}

#[test]
fn any_signal_ends_a_bot() {
    for level in levels() {
        for (signal, end) in [
            ("SEGV", "was ended by signal SEGV"),
            ("40", "was ended by signal 40"),
        ] {
            let play = Play::new(
                level,
                "",
                &format!("(sh -c 'kill -{signal} $$' &)\n{READY} kill -{signal} $$"),
            );
            play.run("--deals 1 --move-ms 60000");
            // A status of 168 need not come from a signal that was passed on.
            let end = if (level, signal) == ("bubblewrap", "40") {
                "exited with code 168"
            } else {
                end
            };
            assert_eq!(play.faults(), vec![end; 2], "{level}");
        }
    }
}

/// Checks a real-time signal, which has no name. The signal must not prevent other ended processes from being reaped.
#[test]
fn what_a_signal_without_a_name_has_ended_is_reaped() {
    let script = "(sh -c 'echo $$ > pid; kill -40 $$' &)
        until [ -s pid ]; do sleep 0.05; done
        pid=$(cat pid); tries=0
        while [ -e /proc/$pid ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
        [ ! -e /proc/$pid ] || echo unreaped >&2
        exec arena bot random";
    let play = Play::new("off", "", script);
    play.run("--deals 1 --jobs 1 --start-ms 60000");
    assert_eq!(
        (play.faults(), play.log().contains("unreaped")),
        (vec![], false),
        "{}",
        play.log()
    );
}

#[test]
fn why_a_program_cannot_be_started_is_said_at_every_level() {
    for level in levels() {
        let play = Play::new(level, "", "#!/nowhere/interpreter\n");
        let [script, bot] =
            ["bot.sh", "0bot.sh"].map(|name| play.scratch.path().join("bad").join(name));
        fs::rename(script, &bot).unwrap();
        fs::set_permissions(bot, fs::Permissions::from_mode(0o755)).unwrap();
        let file = fs::read_to_string(play.scratch.path().join("t.toml")).unwrap();
        play.scratch
            .write("t.toml", &file.replace("sh bot.sh", "./0bot.sh"));
        play.run("--deals 1");
        let why = "could not be started: 0bot.sh: its first line names /nowhere/interpreter, and there is no such program";
        assert_eq!(play.faults(), vec![why; 2], "{level}");
    }
}

#[test]
fn a_bot_that_will_not_go_is_killed() {
    let mark = mark(2);
    for level in levels() {
        let script = format!("trap '' TERM HUP INT\n arena bot random\n exec sleep {mark}");
        let play = Play::new(level, "", &script);
        play.run("--deals 1 --jobs 1");
        assert_eq!(play.faults(), Vec::<String>::new(), "{level}");
        assert_eq!(marked(&mark), Vec::<String>::new(), "{level}");
    }
}

#[test]
fn bots_die_with_the_arena() {
    let mark = mark(3);
    for level in levels() {
        let play = Play::new(
            level,
            "",
            &format!("(setsid sleep {mark} &)\n {READY} exec sleep {mark}"),
        );
        let arena = play
            .command("--deals 1 --move-ms 1000000")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until("the bot runs", || marked(&mark).len() >= 2);
        arena.kill();
        until("nothing is left of it", || marked(&mark).is_empty());
        until("its supervisor has gone", || {
            marked(play.scratch.path().to_str().unwrap()).is_empty()
        });
        // Leftover files are removed by the next arena that starts.
        assert_ne!(play.temporary(), Vec::<String>::new());
        play.scratch.write("bad/bot.sh", "exit 1");
        // The attacker is another bot, in another tournament.
        play.scratch.printed("reset t --yes");
        play.run("--deals 1 --move-ms 1000000");
        assert_eq!(play.temporary(), Vec::<String>::new(), "{level}");
    }
}

#[test]
fn a_bot_that_kills_its_supervisor_takes_nothing_along() {
    let mark = mark(4);
    let script = format!("(setsid sleep {mark} &)\n{READY} kill -9 $PPID; exec sleep {mark}");
    let play = Play::new("off", "", &script);
    play.run("--deals 2");
    assert_eq!(play.faults().len(), 4);
    assert_eq!(marked(&mark), Vec::<String>::new());
    assert_eq!(play.temporary(), Vec::<String>::new());
}

#[test]
fn a_fork_bomb_is_stopped() {
    let mark = mark(5);
    let script = format!(
        "{READY} n=0; while [ $n -lt 200 ]; do sleep {mark} & n=$((n + 1)); done; while :; do wait; done"
    );
    for level in levels() {
        let play = Play::new(level, "[limits]\nprocesses = 20", &script);
        play.run("--deals 1 --move-ms 60000");
        assert_eq!(
            play.faults(),
            vec!["started more than 20 processes"; 2],
            "{level}"
        );
        assert_eq!(marked(&mark), Vec::<String>::new(), "{level}");
    }
}

#[test]
fn a_memory_bomb_is_stopped() {
    let script = format!("{READY} {{ yes | tr '\\n' x | head -c 600000000; sleep 1000; }} | tail");
    for level in levels() {
        let play = Play::new(level, "[limits]\nmemory_mb = 100", &script);
        play.run("--deals 1 --move-ms 60000");
        assert_eq!(
            play.faults(),
            vec!["used more than 100 MiB of memory"; 2],
            "{level}"
        );
    }
}

#[test]
fn a_file_that_grows_is_stopped() {
    let script = format!("{READY} exec yes > large");
    for level in levels() {
        let play = Play::new(level, "[limits]\nfile_mb = 2", &script);
        play.run("--deals 1 --move-ms 60000");
        assert_eq!(
            play.faults(),
            vec!["wrote a file of more than 2 MiB"; 2],
            "{level}"
        );
    }
}

#[test]
fn files_do_not_survive_the_process() {
    let script = "ls -A . $TMPDIR $HOME >&2; echo x > left; echo x > $TMPDIR/left; mkdir -p deep/er; echo x > deep/er/left; \
                  chmod 000 deep/er deep 2> /dev/null; cat data >&2; exit 1";
    for level in levels() {
        let play = Play::new(level, "", script);
        play.scratch.write("bad/data", "some data\n");
        play.run("--deals 2");
        let log = play.log();
        assert!(
            log.contains("bot.sh") && log.matches("some data").count() == 4,
            "{level}: {log}"
        );
        assert!(
            !log.contains("left") && !log.contains("deep"),
            "{level}: {log}"
        );
        assert_eq!(
            fs::read_dir(play.scratch.path().join("bad"))
                .unwrap()
                .count(),
            2,
            "{level}"
        );
        assert_eq!(play.temporary(), Vec::<String>::new(), "{level}");
    }
}

#[test]
fn the_environment_is_clean() {
    for level in levels() {
        let play = Play::new(level, "", "env >&2; exit 1");
        let output = play
            .command("--deals 1")
            .env("ARENA_SECRET", "s3cr3t")
            .env("LC_TIME", "C")
            .output()
            .unwrap();
        assert!(output.status.success());
        let known = [
            "PATH", "LANG", "TZ", "USER", "LOGNAME", "HOME", "TMPDIR", "PWD", "OLDPWD", "SHLVL",
            "_",
        ];
        let log = play.log();
        let names = log
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, _)| name);
        let unknown: Vec<&str> = names
            .filter(|name| !known.contains(name) && !name.starts_with("LC_"))
            .collect();
        assert!(
            log.contains("LC_TIME=C") && log.contains("HOME="),
            "{level}: {log}"
        );
        assert_eq!(unknown, Vec::<&str>::new(), "{level}");
    }
}

/// Checks that only the bot gets its variables. With the variable of this test, the loader reports every program that it loads on standard
/// error.
#[test]
fn no_other_program_gets_what_is_the_bots() {
    for level in levels() {
        let scratch = Scratch::new();
        scratch.write("bot.sh", "cat /proc/1/cmdline >&2; exit 1\n");
        let (env, word) = (
            "env = { LD_DEBUG = 'files' }\npass_env = ['KEY']",
            "a-word-of-its",
        );
        let bot = format!("name = 'bad'\ncommand = 'sh bot.sh {word}'\n{env}\n");
        scratch.write(
            "t.toml",
            &format!("isolation = '{level}'\n[[bots]]\nname = 'good'\nbuiltin = 'random'\n[[bots]]\n{bot}"),
        );
        let mut command = scratch.command("run t.toml -q --trust --deals 1 --out t");
        let output = command.env("KEY", "a-secret-of-its").output().unwrap();
        assert!(
            output.status.success(),
            "{level}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let log = fs::read_to_string(scratch.path().join("t/logs/bad.log")).unwrap();
        let begun = log
            .lines()
            .filter_map(|line| line.split_once("initialize program: "));
        let others: Vec<&str> = begun
            .map(|(_, name)| name)
            .filter(|name| !["sh", "cat"].contains(name))
            .collect();
        assert!(log.contains("initialize program: sh"), "{level}: {log}");
        assert_eq!(others, Vec::<&str>::new(), "{level}");
        let told = log.lines().find(|line| line.contains("become"));
        assert_eq!(told.is_some(), level == "bubblewrap", "{level}: {log}");
        assert!(
            told.is_none_or(|line| !line.contains(word) && !line.contains("KEY")),
            "{level}: {log}"
        );
    }
}

/// Checks that bots cannot execute the arena, because its built-in bots are complete bots.
#[test]
fn the_arena_cannot_be_executed_by_bots() {
    let path = std::env::var_os("PATH").unwrap();
    for level in levels().into_iter().filter(|level| *level != "off") {
        let tools = Scratch::new();
        let mut dirs: Vec<_> = std::env::split_paths(&path).collect();
        dirs.extend([
            tools.path().to_path_buf(),
            arena().parent().unwrap().to_path_buf(),
        ]);
        let twin = tools.path().join("stronger");
        if fs::hard_link(arena(), &twin).is_err() {
            copy_program(arena(), &twin);
        }
        let script = format!(
            "for path in /run/arena {own} {twin} {run}/arena /proc/*/exe /proc/self/fd/* /proc/$PPID/fd/* $(command -v arena stronger); do
                 case $(\"$path\" --version < /dev/null 2> /dev/null) in arena*) echo CAN \"$path\" >&2;; esac
             done
             for name in arena stronger; do $name --version < /dev/null > out 2> /dev/null && echo CAN $name >&2; done
             exit 1",
            own = arena().display(),
            twin = twin.display(),
            run = tools.path().display(),
        );
        std::os::unix::fs::symlink(&twin, tools.path().join("arena")).unwrap();
        let play = Play::new(level, "", &script);
        let mut command = play.command("--deals 1");
        let output = command
            .env("PATH", std::env::join_paths(&dirs).unwrap())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{level}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!play.log().contains("CAN"), "{level}: {}", play.log());
        assert_eq!(play.faults(), vec!["exited with code 1"; 2], "{level}");
    }
}

/// Checks that no bot learns which files another process has read, and that no bot clears these traces. Databases work without locks.
#[cfg(feature = "all")]
#[test]
fn the_cache_of_files_tells_nothing() {
    let script = r#"
import ctypes, mmap, os, sqlite3, sys
libc = ctypes.CDLL(None, use_errno=True)
file = os.open("bot.py", os.O_RDONLY)
page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
def told(name, ask):
    try:
        ask()
        print("TOLD", name, file=sys.stderr)
    except OSError:
        pass
def called(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
def mincore():
    called(libc.mincore(ctypes.addressof(ctypes.c_char.from_buffer(page)), 1, ctypes.create_string_buffer(1)))
told("preadv2", lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT))
told("mincore", mincore)
told("cachestat", lambda: called(libc.syscall(451, file, ctypes.create_string_buffer(16), ctypes.create_string_buffer(40), 0)))
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
os.preadv(file, [bytearray(1)], 0)
for _ in range(2):
    base = sqlite3.connect("base.sqlite")
    base.execute("create table if not exists deals (seed)")
    base.execute("insert into deals values (1)")
    base.commit()
print("rows", base.execute("select count(*) from deals").fetchone(), file=sys.stderr)
"#;
    for level in levels().into_iter().filter(|level| *level != "off") {
        let play = Play::new(level, "", "exec python3 bot.py");
        play.scratch.write("bad/bot.py", script);
        play.run("--deals 1 --start-ms 60000");
        let log = play.log();
        assert!(
            !log.contains("TOLD") && log.matches("rows (2,)").count() == 2,
            "{level}: {log}"
        );
    }
}

/// Checks a supervisor that is stopped when its bot exits, as on a busy machine, so that the end of the bot's output arrives first.
#[test]
fn the_cause_of_an_end_is_waited_for() {
    for limit in ["60000", "100"] {
        let script = format!(
            "{READY} (sleep 2; kill -CONT $PPID) < /dev/null > /dev/null 2>&1 &\n kill -STOP $PPID; exit 4"
        );
        let play = Play::new("off", "", &script);
        play.run(&format!("--deals 1 --jobs 1 --move-ms {limit}"));
        assert_eq!(play.faults(), vec!["exited with code 4"; 2], "{limit}");
    }
}

#[test]
fn no_descriptor_is_inherited() {
    for level in levels() {
        let play = Play::new(
            level,
            "",
            "for fd in /proc/$$/fd/*; do echo fd ${fd##*/} >&2; done; exit 1",
        );
        let inner = play.command("--deals 1");
        let mut command = Command::new("sh");
        command
            .args(["-c", "exec 7< /etc/passwd; exec \"$0\" \"$@\""])
            .arg(inner.get_program())
            .args(inner.get_args());
        assert!(
            command
                .current_dir(play.scratch.path())
                .output()
                .unwrap()
                .status
                .success()
        );
        let log = play.log();
        // The shell has its script open as descriptor 10, and the folder that it lists as descriptor 3.
        let open = log.lines().filter_map(|line| line.strip_prefix("fd "));
        let unknown: Vec<&str> = open
            .filter(|fd| !["0", "1", "2", "3", "10"].contains(fd))
            .collect();
        assert!(log.contains("fd 2") && unknown.is_empty(), "{level}: {log}");
    }
}

#[test]
fn one_bot_has_the_network_and_the_other_has_not() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connect = format!(
        "(echo > /dev/tcp/127.0.0.1/{}) 2> /dev/null",
        listener.local_addr().unwrap().port()
    );
    for level in levels() {
        let play = |keys: [&str; 2]| {
            let scratch = Scratch::new();
            let mut file = format!("isolation = '{level}'\ndeals = 1\nseed = 77\n");
            for (name, keys) in ["one", "other"].into_iter().zip(keys) {
                fs::create_dir(scratch.path().join(name)).unwrap();
                scratch.write(
                    &format!("{name}/bot.sh"),
                    &format!("{connect} && echo CAN connect >&2; exit 1\n"),
                );
                file += &format!(
                    "[[bots]]\nname = '{name}'\ncommand = 'bash bot.sh'\ndir = '{name}'\n{keys}\n"
                );
            }
            scratch.write("t.toml", &file);
            let mut command = on_path(scratch.command("run -q --trust t.toml"));
            let output = command
                .env("XDG_CACHE_HOME", scratch.path().join("cache"))
                .output()
                .unwrap();
            let log = |name| {
                fs::read_to_string(scratch.path().join(format!("t/logs/{name}.log")))
                    .unwrap_or_default()
            };
            (
                ["one", "other"].map(|name| log(name).contains("CAN")),
                String::from_utf8_lossy(&output.stderr).into_owned(),
            )
        };
        let (connected, log) = play(["network = true", ""]);
        match level {
            "landlock" => assert!(log.contains("install bubblewrap"), "{log}"),
            _ => assert_eq!(connected, [true, level == "off"], "{level}: {log}"),
        }
        // A bot that is built with network access plays without it.
        let build = |network: &str| {
            play([
                &format!("build = \"\"\"bash -c '{connect}'\"\"\"\n{network}"),
                "",
            ])
        };
        let (connected, log) = build("build_network = true");
        match level {
            "landlock" => assert!(log.contains("install bubblewrap"), "{log}"),
            _ => assert!(
                log.contains("built in") || connected == [level == "off"; 2],
                "{level}: {log}"
            ),
        }
        assert_eq!(
            build("").1.contains("cannot be built"),
            level != "off",
            "{level}"
        );
    }
}

#[test]
fn what_is_not_the_bots_cannot_be_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let in_home = tempfile::Builder::new()
        .prefix("in-home")
        .tempfile_in(std::env::home_dir().unwrap())
        .unwrap();
    for level in levels() {
        let play = Play::new(level, "seed = 77", "");
        let here = play.scratch.path().display().to_string();
        play.scratch.write("secret", "s3cr3t\n");
        let script = format!(
            "see() {{ \"$@\" > $TMPDIR/out 2> /dev/null && echo \"CAN $*\" >&2; }}\n\
             make() {{ (: > $1) 2> /dev/null && echo \"CAN make $1\" >&2; }}\n\
             list() {{ ls -A $1 2> /dev/null | grep -q \"$2\" && echo \"CAN list $1\" >&2; }}\n\
             see cat {here}/secret; see cat {here}/t.toml; see cat {here}/t/tournament.toml; see head -c 9 {here}/t/ledger.sqlite\n\
             list {here} secret; list {here}/t ledger; list $TMPDIR/../.. lock; make {here}/bad/new; make {here}/new\n\
             see bash -c 'echo > /dev/tcp/127.0.0.1/{port}'; see kill -0 {me}; see cat {mine}\n\
             see cat /etc/hostname; see cat {here}/bad/bot.sh; see cat bot.sh; make new; make $TMPDIR/new\n\
             make /dev/null; list . bot.sh; list {here}/bad bot.sh; exit 1",
            me = std::process::id(),
            mine = in_home.path().display(),
        );
        play.scratch.write("bad/bot.sh", &script);
        play.run("--deals 1");
        let log = play.log();
        let can = |what: &str| log.contains(&format!("CAN {what}"));
        let own = [
            "cat /etc/hostname",
            "cat bot.sh",
            "make new",
            "make /dev/null",
            "list .",
            &format!("cat {here}/bad/bot.sh"),
            &format!("list {here}/bad"),
        ];
        own.into_iter()
            .for_each(|own| assert!(can(own), "{level}: cannot {own}: {log}"));
        let foreign = [
            "/secret",
            "t.toml",
            "/tournament.toml",
            "/ledger",
            "list /",
            "/dev/tcp",
            "kill",
            "in-home",
        ];
        let foreign = foreign.into_iter().filter(|foreign| {
            log.lines()
                .any(|line| line.contains(foreign) && !line.ends_with("/bad"))
        });
        let foreign: Vec<&str> = foreign.collect();
        assert_eq!(
            foreign.is_empty(),
            level != "off",
            "{level}: can {foreign:?}: {log}"
        );
        for file in ["new", "bad/new"] {
            assert_eq!(
                play.scratch.path().join(file).exists(),
                level == "off",
                "{level}: {file}"
            );
        }
    }
}

#[test]
fn a_tournament_in_the_bots_folder_is_hidden() {
    for level in levels().into_iter().filter(|level| *level != "off") {
        let scratch = Scratch::new();
        scratch.write("t.toml", &format!("isolation = '{level}'\n[[bots]]\nname = 'good'\nbuiltin = 'random'\n[[bots]]\nname = 'bad'\ncommand = 'sh bot.sh'\n"));
        let here = scratch.path().display();
        scratch.write("helper.py", "x = 1\n");
        scratch.write(
            "bot.sh",
            &format!("for file in t.toml {here}/t.toml {here}/t/ledger.sqlite {here}/t/tournament.toml helper.py {here}/helper.py; do cat $file > out 2> /dev/null && [ -s out ] && echo CAN $file >&2; done; ls >&2; exit 1"),
        );
        scratch.printed("run t.toml -q --trust --deals 1 --out t");
        let log = fs::read_to_string(scratch.path().join("t/logs/bad.log")).unwrap();
        assert!(
            log.contains("CAN helper.py") && log.contains(&format!("CAN {here}/helper.py")),
            "{level}: {log}"
        );
        assert!(
            !log.contains("toml") && !log.contains("ledger"),
            "{level}: {log}"
        );
    }
}

#[test]
fn earlier_tournaments_in_the_bots_folder_are_hidden() {
    for level in levels().into_iter().filter(|level| *level != "off") {
        let play = Play::new(level, "", "");
        let earlier = play.scratch.path().join("bad/old/friday");
        fs::create_dir_all(&earlier).unwrap();
        for file in ["ledger.sqlite", "standings.json", "export.jsonl"] {
            fs::write(earlier.join(file), "x\n").unwrap();
        }
        play.scratch.write("bad/old/weights", "x\n");
        let here = play.scratch.path().join("bad/old");
        let see = "for file in $old/weights $old/friday/*; do cat $file > /dev/null 2>&1 && echo CAN $file >&2; done; exit 1";
        play.scratch
            .write("bad/bot.sh", &format!("old={}; {see}", here.display()));
        play.run("--deals 1");
        let log = play.log();
        assert!(
            log.contains("old/weights") && !log.contains("friday"),
            "{level}: {log}"
        );
    }
}

#[test]
fn a_folder_for_temporary_files_that_is_too_long_is_refused() {
    let play = Play::new("off", "", "exit 1");
    let long = play.scratch.path().join("long".repeat(30));
    fs::create_dir(&long).unwrap();
    let output = play.command("").env("TMPDIR", long).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("set TMPDIR to at most 60 bytes"),
        "{stderr}"
    );
}

#[cfg(feature = "all")]
#[test]
fn bots_run_as_root_only_if_that_is_said() {
    let scratch = Scratch::new();
    // Root is the only user of this namespace, and has no privileges outside.
    let alone = |flags: &str| {
        let inner = scratch.command(&format!(
            "match {flags} --rule rounds=1 --bot a=true --bot b=builtin:random"
        ));
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user"])
            .arg(inner.get_program())
            .args(inner.get_args());
        let output = command.current_dir(scratch.path()).output().unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, stderr) = alone("");
    assert_eq!(code, Some(2), "{stderr}");
    assert!(
        stderr.contains("bots would run as root") && stderr.contains("--as-root"),
        "{stderr}"
    );
    for flags in ["--as-root", "--isolation off"] {
        let (code, stderr) = alone(flags);
        assert_eq!(code, Some(0), "{stderr}");
    }
}

#[test]
fn isolation_that_is_required_and_cannot_be_had_is_refused() {
    let play = Play::new("bubblewrap", "", "exit 1");
    let output = play.command("").env("PATH", "/nowhere").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("bwrap not found") || stderr.contains("there is no program sh"),
        "{stderr}"
    );
    assert!(!play.scratch.path().join("t").exists());
    let mut output = Command::new("sh");
    output
        .args(["-c", "ulimit -n 70; exec \"$0\" \"$@\""])
        .arg(arena());
    let output = output
        .args([
            "run",
            "t.toml",
            "--jobs",
            "9",
            "--oversubscribe",
            "--isolation",
            "off",
        ])
        .current_dir(play.scratch.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("9 jobs with 2 programs need"), "{stderr}");
}

/// Returns the numbers of open descriptors and of child processes.
fn held(process: &Child) -> (usize, usize) {
    let me = format!(") {{}} {} ", process.id());
    let fds = fs::read_dir(format!("/proc/{}/fd", process.id())).map_or(0, Iterator::count);
    let stats = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|e| fs::read_to_string(e.path().join("stat")).ok());
    let is_child = |stat: &String| {
        let behind = stat.rsplit_once(')').unwrap().1;
        ["S", "R", "D", "Z"]
            .iter()
            .any(|state| format!("){behind}").starts_with(&me.replace("{}", state)))
    };
    (fds, stats.filter(is_child).count())
}

#[test]
fn a_hundred_processes_leave_nothing_behind() {
    let play = Play::new("auto", "", "echo started >&2; exit 1");
    let started = || play.log().lines().count();
    let arena = play
        .command("--deals 65 --jobs 1")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let most = |from: usize, to: usize| {
        until("enough were started", || started() >= from);
        let mut most = (0, 0);
        while started() < to && !arena.has_ended() {
            let seen = started();
            until("another one is started", || {
                started() > seen || arena.has_ended()
            });
            let (fds, children) = held(&arena);
            most = (most.0.max(fds), most.1.max(children));
        }
        most
    };
    let (early, late) = (most(10, 30), most(100, 120));
    assert!(
        late.0 <= early.0 + 3 && late.1 <= early.1 + 2,
        "first {early:?}, then {late:?}"
    );
    assert!(arena.wait().unwrap().success());
    assert!(play.temporary().is_empty());
}
