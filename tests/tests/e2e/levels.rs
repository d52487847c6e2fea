//! Compares the statements of `arena tools doctor` about each isolation level with the abilities of a real process.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use arena_tests::process::Command;
use arena_tests::sandbox::levels;
use arena_tests::user::{SYSTEM_PATH, User, copy_program};
use arena_tests::{arena, root};
use serde_json::{Value, json};

/// Attacks that can fail even without isolation, depending on the machine's configuration.
const MAY_FAIL_WITHOUT: [&str; 4] = [
    "namespaces",
    "kernel_settings",
    "kernel_interfaces",
    "process_memory",
];

/// A bot that tries to read the memory of the arena that started it.
const PRY: &str = r"
import os, sys
supervisor = os.getppid()
arena = next(line.split()[1] for line in open(f'/proc/{supervisor}/status') if line.startswith('PPid'))
words = open(f'/proc/{arena}/cmdline').read().split('\0')
print('FOUND' if 'run' in words else words, file=sys.stderr)
for name in ['environ', 'mem', 'maps', 'auxv']:
    try:
        open(f'/proc/{arena}/{name}', 'rb').read(1)
        print('READ', name, file=sys.stderr)
    except PermissionError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print('READ', error, file=sys.stderr)
";

/// A bot that prints what it can do to other processes that it sees, and the number of its process group.
const LOOK: &str = r"
import os, sys
for pid in filter(str.isdigit, os.listdir('/proc')):
    if int(pid) == os.getpid():
        continue
    about = dict(line.split(':\t', 1) for line in open(f'/proc/{pid}/status'))
    print('SEES', about['Name'].strip(), 'filtered' if about['Seccomp'].strip() == '2' else 'UNFILTERED', file=sys.stderr)
    for name in ['mem', 'environ', 'maps', 'auxv', 'exe', 'cwd', 'root', 'fd/0', 'fd/1']:
        for mode in [os.O_RDONLY, os.O_WRONLY]:
            try:
                os.open(f'/proc/{pid}/{name}', mode)
                print('OPENS', name, mode, file=sys.stderr)
            except PermissionError:
                pass
print('GROUP', os.getpgid(0), file=sys.stderr)
";

/// A program that becomes another command, for which a system call then fails, as under a container's filter. Arguments: the call's number,
/// the error, and the command.
#[cfg(feature = "all")]
const WITHOUT_CALL: &str = r"
import ctypes, os, struct, sys
call, error = map(int, sys.argv[1:3])
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, call), (6, 0, 0, 0x50000 | error), (6, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
    sys.exit('there is no filter')
os.execv(sys.argv[3], sys.argv[3:])
";

/// A folder with a copy of the arena, an attacking bot, and its targets.
struct Field {
    folder: tempfile::TempDir,
    user: User,
    arena: PathBuf,
}

impl Field {
    fn new(user: User) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("levels")
            .tempdir_in("/tmp")
            .unwrap();
        user.give(folder.path(), 0o755);
        let copy = folder.path().join("arena");
        copy_program(arena(), &copy);
        user.give(&copy, 0o755);
        for name in ["bot", "tmp", "victim"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            user.give(&folder.path().join(name), 0o755);
        }
        Self {
            folder,
            user,
            arena: copy,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str, mode: u32) {
        fs::write(self.path(name), text).unwrap();
        self.user.give(&self.path(name), mode);
    }

    /// Returns an arena command in the bot's folder, with the system's programs on the `PATH`.
    fn command(&self, words: &str) -> Command {
        let mut command = self.user.command(&self.arena);
        command
            .current_dir(self.path("bot"))
            .args(words.split_whitespace());
        command
            .env("PATH", SYSTEM_PATH)
            .env("HOME", self.path("tmp"))
            .env("TMPDIR", self.path("tmp"));
        command
    }

    fn printed(&self, words: &str) -> String {
        let output = self.command(words).output().unwrap();
        assert!(
            output.status.success(),
            "{words}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the output of a command in which the arena runs with these words.
    #[cfg(feature = "all")]
    fn output_within(&self, around: &[&str], words: &str) -> std::process::Output {
        let mut command = self.user.command(Path::new(around[0]));
        command.args(&around[1..]).arg(&self.arena);
        command.args(words.split_whitespace());
        command
            .current_dir(self.path("bot"))
            .env("PATH", SYSTEM_PATH)
            .env("HOME", self.path("tmp"))
            .env("TMPDIR", self.path("tmp"))
            .output()
            .unwrap()
    }

    /// Returns the reason why each level is missing when the arena runs within this command; empty for a level that is available.
    #[cfg(feature = "all")]
    fn missing_within(&self, around: &[&str]) -> [String; 2] {
        let output = self.output_within(around, "tools doctor --json");
        let said: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        [0, 1].map(|level| {
            said["levels"][level]["missing"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
    }

    /// Returns the abilities of a bot at a level, for each attack by name.
    fn could(&self, level: &str, attacks: &str) -> BTreeMap<String, Vec<String>> {
        self.write("bot/attacks.py", attacks, 0o644);
        let bots = "--bot good=builtin:random --bot";
        let mut command = self.command(&format!(
            "run -q --seed 1 --deals 1 --isolation {level} --out ../{level} {bots}"
        ));
        let output = command
            .arg(format!(
                "bad=python3 {}",
                self.path("bot/attacks.py").display()
            ))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{level}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let log = fs::read_to_string(self.path(&format!("{level}/logs/bad.log"))).unwrap();
        let line = log.lines().find_map(|line| line.strip_prefix("COULD "));
        serde_json::from_str(line.unwrap_or_else(|| panic!("{level}: {log}"))).unwrap()
    }
}

#[test]
fn each_level_stops_what_the_doctor_says() {
    let attacks = fs::read_to_string(root().join("tests/bots/attacks.py")).unwrap();
    for user in User::all() {
        let field = Field::new(user);
        field.write("victim/secret", "s3cr3t\n", 0o644);
        field.write("victim/shared", "", 0o666);
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let echo = udp.try_clone().unwrap();
        std::thread::spawn(move || {
            while let Ok((_, from)) = echo.recv_from(&mut [0; 8]) {
                let _ = echo.send_to(b"x", from);
            }
        });
        let _stream = UnixListener::bind(field.path("victim/socket")).unwrap();
        let _datagrams = UnixDatagram::bind(field.path("victim/datagrams")).unwrap();
        user.give(&field.path("victim/socket"), 0o777);
        user.give(&field.path("victim/datagrams"), 0o777);
        let name = format!("arena-levels-{}-{user:?}", std::process::id());
        let _abstract =
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        let victim = user
            .command(Path::new("/bin/sleep"))
            .arg("1000")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let about = json!({
            "pid": victim.id(), "secret": field.path("victim/secret"), "shared": field.path("victim/shared"),
            "own": field.path("bot/victim.json"), "tcp": tcp.local_addr().unwrap().port(),
            "udp": udp.local_addr().unwrap().port(), "socket": field.path("victim/socket"),
            "datagrams": field.path("victim/datagrams"), "abstract": name,
        });
        field.write("bot/victim.json", &about.to_string(), 0o644);
        let script = attacks.replace(
            "\"victim.json\"",
            &format!("{:?}", field.path("bot/victim.json")),
        );
        let said: Value = serde_json::from_str(&field.printed("tools doctor --json")).unwrap();
        for level in said["levels"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|level| level["missing"].is_null())
        {
            let name = level["name"].as_str().unwrap();
            let could = field.could(name, &script);
            let stops = level["stops"].as_object().unwrap();
            assert!(stops.keys().eq(could.keys()), "{stops:?} {could:?}");
            for (attack, ways) in could {
                let is_open = stops[&attack] == false;
                let may_fail = name == "off" && MAY_FAIL_WITHOUT.contains(&attack.as_str());
                assert!(
                    is_open != ways.is_empty() || may_fail,
                    "{user:?}, {name}: {attack} is open: {is_open}; it could {ways:?}"
                );
            }
        }
        victim.kill();
    }
}

/// Ensures that the tests of isolation cover these levels.
#[test]
fn bubblewrap_and_landlock_are_offered() {
    assert_eq!(levels(), ["bubblewrap", "landlock", "off"]);
}

#[test]
fn the_table_in_the_documents_is_that_of_the_doctor() {
    let printed = Field::new(User::Own).printed("tools doctor");
    let table = printed.split_once("\n\n").unwrap().1;
    // On a machine where a level is missing or outdated, the printed table differs from the documents.
    if !table.contains("not here") && printed.contains("no signals to others") {
        let documents = fs::read_to_string(root().join("arena/TOURNAMENTS.md")).unwrap();
        assert!(
            documents.contains(&format!("```text\n{table}```")),
            "{table}"
        );
    }
}

#[test]
fn strangers_get_only_a_level_that_stops_everything() {
    let field = Field::new(User::Own);
    let mut command =
        field.command("match --isolation require --bot a=/bin/true --bot b=builtin:random");
    let output = command.env("PATH", "/nowhere").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("bwrap not found"), "{stderr}");
    let offered: Value = serde_json::from_str(&field.printed("tools doctor --json")).unwrap();
    let has_landlock = offered["levels"][1]["missing"].is_null();
    assert_eq!(
        stderr.contains("with landlock a bot still"),
        has_landlock,
        "{stderr}"
    );
}

/// Checks that bots have a user name. Libraries look it up even if the user has no account.
#[test]
fn bots_have_a_name() {
    let script = "import getpass, grp, os, pwd, sys\nprint('named', getpass.getuser(), file=sys.stderr)\n\
                  print('known', pwd.getpwuid(os.getuid()).pw_uid, grp.getgrgid(os.getgid()).gr_gid, file=sys.stderr)\n";
    for user in User::all() {
        let field = Field::new(user);
        field.write("bot/name.py", script, 0o644);
        for level in levels() {
            let words = format!(
                "run -q --seed 1 --deals 1 --isolation {level} --out ../{level} --bot good=builtin:random"
            );
            let bot = format!("bad=python3 {}", field.path("bot/name.py").display());
            assert!(
                field
                    .command(&words)
                    .args(["--bot", &bot])
                    .output()
                    .unwrap()
                    .status
                    .success()
            );
            let log = fs::read_to_string(field.path(&format!("{level}/logs/bad.log"))).unwrap();
            assert!(log.contains("named bot"), "{user:?}, {level}: {log}");
            assert!(
                log.contains("known") || level != "bubblewrap",
                "{user:?}: {log}"
            );
        }
    }
}

/// Checks that bots cannot read the arena's memory or environment, at any level, even if they run as the same user. The memory contains the
/// tournament's seed and the commands of other bots.
#[test]
fn nobody_reads_the_memory_of_the_arena() {
    // Root can read everything.
    let user = User::ordinary();
    let field = Field::new(user);
    field.write("bot/pry.py", PRY, 0o644);
    for level in ["landlock", "off"] {
        let words = format!(
            "run -q --seed 1 --deals 1 --isolation {level} --out ../{level} --bot good=builtin:random --bot"
        );
        let bot = format!("bad=python3 {}", field.path("bot/pry.py").display());
        let output = field.command(&words).arg(bot).output().unwrap();
        assert!(
            output.status.success(),
            "{level}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let log = fs::read_to_string(field.path(&format!("{level}/logs/bad.log"))).unwrap();
        assert!(
            log.contains("FOUND") && !log.contains("READ"),
            "{user:?}, {level}: {log}"
        );
    }
}

/// Checks that a bot reaches no process around it, although these run as the bot's user.
#[test]
fn in_bubblewrap_a_bot_reaches_no_process_around_it() {
    for user in User::all() {
        let field = Field::new(user);
        field.write("bot/look.py", LOOK, 0o644);
        let words = "run -q --seed 1 --deals 1 --isolation bubblewrap --out ../look --bot good=builtin:random --bot";
        let bot = format!("bad=python3 {}", field.path("bot/look.py").display());
        let output = field.command(words).arg(bot).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let log = fs::read_to_string(field.path("look/logs/bad.log")).unwrap();
        let lines = |word: &str| log.lines().filter(|line| line.starts_with(word)).count();
        // In both matches, there is one other process.
        assert_eq!(
            [lines("SEES"), lines("OPENS"), lines("GROUP 0")],
            [2, 0, 0],
            "{user:?}: {log}"
        );
        assert!(
            lines("GROUP") == 2 && !log.contains("UNFILTERED"),
            "{user:?}: {log}"
        );
    }
}

/// Checks the reasons that are given if a container's filter refuses calls. A filter refuses calls in other ways than the kernel.
#[cfg(feature = "all")]
#[test]
fn why_the_kernel_refuses_isolation_is_said() {
    // The numbers of `seccomp`, `landlock_create_ruleset` and `landlock_restrict_self`; `EPERM`, `ENOSYS` and `EOPNOTSUPP`.
    const CALLS: [&str; 3] = ["317", "444", "446"];
    const ERRORS: [(&str, &str); 3] = [
        ("1", "is forbidden here"),
        ("38", "this kernel has no"),
        ("95", "this kernel was booted without"),
    ];
    let field = Field::new(User::ordinary());
    for (call, (error, why)) in CALLS
        .iter()
        .flat_map(|call| ERRORS.map(|error| (call, error)))
    {
        let around = ["python3", "-c", WITHOUT_CALL, call, error];
        let [bubblewrap, landlock] = field.missing_within(&around);
        assert!(landlock.contains(why), "{call}, {error}: {landlock}");
        assert_eq!(
            bubblewrap.contains(why),
            *call == "317",
            "{call}, {error}: {bubblewrap}"
        );
        let demanded = field.output_within(
            &around,
            "match --isolation landlock --bot a=/bin/true --bot b=builtin:random",
        );
        let stderr = String::from_utf8_lossy(&demanded.stderr);
        assert_eq!(demanded.status.code(), Some(2), "{call}, {error}: {stderr}");
        assert!(stderr.contains(why), "{call}, {error}: {stderr}");
    }
}

/// Checks containers that hide folders of `/proc`. This does not change what the kernel can do.
#[cfg(feature = "all")]
#[test]
fn isolation_is_found_where_settings_are_hidden() {
    for user in User::all() {
        let field = Field::new(user);
        let hide = "mount -t tmpfs none /proc/sys && exec \"$@\"";
        let [_, landlock] = field.missing_within(&[
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            hide,
            "sh",
        ]);
        assert_eq!(landlock, "", "{user:?}");
    }
}
