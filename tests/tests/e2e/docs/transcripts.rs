//! Checks that commands in the documents print the output that is shown below them.

use super::*;

/// Returns the commands of a transcript, each with the output shown below it.
fn transcript(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command, vec![])),
            None => commands.last_mut().unwrap().1.push(line),
        }
    }
    commands
}

/// Runs a transcript in one shell. `nats-server` and other background processes end with the shell.
fn check_with_queue(scratch: &Scratch, document: &str, text: &str) {
    use std::os::unix::process::CommandExt;
    let server = arena_tests::nats::newer_server();
    let at = |name: &str| scratch.path().join(name);
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    std::fs::create_dir_all(at("bin")).unwrap();
    std::fs::create_dir_all(at("ports")).unwrap();
    let [streams, ports] = ["streams", "ports"].map(|name| at(name).display().to_string());
    let options = format!("-a 127.0.0.1 -p {port} -ports_file_dir '{ports}'");
    // With a configuration file, the server itself knows where to keep its streams.
    let own = format!("[ \"$1\" != -js ] || set -- \"$@\" -sd '{streams}'");
    scratch.write_program(
        "bin/nats-server",
        &format!(
            "#!/bin/sh\n{own}\nexec '{}' {options} \"$@\"\n",
            server.display()
        ),
    );
    std::fs::copy(root().join("arena/cluster/nats.conf"), at("nats.conf")).unwrap();
    let mut script = "set -e\n".to_owned();
    let commands = transcript(text);
    for (number, (command, _)) in commands.iter().enumerate() {
        script += &format!(
            "echo '# {number}'\n{}\n",
            command.replace("queue:4222", &format!("127.0.0.1:{port}"))
        );
        if command.starts_with("nats-server") {
            script += &format!("until ls '{ports}' | grep -q .; do kill -0 $!; sleep 0.1; done\n");
        }
    }
    let path = format!(
        "{}:{}:{}",
        at("bin").display(),
        arena().parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let file = |name: &str| std::fs::File::create(at(name)).unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &script])
        .env("PATH", path)
        .env("XDG_CACHE_HOME", at("cache"))
        .current_dir(scratch.path())
        .process_group(0);
    let shell = shell
        .stdout(file("out"))
        .stderr(file("err"))
        .spawn()
        .unwrap();
    let status = shell.wait().unwrap();
    let ended = Command::new("kill")
        .args(["-KILL", "--", &format!("-{}", shell.id())])
        .status()
        .unwrap();
    let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
    assert!(
        status.success() && ended.success(),
        "{document}: {script}{}",
        read("err")
    );
    // The next server writes its own file of ports.
    std::fs::remove_dir_all(at("ports")).unwrap();
    let out = read("out");
    for (number, (command, shown)) in commands.iter().enumerate() {
        let from = out.split_once(&format!("# {number}\n")).unwrap().1;
        let printed = from
            .split_once(&format!("# {}\n", number + 1))
            .map_or(from, |(printed, _)| printed);
        let printed: Vec<&str> = printed.lines().collect();
        assert!(
            fits(shown, &printed),
            "{document}: $ {command}\n{}",
            printed.join("\n")
        );
    }
}

fn check(document: &str) {
    let scratch = Scratch::new();
    for Block { info, text } in blocks(document) {
        match info.split_once(' ') {
            Some(("console", "queue")) => check_with_queue(&scratch, document, &text),
            Some((_, file)) => scratch.write(file, &text),
            None if info == "console" => {
                for (command, shown) in transcript(&text) {
                    let printed = shell(&scratch, command);
                    let printed: Vec<&str> = printed.lines().collect();
                    let is_beginning =
                        shown.first() != Some(&"...") && shown.last() == Some(&"...");
                    if arena_golden::is_blessing() && shown.len() > 1 && is_beginning {
                        let told =
                            |lines: &[&str]| format!("$ {command}\n{}\n...", lines.join("\n"));
                        let count = shown.len() - 1;
                        rewrite(document, &told(&shown[..count]), &told(&printed[..count]));
                        continue;
                    }
                    assert!(
                        fits(&shown, &printed),
                        "{document}: $ {command}\n{}",
                        printed.join("\n")
                    );
                }
            }
            None => {}
        }
    }
}

#[test]
fn the_readme_does_what_it_says() {
    check("README.md");
    check("arena/TOURNAMENTS.md");
    check("arena/FAULTS.md");
    check("results/STATISTICS.md");
    check("bots/DEBUGGING.md");
    check("bots/LLM.md");
    check("protocol/GAMES.md");
}

#[test]
fn many_machines_do_what_their_page_says() {
    check("arena/DISTRIBUTED.md");
}

#[test]
fn the_ladder_is_climbed_as_its_page_says() {
    check("bots/LADDER.md");
}

#[test]
fn the_exports_are_read_as_their_page_says() {
    check("results/EXPORT.md");
}

/// Returns true if the printed lines match those shown, where `...` stands for any number of lines.
fn fits(shown: &[&str], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        ["...", rest @ ..] => (0..=printed.len()).any(|skip| fits(rest, &printed[skip..])),
        [line, rest @ ..] => printed.first() == Some(line) && fits(rest, &printed[1..]),
    }
}
