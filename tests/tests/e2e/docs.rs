//! Checks that the documents are correct: their files are used, their commands are run, and their transcripts are replayed.
//!
//! In a document, a fence `LANGUAGE FILE` contains that file (if it is empty, the sample bot `first_bot.py`). A fence `console` contains
//! commands after `$`, each followed by its output, in which a line `...` matches any number of lines. A fence `console queue` is a session
//! of its own, with a NATS server on a machine named `queue`.

#[cfg(feature = "all")]
mod transcripts;

use std::collections::BTreeMap;

use arena_tests::process::Command;
use arena_tests::{Scratch, arena, root};

/// A fenced block: its info string and its lines.
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

/// Runs a command line like a reader, with `arena` on the `PATH`.
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

/// Replaces a text in a document.
fn rewrite(document: &str, old: &str, new: &str) {
    let file = root().join(document);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(old), "{document} does not hold {old}");
    std::fs::write(file, text.replacen(old, new, 1)).unwrap();
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
            // Anchors within a document are not checked.
            let path = link.split('#').next().unwrap();
            assert!(
                file.parent().unwrap().join(path).exists(),
                "{}: {link}",
                file.display()
            );
        }
    }
}

/// Checks that the protocol's transcript is a real match: the input and output of the bot in seat 0, with ids numbered from 1 and times set
/// to 0.
#[test]
fn the_transcript_is_what_goes_over_the_wire() {
    let scratch = Scratch::new();
    // The bot's working folder is deleted when the bot ends, so this bot writes elsewhere.
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
        lines.push(format!("< {}", uncharged(&counted(line, &mut ids))));
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
    if arena_golden::is_blessing() {
        rewrite(
            "protocol/PROTOCOL.md",
            &format!("```transcript\n{shown}```"),
            &format!("```transcript\n{transcript}```"),
        );
    } else {
        assert_eq!(shown, transcript);
    }
}

/// Sets the time charged for the last answer to 0.
fn uncharged(line: &str) -> String {
    let Some((before, rest)) = line.split_once("\"charged_ms\":") else {
        return line.to_owned();
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}\"charged_ms\":0{rest}")
}

/// Replaces the id in the line with its number in order of appearance.
fn counted(line: &str, ids: &mut BTreeMap<u64, usize>) -> String {
    let Some((before, rest)) = line.split_once("\"id\":") else {
        return line.to_owned();
    };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap();
    let next = ids.len() + 1;
    let number = *ids.entry(rest[..digits].parse().unwrap()).or_insert(next);
    format!("{before}\"id\":{number}{}", &rest[digits..])
}
