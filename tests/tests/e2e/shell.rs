//! The command line for shells and readers: completions, the groups of the help, and usage errors.

use std::fs;

use arena_tests::process::Command;
use arena_tests::{Scratch, python_bot};

/// Returns bash's completions for the last of these words.
fn offered(scratch: &Scratch, words: &[&str]) -> Vec<String> {
    let (last, before) = (words.len() - 1, words[words.len() - 2]);
    let script = format!(
        "source completions; COMP_WORDS=({}); COMP_CWORD={last}; _arena arena '{}' '{before}'; echo \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words[last]
    );
    let output = Command::new("bash")
        .current_dir(scratch.path())
        .args(["-c", &script])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

#[test]
fn bash_completes_commands_flags_and_values() {
    let scratch = Scratch::new();
    scratch.write("completions", &scratch.printed("tools completions bash"));
    assert_eq!(offered(&scratch, &["arena", "ver"]), ["verify"]);
    assert_eq!(offered(&scratch, &["arena", "faults", "--o"]), ["--only"]);
    assert_eq!(
        offered(&scratch, &["arena", "export", "t", "--as", "j"]),
        ["jsonl"]
    );
    assert!(offered(&scratch, &["arena", "extend", "--se"]).is_empty());
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        assert!(
            scratch
                .printed(&format!("tools completions {shell}"))
                .contains("pairs-per-round"),
            "{shell}"
        );
    }
}

#[test]
fn the_first_help_fits_a_small_terminal() {
    let scratch = Scratch::new();
    let help = scratch.printed("-h");
    for words in ["--help", "help"] {
        assert_eq!(scratch.printed(words), help, "{words}");
    }
    let lines: Vec<&str> = help.lines().collect();
    assert!(lines.len() <= 24, "{help}");
    assert!(lines.iter().all(|line| line.len() <= 80), "{help}");
    assert!(
        lines.last().unwrap().starts_with("arena help all has"),
        "{help}"
    );
    // Both list the same commands.
    for line in scratch.printed("help all").lines() {
        if let Some((name, _)) = line.strip_prefix("  ").and_then(|it| it.split_once("  "))
            && !name.starts_with(['-', ' '])
            && !name.starts_with("arena ")
        {
            assert!(help.split_whitespace().any(|word| word == name), "{name}");
        }
    }
}

#[test]
fn every_command_is_in_a_group_of_the_help() {
    let scratch = Scratch::new();
    let help = scratch.printed("help all");
    scratch.write("completions", &scratch.printed("tools completions bash"));
    let groups = help.split("\n\nOptions:").next().unwrap();
    assert!(groups.lines().all(|line| line.len() <= 80), "{groups}");
    let first = ["arena run", "arena match", "arena serve", "arena new"];
    for (line, words) in groups.lines().zip(first) {
        assert!(line.trim_start().starts_with(words), "{groups}");
    }
    let entries = groups
        .lines()
        .skip(first.len())
        .filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    let mut grouped: Vec<String> = entries.map(|(name, _)| name.to_owned()).collect();
    let mut all = offered(&scratch, &["arena", ""]);
    // `bot` and `schema` are hidden, because they are also commands of `tools`.
    let unlisted = ["bot", "schema", "help"];
    all.retain(|word| !word.starts_with('-') && !unlisted.contains(&word.as_str()));
    grouped.sort();
    all.sort();
    assert_eq!(grouped, all);
    for words in ["bot random", "schema"] {
        let help = scratch.printed(&format!("{words} --help"));
        assert_eq!(
            help,
            scratch
                .printed(&format!("tools {words} --help"))
                .replace(" tools", "")
        );
    }
}

#[test]
fn the_short_help_has_the_common_flags_and_the_long_one_all() {
    let scratch = Scratch::new();
    for (command, rare) in [
        ("run", "--log-wire"),
        ("compare", "--alpha"),
        ("match", "--no-clock"),
        ("check", "--disk-mb"),
    ] {
        let (short, long) = (
            scratch.printed(&format!("{command} -h")),
            scratch.printed(&format!("{command} --help")),
        );
        assert!(
            short.contains("--game <GAME>") && !short.contains(rare) && long.contains(rare),
            "{command}: {short}"
        );
    }
}

/// Asserts that these words are refused with an error that contains all parts.
fn refused(words: &str, parts: &[&str]) {
    let scratch = Scratch::new();
    scratch.write("my_bot.py", "");
    let said = scratch.refused(words);
    for part in parts {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!scratch.path().join("runs").exists());
}

#[test]
fn a_command_without_quotes_is_put_together() {
    let whole = "--bot \"mine=python3 my_bot.py\"";
    for words in ["match", "run", "plan", "init"] {
        refused(
            &format!("{words} --bot mine=python3 my_bot.py"),
            &["my_bot.py is a separate word after", whole],
        );
    }
    refused(
        "compare mine=python3 my_bot.py exact",
        &[": \"mine=python3 my_bot.py\""],
    );
}

#[test]
fn a_flag_of_another_command_is_refused() {
    refused("extend t --seed 3", &["unexpected argument '--seed'"]);
}

#[test]
fn a_built_in_bot_is_known_by_its_name() {
    let scratch = Scratch::new();
    let told =
        |words: &str| scratch.printed(&format!("match --rule rounds=1 --seed 1 {words} --json"));
    let plain = told("--bot a=builtin:exact --bot random=builtin:random");
    assert_eq!(told("--bot a=exact --bot random"), plain);
    let plan = scratch.printed("plan --seconds 0 --bot exact --bot b=random");
    assert!(plan.contains("bots                2"), "{plan}");
    scratch.printed(
        "compare a=exact b=random --rule rounds=1 --max-deals 2 --no-clock --seed 1 -q --out c",
    );
    scratch.printed("init t.toml --bot best=exact");
    let file = std::fs::read_to_string(scratch.path().join("t.toml")).unwrap();
    assert!(
        file.contains("name = \"best\"") && file.contains("builtin = \"exact\""),
        "{file}"
    );
    refused(
        "match --bot a=exakt --bot b=random",
        &[
            "there is no program exakt",
            "did you mean the built-in bot \"exact\"?",
        ],
    );
    refused(
        "match --bot exakt --bot b=random",
        &[
            "no bot named \"exakt\" is built in for coda",
            "did you mean \"exact\"?",
        ],
    );
    refused(
        "compare exakt random",
        &["error: exakt: no bot named", "did you mean \"exact\"?"],
    );
}

/// Checks that commands read bots in the same way, with or without `--bot`.
#[test]
fn a_bot_is_given_by_its_file_or_folder() {
    let scratch = Scratch::new();
    let text = fs::read_to_string(python_bot("first_bot.py")).unwrap();
    for folder in ["main", "described"] {
        fs::create_dir(scratch.path().join(folder)).unwrap();
    }
    for file in ["first.py", "main/bot.py", "described/first.py"] {
        scratch.write(file, &text);
    }
    scratch.write("described/bot.toml", "command = 'python3 first.py'");
    let quick = "--rule rounds=1 --seed 1";
    for bots in [
        "first.py random",
        "main described",
        "main/bot.py a=first.py",
        "--bot described random",
    ] {
        let told = scratch.printed(&format!("match {quick} --json {bots}"));
        assert!(told.contains("\"faults\":[null,null]"), "{bots}: {told}");
    }
    let plan = scratch.printed("plan --seconds 0 main first.py described");
    assert!(plan.contains("bots                3"), "{plan}");
    scratch.printed(&format!(
        "run {quick} --deals 1 -q --out t first.py main described random"
    ));
    let table = scratch.printed("show t");
    for name in ["first", "main", "described", "random"] {
        assert!(table.contains(name), "{table}");
    }
    assert!(!table.contains("forfeit"), "{table}");
    scratch.printed(&format!(
        "compare {quick} --max-deals 2 -q --out c main described"
    ));
    let output = scratch.arena(&format!("match {quick} first.py b=described"));
    let said = String::from_utf8(output.stderr).unwrap();
    let started = "bots       first: python3 first.py, b: python3 first.py\n";
    assert!(said.contains(started), "{said}");
    // A word that names both a tournament and a bot continues the tournament.
    scratch.printed("run t -q");
    scratch.printed("init duel.toml --bot main");
    let file = fs::read_to_string(scratch.path().join("duel.toml")).unwrap();
    assert!(file.contains("command = \"python3 bot.py\""), "{file}");
    refused(
        "match python3 my_bot.py exact",
        &["The script alone is enough: my_bot.py"],
    );
}

/// Checks that a name that is both a program and a built-in bot means the program.
#[test]
fn a_program_goes_before_a_built_in_bot() {
    let scratch = Scratch::new();
    scratch.write_program("exact", "#!/bin/sh\nexit 7\n");
    let path = format!(
        "{}:{}",
        scratch.path().display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = scratch.command("match --rule rounds=1 --bot a=exact --bot b=random");
    let told = String::from_utf8(command.env("PATH", path).output().unwrap().stdout).unwrap();
    assert!(told.contains("a forfeited (crash)"), "{told}");
}
