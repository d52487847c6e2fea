//! The documents tell the truth: files they show are used, commands they show are run, transcripts are replayed.
//!
//! In a document, a fence `LANGUAGE FILE` is that file (with an empty body: the sample bot `first_bot.py`), and a fence
//! `console` holds commands behind `$`, each followed by what it prints; a line `...` stands for any lines. One `console queue` is a session
//! of its own, with a NATS server on the machine that is called `queue` there.

use std::collections::BTreeMap;

use arena_tests::parts::{has, has_readers};
use arena_tests::process::Command;
use arena_tests::{Scratch, arena, root};

/// A fenced block: what stands behind the ticks, and its lines.
struct Block {
    info: String,
    text: String,
}

fn blocks(document: &str) -> Vec<Block> {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    let mut parts = text.split("\n```");
    parts.next();
    let mut found = Vec::new();
    while let (Some(block), Some(_)) = (parts.next(), parts.next()) {
        let (info, text) = block.split_once('\n').unwrap_or((block, ""));
        found.push(Block {
            info: info.to_owned(),
            text: format!("{text}\n"),
        });
    }
    found
}

/// Runs a command line as a reader would, with `arena` on the path.
fn shell(scratch: &Scratch, line: &str) -> String {
    let path = format!(
        "{}:{}",
        arena().parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let output = Command::new("sh")
        .args(["-c", line])
        .env("PATH", path)
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Whether the lines are those that are shown, `...` standing for any number of them.
fn fits(shown: &[&str], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        ["...", rest @ ..] => (0..=printed.len()).any(|skip| fits(rest, &printed[skip..])),
        [line, rest @ ..] => printed.first() == Some(line) && fits(rest, &printed[1..]),
    }
}

/// Whether what is shown is to be written anew rather than checked.
fn blessing() -> bool {
    std::env::var_os("ARENA_BLESS").is_some()
}

/// Replaces a text in a document.
fn rewrite(document: &str, old: &str, new: &str) {
    let file = root().join(document);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(old), "{document} does not hold {old}");
    std::fs::write(file, text.replacen(old, new, 1)).unwrap();
}

/// The commands of a transcript, each with the lines that are shown below it.
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

/// Runs a transcript in one shell, where `nats-server` and what else goes on behind `&` end with it.
fn check_with_queue(scratch: &Scratch, document: &str, text: &str) {
    use std::os::unix::process::CommandExt;
    let Some(server) = arena_tests::nats::newer_server() else {
        return;
    };
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
    // A configuration says itself where streams are kept.
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
    // The next server writes its own.
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
                    if blessing() && shown.len() > 1 && is_beginning {
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
    if has("python3") {
        check("README.md");
        check("arena/TOURNAMENTS.md");
        check("arena/FAULTS.md");
        check("results/STATISTICS.md");
        check("bots/DEBUGGING.md");
        check("bots/LLM.md");
    }
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
    if has_readers() {
        check("results/EXPORT.md");
    }
}

#[test]
fn the_first_bot_in_the_readme_is_the_sample() {
    let sample = std::fs::read_to_string(root().join("bots/python/first_bot.py")).unwrap();
    let shown = blocks("README.md")
        .into_iter()
        .find(|block| block.info == "python my_bot.py")
        .unwrap();
    assert_eq!(shown.text, sample);
}

#[test]
fn links_lead_somewhere() {
    let games = std::fs::read_dir(root().join("engine/src/games"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let rules = games
        .filter(|game| game.is_dir())
        .map(|game| game.join("rules.md"));
    for file in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "protocol/PROTOCOL.md",
        "arena/TOURNAMENTS.md",
        "arena/FAULTS.md",
        "arena/JSON.md",
        "arena/DISTRIBUTED.md",
        "arena/SERVE.md",
        "bots/DEBUGGING.md",
        "bots/LADDER.md",
        "bots/LLM.md",
        "bots/kits/README.md",
        "engine/python/README.md",
        "results/EXPORT.md",
        "results/STATISTICS.md",
        "results/CALIBRATION.md",
        "CHANGELOG.md",
    ]
    .map(|file| root().join(file))
    .into_iter()
    .chain(rules)
    {
        let text = std::fs::read_to_string(&file).unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .filter(|link| !link.contains("://"))
        {
            // A place within a document is not looked for.
            let path = link.split('#').next().unwrap();
            assert!(
                file.parent().unwrap().join(path).exists(),
                "{}: {link}",
                file.display()
            );
        }
    }
}

/// The match of the protocol's transcript: what the bot in seat 0 heard and said, with the ids counted from 1.
#[test]
fn the_transcript_is_what_goes_over_the_wire() {
    let scratch = Scratch::new();
    // What a bot writes to its working folder is gone with it, so this one needs to leave it.
    scratch.write("tee.sh", "cd $1; tee heard | arena bot exact | tee said\n");
    let rules = "--isolation off --rule rounds=1 --seed 29";
    shell(
        &scratch,
        &format!("arena match {rules} --bot a=\"sh tee.sh $PWD\" --bot b=builtin:random"),
    );
    let read = |file: &str| std::fs::read_to_string(scratch.path().join(file)).unwrap();
    let (heard, said) = (read("heard"), read("said"));
    let mut ids = BTreeMap::new();
    let mut said = said.lines();
    let mut lines = Vec::new();
    for line in heard.lines() {
        let answered = line.starts_with("{\"hello\"") || line.starts_with("{\"turn\"");
        lines.push(format!("< {}", counted(line, &mut ids)));
        if answered {
            lines.push(format!("> {}", counted(said.next().unwrap(), &mut ids)));
        }
    }
    assert_eq!(said.next(), None);
    let transcript = lines.join("\n") + "\n";
    let shown = blocks("protocol/PROTOCOL.md")
        .into_iter()
        .find(|block| block.info == "transcript")
        .unwrap()
        .text;
    if blessing() {
        rewrite(
            "protocol/PROTOCOL.md",
            &format!("```transcript\n{shown}```"),
            &format!("```transcript\n{transcript}```"),
        );
    } else {
        assert_eq!(shown, transcript);
    }
}

/// The line with its id replaced by its number in the order of the ids.
fn counted(line: &str, ids: &mut BTreeMap<u64, usize>) -> String {
    let Some((before, rest)) = line.split_once("\"id\":") else {
        return line.to_owned();
    };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap();
    let next = ids.len() + 1;
    let number = *ids.entry(rest[..digits].parse().unwrap()).or_insert(next);
    format!("{before}\"id\":{number}{}", &rest[digits..])
}
