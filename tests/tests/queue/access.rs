//! Access to a queue: the shipped server configuration, passwords, nkeys, TLS, and servers that are set up incorrectly.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;

use arena_tests::many::{alone, tournament};
use arena_tests::nats::{log, newer_server, servers};
use arena_tests::process::{Child, Command};
use arena_tests::{Scratch, TEST_TIMEOUT, root, until};

/// Password of the coordinator in the shipped configuration.
const COORDINATOR: &str = "c0ffee";
const WORKER: &str = "w0rker";

/// An nkey made of the bytes 0 to 31: its public key and its seed. Only the servers of these tests accept it.
const NKEY: [&str; 2] = [
    "UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK",
    "SUAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4H776Y",
];

/// Returns the configuration that is shipped with the arena.
fn shipped() -> String {
    fs::read_to_string(root().join("arena/cluster/nats.conf")).unwrap()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// Starts a server with a configuration, on this loopback port.
fn start(program: &Path, scratch: &Scratch, conf: &str, port: u16) -> Child {
    scratch.write("nats.conf", conf);
    let mut command = Command::new(program);
    command
        .args([
            "-c",
            "nats.conf",
            "-a",
            "127.0.0.1",
            "-p",
            &port.to_string(),
        ])
        .current_dir(scratch.path());
    command
        .env("COORDINATOR_PASSWORD", COORDINATOR)
        .env("WORKER_PASSWORD", WORKER);
    let said = fs::File::create(scratch.path().join("nats.log")).unwrap();
    command.stdout(said.try_clone().unwrap()).stderr(said);
    let server = command.spawn().unwrap();
    until("the server listens", || {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    server
}

/// Starts the arena with its standard error in a file.
fn spawn(scratch: &Scratch, words: &str, log: &str) -> Child {
    let mut command = scratch.command(words);
    command.stdout(Stdio::null());
    command.stderr(fs::File::create(scratch.path().join(log)).unwrap());
    command.spawn().unwrap()
}

fn worker(scratch: &Scratch, name: &str, nats: &str) -> Child {
    let words = format!("work --once --jobs 1 --oversubscribe --name {name} {nats}");
    spawn(scratch, &words, &format!("{name}.log"))
}

/// Plays the tournament with two workers. Checks that the result matches that of one machine, and that no access was denied.
fn play(scratch: &Scratch, coordinator: &str, workers: [&str; 2]) {
    let expected = alone(scratch);
    let mut both = [
        worker(scratch, "ann", workers[0]),
        worker(scratch, "bob", workers[1]),
    ];
    let run = spawn(
        scratch,
        &format!("run t.toml --out many {coordinator}"),
        "run.log",
    );
    assert_eq!(
        run.code(),
        Some(0),
        "{}\n{}",
        log(scratch, "run.log"),
        log(scratch, "ann.log")
    );
    both.iter_mut()
        .for_each(|worker| assert_eq!(worker.code(), Some(0), "{}", log(scratch, "ann.log")));
    assert!(scratch.printed("export many") == expected);
    for said in ["run.log", "ann.log", "bob.log"].map(|file| log(scratch, file)) {
        assert!(
            !said.contains("the server says") && !said.contains("queue:"),
            "{said}"
        );
    }
    assert!(
        !log(scratch, "nats.log").contains("Violation"),
        "{}",
        log(scratch, "nats.log")
    );
}

/// Returns the flags to connect to a server as one of the users.
fn as_user(user: &str, password: &str, port: u16) -> String {
    format!("--nats nats://{user}:{password}@127.0.0.1:{port}")
}

#[test]
fn the_shipped_permissions_suffice() {
    for program in servers() {
        let (scratch, port) = (Scratch::new(), free_port());
        tournament(&scratch, "deals = 12", &["random", "exact"]);
        let _server = start(&program, &scratch, &shipped(), port);
        let worker = as_user("worker", WORKER, port);
        play(
            &scratch,
            &as_user("coordinator", COORDINATOR, port),
            [&worker, &worker],
        );
    }
}

/// A raw NATS connection, which can send commands that the arena never sends.
struct Raw {
    from: BufReader<TcpStream>,
}

impl Raw {
    fn connect(port: u16, user: &str, password: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
        let mut raw = Self {
            from: BufReader::new(stream),
        };
        assert!(raw.line().starts_with("INFO "));
        let connect = format!(
            "CONNECT {{\"verbose\":false,\"user\":\"{user}\",\"pass\":\"{password}\",\"headers\":true}}"
        );
        assert_eq!(raw.refusal(&connect), None);
        raw
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Sends a command, and returns the server's error, if any.
    fn refusal(&mut self, command: &str) -> Option<String> {
        write!(self.from.get_mut(), "{command}\r\nPING\r\n").unwrap();
        let mut refusal = None;
        loop {
            match self.line() {
                line if line == "PONG" => return refusal,
                line if line.starts_with("-ERR") => refusal = Some(line),
                line => assert!(!line.is_empty(), "the server hung up"),
            }
        }
    }

    /// Returns true if the connection may publish on the subject.
    fn may_publish(&mut self, subject: &str) -> bool {
        self.refusal(&format!("PUB {subject} 0\r\n")).is_none()
    }

    /// Returns true if the connection may subscribe to the subject.
    fn may_subscribe(&mut self, subject: &str) -> bool {
        let refusal = self.refusal(&format!("SUB {subject} 1"));
        assert_eq!(self.refusal("UNSUB 1"), None);
        refusal.is_none()
    }
}

#[test]
fn a_worker_may_only_work() {
    for program in servers() {
        let (scratch, port) = (Scratch::new(), free_port());
        let _server = start(&program, &scratch, &shipped(), port);
        let mut worker = Raw::connect(port, "worker", WORKER);
        for subject in [
            // Units, and heartbeats that end a tournament for all.
            "arena.0123.unit.1-2-0",
            "arena.0123.pulse",
            "arena.0123.coordinator",
            // Replies for which others wait.
            "_INBOX.coordinator.x",
            "_INBOX.worker.x",
            "_INBOX.x",
            // Streams and their contents.
            "$JS.API.INFO",
            "$JS.API.STREAM.LIST",
            "$JS.API.STREAM.CREATE.mine",
            "$JS.API.STREAM.UPDATE.arena-0123-unit",
            "$JS.API.STREAM.DELETE.arena-0123-unit",
            "$JS.API.STREAM.PURGE.arena-0123-unit",
            "$JS.API.STREAM.MSG.GET.arena-0123-result",
            "$JS.API.STREAM.MSG.DELETE.arena-0123-unit",
            // Consumers of results, and acknowledgements on behalf of others.
            "$JS.API.CONSUMER.CREATE.arena-0123-result.mine",
            "$JS.API.CONSUMER.CREATE.OBJ_arena-0123-files",
            "$JS.API.CONSUMER.CREATE.arena-0123-result",
            "$JS.API.CONSUMER.DURABLE.CREATE.arena-0123-result.mine",
            "$JS.API.CONSUMER.DELETE.arena-0123-unit.workers",
            "$JS.API.CONSUMER.MSG.NEXT.arena-0123-result.coordinator",
            "$JS.ACK.arena-0123-result.coordinator.1.1.1.1.0",
            "$SYS.REQ.SERVER.PING",
            "elsewhere",
        ] {
            assert!(
                !worker.may_publish(subject),
                "a worker publishes to {subject}"
            );
        }
        for subject in [
            ">",
            "arena.>",
            "arena.*.unit.*",
            "arena.*.result",
            "arena.*.status",
            "_INBOX.>",
            "_INBOX.coordinator.>",
            "$JS.>",
            "$JS.ACK.>",
            "$O.>",
            "$SYS.>",
        ] {
            assert!(!worker.may_subscribe(subject), "a worker hears {subject}");
        }
        assert!(worker.may_publish("arena.0123.status") && worker.may_publish("arena.0123.result"));
        assert!(
            worker.may_subscribe("arena.0123.pulse") && worker.may_subscribe("_INBOX.worker.x.*")
        );
        let mut coordinator = Raw::connect(port, "coordinator", COORDINATOR);
        for subject in [
            "arena.0123.result",
            "arena.0123.status",
            "$JS.ACK.arena-0123-unit.workers.1.1.1.1.0",
            "x",
        ] {
            assert!(
                !coordinator.may_publish(subject),
                "a coordinator publishes to {subject}"
            );
        }
        for subject in [">", "arena.*.result", "_INBOX.worker.>", "$O.>"] {
            assert!(
                !coordinator.may_subscribe(subject),
                "a coordinator hears {subject}"
            );
        }
    }
}

#[test]
fn a_user_may_have_an_nkey() {
    let program = newer_server();
    let (scratch, port) = (Scratch::new(), free_port());
    tournament(&scratch, "deals = 12", &["random", "exact"]);
    let [public, seed] = NKEY;
    let with_password = "{ user: \"worker\", password: $WORKER_PASSWORD, permissions: $WORKER }";
    let with_nkey = format!("{{ nkey: \"{public}\", permissions: $WORKER }}");
    assert!(shipped().contains(with_password));
    let _server = start(
        &program,
        &scratch,
        &shipped().replace(with_password, &with_nkey),
        port,
    );
    scratch.write("worker.nk", &format!("{seed}\n"));
    let worker = format!("--nats nats://127.0.0.1:{port} --nats-nkey worker.nk");
    play(
        &scratch,
        &as_user("coordinator", COORDINATOR, port),
        [&worker, &worker],
    );
}

/// Runs the arena, which must fail, and returns its standard error.
fn fails(scratch: &Scratch, words: &str) -> String {
    let output = scratch.arena(words);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "arena {words}: {said}");
    said
}

#[test]
fn a_wrong_password_is_told_and_not_shown() {
    let program = newer_server();
    let (scratch, port) = (Scratch::new(), free_port());
    tournament(&scratch, "deals = 12", &["random", "exact"]);
    let _server = start(&program, &scratch, &shipped(), port);
    let (run, work) = ("run t.toml --out t", "work --once --jobs 1");
    let nkey = format!("--nats nats://127.0.0.1:{port} --nats-nkey worker.nk");
    scratch.write("worker.nk", NKEY[1]);
    for words in [
        format!("{run} {}", as_user("coordinator", "s3cret", port)),
        format!("{work} {}", as_user("worker", "s3cret", port)),
        format!("{run} --nats nats://127.0.0.1:{port}"),
        format!("{work} {nkey}"),
    ] {
        let said = fails(&scratch, &words);
        let expected =
            format!("cannot connect to the queue at nats://127.0.0.1:{port}: it denied access");
        assert!(
            said.contains(&expected) && !said.contains("s3cret"),
            "{words}: {said}"
        );
    }
}

#[test]
fn a_coordinator_without_a_server_ends_and_a_worker_waits() {
    let program = newer_server();
    let (scratch, port) = (Scratch::new(), free_port());
    tournament(&scratch, "deals = 12", &["random", "exact"]);
    let url = format!("--nats nats://127.0.0.1:{port}");
    let said = fails(&scratch, &format!("run t.toml --out t {url}"));
    assert!(
        said.contains("is it running, and can it be reached from here?"),
        "{said}"
    );
    let early = worker(&scratch, "early", &url);
    until("the worker waits", || {
        log(&scratch, "early.log").contains("trying again")
    });
    let _server = start(
        &program,
        &scratch,
        "jetstream { store_dir: jetstream }",
        port,
    );
    let run = spawn(&scratch, &format!("run t.toml --out t {url}"), "run.log");
    assert_eq!(run.code(), Some(0), "{}", log(&scratch, "run.log"));
    assert_eq!(early.code(), Some(0), "{}", log(&scratch, "early.log"));
}

#[test]
fn nobody_who_is_stopped_waits_for_a_server_that_is_gone() {
    let program = newer_server();
    let (scratch, port) = (Scratch::new(), free_port());
    tournament(&scratch, "deals = 12", &["random", "exact"]);
    let url = format!("--nats nats://127.0.0.1:{port}");
    let server = start(
        &program,
        &scratch,
        "jetstream { store_dir: jetstream }",
        port,
    );
    let mut run = spawn(
        &scratch,
        &format!("run t.toml --deals 20000 --out t {url}"),
        "run.log",
    );
    let mut busy = worker(&scratch, "busy", &url);
    until("matches are saved", || {
        log(&scratch, "busy.log").contains("matches/")
    });
    server.kill();
    for process in [&mut run, &mut busy] {
        process.signal("INT");
        assert_eq!(
            process.code(),
            Some(130),
            "{}{}",
            log(&scratch, "run.log"),
            log(&scratch, "busy.log")
        );
    }
}

#[test]
fn a_server_without_jetstream_is_told() {
    let program = newer_server();
    let (scratch, port) = (Scratch::new(), free_port());
    tournament(&scratch, "deals = 12", &["random", "exact"]);
    let _server = start(&program, &scratch, "", port);
    let said = fails(
        &scratch,
        &format!("run t.toml --out t --nats nats://127.0.0.1:{port}"),
    );
    assert!(said.contains("the queue has no JetStream"), "{said}");
}

fn openssl(scratch: &Scratch, words: &str) {
    let output = Command::new("openssl")
        .args(words.split_whitespace())
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "openssl {words}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Creates a CA with this name, and certificates signed by it.
fn certificates(scratch: &Scratch, ca: &str, names: &[&str]) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    openssl(
        scratch,
        &format!("req -x509 {key} -subj /CN={ca} -keyout {ca}.key -out {ca}.pem"),
    );
    for name in names {
        scratch.write("san.ext", "subjectAltName=IP:127.0.0.1\n");
        openssl(
            scratch,
            &format!("req {key} -subj /CN={name} -keyout {name}.key -out {name}.csr"),
        );
        let by = format!("-CA {ca}.pem -CAkey {ca}.key -CAcreateserial -days 2 -extfile san.ext");
        openssl(
            scratch,
            &format!("x509 -req -in {name}.csr {by} -out {name}.pem"),
        );
    }
}

/// Returns the shipped configuration with its TLS lines enabled.
fn with_tls() -> String {
    let lines = shipped();
    let is_tls = |line: &&str| {
        ["#tls", "#  ", "#}"]
            .iter()
            .any(|begin| line.starts_with(begin))
    };
    assert_eq!(
        lines
            .lines()
            .filter(|line| is_tls(line) && !line.starts_with("#     "))
            .count(),
        6
    );
    let uncommented = lines.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if is_tls(&line) && !line.starts_with("#     ") => rest,
        _ => line,
    });
    uncommented.collect::<Vec<_>>().join("\n")
}

#[test]
fn connections_may_be_encrypted_and_certified() {
    let program = newer_server();
    let (scratch, port) = (Scratch::new(), free_port());
    tournament(&scratch, "deals = 12", &["random", "exact"]);
    certificates(&scratch, "ca", &["server", "client"]);
    certificates(&scratch, "other", &["stranger"]);
    let _server = start(&program, &scratch, &with_tls(), port);
    let user = as_user("coordinator", COORDINATOR, port);
    for (flags, reason) in [
        // The server's certificate is signed by an unknown CA, or by another one.
        ("", "there is no secure connection"),
        ("--nats-ca other.pem", "there is no secure connection"),
        // The server requires a client certificate signed by its CA.
        ("--nats-ca ca.pem", "cannot connect to the queue"),
        (
            "--nats-ca ca.pem --nats-cert stranger.pem --nats-key stranger.key",
            "cannot connect to the queue",
        ),
    ] {
        let said = fails(&scratch, &format!("run t.toml --out t {user} {flags}"));
        assert!(said.contains(reason), "{flags}: {said}");
    }
    let flags = "--nats-ca ca.pem --nats-cert client.pem --nats-key client.key";
    let worker = format!("{} {flags}", as_user("worker", WORKER, port));
    play(&scratch, &format!("{user} {flags}"), [&worker, &worker]);
}

#[test]
fn results_are_shown_while_workers_play() {
    let program = newer_server();
    let (scratch, port) = (Scratch::new(), free_port());
    tournament(&scratch, "deals = 12", &["random", "exact"]);
    let url = format!("--nats nats://127.0.0.1:{port}");
    let _server = start(
        &program,
        &scratch,
        "jetstream { store_dir: jetstream }",
        port,
    );
    let coordinator = spawn(
        &scratch,
        &format!("run t.toml --deals 20000 --out t {url}"),
        "run.log",
    );
    until("the coordinator waits", || {
        log(&scratch, "run.log").contains("waiting for workers")
    });
    assert!(
        scratch.printed("show t").contains("0 of 120000 matches"),
        "{}",
        scratch.printed("show t")
    );
    let worker = worker(&scratch, "ann", &url);
    until("matches are saved", || {
        scratch.standings("t")["played"].as_u64().unwrap() > 0
    });
    assert!(
        scratch.printed("show t").contains("of 120000 matches"),
        "{}",
        scratch.printed("show t")
    );
    // The tournament is stopped from another process. Saved matches are kept, and the worker exits.
    scratch.printed("stop t");
    let coordinator = coordinator;
    assert_eq!(
        coordinator.code(),
        Some(130),
        "{}",
        log(&scratch, "run.log")
    );
    assert_eq!(worker.code(), Some(0), "{}", log(&scratch, "ann.log"));
    scratch.printed("verify t");
}

#[test]
fn jobs_of_a_cluster_are_workers() {
    let program = newer_server();
    let (scratch, port) = (Scratch::new(), free_port());
    tournament(&scratch, "deals = 12", &["random", "exact"]);
    let page = fs::read_to_string(root().join("arena/DISTRIBUTED.md")).unwrap();
    let shown = page
        .split_once("```sh cluster.sh\n")
        .unwrap()
        .1
        .split_once("```")
        .unwrap()
        .0;
    // These programs take the same arguments as the real ones, and run one job each.
    for (name, script) in [
        (
            "sbatch",
            "for word; do case $word in --wrap=*) sh -c \"${word#--wrap=}\" & esac; done",
        ),
        (
            "kubectl",
            "while [ \"$1\" != -- ]; do shift; done; shift; \"$@\" &",
        ),
    ] {
        scratch.write_program(name, &format!("#!/bin/sh\n{script}\n"));
    }
    let _server = start(
        &program,
        &scratch,
        "jetstream { store_dir: jetstream }",
        port,
    );
    let own = [scratch.path(), arena_tests::arena().parent().unwrap()]
        .map(|path| path.display().to_string())
        .join(":");
    let mut shell = Command::new("sh");
    shell
        .args(["-ec", &format!("PATH={own}:$PATH\n{shown}")])
        .current_dir(scratch.path());
    shell
        .env("QUEUE", format!("nats://127.0.0.1:{port}"))
        .env("XDG_CACHE_HOME", scratch.path().join("cache"));
    let said = fs::File::create(scratch.path().join("jobs.log")).unwrap();
    assert!(
        shell
            .stdout(Stdio::null())
            .stderr(said)
            .status()
            .unwrap()
            .success()
    );
    let run = spawn(
        &scratch,
        &format!("run t.toml --out t --nats nats://127.0.0.1:{port}"),
        "run.log",
    );
    assert_eq!(run.code(), Some(0), "{}", log(&scratch, "run.log"));
    until("both jobs have ended", || {
        log(&scratch, "jobs.log").matches("matches of t\n").count() == 2
    });
}
